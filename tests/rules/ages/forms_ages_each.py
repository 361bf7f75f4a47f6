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
        "Siblings Malachy ([[2|AGE]]), Siobhan ([[5|AGE]]; nursery)", "Malachy, [[60|AGE]]. Seen",
        "Mrs Gallagher, [[81|AGE]], fell", "Elena Rusu, [[52|AGE]] meat plant",
        "Elena Rusu, 4 steps", "Elena Rusu, 60 minutes", "Elena Rusu, 2. Seen", "Cobb, 48, left",
         "seen with Malachy, [[60|AGE]]\n", "Malachy, [[9|AGE]]",
        "Agenda 3. Coke", "Malachy, 3,180 g", "Malachy, 20 min", "Malachy (3,5 cm)",
        "Norton, 14.", "Schober (3)",
        "xMalachy (4)", "malachy (4)", "Malachy, 16:30",
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
