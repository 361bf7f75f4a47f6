"""Draws surrogates of names from all names of their role and gender, in a form of their own.

Nothing of the original shows in the surrogate but the gender: neither frequency nor origin, nor
whether a list has it, nor how many words it has.
"""

from collections.abc import Set
from dataclasses import dataclass, field

from record.errors import Unsafe
from surrogates.keys.keys import PatientKey
from surrogates.patient import name_pools
from surrogates.patient.known_people import GIVEN, RoleWord
from surrogates.patient.name_draws import PURPOSE
from surrogates.patient.name_groups import NameGroups
from surrogates.patient.near_values import NearValues
from surrogates.patient.text_normalization import fold
from surrogates.permutations.list_permutation import Permutation

# Draws before giving up on a name; each fails with a probability below 1/2.
_DRAWS = 128
_NOTHING: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class DrawnName:
    """A surrogate: the whole name, and its words; initials and accounts are made of the first."""

    text: str = field(repr=False)
    words: tuple[str, ...] = field(repr=False)

    @property
    def folded(self) -> frozenset[str]:
        """The folded words."""
        return frozenset(map(fold, self.words))


class MixedDraws:
    """Draws the surrogates of the names in one patient's notes.

    `known` has the folded words that no word of a surrogate may be. No two groups of the record
    share a surrogate, and no other name has one of theirs. In notes of another language than the
    policy's they have the surrogates that `home` draws: a patient has one name in all notes.
    """

    def __init__(
        self,
        key: PatientKey,
        locale: str,
        known: NearValues,
        groups: NameGroups,
        home: "MixedDraws | None" = None,
    ) -> None:
        self._key = key
        self._locale = locale
        self._known = known
        self._home = home
        self.groups: NameGroups = groups if home is None else home.groups
        self._permutations: dict[str, Permutation] = {}
        self._own: dict[RoleWord, DrawnName] | None = None
        self._taken: dict[str, frozenset[str]] = {}
        self._drawn: dict[tuple[str, str, str, str], DrawnName] = {}
        self.has_met = False
        self._registered: set[tuple[str, str, str]] = set()
        self._first_words: set[RoleWord] = set()

    def draw(self, role: str, value: str, gender: str = "", variant: str = "") -> DrawnName:
        """Return the surrogate of a folded word; without a `gender` it has that of the lists.

        The words of a group have one surrogate, that of its head. Two other names share one with a
        chance of about 1 in 5,000, unless both are listed and rare: then never, but for those whose
        first draw is refused. `variant` asks for another than the usual surrogate. Raises Unsafe
        where no draw is acceptable.
        """
        if self._home is not None and self.groups.knows(role, value):
            return self._home.draw(role, value, gender, variant)
        head = self.groups.head(role, value)
        own = self._draw_own() if self._own is None else self._own
        if not variant and (role, head) in own:
            return own[role, head]
        asked = (role, head, gender, variant)
        drawn = self._drawn.get(asked)
        if drawn is None:
            drawn = self._drawn[asked] = self._compose(role, head, gender, variant, _NOTHING)
        return drawn

    def register(self, parts: Set[tuple[str, str, str]]) -> None:
        """Draw the names of a note; `has_met` tells whether two such words ever had one surrogate.

        Parts are role, word and gender, which is empty where the lists decide. Only then a note has
        to be searched for names that meet. The record's names never do.
        """
        for role, value, gender in sorted(parts - self._registered):
            self._registered.add((role, value, gender))
            if not self.groups.knows(role, value):
                first = role, fold(self.draw(role, value, gender).words[0])
                self.has_met |= first in self._first_words
                self._first_words.add(first)

    def draw_apart(self, role: str, value: str, gender: str, taken: Set[str]) -> DrawnName:
        """Return the next surrogate of a word that has none of the folded words in `taken`.

        Where there is none, it is the first that meets one of them.
        """
        if self._home is not None and self.groups.knows(role, value):
            return self._home.draw_apart(role, value, gender, taken)
        self.draw(role, value, gender)
        return self._compose(role, self.groups.head(role, value), gender, "", taken)

    def draw_member(self, role: str, value: str, gender: str) -> DrawnName:
        """Return a surrogate of one word for one of several names that stand apart in a list.

        It is that of the word itself, whatever its group.
        """
        if self._home is not None and self.groups.knows(role, value):
            return self._home.draw_member(role, value, gender)
        asked = (role, value, gender, "member")
        drawn = self._drawn.get(asked)
        if drawn is None:
            self._own = self._own or self._draw_own()
            whole = self._compose(role, value, gender, "", _NOTHING)
            drawn = self._drawn[asked] = DrawnName(whole.words[0], whole.words[:1])
        return drawn

    def _draw_own(self) -> dict[RoleWord, DrawnName]:
        """Draw the surrogates of the record's groups, each with none of those before it."""
        own: dict[RoleWord, DrawnName] = {}
        if self._home is not None:
            own = self._home._own or self._home._draw_own()
            self._taken = dict(self._home._taken)
        for role, head, gender in self.groups.own if self._home is None else ():
            drawn = own[role, head] = self._compose(role, head, gender, "", _NOTHING)
            self._taken[role] = self._taken.get(role, _NOTHING) | drawn.folded
        self._own = own
        return own

    def _compose(
        self, role: str, head: str, gender: str, variant: str, taken: Set[str]
    ) -> DrawnName:
        about = f"{head}/{variant}" if variant else head
        drawn = self._key.number(f"{PURPOSE}/form/{role}", about, name_pools.FORMS)
        form = name_pools.form(role, self._locale, drawn)
        pool = name_pools.load(role, self._gender(role, head, gender), self._locale)
        letters = self.groups.letters(role, head)
        taken = self._taken.get(role, _NOTHING) | taken
        particle = "" if form.particle[:1] in letters else form.particle
        before = (particle.strip(),) if particle else ()
        words = [self._pick(pool, about, letters, taken, before)]
        if form.words > 1:
            taken |= {fold(words[0])}
            before = (*before, fold(words[0]))
            words.append(self._pick(pool, f"{about}/second", letters, taken, before))
        return DrawnName(particle + form.joint.join(words), tuple(words))

    def _pick(
        self,
        pool: name_pools.NamePool,
        about: str,
        letters: Set[str],
        taken: Set[str],
        before: tuple[str, ...],
    ) -> str:
        """Draw a word; neither it nor it behind the words before is known of the patient."""
        permutation = self._permutations.get(pool.name)
        if permutation is None:
            permutation = Permutation.expanded(self._key, f"{PURPOSE}/{pool.name}", len(pool.slots))
            self._permutations[pool.name] = permutation
        start = pool.places.get(about)
        if start is None:
            start = self._key.number(f"{PURPOSE}/{pool.name}", about, len(pool.slots))
        spare = ""
        for counter in range(_DRAWS):
            name = pool.slots[permutation.step(start, counter)]
            folded = fold(name)
            if folded[0] in letters or (spare and folded in taken) or folded in self._known:
                continue
            if before and self._known.stands_in((*before, folded)):
                continue
            if folded not in taken:
                return name
            spare = name
        if not spare:
            raise Unsafe("no-surrogate")
        # A note of thousands of names: two of them meet.
        return spare

    def _gender(self, role: str, value: str, gender: str) -> str:
        """Return the gender of a given name: of the person, else of the lists, else any."""
        if role != GIVEN:
            return ""
        told = gender if gender in ("M", "F") else name_pools.gender_of(value, self._locale)
        if told in ("M", "F"):
            return told
        return "FM"[self._key.number(f"{PURPOSE}/gender", value, 2)]
