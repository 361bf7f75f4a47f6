"""Two kinds of damage one after the other, and which pairs a human reader still reads."""

import functools
import random
import re

from benchmarks.attacks.damage.damage import DATES, Damage
from benchmarks.attacks.damage.kinds import DAMAGES
from benchmarks.attacks.damage.typing_errors import WORD

# The order in which damage happens: how a value is built, typed, set, encoded, embedded.
_GROUPS_IN_ORDER = (
    "order", "hyphen", "numform", "numsep", "dateform", "datesep", "month", "spoken", "inflect",
    "accent", "edit", "ocr", "case", "blank", "spacing", "break", "glyph", "invisible",
    "encoding", "markup", "context", "unreadable",
)  # fmt: skip

# Pairs that no human reader would still read, beyond the rules of `_pair_readable`.
_EXCLUDED_PAIRS: set[frozenset[str]] = {
    # One letter unseen and another one wrong or missing fits several names.
    *(
        frozenset({"OCR placeholder for a letter", kind.name})
        for kind in DAMAGES
        if kind.load == "edit"
    ),
    # Three letters of a name are gone.
    *(
        frozenset({"cut by a field's width", kind.name})
        for kind in DAMAGES
        if "dropped" in kind.name and kind.load == "edit"
    ),
    # Two letters are lost, the first among them, or both ends, and the name is another one.
    frozenset({"first letter dropped", "last letter dropped"}),
    frozenset({"first letter dropped", "inner letter dropped"}),
    frozenset({"first letter dropped", "first letter neighbouring key"}),
    frozenset({"first letter dropped", "first letters swapped"}),
    frozenset({"first letter neighbouring key", "first letters swapped"}),
    # A digit that stands for a slash and a letter that stands for a digit: any date fits.
    frozenset({"slash read as a 1 or 7", "OCR letters in a number"}),
    frozenset({"slash read as a 1 or 7", "OCR letters in a number, all"}),
    frozenset({"separator letter l", "OCR letters in a number, all"}),
    # The separator of a scientific or decimal number is then taken for a digit group.
    frozenset({"scientific notation", "stray sign in a number"}),
    frozenset({"scientific notation", "number grouped by dots"}),
    # A name spelled out with signs whose letters are then read as digits or placed in boxes.
    frozenset({"spelled with commas", "letter in brackets"}),
}


def _kinds_of(*groups: str, load: str = "") -> frozenset[str]:
    """Give the names of the kinds of some groups, of one load only where it is given."""
    return frozenset(
        kind.name for kind in DAMAGES if kind.group in groups and load in ("", kind.load)
    )


def _named_like(group: str, *parts: str) -> frozenset[str]:
    """Give the names of a group's kinds that have one of the parts in them."""
    return frozenset(name for name in _kinds_of(group) if any(part in name for part in parts))


_OVERRIDE = frozenset({"shown forwards, stored backwards"})

_HTML_ENTITIES = frozenset(
    {"HTML entities, named", "HTML entities, decimal, all letters", "entities, hexadecimal, some"}
)

_ESCAPES = frozenset(
    {"address escapes", "form field escapes", "mail header word", "UTF-7", "quoted-printable",
     "program escapes", "HL7 escapes", "DOS and RTF escapes", "entities without semicolon",
     "entities escaped twice"}
)  # fmt: skip
_OTHER_DIGITS = _named_like("glyph", "Indic", "Persian", "Devanagari", "Bengali", "Thai", "Chinese")
_LOST_ACCENTS = _kinds_of("accent", load="edit") - {"accent on a wrong letter"}

_FAR_SIGNS = frozenset(
    {f"separator {sign}" for sign in "·∕⁄"}
    | {f"separator {sign}" for sign in ("en dash", "bullet", "minus", "full-width slash")}
    | {f"number grouped by {sign}" for sign in ("dashes", "narrow blanks", "middle dots")}
)

