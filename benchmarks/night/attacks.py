"""Attacks on releases: linkage of two cohorts, and searches for identifiers that were missed.

    python -m benchmarks.night.attacks [--patients 500] [--lang fr] [--missed 0.01] [--only linkage]

Everything is made from the fictional hospital: all identifiers are known and replaced, so that
nothing is missed but what is planted. Prints Markdown tables. Every number stands beside what a
guess gives, and beside the same attack where it must succeed.
"""

import argparse
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from evaluation.attacks.linkage import (
    FIELDS,
    Evidence,
    Linkage,
    collect_evidence,
    date_intervals,
    link_patients,
    nearby_values,
)
from evaluation.attacks.parrot import ParrotAttack, Shadow, score_suspicion, suspect_by_halves
from evaluation.detection.leaks import fold_words
from pipeline.night.engine import annotate_note
from pipeline.notes.detection import KnownPatients
from record.document import Annotated
from record.label import Label
from record.languages import LANGUAGES
from record.policy import Action, Policy
from record.span import Span
from surrogates.keys.keys import MasterKey
from surrogates.rewrite import Rewriter
from surrogates.tables.columns import Columns
from synthesis.fictional.hospital import make_hospital
from synthesis.fictional.people.records import FictionalNote, Hospital

MASTER = MasterKey(bytes(range(32)))
CHARACTERS = 1000
NOTES_PER_PATIENT = 2
SHADOW_SEED = 1000
OWN = "nothing missed: value equals an original of the patient"
STRANGE = "nothing missed: value equals one of another patient"

Flags = NDArray[np.bool_]
Chosen = Callable[[Sequence[FictionalNote], float, int], set[tuple[int, int]]]


@dataclass(frozen=True)
class Planted:
    """A release, its identifiers as spans, and what is wrong with each of them.

    `is_leak` marks the originals that were left; `recurs` which read like something that
    the patient's notes held before, as a common name or an initial may; `strange` which read like
    something of another patient's notes, which no leak explains.
    """

    notes: list[Annotated]
    is_leak: Flags
    recurs: Flags
    strange: Flags


def main() -> None:
    options = _parse()
    hospital = _hospital(options.patients, options.lang, options.seed)
    if options.only in ("", "linkage"):
        print(linkage_table(hospital))
    if options.only in ("", "parrot"):
        shadow = _hospital(options.patients, options.lang, options.seed + SHADOW_SEED)
        print(parrot_table(hospital, shadow, options.missed))
    if options.only in ("", "spans"):
        print(spans_table(hospital, options.missed))


# Linkage -----------------------------------------------------------------------------------------


def linkage_table(hospital: Hospital) -> str:
    """Link two cohorts, and one with itself, field by field."""
    notes = list(hospital.notes())
    asthma, cancer = (
        collect_release_evidence(hospital, notes, cohort) for cohort in ("asthma", "cancer")
    )
    again = collect_release_evidence(hospital, notes, "asthma")
    lines = [
        "| evidence | linked, two keys | 95 % | chance | p | linked, one key |",
        "| --- | ---: | --- | ---: | ---: | ---: |",
    ]
    for field in asthma:
        two, one = (
            link_patients(asthma[field], cancer[field]),
            link_patients(asthma[field], again[field]),
        )
        lines.append(_linked(field, two, one))
    return "\n".join(lines) + "\n"


