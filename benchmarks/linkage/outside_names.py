"""The outside attacker's evidence in names: how they recur, which surrogate stands for each."""

import re
from collections import Counter, defaultdict
from collections.abc import Hashable, Mapping, Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from benchmarks.linkage.outside_files import (
    Bag,
    Files,
    Pairs,
    Row,
    compare_numbers,
    compare_rows,
    compare_values,
    fold_text,
)

PARTICLES = frozenset(
    (
        "de la le les du des d l van von der den di da del della dos das el al y e ben bin mac mc"
    ).split()
)


# In what pattern names recur ----------------------------------------------------------------------


@lru_cache(maxsize=1 << 18)
def _shape(text: str) -> str:
    """Case, initials, number of words, hyphens and particles of a name."""
    words = re.findall(r"[^\W\d_]+", text)
    case = "U" if text.isupper() else "l" if text.islower() else "T" if text.istitle() else "m"
    initials = sum(len(word) == 1 for word in words)
    particles = sum(fold_text(word) in PARTICLES for word in words)
    return f"{case}{len(words)}{initials}{particles}{text.count('-')}{text.count('.')}"


def _forms(spans: Sequence[Row]) -> list[Hashable]:
    """Of each name its label, its shape, and whether it follows the one before directly."""
    forms: list[Hashable] = []
    end = -9
    for row in spans:
        forms.append((row["label"], _shape(row["text"]), row["start"] - end <= 2))
        end = row["start"] + len(row["text"])
    return forms


def _patterns(files: Files, person: int, length: int | None) -> Bag:
    """Patterns of names: their forms, and which earlier one each equals.

    Of so many names in a row, or of whole notes.
    """
    bag: Bag = Counter()
    for spans in files.mentions(person):
        forms, words = _forms(spans), [row["word"] for row in spans]
        size = length or max(1, len(spans))
        for place in range(len(spans) - size + 1):
            window = words[place : place + size]
            first = {word: number for number, word in reversed(list(enumerate(window)))}
            bag[(*forms[place : place + size], *[first[word] for word in window])] += 1
    return bag


def _usage(files: Files, person: int) -> dict[tuple[str, str], list[int]]:
    """How often each name of a file occurs, by label, and in how many notes."""
    return files.once("usage", person, _usage_read)


def _usage_read(files: Files, person: int) -> dict[tuple[str, str], list[int]]:
    """Read what `_usage` gives."""
    usage: dict[tuple[str, str], list[int]] = {}
    for number, spans in enumerate(files.mentions(person)):
        for row in spans:
            entry = usage.setdefault((row["label"], row["word"]), [0, 0, -1])
            entry[0] += 1
            entry[1] += entry[2] != number
            entry[2] = number
    return usage


def _one_mistake(one: str, other: str) -> bool:
    """Whether two words differ by one letter wrong, missing or exchanged."""
    if abs(len(one) - len(other)) > 1 or one == other:
        return False
    start = next(
        (k for k, (a, b) in enumerate(zip(one, other, strict=False)) if a != b),
        min(len(one), len(other)),
    )
    rests = one[start:], other[start:]
    swapped = rests[0][:2] == rests[1][:2][::-1] and rests[0][2:] == rests[1][2:]
    return (
        swapped
        or rests[0][1:] == rests[1][1:]
        or rests[0][1:] == rests[1]
        or rests[0] == rests[1][1:]
    )


def _repeats(files: Files, person: int) -> Bag:
    """Numbers of uses of the names of a file, names in both roles, and misspelt names.

    Of a misspelt name the first letter is right.
    """
    usage = _usage(files, person)
    bag: Bag = Counter((label, count, notes) for (label, _), (count, notes, _) in usage.items())
    roles = Counter(word for _, word in usage)
    bag["both roles"] = sum(count > 1 for count in roles.values())
    words: dict[str, list[str]] = defaultdict(list)
    for word in sorted(word for word in roles if len(word) >= 5):
        bag["misspelt"] += sum(_one_mistake(word, other) for other in words[word[0]])
        words[word[0]].append(word)
    return bag


def compare_mentions(pairs: Pairs) -> None:
    """In what pattern names recur."""
    pairs.bag(
        "patterns of notes", lambda files, person: _patterns(files, person, None), strength=0.9
    )
    pairs.bag("patterns of four names", lambda files, person: _patterns(files, person, 4))
    pairs.bag("uses of names", _repeats)
    pairs.scalar(
        "different names", lambda files, person: float(np.log1p(len(_usage(files, person))))
    )


