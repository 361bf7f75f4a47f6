"""The evidence pack for the data protection officer: requirements with answers, sealed."""

import hmac
import json
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from hashlib import sha256
from typing import Any, Literal

from pipeline.dpo.evidence import Evidence, canonical_json
from pipeline.reports.quarantine_remedies import remedy
from pipeline.reports.run_report import TEMPLATES, count_noun
from pipeline.state.release_register import PastRelease
from surrogates.keys.keys import MasterKey

Certainty = Literal["text", "account", "general"]
"""Source of a requirement: the legal text, a secondary account of it, or general knowledge.

Check the last two against the text before quoting them.
"""


@dataclass(frozen=True)
class OfficerRequirement:
    """A requirement; `owner` says whose evidence shows it: the tool's, the site's, or both."""

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
        "R1", "All 18 classes of identifiers are covered: names, geographic subdivisions smaller "
        "than a state, date elements except the year, ages over 89, telephone and fax numbers, "
        "e-mail addresses, social security, medical record, health plan, account and licence "
        "numbers, vehicle and device identifiers, URLs, IP addresses, biometrics, photographs, "
        "any other unique code.", f"{_HIPAA}(b)(2)(i)(A)-(R)", "text",
    ),
    OfficerRequirement(
        "R2", "Identifiers of relatives, employers and household members are covered as well.",
        f"{_HIPAA}(b)(2)(i)", "text",
    ),
    OfficerRequirement(
        "R3", "There is no actual knowledge that the remaining information identifies a person: "
        "residual leaks are searched for and reported.", f"{_HIPAA}(b)(2)(ii)", "text",
    ),
    OfficerRequirement(
        "R4", "The risk is very small; methods and results are documented, with versions, "
        "measures and sample sizes.", f"{_HIPAA}(b)(1)", "text", "both",
    ),
    OfficerRequirement(
        "R5", "Codes are not derived from information about the person, and the method is not "
        "disclosed: keyed pseudonyms, never plain hashes.", f"{_HIPAA}(c)", "general",
    ),
    OfficerRequirement(
        "R6", "Shifted dates do not meet Safe Harbor as such: the year alone can be given instead.",
        f"{_HIPAA}(b)(2)(i)(C) and (e)", "text", "both",
    ),
    OfficerRequirement(
        "R7", "Pseudonymized data remain personal data; the secret is kept separately, under "
        "technical and organizational measures.", "GDPR art. 4(5), recital 26", "general", "both",
    ),
    OfficerRequirement(
        "R8", "The pseudonymization domain is defined; attribution within it is prevented.",
        _EDPB, "account", "both",
    ),
    OfficerRequirement(
        "R9", "Pseudonyms come from a one-way function with a secret, or from encryption, with "
        "sufficient entropy; lookup tables are kept separately.", _EDPB, "account",
    ),
    OfficerRequirement(
        "R10", "Direct and indirect identifiers are deleted, generalized or randomized.",
        _EDPB, "account", "both",
    ),
    OfficerRequirement(
        "R11", "Where no linkage is needed, recipients and purposes get different pseudonyms.",
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
        "R14", "Whether a recipient can identify persons is assessed for that recipient.",
        "CJEU C-413/23 P (EDPS v SRB)", "account", "site",
    ),
    OfficerRequirement(
        "R15", "A keyed function is preferred to a plain hash; the policy is chosen and stated: "
        "deterministic, document-randomized or fully randomized.",
        "ENISA, November 2019 and January 2021", "general",
    ),
    OfficerRequirement(
        "R16", "Data protection by design, records of processing, impact assessment; erasure and "
        "objection extend to derived text.", "GDPR art. 17, 21, 25, 30, 35, 89", "general", "both",
    ),
    OfficerRequirement(
        "R17", "The warehouse is isolated, several keys are used, every action is logged, "
        "extraction is controlled.", f"{_CNIL}, ch. 10", "account", "both",
    ),
    OfficerRequirement(
        "R18", "Directly identifying data are used only where the purpose requires them; "
        "governance, information of patients, opt-out.", _CNIL, "account", "site",
    ),
    OfficerRequirement(
        "R19", "Where data are matched with the SNDS, its security reference applies.",
        "arrêté of 22 March 2017 (existence read)", "text", "site",
    ),
    OfficerRequirement(
        "R20", "Anonymized data if sufficient, else pseudonymized data with a justification; "
        "users never hold the key; opt-out.", "Regulation (EU) 2025/327 (EHDS) art. 66, 71, 73",
        "account", "both",
    ),
    OfficerRequirement(
        "R21", "OMOP: person_id is never the medical record number; source values, times of "
        "birth, providers and locations are reviewed.", _OHDSI, "text",
    ),
    OfficerRequirement(
        "R22", "OMOP: one date offset per person, in all domains; users are informed.",
        _OHDSI, "text",
    ),
    OfficerRequirement(
        "R23", "OMOP: records that match identifiers are quarantined.", _OHDSI, "text",
    ),
    OfficerRequirement(
        "R24", "New ids and dates at each refresh, with destruction of the mapping, are an "
        "alternative to stable keys.", "OHDSI forum, topic 553 (CHCO protocol)", "account",
    ),
    OfficerRequirement(
        "R25", "The ends of the observation window are truncated, so that its edge does not "
        "reveal the shift.", "Hripcsak 2016, JAMIA, ocw001", "account",
    ),
    OfficerRequirement(
        "R26", "Date shifts can be inferred from weekdays and seasons: this is disclosed, and "
        "shifts by whole weeks are an option.", "doi 10.1055/a-2130-2197", "account",
    ),
    OfficerRequirement(
        "R27", "The provenance of each output is stored: versions, key id, policy, run.",
        "NIST SP 800-188, NISTIR 8053, ISO 25237", "general",
    ),
    OfficerRequirement(
        "R28", "Operations follow a standard for exchange.",
        "HL7 FHIR DARTS (ballot)", "account",
    ),
)  # fmt: skip
"""All requirements, in order."""


