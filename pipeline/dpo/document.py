"""The document of a period: requirements with their evidence, as a page and as JSON, under seal."""

import hmac
import json
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from hashlib import sha256
from typing import Any, Literal

from pipeline.dpo.evidence import Evidence, canonical
from pipeline.reports.quarantine_remedies import remedy
from pipeline.reports.run_report import TEMPLATES
from pipeline.state.release_register import PastRelease
from surrogates.keys.keys import MasterKey

Certainty = Literal["text", "account", "general"]
"""Read in the legal text itself, in an account of it, or general knowledge: quote the last two only
after a look at the text."""


@dataclass(frozen=True)
class OfficerRequirement:
    """One requirement; `owner` is `tool` where a program can show it, `site` where people must."""

    number: str
    text: str
    source: str
    certainty: Certainty
    owner: Literal["tool", "both", "site"] = "tool"


_HIPAA, _EDPB = "45 CFR 164.514", "EDPB Guidelines 01/2025"
_CNIL = "CNIL, warehouse reference, délibération 2021-118"
_OHDSI = "OHDSI CommonDataModel, privacy vignette"

REQUIREMENTS = (
    OfficerRequirement(
        "R1", "The 18 classes of identifiers are covered: names, places below a state, parts of "
        "dates but the year, ages over 89, telephone, fax, e-mail, social security, record and "
        "plan numbers, accounts, licences, vehicles, devices, URLs, IP addresses, biometrics, "
        "photographs, any other unique code.", f"{_HIPAA}(b)(2)(i)(A)-(R)", "text",
    ),
    OfficerRequirement(
        "R2", "Identifiers of relatives, employers and household members are covered, too.",
        f"{_HIPAA}(b)(2)(i)", "text",
    ),
    OfficerRequirement(
        "R3", "There is no actual knowledge that what is left identifies: residual leaks are "
        "looked for and reported.", f"{_HIPAA}(b)(2)(ii)", "text",
    ),
    OfficerRequirement(
        "R4", "The risk is very small; methods and results are documented, with versions, "
        "measures and sample sizes.", f"{_HIPAA}(b)(1)", "text", "both",
    ),
    OfficerRequirement(
        "R5", "Codes are not derived from information on the person, and how they are made is not "
        "disclosed: a keyed pseudonym, never a plain hash.", f"{_HIPAA}(c)", "general",
    ),
    OfficerRequirement(
        "R6", "Shifted days are not Safe Harbor as such: the year alone can be given instead.",
        f"{_HIPAA}(b)(2)(i)(C) and (e)", "text", "both",
    ),
    OfficerRequirement(
        "R7", "Pseudonymized data stay personal data; the secret is kept apart, under technical "
        "and organizational measures.", "GDPR art. 4(5), recital 26", "general", "both",
    ),
    OfficerRequirement(
        "R8", "The pseudonymization domain is defined; attribution inside it is prevented.",
        _EDPB, "account", "both",
    ),
    OfficerRequirement(
        "R9", "Pseudonyms come from a one-way function with a secret, or encryption, with enough "
        "entropy; tables of them are kept apart.", _EDPB, "account",
    ),
    OfficerRequirement(
        "R10", "Direct and indirect identifiers are deleted, generalized or randomized.",
        _EDPB, "account", "both",
    ),
    OfficerRequirement(
        "R11", "Where no linkage is needed, recipients and purposes have different pseudonyms.",
        _EDPB, "account",
    ),
    OfficerRequirement(
        "R12", "Unauthorized reversal is a breach: every use of a key and every re-identification "
        "is logged.", f"{_EDPB}; GDPR art. 33", "account",
    ),
    OfficerRequirement(
        "R13", "Singling out, linkability and inference are tested.",
        "Article 29 Working Party, opinion 05/2014 (WP216)", "general",
    ),
    OfficerRequirement(
        "R14", "Whether the recipient can identify persons is judged for that recipient.",
        "CJEU C-413/23 P (EDPS v SRB)", "account", "site",
    ),
    OfficerRequirement(
        "R15", "A keyed function is preferred to a plain hash; the policy is chosen and stated: "
        "deterministic, randomized by document, or fully randomized.",
        "ENISA, November 2019 and January 2021", "general",
    ),
    OfficerRequirement(
        "R16", "Protection by design, records of processing, impact assessment; erasure and "
        "objection reach derived text.", "GDPR art. 17, 21, 25, 30, 35, 89", "general", "both",
    ),
    OfficerRequirement(
        "R17", "The warehouse is isolated, several keys are used, every action is logged, "
        "extraction is controlled.", f"{_CNIL}, ch. 10", "account", "both",
    ),
    OfficerRequirement(
        "R18", "Directly identifying data only where the purpose needs it; governance, information "
        "of patients, opt-out.", _CNIL, "account", "site",
    ),
    OfficerRequirement(
        "R19", "Where data is matched with the SNDS, its security reference applies.",
        "arrêté of 22 March 2017 (existence read)", "text", "site",
    ),
    OfficerRequirement(
        "R20", "Anonymized data if enough, else pseudonymized with a justification; users never "
        "hold the key; opt-out.", "Regulation (EU) 2025/327 (EHDS) art. 66, 71, 73", "account",
        "both",
    ),
    OfficerRequirement(
        "R21", "OMOP: person_id is never the record number; source values, birth times, providers "
        "and locations are reviewed.", _OHDSI, "text",
    ),
    OfficerRequirement(
        "R22", "OMOP: one offset of dates for each person, in all domains; users are told.",
        _OHDSI, "text",
    ),
    OfficerRequirement(
        "R23", "OMOP: records that match identifiers are quarantined.", _OHDSI, "text",
    ),
    OfficerRequirement(
        "R24", "New ids and dates at a refresh, and destruction of the map, are a choice against "
        "stable keys.", "OHDSI forum, topic 553 (CHCO protocol)", "account",
    ),
    OfficerRequirement(
        "R25", "The ends of the window are cut off, so that its edge does not tell the shift.",
        "Hripcsak 2016, JAMIA, ocw001", "account",
    ),
    OfficerRequirement(
        "R26", "A shift of dates can be found out from weekdays and seasons: told, with whole "
        "weeks as a choice.", "doi 10.1055/a-2130-2197", "account",
    ),
    OfficerRequirement(
        "R27", "Where each output comes from is stored: versions, key id, policy, run.",
        "NIST SP 800-188, NISTIR 8053, ISO 25237", "general",
    ),
    OfficerRequirement(
        "R28", "The operations have the shape of a standard for exchange.",
        "HL7 FHIR DARTS (ballot)", "account",
    ),
)  # fmt: skip
"""All of them, in order."""


