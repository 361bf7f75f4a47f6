from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from record.tokens import is_break, readings, tokens
from tests.growth import MOST, growth


def cut(text: str) -> str:
    """The tokens of a text, parted by bars; a run of line breaks as one pilcrow."""
    pieces = (text[start:end] for start, end in tokens(text))
    return "|".join("¶" if piece[0] in "\n\r\v\f\x85\u2028\u2029" else piece for piece in pieces)


TABLE = {
    # 1. A year and the signs behind it
    "(en 2019).": "(|en|2019|)|.",
    "depuis 2019, puis": "depuis|2019|,|puis",
    "since 2019.": "since|2019|.",
    "[2019]": "[|2019|]",
    "«2019»": "«|2019|»",
    "2019-2020;": "2019|-|2020|;",
    # 2. Numbers, and dates that look like one
    "Le 12.03 au matin": "Le|12.03|au|matin",
    "CRP 12,5": "CRP|12,5",
    "Hb 9.8.": "Hb|9.8|.",
    "12.03.2021": "12|.|03|.|2021",
    "12/03/2021": "12|/|03|/|2021",
    "12-03-21": "12|-|03|-|21",
    "1.234,56": "1|.|234|,|56",
    "1,234,567": "1|,|234|,|567",
    "10.0.0.1": "10|.|0|.|0|.|1",
    "12, 13": "12|,|13",
    "12,": "12|,",
    ",5": ",|5",
    "03.2021": "03.2021",
    "01 44.55.66": "01|44|.|55|.|66",
    "37°2": "37|°|2",
    "14h30": "14|h|30",
    "14:30": "14|:|30",
    "120/80": "120|/|80",
    # 3. Names joined by a slash
    "tom/smith": "tom|/|smith",
    "DUPONT/MARTIN": "DUPONT|/|MARTIN",
    "Dr Roy/Pr Blanc": "Dr|Roy|/|Pr|Blanc",
    # 4. No blank before a word in capitals
    "Tom SmithSURGEON": "Tom|Smith|SURGEON",
    "LefèvreCARDIOLOGUE": "Lefèvre|CARDIOLOGUE",
    "DUPONTJean": "DUPONT|Jean",
    "ÉVRARDÉric": "ÉVRARD|Éric",
    "martinIPP": "martin|IPP",
    # 5. Two names in one word
    "JamesSmith": "James|Smith",
    "JeanDupont": "Jean|Dupont",
    "élèveÉcole": "élève|École",
    "TomSmithJones": "Tom|Smith|Jones",
    "МоскваИван": "Москва|Иван",
    "McDonald": "McDonald",
    "MacLeod": "MacLeod",
    "LeBlanc": "Le|Blanc",
    "pH 7,35": "pH|7,35",
    "5mL": "5|mL",
    "12mmHg": "12|mmHg",
    "PaO2 SpO2 FiO2": "PaO|2|SpO|2|FiO|2",
    "HbA1c": "HbA|1|c",
    "eGFR": "eGFR",
    "DNase": "DNase",
    "les IRMs": "les|IRMs",
    # 6. Names that are words keep their case and are cut as words
    "Rose Pierre": "Rose|Pierre",
    "une rose": "une|rose",
    "ROSE": "ROSE",
    # 7. Titles, and letters that may be one
    "M Smith": "M|Smith",
    "M. Smith": "M.|Smith",
    "M.Smith": "M.|Smith",
    "Dr. Roy": "Dr.|Roy",
    "DR. ROY": "DR.|ROY",
    "dr.roy": "dr.|roy",
    "Mme. Roy": "Mme.|Roy",
    "MLLE. ROY": "MLLE.|ROY",
    "ép. Roy": "ép.|Roy",
    "Sra. Gil": "Sra.|Gil",
    "J. Roy": "J|.|Roy",
    "ADAM. SMITH.": "ADAM|.|SMITH|.",
    "5 mm. 24 hr.": "5|mm|.|24|hr|.",
    # Digits beside letters
    "12nov": "12|nov",
    "ACR5": "ACR|5",
    "2A": "2|A",
    "T2N0M1": "T|2|N|0|M|1",
    "12 m²": "12|m²",
    "½": "½",
    # Signs, accents, blanks and line breaks
    "Jean-Paul": "Jean|-|Paul",
    "l'eau d’ici": "l|'|eau|d|’|ici",
    "nom_prénom": "nom|_|prénom",
    "a@b.fr": "a|@|b|.|fr",
    "e\u0301te\u0301": "e\u0301te\u0301",
    "a\nb": "a|¶|b",
    "a\r\n\n b": "a|¶|b",
    "a \n \n b": "a|¶|¶|b",
    "\ufeffa\u00a0b\u202fc\td": "\ufeff|a|b|c|d",
    "  a  ": "a",
    "": "",
    " ": "",
    "...": ".|.|.",
    "漢字": "漢字",
    "🙂ok": "🙂|ok",
}


