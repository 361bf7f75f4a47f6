"""Content of labelled pages: letters of fictional wards, and their bodies split into rows."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from random import Random
from typing import Literal

from record.document import Annotated, Document
from record.errors import ConfigError
from record.patient import Address
from synthesis.fictional.labelled_pages.vocabulary import PAGE_WORDS
from synthesis.fictional.notes.note_writer import NoteContext, NoteSetting, NoteWriter
from synthesis.fictional.notes.planted_text import annotate
from synthesis.fictional.notes.slots import SLOTS
from synthesis.fictional.pdf_letters.letterhead import Letter
from synthesis.fictional.pdf_letters.marked_lines import MarkedLine, paragraphs
from synthesis.fictional.people.people import FictionalPerson, PersonFactory, make_pools
from synthesis.fictional.people.records import CareSite, Clinician, FictionalNote
from synthesis.fictional.people.visit_planning import PlannedVisit, VisitPlanner
from synthesis.fictional.templates.grammar import NoteKind, Section
from synthesis.fictional.templates.languages import LANGUAGES

_PATIENTS = 8
_WARDS = 16  # wards of a language that training letters come from; held-out ones have as many
_HEADING = "\u00a7"

Style = Literal["title", "heading", "bullet", "prose", "gap"]
Volume = Literal["tiny", "short", "page", "long"]

_LENGTHS = {"tiny": (60, 160), "short": (400, 1100), "page": (1300, 2600), "long": (3500, 7000)}


@dataclass(frozen=True, slots=True)
class BodyRow:
    """A paragraph of a body and its style; a gap has no text."""

    line: MarkedLine
    style: Style


@dataclass(frozen=True, slots=True)
class BodyCase:
    """A letter, the rows of its body, and the physician it is addressed to."""

    letter: Letter
    rows: tuple[BodyRow, ...]
    recipient: Clinician
    practice: Address


@dataclass(frozen=True)
class _WardData:
    cast: NoteSetting
    persons: dict[int, FictionalPerson]
    bookings: tuple[PlannedVisit, ...]
    clinicians: dict[int, Clinician]
    sites: dict[int, CareSite]


def make_case(seed: int, lang: str, *, held_out: bool, volume: Volume) -> BodyCase:
    """Write a letter; people of held-out letters never occur in training letters.

    Raises ConfigError for a language there are no templates for.
    """
    if lang not in PAGE_WORDS:
        raise ConfigError("lang", "no templates for this language", "choose one of fr, en, es")
    random = Random(f"case:{held_out}:{lang}:{seed}")
    ward = _ward(lang, random.randrange(_WARDS) + (1000 if held_out else 0))
    booking = random.choice(ward.bookings)
    kind, written, provider_id = random.choice(booking.notes)
    scene = NoteContext(
        person=ward.persons[booking.visit.person_id],
        story=booking.story,
        visit=booking.visit,
        kind=_plain(LANGUAGES[lang].kinds[kind], lang, random, volume),
        annexes=LANGUAGES[lang].annexes[kind] if volume == "long" else (),
        author=ward.clinicians[provider_id],
        site=ward.sites.get(booking.visit.care_site_id, ward.cast.care_sites[0]),
        written=written,
        length=random.randint(*_LENGTHS[volume]),
    )
    scribe = NoteWriter(ward.cast, scene, random, SLOTS)
    scribe.headings, scribe.capitals = f"{_HEADING}{{}}", False
    text = annotate(Document(str(seed), "", lang=lang, kind=kind), scribe.note().pieces)
    letter = _letter(seed, scene, ward, text)
    practice = ward.cast.practices.get(scribe.gp.provider_id, scene.site.address)
    return BodyCase(letter, tuple(_rows(text)), scribe.gp, practice)


def _plain(kind: NoteKind, lang: str, random: Random, volume: Volume) -> NoteKind:
    """A kind without the letterhead, identity and signature that a note as text brings along."""
    words = PAGE_WORDS[lang]
    opening = "" if volume == "tiny" else random.choice(words.openings)
    closing = random.choice(words.closings)
    sections = kind.sections
    if volume == "tiny":
        (chosen,) = random.sample(sections, 1)
        sections = (Section("", chosen.pool),)
    elif volume == "short":
        count = min(len(sections), random.randint(2, 4))
        sections = tuple(sorted(random.sample(sections, count), key=kind.sections.index))
    head = "{title}\n\n" + opening
    return replace(kind, heads=(head,), sections=sections, tails=(closing,))


def _rows(text: Annotated) -> Iterator[BodyRow]:
    for number, whole in enumerate(paragraphs(text)):
        if not whole.text.strip():
            yield BodyRow(MarkedLine(""), "gap")
        elif number == 0:
            yield BodyRow(whole, "title")
        elif whole.text.startswith(_HEADING):
            yield BodyRow(whole.cut(len(_HEADING), len(whole.text)), "heading")
        else:
            yield BodyRow(whole, "bullet" if whole.text.startswith("- ") else "prose")


def _letter(seed: int, scene: NoteContext, ward: _WardData, text: Annotated) -> Letter:
    note = FictionalNote(
        note_id=seed,
        person_id=scene.visit.person_id,
        provider_id=scene.author.provider_id,
        visit_id=scene.visit.visit_id,
        care_site_id=scene.site.care_site_id,
        kind=text.document.kind,
        title="",
        lang=text.document.lang,
        written=scene.written,
        annotated=text,
        rendering="pdf",
    )
    random = Random(f"team:{seed}:{scene.author.provider_id}")
    others = [c for c in ward.cast.clinicians if c is not scene.author and c.specialty != "gp"]
    team = (scene.author, *random.sample(others, random.randint(3, 6)))
    # Name a hospital; most are named after a town or a person, and are known nowhere else
    pools, lang = ward.cast.pools, ward.cast.language.code
    if random.random() < 0.25:
        named = ward.cast.care_sites[0].name
    else:
        form = random.choice(PAGE_WORDS[lang].hospitals)
        named = form.format(
            town=random.choice(pools.towns).city,
            family=random.choice(pools.family),
            given=random.choice(pools.given[random.choice(sorted(pools.given))]),
        )
    record, group = scene.person.record, replace(ward.cast.care_sites[0], name=named)
    return Letter(note, record, scene.author, team, scene.site, group, scene.visit)


@lru_cache(maxsize=256)
def _ward(lang: str, number: int) -> _WardData:
    language, seed = LANGUAGES[lang], 7_000 + number
    pools = make_pools(language, seed)
    registry = PersonFactory(language, seed, pools)
    clinicians, sites = registry.clinicians(24), registry.care_sites()
    teams: dict[str, tuple[Clinician, ...]] = {}
    for clinician in clinicians:
        teams[clinician.specialty] = (*teams.get(clinician.specialty, ()), clinician)
    random = Random(f"practices:{seed}")
    practices = {}
    for clinician in teams.get("gp", ()):
        town = random.choice(pools.towns)
        street = random.choice(pools.streets)
        practices[clinician.provider_id] = Address(street, town.zip, town.city, town.region)
    gps = max(1, len(practices))
    persons = {n: registry.person(n, None, gps=gps) for n in range(1, _PATIENTS + 1)}
    planner = VisitPlanner(language, seed, 5.0, teams, sites)
    bookings = planner.plan(persons, first_visit_id=1)
    return _WardData(
        cast=NoteSetting(language, pools, clinicians, teams, practices, sites),
        persons=persons,
        bookings=tuple(booking for booking in bookings if booking.notes),
        clinicians={clinician.provider_id: clinician for clinician in clinicians},
        sites={site.care_site_id: site for site in sites},
    )
