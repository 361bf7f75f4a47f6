"""Ages that need one word of the rules each, and numbers that one mark rules out."""

from collections.abc import Iterator

Line = tuple[str, str]

LINES = {
    "fr": ("Âgé(e) : [[67|AGE]]", "Age(e) : [[67|AGE]]", "Pat. [[67|AGE]] a."),
    "en": (
        "a [[3|AGE]] day old", "a [[3|AGE]]-days-old", "age 67h", "man of [[sixty|AGE]] yrs",
        "infant of [[3|AGE]] days", "[[3|AGE]] day of age", "age 12g",
    ),
    "es": ("acude, [[67|AGE]] de edad",),
    "de": (
        "[[3|AGE]] Woche alt", "[[3|AGE]] Wochen alt", "Säugling, [[3|AGE]] Wochen, kräftig",
        "[[67|AGE]]jährige Patientin",
        "Pat. [[67|AGE]] J., m,", "Patientin ([[67|AGE]] J)",
    ),
    "nl": ("Man [[67|AGE]] jr.,", "[[3|AGE]] dag oud"),
}  # fmt: skip


def each() -> Iterator[Line]:
    """Yield (language, marked line) of ages, and of what is none without a mark."""
    for lang, lines in LINES.items():
        yield from ((lang, line) for line in lines)