def test_the_table_is_long_enough() -> None:
    assert len(TABLE) >= 60


@pytest.mark.parametrize("text", TABLE)
def test_text_is_cut(text: str) -> None:
    assert cut(text) == TABLE[text]


@pytest.mark.parametrize(
    ("text", "second"),
    [
        ("12.03", "12|.|03"),
        ("3.12", "3|.|12"),
        ("12.31", "12|.|31"),
        ("03.2021", "03|.|2021"),
        ("2021.03", "2021|.|03"),
        ("M.", "M|."),
        ("Dr.", "Dr|."),
        ("7.35", ""),
        ("12,03", ""),
        ("31.31", ""),
        ("0.12", ""),
        ("12.3456", ""),
        ("12", ""),
        ("Smith", ""),
        (".", ""),
        ("\n", ""),
    ],
)
def test_readings(text: str, second: str) -> None:
    padded = f"x {text} y"
    (whole,) = [token for token in tokens(padded) if token[0] == 2]
    first, *others = readings(padded, whole)
    assert first == [whole]
    pieces = ["|".join(padded[start:end] for start, end in other) for other in others]
    assert pieces == ([second] if second else [])


TITLES = (
    "Dr Dra Drs Dres Pr Prof M MM Mme Mmes Mlle Mlles Mr Mrs Ms Sr Sra Srta D Dn St Ste Ep Ép Hr"
    " Fr Dhr Mw Mevr DR DRA PROF MME MLLE MRS SRTA EP ÉP HR DHR MEVR"
    " dr dra drs pr prof mme mmes mlle mlles ep ép sr sra srta dhr mw mevr"
).split()


@pytest.mark.parametrize("title", TITLES)
def test_titles_keep_their_dot(title: str) -> None:
    assert cut(f"vu {title}. Roy") == f"vu|{title}.|Roy"
    assert cut(f"vu {title} Roy") == f"vu|{title}|Roy"
    assert cut(f"vu le{title}ix. Roy").endswith("ix|.|Roy")


@pytest.mark.parametrize("word", "m mm d st ste hr fr ms kg Dupont XM al. etc".split())
def test_other_words_part_from_their_dot(word: str) -> None:
    word = word.rstrip(".")
    assert cut(f"5 {word}. Puis") == f"5|{word}|.|Puis"


@pytest.mark.parametrize("word", "mmHg cmHg cmH HbA PaO SaO FiO PvO PiO SpO PaCO McDonald".split())
def test_units_and_formulas_stay_whole(word: str) -> None:
    assert cut(f"5 {word} 2") == f"5|{word}|2"
    assert cut(f"5{word}2") == f"5|{word}|2"


def test_line_breaks_are_told() -> None:
    text = "a\n\r\nb, c\u2028d"
    assert [is_break(text, token) for token in tokens(text)] == [
        *(False, True, False, False, False, True, False)
    ]


PIECES = st.sampled_from([*TABLE, " ", "\n", "\u0301", "\ud800", "É", "a", "A", "1", "."])


@given(st.lists(PIECES | st.text(max_size=5), max_size=12))
def test_nothing_is_lost(parts: list[str]) -> None:
    text = "".join(parts)
    found = tokens(text)
    assert all(start < end for start, end in found)
    assert all(one[1] <= other[0] for one, other in pairwise(found))
    restored, at = "", 0
    for start, end in found:
        assert not text[at:start].strip()
        restored, at = restored + text[at:start] + text[start:end], end
    assert not text[at:].strip()
    assert restored + text[at:] == text


@given(st.lists(PIECES, max_size=12))
def test_readings_cover_what_they_read(parts: list[str]) -> None:
    text = "".join(parts)
    for token in tokens(text):
        for reading in readings(text, token):
            assert (reading[0][0], reading[-1][1]) == token
            assert all(one[1] == other[0] for one, other in pairwise(reading))


@given(st.lists(PIECES, max_size=12))
def test_a_blank_or_a_line_break_changes_no_token_beside_it(parts: list[str]) -> None:
    text = "".join(parts)
    assert cut(f" {text} ") == cut(text)


@pytest.mark.parametrize(
    "piece",
    [
        *("a", "A", "aA", "AAAa", "1", "1.", "1.1,", "a.", "M.", "\n", "e\u0301", "\u0301", "²"),
        *("Mc", "MacA", "mA", ".", " ", "\t\n", "Dr", "1a"),
    ],
)
def test_work_grows_with_the_text_and_no_faster(piece: str) -> None:
    assert growth(tokens, piece, 10_000) < MOST
