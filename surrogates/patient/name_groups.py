"""Which names of a record one surrogate stands for: the parts of a name are one group."""

from collections.abc import Iterable

from surrogates.patient.known_people import FAMILY, GIVEN, KnownPeople, RoleWord

# Of a group of more words, only the first letters of the first ones are kept out of its surrogate.
_LETTERS_OF = 4


class NameGroups:
    """The names of a record, grouped: a group has one surrogate, drawn by its head, its first word.

    The given names that a person bears are a group, but for words that are another person's first.
    The patient's family names by birth are a group, and all other family names are one, those by
    marriage and those of relatives: who shares a name with whom would tell a family under every
    key. A name by birth that is also the other one is of one group with it.
    """

    __slots__ = ("_heads", "_letters", "own")

    def __init__(self, known_people: KnownPeople) -> None:
        persons = known_people.persons
        self._heads: dict[RoleWord, str] = {}
        self._group(GIVEN, [person.given for person in persons])
        family = [word for person in persons for word in person.family]
        birth = known_people.birth
        self._group(FAMILY, [tuple(word for word in family if word not in birth), birth])
        letters: dict[RoleWord, list[str]] = {}
        for (role, word), head in self._heads.items():
            letters.setdefault((role, head), []).append(word[0])
        self._letters = {part: frozenset(found[:_LETTERS_OF]) for part, found in letters.items()}
        genders = self._genders(known_people)
        self.own = tuple((*part, genders.get(part, "")) for part in sorted(letters))
        """The role, head and gender of each group; the gender is empty where nobody knows it."""

    def __repr__(self) -> str:
        return f"NameGroups({len(self.own)} groups)"

    def knows(self, role: str, word: str) -> bool:
        """Return whether a folded word is of the record in a role."""
        return (role, word) in self._heads

    def head(self, role: str, word: str) -> str:
        """Return the head of a folded word's group; itself where the record does not have it."""
        return self._heads.get((role, word), word)

    def letters(self, role: str, head: str) -> frozenset[str]:
        """Return the first letters of the names of a group, which its surrogate does not have."""
        return self._letters.get((role, head)) or frozenset(head[:1])

    def _group(self, role: str, names: Iterable[tuple[str, ...]]) -> None:
        listed = [words for words in names if words]
        self._heads.update({(role, words[0]): words[0] for words in listed})
        for words in listed:
            for word in words:
                self._heads.setdefault((role, word), words[0])

    def _genders(self, known_people: KnownPeople) -> dict[RoleWord, str]:
        found: dict[RoleWord, str] = {}
        for person in known_people.persons:
            for word in person.given[:1]:
                found.setdefault((GIVEN, self.head(GIVEN, word)), person.gender)
        return found