Status = Literal["shown", "partly", "missing", "site"]
"""How far the records show a requirement; `site`: only the site can show it."""


@dataclass(frozen=True)
class Answer:
    """The evidence for one requirement, and what is missing."""

    requirement: OfficerRequirement
    status: Status
    shown: tuple[str, ...]
    lacking: tuple[str, ...]


Findings = Iterator[tuple[bool, str]]
"""Sentences, each with whether it is evidence (True) or says what is missing (False)."""


def _shows(text: str) -> tuple[bool, str]:
    return True, text


def _lacks(text: str) -> tuple[bool, str]:
    return False, text


def answer_requirements(evidence: Evidence) -> list[Answer]:
    """Answer every requirement, in order."""
    return [_answer_requirement(requirement, evidence) for requirement in REQUIREMENTS]


def _answer_requirement(requirement: OfficerRequirement, evidence: Evidence) -> Answer:
    findings = list(_ANSWERS[requirement.number](evidence))
    shown = tuple(text for is_shown, text in findings if is_shown)
    lacking = tuple(text for is_shown, text in findings if not is_shown)
    if requirement.owner == "site":
        return Answer(requirement, "site", shown, lacking)
    if requirement.owner == "both":
        lacking += ("Measures taken by the site are not in these records.",)
    status: Status = "partly" if shown and lacking else "shown" if shown else "missing"
    return Answer(requirement, status, shown, lacking)


def _list_kept(evidence: Evidence, what: str, key: str) -> list[str]:
    return [name for name, each in evidence.policy[what].items() if each[key] == "keep"]


def _setting(evidence: Evidence, name: str) -> Any:
    return evidence.policy["settings"][name]


def _answer_identifier_classes(evidence: Evidence) -> Findings:
    kept = _list_kept(evidence, "labels", "action")
    labels = len(evidence.policy["labels"])
    yield _shows(
        f"Policy {evidence.policy['policy_id']} replaces, generalizes or masks "
        f"{labels - len(kept)} labels."
    )
    yield _shows(f"Ages over {_setting(evidence, 'age_cap')} are capped. Images are not released.")
    if kept:
        yield _lacks(f"Labels kept unchanged: {', '.join(kept)}.")
    yield from _review_findings(evidence)


def _review_findings(evidence: Evidence) -> Findings:
    review = evidence.review
    if review is None:
        yield _lacks(
            "No sample was reviewed in the period, so the share of missed identifiers is unknown."
        )
        return
    rate = review["zero_leak"]
    value = "no rate" if rate["rate"] is None else f"{rate['rate']:.4f}"
    yield _shows(
        f"Share of notes without a leak, in a manual review of {review['notes']} notes: {value} "
        f"(95 % interval {rate['low']:.4f} to {rate['high']:.4f})."
    )


def _answer_relatives(evidence: Evidence) -> Findings:
    yield _shows("Names and contact details are detected regardless of whose they are.")
    identity = evidence.settings.source.identity
    if identity and any(name.startswith("relative_") for name in identity.columns):
        yield _shows("Names of relatives in the warehouse are searched for.")
    else:
        yield _lacks("No column of relatives is configured (source.identity.columns).")


