"""Labelled pages: letters in layouts without number, and what each line on them is."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from math import cos, radians, sin
from random import Random

from record.label import Label
from synthesis.fictional.labelled_pages import identity_blocks, letterheads
from synthesis.fictional.labelled_pages.bodies import BodyRow, Volume, make_case
from synthesis.fictional.labelled_pages.layouts import (
    HELD_OUT_LAYOUTS,
    TRAINING_LAYOUTS,
    PageLayout,
    sample_layout,
    simpler,
)
from synthesis.fictional.labelled_pages.page_context import BLACK, RULE, Frame, PageContext
from synthesis.fictional.pdf_letters import letterhead
from synthesis.fictional.pdf_letters.drawing import Box, PaperSheet, Placed, Stroke, ink, measure
from synthesis.fictional.pdf_letters.layouts import A4, Face
from synthesis.fictional.pdf_letters.marked_lines import MarkedLine, joined, line, wrap

_SHADE = (0.93, 0.94, 0.96)

Part = tuple[MarkedLine, float, Face, float]


@dataclass(frozen=True, slots=True)
class Slug:
    """What stands on one base line of a column: parts with their shift, face and spread of blanks.

    `above` is the room over it where it does not begin a column. `rules` and `strokes` are drawn
    relative to the column's left edge and the base line. `keep` holds it to the slug that follows.
    """

    parts: tuple[Part, ...]
    leading: float
    above: float = 0.0
    kind: str = "body"
    rules: tuple[Box, ...] = ()
    strokes: tuple[Stroke, ...] = ()
    keep: bool = False

    def severed(self) -> "Slug":
        """Return the slug as it stands after the end of a page; see `Line.severed`."""
        parts = tuple((row.severed(), x, face, spread) for row, x, face, spread in self.parts)
        return replace(self, parts=parts)


def chart(desk: PageContext, width: float) -> Iterator[Slug]:
    """Set a table of laboratory results or medications, in three to five columns."""
    random, words = desk.random, desk.page_words
    labs = random.random() < 0.55
    count = random.randint(3, 5) if width > 230.0 else 3
    if labs:
        head, title = words.lab_head, words.lab_title
        rows = [_lab(row, random) for row in random.sample(words.labs, random.randint(4, 12))]
    else:
        head, title = words.drug_head, words.drug_title
        rows = [(*row.split("|"), "") for row in random.sample(words.drugs, random.randint(3, 8))]
    titled = random.random() < 0.6
    if titled:
        face = desk.body(bold=True)
        yield Slug(((line(title), 0.0, face, 0.0),), face.leading, 6.0, keep=True)
    style = desk.layout.table
    size = desk.layout.size * random.uniform(0.85, 1.0)
    plain = replace(desk.body(), size=size, leading=size * 1.35)
    bold = replace(plain, font=desk.layout.fonts[0].bold)
    every = [head, *rows]
    full = style == "wide" or random.random() < 0.6
    edges = _edges(every, count, (width if full else width * 0.75, bold))
    for number, row in enumerate(every):
        face = bold if number == 0 else plain
        yield from _chart_row(row[: len(edges) - 1], edges, face, _Look(style, number))


class _Look:
    """The rules around a row of a table."""

    def __init__(self, style: str, number: int) -> None:
        self.style, self.number = style, number

    def boxes(self, edges: Sequence[float], height: float) -> tuple[Box, ...]:
        """Return the rules of a row over a base line at 0."""
        low, width = -0.28 * height, edges[-1]
        if self.style in ("ruled", "wide"):
            cells = pairwise(edges)
            return tuple(Box(a, low, b - a, height, edge=RULE) for a, b in cells)
        if self.style == "striped" and self.number % 2 == 0:
            return (Box(0.0, low, width, height, fill=_SHADE),)
        if self.style == "boxed":
            return (Box(0.0, low, width, height, edge=RULE),)
        if self.style == "lines" or (self.style == "striped" and self.number == 0):
            return (Box(0.0, low, width, 0.4, fill=RULE),)
        return ()


def _chart_row(
    cells: Sequence[str], edges: Sequence[float], face: Face, look: _Look
) -> Iterator[Slug]:
    """Set one row; where a cell is wrapped, the row takes several base lines."""
    wrapped = [
        wrap(line(cell), right - left - 6.0, measure(face)) if cell else []
        for cell, left, right in zip(cells, edges, edges[1:], strict=False)
    ]
    depth = max(len(parts) for parts in wrapped)
    for level in range(depth):
        parts: list[Part] = []
        for left, lines in zip(edges, wrapped, strict=False):
            if level < len(lines):
                parts.append((lines[level], left + 3.0, face, 0.0))
        rules = look.boxes(edges, face.leading)
        above = 3.0 if look.number == 0 and level == 0 else 0.0
        keep = look.number == 0 or level < depth - 1
        yield Slug(tuple(parts), face.leading, above, "table", rules, keep=keep)


def _edges(rows: Sequence[Sequence[str]], count: int, room: tuple[float, Face]) -> list[float]:
    """Share a width among columns by their longest cells; leave out columns that would burst."""
    width, face = room
    size = measure(face)
    columns = [[row[k] for row in rows] for k in range(count)]
    words = [max(size(w) for cell in cells for w in [*cell.split(), ""]) for cells in columns]
    while count > 2 and sum(words[:count]) + 7.0 * count > width:
        count -= 1
    spare = width - sum(words[:count]) - 7.0 * count
    longest = [max(map(size, columns[k])) - words[k] + 4.0 for k in range(count)]
    edges = [0.0]
    for word, length in zip(words, longest, strict=False):
        edges.append(edges[-1] + word + 7.0 + max(spare, 0.0) * length / sum(longest))
    return edges


def _lab(row: str, random: Random) -> tuple[str, ...]:
    name, span, unit, usual = row.split("|")
    low, high = (float(end) for end in span.split("-"))
    digits = 1 if "." in span else 0
    value, before = (f"{random.uniform(low, high):.{digits}f}" for _ in range(2))
    comma = "," in usual
    if comma:
        value, before = value.replace(".", ","), before.replace(".", ",")
    flag = random.choice(("", "", "", " *", " +", " H"))
    return name, value + flag, unit, usual, before


# Signatures ---------------------------------------------------------------------------------------


def signature(desk: PageContext, width: float) -> Iterator[Slug]:
    """Set who signs; the closing sentence before it is the body's."""
    kind = desk.layout.signature
    rows = _signers(desk, electronic=kind == "left-electronic")
    face = desk.body()
    block = min(width, 210.0)
    shift = {"right": width - block, "wide": width - block, "centre": (width - block) / 2}
    x = shift.get(kind, 0.0)
    scrawl = kind != "left-electronic" and desk.random.random() < 0.6
    slugs: list[Slug] = []
    for number, row in enumerate(rows):
        for part in wrap(row, block if kind != "left-electronic" else width, measure(face)):
            parts: tuple[Part, ...] = ((part, x, face, 0.0),)
            if kind == "two" and number == 0 and width > 300.0:
                second = letterhead.clinician_line(desk.letter.team[1])
                parts = (*parts, (second, width / 2 + 10.0, face, 0.0))
            above = 14.0 if not slugs else 0.0
            strokes = (_scrawl(desk.random, x + 20.0),) if scrawl and not slugs else ()
            slugs.append(Slug(parts, face.leading, above, "signature", strokes=strokes))
    yield from (replace(slug, keep=True) for slug in slugs[:-1])
    yield from slugs[-1:]
    yield from _copies(desk, width)


