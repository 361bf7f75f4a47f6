"""Ages that need one word of the rules each, and numbers that one mark rules out."""

from collections.abc import Iterator

Line = tuple[str, str]

LINES = {
    "fr": (
        "Âgé(e) : [[67|AGE]]", "Age(e) : [[67|AGE]]", "Pat. [[67|AGE]] a.",
        "Homme de [[67|AGE]], fumeur", "femme [[67|AGE]]\nfumeuse", "femme de [[67|AGE]] avec HTA",
        "H [[67|AGE]], dyspnée", "Patiente F [[67|AGE]]. Bien", "Patient H [[67|AGE]]\n",
    ),
    "en": (
        "a [[3|AGE]] day old", "a [[3|AGE]]-days-old", "age 67h", "man of [[sixty|AGE]] yrs",
        "infant of [[3|AGE]] days", "[[3|AGE]] day of age", "age 12g",
        "A [[67|AGE]]M. Pain", "A [[67|AGE]]F, seen", "A 24F, placed", "M [[67|AGE]], fell",
    ),
    "es": (
        "acude, [[67|AGE]] de edad", "Varón de [[67|AGE]], HTA", "mujer de [[67|AGE]]. HTA",
        "Hombre de [[67|AGE]] con HTA", "V [[67|AGE]], HTA", "Hombre de 67,5 kg",
    ),
    "de": (
        "[[3|AGE]] Woche alt", "[[3|AGE]] Wochen alt", "Säugling, [[3|AGE]] Wochen, kräftig",
        "[[67|AGE]]jährige Patientin",
        "Pat. [[67|AGE]] J., m,", "Patientin ([[67|AGE]] J)",
        "W [[67|AGE]], kräftig", "W 67 kg", "F 43.2",
    ),
    "nl": ("Man [[67|AGE]] jr.,", "[[3|AGE]] dag oud"),
}  # fmt: skip


def each() -> Iterator[Line]:
    """Yield (language, marked line) of ages, and of what is none without a mark."""
    for lang, lines in LINES.items():
        yield from ((lang, line) for line in lines)
