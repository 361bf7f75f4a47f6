"""Note text: renders the templates of a note kind for one patient, visit and author."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta
from random import Random

from record.patient import Address
from synthesis.fictional.notes.planted_text import DraftText
from synthesis.fictional.people import date_formats
from synthesis.fictional.people.people import FictionalPerson, Pools, Relative
from synthesis.fictional.people.records import CareSite, Clinician, Visit
from synthesis.fictional.templates.grammar import (
    GrammaticalAgreement,
    LetterLanguage,
    Nodes,
    NoteKind,
    Section,
    Story,
    TemplateSlot,
    parse,
)

_UPPER_FAMILY = {"fr": 0.65, "en": 0.08, "es": 0.25, "de": 0.1, "nl": 0.05}
# Sentences of these follow one another; those of other pools may stand in any order.
_TOLD_IN_ORDER = frozenset({"operation"})
_TAIL = 170  # characters that a tail takes on average


@dataclass(frozen=True)
class NoteSetting:
    """The people a note can name besides the patient, and the pools for invented ones."""

    language: LetterLanguage
    pools: Pools
    clinicians: tuple[Clinician, ...]
    by_specialty: dict[str, tuple[Clinician, ...]]
    practices: dict[int, Address]
    care_sites: tuple[CareSite, ...]


@dataclass(frozen=True, slots=True)
class NoteContext:
    """What one note is about: patient, story, visit, kind, author, site and time."""

    person: FictionalPerson
    story: Story
    visit: Visit
    kind: NoteKind
    annexes: tuple[Section, ...]
    author: Clinician
    site: CareSite
    written: datetime
    length: int


class NoteWriter:
    """Writes one note; all randomness comes from the given generator.

    `slots` maps slots to the functions that fill them; any other slot is a list of words.
    """

    def __init__(
        self, cast: NoteSetting, scene: NoteContext, rng: Random, slots: Mapping[str, "Fill"]
    ) -> None:
        self.cast = cast
        self.slots = slots
        self.scene = scene
        self.rng = rng
        self.lang = cast.language.code
        self.words = cast.language.words
        self.draft = DraftText()
        self.gender = scene.person.record.gender
        self.day = scene.written.date()
        self.form = date_formats.draw_form(rng, self.lang)
        self.birth_form = date_formats.draw_form(rng, self.lang, birth=True)
        self.upper_family = rng.random() < _UPPER_FAMILY[self.lang]
        self.clock = scene.visit.start.date()
        self.minutes = scene.visit.start.hour * 60 + scene.visit.start.minute
        self.record_day = scene.visit.start.date()
        self.used: set[str] = set()
        self.kin: Relative | None = None
        gps = self.cast.by_specialty.get("gp") or self.cast.clinicians
        self.gp = gps[self.scene.person.gp % len(gps)]
        self.exam_number = ""
        self.headings = rng.choice(("{}", "{} :", "{}", "{} :", "* {} *", "== {} =="))
        self.capitals = rng.random() < 0.3
        self.title = ""
        self.years = date_formats.age(scene.person.birth_date, self.day)

    @property
    def minor(self) -> bool:
        """Whether the patient is a child on the day of the note."""
        return self.years < 18

    def note(self) -> DraftText:
        """Write the note."""
        kind = self.scene.kind
        self.title = self.rng.choice(kind.titles)
        self.write(self.rng.choice(kind.heads))
        self.draft.write("\n\n")
        # The body: each section takes its share of what is left to write.
        chosen = [section for section in kind.sections if self.rng.random() < section.chance]
        weight = sum(section.weight for section in chosen)
        for section in chosen:
            left = max(0, self.scene.length - _TAIL - self.draft.length)
            self._section(section, self.draft.length + left * section.weight / weight)
            weight -= section.weight
        for number, section in enumerate(self.scene.annexes * 20):
            missing = self.scene.length - _TAIL - self.draft.length
            if missing < 250:
                break
            again = number and len(self.scene.annexes) == 1
            self._section(
                replace(section, heading="") if again else section,
                self.draft.length + min(missing, 900.0),
            )
        self.write(self.rng.choice(kind.tails))
        return self.draft

    def plain_title(self) -> str:
        """Return the note's title without anything that identifies: its first static words."""
        first = parse(self.scene.kind.titles[0])[0]
        return first.strip() if isinstance(first, str) else ""

    def write(self, template: str) -> None:
        """Render a template at the end of the draft."""
        self._render(parse(template))

    def pick(self, word: str) -> str:
        """Draw from a list of words that holds no slots."""
        return self.rng.choice(self.words[word])

    def _render(self, nodes: Nodes) -> None:
        for node in nodes:
            if isinstance(node, str):
                self.draft.write(node)
            elif isinstance(node, TemplateSlot):
                fill = self.slots.get(node.name)
                if fill is not None:
                    fill(self, node.argument)
                else:
                    # Draw what the note has not said yet, as long as there is something.
                    options = self.words[node.name]
                    fresh = [option for option in options if option not in self.used]
                    option = self.rng.choice(fresh or options)
                    self.used.add(option)
                    self.write(option)
            elif isinstance(node, GrammaticalAgreement):
                self.draft.write(node.female if self.gender == "F" else node.male)
            else:
                self._render(self.rng.choice(node.options))

    def _section(self, section: Section, until: float) -> None:
        pool = section.pool
        own = list(self.scene.story.texts.get(pool, ()))
        pools = self.cast.language.pools
        general = list(pools.get(f"{pool}_{self._band()}", pools.get(pool, ())))
        if pool in ("reason", "question"):
            # One reason for a visit, the same in each of its notes.
            sentences = [own[self.scene.visit.visit_id % len(own)]] if own else general[:1]
        else:
            if pool not in _TOLD_IN_ORDER:
                self.rng.shuffle(general)
            sentences = own[:1] + [s for s in own[1:] + general if self.rng.random() < 0.85]
        if not sentences:
            return
        self._heading(section)
        for number, sentence in enumerate(sentences):
            # Half a sentence too long is as good as half a sentence too short.
            if number and self.draft.length + len(sentence) / 2 > until:
                break
            if number:
                self.draft.write(" " if section.style == "prose" else "\n")
            if section.style == "list":
                self.draft.write("- ")
            self.write(sentence)
        self.draft.write("\n\n")

    def _heading(self, section: Section) -> None:
        if not section.heading:
            return
        heading = section.heading.upper() if self.capitals else section.heading
        self.draft.write(self.headings.format(heading))
        inline = section.style == "prose" and self.headings.endswith(":")
        self.draft.write(" " if inline else "\n")

    def _band(self) -> str:
        if self.minor:
            return "child"
        return "young" if self.years < 40 else "old" if self.years >= 65 else "adult"

    # What slots ask for.

    def step(self) -> date:
        """Advance to the next day of a diary, at most to the day of writing."""
        last = max(self.day, self.clock)
        day = min(last, self.clock + timedelta(days=self.rng.choice((0, 0, 1, 1, 2))))
        if day > self.clock:
            self.clock, self.minutes = day, self.rng.randint(380, 600)
        return day

    def earlier(self) -> date:
        """Go back to an earlier day of the patient's file, never to one before birth."""
        first = self.scene.person.birth_date + timedelta(days=10)
        self.record_day = max(first, self.record_day - timedelta(days=self.rng.randint(9, 190)))
        return self.record_day

    def time(self) -> tuple[int, int]:
        """Advance to a later hour and minute of the current day."""
        self.minutes = min(self.minutes + self.rng.randint(5, 130), 23 * 60 + 55)
        return divmod(self.minutes, 60)

    def facts(self, topic: str) -> Random:
        """Return a random generator that is the same in every note about this patient."""
        return Random(f"{self.scene.person.record.person_id}/{self.scene.person.insurance}/{topic}")

    def doctor(self, specialty: str = "") -> Clinician:
        """Draw a physician other than the author."""
        pool = self.cast.by_specialty.get(specialty) or self.cast.clinicians
        for _ in range(8):
            doctor = self.rng.choice(pool)
            if doctor is not self.scene.author and doctor.specialty not in ("nursing", "gp"):
                break
        return doctor

    def relative(self) -> Relative:
        """Draw a relative, mostly the one named last."""
        if self.kin is None or self.rng.random() < 0.15:
            self.kin = self.rng.choice(self.scene.person.kin)
        return self.kin


Fill = Callable[[NoteWriter, str], None]