def _answer_residual_leaks(evidence: Evidence) -> Findings:
    if evidence.runs:
        held = sum(
            n for (stage, _, _, _), n in evidence.tally.quarantine.items() if stage == "residue"
        )
        yield (
            True,
            (
                "Every note was searched for known values of its patient before release: "
                f"{held} notes were held back."
            ),
        )
    else:
        yield _lacks("There was no run in the period.")
    yield from _review_findings(evidence)


def _answer_documentation(evidence: Evidence) -> Findings:
    made = {(r.about.get("code_version"), r.about.get("detector_version")) for r in evidence.runs}
    if versions := sorted(f"{code}, detectors {rules}" for code, rules in made if code):
        yield _shows(f"{count_noun(len(evidence.runs), 'run')}, versions: {'; '.join(versions)}.")
    else:
        yield _lacks("No run in the period recorded its versions.")
    yield from _review_findings(evidence)


def _answer_keyed_pseudonyms(evidence: Evidence) -> Findings:
    yield _shows(
        "Surrogates and ids are derived with HMAC-SHA-256 under keys that HKDF derives from a "
        f"random 256-bit master key ({evidence.master_key_id}): no plain hashes, no mapping table."
    )


def _answer_date_precision(evidence: Evidence) -> Findings:
    precision = _setting(evidence, "date_precision")
    least, most = _setting(evidence, "min_shift_days"), _setting(evidence, "max_shift_days")
    yield _shows(
        f"Dates are shifted by {least} to {most} days; their precision is the {precision}."
    )
    if precision == "day":
        yield _lacks("Dates are exact to the day: at most a limited data set, not Safe Harbor.")


def _answer_separation(evidence: Evidence) -> Findings:
    scheme = evidence.settings.key.locator.partition(":")[0]
    yield _shows(
        f"The master key is stored outside the data ({scheme}); source, output and state are "
        "separate places (checked when this document was created)."
    )


def _answer_domain(evidence: Evidence) -> Findings:
    yield _shows(f"Each cohort is a domain with its own key; here: {evidence.settings.cohort}.")


def _answer_indirect_identifiers(evidence: Evidence) -> Findings:
    columns: dict[str, list[str]] = {}
    for name, each in evidence.policy["columns"].items():
        columns.setdefault(each["treatment"], []).append(name)
    counts = ", ".join(f"{len(names)} {treatment}" for treatment, names in sorted(columns.items()))
    yield _shows(f"Output columns by treatment: {counts}.")
    yield _lacks("Mentions of rare diseases or events in the text are not changed.")


def _answer_cohort_keys(evidence: Evidence) -> Findings:
    if evidence.keys is None:
        yield _lacks("The key has no custody folder that lists cohorts and their keys.")
        return
    listed = "; ".join(
        f"{entry.key_id}, surrogate algorithm {entry.algorithm}"
        f"{' (destroyed)' if entry.destroyed else ''}"
        for entry in evidence.keys.cohorts
    )
    yield _shows(
        f"{count_noun(len(evidence.keys.cohorts), 'cohort')}, each with its own key: {listed}."
    )
    cohorts = {release.cohort for release in evidence.releases if release.is_shown}
    if cohorts:
        made = sum(release.is_shown for release in evidence.releases)
        yield _shows(
            f"{count_noun(made, 'release')} in the period, of {count_noun(len(cohorts), 'cohort')}."
        )


def _answer_key_log(evidence: Evidence) -> Findings:
    keys = evidence.keys
    if keys is None:
        yield _lacks("Uses of the key are not logged: it has no custody folder.")
        return
    actions: dict[str, int] = {}
    for use in keys.uses:
        actions[use.action] = actions.get(use.action, 0) + 1
    counts = ", ".join(f"{count} {action}" for action, count in sorted(actions.items())) or "none"
    yield _shows(f"Key uses in the period: {counts}. Entries in the log: {keys.all_uses}.")
    if keys.problems:
        yield _lacks(f"The hash chain of the log is broken: {'; '.join(keys.problems)}.")
    else:
        yield _shows(f"The hash chain of the log is intact; hash of its last entry: {keys.last}.")


def _answer_attacks(evidence: Evidence) -> Findings:
    measures = [m for attached in evidence.attachments for m in attached.measures]
    for measure in measures:
        controls = [measure.get("null"), measure.get("control")]
        text = (
            f"{measure.get('name')}: {measure.get('value')}, null and positive control {controls}."
        )
        yield None not in controls, text if None not in controls else f"{text} Without controls."
    if not measures:
        yield _lacks("No attack report was provided (--evidence): none of the three was tested.")


