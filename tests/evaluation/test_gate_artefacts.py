"""Six made corpora, measured and judged by the requirements that are shipped: two may leave."""

import tomllib
from collections.abc import Sequence
from importlib.resources import files
from random import Random
from typing import Any

import numpy as np
import pytest

from evaluation.attacks.copying import (
    RealNotes,
    attack_membership,
    measure_nearness,
)
from evaluation.attacks.passages import PassageNotes, measure_passages
from evaluation.attacks.proximity import WordCorpus
from evaluation.attacks.request_linkage import RequestCandidates, attack_requests
from evaluation.gate import Axis, Decision, Measured, Verdict, decide, read_requirements
from evaluation.utility.tagger_utility import REAL, SYNTHETIC, Utility
from record.document import Annotated, Document
from synthesis.corpus_statistics import distance
from synthesis.note_requests import Request
from synthesis.tag_repair import parse_tags

REQUIREMENTS = read_requirements(
    tomllib.loads(files("evaluation").joinpath("requirements/synthetic.toml").read_text("utf-8")),
    where="synthetic",
)
ASKED = {"NAME": 60, "DATE": 30, "CITY": 10}
GOOD, POOR = (90.0, 8.0, 9.0), (50.0, 40.0, 49.0)


def note(chance: Random, length: int = 24) -> list[str]:
    return [f"w{chance.randint(1, 60)}" for _ in range(length)]


def written(words: Sequence[str]) -> Annotated:
    """A note of words without digits, of which all are one to the search for passages."""
    text = " ".join(words).translate({48 + digit: 97 + digit for digit in range(10)})
    return Annotated(Document("", text), ())


@pytest.fixture(scope="module")
def real() -> RealNotes:
    chance = Random(3)
    patients = [f"p{number // 2}" for number in range(300)]
    return RealNotes([note(chance) for _ in patients], patients, [note(chance) for _ in range(150)])


@pytest.fixture(scope="module")
def corpus(real: RealNotes) -> WordCorpus:
    return WordCorpus(real.trained)


def new(count: int, seed: int = 8) -> list[Any]:
    chance = Random(seed)
    return [note(chance) for _ in range(count)]


def pieced(real: RealNotes, count: int) -> list[list[str]]:
    """Notes put together of runs of six words of real ones: none is long enough to be a copy."""
    chance = Random(5)
    made = []
    for _ in range(count):
        sources = chance.sample(list(real.trained), 4)
        starts = [chance.randrange(len(source) - 6) for source in sources]
        made.append([w for s, at in zip(sources, starts, strict=True) for w in s[at : at + 6]])
    return made


def tagged(labels: dict[str, int], broken: int = 0) -> list[Any]:
    """Notes as a model writes them, an entity each; some lack the tag that ends it."""
    marked = [f"a <{name}_START>b<{name}_END>" for name, n in labels.items() for _ in range(n)]
    return [each if number >= broken else each[:-6] for number, each in enumerate(marked)]


def requests(count: int, seed: int) -> list[Request]:
    """What is seen of notes from outside."""
    chance = Random(seed)
    return [
        Request("letter", {name: chance.randint(0, 6) for name in "ABCDEF"}, "", 200)
        for _ in range(count)
    ]


def judged(
    real: RealNotes,
    corpus: WordCorpus,
    made: Sequence[Sequence[str]],
    *,
    marked: list[str] | None = None,
    learnt: tuple[float, float, float] = GOOD,
    asked: list[Request] | None = None,
) -> Decision:
    """Measure a made corpus on all axes, and decide."""
    read = [parse_tags(each) for each in marked or tagged(ASKED)]
    spans = [span.label for each in read for span in each.spans]
    kept = len(spans) / sum(each.started for each in read)
    apart = distance(ASKED, {label: spans.count(label) for label in set(spans)})
    rows = {setting: np.array([[score], [score]]) for setting, score in
            ((REAL, GOOD), (SYNTHETIC, learnt))}  # fmt: skip
    others = [f"other {number}" for number in range(len(real.held_out))]
    notes = [written(words) for words in (*real.trained, *real.held_out)]
    whose = PassageNotes(notes, [*real.patients, *others])
    measured = [
        *measure_nearness(made, real, corpus, "d").measured,
        measure_passages([written(words) for words in made], whose, len(real.trained), "d"),
        Measured("dropped-share", Axis.RESEMBLANCE, 0.1, 0.1, 0.1, "d"),
        Measured("disagreement-share", Axis.DETECTION, 0.1, 0.1, 0.1, "d"),
        Measured("review-breaches", Axis.PRIVACY, 0, 0, 0, "d", null=0.0, control=1.0),
        attack_membership(made, real, "d").measured,
        attack_requests(asked or requests(400, 1), _seen(real), "d"),
        Measured("well-formed-share", Axis.DETECTION, kept, kept, kept, "d"),
        Measured("tag-distance", Axis.RESEMBLANCE, apart, apart, apart, "d"),
        Utility(rows).measured("d"),
        *(
            Measured(name, axis, value, value, value, "d", null=0.0)
            for name, axis, value in (
                ("non-words", Axis.RESEMBLANCE, 0.0),
                ("distinct-4-grams", Axis.RESEMBLANCE, 1.0),
                ("well-formed-identifiers", Axis.DETECTION, 1.0),
                ("self-contradictions", Axis.RESEMBLANCE, 0.0),
                ("refused-share", Axis.RESEMBLANCE, 0.0),
            )
        ),
    ]
    return decide(measured, REQUIREMENTS)


def _seen(real: RealNotes) -> RequestCandidates:
    others = [f"other {number}" for number in range(len(real.held_out))]
    held_out, learnt = (requests(len(notes), 20 + len(notes)) for notes in (others, real.trained))
    return RequestCandidates(held_out, others, learnt, real.patients)


def test_what_is_new_and_as_asked_may_leave(real: RealNotes, corpus: WordCorpus) -> None:
    assert judged(real, corpus, new(400)).reasons == ()
    almost = tagged({"NAME": 61, "DATE": 29, "CITY": 10})
    found = judged(real, corpus, new(400, seed=9), marked=almost)
    assert (found.verdict, found.reasons) == (Verdict.RELEASE, ())


def names_of(decision: Decision) -> set[Any]:
    assert decision.verdict is Verdict.HOLD
    return {reason.partition(":")[0] for reason in decision.reasons}


def test_copies_are_held(real: RealNotes, corpus: WordCorpus) -> None:
    found = judged(real, corpus, [*new(390), *real.trained[:10]])
    assert names_of(found) == {"copied-passages"}


def test_notes_asked_for_like_single_ones_are_held(real: RealNotes, corpus: WordCorpus) -> None:
    asked = list(_seen(real).held_out)
    assert names_of(judged(real, corpus, new(400), asked=asked)) == {"request-linkage"}


def test_notes_pieced_together_of_real_ones_are_held(real: RealNotes, corpus: WordCorpus) -> None:
    found = names_of(judged(real, corpus, pieced(real, 400)))
    assert found >= {"nearest-rouge-3", "nearest-rouge-5", "membership-auc"}


def test_broken_tags_are_held(real: RealNotes, corpus: WordCorpus) -> None:
    found = judged(real, corpus, new(400), marked=tagged(ASKED, broken=3))
    assert names_of(found) == {"well-formed-share"}


def test_notes_that_teach_nothing_are_held(real: RealNotes, corpus: WordCorpus) -> None:
    assert names_of(judged(real, corpus, new(400), learnt=POOR)) == {"utility-of-real"}
