"""Pages as browsers, Word, mail programs and hospital systems write them."""

import html as standard
import re
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from extractors.document.limits import Limits
from extractors.markup.html import extract, extract_text
from extractors.plain.plain_text import clean
from record.errors import Unreadable
from tests.growth import calls

LIMITS = Limits()


def read(source: str) -> str:
    return extract(source.encode(), LIMITS).text


def refused(data: bytes, limits: Limits = LIMITS) -> str:
    with pytest.raises(Unreadable) as caught:
        extract(data, limits)
    return caught.value.reason


@pytest.mark.parametrize(
    ("source", "text"),
    [
        ("<p>Mme <b>Zo</b>&euml;  \n LEF&Egrave;VRE</p><p>née</p>", "Mme Zoë LEFÈVRE\n\nnée"),
        ("<div>a</div>b<div><div>c</div></div>d", "a\nb\nc\nd"),
        ("a<br>b<br/><br>c<hr>d", "a\nb\n\nc\nd"),
        ("<ul><li>un<li>deux<ul><li>trois</ul></ul>fin", "un\ndeux\ntrois\nfin"),
        ("<dl><dt>Nom<dd>Roy</dl>", "Nom\nRoy"),
        ("<pre>\n a  b\n\tc</pre>d", " a  b\n\tc\nd"),
        ("<span style='white-space:pre-wrap'>a  b\nc</span>", "a  b\nc"),
        ("mot<span>suite</span> <i>x</i> , y", "motsuite x , y"),
        (
            "l&rsquo;h&#244;pital &#x92; &euro; &#128512; &amp;lt; &inconnu;",
            "l’hôpital ’ € 😀 &lt; &inconnu;",
        ),
        ("hos&shy;pital a&nbsp;b Du<wbr>pont", "hospital a\u00a0b Dupont"),
        ("tension < 12, K<4 et a & b", "tension < 12, K<4 et a & b"),
        ("<span style='display:block'>a</span><div style='display:inline'>b</div>c", "a\nbc"),
        ("<h1>Titre</h1>texte", "Titre\n\ntexte"),
        ("<p class=MsoNormal>a</p><p class=MsoNormal>b</p>", "a\nb"),
        ("<p style='margin:0'>a</p><p style='margin:0cm'>b</p>", "a\nb"),
        ("<svg><title>Canari</title><text>vu</text><text>aussi</text></svg>", "vu\naussi"),
        (
            "<span style=\"font-family:'Wingdings'\">\u00fc</span> <font face=Symbol>m</font>g",
            "✓ μg",
        ),
        ("\uf0b7 x", "\ufffd x"),
        ("a<span></span>b<p></p><p> </p>c", "ab\n\nc"),
    ],
)
def test_text_is_laid_out_as_a_browser_does(source: str, text: str) -> None:
    assert read(source) == text
    assert read(f"<!DOCTYPE html><html><body>{source}</body></html>") == text


@pytest.mark.parametrize(
    ("source", "text"),
    [
        ("<tr><th>Nom<th>Âge<tr><td>Roy<td>45", "Nom\tÂge\nRoy\t45"),
        ("<tbody><tr><td></td><td>b</td></tr></tbody>", "\tb"),
        ("<tr><td>a<td><p>b<p>c", "a\nb\n\nc"),
        ("<caption>T</caption><tr><td><table><tr><td>1<td>2</table><td>3", "T\n1\t2\t3"),
        ("<tr><td>a</td> <!-- x --> <td>b</td></tr><tr><td></td></tr><tr><td>c", "a\tb\nc"),
        ("perdu<tr><td>a", "perdu\na"),
    ],
)
def test_tables(source: str, text: str) -> None:
    assert read(f"<table>{source}</table>") == text


def test_rows_made_of_styles() -> None:
    source = "<div style='display:table-row'><div style='display:table-cell'>a</div>"
    assert read(source + "<i style='display:table-cell'>b</i></div>c") == "a\tb\nc"


@pytest.mark.parametrize(
    ("source", "text"),
    [
        ("<input value='Dupont &amp; fils'>", "Dupont & fils"),
        ("Nom:<input name=Canari value=Roy>!", "Nom: Roy !"),
        ("<textarea>\na\n b</textarea>", "a\n b"),
        ("<select><option>un<option selected>deux</select>", "deux"),
        ("<select><option value=Canari>un<option>deux</select>", "un"),
        ("<select multiple><option selected>a<option>b<option selected>c</select>", "a, c"),
        ("<input type=checkbox checked>oui<input type=radio>non", "☒ oui ☐ non"),
        ("<button>Envoyer</button>", "Envoyer"),
        ("x<input type=hidden value=Canari><input type=password value=Canari>", "x"),
        ("x<input placeholder=Canari><datalist><option>Canari</datalist>", "x"),
    ],
)
def test_forms_hold_text(source: str, text: str) -> None:
    assert read(source) == text


