"""The days and times a note tells, in the order and form a clinician would."""

from datetime import date, timedelta

from synthesis.fictional.notes.mentions import plant_day
from synthesis.fictional.notes.note_writer import (
    Fill,
    Scribe,
)
from synthesis.fictional.people import calendar
from synthesis.fictional.people.agenda import first_day

# Facts of a life are the same in every note: what began more than so many days ago.
_FACT = 1500


def _birth(scribe: Scribe, _: str) -> None:
    form = scribe.birth_form
    if scribe.rng.random() < 0.2:
        form = calendar.draw_form(scribe.rng, scribe.lang, birth=True)
    value = calendar.write_day(scribe.scene.person.birth_date, scribe.lang, form)
    scribe.draft.plant(value, "BIRTH_DATE")


def _before(scribe: Scribe, days: str) -> date:
    """Draw a day before the visit, not before birth.

    What lies further back is a fact, the same in each note, and belongs to adult life.
    """
    start, birth = scribe.scene.visit.start.date(), scribe.scene.person.birth_date
    rng = scribe.rng
    if int(days) > _FACT:
        rng = scribe.facts(days)
        start = min(start, first_day(birth))
    room = (start - birth).days - 1
    if int(days) > _FACT and room > 18 * 365:
        room -= 16 * 365
    return start - timedelta(days=rng.randint(1, max(1, min(int(days), room))))


def _past(scribe: Scribe, days: str) -> None:
    plant_day(scribe, _before(scribe, days))


def _earlier(scribe: Scribe, _: str) -> None:
    plant_day(scribe, scribe.earlier())


def _recent(scribe: Scribe, days: str) -> None:
    plant_day(scribe, _before(scribe, days), partial=int(days) < 150)


def _next(scribe: Scribe, days: str) -> None:
    ahead = scribe.rng.randint(max(1, int(days) // 3), int(days))
    plant_day(scribe, scribe.day + timedelta(days=ahead), partial=int(days) < 30)


def _month(scribe: Scribe, months: str) -> None:
    day = _before(scribe, str(int(months) * 30))
    scribe.draft.plant(calendar.write_month(day, scribe.lang), "DATE")


def _next_month(scribe: Scribe, months: str) -> None:
    day = scribe.day + timedelta(days=30 * scribe.rng.randint(1, int(months)))
    scribe.draft.plant(calendar.write_month(day, scribe.lang), "DATE")


def _year(scribe: Scribe, years: str) -> None:
    scribe.draft.plant(str(_before(scribe, str(int(years) * 365)).year), "DATE")


def _range(scribe: Scribe, days: str) -> None:
    visit = scribe.scene.visit
    start, end = visit.start.date(), visit.end.date()
    if days:
        start = _before(scribe, days)
        end = min(start + timedelta(days=scribe.rng.randint(1, 9)), visit.start.date())
    if end <= start:
        scribe.draft.write(scribe.pick("on"))
        plant_day(scribe, start)
        return
    before, between = scribe.pick("range").split("/")
    scribe.draft.write(before)
    form = scribe.rng.choice(("slashes", "slashes", "words", "dots"))
    whole = scribe.scene.person.birth_date in (start, end) or start.month != end.month
    if whole or start.year != end.year:
        plant_day(scribe, start, form=form)
    elif scribe.lang == "en":
        short = "day and month in words" if form == "words" else "day and month"
        scribe.draft.plant(calendar.write_partial(start, scribe.lang, short), "DATE")
    else:
        scribe.draft.plant(
            "1er" if (start.day, scribe.lang) == (1, "fr") else str(start.day), "DATE"
        )
    scribe.draft.write(f" {between}")
    plant_day(scribe, end, form=form)


def _weekday(scribe: Scribe, _: str) -> None:
    plant_day(scribe, scribe.scene.visit.start.date(), form="weekday")


def _time(scribe: Scribe, _: str) -> None:
    hour, minute = scribe.time()
    form = "{}h{:02d}" if scribe.lang == "fr" and scribe.rng.random() < 0.7 else "{}:{:02d}"
    scribe.draft.write(form.format(hour, minute))


DAY_SLOTS: dict[str, Fill] = {
    "birth": _birth,
    "today": lambda s, _: plant_day(s, s.day),
    "day": lambda s, _: plant_day(s, min(s.day, s.scene.visit.end.date())),
    "admission": lambda s, _: plant_day(s, s.scene.visit.start.date()),
    "discharge": lambda s, _: plant_day(s, s.scene.visit.end.date()),
    "weekday": _weekday,
    "time": _time,
    "past": _past,
    "earlier": _earlier,
    "recent": _recent,
    "next": _next,
    "nextmonth": _next_month,
    "month": _month,
    "year": _year,
    "range": _range,
    "step": lambda s, _: plant_day(s, s.step(), partial=True),
}
