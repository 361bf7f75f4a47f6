"""Rich text as Word, WordPad, LibreOffice and hospital systems write it."""

import re
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from extractors.document.limits import Limits
from extractors.plain.plain_text import clean
from extractors.rtf.rtf import extract
from record.errors import Unreadable

LIMITS = Limits()
FONTS = (
    rb"{\fonttbl{\f0\fswiss\fcharset0\fprq2{\*\panose 020b0604020202020204}Arial{\*\falt X};}"
    rb"{\f1\froman\fcharset161 Times New Roman Greek;}{\f2\fcharset204 Arial Cyr;}"
    rb"{\f3\froman\fcharset2 Symbol;}{\f4\fnil\fcharset2 Wingdings;}{\f5\fcharset128 MS Mincho;}"
    rb"{\f6\fcharset238 Arial CE;}{\f7\fcharset77 Geneva;}{\f8\fcharset99 Odd;}}"
)
HEAD = rb"{\rtf1\ansi\ansicpg1252\uc1\deff0" + FONTS
CANARY = "Canari"


def read(body: bytes, head: bytes = HEAD) -> str:
    return extract(head + rb"\pard " + body + b"}", LIMITS).text


def refused(data: bytes, limits: Limits = LIMITS) -> str:
    with pytest.raises(Unreadable) as caught:
        extract(data, limits)
    return caught.value.reason


@pytest.mark.parametrize(
    ("body", "text"),
    [
        (rb"Mme LEF\'c8VRE, op\'e9r\'e9e", "Mme LEFÈVRE, opérée"),
        (rb"{\f1\'d0\'e1\'f0\'e1\'e4\'fc\'f0\'ef\'f5\'eb\'ef\'f2}", "Παπαδόπουλος"),
        (rb"{\f2\'c8\'e2\'e0\'ed\'ee\'e2} Jean", "Иванов Jean"),
        (rb"{\f6 Dvo\'f8\'e1k}", "Dvořák"),
        (rb"{\f7 H\'99pital}", "Hôpital"),
        (rb"{\f5\'8e\'52\'93\'63}", "山田"),
        (rb"{\f5\'83\'5c\'83\\}", "ソソ"),  # a trail byte that is a backslash
        (rb"{\f3\'b7} a {\f3 m}g {\f4\'fc}", "• a μg ✓"),
        (rb"{\f3\u-3913?} puce {\f4\u61692?}", "• puce ✓"),
        ("brut \xe9t\xe9 \x96".encode("latin-1"), "brut été –"),
        (rb"l\u8217\'92h\u244\'f4pital \u8364?", "l’hôpital €"),
        (rb"\uc0\u233 t\u233 \uc1  ok", "été ok"),
        (rb"{\uc2\u20013\'d6\'d0}\u233\'e9", "中é"),
        (rb"\u-10179?\u-8704? \u55357?\u56832?", "😀 😀"),
        (rb"\u233{x}\u233\par y", "éxé\ny"),
        (rb"\u8212\emdash fin \u8217\tab z", "—fin ’\tz"),
        (rb"\u65?\u-2?", "A"),  # U+FFFE is no character that anybody sees
        (rb"a\~b Jean\_Paul hos\-pital \{x\} \\", "a\u00a0b Jean-Paul hospital {x} \\"),
        (rb"\lquote a\rquote  \ldblquote b\rdblquote  c\emdash d\endash e", "‘a’ “b” c—d–e"),
        (b"a\\\nb\\line c\\\r\nd\r\ne\\par\r\nf", "a\nb\nc\nde\nf"),
        (rb"a\tab b\page c\sect d\column e", "a\tb\nc\nd\ne"),
        (rb"{\upr{ansi}{\*\ud{uni\u233\'e9}}}", "unié"),
        (rb"{\b gras}{\i0\cf2\unknown7 suite}", "grassuite"),
    ],
)
def test_characters(body: bytes, text: str) -> None:
    expected = text.replace("\ufffe", "")
    assert read(body).replace("\ufffe", "") == expected