# Which surrogate stands for a name ----------------------------------------------------------------


def _main(files: Files, person: int) -> dict[str, str]:
    """The name of each label that the most notes of a file hold."""
    best: dict[str, tuple[int, int, str]] = {}
    for (label, word), (count, notes, _) in _usage(files, person).items():
        if len(word) > 2:
            best[label] = max(best.get(label, (0, 0, "")), (notes, count, word))
    return {label: word for label, (_, _, word) in best.items()}


def _owners(files: Files) -> Counter[str]:
    """In how many files each word is a name."""
    return Counter(
        word for person in files.persons for word in {word for _, word in _usage(files, person)}
    )


def _spelling(words: Sequence[str], size: int = 256) -> NDArray[np.float32]:
    """Counts of the letters, pairs and triples of letters of words, folded into `size` columns."""
    table = np.zeros((len(words), size), dtype=np.float32)
    for row, word in enumerate(words):
        padded = f"^{word}$"
        for length in (2, 3):
            for place in range(len(padded) - length + 1):
                piece = padded[place : place + length].encode()
                table[row, int.from_bytes(piece, "big") % (size - 1)] += 1
    return table


def _origins(words: Sequence[str], axes: int = 12) -> dict[str, NDArray[np.float32]]:
    """Main axes along which the spelling of names differs.

    Origin, language and gender are among them.
    """
    table = np.sqrt(_spelling(words))
    table -= table.mean(axis=0)
    values, vectors = np.linalg.eigh(table.T @ table)
    spread = np.sqrt(np.maximum(values[-axes:], 1e-6) / max(1, len(words)))
    return dict(zip(words, table @ vectors[:, -axes:] / spread, strict=True))


def _averages(
    files: Files, label: str, origins: Mapping[str, NDArray[np.float32]]
) -> NDArray[np.float32]:
    """The mean spelling of the names of a label, file by file."""
    rows = []
    for person in files.persons:
        known = [
            origins[word]
            for role, word in _usage(files, person)
            if role == label and word in origins
        ]
        rows.append(
            np.mean(known, axis=0) if known else np.zeros(len(next(iter(origins.values()))))
        )
    return np.array(rows, dtype=np.float32)


def compare_surrogates(pairs: Pairs) -> None:
    """Which surrogates stand in a file: equal ones, rarity, length, letters, spelling."""
    pairs.bag(
        "names: equal",
        lambda f, p: Counter({word: 1 for _, word in _usage(f, p) if len(word) > 2}),
        False,
        0.9,
        False,
    )
    owners = {id(files): _owners(files) for files in (pairs.first, pairs.second)}
    words = sorted(set().union(*owners.values()))
    if not words:
        return
    origins = _origins(words)
    nowhere = np.zeros(len(next(iter(origins.values()))), dtype=np.float32)

    def rarity(files: Files, person: int) -> float:
        return float(
            np.mean([np.log(owners[id(files)][word]) for _, word in _usage(files, person)] or [0.0])
        )

    def length(files: Files, person: int) -> float:
        return float(np.mean([len(word) for _, word in _usage(files, person)] or [0]))

    pairs.scalar("names: mean rarity", rarity, False)
    pairs.scalar("names: mean length", length, False)
    for label in ("LAST_NAME", "FIRST_NAME"):
        main = [
            [_main(files, person).get(label) for person in files.persons]
            for files in (pairs.first, pairs.second)
        ]
        counts = [
            [float(np.log(owners[id(f)][word])) if word else None for word in side]
            for f, side in zip((pairs.first, pairs.second), main, strict=True)
        ]
        pairs.add(f"names: rarity of main {label}", compare_numbers(counts[0], counts[1]), False)
        lengths = [[len(word) if word else None for word in side] for side in main]
        pairs.add(f"names: length of main {label}", compare_numbers(lengths[0], lengths[1]), False)
        pairs.add(
            f"names: initial of main {label}",
            compare_values(*([word and word[0] for word in side] for side in main)),
            False,
        )
        spelt = [
            np.array([nowhere if word is None else origins[word] for word in side]) for side in main
        ]
        pairs.add(f"names: spelling of main {label}", compare_rows(spelt[0], spelt[1]), False)
        mean = [_averages(files, label, origins) for files in (pairs.first, pairs.second)]
        pairs.add(f"names: spelling of {label}", compare_rows(mean[0], mean[1]), False)


def names_of(files: Files, person: int) -> Bag:
    """The names of a file."""
    return Counter(
        {word: count for (_, word), (_, count, _) in _usage(files, person).items() if len(word) > 2}
    )
