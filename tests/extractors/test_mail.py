"""Messages as mail programs write them, and as they arrive damaged."""

import base64
from email import policy
from email.message import EmailMessage

import pytest
from hypothesis import given
from hypothesis import strategies as st

from extractors.document.limits import Limits
from extractors.mail import extract
from extractors.plain.plain_text import clean
from record.errors import Unreadable

LIMITS = Limits()
LETTER = "Cher confrère,\nMme Zoë LEFÈVRE, née à Évry, va bien. Ωμέγα 😀"


def message(body: str = LETTER, **headers: str) -> EmailMessage:
    mail = EmailMessage()
    for name, value in (headers or {"From": "a@b.example", "Subject": "avis"}).items():
        mail[name] = value
    mail.set_content(body)
    return mail


def read(mail: EmailMessage | bytes) -> str:
    data = mail if isinstance(mail, bytes) else mail.as_bytes()
    return extract(data, LIMITS).text


def body_of(mail: EmailMessage | bytes) -> str:
    return read(mail).partition("\n\n")[2]


def refused(data: bytes, limits: Limits = LIMITS) -> str:
    with pytest.raises(Unreadable) as caught:
        extract(data, limits)
    return caught.value.reason


def test_headers_then_the_letter() -> None:
    mail = message(
        "Bonjour",
        Date="Mon, 01 Jan 2024 10:00:00 +0100",
        Subject="Compte rendu d’été de Mme Lefèvre, " + "très long " * 12,
        Cc="Zoë <z@b.example>",
        To="a@b.example, René Œuvrard <r@b.example>",
        From="Dr François Prévôt <f@b.example>",
        Bcc="canari@b.example",
    )
    mail["X-Mailer"] = "Canari"
    mail["Message-ID"] = "<canari@x>"
    subject = ("Compte rendu d’été de Mme Lefèvre, " + "très long " * 12).strip()
    assert read(mail) == (
        "From: Dr François Prévôt <f@b.example>\nTo: a@b.example, René Œuvrard <r@b.example>\n"
        f"Cc: Zoë <z@b.example>\nSubject: {subject}\nDate: Mon, 01 Jan 2024 10:00:00 +0100\n\n"
        "Bonjour"
    )


@pytest.mark.parametrize(
    ("header", "text"),
    [
        (b"=?iso-8859-1?Q?Ren=E9_Dupr=E9?= <a@b>", "René Dupré <a@b>"),
        (b"=?UTF-8?B?w6k=?= =?UTF-8?B?dMOp?=", "été"),
        (b"=?utf-8?q?=F0=9F?= =?utf-8?q?=98=80?= ok", "😀 ok"),
        (b"=?windows-1252?Q?c=9Cur?=", "cœur"),
        ("brut é".encode(), "brut é"),
        ("brut, opéré à l’hôpital".encode("cp1252"), "brut, opéré à l’hôpital"),
        (b"pli\r\n dans la ligne", "pli dans la ligne"),
        (b"=?x-klingon", "=?x-klingon"),
    ],
)
def test_header_encodings(header: bytes, text: str) -> None:
    assert read(b"Subject: " + header + b"\r\nFrom: x\r\n\r\nz") == f"From: x\nSubject: {text}\n\nz"


@pytest.mark.parametrize("transfer", ["8bit", "quoted-printable", "base64"])
@pytest.mark.parametrize("charset", ["utf-8", "iso-8859-15", "windows-1252", "utf-16", None])
def test_letters_of_every_encoding(transfer: str, charset: str | None) -> None:
    text = "Mme Zoë LEFÈVRE, née à Évry, opérée"
    mail = EmailMessage(policy=policy.SMTP)
    mail["From"] = "x"
    if charset == "utf-16" and transfer != "base64":
        return
    mail.set_content(text.encode(charset or "cp1252"), "text", "plain", cte=transfer)
    if charset:
        mail.set_param("charset", charset)
    assert body_of(mail) == text