def collect_release_evidence(
    hospital: Hospital, notes: Sequence[FictionalNote], cohort: str
) -> Mapping[str, Sequence[Evidence]]:
    """Release notes, visits and births under the key of a cohort; give what each patient shows."""
    key, policy = MASTER.cohort(cohort), Policy(locale=hospital.lang)
    columns, rewriter = Columns(key, policy), Rewriter(key, policy)
    released = defaultdict(list)
    for note in notes:
        released[note.person_id].append(_rewritten(note, note.annotated.spans, rewriter, hospital))
    people = sorted(hospital.patients)
    visits = pa.table(
        {
            "visit_occurrence_id": [visit.visit_id for visit in hospital.visits],
            "person_id": [visit.person_id for visit in hospital.visits],
            "visit_start_date": [visit.start.date() for visit in hospital.visits],
        }
    )
    ids: dict[int, set[str]] = defaultdict(set)
    days: dict[int, set[int]] = defaultdict(set)
    rows = columns.treat("visit_occurrence", visits).rows.to_pylist()
    for visit, row in zip(hospital.visits, rows, strict=True):
        ids[visit.person_id] |= {str(row["person_id"]), str(row["visit_occurrence_id"])}
        days[visit.person_id].add(row["visit_start_date"].toordinal())
    births = {p: _born(hospital, columns, p) for p in people}
    found = {
        f: [collect_evidence(released[p], f) for p in people] for f in (*FIELDS, "partial dates")
    }
    for field, more in (("ids", ids), ("dates", {p: set(map(str, days[p])) for p in people})):
        found[field] = [e | more[p] for e, p in zip(found[field], people, strict=True)]
    of_fields = [found[field] for field in FIELDS]
    together = [frozenset[str]().union(*of_one) for of_one in zip(*of_fields, strict=True)]
    partial = found.pop("partial dates")
    return found | {
        "all combined": together,
        "partial dates in notes": partial,
        "approximate birth date": [nearby_values(births[p] // 365, 2) for p in people],
        "intervals between dates": [date_intervals({*days[p], births[p]}) for p in people],
    }


def _born(hospital: Hospital, columns: Columns, person: int) -> int:
    born = hospital.patients[person].birth_date
    return columns.shift_date(str(person), born).toordinal() if born else 0


def _linked(field: str, two: Linkage, one: Linkage) -> str:
    return (
        f"| {field} | {two.hits} of {two.patients} | {two.low:.1%} to {two.high:.1%} | "
        f"{two.chance:.1%} | {two.p_value:.2g} | {one.hits} of {one.patients} |"
    )


# A search for what was missed --------------------------------------------------------------------


def parrot_table(hospital: Hospital, shadow: Hospital, missed: float) -> str:
    """Let both attackers loose on releases with nothing missed, and with planted misses."""
    lines = [
        "| release | attacker | identifiers | originals | suspected | hits | recall, 95 % | "
        "chance | p | AUC |",
        "| --- | --- | ---: | ---: | ---: | ---: | --- | ---: | ---: | ---: |",
    ]
    for name, found in attack_releases(hospital, shadow, missed):
        for attacker, attack in found.items():
            lines.append(_attacked(name, attacker, attack))
    return "\n".join(lines) + "\n"


def attack_releases(
    hospital: Hospital, shadow: Hospital, missed: float
) -> Iterator[tuple[str, dict[str, ParrotAttack]]]:
    """Attack a complete release, releases with misses of two kinds, and one without surrogates.

    Where nothing was missed, a hit is a suspect that reads like something that the patient's own
    notes held before, and beside it like something that another patient's did.
    """
    plain, masked = Policy(locale=hospital.lang), _masked(hospital.lang)
    trained = plant(shadow, missed, plant_at_random, plain)
    complete = plant(hospital, missed, plant_nothing, plain)
    budget = round(missed * len(complete.is_leak))
    yield OWN, _attack(trained, complete, complete.recurs, budget)
    yield STRANGE, _attack(trained, complete, complete.strange, budget)
    target = plant(hospital, missed, plant_at_random, plain)
    yield "missed at random", _attack(trained, target, target.is_leak)
    for name, choose, policy in (
        ("missed where unexpected", plant_where_unexpected, plain),
        ("missed at random, others masked", plant_at_random, masked),
    ):
        trained = plant(shadow, missed, choose, policy)
        target = plant(hospital, missed, choose, policy)
        yield name, _attack(trained, target, target.is_leak)


def _attack(
    trained: Planted, target: Planted, truth: Flags, budget: int | None = None
) -> dict[str, ParrotAttack]:
    attacker = Shadow()
    attacker.learn(trained.notes, suspect_by_halves(trained.notes), trained.is_leak)
    suspicion = suspect_by_halves(target.notes)
    return {
        "parrot": score_suspicion(suspicion, truth, budget=budget),
        "shadow": score_suspicion(attacker.suspect(target.notes, suspicion), truth, budget=budget),
    }


def spans_table(hospital: Hospital, missed: float) -> str:
    """Search a release with planted misses, with and without the table of its spans.

    The attacker marks what the rules of this program find. With spans, what is marked and is no
    surrogate was missed. Without, they suspect as many of the marked that a reader of the other
    half of the release expects least (the parrot attack).
    """
    planted = plant(hospital, missed, plant_at_random, Policy(locale=hospital.lang))
    leaks = iter(planted.is_leak.tolist())
    marked, is_leak, is_told = [], [], []
    for note in planted.notes:
        left = [span for span in note.spans if next(leaks)]
        told = [span for span in note.spans if span not in left]
        found = _without_ages(annotate_note(note.document, None, KnownPatients()))
        marked.append(found)
        is_leak += [any(span.overlaps(each) for each in left) for span in found.spans]
        is_told += [any(span.overlaps(each) for each in told) for span in found.spans]
    truth, suspects = np.array(is_leak, np.bool_), ~np.array(is_told, np.bool_)
    budget = int(suspects.sum())
    suspicion = suspect_by_halves(marked)
    attacks = {
        "with spans": score_suspicion(suspects.astype(np.float64), truth, budget=budget),
        "without spans, as many suspects": score_suspicion(suspicion, truth, budget=budget),
    }
    lines = [
        "| release | originals left | marked | of them originals | suspects | hits | chance | p |",
        "| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |",
    ]
    for name, attack in attacks.items():
        lines.append(
            f"| {name} | {int(planted.is_leak.sum())} | {attack.identifiers} | {attack.leaks} | "
            f"{attack.budget} | {attack.hits} | {attack.chance:.1%} | {attack.p_value:.2g} |"
        )
    return "\n".join(lines) + "\n"


def plant(hospital: Hospital, share: float, choose: Chosen, policy: Policy) -> Planted:
    """Release a hospital with a share of its identifiers left as they were."""
    notes = list(hospital.notes())
    left = choose(notes, share, 1)
    # Text between spans stays as it is, so that what is left can be placed by lengths.
    rewriter = Rewriter(MASTER.cohort("asthma"), replace(policy, times="exact"))
    before: dict[int, set[str]] = defaultdict(set)
    for note in notes:
        text = note.annotated.document.text
        before[note.person_id] |= {_value(text, span) for span in note.annotated.spans}
    people = sorted(before)
    another = dict(zip(people, [*people[1:], people[0]], strict=True))
    released, is_leak, values = [], [], []
    for note in notes:
        spans = note.annotated.spans
        kept = [(note.note_id, span.start) not in left for span in spans]
        made = _rewritten(
            note, [s for s, k in zip(spans, kept, strict=True) if k], rewriter, hospital
        )
        made = replace(made, spans=_placed(spans, kept, made.spans))
        marked = [(span, k) for span, k in zip(made.spans, kept, strict=True) if _counts(span)]
        released.append(_without_ages(made))
        is_leak += [not k for _, k in marked]
        values += [(note.person_id, _value(made.document.text, span)) for span, _ in marked]
    recurs = [value in before[person] for person, value in values]
    strange = [value in before[another[person]] for person, value in values]
    return Planted(released, *(np.array(found, np.bool_) for found in (is_leak, recurs, strange)))


def plant_nothing(
    _notes: Sequence[FictionalNote], _share: float, _seed: int
) -> set[tuple[int, int]]:
    """Leave nothing."""
    return set()


def plant_at_random(
    notes: Sequence[FictionalNote], share: float, seed: int
) -> set[tuple[int, int]]:
    """Leave identifiers wherever they stand."""
    places = _places(notes)
    chance = np.random.default_rng(seed)
    chosen = chance.choice(len(places), round(share * len(places)), replace=False)
    return {places[number] for number in chosen}


def plant_where_unexpected(
    notes: Sequence[FictionalNote], share: float, _seed: int
) -> set[tuple[int, int]]:
    """Leave identifiers where a reader of the other half of the notes expects them least.

    So do detectors that learned from notes: what they miss stands where such things seldom do.
    """
    marked = [_without_ages(note.annotated) for note in notes]
    suspicion = suspect_by_halves(marked)
    places = _places(notes)
    order = np.argsort(-suspicion, kind="stable")
    return {places[number] for number in order[: round(share * len(places))]}


def _without_ages(note: Annotated) -> Annotated:
    return replace(note, spans=tuple(span for span in note.spans if _counts(span)))


def _places(notes: Sequence[FictionalNote]) -> list[tuple[int, int]]:
    return [
        (note.note_id, span.start)
        for note in notes
        for span in note.annotated.spans
        if _counts(span)
    ]


def _counts(span: Span) -> bool:
    # Ages are left as they are below the cap.
    return span.label != Label.AGE


def _value(text: str, span: Span) -> str:
    return " ".join(fold_words(text[span.start : span.end]))


def _rewritten(
    note: FictionalNote, spans: Sequence[Span], rewriter: Rewriter, hospital: Hospital
) -> Annotated:
    document = note.annotated.document
    made = rewriter.rewrite(document, spans, hospital.patients[note.person_id])
    return Annotated(replace(document, text=made.text), made.spans)


def _placed(
    spans: Sequence[Span], kept: Sequence[bool], surrogates: Sequence[Span]
) -> tuple[Span, ...]:
    """Put the identifiers that were left back among the surrogates, where they stand now."""
    rest, moved, placed = iter(surrogates), 0, []
    for span, is_kept in zip(spans, kept, strict=True):
        if is_kept:
            placed.append(next(rest))
            moved = placed[-1].end - span.end
        else:
            placed.append(replace(span, start=span.start + moved, end=span.end + moved))
    return tuple(placed)


def _masked(lang: str) -> Policy:
    return Policy(actions={label.value: Action.MASK for label in Label}, locale=lang)


def _attacked(name: str, attacker: str, found: ParrotAttack) -> str:
    recall = f"{found.recall:.0%}, {found.low:.0%} to {found.high:.0%}" if found.leaks else "-"
    return (
        f"| {name} | {attacker} | {found.identifiers} | {found.leaks} | {found.budget} | "
        f"{found.hits} | {recall} | {found.chance:.1%} | {found.p_value:.2g} | {found.auc:.2f} |"
    )


def _hospital(patients: int, lang: str, seed: int) -> Hospital:
    return make_hospital(
        patients,
        seed=seed,
        lang=lang,
        notes_per_patient=NOTES_PER_PATIENT,
        mean_characters=CHARACTERS,
        pdf_share=0,
        scan_share=0,
    )


def _parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--patients", type=int, default=500)
    parser.add_argument("--lang", choices=LANGUAGES, default="fr")
    parser.add_argument(
        "--missed", type=float, default=0.01, help="share of identifiers that are missed"
    )
    parser.add_argument("--seed", type=int, default=3)
    parser.add_argument("--only", choices=("", "linkage", "parrot", "spans"), default="")
    return parser.parse_args()


if __name__ == "__main__":
    main()