def _describe_objections(evidence: Evidence) -> Findings:
    found = evidence.objections
    if found is None:
        yield _lacks("No list of persons who object is configured (source.objections).")
        return
    yield _shows(
        f"{found['persons']} persons object: {found['notes']} notes of theirs are not read, and "
        f"{found['withdrawn']} were withdrawn in the period."
    )


def _answer_opt_out(evidence: Evidence) -> Findings:
    yield from _describe_objections(evidence)
    yield from _answer_site_assessment(evidence)


def _answer_site_assessment(_evidence: Evidence) -> Findings:
    yield _lacks("To be assessed and documented by the site.")


def _answer_erasure(evidence: Evidence) -> Findings:
    yield _shows(
        f"{evidence.outcomes['deleted']} notes deleted at the source were withdrawn from the "
        "output in the period."
    )
    withdrawn = sum(sum(release.notes_changed[2:]) for release in evidence.releases)
    if evidence.releases:
        yield _shows(f"{withdrawn} notes were withdrawn from cohort releases in the period.")
    yield from _describe_objections(evidence)
    yield _lacks("Records of processing and the impact assessment are the site's responsibility.")


def _answer_warehouse(evidence: Evidence) -> Findings:
    yield from _answer_cohort_keys(evidence)
    yield from _answer_key_log(evidence)
    yield _lacks("Categories of data, such as genetic data, have no separate keys.")


def _answer_ehds(evidence: Evidence) -> Findings:
    yield _shows("Releases contain no keys, and none can be derived from them.")
    yield from _describe_objections(evidence)


def _answer_omop_columns(evidence: Evidence) -> Findings:
    yield _shows("person_id, note_id and visit ids in the output are keyed pseudonyms.")
    kept = _list_kept(evidence, "columns", "treatment")
    sensitive = ("source_value", "birth", "npi", "dea", "provider", "location")
    to_review = [name for name in kept if any(word in name for word in sensitive)]
    if to_review:
        yield _lacks(f"The policy keeps columns that need review: {', '.join(sorted(to_review))}.")
    else:
        yield _shows("No column with source values, births, providers or locations is kept.")


def _answer_date_offset(evidence: Evidence) -> Findings:
    least, most = _setting(evidence, "min_shift_days"), _setting(evidence, "max_shift_days")
    is_past = _setting(evidence, "shift_direction") == "past"
    way = "into the past" if is_past else "forward or back"
    yield _shows(
        f"Each person has one offset of {least} to {most} days, {way}, the same in text "
        "and tables; it is documented in cdm_source of the output."
    )


def _answer_quarantine(evidence: Evidence) -> Findings:
    if not evidence.runs:
        yield _lacks("There was no run in the period.")
        return
    yield _shows(f"{evidence.outcomes['quarantined']} notes were quarantined in the period.")


def _answer_refresh(_evidence: Evidence) -> Findings:
    yield _shows(
        "Keys are stable; a new cohort has new ids and dates; the key of a cohort can be destroyed."
    )


def _answer_window_ends(evidence: Evidence) -> Findings:
    held = _setting(evidence, "hold_back_days")
    held = _setting(evidence, "max_shift_days") if held is None else held
    if held:
        yield _shows(
            f"Releases have no shifted date in the last {held} days before their end, nor before "
            "the first day that every patient may have where they have a beginning."
        )
    else:
        yield _lacks("The ends of the observation window are not truncated (hold_back_days = 0).")


def _answer_whole_weeks(evidence: Evidence) -> Findings:
    is_kept = _setting(evidence, "keep_weekday")
    yield _shows(
        f"The policy shifts dates by {'whole weeks' if is_kept else 'any number of days'}."
    )


def _answer_provenance(evidence: Evidence) -> Findings:
    if not evidence.runs:
        yield _lacks("There was no run in the period.")
        return
    yield _shows(
        "The output names policy and key (cdm_source); the state database has policy, key id and "
        f"versions of each run ({len(evidence.runs)} in the period)."
    )
    yield _lacks("Versions are stored per run, not per row.")


def _answer_standard(_evidence: Evidence) -> Findings:
    yield _lacks("No FHIR operations are provided.")


