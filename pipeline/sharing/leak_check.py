"""A look for words of notes in the bytes of a file that must hold none."""

import re
from collections.abc import Iterable
from contextlib import suppress

SHORTEST = 4
"""Letters of a word that is looked for: shorter ones stand in any bytes by chance."""

_ENCODINGS = ("utf-8", "utf-16-le", "utf-16-be", "latin-1")


def words_in(content: bytes, words: Iterable[str]) -> set[str]:
    """Find words of `SHORTEST` letters or more in bytes, in UTF-8, UTF-16 or Latin-1.

    They are looked for as they are written and in small letters, inside longer words as well.
    """
    forms = _forms(words)
    if not forms:
        return set()
    by_head: dict[bytes, list[bytes]] = {}
    for form in forms:
        by_head.setdefault(form[:SHORTEST], []).append(form)
    found = set()
    for match in _heads(by_head).finditer(content):
        at = match.start()
        for form in by_head.get(content[at : at + SHORTEST], ()):
            if content.startswith(form, at):
                found.add(forms[form])
    return found


def _heads(heads: Iterable[bytes]) -> re.Pattern[bytes]:
    """Return what finds all places of heads, and a few others, without a look at each place."""
    classes = (
        b"".join(re.escape(bytes({byte})) for byte in set(column))
        for column in zip(*heads, strict=True)
    )
    return re.compile(b"(?=" + b"".join(b"[" + some + b"]" for some in classes) + b")")


def _forms(words: Iterable[str]) -> dict[bytes, str]:
    """Return the bytes that each word can be written as; each has `SHORTEST` bytes at least."""
    forms: dict[bytes, str] = {}
    for word in words:
        if len(word) >= SHORTEST and word.isalpha():
            for written in {word, word.casefold()}:
                for encoding in _ENCODINGS:
                    with suppress(UnicodeEncodeError):
                        forms.setdefault(written.encode(encoding), word)
    return forms
