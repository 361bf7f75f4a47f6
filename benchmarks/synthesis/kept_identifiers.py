"""Identifiers of the sources found in filled letters, and consistency of their surrogates.

    python -m benchmarks.synthesis.kept_identifiers FILLED MASKED [--examples]

FILLED is what `synthesize fill` wrote, MASKED what it was given. Looks for each identifier of the
letters of a patient in every letter made of them, by no code that writes letters: as it stands in
whole words; with case, accents and signs folded away; numbers of five digits and more by their
digits alone; and words of names, of six letters and more, as they are or with one letter wrong,
missing or too many. A finding stands in a surrogate, is a word that the source has outside of its
identifiers, too, or was filled in. Chance is the same search for the identifiers of the next
patient.

A letter holds together where one name (whatever its case and accents) has one surrogate, different
names have different ones, and all its whole dates moved by one number of days. `--examples` prints
words that were found: only for letters that may be read.
"""

import argparse
import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path

from rapidfuzz.distance import OSA

from pipeline.synthetic.filled_letters import read_filled
from record.document import Annotated
from record.span import Span
from synthesis.generation_files import NOTES
from synthesis.masked_letters import load_letters
from synthesis.masking import MaskedDocument

_NAMES = ("NAME", "FIRST_NAME", "LAST_NAME")
_LONG, _DIGITS = 6, 5
_WORD = re.compile(r"[^\W_]+")
_DAY = re.compile(r"(\d{1,2})[/.-](\d{1,2})[/.-](\d{4})")

Words = list[tuple[str, int]]
"""Folded words of a text with where they begin."""


@dataclass(frozen=True)
class Finding:
    """An identifier in a letter: its label, how it was found, where it stands, and the words."""

    label: str
    way: str
    where: str
    words: str = field(repr=False)


@dataclass(frozen=True)
class Letter:
    """A letter, its source, and the identifiers of the patient as pairs of label and value."""

    made: Annotated = field(repr=False)
    source: MaskedDocument = field(repr=False)
    identifiers: frozenset[tuple[str, str]] = field(repr=False)