def _signers(desk: PageContext, *, electronic: bool) -> list[MarkedLine]:
    rows = list(letterhead.signature_lines(desk.letter, electronic=electronic))
    if not electronic and desk.random.random() < 0.5:
        rows.insert(1, line(desk.random.choice(desk.page_words.roles)))
    if electronic and desk.random.random() < 0.4:
        rows.append(letterhead.specialty_line(desk.letter.author, desk.letter.note.lang))
    return rows


def _copies(desk: PageContext, width: float) -> Iterator[Slug]:
    """Who gets a copy, and who typed it: small print below the signature."""
    words, rows = desk.page_words, []
    if desk.random.random() < 0.35:
        names = [letterhead.clinician_line(c) for c in desk.letter.team[2:4]]
        rows.append(joined([line(words.copies.rstrip()), joined(names, ", ")]))
    if desk.random.random() < 0.2:
        when = letterhead.written_date(desk.letter.note.written, desk.words)
        before, _, after = words.dictated.partition("{}")
        rows.append(line(before, (when, Label.DATE), after))
    face = replace(desk.body(), size=desk.layout.size * 0.9, colour=BLACK)
    for row in rows:
        for number, part in enumerate(wrap(row, width, measure(face))):
            above = 0.0 if number else 6.0
            yield Slug(((part, 0.0, face, 0.0),), face.leading, above, "signature")


