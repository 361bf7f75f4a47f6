"""What comes back of identifiers: planted ones to the number, copies all, shuffles by chance."""

from random import Random
from typing import Any

import pytest

from evaluation.attacks.reidentification import (
    PAIRS,
    RemadeLetter,
    ReplacedIdentifier,
    fold_value,
    measure_kept_identifiers,
    measure_reidentification,
    measure_source_linkage,
    select_direct,
)
from evaluation.detection.alignment import Pair
from evaluation.detection.scores import measure_masker
from evaluation.gate import Axis
from record.span import Span


def pieces(value: Any) -> list[Any]:
    """Pairs of letters: a vocabulary that anybody can check."""
    return [sum(value[at : at + 2].encode()) for at in range(0, len(value), 2)]


PLANTED = [
    # person, label, original, what stands for it
    ("a", "NAME", "Ana María Ruiz", "ANA MARIA RUIZ"),  # the same but for case and accents
    ("a", "NAME", "Luis Gómez", "Luis Gómez"),  # two words: too few to count as a name
    ("b", "NAME", "Juan José Prado", "Eva Sol Prados"),  # shares five letters and a blank
    ("b", "DATE", "12/03/2021", "14.03.2021"),  # shares 03 2021
    ("c", "DATE", "1 de mayo", "9 de junio"),  # shares _de_
    ("c", "CITY", "Lugo", "Bilbao"),  # shares nothing
]


def measured(rows: list[tuple[str, str, str, str]], **more: Any) -> dict[Any, Any]:
    replaced = [ReplacedIdentifier(label, one, other, person) for person, label, one, other in rows]
    return {
        each.name: each for each in measure_reidentification(replaced, pieces, "fiction", **more)
    }


def test_a_planted_letter_gives_exact_rates() -> None:
    found = measured(PLANTED)
    # Four have more than two words (a date is three numbers), of which one came back.
    assert found["reproduced-words"].value == 1 / 4
    assert found["reproduced-words"].detail["identifiers"] == 4
    # Lugo alone has no more than two pairs of letters; both that came back count.
    assert found["reproduced-pieces"].value == 2 / 5
    assert found["shared-3-characters"].value == 5 / 6
    assert found["shared-5-characters"].value == 4 / 6
    assert found["shared-7-characters"].value == 3 / 6
    for each in found.values():
        assert each.axis is Axis.PRIVACY
        assert each.low <= each.value <= each.high


def test_direct_identifiers_are_measured_apart() -> None:
    replaced = [
        ReplacedIdentifier(label, one, other, person) for person, label, one, other in PLANTED
    ]
    found = measure_reidentification(select_direct(replaced), pieces, "fiction", prefix="direct-")
    assert {each.detail["identifiers"] for each in found[2:]} == {3}, "the names alone"
    assert found[0].name == "direct-reproduced-words"
    assert found[0].value == 1 / 2


def test_the_base_rate_is_that_of_others_of_the_label() -> None:
    # Of 12/03/2021 and 1 de mayo neither runs of three nor more are alike; nor of other persons'
    # names, but for the blank of ` jo`, and `a ma` which only Ana has. Lugo has no other city.
    found = measured(PLANTED)
    assert found["reproduced-words"].null == 0
    rows = [*PLANTED, ("d", "DATE", "22/03/2021", "x"), ("e", "CITY", "Lugo", "x")]
    found = measured(rows)
    # 12/03/2021 and 22/03/2021 share ` 03 2021`; each has one such other of two.
    by_hand = [0, 0, 0, 1 / 2, 0, 1, 1 / 2, 1]
    assert found["shared-5-characters"].null == pytest.approx(
        sum(each for each in by_hand if each != 1) / 8
    ), "Lugo has four letters"
    assert found["shared-3-characters"].null >= 3 / 8
    assert found["reproduced-pieces"].null == 0


def test_copies_are_all_seen_and_shuffles_are_chance() -> None:
    chance = Random(5)
    parts = ["de la Torre", "del Río", "van Dam", "Ruiz Soto", "Mora Gil"]
    originals = [f"{chance.choice('ABCDEFG')}na {chance.choice(parts)}" for _ in range(150)]

    def found(replacements: list[str]) -> Any:
        pairs = zip(originals, replacements, strict=True)
        return measured([(f"p{n % 50}", "NAME", *pair) for n, pair in enumerate(pairs)])

    copied = found(originals)
    assert copied["reproduced-words"].value == copied["reproduced-words"].control == 1
    assert copied["reproduced-pieces"].value == 1
    shuffled = [found(chance.sample(originals, len(originals))) for _ in range(5)]
    for name, each in copied.items():
        values = [run[name].value for run in shuffled]
        assert sum(values) / 5 == pytest.approx(each.null, abs=0.04), name
        assert all(run[name].null == each.null for run in shuffled)
    assert copied["shared-3-characters"].null > 0.1
    assert len(originals) > PAIRS