@pytest.mark.parametrize(
    ("head", "byte", "text"),
    [
        (rb"{\rtf1\ansi\ansicpg1252", rb"\'e9", "é"),
        (rb"{\rtf1\ansi\ansicpg1250", rb"\'f8", "ř"),
        (rb"{\rtf1\ansi\ansicpg1253", rb"\'e1", "α"),
        (rb"{\rtf1\ansi\ansicpg850", rb"\'82", "é"),
        (rb"{\rtf1\ansi\ansicpg65001", rb"\'c3\'a9", "é"),
        (rb"{\rtf1\pc", rb"\'82", "é"),
        (rb"{\rtf1\pca", rb"\'b7", "À"),
        (rb"{\rtf1\mac", rb"\'8e", "é"),
        (rb"{\rtf1\ansi\ansicpg1252{\fonttbl{\f0\cpg850 A;}}\f0", rb"\'82", "é"),
        (rb"{\rtf1\ansi\ansicpg1253\deff1{\fonttbl\f0\fnil A;\f1\fcharset1 B;}", rb"\'e1", "α"),
        (rb"{\rtf1\ansi\ansicpg1253\deff1{\fonttbl{\f1\fcharset238 B;}}\f9\plain", rb"\'f8", "ř"),
    ],
)
def test_code_pages(head: bytes, byte: bytes, text: str) -> None:
    assert read(byte, head) == text


@pytest.mark.parametrize(
    "data",
    [
        rb"{\rtf1\ansi\ansicpg4711 \'e9}",
        HEAD + rb" {\f8\'e9}}",
        HEAD + rb" {\f0\'81}}",  # no letter in Windows-1252
        HEAD + rb" {\f5\'8e}}",  # half a letter
        HEAD + " é".encode() + b"}",  # UTF-8 that nobody declared
        rb"{\rtf1\ansi caf\'82 \'85 la carte}",  # DOS, undeclared
        rb"{\rtf1\ansi{\fonttbl{\f0 A;}}\f0 h\'93pital op\'82r\'82}",
        "{\\rtf1 é}".encode("utf-16"),
    ],
)
def test_what_cannot_be_told_is_refused(data: bytes) -> None:
    assert refused(data) == "unknown-encoding"


def test_western_letters_need_no_declaration() -> None:
    assert read(rb"Mme Zo\'eb, n\'e9e \'e0 \'c9vry", rb"{\rtf1\ansi") == "Mme Zoë, née à Évry"
    assert read(rb"caf\u233? x", rb"{\rtf1") == "café x"
    assert extract("{\\rtf1 caf\\'e9}".encode("utf-16"), LIMITS).text == "café"


def test_letters_taken_for_others_before_are_put_right_or_refused() -> None:
    assert read(rb"Mme LEF\u195?\u710?VRE, n\u195?\u169?e") == "Mme LEFÈVRE, née"
    assert refused(HEAD + rb" Zo\u195?\u169?, n\u233?e}") == "mojibake"


def test_tables() -> None:
    row = rb"\trowd\cellx1\cellx2\pard\intbl %s\cell %s\cell\row "
    body = rb"avant\par " + row % (b"Nom", b"Dupont") + row % (b"", b"2") + rb"\pard apr\'e8s"
    assert read(body) == "avant\nNom\tDupont\n\t2\naprès"
    assert read(row % (b"a", rb"b\par c") + rb"\pard\par") == "a\nb\nc"
    assert read(rb"\pard\intbl seul\cell\pard fin") == "seul\nfin"


def test_nested_tables() -> None:
    body = (
        rb"\pard\intbl a\cell\pard\intbl\itap2 b\nestcell c\nestcell"
        rb"{\*\nesttableprops\trowd\nestrow}{\nonesttables\par double}"
        rb"\pard\intbl\itap1 d\cell\row\pard e"
    )
    assert read(body) == "a\nb\tc\nd\ne"


def test_what_stands_around_the_text() -> None:
    body = (
        rb"{\header CHU de Lyon\par}{\headerf\pard CHU de Lyon\par}{\footer page "
        rb"{\field{\*\fldinst PAGE}{\fldrslt 1}}}Corps{\footnote\pard note \chftn bas}"
        rb"{\*\atnid AB}{\*\atnauthor "
        rb"Canari}\chatn{\*\annotation{\*\atndate 1}{\*\atnref 1}remarque} suite\par\sect fin"
    )
    text = "CHU de Lyon\n\nCorps suite\n\nfin\n\nnote bas\n\nremarque\n\npage 1"
    assert read(body) == text
    assert read(rb"{\headerf premier}{\headerl gauche}x") == "x"
    body = rb"\facingp\titlepg{\headerf premier}{\headerl gauche}x"
    assert read(body) == "premier\n\ngauche\n\nx"