def _scrawl(random: Random, x: float) -> Stroke:
    steps = [(x + 5.0 * k + random.uniform(-5, 5), random.uniform(2, 24)) for k in range(19)]
    return Stroke(tuple(steps))


_GUTTER = 18.0
_VOWELS = "aeiouyáéíóúàèêô"
_NO_BREAK = _VOWELS + "h"
_SYLLABLE = 3  # letters that at least stand on either side of a hyphen at a line's end


@dataclass(frozen=True)
class Setter:
    """Sets the rows of a body to lines of a width."""

    desk: PageContext
    width: float

    def slugs(self, rows: Sequence[BodyRow]) -> Iterator[Slug]:
        """Set a whole body, with its tables."""
        above, number = 0.0, 0
        runs_in = ""
        chart_after = self._chart_after(rows)
        for at, row in enumerate(rows):
            if row.style == "gap":
                above = 0.55 * self.desk.body().leading
                continue
            number += row.style == "heading"
            if row.style == "heading" and self.desk.layout.headings == "run-in":
                runs_in = f"{row.line.text} : "
                continue
            for slug in self._row(row, number, runs_in):
                yield replace(slug, above=max(above, slug.above))
                above = 0.0
            runs_in = ""
            if at == chart_after:
                yield from chart(self.desk, self.width)
                above = 0.5 * self.desk.body().leading

    def _chart_after(self, rows: Sequence[BodyRow]) -> int:
        ends = [k for k, row in enumerate(rows) if row.style in ("prose", "bullet")]
        return self.desk.random.choice(ends[:-1] or ends) if ends and self.desk.layout.table else -1

    def _row(self, row: BodyRow, number: int, runs_in: str) -> Iterator[Slug]:
        if row.style == "title":
            style = self.desk.habit("title")
            face = replace(
                self.desk.body(bold=True), size=self.desk.layout.size * style.uniform(1, 1.5)
            )
            face = replace(face, leading=face.size * 1.25)
            align = style.choice(("left", "centre", "centre"))
            for part in wrap(row.line, self.width, measure(face)):
                room = self.width - measure(face)(part.text)
                shift = room / 2 if align == "centre" else 0.0
                yield Slug(((part, shift, face, 0.0),), face.leading, above=6.0)
        elif row.style == "heading":
            yield from self._heading(row.line, number)
        elif runs_in:
            yield from self._run_in(row.line, runs_in)
        else:
            yield from self._prose(row)

    def _heading(self, whole: MarkedLine, number: int) -> Iterator[Slug]:
        style = self.desk.layout.headings
        face = self.desk.body(bold=style != "underlined")
        if style in ("coloured", "band"):
            face = replace(face, colour=self.desk.layout.accent)
        if style == "numbered":
            whole = joined([line(f"{number}."), whole])
        elif style == "capitals":
            whole = replace(whole, text=whole.text.upper()) if _keeps_length(whole) else whole
        elif self.desk.habit("colon").random() < 0.4:
            whole = replace(whole, text=f"{whole.text} :")
        for part in wrap(whole, self.width, measure(face)):
            length = measure(face)(part.text)
            shift = (self.width - length) / 2 if style == "centred" else 0.0
            rules: tuple[Box, ...] = ()
            if style == "underlined":
                rules = (Box(0.0, -1.6, length, 0.5, fill=BLACK),)
            elif style == "band":
                band = Box(-2.0, -2.5, self.width + 4.0, face.leading, fill=(0.9, 0.92, 0.95))
                rules = (band,)
            slug = Slug(((part, shift, face, 0.0),), face.leading, 3.0, rules=rules, keep=True)
            yield slug

    def _run_in(self, whole: MarkedLine, title: str) -> Iterator[Slug]:
        bold, face = self.desk.body(bold=True), self.desk.body()
        length = measure(bold)(title)
        if length > 0.8 * self.width:
            yield Slug(((line(title.rstrip()), 0.0, bold, 0.0),), bold.leading, 3.0, keep=True)
            title, length = "", 0.0
        parts = self._broken(whole, self.width, face, first=length)
        for number, (part, spread) in enumerate(parts):
            if number or not title:
                yield Slug(((part, 0.0, face, spread),), face.leading)
            else:
                head = (line(title.rstrip()), 0.0, bold, 0.0)
                yield Slug((head, (part, length, face, spread)), face.leading, 3.0)

    def _prose(self, row: BodyRow) -> Iterator[Slug]:
        face, layout = self.desk.body(), self.desk.layout
        hanging = 10.0 if row.style == "bullet" else 0.0
        whole, mark = row.line, self.desk.habit("bullet").choice(("- ", "- ", "\u2022 ", "\u2013 "))
        if row.style == "bullet" and whole.text.startswith("- "):
            whole = joined([line(mark.strip()), whole.cut(2, len(whole.text))])
        first = layout.indent if row.style == "prose" else 0.0
        width = self.width - hanging
        for number, (part, spread) in enumerate(self._broken(whole, width, face, first=first)):
            shift = hanging + (first if number == 0 else 0.0)
            if hanging and number == 0:
                shift = hanging / 2
            yield Slug(((part, shift, face, spread),), face.leading)

    def _broken(
        self, whole: MarkedLine, width: float, face: Face, *, first: float
    ) -> list[tuple[MarkedLine, float]]:
        """Break a paragraph into lines, each with what its blanks are spread by."""
        parts = list(broken(whole, width, face, (first, self.desk.layout.hyphens)))
        lines = []
        for number, part in enumerate(parts):
            room = width - (first if number == 0 else 0.0)
            full = self.desk.layout.justified and number < len(parts) - 1
            lines.append((part, _spread(part.text, room, face) if full else 0.0))
        return lines