Status = Literal["shown", "partly", "missing", "site"]
"""`site`: a program can show nothing of it, people must."""


@dataclass(frozen=True)
class Answer:
    """What is shown, and what is not, of one requirement."""

    requirement: OfficerRequirement
    status: Status
    shown: tuple[str, ...]
    lacking: tuple[str, ...]


Told = Iterator[tuple[bool, str]]
"""Sentences, each with whether it shows something or says what lacks."""


def _shows(text: str) -> tuple[bool, str]:
    return True, text


def _lacks(text: str) -> tuple[bool, str]:
    return False, text


def answer_all(evidence: Evidence) -> list[Answer]:
    """Answer every requirement, in order."""
    return [_answer(requirement, evidence) for requirement in REQUIREMENTS]


def _answer(requirement: OfficerRequirement, evidence: Evidence) -> Answer:
    told = list(_ANSWERS[requirement.number](evidence))
    shown = tuple(text for is_shown, text in told if is_shown)
    lacking = tuple(text for is_shown, text in told if not is_shown)
    if requirement.owner == "site":
        return Answer(requirement, "site", shown, lacking)
    if requirement.owner == "both":
        lacking += ("What people at the site do for it is not in these records.",)
    status: Status = "partly" if shown and lacking else "shown" if shown else "missing"
    return Answer(requirement, status, shown, lacking)


def _kept(evidence: Evidence, what: str, key: str) -> list[str]:
    return [name for name, each in evidence.policy[what].items() if each[key] == "keep"]


def _setting(evidence: Evidence, name: str) -> Any:
    return evidence.policy["settings"][name]


def _classes(evidence: Evidence) -> Told:
    kept = _kept(evidence, "labels", "action")
    labels = len(evidence.policy["labels"])
    yield _shows(f"Policy {evidence.policy['policy_id']} treats {labels - len(kept)} labels.")
    yield _shows(
        f"Ages over {_setting(evidence, 'age_cap')} are capped. Pictures are not released."
    )
    if kept:
        yield _lacks(f"Kept as they are: {', '.join(kept)}.")
    yield from _audited(evidence)