def test_what_nothing_counts_for_is_not_measured() -> None:
    found = measured([("a", "CITY", "Lugo", "Vigo"), ("b", "CITY", "Vigo", "Lugo")])
    assert "reproduced-words" not in found
    assert found["shared-3-characters"].control == 1
    assert found["shared-5-characters"].control == 0
    assert measured([]) == {}


SOURCE = "El paciente José Ñuñez (tel. 600 11 22 33), de Lugo, vio a Ana Sol."
IDENTIFIERS = [
    ("NAME", "José Ñuñez"),
    ("NAME", "Ana Sol"),
    ("NAME", "Al"),  # too short to be looked for
    ("PHONE", "600 11 22 33"),
    ("PHONE", "600-11-22-33"),  # the same number
    ("CITY", "Lugo"),
]


def test_identifiers_anywhere_in_a_letter() -> None:
    made = "El paciente Luis Cid (tel. 600.11.22.33), de Lugo, vio a ANA  SOL y a Anasol."
    other = RemadeLetter("Vive en Lugo Eva Paz", "Vive en Vigo Ana Sol", [("NAME", "Eva Paz")], "q")
    letters = [RemadeLetter(SOURCE, made, IDENTIFIERS, "p"), other]
    found = {each.name: each for each in measure_kept_identifiers(letters, "fiction")}
    direct = found["identifiers-kept"]
    assert (direct.value, direct.control) == (
        2 / 4,
        1,
    )  # of two names, a phone and Eva Paz
    assert direct.null == 1 / 4  # the other's letter has Ana Sol by chance
    assert found["quasi-identifiers-kept"].value == 1
    copies = [
        RemadeLetter(each.source, each.source, each.identifiers, each.person) for each in letters
    ]
    assert measure_kept_identifiers(copies, "fiction")[0].value == 1


def test_without_other_persons_nothing_tells_chance() -> None:
    letters = [RemadeLetter(SOURCE, "nada", IDENTIFIERS, "p")] * 2
    assert all(each.null != each.null for each in measure_kept_identifiers(letters, "fiction"))


def test_a_letter_is_linked_with_the_source_it_resembles() -> None:
    texts = [f"{word} was seen in {word} today without {word} fever" for word in "abcd"]
    letters = [RemadeLetter(text, text + " x", (), text) for text in texts]
    found = measure_source_linkage(letters, "fiction")
    assert (found.value, found.null, found.control) == (1, 1 / 4, 1)
    crossed = [
        RemadeLetter(text, other, (), text) for text, other in zip(texts, texts[::-1], strict=True)
    ]
    assert measure_source_linkage(crossed, "fiction").value == 0


def test_no_value_in_what_is_told() -> None:
    letters = [RemadeLetter(SOURCE, SOURCE, IDENTIFIERS, "Zebulon")]
    replaced = [ReplacedIdentifier("NAME", "Zebulon", "Zebulon", "Zebulon")]
    told = repr([letters, replaced, measure_kept_identifiers(letters, "x")])
    told += repr(measure_reidentification(replaced, pieces, "x"))
    assert "Zebulon" not in told
    assert "Lugo" not in told
    assert fold_value("ÑUÑEZ-Gil  (José)") == "nunez gil jose"


def test_what_a_masker_missed_by_label() -> None:
    text = "Mr John Smith of Rome , 5 May"
    gold = (Span(3, 13, "NAME"), Span(17, 21, "CITY"), Span(24, 29, "DATE"))
    masked = (Span(3, 13, "X"), Span(14, 21, "X"), Span(24, 25, "X"))
    pairs = [Pair("1", text, gold, masked, "p"), Pair("2", text, gold, gold, "q")]
    found = {each.name: each for each in measure_masker(pairs, "fiction")}
    recall = found["masker-recall"]
    assert recall.value == 9 / 10
    assert recall.detail == {"NAME (4)": 1, "CITY (2)": 1, "DATE (4)": 0.75, "persons": 2}
    assert found["masker-precision"].value == 9 / 10  # `of` went without need
    assert found["letters-masked"].value == 1 / 2
    assert all(each.axis is Axis.DETECTION for each in found.values())
    assert all(each.low <= each.value <= each.high for each in found.values())
    assert measure_masker([Pair("1", text, (), masked)], "fiction")[0].name == "masker-precision"