@pytest.mark.parametrize(
    ("body", "text"),
    [
        (rb'{\field{\*\fldinst HYPERLINK "mailto:Canari"}{\fldrslt{\ul ici}}}', "ici"),
        (rb'x{\field{\*\fldinst SYMBOL 252 \\f "Wingdings" \\s 10}{\fldrslt}}', "x✓"),
        (rb"{\field{\*\fldinst MACROBUTTON NoMacro [Nom]}{\fldrslt}}", "[Nom]"),
        (rb"{\field{\*\fldinst IF {\field{\*\fldinst Canari}{\fldrslt 1}}}{\fldrslt oui}}", "oui"),
        (
            rb"{\field{\*\fldinst FORMDROPDOWN{\*\formfield{\fftype2\ffres1{\*\ffname Canari}"
            rb"{\*\ffl non}{\*\ffl oui}}}}{\fldrslt}}",
            "oui",
        ),
        (rb"{\field{\*\fldinst FORMCHECKBOX{\*\formfield{\fftype1\ffres1}}}{\fldrslt}}", "☒"),
        (
            rb"{\field{\*\fldinst FORMCHECKBOX{\*\formfield{\fftype1\ffres25\ffdefres0}}}}",
            "☐",
        ),
        (
            rb"{\field{\*\fldinst FORMTEXT{\*\formfield{\fftype0{\*\ffdeftext Canari}}}}"
            rb"{\fldrslt M. Roy}}",
            "M. Roy",
        ),
        (rb"{\listtext\pard\f3\'b7\tab}puce\par{\pntext 2.\tab}deux", "•\tpuce\n2.\tdeux"),
        (
            rb"a {\shp{\*\shpinst{\sp{\sn fLine}{\sv Canari}}{\shptxt \pard Boite\par}}"
            rb"{\shprslt{\*\do{\dptxbxtext Boite}}}}b\par c",
            "a b\nBoite\nc",
        ),
        (rb"a{\*\do\dptxbx{\dptxbxtext\pard vieux\par}}\par", "a\nvieux"),
        (rb"{\shp{\*\shpinst{\sp{\sn gtextUNICODE}{\sv COPIE}}}}z", "z\nCOPIE"),
        (rb"{\object\objemb{\*\objclass Canari}{\*\objdata 0102}{\result vu}}", "vu"),
        (rb"{\mmath{\*\moMath{\*\mf{\*\mfPr Canari}{\*\mnum{\mr x}}}}}", "x"),
        (rb"vu{\v Canari}{\deleted Canari}{\v ca\v0  ici}", "vu ici"),
        (rb"vu{\v\u67?\'43{\field{\fldrslt Canari}}\plain  clair}", "vu clair"),
        (rb"vu{\v{\footnote Canari}{\shp{\*\shpinst{\shptxt Canari}}}}", "vu"),
        (rb"x{\*\inconnu Canari{\b Canari}}{\xe{\v Canari}}{\tc Canari}{\*\bkmkstart Canari}", "x"),
        (rb"x{\pict\pngblip 89504e\bin4 }}{{ff}y", "xy"),
    ],
)
def test_what_is_seen(body: bytes, text: str) -> None:
    assert read(body) == text


def test_nothing_said_about_the_file_comes_out() -> None:
    places = (
        rb"{\info{\title %s}{\author %s}{\*\manager %s}{\doccomm %s}{\creatim\yr2024}}"
        rb"{\*\userprops{\propname %s}{\staticval %s}}{\stylesheet{\s1 %s;}{\*\cs2 %s;}}"
        rb"{\*\revtbl{%s;}}{\*\docvar{%s}{%s}}{\*\template %s}{\filetbl{\file %s}}"
        rb"{\*\generator %s;}{\colortbl;\red0;}{\*\xmlnstbl{\xmlns1 %s}}{\*\themedata %s}"
        rb"{\*\listtable{\list{\listlevel{\leveltext %s}}{\listname %s;}}}{\*\ftnsep %s}"
        rb"{\fonttbl{\f9 %s{\*\falt %s};}}{\*\datafield %s}{\*\htmltag <b>%s}"
    )
    body = places.replace(b"%s", CANARY.encode()) + b"Corps"
    assert read(body) == "Corps"


@pytest.mark.parametrize(
    "data",
    [
        HEAD + b" cut off",
        HEAD + rb" cut {\b off}",
        HEAD + b" x}}",
        HEAD + b" x} and more",
        HEAD + b" x}{\\rtf1 y}",
        HEAD + rb" {\bin99 x}}",
        HEAD + rb" {\bin-5 x}}",
        HEAD + rb" {\bin99999999999999999999 x}}",
        HEAD + rb" \'zz}",
        HEAD + rb" \u99999999?}",
        HEAD + b" D\0U}",
        HEAD + b"\\",
        b"rtf" + HEAD,
        rb"{\rtf1" + b"{" * 2_000 + b"}" * 2_001,
    ],
)
def test_what_is_broken_is_refused(data: bytes) -> None:
    assert refused(data) == "broken"


