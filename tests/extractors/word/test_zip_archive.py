import io
import zipfile

import pytest
from hypothesis import given
from hypothesis import strategies as st

from extractors.document.limits import Limits
from extractors.word.docx import Archive
from record.errors import Unreadable

TEXT = b"Mme DUPONT, " * 50


def pack(members: dict[str, bytes], how: int = zipfile.ZIP_DEFLATED) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", how) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return file.getvalue()


def reason(data: bytes, name: str = "a", **limits: int) -> str:
    with pytest.raises(Unreadable) as caught:
        Archive(data, Limits(**limits)).read(name)
    return caught.value.reason


@given(st.dictionaries(st.from_regex("[a-z]{1,8}", fullmatch=True), st.binary(), min_size=1))
def test_members_are_read_by_name_whatever_its_case(members: dict[str, bytes]) -> None:
    archive = Archive(pack(members), Limits())
    for name, content in members.items():
        assert name.upper() in archive
        assert archive.read("/" + name.upper()) == content
    assert "nothing" + max(members) not in archive


def test_a_bomb_is_refused_while_it_is_read() -> None:
    bomb = pack({"a": bytes(30_000_000)})
    assert len(bomb) < 40_000
    assert reason(bomb) == "too-large"
    assert reason(bomb, max_bytes=100_000) == "too-large"


def test_members_together_stay_below_the_limit() -> None:
    content = bytes(range(256)) * 4
    archive = Archive(pack({"a": content, "b": content}), Limits(max_bytes=2_000))
    assert archive.read("a") == content
    with pytest.raises(Unreadable) as caught:
        archive.read("b")
    assert caught.value.reason == "too-large"


def test_a_size_that_is_a_lie_does_not_help() -> None:
    data = bytearray(pack({"a": TEXT}))
    at = data.index(b"PK\x01\x02") + 24
    data[at : at + 4] = (5).to_bytes(4, "little")  # decompressed size
    assert reason(bytes(data)) == "broken"


def test_crowds_are_refused() -> None:
    assert reason(pack({str(number): b"" for number in range(6_000)})) == "too-large"


def test_members_that_share_bytes_are_refused() -> None:
    data = bytearray(pack({"a": TEXT, "b": TEXT}))
    second = data.index(b"PK\x01\x02", data.index(b"PK\x01\x02") + 4)
    data[second + 42 : second + 46] = bytes(4)  # where the member begins
    assert reason(bytes(data)) == "broken"


def test_members_that_share_a_name_are_refused() -> None:
    assert reason(pack({"a": b"x", "A": b"y"})) == "broken"


def test_encrypted_members_are_refused() -> None:
    data = bytearray(pack({"a": TEXT}))
    data[data.index(b"PK\x01\x02") + 8] |= 1
    assert reason(bytes(data)) == "encrypted"


@pytest.mark.parametrize("how", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_other_compressions_are_refused(how: int) -> None:
    assert reason(pack({"a": TEXT}, how)) == "broken"


def test_a_member_that_is_not_there() -> None:
    assert reason(pack({"a": TEXT}), "b") == "broken"


@given(st.data())
def test_what_is_damaged_is_refused_or_whole(data: st.DataObject) -> None:
    whole = pack({"a": TEXT})
    assert reason(whole[: data.draw(st.integers(0, len(whole) - 1))]) == "broken"
    damaged = bytearray(whole)
    for at in data.draw(st.lists(st.integers(0, len(whole) - 1), min_size=1, max_size=5)):
        damaged[at] ^= data.draw(st.integers(1, 255))
    try:
        assert Archive(bytes(damaged), Limits()).read("a") == TEXT
    except Unreadable as unreadable:
        assert unreadable.reason in ("broken", "encrypted", "too-large")
