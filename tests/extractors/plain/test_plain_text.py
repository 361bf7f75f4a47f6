import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from extractors.document.limits import Limits
from extractors.plain.plain_text import clean, decode, extract
from record.errors import Unreadable

LETTER = (
    "Compte rendu d'hospitalisation. Mme Zoë LEFÈVRE, née le 3 février 1950 à Évry, a été opérée "
    "à l'hôpital Saint-Germain où elle présentait une hémorragie sévère. Température 38 °C, "
    "état général conservé. Cordialement, Dr François Prévôt."
)
INFORME = (
    "La paciente Íñiga Muñoz, de 45 años, acudió a urgencias por dolor torácico. ¿Alergias? Niega. "
    "Vive en la calle Peñalara, Logroño. Exploración: tensión 120/80. Se le explicó el diagnóstico."
)


@pytest.mark.parametrize("text", [LETTER, INFORME, "plain", "Éric — 38 °C", "日本", "été"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-32"])
def test_unicode_is_read(text: str, encoding: str) -> None:
    assert decode(text.encode(encoding)) == text


@pytest.mark.parametrize(
    "text",
    [
        *(LETTER, INFORME, "Hôpital", "Éric", "été", "né à Évry", "38 °C", "coût : 30 €"),
        *("l’hôpital", "cœur", "DUPRÉ Jean, né le 3/2/1950", "Père : François", "Muñoz"),
        *("patient’s arm – “sore”", "«\u00a0état\u00a0» 5 µg/m² ± 2", "• chest pain"),
    ],
)
def test_windows_is_read(text: str) -> None:
    assert decode(text.encode("cp1252")) == text


@pytest.mark.parametrize(
    ("text", "encoding"),
    [
        *((LETTER, "cp850"), (LETTER, "mac_roman"), (INFORME, "cp850"), (INFORME, "mac_roman")),
        *(("hôpital", "cp850"), ("opéré", "cp850"), ("opéré", "mac_roman")),
        *(("38 °C", "cp850"), ("• chest pain", "mac_roman")),
    ],
)
def test_other_western_code_pages_are_read(text: str, encoding: str) -> None:
    assert decode(text.encode(encoding)) == text


@pytest.mark.parametrize(
    ("text", "encoding"),
    [
        *(("Иванов Пётр, больной", "cp1251"), ("Παπαδόπουλος Γεώργιος", "cp1253")),
        *(("DUPRÉ", "cp850"), ("Ñ", "cp850"), ("il est à jeun", "cp850")),
    ],
)
def test_other_code_pages_are_refused_rather_than_misread(text: str, encoding: str) -> None:
    with pytest.raises(Unreadable) as caught:
        decode(text.encode(encoding))
    assert caught.value.reason == "unknown-encoding"


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        ("Mme DUPRÉ, opérée".encode() + b"\xe9", "unknown-encoding"),  # UTF-8, damaged
        ("à l’hôpital".encode()[:-5] + b"\xff", "unknown-encoding"),
        (b"\xff\xfeD\0\x00\xd8", "unknown-encoding"),  # half a surrogate pair
        (b"\xef\xbb\xbf\xe9", "unknown-encoding"),
        (b"PK\x03\x04\x14\x00\x06\x00", "unknown-format"),
        (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "unknown-format"),
        (b"text with a bell \x07", "unknown-format"),
        (b"D\0U\0P\0", "unknown-format"),  # UTF-16 that does not say so
    ],
)
def test_damaged_and_binary_data_are_refused(data: bytes, reason: str) -> None:
    with pytest.raises(Unreadable) as caught:
        decode(data)
    assert caught.value.reason == reason


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("a\r\nb\rc\fd\ve\u2028f\u2029g\x85h", "a\nb\nc\nd\ne\nf\ng\nh"),
        ("hos\u00adpital", "hospital"),
        ("hospi\u00ad\ntalier et", "hospitalier et"),
        ("hospi\u00ad  \n  talier", "hospitalier"),
        ("Jean\u00ad\nPaul", "Jean-\nPaul"),
        ("Jean\u00adPaul", "Jean-Paul"),
        ("01\u00ad44\u00ad55", "01-44-55"),
        ("o\ufb03ce \ufb01n \ufb02ux \ufb00", "office fin flux ff"),
        ("Du\u200bpo\u2060nt\ufeff", "Dupont"),
        ("DU\0PONT\x07\x1a", "DUPONT"),
        ("Rene\u0301", "René"),
        ("a\tb", "a\tb"),
        ("12\u00a0mg", "12\u00a0mg"),
        ("a\ud800b", "a\ufffdb"),
        ("x\u202eetalp\u202c", "xplate"),
        ("cœur, Æsop, ½", "cœur, Æsop, ½"),
        ("\x1b[1mLam\x1b[0mbert", "Lambert"),
        ("Lax\x08mbert", "Lambert"),
        ("801o\x7f2345 Lao\x7fmbert", "8012345 Lambert"),
        ("CAo\x7fBO, ₈₀o\x7f₁", "CABO, ₈₀₁"),
        ("L\x08La\x08am\x08m\n\x08b", "Lam\nb"),
        ("Frau \u202etrebmaL\u202c heute", "Frau Lambert heute"),
    ],
)
def test_clean(before: str, after: str) -> None:
    assert clean(before) == after


