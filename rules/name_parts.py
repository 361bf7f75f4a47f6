"""Stretches of capitalised words, and which of their words are given and which family names."""

from collections.abc import Iterator, Sequence
from enum import StrEnum
from typing import NamedTuple

import regex

from record.label import Label
from rules.lexicon import lexicon, lexicons

# Civilities and titles, folded, without their dot.
TITLES = frozenset([
    "m", "mm", "mr", "mme", "mmes", "mlle", "mlles", "me", "dr", "drs", "pr", "prs", "prof",
    "docteur",
    "docteurs", "professeur", "professeurs", "monsieur", "madame", "mademoiselle", "mesdames",
    "messieurs", "mrs", "ms", "miss", "doctor", "professor", "sr", "sra", "srta", "sres", "don",
    "dona",
    "dna", "dra", "dras", "dres", "doctora", "maitre", "soeur", "sir", "lic", "pt", "mgr",
])  # fmt: skip
# Written all in capitals without a dot these are other things too: sclerosis, an interval, grammar.
_NO_TITLES = frozenset(["MS", "PR", "ME", "SR", "PT", "Me", "DON", "LIC", "Sir", "Don"])
_FIRST_ONLY = frozenset(["d", "don", "dona", "dna", "soeur"])
PARTICLES = frozenset([
    "de", "du", "des", "d", "la", "le", "les", "l", "van", "von", "vom", "der", "den", "ter", "ten",
    "del", "los", "las", "el", "al", "ben", "bin", "bint", "da", "do", "dos", "di", "y", "e", "i",
    "saint", "st", "san", "santa", "ould", "abou", "ait",
])  # fmt: skip
# Ordinal signs count as letters in Unicode: `NºCol` is no name.
_LETTER = r"(?:[^\W\d_ºª]|\p{M})"
_WORD = rf"\p{{Lu}}(?:{_LETTER}+|(?=['’\-]\p{{L}}{{2}}))(?![ºª])(?:['’\-‐‑]{_LETTER}+)*"
_INITIALS = r"\p{Lu}\p{Ll}?\.(?:[ ]?-?[ ]?\p{Lu}\.(?!\p{L}{2}))*"
_TOKEN = regex.compile(
    rf"(?<![\p{{L}}\p{{N}}_])(?:(?P<title>(?:Dr|Pr|Mr|Me|Ms|Sr|Pt|DR|PR|MR)\.|M\.(?=[ ]\p{{Lu}}))"
    rf"|(?P<initials>(?!(?<=/)L)(?<![°º])(?:M\.?[ªa](?=[ ]\p{{Lu}})|{_INITIALS}"
    rf"|\p{{Lu}}(?:-\p{{Lu}})+\.?(?!\p{{L}})"
    rf"|\p{{Lu}}(?![\p{{L}}'’\-°º/\d])))"
    rf"|(?P<word>{_WORD}))"
    r"|(?<=\.)(?P<glued>\p{Lu}[\p{L}\p{M}]+(?:['’\-]\p{L}[\p{L}\p{M}]*)*)"
)
_GAP = regex.compile(
    r"(?:[ \t\u00a0]{1,2}|\.[ \u00a0]{0,2})?"
    r"|\.?[ \u00a0](?:(?:de|du|des|del|la|le|los|las|van|von|der|den|ben|bin|el|al|da|do|dos|di|y|e"
    r"|i)[ \u00a0]){1,3}"
    r"(?:[dl]['’])?|[ \u00a0][dl]['’]"
)

_ELISION = regex.compile(r"^(?:[dlnsjm]|qu)'")
# Endings of diseases, procedures and drugs in the three languages.
_MEDICAL_END = regex.compile(
    r"(?:path(?:ie|y|ia)|it(?:e|is)s?|ose|osis|ome|omas?|ectom(?:ie|y|ia)|olog(?:ie|y|ia|ique"
    r"|ical|ico|ica)|scop(?:ie|y|ia)"
    r"|graph(?:ie|y)|grafia|emi[ea]|emie|uri[ea]|algi[ea]|plast(?:ie|y|ia)|tom(?:ie|y|ia)"
    r"|therap(?:ie|y)|terapia|plegi[ea]"
    r"|mab|nib|prazole?|statine?|ciline?|cilline?|mycine?|micina|olol|sartan|pril|azole?"
    r"|oxacine?|tidine?|parine?|tion|cion)s?$"
)


class Shape(StrEnum):
    """How a word of a name is written."""

    INITIALS = "initials"
    UPPER = "upper"
    TITLE = "title"


class Piece(NamedTuple):
    """One capitalised word; offsets are code points of the text, half open."""

    start: int
    end: int
    folded: str
    shape: Shape
    titled: bool

    @property
    def particle(self) -> bool:
        """Tell whether it is a particle of a name written with a capital."""
        return self.shape is not Shape.INITIALS and self.folded in PARTICLES


def stretches(text: str, folded: str) -> Iterator[list[Piece]]:
    """Yield runs of capitalised words and initials, with the particles between them.

    `folded` is the folded text, of the same length.
    """
    run: list[Piece] = []
    for token in _TOKEN.finditer(text):
        piece = _piece(text, folded, token)
        if run and not _joined(text, run[-1], piece):
            yield run
            run = []
        run.append(piece)
    if run:
        yield run