def test_limits() -> None:
    tight = Limits(max_characters=10, max_bytes=2_000_000)
    assert extract(rb"{\rtf1 1234567890\par\par}", tight).text == "1234567890"
    assert refused(rb"{\rtf1 12345678901}", tight) == "too-long"
    assert refused(rb"{\rtf1 " + rb"\u65?" * 10_000 + b"}", tight) == "too-long"
    assert refused(bytes(3_000_000), tight) == "too-large"


def test_pictures_are_no_text() -> None:
    scan = rb"{\pict\picwgoal11906\pichgoal16838 00}"
    logo = rb"{\pict\picwgoal1000\pichgoal1000 00}"
    assert refused(HEAD + logo + b"}") == "no-text-layer"
    assert refused(HEAD + scan + b"}") == "no-text-layer"
    assert refused(HEAD + scan + b" En-t\\'eate}") == "page-without-text"
    assert refused(HEAD + b" }") == "no-text"
    assert read(logo + b"x") == "x"
    assert read(rb"{\nonshppict" + scan + b"}x") == "x"
    assert read(rb"{\shp{\*\shpinst\shpfblwtxt1{\sp{\sv" + scan + b"}}}}x") == "x"


def test_hostile_files_cost_little() -> None:
    assert read(b"{\\b " * 400 + b"x" + b"}" * 400) == "x"
    assert read(rb"{\pict " + b"00" * 2_000_000 + b"}x") == "x"
    assert read(b"{\\*\\a }" * 50_000 + b"x") == "x"
    assert read(rb"\pard\intbl x\cell" * 20_000 + rb"\row").count("\t") == 19_999


# A writer as simple as that of many programs: one paragraph a line, escapes for all but ASCII.
def as_rtf(text: str, *, fallback: str) -> bytes:
    out = []
    for char in text:
        if char in "\\{}":
            out.append("\\" + char)
        elif char == "\n":
            out.append("\\par\r\n")
        elif char == "\t":
            out.append("\\tab ")
        elif char.isascii():
            out.append(char)
        else:
            units = char.encode("utf-16-le")
            for low, high in zip(units[::2], units[1::2], strict=True):
                unit = int.from_bytes((low, high), "little", signed=True)
                out.append(f"\\u{unit}{fallback}")
    return (r"{\rtf1\ansi\ansicpg1252\uc1 " + "".join(out) + "}").encode()


def tidy(text: str) -> str:
    text = re.sub(r"[^\S\n]+$", "", clean(text), flags=re.MULTILINE)
    return re.sub(r"\n{3,}", "\n\n", text).strip("\n")


# Some pairs with these are UTF-8 read wrongly, and put right.
LETTERS = st.characters(exclude_categories=("Cs", "Cc", "Co", "Cn"), exclude_characters="ÂÃâ")
TEXTS = st.text(LETTERS | st.sampled_from("éÀœç’ñΠαЖ😀👩\n\t\\{}'* -;"), min_size=1).filter(tidy)


@given(TEXTS, st.sampled_from(["?", "\\'3f", "\\'e9"]))
def test_what_was_written_is_read_back(text: str, fallback: str) -> None:
    assert extract(as_rtf(text, fallback=fallback), LIMITS).text == tidy(text)


@given(st.text("abcABC éàüñÉœŒ’–€«»°", min_size=1).filter(str.strip))
def test_windows_letters_are_read_back(text: str) -> None:
    body = "".join(f"\\'{byte:02x}" for byte in text.encode("cp1252"))
    if re.search("[ÂÃÄÅ][\u00a0-¿€-™]|â€", text):
        return
    assert read(body.encode()) == tidy(text)


@given(st.binary(max_size=80), st.integers(0, 400), st.integers(0, 60))
def test_damaged_files_are_read_or_refused(noise: bytes, start: int, length: int) -> None:
    whole = HEAD + rb" {\b Mme}\par\trowd\intbl a\cell{\field{\*\fldinst X}{\fldrslt y}}\cell\row}"
    data = whole[:start] + noise + whole[start + length :]
    try:
        text = extract(data, LIMITS).text
    except Unreadable:
        return
    assert unicodedata.is_normalized("NFC", text)
    assert text == clean(text)