@given(st.text(st.characters() | st.sampled_from("\u00ad\n\r \u0301\u200b\ufb01aB1")))
def test_clean_text_is_nfc_and_stays_as_it_is(text: str) -> None:
    cleaned = clean(text)
    assert clean(cleaned) == cleaned
    assert unicodedata.is_normalized("NFC", cleaned)
    assert not any(unicodedata.category(c) in ("Cc", "Cs") and c not in "\n\t" for c in cleaned)
    assert "\u00ad" not in cleaned


@given(st.text(st.characters(max_codepoint=0x180) | st.sampled_from("–—‘’“”•…€\u0301")))
def test_text_that_needs_no_cleaning_is_as_if_it_was_cleaned(text: str) -> None:
    # A sign that only cleaning takes out makes it look at every other.
    assert clean(text) == clean(text + "\u200b")


# These begin what UTF-8 looks like when it is taken for something else.
TELLTALES = "ÂÃâÅ√├┬"


@given(st.text(st.characters(exclude_categories=("Cs", "Cc"), exclude_characters=TELLTALES)))
def test_what_was_written_as_unicode_is_read_back(text: str) -> None:
    text = "é " + text
    assert decode(("\ufeff" + text).encode("utf-16-le")) == text
    assert decode(("\ufeff" + text).encode()) == text
    assert decode(text.encode()) == text


def test_too_long() -> None:
    limits = Limits(max_characters=10)
    assert extract(b"1234567890", limits).text == "1234567890"
    with pytest.raises(Unreadable) as caught:
        extract(b"12345678901", limits)
    assert caught.value.reason == "too-long"


@given(st.text(alphabet=st.characters(min_codepoint=0x20, max_codepoint=0x7E), max_size=40))
def test_letters_of_symbol_fonts_become_those_they_show(text: str) -> None:
    assert clean("".join(chr(0xF000 + ord(letter)) for letter in text)) == text


def test_letters_in_brackets_become_letters() -> None:
    assert clean("⒨⒜⒭⒯⒴ 🄜🄐") == "marty MA"
    assert clean("⑴ ㈠ (a)") == "⑴ ㈠ (a)"


@pytest.mark.parametrize(
    "line", ["%PDF-1.7", "4 0 obj", "12 0 obj <</Length 9>> stream", "endstream", "  endobj\r"]
)
@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
def test_the_source_of_a_pdf_is_no_text(line: str, encoding: str) -> None:
    data = f"junk\n{line}\n[(Le patient Ma) 20 (r) 10 (ty)] TJ\n".encode(encoding)
    with pytest.raises(Unreadable) as caught:
        extract(data, Limits())
    assert caught.value.reason == "broken"


@pytest.mark.parametrize(
    "text", ["Envoyé en %PDF-1.7", "1 0 objectif", "fin : endstream", "endobjet", "3 0 % obj"]
)
def test_words_that_look_like_it(text: str) -> None:
    assert extract(text.encode(), Limits()).text == text