def _audited(evidence: Evidence) -> Told:
    review = evidence.review
    if review is None:
        yield _lacks("No reviewed sample of the period tells how much was missed.")
        return
    rate = review["zero_leak"]
    value = "no rate" if rate["rate"] is None else f"{rate['rate']:.4f}"
    yield _shows(
        f"Notes without a leak, judged by people on {review['notes']} notes: {value} "
        f"(95 % interval {rate['low']:.4f} to {rate['high']:.4f})."
    )


def _others(evidence: Evidence) -> Told:
    yield _shows("Names and contacts are detected whoever they belong to.")
    identity = evidence.settings.source.identity
    if identity and any(name.startswith("relative_") for name in identity.columns):
        yield _shows("Names of relatives that the warehouse knows are searched for.")
    else:
        yield _lacks("No column of relatives is configured (source.identity.columns).")


def _residue(evidence: Evidence) -> Told:
    if evidence.runs:
        held = sum(
            n for (stage, _, _, _), n in evidence.tally.quarantine.items() if stage == "residue"
        )
        yield (
            True,
            (
                "Every release was searched for what is known of its patient: "
                f"{held} notes were held back for it."
            ),
        )
    else:
        yield _lacks("There was no run in the period.")
    yield from _audited(evidence)


def _documented(evidence: Evidence) -> Told:
    made = {(r.about.get("code_version"), r.about.get("detector_version")) for r in evidence.runs}
    if versions := sorted(f"{code}, detectors {rules}" for code, rules in made if code):
        yield _shows(f"{len(evidence.runs)} runs, versions: {'; '.join(versions)}.")
    else:
        yield _lacks("There was no run in the period that tells its versions.")
    yield from _audited(evidence)


def _keyed(evidence: Evidence) -> Told:
    yield _shows(
        "Surrogates and ids are drawn by HMAC-SHA-256 under keys that HKDF derives from a random "
        f"256-bit master key ({evidence.master_key_id}): no plain hash, no table of a mapping."
    )


def _days(evidence: Evidence) -> Told:
    precision = _setting(evidence, "date_precision")
    least, most = _setting(evidence, "min_shift_days"), _setting(evidence, "max_shift_days")
    told = f"Dates are shifted by {least} to {most} days and given by {precision}."
    yield _shows(told)
    if precision == "day":
        yield _lacks("Days are given: this is a limited data set at most, never Safe Harbor.")


def _apart(evidence: Evidence) -> Told:
    scheme = evidence.settings.key.locator.partition(":")[0]
    yield _shows(
        f"The master key is outside the data ({scheme}); source, output and state are three "
        "places, which was checked for this document."
    )


def _domain(evidence: Evidence) -> Told:
    yield _shows(
        f"Each cohort is a domain with a key of its own; here: {evidence.settings.cohort}."
    )


def _indirect(evidence: Evidence) -> Told:
    columns: dict[str, list[str]] = {}
    for name, each in evidence.policy["columns"].items():
        columns.setdefault(each["treatment"], []).append(name)
    told = ", ".join(f"{len(names)} {treatment}" for treatment, names in sorted(columns.items()))
    yield _shows(f"Columns of the output by treatment: {told}.")
    yield _lacks("What a text tells of rare diseases or events is not changed.")


def _cohorts(evidence: Evidence) -> Told:
    if evidence.keys is None:
        yield _lacks("No folder of custody lists the cohorts and their keys.")
        return
    listed = ", ".join(
        f"{entry.key_id}{' (destroyed)' if entry.destroyed else ''}"
        for entry in evidence.keys.cohorts
    )
    yield _shows(f"{len(evidence.keys.cohorts)} cohorts, each with a key of its own: {listed}.")
    cohorts = {release.cohort for release in evidence.releases if release.is_shown}
    if cohorts:
        made = sum(release.is_shown for release in evidence.releases)
        yield _shows(f"{made} releases in the period, of {len(cohorts)} cohorts.")