def main() -> None:
    """Print counts: letters, findings by label, way and place, by chance, and of consistency."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("filled", type=Path, metavar="FILLED")
    parser.add_argument("masked", type=Path, metavar="MASKED")
    parser.add_argument("--examples", action="store_true", help="print the words that were found")
    options = parser.parse_args()
    letters = list(_letters(options.filled, options.masked))
    print(f"{len(letters)} letters of {len({e.source.document.note_id for e in letters})} sources")
    own: Counter[tuple[str, ...]] = Counter()
    others: Counter[tuple[str, ...]] = Counter()
    seen: defaultdict[tuple[str, ...], Counter[str]] = defaultdict(Counter)
    for number, letter in enumerate(letters):
        for each in find_identifiers(letter, letter.identifiers):
            own[each.label, each.way, each.where] += 1
            seen[each.label, each.way, each.where][each.words] += 1
        stranger = _stranger(letters, number)
        for each in find_identifiers(letter, stranger.identifiers) if stranger else ():
            others[each.label, each.way, each.where] += 1
    print(f"{'label':<14}{'way':<10}{'stands in':<14}{'found':>8}{'by chance':>11}")
    for key in sorted(own | others):
        label, way, where = key
        words = ", ".join(f"{w} {n}" for w, n in seen[key].most_common(6))
        shown = f"  {words}" if options.examples else ""
        print(f"{label:<14}{way:<10}{where:<14}{own[key]:>8}{others[key]:>11}{shown}")
    print(", ".join(f"{count} {what}" for what, count in count_consistency(letters).items()))


def find_identifiers(letter: Letter, identifiers: Iterable[tuple[str, str]]) -> Iterator[Finding]:
    """Look for identifiers in a letter; each counts once, by the strictest way that finds it."""
    text = letter.made.document.text
    words = _folded(text)
    named = letter.source.identifiers
    source = _folded(letter.source.document.text)
    plain = {word for word, at in source if not _covered(at, named)}
    line, runs = _line(words), _digit_runs(words)
    for label, value in sorted(identifiers):
        found = _as_it_stands(value, text) or _sequence(value, words, line)
        if found is not None:
            way, at = found
            own = [word for word, _ in _folded(value)]
            yield Finding(label, way, _where(letter, at, set(own) <= plain), " ".join(own))
            continue
        digits = "".join(filter(str.isdigit, value))
        if len(digits) >= _DIGITS and digits in runs:
            yield Finding(label, "digits", _where(letter, runs[digits], False), digits)
        for name in _long_words(label, value):
            near = [(word, at) for word, at in words if _is_near(name, word)]
            for word, at in sorted(near, key=lambda each: each[0] != name)[:1]:
                way = "a word" if word == name else "near"
                yield Finding(label, way, _where(letter, at, word in plain), word)


def count_consistency(letters: Iterable[Letter]) -> dict[str, int]:
    """Count names and letters that hold together, and those that do not."""
    counts = {
        "names with one surrogate": 0,
        "names with several surrogates": 0,
        "surrogates shared by several names": 0,
        "letters with one date shift": 0,
        "letters with several date shifts": 0,
    }
    for letter in letters:
        names: defaultdict[str, set[str]] = defaultdict(set)
        shifts: set[int] = set()
        for label, one, other in _pairs(letter):
            if label in _NAMES:
                names[_key(one)].add(_key(other))
            elif label in ("DATE", "BIRTH_DATE"):
                days = [_day(one), _day(other)]
                if days[0] and days[1]:
                    shifts.add((days[1] - days[0]).days)
        single = [next(iter(some)) for some in names.values() if len(some) == 1]
        counts["names with one surrogate"] += len(single)
        counts["names with several surrogates"] += len(names) - len(single)
        counts["surrogates shared by several names"] += len(single) - len(set(single))
        counts["letters with one date shift"] += len(shifts) == 1
        counts["letters with several date shifts"] += len(shifts) > 1
    return counts


def _letters(filled: Path, masked: Path) -> Iterator[Letter]:
    sources = load_letters(masked).letters
    owned: defaultdict[str | None, set[tuple[str, str]]] = defaultdict(set)
    for each in sources:
        owned[each.document.person_id].update((label, value) for label, value in _values(each))
    for made in read_filled(filled / NOTES):
        source = sources[made.letter]
        yield Letter(made.annotated, source, frozenset(owned[source.document.person_id]))


def _values(source: MaskedDocument) -> list[tuple[str, str]]:
    text = source.document.text
    return [(span.label, text[span.start : span.end]) for span in source.identifiers]


def _stranger(letters: Sequence[Letter], number: int) -> Letter | None:
    person = letters[number].source.document.person_id
    others = (*letters[number + 1 :], *letters[:number])
    return next((each for each in others if each.source.document.person_id != person), None)


def _folded(text: str) -> Words:
    return [(_plain(match[0]), match.start()) for match in _WORD.finditer(text)]


def _plain(word: str) -> str:
    spread = unicodedata.normalize("NFKD", word.casefold())
    return "".join(letter for letter in spread if not unicodedata.combining(letter))


def _key(value: str) -> str:
    return " ".join(word for word, _ in _folded(value))


def _as_it_stands(value: str, text: str) -> tuple[str, int] | None:
    if value not in text or not any(map(str.isalnum, value)):
        return None
    found = re.search(rf"(?<![^\W_]){re.escape(value)}(?![^\W_])", text)
    return ("exact", found.start()) if found else None


def _sequence(value: str, words: Words, line: str) -> tuple[str, int] | None:
    wanted = _line(_folded(value))
    at = line.find(wanted) if wanted.strip() else -1
    return None if at < 0 else ("folded", words[line.count(" ", 0, at)][1])


def _line(words: Words) -> str:
    """Write folded words between blanks."""
    return f" {' '.join(_bare(word) for word, _ in words)} "


def _bare(word: str) -> str:
    """Leave out the zero before a day or month: 03/02 is 3-2."""
    return word[1:] if len(word) == 2 and word[0] == "0" else word


def _digit_runs(words: Words) -> dict[str, int]:
    """Return the digits of up to four words in a row that are numbers, with where they begin."""
    found: dict[str, int] = {}
    for at, (_, start) in enumerate(words):
        run = ""
        for word, _ in words[at : at + 4]:
            if not word.isdigit():
                break
            run += word
            found.setdefault(run, start)
    return found


def _is_near(name: str, word: str) -> bool:
    return abs(len(word) - len(name)) < 2 and OSA.distance(name, word, score_cutoff=1) < 2


def _long_words(label: str, value: str) -> list[str]:
    if label not in _NAMES:
        return []
    return [word for word, _ in _folded(value) if len(word) >= _LONG and word.isalpha()]


def _covered(at: int, spans: Iterable[Span]) -> bool:
    return any(span.start <= at < span.end for span in spans)


def _where(letter: Letter, at: int, is_plain: bool) -> str:
    if _covered(at, letter.made.spans):
        return "surrogate"
    return "source's words" if is_plain else "filled"


def _pairs(letter: Letter) -> Iterator[tuple[str, str, str]]:
    """Pair identifiers with their surrogates, label by label in their order."""
    text = letter.made.document.text
    made: defaultdict[str, list[str]] = defaultdict(list)
    for span in sorted(letter.made.spans):
        made[span.label].append(text[span.start : span.end])
    originals: defaultdict[str, list[str]] = defaultdict(list)
    for label, value in _values(letter.source):
        originals[label].append(value)
    for label, values in originals.items():
        if len(values) == len(made[label]):
            yield from ((label, *each) for each in zip(values, made[label], strict=True))


def _day(value: str) -> date | None:
    found = _DAY.fullmatch(value.strip())
    try:
        return date(int(found[3]), int(found[2]), int(found[1])) if found else None
    except ValueError:
        return None


if __name__ == "__main__":
    main()
