"""Tables in the body of labelled pages (laboratory results, medications), and signatures."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from random import Random

from record.label import Label
from synthesis.fictional.letters import letterhead
from synthesis.fictional.letters.layouts import Face
from synthesis.fictional.letters.lines import MarkedLine, joined, line, wrap
from synthesis.fictional.letters.paper import Box, Stroke, measure
from synthesis.fictional.pages.page_context import BLACK, RULE, PageContext
from synthesis.fictional.pages.text_lines import Part, Slug

_SHADE = (0.93, 0.94, 0.96)


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
        yield from _row(row[: len(edges) - 1], edges, face, _Look(style, number))


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


def _row(cells: Sequence[str], edges: Sequence[float], face: Face, look: _Look) -> Iterator[Slug]:
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