def _keeps_length(whole: MarkedLine) -> bool:
    return len(whole.text.upper()) == len(whole.text)


def broken(
    whole: MarkedLine, width: float, face: Face, how: tuple[float, str]
) -> Iterator[MarkedLine]:
    """Break a paragraph at blanks, and inside words where there are hyphens to end a line with.

    `how` is what its first line stands in, and which hyphens are drawn: none, "hard" or "soft".
    """
    first, hyphens = how
    rest, room = whole, width - first
    size = measure(face)
    while size(rest.text) > room:
        head = wrap(rest, max(room, 30.0), size)[0]
        end = len(head.text)
        tail = rest.cut(end, len(rest.text))
        cut = _syllable(tail.text, room - size(head.text), face) if hyphens else 0
        if cut:
            hyphen = "-" if hyphens == "hard" else "\u00ad"
            yield replace(rest.cut(0, end + cut), text=rest.text[: end + cut] + hyphen)
            end += cut
        else:
            yield head
        blanks = len(rest.text[end:]) - len(rest.text[end:].lstrip(" "))
        rest, room = rest.cut(end + blanks, len(rest.text)), width
    if rest.text:
        yield rest


def _syllable(tail: str, room: float, face: Face) -> int:
    """How many characters of what follows, its blank included, fit before a hyphen; 0 for none."""
    word = tail.lstrip(" ").split(" ", 1)[0]
    if not word.isalpha() or len(word) < 2 * _SYLLABLE + 1 or not tail.startswith(" "):
        return 0
    best = 0
    for cut in range(_SYLLABLE, len(word) - _SYLLABLE + 1):
        breaks = word[cut - 1].lower() in _VOWELS and word[cut].lower() not in _NO_BREAK
        if breaks and measure(face)(f" {word[:cut]}-") <= room:
            best = cut + 1
    return best


def _spread(text: str, width: float, face: Face) -> float:
    blanks = text.count(" ")
    room = width - measure(face)(text)
    return room / blanks if blanks and 0 < room < blanks * face.size * 0.6 else 0.0


# Pouring ------------------------------------------------------------------------------------------


def columns(frame: Frame, count: int) -> list[Frame]:
    """Cut a frame into columns of one width."""
    width = (frame.width - _GUTTER * (count - 1)) / count
    lefts = [frame.left + number * (width + _GUTTER) for number in range(count)]
    return [Frame(left, left + width, frame.top, frame.bottom) for left in lefts]


Turn = Callable[[], tuple[PaperSheet, list[Frame]]]


