"""Labelled pages: PDF letters in random layouts, with the kind of every line, for training."""

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
    simplifications,
)
from synthesis.fictional.labelled_pages.page_context import (
    BLACK,
    RULE,
    Frame,
    PageContext,
    Part,
    TypesetLine,
    columns,
)
from synthesis.fictional.pdf_letters import letterhead
from synthesis.fictional.pdf_letters.drawing import (
    Box,
    PaperSheet,
    PlacedLine,
    Stroke,
    draw_pdf,
    measure,
    spread_blanks,
)
from synthesis.fictional.pdf_letters.layouts import A4, PrintStyle
from synthesis.fictional.pdf_letters.marked_lines import MarkedLine, joined, line, wrap

_SHADE = (0.93, 0.94, 0.96)


def set_table(context: PageContext, width: float) -> Iterator[TypesetLine]:
    """Typeset a table of laboratory results or medications, in three to five columns."""
    random, words = context.random, context.page_words
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
        face = context.body(bold=True)
        yield TypesetLine(((line(title), 0.0, face, 0.0),), face.leading, 6.0, keep=True)
    style = context.layout.table
    size = context.layout.size * random.uniform(0.85, 1.0)
    plain = replace(context.body(), size=size, leading=size * 1.35)
    bold = replace(plain, font=context.layout.fonts[0].bold)
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
    cells: Sequence[str], edges: Sequence[float], face: PrintStyle, look: _Look
) -> Iterator[TypesetLine]:
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
        yield TypesetLine(tuple(parts), face.leading, above, "table", rules, keep=keep)


def _edges(
    rows: Sequence[Sequence[str]], count: int, room: tuple[float, PrintStyle]
) -> list[float]:
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


def signature(context: PageContext, width: float) -> Iterator[TypesetLine]:
    """Typeset the signature; the closing sentence before it belongs to the body."""
    kind = context.layout.signature
    electronic = kind == "left-electronic"
    rows = list(letterhead.signature_lines(context.letter, electronic=electronic))
    if not electronic and context.random.random() < 0.5:
        rows.insert(1, line(context.random.choice(context.page_words.roles)))
    if electronic and context.random.random() < 0.4:
        rows.append(letterhead.specialty_line(context.letter.author, context.letter.note.lang))
    face = context.body()
    block = min(width, 210.0)
    shift = {"right": width - block, "wide": width - block, "centre": (width - block) / 2}
    x = shift.get(kind, 0.0)
    scrawl = kind != "left-electronic" and context.random.random() < 0.6
    typeset_lines: list[TypesetLine] = []
    for number, row in enumerate(rows):
        for part in wrap(row, block if kind != "left-electronic" else width, measure(face)):
            parts: tuple[Part, ...] = ((part, x, face, 0.0),)
            if kind == "two" and number == 0 and width > 300.0:
                second = letterhead.clinician_line(context.letter.team[1])
                parts = (*parts, (second, width / 2 + 10.0, face, 0.0))
            above = 14.0 if not typeset_lines else 0.0
            strokes = (_scrawl(context.random, x + 20.0),) if scrawl and not typeset_lines else ()
            typeset_lines.append(
                TypesetLine(parts, face.leading, above, "signature", strokes=strokes)
            )
    yield from (replace(typeset, keep=True) for typeset in typeset_lines[:-1])
    yield from typeset_lines[-1:]
    yield from _copies(context, width)


def _copies(context: PageContext, width: float) -> Iterator[TypesetLine]:
    """Who gets a copy, and who typed it: small print below the signature."""
    words, rows = context.page_words, []
    if context.random.random() < 0.35:
        names = [letterhead.clinician_line(c) for c in context.letter.team[2:4]]
        rows.append(joined([line(words.copies.rstrip()), joined(names, ", ")]))
    if context.random.random() < 0.2:
        when = letterhead.written_date(context.letter.note.written, context.words)
        before, _, after = words.dictated.partition("{}")
        rows.append(line(before, (when, Label.DATE), after))
    face = replace(context.body(), size=context.layout.size * 0.9, colour=BLACK)
    for row in rows:
        for number, part in enumerate(wrap(row, width, measure(face))):
            above = 0.0 if number else 6.0
            yield TypesetLine(((part, 0.0, face, 0.0),), face.leading, above, "signature")


