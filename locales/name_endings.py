"""The endings of names in the genitive and the plural: `Grünwalds Befund`, `the Millers`."""

_ENDED = frozenset(("de", "en", "nl"))
# After these a name takes an apostrophe, in English another syllable.
_SIBILANTS = ("s", "x", "z", "ß")
_ENGLISH_SIBILANTS = (*_SIBILANTS, "ch", "sh")
_VOWELS = tuple("aeiouyáàâäéèêëíìîïóòôöúùûü")
_SHORTEST = 3


def stems(word: str, lang: str) -> tuple[str, ...]:
    """Return the folded names of which a folded word may be the genitive or plural.

    It is empty in languages where names have no endings. Whether one of them is a name, only lists
    and the note tell: `Peters` is a name as well.
    """
    if lang not in _ENDED or not word.endswith("s"):
        return ()
    found = []
    if not word.endswith(("ss", "xs", "zs")):
        found.append(word[:-1])
    if lang == "en" and word.endswith("es") and word[:-2].endswith(_ENGLISH_SIBILANTS):
        found.append(word[:-2])
    return tuple(stem for stem in found if len(stem) >= _SHORTEST)


def ends_in_sibilant(name: str, lang: str) -> bool:
    """Return whether a genitive of a name is an apostrophe alone, in a language with endings."""
    return lang in _ENDED and name.lower().endswith(_SIBILANTS)


def inflect(name: str, lang: str) -> str:
    """Return the genitive or plural of a name, as its own last letters ask for it.

    In languages where names have no endings it is the name.
    """
    if lang not in _ENDED:
        return name
    folded = name.lower()
    if lang == "en":
        return name + ("es" if folded.endswith(_ENGLISH_SIBILANTS) else "s")
    if folded.endswith(_SIBILANTS):
        return f"{name}'"
    return f"{name}'s" if lang == "nl" and folded.endswith(_VOWELS) else f"{name}s"
