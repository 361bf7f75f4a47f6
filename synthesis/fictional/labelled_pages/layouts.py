"""Random page layouts of labelled pages: those for training, and novel held-out ones."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from random import Random

from synthesis.fictional.pdf_letters.layouts import (
    A4,
    LETTER,
    MONO,
    SANS,
    SERIF,
    Colour,
    FontFamily,
)

A5 = (419.5, 595.3)
B5 = (498.9, 708.7)
LEGAL = (612.0, 1008.0)
FOLIO = (595.3, 935.4)
LANDSCAPE = (841.9, 595.3)

_COLOURS = (
    (0.0, 0.0, 0.0), (0.09, 0.22, 0.42), (0.0, 0.42, 0.45), (0.48, 0.09, 0.18), (0.25, 0.25, 0.28),
    (0.10, 0.38, 0.20), (0.55, 0.30, 0.05), (0.33, 0.15, 0.45),
)  # fmt: skip
_GREYS = (0.0, 0.2, 0.35, 0.5)


@dataclass(frozen=True, slots=True)
class PageLayout:
    """How the pages of a letter are arranged; each word names an arrangement.

    `margins` are left, top, right and bottom, in points. `drop` is the room left between what heads
    the first page and its body, on A4. `turned` pages are stored lying and shown upright. `novel`
    names the fields whose value no training layout has.
    """

    name: str
    paper: tuple[float, float]
    margins: tuple[float, float, float, float]
    head: str
    staff: str
    identity: str
    address: str
    drop: float
    columns: int
    foot: str
    number_at: str
    running: str
    edge: str
    signature: str
    stamp: str
    headings: str
    table: str
    fonts: tuple[FontFamily, FontFamily]
    order: str
    novel: tuple[str, ...] = ()
    size: float = 9.5
    leading: float = 1.25
    small: float = 7.4
    accent: Colour = (0.0, 0.0, 0.0)
    grey: float = 0.3
    justified: bool = False
    hyphens: str = ""
    indent: float = 0.0
    turned: bool = False

    @property
    def shifted(self) -> bool:
        """Whether the body begins higher or lower, or further in, than in training."""
        moved = self.head in ("low", "bottom", "side")
        return moved or bool({"drop", "margins"} & set(self.novel))


@dataclass(frozen=True, slots=True)
class _Axis:
    """The values of a field in training, and those that only held-out layouts have."""

    usual: tuple[object, ...]
    novel: tuple[object, ...]


_AXES = {
    "paper": _Axis((A4, A4, A4, LETTER), (A5, B5, LEGAL, FOLIO, LANDSCAPE)),
    "margins": _Axis(
        ((42, 36, 42, 40), (56, 50, 56, 50), (70, 42, 50, 45), (50, 30, 50, 36)),
        ((26, 22, 26, 26), (120, 40, 40, 50), (44, 60, 140, 60), (66, 96, 66, 84)),
    ),
    "head": _Axis(
        ("left", "left", "centre", "banner", "split", "boxed", "names", "none"),
        ("right", "columns", "thirds", "bottom", "low", "side"),
    ),
    "staff": _Axis(
        ("", "", "left", "left", "left-all", "row"), ("right", "right-all", "foot", "middle")
    ),
    "identity": _Axis(
        ("stamp", "label", "grid", "strip", "window", "box-left", "plain", "none"),
        ("middle-right", "centre-box", "label-left", "bottom-right", "columns"),
    ),
    "address": _Axis(("right", "right", "left", "none"), ("bottom-left", "centre", "top-left")),
    "drop": _Axis((4.0, 12.0, 24.0, 40.0), (0.0, 110.0, 170.0, 230.0)),
    "columns": _Axis((1, 1, 1, 2), (3,)),
    "foot": _Axis(
        ("centre", "split", "band", "rule", "lines", "none"), ("thirds", "right", "tall", "boxed")
    ),
    "number_at": _Axis(
        ("bottom-right", "bottom-centre", "in-foot", "none"),
        ("top-right", "top-centre", "top-left", "bottom-left", "edge"),
    ),
    "running": _Axis(("line", "line", "none", "ruled"), ("right", "two-lines", "repeat", "boxed")),
    "edge": _Axis(("", "", "right-90", "left-90"), ("left-270", "right-270", "top", "both")),
    "signature": _Axis(
        ("right", "right", "left-electronic", "centre"), ("left", "two", "wide", "boxed")
    ),
    "stamp": _Axis(("", "", "", "corner", "end", "across"), ("left-side", "foot", "steep", "pair")),
    "headings": _Axis(
        ("bold", "capitals", "run-in", "underlined", "coloured"), ("numbered", "centred", "band")
    ),
    "table": _Axis(("", "", "ruled", "plain", "striped", "lines"), ("boxed", "wide")),
    "fonts": _Axis(
        ((SANS, SANS), (SERIF, SERIF), (SANS, SANS), (MONO, MONO)),
        ((SERIF, SANS), (SANS, MONO), (MONO, SERIF), (SERIF, MONO)),
    ),
    "order": _Axis(("head-first", "head-first", "body-last"), ("foot-first", "body-first")),
}

_NOVELTIES = 4
_SHOWN = ("head", "staff", "identity", "foot", "number_at", "running", "edge", "signature", "stamp")


def sample_layout(seed: int, *, held_out: bool) -> PageLayout:
    """Draw a layout; the same one for the same seed.

    A held-out one has values that no training layout has in at least four of its fields; the seed
    walks through the fields, so that consecutive seeds differ in what is new about them.
    """
    random = Random(f"page-layout:{held_out}:{seed}")
    chosen = {field: random.choice(axis.usual) for field, axis in _AXES.items()}
    novel: tuple[str, ...] = ()
    if held_out:
        names = tuple(_AXES)
        first = names[seed % len(names)]
        others = random.sample([name for name in names if name != first], _NOVELTIES - 1)
        options = _AXES[first].novel
        chosen[first] = options[seed // len(names) % len(options)]
        chosen |= {name: random.choice(_AXES[name].novel) for name in others}
        if chosen["drop"] == 0.0:  # the body begins at the very top, what heads it is at the foot
            chosen |= {"head": "bottom", "identity": "bottom-right", "address": "bottom-left"}
        novel = tuple(sorted((first, *others)))
    details = {
        "size": round(random.uniform(8.4, 11.6), 1),
        "leading": round(random.uniform(1.12, 1.5), 2),
        "small": round(random.uniform(6.0, 8.8), 1),
        "accent": random.choice(_COLOURS),
        "grey": random.choice(_GREYS),
        "justified": random.random() < 0.35,
        "hyphens": random.choice(("", "", "hard", "soft")),
        "indent": random.choice((0.0, 0.0, 0.0, 14.0)),
        "turned": random.random() < 0.06,
    }
    layout = PageLayout(name="", novel=novel, **chosen, **details)  # type: ignore[arg-type]
    return _fitted(layout, random, f"{'held-out' if held_out else 'training'}-{seed}")


def _fitted(layout: PageLayout, random: Random, name: str) -> PageLayout:
    """Name a layout, suit its letters to its paper, and set its margins a little off the rule."""
    words = [str(getattr(layout, field)) or "-" for field in _SHOWN]
    left, top, right, bottom = (max(18.0, m + random.uniform(-9.0, 9.0)) for m in layout.margins)
    scale = min(1.0, 0.45 + 0.55 * layout.paper[0] / A4[0])
    return replace(
        layout,
        name=f"{name}:{'/'.join(words)}",
        margins=(left, top, right, bottom),
        size=round(layout.size * scale, 1),
        small=round(layout.small * scale, 1),
    )


_LESS = (
    ("address", "none"), ("staff", ""), ("identity", "strip"), ("drop", 12.0), ("foot", "centre"),
    ("head", "names"), ("identity", "none"), ("head", "none"),
)  # fmt: skip


def simplifications(layout: PageLayout) -> Iterator[PageLayout]:
    """Return a layout, then increasingly simple ones, keeping novel fields the longest."""
    yield layout
    for wanted in (False, True):
        for name, value in _LESS:
            if (name in layout.novel) == wanted and getattr(layout, name) != value:
                layout = replace(layout, **{name: value})  # type: ignore[arg-type]
                yield layout


TRAINING_LAYOUTS = tuple(sample_layout(seed, held_out=False) for seed in range(240))
"""The first of the layouts to train on; `sample_layout` gives as many as there are seeds."""

HELD_OUT_LAYOUTS = tuple(sample_layout(seed, held_out=True) for seed in range(72))
"""Layouts to measure on, each unlike every training layout."""
