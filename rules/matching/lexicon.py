"""Word lists that come with the rules: plain files, one folded entry a line, `#` for comments.

The short lists are curated and read as sets (`lexicon`); what surrogates are drawn from as well
stands in `locales/lexicons`. The wide ones hold what registers and gazetteers know, a hundred
thousand entries and more: they are evidence with a weight (`surname_rank` and the others), no
proof. They are read on first use, once a process; `scripts/lexicons` rebuilds them.
"""

from collections.abc import Iterable, Sequence
from functools import cache, lru_cache
from importlib.resources import files
from importlib.resources.abc import Traversable

from locales import word_lists
from record.folding import fold
from rules.matching.normalization import plain

# Words of notes repeat: recent look-ups are cached.
_REMEMBERED = 1 << 14
_PREFIX = 4
_SAINTS = {"st": "saint", "ste": "sainte", "sts": "saints", "stes": "saintes"}


def _list_file(name: str) -> Traversable:
    """Return the file of a list, which lies in the folder of its domain."""
    for folder in ("names", "places", "terms", "words"):
        file = files("rules") / "lexicons" / folder / f"{name}.txt"
        if file.is_file():
            return file
    raise FileNotFoundError(f"no list named {name}")


@cache
def lexicon(name: str) -> frozenset[str]:
    """Read a list as folded entries.

    `family_fr` and the like stand in `locales` alone, `cities` and other places there for some
    languages and in `rules/lexicons` for the rest. Raises FileNotFoundError where there is no
    list of that name.
    """
    kind, _, lang = name.partition("_")
    if kind in word_lists.KINDS and lang in word_lists.LISTED:
        return _folded(word_lists.known(kind, lang))
    text = _list_file(name).read_text("utf-8")
    lines = (line.split("#", 1)[0].split("\t", 1)[0].strip() for line in text.splitlines())
    shared = word_lists.LISTED if name in word_lists.KINDS else ()
    return _folded(line for line in lines if line).union(
        *(_folded(word_lists.known(name, each)) for each in shared)
    )


def entries_as_written(name: str) -> list[str]:
    """Return the entries of a list of `rules/lexicons` as they are written there."""
    lines = (
        line.split("#", 1)[0].strip() for line in _list_file(name).read_text("utf-8").split("\n")
    )
    return [line for line in lines if line]


def _folded(entries: Iterable[str]) -> frozenset[str]:
    return frozenset(fold(plain(entry)) for entry in entries)


@cache
def lexicons(*names: str) -> frozenset[str]:
    """Join several lists into one."""
    return frozenset[str]().union(*(lexicon(name) for name in names))


class WideList:
    """A list sorted by bytes, each entry followed by a tab and what is known of it.

    It is searched where it lies: 413,000 names take the 6 MB of their file, a tenth of what a
    dictionary of them takes. Entries are ASCII, their words parted by single blanks.
    """

    __slots__ = ("_first", "_lines", "_stretches")

    def __init__(self, text: bytes) -> None:
        self._lines = text
        # The line break before the first entry.
        self._first = 0
        while text.startswith(b"#", self._first and self._first + 1):
            self._first = text.index(b"\n", self._first + 1)
        self._stretches: dict[bytes, tuple[int, int]] = {}

    def __repr__(self) -> str:
        return f"WideList({len(self._lines)} bytes)"

    @property
    def lines(self) -> bytes:
        """All entries, one a line."""
        return self._lines

    def known(self, entry: str) -> str:
        """Return what is known of an entry; empty where the list lacks it."""
        sought = b"\n%b\t" % entry.encode("ascii", "replace")
        at = self._find(sought)
        if at < 0:
            return ""
        start = at + len(sought)
        return self._lines[start : self._lines.find(b"\n", start)].decode("ascii")

    def goes_on(self, words: str) -> bool:
        """Return whether some entry begins with these words and has more."""
        return self._find(b"\n%b " % words.encode("ascii", "replace")) >= 0

    def _find(self, sought: bytes) -> int:
        prefix = sought[1 : 1 + _PREFIX]
        stretch = self._stretches.get(prefix)
        if stretch is None:
            first = self._lower_bound(prefix)
            stretch = self._stretches[prefix] = first, self._lower_bound(prefix + b"\x7f") + 1
        return self._lines.find(sought, *stretch)

    def _lower_bound(self, start: bytes) -> int:
        """Find the line break before the first line that is not less than a prefix."""
        lines = self._lines
        low, high = self._first, len(lines) - 1
        while low < high:
            middle = (low + high) // 2
            line = lines.rfind(b"\n", low, middle + 1)
            if lines[line + 1 : line + 1 + len(start)] < start:
                low = lines.find(b"\n", middle + 1)
            else:
                high = line
        return low