def pour(
    slugs: Sequence[Slug], first: tuple[PaperSheet, list[Frame]], turn: Turn
) -> list[PaperSheet]:
    """Draw lines into the columns of a first page and of as many more as `turn` must give."""
    press = _Press(*first, turn)
    for number, slug in enumerate(slugs):
        kept = _kept(slugs, number + 1) if slug.keep else ()
        press.draw(slug, sum(s.leading + s.above for s in kept))
    return press.sheets


class _Press:
    """Where the next line goes."""

    def __init__(self, sheet: PaperSheet, frames: list[Frame], turn: Turn) -> None:
        self.sheets, self._frames, self._turn = [sheet], frames, turn
        self._column, self._at = 0, frames[0].top

    def draw(self, slug: Slug, more: float) -> None:
        """Draw a line, in the next column where it does not fit with so many points below it."""
        frame = self._frames[self._column]
        fresh = self._at == frame.top
        if self._at - slug.above - slug.leading - more < frame.bottom and not fresh:
            slug = self._next_column(slug)
        elif not fresh:
            self._at -= slug.above
        self._at -= slug.leading
        _put(self.sheets[-1], slug, self._frames[self._column].left, self._at + slug.leading / 4)

    def _next_column(self, slug: Slug) -> Slug:
        self._column += 1
        if self._column == len(self._frames):
            sheet, self._frames = self._turn()
            self.sheets.append(sheet)
            self._column, slug = 0, slug.severed()
        self._at = self._frames[self._column].top
        return slug


def _kept(slugs: Sequence[Slug], start: int) -> Iterator[Slug]:
    """The lines that have to stand on the same page as the one before them."""
    for slug in slugs[start : start + 12]:
        yield slug
        if not slug.keep:
            break


def _put(sheet: PaperSheet, slug: Slug, x: float, base: float) -> None:
    sheet.shapes += [replace(box, x=box.x + x, y=box.y + base) for box in slug.rules]
    sheet.shapes += [stroke.moved(x, base) for stroke in slug.strokes]
    for part, shift, face, spread in slug.parts:
        sheet.placed.append(Placed(part, x + shift, base, face, spread=spread, kind=slug.kind))


__all__ = [
    "HELD_OUT_LAYOUTS",
    "TRAINING_LAYOUTS",
    "LabelledPdf",
    "PageLayout",
    "PageMark",
    "labelled_letter",
    "sample_layout",
]

_VOLUMES: tuple[Volume, ...] = ("tiny", "short", "short", "page", "page", "page", "long", "long")
_ASCENT, _DESCENT = 0.76, 0.22
MEDICINE = ("body", "table")
"""The kinds of lines that tell of the illness."""
_FLOW = ("body", "table", "signature")


@dataclass(frozen=True, slots=True)
class PageMark:
    """One drawn line of text and what it is.

    `page` counts from 0. `box` is x0, y0, x1, y1 in points, y downwards, on the page as it is
    shown. `kind` is "body", "table", "header", "footer", "margin-note", "page-number", "stamp" or
    "signature". `identifiers` are the identifying strings that were planted in the line.
    """

    page: int
    box: tuple[float, float, float, float]
    text: str = field(repr=False)
    kind: str
    identifiers: tuple[str, ...] = field(default=(), repr=False)


@dataclass(frozen=True, slots=True)
class LabelledPdf:
    """A PDF, its layout's name, and a mark for every line on it, in the order they are drawn."""

    data: bytes = field(repr=False)
    marks: tuple[PageMark, ...]
    layout: str

    def outside(self) -> frozenset[str]:
        """Return the identifiers planted outside the medicine that are nowhere in the medicine.

        The medicine is what is "body" or "table". Parts of less than four characters are left out.
        """
        text = " ".join(mark.text for mark in self.marks if mark.kind in MEDICINE)
        rest = [mark for mark in self.marks if mark.kind not in MEDICINE]
        found = {value for mark in rest for value in mark.identifiers}
        return frozenset(value for value in found if len(value) > 3 and value not in text)


def labelled_letter(seed: int, lang: str = "fr", *, held_out: bool = False) -> LabelledPdf:
    """Make a letter with the layout of that seed; the same bytes for the same arguments.

    Raises ConfigError for a language there are no templates for.
    """
    random = Random(f"labelled:{held_out}:{lang}:{seed}")
    layout = sample_layout(seed, held_out=held_out)
    case = make_case(seed, lang, held_out=held_out, volume=random.choice(_VOLUMES))
    sheets = _compose(PageContext(case, layout, random))
    data = ink(sheets, layout.paper, about={}, turned=layout.turned)
    marks = tuple(_marks(sheets, layout.paper[1]))
    return LabelledPdf(data, marks, layout.name)