def _scrawl(random: Random, x: float) -> Stroke:
    steps = [(x + 5.0 * k + random.uniform(-5, 5), random.uniform(2, 24)) for k in range(19)]
    return Stroke(tuple(steps))


_VOWELS = "aeiouyáéíóúàèêô"
_NO_BREAK = _VOWELS + "h"
_SYLLABLE = 3  # letters that at least stand on either side of a hyphen at a line's end


@dataclass(frozen=True)
class Typesetter:
    """Typesets the rows of a body in lines of a given width."""

    context: PageContext
    width: float

    def typeset_lines(self, rows: Sequence[BodyRow]) -> Iterator[TypesetLine]:
        """Typeset a body, with its tables."""
        above, number = 0.0, 0
        runs_in = ""
        chart_after = self._chart_after(rows)
        for at, row in enumerate(rows):
            if row.style == "gap":
                above = 0.55 * self.context.body().leading
                continue
            number += row.style == "heading"
            if row.style == "heading" and self.context.layout.headings == "run-in":
                runs_in = f"{row.line.text} : "
                continue
            for typeset in self._row(row, number, runs_in):
                yield replace(typeset, above=max(above, typeset.above))
                above = 0.0
            runs_in = ""
            if at == chart_after:
                yield from set_table(self.context, self.width)
                above = 0.5 * self.context.body().leading

    def _chart_after(self, rows: Sequence[BodyRow]) -> int:
        ends = [k for k, row in enumerate(rows) if row.style in ("prose", "bullet")]
        return (
            self.context.random.choice(ends[:-1] or ends)
            if ends and self.context.layout.table
            else -1
        )

    def _row(self, row: BodyRow, number: int, runs_in: str) -> Iterator[TypesetLine]:
        if row.style == "title":
            style = self.context.habit("title")
            face = replace(
                self.context.body(bold=True), size=self.context.layout.size * style.uniform(1, 1.5)
            )
            face = replace(face, leading=face.size * 1.25)
            align = style.choice(("left", "centre", "centre"))
            for part in wrap(row.line, self.width, measure(face)):
                room = self.width - measure(face)(part.text)
                shift = room / 2 if align == "centre" else 0.0
                yield TypesetLine(((part, shift, face, 0.0),), face.leading, above=6.0)
        elif row.style == "heading":
            yield from self._heading(row.line, number)
        elif runs_in:
            title = runs_in
            bold, face = self.context.body(bold=True), self.context.body()
            length = measure(bold)(title)
            if length > 0.8 * self.width:
                yield TypesetLine(
                    ((line(title.rstrip()), 0.0, bold, 0.0),), bold.leading, 3.0, keep=True
                )
                title, length = "", 0.0
            parts = self._broken(row.line, self.width, face, first=length)
            for number, (part, spread) in enumerate(parts):
                if number or not title:
                    yield TypesetLine(((part, 0.0, face, spread),), face.leading)
                else:
                    head = (line(title.rstrip()), 0.0, bold, 0.0)
                    yield TypesetLine((head, (part, length, face, spread)), face.leading, 3.0)
        else:
            yield from self._prose(row)

    def _heading(self, whole: MarkedLine, number: int) -> Iterator[TypesetLine]:
        style = self.context.layout.headings
        face = self.context.body(bold=style != "underlined")
        if style in ("coloured", "band"):
            face = replace(face, colour=self.context.layout.accent)
        if style == "numbered":
            whole = joined([line(f"{number}."), whole])
        elif style == "capitals":
            whole = (
                replace(whole, text=whole.text.upper())
                if (len(whole.text.upper()) == len(whole.text))
                else whole
            )
        elif self.context.habit("colon").random() < 0.4:
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
            typeset = TypesetLine(
                ((part, shift, face, 0.0),), face.leading, 3.0, rules=rules, keep=True
            )
            yield typeset

    def _prose(self, row: BodyRow) -> Iterator[TypesetLine]:
        face, layout = self.context.body(), self.context.layout
        hanging = 10.0 if row.style == "bullet" else 0.0
        whole, mark = (
            row.line,
            self.context.habit("bullet").choice(("- ", "- ", "\u2022 ", "\u2013 ")),
        )
        if row.style == "bullet" and whole.text.startswith("- "):
            whole = joined([line(mark.strip()), whole.cut(2, len(whole.text))])
        first = layout.indent if row.style == "prose" else 0.0
        width = self.width - hanging
        for number, (part, spread) in enumerate(self._broken(whole, width, face, first=first)):
            shift = hanging + (first if number == 0 else 0.0)
            if hanging and number == 0:
                shift = hanging / 2
            yield TypesetLine(((part, shift, face, spread),), face.leading)

    def _broken(
        self, whole: MarkedLine, width: float, face: PrintStyle, *, first: float
    ) -> list[tuple[MarkedLine, float]]:
        """Break a paragraph into lines, each with what its blanks are spread by."""
        parts = list(broken(whole, width, face, (first, self.context.layout.hyphens)))
        lines = []
        for number, part in enumerate(parts):
            room = width - (first if number == 0 else 0.0)
            full = self.context.layout.justified and number < len(parts) - 1
            spread = spread_blanks(part.text, room, face, most=0.6) if full else 0.0
            lines.append((part, spread))
        return lines