def _uses(evidence: Evidence) -> Told:
    keys = evidence.keys
    if keys is None:
        yield _lacks("No use of the key is written down: the key has no folder of custody.")
        return
    actions: dict[str, int] = {}
    for use in keys.uses:
        actions[use.action] = actions.get(use.action, 0) + 1
    told = ", ".join(f"{count} {action}" for action, count in sorted(actions.items())) or "none"
    yield _shows(f"Uses of keys in the period: {told}. All lines of the log: {keys.all_uses}.")
    if keys.problems:
        yield _lacks(f"The chain of the log is broken: {'; '.join(keys.problems)}.")
    else:
        yield _shows(f"The chain of the log is whole; hash of its last line: {keys.last}.")


def _attacks(evidence: Evidence) -> Told:
    measures = [m for attached in evidence.attachments for m in attached.measures]
    for measure in measures:
        controls = [measure.get("null"), measure.get("control")]
        text = f"{measure.get('name')}: {measure.get('value')}, null and control {controls}."
        yield None not in controls, text if None not in controls else f"{text} Without controls."
    if not measures:
        yield _lacks("No attack was given along (--evidence): none of the three is tested.")


def _legal(_evidence: Evidence) -> Told:
    yield _lacks("To be judged and documented by the site.")


def _erasure(evidence: Evidence) -> Told:
    yield _shows(
        f"{evidence.outcomes['deleted']} notes that were deleted at the source were withdrawn "
        "from the output in the period."
    )
    withdrawn = sum(sum(release.notes_changed[2:]) for release in evidence.releases)
    if evidence.releases:
        yield _shows(f"{withdrawn} notes were withdrawn from releases of cohorts in the period.")
    yield _lacks("Records of processing and impact assessment are the site's.")


def _warehouse(evidence: Evidence) -> Told:
    yield from _cohorts(evidence)
    yield from _uses(evidence)
    yield _lacks("A category of data, such as genetics, has no key of its own.")


def _ehds(_evidence: Evidence) -> Told:
    yield _shows("Releases hold no key, and none can be derived from them.")


def _omop(evidence: Evidence) -> Told:
    yield _shows("person_id, note_id and visit ids of the output are pseudonyms under the key.")
    kept = _kept(evidence, "columns", "treatment")
    asked = ("source_value", "birth", "npi", "dea", "provider", "location")
    open_ = [name for name in kept if any(word in name for word in asked)]
    if open_:
        yield _lacks(f"Columns to review that the policy keeps: {', '.join(sorted(open_))}.")
    else:
        yield _shows("No column with source values, birth, provider or location is kept.")


def _offset(evidence: Evidence) -> Told:
    least, most = _setting(evidence, "min_shift_days"), _setting(evidence, "max_shift_days")
    yield _shows(
        f"Each person has one offset of {least} to {most} days, either way, in texts and tables "
        "alike; cdm_source of the output says so."
    )


def _quarantined(evidence: Evidence) -> Told:
    if not evidence.runs:
        yield _lacks("There was no run in the period.")
        return
    yield _shows(f"{evidence.outcomes['quarantined']} notes went to quarantine in the period.")


def _refresh(_evidence: Evidence) -> Told:
    yield _shows(
        "Keys are stable; a new cohort gives new ids and dates; a cohort can be destroyed."
    )


def _ends(_evidence: Evidence) -> Told:
    yield _lacks("The ends of the window are not cut off.")


def _weeks(evidence: Evidence) -> Told:
    is_kept = _setting(evidence, "keep_weekday")
    yield _shows(f"Shifts are of {'whole weeks' if is_kept else 'any number of days'} (policy).")


def _provenance(evidence: Evidence) -> Told:
    if not evidence.runs:
        yield _lacks("There was no run in the period.")
        return
    yield _shows(
        "The output names policy and key (cdm_source); the state keeps policy, key id and "
        f"versions of each run, here of {len(evidence.runs)}."
    )
    yield _lacks("The version is kept by run, not by row.")


def _standard(_evidence: Evidence) -> Told:
    yield _lacks("No operation of FHIR is offered.")


_ANSWERS: dict[str, Callable[[Evidence], Told]] = {
    "R1": _classes, "R2": _others, "R3": _residue, "R4": _documented, "R5": _keyed, "R6": _days,
    "R7": _apart, "R8": _domain, "R9": _keyed, "R10": _indirect, "R11": _cohorts, "R12": _uses,
    "R13": _attacks, "R14": _legal, "R15": _keyed, "R16": _erasure, "R17": _warehouse,
    "R18": _legal, "R19": _legal, "R20": _ehds, "R21": _omop, "R22": _offset, "R23": _quarantined,
    "R24": _refresh, "R25": _ends, "R26": _weeks, "R27": _provenance, "R28": _standard,
}  # fmt: skip


