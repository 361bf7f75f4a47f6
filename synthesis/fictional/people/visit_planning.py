"""Planning of visits and of the notes each of them produces."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from random import Random

from synthesis.fictional.people import identifiers
from synthesis.fictional.people.date_formats import age
from synthesis.fictional.people.people import FictionalPerson
from synthesis.fictional.people.records import CareSite, Clinician, Visit
from synthesis.fictional.templates.grammar import LetterLanguage, Story

# The last day on which somebody comes; a fiction has no clock of its own.
HORIZON = date(2025, 6, 30)

# What a visit leaves behind, in order, and how often there is such a visit.
_PATHWAYS: tuple[tuple[float, tuple[str, ...]], ...] = (
    (0.26, ("consultation",)),
    (0.12, ("emergency",)),
    (0.10, ("emergency", "imaging")),
    (0.10, ("imaging", "consultation")),
    (0.16, ("nursing", "imaging", "operation", "pathology", "nursing", "discharge")),
    (0.14, ("emergency", "imaging", "nursing", "discharge")),
    (0.12, ("board",)),
)
_STAYS = frozenset({"discharge", "operation", "nursing"})
# A story without these sentences has no such note.
_NEEDS = {"operation": "operation", "pathology": "macroscopy", "board": "decision"}

NoteEntry = tuple[str, datetime, int]


@dataclass(frozen=True, slots=True)
class PlannedVisit:
    """A visit, its story, and its notes: kind, time of writing, author's id."""

    visit: Visit
    story: Story
    notes: tuple[NoteEntry, ...]