@pytest.mark.parametrize(
    "hidden",
    [
        "<!-- Canari --><!--[if mso]><p>Canari</p><![endif]-->",
        "<script>'Canari'</script><style>.x{content:'Canari'}</style>",
        "<template><p>Canari</p></template><noframes>Canari</noframes>",
        "<div style='display:none'>Canari<p style='display:block'>Canari</p></div>",
        "<div hidden>Canari</div><dialog>Canari</dialog>",
        "<b style='VISIBILITY : hidden !important'>Canari</b>",
        "<b style='visibility:collapse'>Canari</b><b style='opacity:0'>Canari</b>",
        "<b style='font-size:0'>Canari<i style='font-size:2em'>Canari</i></b>",
        "<b style='font: 0/0 a'>Canari</b><b style='font-size:0px'>Canari</b>",
        "<b style='position:absolute;left:-9999px'>Canari</b>",
        "<div style='max-height:0;overflow:hidden'>Canari</div>",
        "<div style='/* ; */display:/**/none'>Canari</div>",
        "<img alt=Canari title=Canari src='data:,Canari'><a href='mailto:Canari'></a>",
        "<video>Canari</video><canvas>Canari</canvas><svg><desc>Canari</desc></svg>",
        "<meta name=author content=Canari><link title=Canari><base href=Canari>",
        "<iframe width=0 height=0 src=Canari></iframe>",
    ],
)
def test_what_nobody_sees_stays_out(hidden: str) -> None:
    assert read(f"<body>a{hidden} b</body>") == "a b"
    head = f"<head><title>Canari</title>{hidden}</head>" if "<div" not in hidden else ""
    assert "Canari" not in read(f"<html>{head}<body>a{hidden}b</body></html>")


def test_what_is_shown_again_within_the_hidden_is_read() -> None:
    assert read("<div style='font-size:0'>x<td><span style='font-size:12px'>a</span></div>") == "a"
    assert read("<div style='visibility:hidden'>x<b style='visibility:visible'>a</b></div>") == "a"
    assert read("<p style='font: 700 12px Arial'>a</p>") == "a"
    assert read("<p hidden style='display:block'>a</p>") == "a"
    assert read("<div style='font-size:0'><font size=2>a</font></div>") == "a"


@pytest.mark.parametrize(
    ("head", "codec"),
    [
        ("", "utf-8"),
        ("", "utf-8-sig"),
        ("", "utf-16"),
        ("", "cp1252"),
        ("<meta charset=utf-8>", "utf-8"),
        ("<meta charset='utf-16'>", "utf-8"),
        ("<meta charset=ISO-8859-1>", "cp1252"),
        ("<meta charset=latin1>", "utf-8"),  # the bytes know better
        ("<meta http-equiv=Content-Type content='text/html; charset=windows-1252'>", "cp1252"),
        ("<meta charset=macintosh>", "mac_roman"),
        ("<meta charset=iso-8859-15>", "iso8859_15"),
        ("<meta charset=ibm850>", "cp850"),
    ],
)
def test_encodings(head: str, codec: str) -> None:
    page = f"<html><head>{head}</head><body>Mme Zoë LEFÈVRE, née à Évry, opérée</body></html>"
    assert extract(page.encode(codec), LIMITS).text == "Mme Zoë LEFÈVRE, née à Évry, opérée"
    xml = f"<?xml version='1.0' encoding='{codec}'?>{page}"
    if not head and codec != "utf-8-sig":
        assert extract(xml.encode(codec), LIMITS).text == "Mme Zoë LEFÈVRE, née à Évry, opérée"


def test_other_alphabets() -> None:
    assert extract("<meta charset=windows-1253><p>Παπάς".encode("cp1253"), LIMITS).text == "Παπάς"
    assert extract("<meta charset=koi8-r><p>Иванов".encode("koi8_r"), LIMITS).text == "Иванов"
    assert extract("<meta charset=shift_jis><p>山田".encode("cp932"), LIMITS).text == "山田"
    assert extract("<html>é</html>".encode("utf-16-le"), LIMITS).text == "é"


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"<meta charset=utf-8><p>Dupr\xe9", "unknown-encoding"),
        (b"<meta charset=x-klingon><p>Dupr\xe9", "unknown-encoding"),
        (b"<meta charset=iso-8859-2><p>it\x92s", "unknown-encoding"),
        ("<meta charset=latin1><p>é".encode() + b"\xe9", "unknown-encoding"),
        ("<p>Παπαδόπουλος Γεώργιος".encode("cp1253"), "unknown-encoding"),
        (b"<html><body><p>cut off", "broken"),
        (b"<p>cut off<b cla", "broken"),
        (b"<p>x<!-- cut off", "broken"),
        (b"<p>x<style>cut off", "broken"),
        (b"<p>x<title>cut off</p>", "broken"),
        (b"<p>D\x01U", "unknown-format"),
        (b"<div>" * 600 + b"x", "broken"),
        (b'<!DOCTYPE html [<!ENTITY a "x"><!ENTITY b "&a;&a;&a;">]><p>&b;', "broken"),
        (b"<p>x<iframe src=a.html></iframe>", "unread-part"),
        (b"<frameset><frame src=a.html></frameset>", "unread-part"),
        (b"<p>x<object data=a.pdf>y</object>", "unread-part"),
        (b"<p>x<embed src=a.pdf>", "unread-part"),
        (b"<p><img src=scan.png></p>", "no-text-layer"),
        (b"<p hidden>x</p>", "no-text"),
        (b"<html><head><title>x</title></head><body></body></html>", "no-text"),
    ],
)
def test_what_cannot_be_read_for_sure_is_refused(data: bytes, reason: str) -> None:
    assert refused(data) == reason


