"""Requests follow the marginals of held-out notes, and never the combination that one note has."""

import hashlib
import json
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from random import Random

from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chisquare

from record.document import Annotated, Document
from synthesis.corpus_splitting import split_notes
from synthesis.generation import GenerationPlan
from synthesis.note_requests import (
    FINE_EDGES,
    MAX_COUNT,
    SHARED,
    WORDS_PER_ENTITY,
    Request,
    RequestMarginals,
    class_of,
    entity_count,
    microaggregate,
)
from synthesis.prepared_corpus import digest, load_corpus, load_requests, save_corpus
from tests.synthesis.letters import letters

LABELS = ("AGE", "CITY", "DATE", "ID", "NAME", "PHONE", "STREET", "ZIP")
Notes = list[tuple[Request, str]]


def notes(count: int, *, seed: int = 1, patients: int = 40) -> Notes:
    """Long notes of two kinds, most with a combination of numbers of entities that no other has."""
    rng = Random(seed)
    return [
        (
            Request(
                rng.choice(("letter", "letter", "report")),
                {label: rng.randint(0, 9) for label in LABELS},
                rng.choice(("Dear colleague", "Seen today", f"Mr {number}")),
                rng.randint(400, 2000),
            ),
            f"p{number % patients}",
        )
        for number in range(count)
    ]


def drawn(some: Notes, count: int = 2000) -> list[Request]:
    marginals = RequestMarginals(some)
    return [marginals.draw(Random(f"1/{place}")) for place in range(count)]


def fingerprint(request: Request) -> tuple[str, tuple[tuple[str, int], ...]]:
    return request.kind, tuple(sorted((k, v) for k, v in request.counts.items() if v))


@st.composite
def held_out(draw: st.DrawFn) -> Notes:
    one = st.builds(
        Request,
        st.sampled_from(["", "letter", "report"]),
        st.fixed_dictionaries({"NAME": st.integers(0, 30), "DATE": st.integers(0, 5)}),
        st.sampled_from(["", "Dear", "Seen by", "Mr"]),
        st.integers(0, 9000),
    )
    return draw(st.lists(st.tuples(one, st.sampled_from("abcdefgh")), min_size=1, max_size=40))


def reordered(some: Notes, rng: Random) -> Notes:
    """The same marginals of each kind, in other notes: lengths and numbers change places."""
    found: Notes = []
    for kind in {request.kind for request, _ in some}:
        of_kind = [each for each in some if each[0].kind == kind]
        words = [request.words for request, _ in of_kind]
        names, dates = ([request.counts[it] for request, _ in of_kind] for it in ("NAME", "DATE"))
        for column in (words, names, dates):
            rng.shuffle(column)
        found += [
            (replace(request, words=length, counts={"NAME": name, "DATE": day}), patient)
            for (request, patient), length, name, day in zip(
                of_kind, words, names, dates, strict=True
            )
        ]
    rng.shuffle(found)
    return found


@given(held_out(), st.integers(0, 99))
def test_requests_do_not_depend_on_what_goes_together_in_a_note(some: Notes, seed: int) -> None:
    some = [(request, f"p{number}") for number, (request, _) in enumerate(some)]
    assert drawn(some, 20) == drawn(reordered(some, Random(seed)), 20)


def test_no_request_is_like_a_note() -> None:
    some = notes(200)
    of_notes = {fingerprint(request) for request, _ in some}
    assert len(of_notes) == 200
    assert not of_notes & {fingerprint(request) for request in drawn(some)}


def test_requests_have_the_marginals_of_the_notes() -> None:
    some = notes(4000, patients=2000)
    found = drawn(some, 6000)
    old = [request for request, _ in some]
    agrees(old, found, lambda request: request.kind)
    for kind in ("letter", "report"):
        ours, theirs = ([each for each in those if each.kind == kind] for those in (old, found))
        for label in LABELS:
            agrees(ours, theirs, partial(_number_of, label))
        agrees(ours, theirs, lambda request: str(class_of(request.words, FINE_EDGES)))
        agrees(ours, theirs, _common_opening)


def _number_of(label: str, request: Request) -> str:
    return str(request.counts[label])


def _common_opening(request: Request) -> str:
    return "" if request.opening.startswith("Mr") else request.opening


def agrees(
    notes: Sequence[Request], found: Sequence[Request], of: Callable[[Request], str]
) -> None:
    """A chi-square test of what was drawn against what the notes have finds nothing."""
    expected, counts = Counter(map(of, notes)), Counter(map(of, found))
    assert counts.keys() <= expected.keys()
    names = sorted(expected)
    scale = len(found) / len(notes)
    test = chisquare([counts[name] for name in names], [scale * expected[name] for name in names])
    assert len(names) > 1
    assert test.pvalue > 1e-3