@dataclass(frozen=True, slots=True)
class VisitPlanner:
    """Plans visits; those of a person depend on the seed and that person only."""

    language: LetterLanguage
    seed: int
    notes_per_patient: float
    by_specialty: Mapping[str, tuple[Clinician, ...]]
    care_sites: tuple[CareSite, ...]

    def plan(
        self, persons: Mapping[int, FictionalPerson], *, first_visit_id: int
    ) -> tuple[PlannedVisit, ...]:
        """Plan the visits of all persons, numbered from `first_visit_id` on."""
        bookings: list[PlannedVisit] = []
        for person_id, person in persons.items():
            rng = self._rng(person_id)
            pathways = list(self._pathways(rng, self._count(rng)))
            # Draw when somebody comes: within some years before the horizon, after birth.
            count = len(pathways)
            last = HORIZON - timedelta(days=20)
            first = first_day(person.birth_date)
            span = max(1, (last - first).days)
            since = rng.randint(0, span * 2 // 3)
            days = sorted(first + timedelta(days=rng.randint(since, span)) for _ in range(count))
            starts = [
                datetime.combine(day, time(rng.randint(6, 23), rng.randrange(60))) for day in days
            ]
            earliest = starts[0]
            for wanted, pathway in zip(starts, pathways, strict=True):
                start = max(wanted, earliest)
                visit_id = first_visit_id + len(bookings)
                booking = self._book(rng, person_id, person, visit_id, (start, pathway))
                bookings.append(booking)
                earliest = booking.visit.end + timedelta(days=2)
        return tuple(bookings)

    def fill(
        self, persons: Mapping[int, FictionalPerson], visits: Iterable[Visit]
    ) -> tuple[PlannedVisit, ...]:
        """Spread the notes of each person over the visits there already are."""
        theirs: dict[int, list[Visit]] = {}
        for visit in visits:
            theirs.setdefault(visit.person_id, []).append(visit)
        bookings: list[PlannedVisit] = []
        for person_id, person in persons.items():
            known = sorted(theirs.get(person_id, ()), key=lambda v: (v.start, v.visit_id))
            if known:
                bookings += self._fill(self._rng(person_id), person_id, person, known)
        return tuple(bookings)

    def _fill(
        self, rng: Random, person_id: int, person: FictionalPerson, visits: Sequence[Visit]
    ) -> list[PlannedVisit]:
        chosen: dict[int, list[tuple[str, ...]]] = {}
        for pathway in self._pathways(rng, self._count(rng)):
            chosen.setdefault(rng.randrange(len(visits)), []).append(pathway)
        bookings = []
        for index in sorted(chosen):
            visit = visits[index]
            story = self._story(person_id, person, visit.start.date())
            kinds = [kind for pathway in chosen[index] for kind in self._possible(pathway, story)]
            bookings.append(PlannedVisit(visit, story, self._entries(rng, visit, kinds, story)))
        return bookings

    def _rng(self, person_id: int) -> Random:
        return Random(f"{self.seed}/{self.language.code}/visits/{person_id}")

    def _count(self, rng: Random) -> int:
        wanted = self.notes_per_patient * rng.uniform(0.4, 1.6)
        whole = int(wanted)
        return max(1, whole + (rng.random() < wanted - whole))

    def _pathways(self, rng: Random, count: int) -> Iterable[tuple[str, ...]]:
        weights = [weight for weight, _ in _PATHWAYS]
        while count > 0:
            kinds = rng.choices(_PATHWAYS, weights)[0][1]
            if len(kinds) > count:
                kept = sorted(rng.sample(range(len(kinds)), count))
                kinds = tuple(kinds[index] for index in kept)
            count -= len(kinds)
            yield kinds

    def _possible(self, pathway: Sequence[str], story: Story) -> list[str]:
        """Swap kinds of note that the story cannot fill for ones that any story can."""
        swaps = {"operation": "imaging", "pathology": "consultation", "board": "consultation"}
        return [
            kind if _NEEDS.get(kind, "reason") in story.texts else swaps[kind] for kind in pathway
        ]

    def _book(
        self,
        rng: Random,
        person_id: int,
        person: FictionalPerson,
        visit_id: int,
        plan: tuple[datetime, tuple[str, ...]],
    ) -> PlannedVisit:
        start, pathway = plan
        story = self._story(person_id, person, start.date())
        kinds = self._possible(pathway, story)
        if "emergency" not in kinds:
            start = start.replace(hour=min(16, max(8, start.hour)))
        end = start + timedelta(minutes=rng.randint(40, 150 if len(kinds) == 1 else 400))
        if _STAYS & set(kinds):
            end = start.replace(hour=rng.randint(9, 16)) + timedelta(days=rng.randint(2, 11))
        site = rng.choice(self.care_sites)
        visit = Visit(
            visit_id=visit_id,
            person_id=person_id,
            provider_id=self._author(rng, kinds[-1], story).provider_id,
            care_site_id=site.care_site_id,
            number=identifiers.visit_number(rng, self.language.code),
            start=start,
            end=end,
        )
        return PlannedVisit(visit, story, self._entries(rng, visit, kinds, story))

    def _entries(
        self, rng: Random, visit: Visit, kinds: Sequence[str], story: Story
    ) -> tuple[NoteEntry, ...]:
        entries = []
        for kind in kinds:
            author = self._author(rng, kind, story)
            entries.append((kind, _written(rng, kind, visit), author.provider_id))
        return tuple(sorted(entries, key=lambda entry: entry[1]))

    def _author(self, rng: Random, kind: str, story: Story) -> Clinician:
        specialty = self.language.kinds[kind].specialty or story.specialty
        everybody = self.by_specialty
        pool = everybody.get(specialty) or next(iter(everybody.values()))
        return rng.choice(pool)

    def _story(self, person_id: int, person: FictionalPerson, day: date) -> Story:
        """Choose a patient's illness: the same at every visit while age permits."""
        stories = list(self.language.stories)
        Random(f"{self.seed}/{self.language.code}/story/{person_id}").shuffle(stories)
        years = age(person.birth_date, day)
        fitting = [story for story in stories if person.record.gender in story.genders]
        suited = [story for story in fitting if story.ages[0] <= years <= story.ages[1]]
        at_first = age(person.birth_date, first_day(person.birth_date))
        for story in suited:
            if story.ages[0] <= at_first <= story.ages[1]:
                return story
        return suited[0] if suited else min(fitting, key=lambda story: abs(story.ages[0] - years))


def first_day(birth: date) -> date:
    """Return the first day on which a person of that age can have a visit."""
    return max(birth + timedelta(days=45), HORIZON - timedelta(days=3620))


def _written(rng: Random, kind: str, visit: Visit) -> datetime:
    length = visit.end - visit.start
    if kind in ("discharge", "board"):
        return visit.end
    if kind == "emergency":
        return min(visit.end, visit.start + timedelta(minutes=rng.randint(70, 300)))
    if kind == "consultation":
        return min(visit.end, visit.start + timedelta(minutes=rng.randint(20, 90)))
    if kind == "pathology":
        return visit.end + timedelta(days=rng.randint(0, 5), minutes=rng.randint(0, 300))
    moment = (visit.start + length * rng.uniform(0.1, 0.9)).replace(second=0, microsecond=0)
    by_day = moment.replace(hour=min(19, max(8, moment.hour)))
    return by_day if kind != "nursing" and visit.start <= by_day <= visit.end else moment