def _joined(text: str, before: Piece, piece: Piece) -> bool:
    if piece.start - before.end > 16:
        return False
    gap = text[before.end : piece.start]
    if before.titled and before.end - before.start > 1 and gap.strip(" .") == "\n":
        return True
    if "." in gap and not before.titled:
        return False
    if gap == "" and not (before.titled or before.shape is Shape.INITIALS):
        return False
    return _GAP.fullmatch(gap) is not None


def _piece(text: str, folded: str, token: "regex.Match[str]") -> Piece:
    start, end = token.span()
    if text[end - 2 : end] in ("'s", "’s") and token["initials"] is None:
        end -= 2  # an English genitive
    written = text[start:end]
    bare = folded[start:end].strip(".")
    titled = bare in TITLES and _is_title(written, bare, text[end : end + 1])
    if token["initials"] is not None or bare == "m":
        return Piece(start, end, bare, Shape.INITIALS, titled)
    upper = len(written) > 1 and written.isupper()
    return Piece(start, end, bare, Shape.UPPER if upper else Shape.TITLE, titled)


def _is_title(written: str, bare: str, after: str) -> bool:
    if written.endswith(".") or after == ".":
        return True
    return written not in _NO_TITLES and (bare != "d")


def given(word: str) -> bool:
    """Tell whether a folded word, or each part of a compound, is a given name of the lexicons."""
    names = lexicons("given_fr", "given_en", "given_es", "given_more")
    return word in names or ("-" in word and all(part in names for part in word.split("-") if part))


def surely_given(word: str) -> bool:
    """Tell whether a folded word is a given name and no everyday word."""
    return given(word) and not common(word) and word not in lexicon("given_ambiguous")


def family(word: str) -> bool:
    """Tell whether a folded word is a family name of the lexicons."""
    names = lexicons("family_fr", "family_en", "family_es")
    return word in names or ("-" in word and any(part in names for part in word.split("-")))


def clinical(word: str) -> bool:
    """Tell whether a folded word belongs to notes and their headings."""
    if word in lexicon("words_clinical"):
        return True
    return (
        len(word) > 6
        and _MEDICAL_END.search(word) is not None
        and not (family(word) or given(word))
    )


def common(word: str) -> bool:
    """Tell whether a folded word is an everyday or a clinical word."""
    words = lexicons("words_fr", "words_en", "words_es", "words_clinical", "function_words")
    if "'" in word:
        word = _ELISION.sub("", word)
    if word in words or clinical(word):
        return True
    return "-" in word and all(part in words for part in word.split("-"))


def label(pieces: Sequence[Piece], lang: str) -> list[tuple[int, int, str]]:
    """Say which pieces are given and which family names; neighbours of one kind are joined.

    Case decides first (`Jean DUPONT`), then the lexicons, then the order that the language
    prefers; what is left is a family name.
    """
    if all(piece.particle for piece in pieces):
        return [(pieces[0].start, pieces[-1].end, Label.LAST_NAME)] if pieces else []
    kinds = _kinds([piece for piece in pieces if not piece.particle], lang)
    labelled: list[tuple[int, int, str]] = []
    index = 0
    pending: int | None = None
    for piece in pieces:
        if piece.particle:
            if pending is None:
                apart = bool(labelled) and piece.start - labelled[-1][1] > 2
                pending = labelled[-1][1] + 1 if apart else piece.start
            continue
        kind = Label.FIRST_NAME if kinds[index] else Label.LAST_NAME
        index += 1
        start = piece.start if pending is None else pending
        if labelled and pending is None and piece.start - labelled[-1][1] > 2:
            start = labelled[-1][1] + 1  # a particle in small letters belongs to what follows it
        pending = None
        if labelled and labelled[-1][2] == kind:
            labelled[-1] = (labelled[-1][0], piece.end, kind)
        else:
            labelled.append((start, piece.end, kind))
    return labelled


def _kinds(pieces: list[Piece], lang: str) -> list[bool]:
    """Tell for each piece whether it is a given name."""
    if len(pieces) == 1:
        return [pieces[0].shape is Shape.INITIALS]
    if any(piece.shape is Shape.INITIALS for piece in pieces):
        return _with_initials(pieces)
    shapes = {piece.shape for piece in pieces}
    if len(shapes) == 2:
        return [piece.shape is Shape.TITLE for piece in pieces]
    return _by_lexicon(pieces, lang)


def _with_initials(pieces: list[Piece]) -> list[bool]:
    if all(piece.shape is Shape.INITIALS for piece in pieces):
        return [True] * len(pieces)
    if len([piece for piece in pieces if piece.shape is not Shape.INITIALS]) == 1:
        return [piece.shape is Shape.INITIALS for piece in pieces]
    return [
        piece.shape is Shape.INITIALS or (given(piece.folded) and not family(piece.folded))
        for piece in pieces
    ]


def _by_lexicon(pieces: list[Piece], lang: str) -> list[bool]:
    known = [given(piece.folded) for piece in pieces]
    last = len(pieces) - 1
    if lang in ("es", "en"):
        leading = 1
        while leading < last and known[leading] and not family(pieces[leading].folded):
            leading += 1
        return [at < leading for at in range(len(pieces))]
    if not known[0] and known[last]:
        return [at == last or (at > 0 and known[at]) for at in range(len(pieces))]
    if known[0] and known[last] and family(pieces[0].folded) and not family(pieces[last].folded):
        return [at == last for at in range(len(pieces))]
    leading = 1
    while leading < last and known[leading]:
        leading += 1
    return [at < leading for at in range(len(pieces))]


def first_only(title: str) -> bool:
    """Tell whether a title goes with given names (`Don Ernesto`)."""
    return title in _FIRST_ONLY