def broken(
    whole: MarkedLine, width: float, face: PrintStyle, how: tuple[float, str]
) -> Iterator[MarkedLine]:
    """Break a paragraph into lines at blanks and, if hyphens are given, inside words.

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


def _syllable(tail: str, room: float, face: PrintStyle) -> int:
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


# Pouring ------------------------------------------------------------------------------------------


NextPage = Callable[[], tuple[PaperSheet, list[Frame]]]


def fill_pages(
    typeset_lines: Sequence[TypesetLine], first: tuple[PaperSheet, list[Frame]], turn: NextPage
) -> list[PaperSheet]:
    """Draw lines into the columns of a first page and of as many more as needed."""
    press = _PageFiller(*first, turn)
    for number, typeset in enumerate(typeset_lines):
        kept = _kept(typeset_lines, number + 1) if typeset.keep else ()
        press.draw(typeset, sum(s.leading + s.above for s in kept))
    return press.sheets


class _PageFiller:
    """Tracks where the next line is drawn."""

    def __init__(self, sheet: PaperSheet, frames: list[Frame], turn: NextPage) -> None:
        self.sheets, self._frames, self._turn = [sheet], frames, turn
        self._column, self._at = 0, frames[0].top

    def draw(self, typeset: TypesetLine, more: float) -> None:
        """Draw a line, in the next column if it does not fit with so many points below it."""
        frame = self._frames[self._column]
        fresh = self._at == frame.top
        if self._at - typeset.above - typeset.leading - more < frame.bottom and not fresh:
            typeset = self._next_column(typeset)
        elif not fresh:
            self._at -= typeset.above
        self._at -= typeset.leading
        sheet, x = self.sheets[-1], self._frames[self._column].left
        base = self._at + typeset.leading / 4
        sheet.shapes += [replace(box, x=box.x + x, y=box.y + base) for box in typeset.rules]
        sheet.shapes += [stroke.moved(x, base) for stroke in typeset.strokes]
        for part, shift, face, spread in typeset.parts:
            sheet.placed.append(
                PlacedLine(part, x + shift, base, face, spread=spread, kind=typeset.kind)
            )

    def _next_column(self, typeset: TypesetLine) -> TypesetLine:
        self._column += 1
        if self._column == len(self._frames):
            sheet, self._frames = self._turn()
            self.sheets.append(sheet)
            self._column, typeset = 0, typeset.without_continuation()
        self._at = self._frames[self._column].top
        return typeset


def _kept(typeset_lines: Sequence[TypesetLine], start: int) -> Iterator[TypesetLine]:
    """The lines that have to stand on the same page as the one before them."""
    for typeset in typeset_lines[start : start + 12]:
        yield typeset
        if not typeset.keep:
            break


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
"""The kinds of lines with medical content."""
_FLOW = ("body", "table", "signature")


@dataclass(frozen=True, slots=True)
class PageMark:
    """One drawn line of text and its kind.

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
    """A PDF, its layout's name, and a mark for every line on it, in drawing order."""

    data: bytes = field(repr=False)
    marks: tuple[PageMark, ...]
    layout: str

    def outside(self) -> frozenset[str]:
        """Return the identifiers planted outside of the medical text that do not occur in it.

        The medicine is what is "body" or "table". Parts of less than four characters are left out.
        """
        text = " ".join(mark.text for mark in self.marks if mark.kind in MEDICINE)
        rest = [mark for mark in self.marks if mark.kind not in MEDICINE]
        found = {value for mark in rest for value in mark.identifiers}
        return frozenset(value for value in found if len(value) > 3 and value not in text)