# Pairs of whole groups that no human reader would still read: any of the left with any of the
# right, in either order.
_EXCLUDED_GROUPS: tuple[tuple[frozenset[str], frozenset[str]], ...] = (
    # Every sign, or the gap after every sign, becomes rubbish or an escape; only HTML entities
    # are shown as what they stand for.
    (_kinds_of("glyph", "invisible"), _kinds_of("encoding") - _HTML_ENTITIES),
    (_kinds_of("spacing"), _ESCAPES),
    (frozenset({"letter-spaced, thin or no-break blanks"}), _kinds_of("encoding") - _HTML_ENTITIES),
    # The escapes' own digits run into the digits, or the breaks become a chain of escapes.
    (_FAR_SIGNS, _ESCAPES),
    (_kinds_of("break", "blank"), _ESCAPES),
    # Stored backwards, it is shown forwards only if nothing breaks or marks up the stretch.
    (_OVERRIDE, _kinds_of("break", "blank", "markup", "encoding", "spacing", "spoken", "accent",
                          "glyph")),
    (_OVERRIDE, frozenset({"number in two lines of groups"})),
    # A backspace then erases the invisible sign instead of the letter.
    (frozenset({"overstruck"}), _kinds_of("invisible", "encoding")),
    # Whole sentences spelled letter by letter, with gaps between the letters.
    (_kinds_of("spoken"), _kinds_of("spacing") | {"sign-wise mixed gaps"}),
    # OCR takes a digit of our script for a letter, no digit of another script.
    (_kinds_of("ocr"), _OTHER_DIGITS),
    # The accented letters are lost, and with one more letter wrong the word is another one.
    (_LOST_ACCENTS, _kinds_of("edit", "ocr", "month", load="edit")),
    # Markup is ASCII in reality; with its own letters changed it hides the value (`<w|br>`).
    (frozenset({"line break tag inside", "HL7 break inside", "blank as entity or no-break"}),
     _kinds_of("glyph", "invisible")),
    # JSON then escapes every sign or separator.
    (frozenset({"JSON field"}), _kinds_of("glyph", "invisible") | _FAR_SIGNS),
    # The second overwrites the first, and nothing is composed.
    (_kinds_of("numsep"), _kinds_of("spoken")),
    (_kinds_of("case"), frozenset({"written in Cyrillic", "written in Greek"})),
    (frozenset({"number in two lines of groups"}), _kinds_of("spacing")),
    # The blanks that part the separators become separators as well (`31 / / / 12`).
    (_kinds_of("datesep"), frozenset({"blank as list sign"})),
)  # fmt: skip


def _position(damage: Damage) -> int:
    """Give the place of a kind in the order in which damage happens."""
    return _GROUPS_IN_ORDER.index(damage.group)


def _pair_readable(first: Damage, second: Damage) -> bool:
    """Tell by rule whether a human would still read a value damaged twice."""
    loads = {first.load, second.load}
    if first.group == second.group and first.group != "edit":
        return False  # the second undoes or overwrites the first, or nothing is added
    if "heavy" in loads and loads != {"heavy", "light"}:
        return False  # laborious and wrong, or twice laborious: no reader gets through
    names = frozenset({first.name, second.name})
    if any(_across(names, left, right) for left, right in _EXCLUDED_GROUPS):
        return False
    return names not in _EXCLUDED_PAIRS


def _across(names: frozenset[str], left: frozenset[str], right: frozenset[str]) -> bool:
    """Tell whether one of two names is of the left and the other one of the right."""
    return any(one in left and (names - {one}) <= right for one in names)


def _short_name(value: str) -> bool:
    """Tell whether an editable word of a name has fewer than six letters."""
    words = [len(word) for word in WORD.findall(value) if len(word) >= 5]
    return not re.search("[0-9]", value) and min(words, default=0) < 6


def compose(first: Damage, second: Damage) -> Damage:
    """Make the damage that comes of two kinds, one after the other."""
    sorts = first.applies_to & second.applies_to
    sorts = sorts if second.on_text else sorts - DATES
    edits = first.load == second.load == "edit"

    def apply(value: str, rng: random.Random) -> str:
        """Apply both kinds, or leave a value to which one of them cannot be applied."""
        if edits and _short_name(value):
            return value
        once = first.apply(value, rng)
        twice = second.apply(once, rng) if once != value else value
        return value if twice == once else twice

    readable = first.readable and second.readable and _pair_readable(first, second)
    why = f"{first.why} {second.why}"
    return Damage(
        f"{first.name} + {second.name}", sorts, apply, readable, why,
        on_text=first.on_text and second.on_text, new=first.new or second.new,
        group=second.group, load="heavy",
    )  # fmt: skip


@functools.cache
def readable_pairs() -> tuple[Damage, ...]:
    """Give the pairs that a human reader would still read, in the order damage happens."""
    kinds = sorted((damage for damage in DAMAGES if damage.readable), key=_position)
    pairs = (compose(first, second) for at, first in enumerate(kinds) for second in kinds[at + 1 :])
    return tuple(pair for pair in pairs if pair.readable and pair.applies_to)
