"""Entity linking of persons in fictional files: B-cubed precision, recall and F1 by language.

    python -m benchmarks.night.linking [--patients 60] [--seed 11] [--misspelt 0.05]
        [--repeat 1 0.9 0.5]

The hospital knows whom each name, mail address and account means. A mention's true cluster is
that person within the patient's file, its predicted cluster the entity that
`surrogates.patient.person_linking` gives it, note by note. `--misspelt` makes one
mistake in this share of the names of five letters and more. A second table shows what
`repeat_third_parties` costs: mentions are then the family names of everybody but the patient, the
true cluster a person's name, the predicted one the surrogate that the engine
writes with each chance of `--repeat`. Prints Markdown.
"""

import argparse
from collections.abc import Iterator
from dataclasses import dataclass, replace
from random import Random

from evaluation.detection.alignment import BCubed, b_cubed
from record.document import Document
from record.folding import fold
from record.policy import Policy
from record.span import Span
from surrogates.keys.keys import MasterKey
from surrogates.patient.known_people import PATIENT, KnownPeople
from surrogates.patient.person_linking import link_persons
from surrogates.rewrite import Rewriter
from synthesis.fictional.hospital import make_hospital
from synthesis.fictional.people.records import FictionalNote, Hospital

LANGUAGES = ("fr", "en", "es")
_NAMES = ("FIRST_NAME", "LAST_NAME")
_SHORTEST = 5
_LETTERS = "abcdefghijklmnopqrstuvwxyz"


@dataclass(frozen=True, slots=True)
class Mentions:
    """The true and the predicted cluster of each mention of a person."""

    truth: tuple[tuple[int, str], ...]
    predicted: tuple[tuple[int, str], ...]

    def score(self) -> BCubed:
        return b_cubed(self.truth, self.predicted)


def main() -> None:
    options = _parse()
    print("| names | language | files | mentions | persons | precision | recall | F1 |")
    print("| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: |")
    for share in dict.fromkeys((0.0, options.misspelt)):
        for lang in LANGUAGES:
            hospital = make_hospital(options.patients, seed=options.seed, lang=lang)
            found = link_mentions(hospital, misspelt=share, seed=options.seed)
            result = found.score()
            how = f"{share:.0%} misspelt" if share else "unchanged"
            print(
                f"| {how} | {lang} | {options.patients} | {result.mentions} |"
                f" {len(set(found.truth))} | {result.precision:.4f} | {result.recall:.4f} |"
                f" {result.f1:.4f} |"
            )
    print("\n| repeat_third_parties | language | mentions | precision | recall | F1 |")
    print("| ---: | --- | ---: | ---: | ---: | ---: |")
    for repeat in options.repeat:
        for lang in LANGUAGES:
            hospital = make_hospital(options.patients, seed=options.seed, lang=lang)
            result = cluster_by_surrogate(hospital, repeat).score()
            print(
                f"| {repeat:g} | {lang} | {result.mentions} | {result.precision:.4f} |"
                f" {result.recall:.4f} | {result.f1:.4f} |"
            )


def cluster_by_surrogate(hospital: Hospital, repeat: float) -> Mentions:
    """Cluster the family names of third parties by the surrogates they are given."""
    cohort = MasterKey(bytes(32)).cohort("linking")
    rewriter = Rewriter(cohort, Policy(locale=hospital.lang, repeat_third_parties=repeat))
    truth: list[tuple[int, str]] = []
    predicted: list[tuple[int, str]] = []
    for note in hospital.notes():
        spans, record = note.annotated.spans, hospital.patients[note.person_id]
        document = note.annotated.document
        release = rewriter.rewrite(document, spans, record)
        for who, old, new in zip(note.who, spans, release.spans, strict=True):
            if who not in ("", PATIENT) and old.label == "LAST_NAME":
                truth.append((note.person_id, f"{who}/{_plain(document.text, old)}"))
                predicted.append((note.person_id, _plain(release.text, new)))
    return Mentions(tuple(truth), tuple(predicted))


def _plain(text: str, span: Span) -> str:
    return fold(text[span.start : span.end]).replace("-", " ")


def link_mentions(hospital: Hospital, *, misspelt: float = 0.0, seed: int = 0) -> Mentions:
    """Link every note of a hospital by itself."""
    known_people = {
        person: KnownPeople(record, hospital.lang) for person, record in hospital.patients.items()
    }
    truth: list[tuple[int, str]] = []
    predicted: list[tuple[int, str]] = []
    for note in hospital.notes():
        document, spans = misspell(note, misspelt, Random(f"{seed}/{note.note_id}"))
        linked = link_persons(document, spans, known_people[note.person_id])
        for who, entity in zip(note.who, linked.entities, strict=True):
            if who:
                truth.append((note.person_id, who))
                predicted.append((note.person_id, entity))
    return Mentions(tuple(truth), tuple(predicted))


def misspell(note: FictionalNote, share: float, rng: Random) -> tuple[Document, tuple[Span, ...]]:
    """Make one mistake in a share of a note's names; the spans follow."""
    document = note.annotated.document
    pieces: list[str] = []
    spans: list[Span] = []
    end = length = 0
    for span in note.annotated.spans:
        value = document.text[span.start : span.end]
        if span.label in _NAMES and len(value) >= _SHORTEST and rng.random() < share:
            value = next(_mistakes(value, rng), value)
        between = document.text[end : span.start]
        pieces += (between, value)
        start = length + len(between)
        length = start + len(value)
        spans.append(replace(span, start=start, end=length))
        end = span.end
    return replace(document, text="".join((*pieces, document.text[end:]))), tuple(spans)


def _mistakes(name: str, rng: Random) -> Iterator[str]:
    """Yield names with one letter wrong, missing, twice or exchanged; never the first one."""
    for _ in range(20):
        at = rng.randrange(1, len(name) - 1)
        around = name[at : at + 2]
        if not around.isalpha():
            continue
        letter = rng.choice(_LETTERS)
        letter = letter.upper() if around.isupper() else letter
        made = {
            "wrong": letter + around[1],
            "missing": around[1],
            "twice": around[0] + around,
            "exchanged": around[::-1],
        }[rng.choice(("wrong", "missing", "twice", "exchanged"))]
        wrong = name[:at] + made + name[at + 2 :]
        if wrong.lower() != name.lower():
            yield wrong


def _parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Measure entity linking of persons.")
    parser.add_argument("--patients", type=int, default=60)
    parser.add_argument("--seed", type=int, default=11)
    parser.add_argument("--misspelt", type=float, default=0.05)
    parser.add_argument("--repeat", type=float, nargs="*", default=[1.0, 0.9, 0.5])
    return parser.parse_args()


if __name__ == "__main__":
    main()