def test_letters_taken_for_others_before_are_put_right_or_refused() -> None:
    assert read("<p>Mme Zo&Atilde;&laquo; LEF&Atilde;&circ;VRE") == "Mme Zoë LEFÈVRE"
    assert extract("<meta charset=utf-8><p>nÃ©e".encode(), LIMITS).text == "née"
    assert refused("<p>nÃ©e, opérée".encode()) == "mojibake"


def test_xhtml_is_read_as_xml() -> None:
    head = "<?xml version='1.0'?><html xmlns='http://www.w3.org/1999/xhtml'><head>"
    head += "<title/><script src='a&gt;b'/><style /></head><body>"
    assert (
        read(head + "<p>Mme <![CDATA[R&D <b>]]></p><br/>&#233;</body></html>") == "Mme R&D <b>\n\né"
    )


def test_limits() -> None:
    tight = Limits(max_characters=10, max_bytes=3_000_000)
    assert extract(b"<p>1234567890</p>", tight).text == "1234567890"
    assert refused(b"<p>12345678901", tight) == "too-long"
    assert refused(b"<p>x" * 20_000, tight) == "too-long"
    assert refused(bytes(4_000_000), tight) == "too-large"
    assert refused(b"<b>" * 1_000_001) == "too-large"


@pytest.mark.parametrize(
    "source",
    [
        "<b><i><u>" * 2_000 + "<p>x</p>" * 2_000,
        "<table>" * 5_000,
        "<script '" * 50_000,
        "<!DOCTYPE " * 50_000,
        "<?xml?>" + "<title \"'" * 50_000,
        "<?xml?>" + "<![CDATA[" * 50_000,
        "<p style='" + "font:" * 50_000 + "'>x",
        "<p style='" + "/*" * 50_000 + "'>x",
        "&" * 500_000,
        "<meta charset" * 50_000,
        "<form><select>" * 5_000,
    ],
)
def test_hostile_pages_cost_little(source: str) -> None:
    def run() -> None:
        with suppress(Unreadable):
            read(source)

    assert calls(run) < 30 * len(source)


def tidy(text: str) -> str:
    text = re.sub(r"[^\S\n]+$", "", clean(text), flags=re.MULTILINE)
    return re.sub(r"\n{3,}", "\n\n", text).strip("\n")


LETTERS = st.characters(
    exclude_categories=("Cs", "Cc", "Cn", "Co", "Zs", "Zl", "Zp"),
    exclude_characters="ÂÃâ",  # some pairs with these are UTF-8 read wrongly, and put right
)
WORDS = st.lists(st.text(LETTERS | st.sampled_from("éÀœç’ñΠαЖ😀👩<>&\"';"), min_size=1), min_size=1)


@given(WORDS, st.sampled_from(["utf-8", "gb18030", "xmlcharrefreplace"]))
def test_what_was_written_is_read_back(words: list[str], codec: str) -> None:
    text = " ".join(words)
    said = "ascii" if codec == "xmlcharrefreplace" else codec
    page = f"<meta charset={said}><html><body><p>{standard.escape(text)}</p></body></html>"
    if codec == "xmlcharrefreplace":
        data = page.encode("ascii", codec)
    else:
        data = page.encode(codec)
    if not tidy(text).strip():
        return
    expected = re.sub(" +", " ", text)
    assert extract(data, LIMITS).text == tidy(expected).rstrip()


@given(st.lists(st.lists(st.text("ab 1é,", min_size=1).map(str.split).map(" ".join), min_size=1)))
def test_rows_are_lines(rows: list[list[str]]) -> None:
    cells = ("".join(f"<td>{cell}</td>" for cell in row) for row in rows)
    source = "<table>" + "".join(f"<tr>{row}</tr>" for row in cells) + "</table>fin"
    kept = ["\t".join(row).rstrip() for row in rows if any(row)]
    assert read(source) == "\n".join([*kept, "fin"])


@given(st.text("<>/!-=&;'\"abp tdrscript[]", max_size=200))
def test_any_markup_is_read_or_refused(source: str) -> None:
    try:
        text = extract_text(source, LIMITS)
    except Unreadable:
        return
    assert text == clean(text)