def test_the_plain_letter_is_preferred() -> None:
    mail = message()
    mail.add_alternative("<p>Canari</p>", subtype="html")
    assert body_of(mail) == LETTER
    empty = message(" \n")
    empty.add_alternative("<html><body><p>Mme <b>Zoë</b></p></body></html>", subtype="html")
    assert body_of(empty) == "Mme Zoë"


def test_pages_and_rich_text() -> None:
    mail = EmailMessage()
    mail.set_content("<p>né le</p><script>Canari</script>", subtype="html", charset="latin-1")
    mail.add_related(b"\x89PNG", "image", "png")
    assert read(mail) == "né le"
    rich = message("voir")
    rich.make_mixed()
    attached = EmailMessage()
    rich.attach(attached)
    attached.set_content(rb"{\rtf1\ansi\ansicpg1252 \'e9t\'e9}", "text", "rtf")
    assert body_of(rich) == "voir\n\nété"


def test_attachments_stay_out() -> None:
    mail = message()
    mail.add_attachment(b"%PDF-1.4 Canari", "application", "pdf", filename="Canari.pdf")
    mail.add_attachment("Canari", filename="Canari.txt")
    mail.add_attachment("<p>Canari", subtype="html", filename="Canari.html")
    assert body_of(mail) == LETTER
    alone = EmailMessage()
    alone["From"] = "x"
    alone.add_attachment(b"%PDF", "application", "pdf", filename="a.pdf")
    assert refused(alone.as_bytes()) == "no-text"


def test_forwarded_messages_are_read() -> None:
    outer = message("Pour info", From="x", Subject="TR")
    outer.add_attachment(message("Bonjour", From="Dr Roy <r@b.example>", To="y"))
    assert (
        read(outer)
        == "From: x\nSubject: TR\n\nPour info\n\nFrom: Dr Roy <r@b.example>\nTo: y\n\nBonjour"
    )


def test_paragraphs_that_flow_are_joined() -> None:
    head = b"From: x\nContent-Type: text/plain; format=flowed"
    body = (
        b"\n\nMme Jeanne \nDupont va bien.\n>> cite \n>> encore\n> moins\n-- \nDr Roy\n  decale\n"
    )
    assert body_of(head + body) == (
        "Mme Jeanne Dupont va bien.\n>> cite encore\n> moins\n--\nDr Roy\n decale"
    )
    assert body_of(head + b"; delsp=yes\n\nana \nlyse \nfin") == "analysefin"
    assert body_of(b"From: x\n\nJeanne \nDupont") == "Jeanne\nDupont"


def test_signed_and_saved_pages() -> None:
    signed = message()
    signed.make_mixed()
    data = signed.as_bytes().replace(b"multipart/mixed", b"multipart/signed")
    assert body_of(data) == LETTER
    page = (
        b"From: <Saved by Blink>\nSubject: x\nMIME-Version: 1.0\nContent-Type: multipart/related; "
        b'start="<2@x>"; boundary=b\n\n--b\nContent-Type: text/html\nContent-ID: <1@x>\n\n<p>Canari'
        b"\n--b\nContent-Type: text/html\nContent-ID: <2@x>\n\n<p>vu\n--b--\n"
    )
    assert body_of(page) == "vu"