@given(held_out())
def test_a_request_has_room_for_its_entities_and_common_words_alone(some: Notes) -> None:
    patients = {
        opening: {patient for request, patient in some if request.opening == opening}
        for opening in ("Dear", "Seen by", "Mr")
    }
    shared = {opening for opening, those in patients.items() if len(those) >= SHARED}
    for request in drawn(some, 20):
        assert request.opening in shared | {""}
        assert max(request.counts.values(), default=0) <= MAX_COUNT
        if request.words:
            assert entity_count(request) <= request.words / WORDS_PER_ENTITY + 1


@given(st.lists(st.tuples(st.integers(0, 20), st.sampled_from("abcdefghijkl")), max_size=60))
def test_groups_of_values_keep_number_and_mean(held: list[tuple[int, str]]) -> None:
    weights = microaggregate(held, 21)
    assert sum(weights) == len(held)
    total = sum(value * weight for value, weight in enumerate(weights))
    assert total == sum(value for value, _ in held)
    assert min(weights) >= 0
    if len(held) > len({patient for _, patient in held}):
        return
    # Of patients with a note each, no value is nearer to an end than a group's mean.
    ordered = sorted(value for value, _ in held)
    if len(ordered) >= SHARED:
        seen = [value for value, weight in enumerate(weights) if weight]
        assert seen[0] == sum(ordered[:SHARED]) // SHARED or len(ordered) < 2 * SHARED
        assert seen[-1] <= -(-sum(ordered[-SHARED:]) // SHARED)


def test_a_number_that_one_note_has_is_not_asked_for() -> None:
    some = [(Request("", {"NAME": number % 2}, "", 100), f"p{number}") for number in range(50)]
    some.append((Request("", {"NAME": 19}, "", 5000), "q"))
    found = drawn(some)
    assert max(request.counts["NAME"] for request in found) < 10
    assert max(request.words for request in found) < 1000


def test_many_notes_of_few_patients_have_no_first_words_and_no_kind_of_their_own() -> None:
    few = [(Request("rare", {"NAME": 9}, "Of him", 900), f"p{n % (SHARED - 1)}") for n in range(60)]
    many = [(Request("letter", {"NAME": 1}, "Dear", 100), f"q{number}") for number in range(60)]
    found = [request for request in drawn([*few, *many]) if request.kind == "rare"]
    assert 800 < len(found) < 1200
    assert {request.opening for request in found} == {"", "Dear"}
    assert 1 in {request.counts["NAME"] for request in found}  # of all notes
    nobodys = [(request, "") for request, _ in many]
    assert {request.opening for request in drawn(nobodys)} == {""}
    assert "Dear" not in repr(RequestMarginals(many))


def test_a_request_depends_on_seed_and_place_alone(tmp_path: Path) -> None:
    save_corpus(split_notes(letters(90), seed=1), tmp_path / "c", {})
    plans = [GenerationPlan(50, 7, load_requests(tmp_path / "c")) for _ in range(2)]
    forth = [plans[0].request(place) for place in range(50)]
    back = [plans[1].request(place) for place in reversed(range(50))]
    assert forth == back[::-1]
    other = GenerationPlan(50, 8, load_requests(tmp_path / "c"))
    assert forth != [other.request(place) for place in range(50)]


def test_a_corpus_of_an_earlier_version_gives_marginals_too(tmp_path: Path) -> None:
    some = [
        Annotated(Document(str(number), f"Seen today with {number} coughs", f"p{number}"), ())
        for number in range(60)
    ]
    place = tmp_path / "c"
    save_corpus(split_notes(some, seed=1), place, {})
    assert {request.opening for request in plan_of(place)} == {"Seen today with"}
    assert {request.words for request in plan_of(place)} <= {4, 5, 6}
    lines = [json.loads(line) for line in (place / "requests.jsonl").read_text().splitlines()]
    for line in lines:
        del line["words"]
    content = "".join(json.dumps(line) + "\n" for line in lines)
    (place / "requests.jsonl").write_text(content)
    manifest = json.loads((place / "prepared.json").read_text())
    manifest["sha256"]["requests.jsonl"] = digest_of(content)
    (place / "prepared.json").write_text(json.dumps(manifest))
    assert digest(place)
    assert {request.words for request in plan_of(place)} == {0}
    assert {request.opening for request in plan_of(place)} == {"Seen today with"}


def plan_of(corpus: Path) -> list[Request]:
    plan = GenerationPlan(30, 1, load_corpus(corpus).requests)
    return [plan.request(place) for place in range(30)]


def digest_of(content: str) -> str:
    return hashlib.sha256(content.encode()).hexdigest()
