"""Right, refused or wrong: Western texts in the encodings that do not say which they are."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from extractors.plain.encoding_detection import (
    decode_unmarked_utf16,
    decode_western,
    is_accidental_utf8,
    repair_mojibake,
)
from extractors.plain.plain_text import decode
from record.errors import Unreadable

ENCODINGS = ("cp1252", "iso8859_15", "cp850", "cp858", "cp437", "mac_roman")

SENTENCES = (
    # French
    "Mme Hélène Bérard, âgée de 67 ans, est adressée pour des douleurs apparues à l'effort.",
    "L'auscultation retrouve un souffle systolique ; pas d'œdème des membres inférieurs.",
    "« Je n’ai plus de souffle », dit-elle. Apyrétique à 37,2 °C, créatinine 81 µmol/l.",
    "Le patient a bénéficié d’une coronarographie le 3 août : sténose serrée de l’IVA…",
    "Sortie le 12 février 2021, 5 rue des Chênes, 35000 Rennes. Tél. : 02 99 00 00 00",
    "M. Benoît Lemaître, né le 14 août 1958 à Béziers. Tarif : 25 €",
    "HÔPITAL SAINTE-ODILE, PÔLE MÈRE-ENFANT, IDENTITÉ : DUPRÉ",
    "Naïma Benaïssa et Gaëlle LE GOFF, infirmières diplômées",
    "• Réévaluation de la douleur à J+2 – plaie suturée",
    # Spanish
    "La paciente Íñiga Muñoz, de 45 años, acudió a urgencias por dolor torácico. ¿Alergias? No.",
    "Exploración: tensión 120/80. Se le explicó el diagnóstico. Médico: José Núñez.",
    "D.ª Begoña Ibáñez, nº de historia 4455, calle Peñalara 3, 2º B, Logroño",
    "INFORME CLÍNICO DE URGENCIAS: EVOLUCIÓN FAVORABLE, SIN LESIÓN",
    # English
    "The patient’s arm was sore; she said “it’s better now” – no fever. Temp 38 °C.",
    "Mr. O’Neil doesn’t smoke. Don’t give β-blockers – café latte’s fine, Zoë says.",
    # German, Portuguese
    "Herr Jürgen Weiß, Königstraße 3, Köln, klagt über Übelkeit und Blähungen seit gestern früh.",
    "A Sra. Conceição Gonçalves não tem alergias; irmão João Simões, de São Paulo.",
)
SHORT = (
    *("né à Évry", "été", "opéré", "Tél.", "à jeun", "il est à jeun", "Là, ça va.", "À revoir"),
    *("Ça va mieux", "l'été", "d’État", "L’échographie", "N° FINESS", "n°SS 12", "38 °C", "5 µg"),
    *("José", "García", "Muñoz", "Íñigo", "Ángel", "Órdenes", "última", "días", "el día 3", "tía"),
    *("DUPRÉ", "LEFÈVRE", "HÔPITAL", "François", "Zoë", "Loïc", "Œuvre", "cœur", "Île", "Nîmes"),
    *("Jürgen", "Straße", "Björn", "João", "Søren Kjær", "Škoda", "± 2", "• pain", "½ cp", "Ñ"),
    *("it’s", "don’t", "“sore”", "«", "€", "5 €", "º", "Nº 12", "é", "à", "ó", "a\u00a0: b", "…"),
    *("Vient … jeun", "score – 3", "DUPRé", "│ Nom │", "── ──", "Úbeda", "Weiß"),
)
WORDS = [word for text in SENTENCES for word in text.split() if not word.isascii()]
# Two code pages, two words: these are taken for the more frequent one.
KNOWN_MISSES = {("Úbeda", "cp850"), ("Weiß", "cp850"), ("Úbeda", "cp858"), ("Weiß", "cp858")}
KNOWN_MISSES |= {("Weiß", "cp437")}
KNOWN_MISSES |= {("Weiß,", encoding) for encoding in ("cp850", "cp858", "cp437")}


def outcome(text: str, encoding: str) -> str:
    try:
        return "right" if decode(text.encode(encoding)) == text else "wrong"
    except Unreadable:
        return "refused"
    except UnicodeEncodeError:
        return "impossible"


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_sentences_are_read(encoding: str) -> None:
    refused = [text for text in SENTENCES if outcome(text, encoding) in ("refused", "wrong")]
    assert refused == []


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_a_document_is_read(encoding: str) -> None:
    lines = [text for text in SENTENCES if outcome(text, encoding) != "impossible"]
    assert len(lines) >= 5
    assert outcome("\n".join(lines), encoding) == "right"


def test_words_alone_are_read_or_refused() -> None:
    wrong = {
        (text, encoding)
        for text in (*SHORT, *WORDS)
        for encoding in ENCODINGS
        if outcome(text, encoding) == "wrong"
    }
    assert wrong == KNOWN_MISSES


def test_windows_is_seldom_refused() -> None:
    words = [word for word in WORDS if any(char.isascii() for char in word)]
    outcomes = Counter(outcome(word, "cp1252") for word in words)
    assert outcomes["right"] >= 0.9 * len(words)
    assert outcomes["wrong"] == 0


@pytest.mark.parametrize(
    ("text", "encoding"),
    [
        *(("Иванов Пётр, больной", "cp1251"), ("Иванов", "koi8_r"), ("Да", "cp866")),
        *(("Παπαδόπουλος Γεώργιος", "cp1253"), ("שלום עולם", "cp1255"), ("محمد", "cp1256")),
        *(
            ("Paní Nováková, narozená v Ostravě", "cp1250"),
            ("Łódź", "cp1250"),
            ("Brăila", "cp1250"),
        ),
        *(("Zażółć gęślą jaźń", "cp1250"), ("született Győrben", "iso8859_2"), ("Škoda", "cp1250")),
        *(("Ayşe Yılmaz", "cp1254"), ("Erdoğan", "cp1254"), ("Bērziņš", "cp1257")),
        *(("山田太郎", "shift_jis"), ("张伟", "gb2312"), ("張偉", "big5"), ("김철수", "euc_kr")),
        *(("Łódź", "cp852"), ("Dvořák", "cp852")),
    ],
)
def test_other_alphabets_are_refused(text: str, encoding: str) -> None:
    with pytest.raises(Unreadable) as caught:
        decode(text.encode(encoding))
    assert caught.value.reason == "unknown-encoding"


def test_a_document_of_two_encodings_is_refused() -> None:
    text = SENTENCES[0].encode("cp1252") * 3 + SENTENCES[0].encode("cp850")
    with pytest.raises(Unreadable):
        decode_western(text)


@given(st.binary(max_size=80))
def test_any_bytes_are_decoded_or_refused(data: bytes) -> None:
    for reader in (decode_western, decode_unmarked_utf16):
        try:
            assert isinstance(reader(data), str)
        except Unreadable as unreadable:
            assert unreadable.reason in ("unknown-encoding", "unknown-format")


@pytest.mark.parametrize("text", ["Íñigo", "L’échographie", "d’État"])
def test_bytes_that_are_utf8_by_chance(text: str) -> None:
    for encoding in ("cp850", "mac_roman"):
        assert outcome(text, encoding) in ("right", "refused", "impossible")


@pytest.mark.parametrize("text", ["Иванов", "é", "Zażółć", "שלום", "β-HCG", "a", "Πατέρας", "и я"])
def test_other_alphabets_are_no_chance(text: str) -> None:
    assert not is_accidental_utf8(text)
    assert decode(text.encode()) == text


@pytest.mark.parametrize("text", SENTENCES)
@pytest.mark.parametrize("taken_for", ["cp1252", "latin-1", "mac_roman", "cp850"])
@pytest.mark.parametrize("times", [1, 2])
def test_what_was_taken_for_another_encoding_is_put_right(
    text: str, taken_for: str, times: int
) -> None:
    broken = text
    for _ in range(times):
        broken = "".join(_taken(byte, taken_for) for byte in broken.encode())
    assert decode(broken.encode()) == text
    assert decode(broken.encode("utf-16")) == text


def _taken(byte: int, encoding: str) -> str:
    return bytes([byte]).decode(encoding, "ignore") or chr(byte)


@pytest.mark.parametrize("text", SENTENCES[:8])
def test_windows_taken_for_latin_1_is_put_right(text: str) -> None:
    assert decode(text.encode("cp1252").decode("latin-1").encode()) == text


@pytest.mark.parametrize(
    "text",
    [
        *("né à Lyon, Ã©tÃ© là", "état gÃ©nÃ©ral", "né, l’homme â€™ x", "coût 5 â‚¬ né"),
        *("né et √©t√©", "né et ├®t├®", "né \u00c3\u00a0 l'\u00c2\u00abêtre\u00c2\u00bb"),
    ],
)
def test_what_is_broken_in_part_is_refused(text: str) -> None:
    with pytest.raises(Unreadable) as caught:
        decode(text.encode())
    assert caught.value.reason == "mojibake"


@pytest.mark.parametrize(
    "text",
    [
        *("SÃO PAULO", "IRMÃ »", "« Ça va ? »", "GRÂCE À", "Âge : 3 ans", "Ângela", "15 € – …"),
        *("日本語のテキスト", "Ελληνικά", "Ðð Þþ", "N° 5", "√2 × 3", "├── │", "naïve café", "Å"),
    ],
)
def test_sound_text_is_left_alone(text: str) -> None:
    assert repair_mojibake(text) == text
    assert decode(text.encode()) == text


@given(st.text(st.characters(codec="latin-1", exclude_categories=["Cc"]), max_size=40))
def test_repair_is_settled_at_once(text: str) -> None:
    try:
        once = repair_mojibake(text)
    except Unreadable:
        return
    assert repair_mojibake(once) == once


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
def test_utf16_without_a_mark(encoding: str) -> None:
    for text in SENTENCES:
        if "β" not in text:
            assert decode(text.encode(encoding)) == text


@pytest.mark.parametrize(
    "data",
    [
        *(b"D\0U\0P\0", b"a text with one \0 in it, and no more", bytes(40), b"\0" * 7),
        *("Иванов Пётр, больной".encode("utf-16-le"), b"a\0\0\0b\0\0\0c\0\0\0d\0\0\0" * 4),
        "Mme DUPRÉ née".encode("utf-16-le")[:-1],
    ],
)
def test_other_bytes_of_zero_are_binary_data(data: bytes) -> None:
    with pytest.raises(Unreadable) as caught:
        decode(data)
    assert caught.value.reason == "unknown-format"
