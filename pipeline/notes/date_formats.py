"""How a date is written, as one of a few classes: never what it says."""

import re

OTHER = "other"

_CLASSES = tuple(
    (name, re.compile(expression))
    for name, expression in (
        ("99/99/9999", r"\d{1,2}/\d{1,2}/\d{4}"),
        ("99.99.9999", r"\d{1,2}\.\d{1,2}\.\d{4}"),
        ("99-99-9999", r"\d{1,2}-\d{1,2}-\d{4}"),
        ("9999-99-99", r"\d{4}-\d{1,2}-\d{1,2}"),
        ("9999/99/99", r"\d{4}/\d{1,2}/\d{1,2}"),
        ("99/99/99", r"\d{1,2}/\d{1,2}/\d{2}"),
        ("99.99.99", r"\d{1,2}\.\d{1,2}\.\d{2}"),
        ("99/99", r"\d{1,2}[/.]\d{1,2}"),
        ("99/9999", r"\d{1,2}[/.]\d{4}"),
        ("99999999", r"\d{8}|\d{6}"),
        ("9999", r"\d{4}"),
        ("99 Aaaa 9999", r"\d{1,2}(?:er|st|nd|rd|th|\.|º)?[\s-]+(?:de\s+)?[^\W\d_]+\.?,?[\s-]+"
         r"(?:de\s+|del\s+)?\d{2,4}"),
        ("Aaaa 99, 9999", r"[^\W\d_]+\.?\s+\d{1,2}(?:st|nd|rd|th)?,?\s+\d{4}"),
        ("Aaaa 9999", r"[^\W\d_]+\.?\s+(?:de\s+)?\d{4}"),
        ("99 Aaaa", r"\d{1,2}(?:er|st|nd|rd|th|\.|º)?\s+(?:de\s+)?[^\W\d_]+\.?"),
    )
)  # fmt: skip
_TIME = re.compile(r"[T\s]*(?:à|a|at|um|,)?\s*\d{1,2}\s?[:hH]\s?\d{0,2}(?::\d{2})?.*", re.DOTALL)
_LONGEST = 40


def shape(text: str) -> str:
    """Return the class that the way a date is written belongs to;
    a time behind it does not count.
    """
    text = text.strip()
    if len(text) <= _LONGEST:
        for name, expression in _CLASSES:
            found = expression.match(text)
            if found and (found.end() == len(text) or _TIME.fullmatch(text, found.end())):
                return name
    return OTHER
