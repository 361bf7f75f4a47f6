"""Searches binary files for words of notes."""

import re
from collections.abc import Iterable
from contextlib import suppress

SHORTEST = 4
"""The length of the shortest word searched for: shorter ones occur in any bytes by chance."""

_ENCODINGS = ("utf-8", "utf-16-le", "utf-16-be", "latin-1")


def find_words(content: bytes, words: Iterable[str]) -> set[str]:
    """Find words of `SHORTEST` letters or more in bytes, in UTF-8, UTF-16 or Latin-1.

    Words match as written and in lower case, and inside longer words.
    """
    forms = _encode_forms(words)
    if not forms:
        return set()
    by_head: dict[bytes, list[bytes]] = {}
    for form in forms:
        by_head.setdefault(form[:SHORTEST], []).append(form)
    found = set()
    # A pattern that matches all prefixes, and a few other places, in one fast pass
    classes = (
        b"".join(re.escape(bytes({byte})) for byte in set(column))
        for column in zip(*by_head, strict=True)
    )
    for match in re.compile(
        b"(?=" + b"".join(b"[" + some + b"]" for some in classes) + b")"
    ).finditer(content):
        at = match.start()
        for form in by_head.get(content[at : at + SHORTEST], ()):
            if content.startswith(form, at):
                found.add(forms[form])
    return found


def _encode_forms(words: Iterable[str]) -> dict[bytes, str]:
    """Return the encoded forms of each word; each has at least `SHORTEST` bytes."""
    forms: dict[bytes, str] = {}
    for word in words:
        if len(word) >= SHORTEST and word.isalpha():
            for written in {word, word.casefold()}:
                for encoding in _ENCODINGS:
                    with suppress(UnicodeEncodeError):
                        forms.setdefault(written.encode(encoding), word)
    return forms