_PURPOSE = "dpo-pack"
_SEAL = "seal"


def make_pack(evidence: Evidence, master: MasterKey) -> dict[str, Any]:
    """Return the document as an object that JSON can hold, counts and ids of keys alone.

    `seal` is HMAC-SHA-256 over everything else, under a key derived from the master key.
    """
    answers = answer_all(evidence)
    pack: dict[str, Any] = {
        "from": evidence.since.isoformat(),
        "to": evidence.until.isoformat(),
        "made": evidence.made.isoformat(timespec="seconds"),
        "code_version": evidence.code_version,
        "cohort": evidence.settings.cohort,
        "master_key_id": evidence.master_key_id,
        "requirements": [_told(answer) for answer in answers],
        "statuses": dict(Counter(answer.status for answer in answers)),
        "runs": [run.to_json() for run in evidence.runs],
        "releases": [_release(release) for release in evidence.releases],
        "notes": dict(evidence.outcomes),
        "labels": _labels(evidence),
        "quarantine": _quarantine(evidence),
        "incidents": evidence.incidents,
        "keys": _keys(evidence),
        "reviews": [
            {
                "sample": sample.sample_id,
                "drawn": sample.drawn.isoformat(timespec="seconds"),
                "seed": sample.seed,
                "reviewer": review.reviewer,
                "read": review.read.isoformat(timespec="seconds"),
                "result": review.result,
            }
            for review, sample in evidence.reviews
        ],
        "gate": {"verdicts": evidence.verdicts, "decisions": evidence.decisions},
        "attachments": [asdict(attached) for attached in evidence.attachments],
        "policy": evidence.policy,
    }
    return pack | {_SEAL: _sealed(pack, master)}


def is_genuine(pack: dict[str, Any], master: MasterKey) -> bool:
    """Return whether a document is as it was made, by the key that made it."""
    rest = {name: value for name, value in pack.items() if name != _SEAL}
    return hmac.compare_digest(str(pack.get(_SEAL)).encode(), _sealed(rest, master).encode())


def render(pack: dict[str, Any]) -> str:
    """Draw the document as one page that loads nothing and runs no script."""
    return TEMPLATES.get_template("dpo.html.j2").render(pack=pack)


def _sealed(pack: dict[str, Any], master: MasterKey) -> str:
    # Read back first: a number may look otherwise once JSON has held it.
    held = json.loads(json.dumps(pack))
    return hmac.new(master.derive(_PURPOSE), canonical(held), sha256).hexdigest()


def _told(answer: Answer) -> dict[str, Any]:
    return asdict(answer.requirement) | {
        "status": answer.status,
        "shown": list(answer.shown),
        "lacking": list(answer.lacking),
    }


def _release(release: PastRelease) -> dict[str, Any]:
    told = release.to_json() | {"ending": release.ending, "persons": release.persons}
    notes = {"released": release.released, "held": release.held, "refused": release.refused}
    changed = dict(zip(("added", "changed", "withdrawn"), release.notes_changed, strict=False))
    return told | {"notes": notes | changed}


def _labels(evidence: Evidence) -> dict[str, int]:
    labels: Counter[str] = Counter()
    for (label, _, _), count in evidence.tally.spans.items():
        labels[label] += count
    return dict(sorted(labels.items()))


def _quarantine(evidence: Evidence) -> list[dict[str, Any]]:
    causes: Counter[tuple[str, str, str]] = Counter()
    for (stage, error, reason, _), count in evidence.tally.quarantine.items():
        causes[stage, error, reason] += count
    return [
        {"stage": stage, "error": error, "reason": reason, "count": count}
        | {"meaning": remedy(reason).meaning}
        for (stage, error, reason), count in sorted(causes.items())
    ]


def _keys(evidence: Evidence) -> dict[str, Any] | None:
    keys = evidence.keys
    if keys is None:
        return None
    return {
        # The reasons that people gave may name somebody: they stay in the log.
        "uses": [{n: v for n, v in asdict(use).items() if n != "reason"} for use in keys.uses],
        "all_uses": keys.all_uses,
        "problems": keys.problems,
        "cohorts": [asdict(entry) for entry in keys.cohorts],
        "last": keys.last,
    }