def _compose(desk: PageContext) -> list[PaperSheet]:
    desk, foot, first, frame = _begin(desk)
    count = desk.layout.columns if frame.width > 150.0 * desk.layout.columns else 1

    def turn() -> tuple[PaperSheet, list[Frame]]:
        sheet = PaperSheet()
        frame = desk.frame()
        foot.clear(frame)
        letterheads.running(desk, sheet, frame)
        letterheads.staff(desk, sheet, frame, first=False)
        return sheet, columns(frame, count)

    frames = columns(frame, count)
    body = pour(_slugs(desk, frames[0].width), (first, frames), turn)
    for number, sheet in enumerate(body, 1):
        _finish(desk, sheet, foot, (number, len(body)))
    return body


def _slugs(desk: PageContext, width: float) -> Sequence[Slug]:
    return [*Setter(desk, width).slugs(desk.case.rows), *signature(desk, width)]


def _begin(desk: PageContext) -> tuple[PageContext, letterheads.Foot, PaperSheet, Frame]:
    """Lay out what surrounds the first body; where it leaves no room, with less of it."""
    for layout in simpler(desk.layout):
        desk = replace(desk, layout=layout)
        foot, sheet = letterheads.Foot(desk), PaperSheet()
        frame = _first(desk, sheet, foot)
        if frame.top - frame.bottom > 0.2 * desk.size[1] and frame.width > 0.4 * desk.size[0]:
            break
    return desk, foot, sheet, frame


def _first(desk: PageContext, sheet: PaperSheet, foot: letterheads.Foot) -> Frame:
    frame = desk.frame()
    foot.clear(frame)
    letterheads.head(desk, sheet, frame)
    letterheads.staff(desk, sheet, frame, first=True)
    identity_blocks.identity(desk, sheet, frame)
    identity_blocks.address(desk, sheet, frame)
    frame.top -= desk.layout.drop * desk.size[1] / A4[1]
    return frame


def _finish(
    desk: PageContext, sheet: PaperSheet, foot: letterheads.Foot, at: tuple[int, int]
) -> None:
    """Draw what pages repeat; the layout tells when that is drawn."""
    above = [placed for placed in sheet.placed if placed.kind not in _FLOW]
    body = [placed for placed in sheet.placed if placed.kind in _FLOW]
    rest = PaperSheet(sheet.shapes)
    foot.draw(rest, *at)
    letterheads.edges(desk, rest)
    if at[0] == 1:
        identity_blocks.stamps(desk, rest)
    order = {
        "head-first": (above, body, rest.placed),
        "body-last": (above, rest.placed, body),
        "foot-first": (rest.placed, above, body),
        "body-first": (body, above, rest.placed),
    }[desk.layout.order]
    sheet.placed[:] = [placed for part in order for placed in part]


# Marks --------------------------------------------------------------------------------------------


def _marks(sheets: Sequence[PaperSheet], height: float) -> list[PageMark]:
    return [
        PageMark(number, _box(placed, height), placed.line.text, placed.kind, _identifiers(placed))
        for number, sheet in enumerate(sheets)
        for placed in sheet.placed
    ]


def _identifiers(placed: Placed) -> tuple[str, ...]:
    text = placed.line.text
    return tuple(text[mark.start : mark.end] for mark in placed.line.marks)


def _box(placed: Placed, height: float) -> tuple[float, float, float, float]:
    """The box of a line, turned as it is drawn, on the page with y downwards."""
    face, text = placed.face, placed.line.text
    width = measure(face)(text) + placed.spread * text.count(" ")
    left = -width * {"left": 0.0, "centre": 0.5, "right": 1.0}[placed.align]
    turn = radians(placed.angle)
    corners = [
        (
            placed.x + x * cos(turn) - y * sin(turn),
            height - (placed.y + x * sin(turn) + y * cos(turn)),
        )
        for x in (left, left + width)
        for y in (-_DESCENT * face.size, _ASCENT * face.size)
    ]
    xs, ys = zip(*corners, strict=True)
    return round(min(xs), 2), round(min(ys), 2), round(max(xs), 2), round(max(ys), 2)