HEAD = b"From: x\nMIME-Version: 1.0\nContent-Type: "
MIXED = HEAD + b"multipart/mixed; boundary=b\n\n"


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (HEAD + b"multipart/mixed; boundary=b\n\n--b\n\ncut off\n", "broken"),
        (HEAD + b"multipart/mixed; boundary=b\n\nno part\n", "broken"),
        (HEAD + b"multipart/mixed\n\n--b\n\nx\n--b--\n", "broken"),
        (HEAD + b"text/plain\nContent-Transfer-Encoding: base64\n\nQUJ*#D!\n", "broken"),
        (HEAD + b"text/plain\nContent-Transfer-Encoding: base64\n\nQUJDR\n", "broken"),
        (HEAD + b"text/plain\nContent-Transfer-Encoding: x-zip\n\nx\n", "broken"),
        (b"From: x\nTo: y\nno header at all\nSubject: z\n\nx", "broken"),
        (HEAD + b"message/rfc822\n\n" + b"Content-Type: message/rfc822\n\n" * 3_000, "broken"),
        (HEAD + b"text/html\n\n<p>cut <b off", "broken"),
        (HEAD + b"text/plain; charset=utf-8\n\nDupr\xe9", "unknown-encoding"),
        (HEAD + b"text/plain; charset=x-klingon\n\nDupr\xe9", "unknown-encoding"),
        (HEAD + b"multipart/encrypted; boundary=b\n\n--b\n\nx\n--b--\n", "encrypted"),
        (HEAD + b"application/pkcs7-mime; smime-type=enveloped-data\n\nx", "encrypted"),
        (HEAD + b"message/partial; id=1\n\nx", "unread-part"),
        (HEAD + b"message/external-body; access-type=URL\n\nContent-Type: a/b\n\n", "unread-part"),
        (b"From x 2024\nTo: a\n\nb\n\nFrom y Mon Jan 1 2024\nTo: c\n\nd", "unknown-format"),
        (b"From: x\nTo: y\n\n", "no-text"),
        (HEAD + b"text/html\n\n<img src=cid:1>", "no-text"),
        (MIXED + b"--b\n\nx\n" * 501 + b"--b--", "too-many-parts"),
        (MIXED + b"--b\n\n" * 50_000 + b"--b--", "too-many-parts"),
    ],
)
def test_what_cannot_be_read_for_sure_is_refused(data: bytes, reason: str) -> None:
    assert refused(data) == reason


def test_nested_too_deep() -> None:
    mail = message("x", From="x")
    for _ in range(25):
        outer = message("y", From="x")
        outer.add_attachment(mail)
        mail = outer
    assert refused(mail.as_bytes()) == "too-many-parts"


def test_limits() -> None:
    tight = Limits(max_characters=20, max_bytes=1_000_000)
    assert extract(b"From: x\n\n12345", tight).text == "From: x\n\n12345"
    assert refused(b"From: x\n\n1234567890123", tight) == "too-long"
    assert refused(b"From: x\n\n" + b"1" * 2_000, tight) == "too-long"
    assert refused(bytes(2_000_000), tight) == "too-large"


LINES = st.characters(
    exclude_categories=("Cs", "Cc", "Cn", "Co", "Zl", "Zp"),
    # Some pairs with these are UTF-8 read wrongly, and put right; soft hyphens mend words.
    exclude_characters="ÂÃâ\xad",
)


@given(
    st.text(LINES | st.sampled_from("éÀœç’ñΠαЖ😀👩=?_"), min_size=1).filter(str.strip),
    st.text(LINES | st.sampled_from("éÀœç’ñΠαЖ😀👩=\n>."), min_size=1).filter(str.strip),
)
def test_what_was_written_is_read_back(subject: str, body: str) -> None:
    word = base64.b64encode(subject.encode()).decode()
    mail = EmailMessage()
    mail["From"] = "x"
    mail.set_content(body.encode(), "text", "plain", cte="base64")
    mail.set_param("charset", "utf-8")
    data = b"Subject: =?utf-8?b?" + word.encode() + b"?=\n" + mail.as_bytes()
    head = " ".join(subject.split())
    text = extract(data, LIMITS).text
    assert text.startswith(clean(f"From: x\nSubject: {head}").rstrip())
    lines = [line.rstrip() for line in clean(f"{head}\n{body}").split("\n")]
    assert [line for line in text.split("\n")[2:] if line] == [line for line in lines[1:] if line]


@given(st.binary(max_size=200))
def test_any_bytes_are_read_or_refused(data: bytes) -> None:
    for head in (b"", b"From: x\n", HEAD + b"multipart/mixed; boundary=a\n\n--a\n"):
        try:
            text = extract(head + data, LIMITS).text
        except Unreadable:
            continue
        assert text == clean(text)