@cache
def wide_list(name: str) -> WideList:
    """Read a wide list of `rules/lexicons`, such as `wide_family`.

    Raises FileNotFoundError where there is no list of that name.
    """
    return WideList(_list_file(name).read_bytes())


def _lookup_key(folded: str) -> str:
    return (folded if folded.isascii() else plain(folded)).replace("-", " ")


def _find_name(name: str, folded: str) -> str:
    key = _lookup_key(folded)
    known = wide_list(name).known(key)
    # Censuses write in one word what others part: `obrien`, `delacruz`.
    if not known and ("'" in key or " " in key):
        known = wide_list(name).known(key.replace("'", "").replace(" ", ""))
    return known


@lru_cache(_REMEMBERED)
def surname_rank(folded: str) -> int:
    """Return how frequent a folded family name is.

    1: one of the 1,000 most frequent of some country, 2: of 10,000, 3: of 50,000 or of unknown
    frequency, 4: rarer; 0: unknown.
    """
    return int(_find_name("wide_family", folded)[:1] or 0)


def surname_countries(folded: str) -> tuple[str, ...]:
    """Return where a folded family name is known, as codes of ISO 3166 in small letters."""
    return tuple(_find_name("wide_family", folded)[2:].split())


@lru_cache(_REMEMBERED)
def given_rank(folded: str) -> int:
    """Return how frequent a folded given name is.

    1: one of the 200 most frequent of some country, 2: of 1,000, 3: of 5,000, 4: rarer;
    0: unknown.
    """
    return int(_find_name("wide_given", folded)[:1] or 0)


def _find_place(folded: str) -> str:
    words = _lookup_key(folded).replace("'", " ").split()
    return wide_list("wide_places").known(" ".join(_SAINTS.get(word, word) for word in words))


@lru_cache(_REMEMBERED)
def place_rank(folded: str) -> int:
    """Return how large the largest town of a folded name is.

    1: 100,000 inhabitants, 2: 10,000, 3: 1,000, 4: fewer or an unknown number; 0: no town.
    Articles are part of a name (`le havre`); `st` stands for `saint`.
    """
    return int(_find_place(folded)[:1] or 0)


def place_countries(folded: str) -> tuple[str, ...]:
    """Return which countries have a town of that name, as codes of ISO 3166 in small letters."""
    return tuple(_find_place(folded)[2:].split())


@lru_cache(_REMEMBERED)
def _find_town(start: str) -> tuple[bool, bool]:
    """Return whether these words are a town, and whether some town begins with them and goes on."""
    towns = wide_list("wide_places")
    return bool(towns.known(start)), towns.goes_on(start)


def longest_place(words: Sequence[str]) -> int:
    """Return how many of these folded words, from the first on, the longest name of a town takes.

    Words are parted at blanks, hyphens and apostrophes; 0 where no town begins so.
    """
    longest = 0
    start = ""
    for count, word in enumerate(words, 1):
        start = f"{start} {_SAINTS.get(word, word)}" if start else _SAINTS.get(word, word)
        ends, goes_on = _find_town(start)
        if ends:
            longest = count
        if not goes_on:
            break
    return longest


@lru_cache(_REMEMBERED)
def word_rank(folded: str, language: str = "") -> int:
    """Return how frequent a folded everyday word is in a language, or in any where none is given.

    1: one of the 1,000 most frequent, 2: of 5,000, 3: of 20,000, 4: rarer; 0: no everyday word
    of `de`, `en`, `es`, `fr` or `nl`.
    """
    known = wide_list("wide_words").known(_lookup_key(folded)).split()
    ranks = [int(each[3:]) for each in known if each.startswith(language)]
    return min(ranks, default=0)


@lru_cache(_REMEMBERED)
def term_kind(folded: str) -> str:
    """Return whether a folded word names a drug (`d`), is of diseases (`t`), both or neither."""
    known = wide_list("wide_terms").known(_lookup_key(folded))
    return known or ("d" if folded in lexicon("drug_brands") else "")