def labelled_letter(seed: int, lang: str = "fr", *, held_out: bool = False) -> LabelledPdf:
    """Make a letter with the layout of that seed, deterministically.

    Raises ConfigError for a language there are no templates for.
    """
    random = Random(f"labelled:{held_out}:{lang}:{seed}")
    layout = sample_layout(seed, held_out=held_out)
    case = make_case(seed, lang, held_out=held_out, volume=random.choice(_VOLUMES))
    context = PageContext(case, layout, random)
    context, foot, first, frame = _begin(context)
    count = context.layout.columns if frame.width > 150.0 * context.layout.columns else 1

    def turn() -> tuple[PaperSheet, list[Frame]]:
        sheet = PaperSheet()
        frame = context.frame()
        foot.clear(frame)
        letterheads.running(context, sheet, frame)
        letterheads.staff(context, sheet, frame, first=False)
        return sheet, columns(frame, count)

    frames = columns(frame, count)
    width = frames[0].width
    sheets = fill_pages(
        [
            *Typesetter(context, width).typeset_lines(context.case.rows),
            *signature(context, width),
        ],
        (first, frames),
        turn,
    )
    for number, sheet in enumerate(sheets, 1):
        _finish(context, sheet, foot, (number, len(sheets)))
    data = draw_pdf(sheets, layout.paper, about={}, turned=layout.turned)
    marks = tuple(_marks(sheets, layout.paper[1]))
    return LabelledPdf(data, marks, layout.name)


def _begin(context: PageContext) -> tuple[PageContext, letterheads.PageFooter, PaperSheet, Frame]:
    """Lay out what surrounds the first body, simplified until the body has enough room."""
    for layout in simplifications(context.layout):
        context = replace(context, layout=layout)
        foot, sheet = letterheads.PageFooter(context), PaperSheet()
        frame = context.frame()
        foot.clear(frame)
        letterheads.head(context, sheet, frame)
        letterheads.staff(context, sheet, frame, first=True)
        identity_blocks.identity(context, sheet, frame)
        identity_blocks.address(context, sheet, frame)
        frame.top -= context.layout.drop * context.size[1] / A4[1]
        if frame.top - frame.bottom > 0.2 * context.size[1] and frame.width > 0.4 * context.size[0]:
            break
    return context, foot, sheet, frame


def _finish(
    context: PageContext, sheet: PaperSheet, foot: letterheads.PageFooter, at: tuple[int, int]
) -> None:
    """Draw what all pages repeat, in the order that the layout specifies."""
    above = [placed for placed in sheet.placed if placed.kind not in _FLOW]
    body = [placed for placed in sheet.placed if placed.kind in _FLOW]
    rest = PaperSheet(sheet.shapes)
    foot.draw(rest, *at)
    letterheads.edges(context, rest)
    if at[0] == 1:
        identity_blocks.stamps(context, rest)
    order = {
        "head-first": (above, body, rest.placed),
        "body-last": (above, rest.placed, body),
        "foot-first": (rest.placed, above, body),
        "body-first": (body, above, rest.placed),
    }[context.layout.order]
    sheet.placed[:] = [placed for part in order for placed in part]


# Marks --------------------------------------------------------------------------------------------


def _marks(sheets: Sequence[PaperSheet], height: float) -> list[PageMark]:
    marks = []
    for number, sheet in enumerate(sheets):
        for placed in sheet.placed:
            text = placed.line.text
            planted = tuple(text[mark.start : mark.end] for mark in placed.line.marks)
            marks.append(PageMark(number, _box(placed, height), text, placed.kind, planted))
    return marks


def _box(placed: PlacedLine, height: float) -> tuple[float, float, float, float]:
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