_ANSWERS: dict[str, Callable[[Evidence], Findings]] = {
    "R1": _answer_identifier_classes,
    "R2": _answer_relatives,
    "R3": _answer_residual_leaks,
    "R4": _answer_documentation,
    "R5": _answer_keyed_pseudonyms,
    "R6": _answer_date_precision,
    "R7": _answer_separation,
    "R8": _answer_domain,
    "R9": _answer_keyed_pseudonyms,
    "R10": _answer_indirect_identifiers,
    "R11": _answer_cohort_keys,
    "R12": _answer_key_log,
    "R13": _answer_attacks,
    "R14": _answer_site_assessment,
    "R15": _answer_keyed_pseudonyms,
    "R16": _answer_erasure,
    "R17": _answer_warehouse,
    "R18": _answer_opt_out,
    "R19": _answer_site_assessment,
    "R20": _answer_ehds,
    "R21": _answer_omop_columns,
    "R22": _answer_date_offset,
    "R23": _answer_quarantine,
    "R24": _answer_refresh,
    "R25": _answer_window_ends,
    "R26": _answer_whole_weeks,
    "R27": _answer_provenance,
    "R28": _answer_standard,
}


_PURPOSE = "dpo-pack"
_SEAL = "seal"


def make_pack(evidence: Evidence, master: MasterKey) -> dict[str, Any]:
    """Return the pack as a JSON object, with counts and key ids only.

    `seal` is an HMAC-SHA-256 over everything else, under a key derived from the master key.
    """
    answers = answer_requirements(evidence)
    pack: dict[str, Any] = {
        "from": evidence.since.isoformat(),
        "to": evidence.until.isoformat(),
        "made": evidence.made.isoformat(timespec="seconds"),
        "code_version": evidence.code_version,
        "cohort": evidence.settings.cohort,
        "master_key_id": evidence.master_key_id,
        "requirements": [_answer_to_json(answer) for answer in answers],
        "statuses": dict(Counter(answer.status for answer in answers)),
        "runs": [run.to_json() for run in evidence.runs],
        "releases": [_release_to_json(release) for release in evidence.releases],
        "notes": dict(evidence.outcomes),
        "objections": evidence.objections,
        "labels": _count_labels(evidence),
        "quarantine": _count_quarantine(evidence),
        "incidents": evidence.incidents,
        "keys": _keys_to_json(evidence),
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
    return pack | {_SEAL: _compute_seal(pack, master)}


def verify_seal(pack: dict[str, Any], master: MasterKey) -> bool:
    """Return whether a pack is unchanged since the master key sealed it."""
    rest = {name: value for name, value in pack.items() if name != _SEAL}
    return hmac.compare_digest(str(pack.get(_SEAL)).encode(), _compute_seal(rest, master).encode())


def render_pack(pack: dict[str, Any]) -> str:
    """Render the pack as one HTML page that loads nothing."""
    return TEMPLATES.get_template("dpo.html.j2").render(pack=pack)


def _compute_seal(pack: dict[str, Any], master: MasterKey) -> str:
    # Round-trip first: a number may change its form in JSON.
    decoded = json.loads(json.dumps(pack))
    return hmac.new(master.derive(_PURPOSE), canonical_json(decoded), sha256).hexdigest()


def _answer_to_json(answer: Answer) -> dict[str, Any]:
    return asdict(answer.requirement) | {
        "status": answer.status,
        "shown": list(answer.shown),
        "lacking": list(answer.lacking),
    }


def _release_to_json(release: PastRelease) -> dict[str, Any]:
    entry = release.to_json() | {"ending": release.ending, "persons": release.persons}
    notes = {"released": release.released, "held": release.held, "refused": release.refused}
    changed = dict(zip(("added", "changed", "withdrawn"), release.notes_changed, strict=False))
    return entry | {"notes": notes | changed}


def _count_labels(evidence: Evidence) -> dict[str, int]:
    labels: Counter[str] = Counter()
    for (label, _, _), count in evidence.tally.spans.items():
        labels[label] += count
    return dict(sorted(labels.items()))


def _count_quarantine(evidence: Evidence) -> list[dict[str, Any]]:
    causes: Counter[tuple[str, str, str]] = Counter()
    for (stage, error, reason, _), count in evidence.tally.quarantine.items():
        causes[stage, error, reason] += count
    return [
        {"stage": stage, "error": error, "reason": reason, "count": count}
        | {"meaning": remedy(reason).meaning}
        for (stage, error, reason), count in sorted(causes.items())
    ]


def _keys_to_json(evidence: Evidence) -> dict[str, Any] | None:
    keys = evidence.keys
    if keys is None:
        return None
    return {
        # Reasons are free text that may name a person: they stay in the log.
        "uses": [{n: v for n, v in asdict(use).items() if n != "reason"} for use in keys.uses],
        "all_uses": keys.all_uses,
        "problems": keys.problems,
        "cohorts": [asdict(entry) for entry in keys.cohorts],
        "last": keys.last,
    }
