"""Numbers in words in French, English, Spanish, German and Dutch, as folded text has them."""

import re
from itertools import takewhile

# One to thirty.
_SMALL = (
    "",
    "un une uno una one ein eine eins een",
    "deux two dos zwei twee",
    "trois three tres drei drie",
    "quatre four cuatro vier",
    "cinq five cinco funf vijf",
    "six seis sechs zes",
    "sept seven siete sieben zeven",
    "huit eight ocho acht",
    "neuf nine nueve neun negen",
    "dix ten diez zehn tien",
    "onze eleven once elf",
    "douze twelve doce zwolf twaalf",
    "treize thirteen trece dreizehn dertien",
    "quatorze fourteen catorce vierzehn veertien",
    "quinze fifteen quince funfzehn vijftien",
    "seize sixteen dieciseis sechzehn zestien",
    "seventeen diecisiete siebzehn zeventien",
    "eighteen dieciocho achtzehn achttien",
    "nineteen diecinueve neunzehn negentien",
    "vingt vingts twenty veinte zwanzig twintig",
    "veintiun veintiuno veintiuna",
    "veintidos",
    "veintitres",
    "veinticuatro",
    "veinticinco",
    "veintiseis",
    "veintisiete",
    "veintiocho",
    "veintinueve",
    "trente thirty treinta dreißig dreissig dertig",
)
# First to thirtieth, as they give a day of the month.
_DAYS = (
    "",
    "first premier premiere primero primer primera erste ersten erster eerste",
    "second deuxieme segundo zweite zweiten zweiter tweede",
    "third troisieme tercero dritte dritten dritter derde",
    "fourth vierte vierten vierter vierde",
    "fifth funfte funften funfter vijfde",
    "sixth sechste sechsten sechster zesde",
    "seventh siebte siebten siebter zevende",
    "eighth achte achten achter achtste",
    "ninth neunte neunten neunter negende",
    "tenth zehnte zehnten zehnter tiende",
    "eleventh elfte elften elfter elfde",
    "twelfth zwolfte zwolften zwolfter twaalfde",
    "thirteenth dreizehnten dertiende",
    "fourteenth vierzehnten veertiende",
    "fifteenth funfzehnten vijftiende",
    "sixteenth sechzehnten zestiende",
    "seventeenth siebzehnten zeventiende",
    "eighteenth achtzehnten achttiende",
    "nineteenth neunzehnten negentiende",
    "twentieth zwanzigsten twintigste",
    "",
    "",
    "",
    "",
    "",
    "",
    "",
    "",
    "",
    "thirtieth dreißigsten dertigste",
)
_TENS = (
    (40, "quarante forty cuarenta vierzig veertig"),
    (50, "cinquante fifty cincuenta funfzig vijftig"),
    (60, "soixante sixty sesenta sechzig zestig"),
    (70, "septante seventy setenta siebzig zeventig"),
    (80, "huitante octante eighty ochenta achtzig tachtig"),
    (90, "nonante ninety noventa neunzig negentig"),
    (900, "novecientos"),
)
# German and Dutch write the ones before the tens, in one word: `siebenundsechzig`.
_JOINED = (
    ("und", "ein zwei drei vier funf sechs sieben acht neun",
     "zwanzig dreißig vierzig funfzig sechzig siebzig achtzig neunzig", "sten"),
    ("en", "een twee drie vier vijf zes zeven acht negen",
     "twintig dertig veertig vijftig zestig zeventig tachtig negentig", "ste"),
)  # fmt: skip
_CENTURIES = (
    ("neunzehnhundert", 1900), ("negentienhonderd", 1900),
    ("zweitausend", 2000), ("tweeduizend", 2000),
)  # fmt: skip
_CENTURY_WORDS = tuple(word for word, _ in _CENTURIES)
_HUNDREDS = frozenset({"cent", "cents", "hundred", "cien", "ciento", "hundert", "honderd"})
_THOUSANDS = frozenset({"mille", "mil", "thousand"})
_LINKS = frozenset({"et", "and", "y"})
_WORDS = re.compile(r"[a-zß]{1,40}(?:[ \-][a-zß]+){0,7}")
_WORD = re.compile(r"[a-zß]{1,40}")
_LETTERS = re.compile(r"[a-zß]+\Z")
_BETWEEN = re.compile(r"[ \-]")
_LONGEST = 64


def _numbers() -> dict[str, int]:
    numbers = {word: n for n, words in enumerate(_SMALL) for word in words.split()}
    numbers |= {word: n for n, words in _TENS for word in words.split()}
    numbers |= {word: n for n, words in enumerate(_DAYS) for word in words.split()}
    for link, ones, tens, ordinal in _JOINED:
        for n, one in enumerate(ones.split(), start=1):
            for ten, name in enumerate(tens.split(), start=2):
                numbers[one + link + name] = numbers[one + link + name + ordinal] = ten * 10 + n
    return numbers


_NUMBERS = _numbers()
_ORDINALS = frozenset(word for words in _DAYS for word in words.split())


def spoken(words: str) -> int | None:
    """Read a number written in folded words; None where a word is not part of a number.

    Years said in two halves (`nineteen eighty five`) are read as one number.
    """
    total, current, previous = 0, 0, ""
    for word in words.replace("-", " ").split():
        number = _value(word)
        if word in _THOUSANDS:
            total, current = total + max(current, 1) * 1000, 0
        elif word in _HUNDREDS:
            current = max(current, 1) * 100
        elif word in ("vingt", "vingts") and previous == "quatre":
            current += 76
        elif number is not None:
            halves = 13 <= current <= 20 and 10 <= number < 100 and not total
            current = current * 100 + number if halves else current + number
        elif word not in _LINKS:
            return None
        previous = word
    return total + current


def _value(word: str) -> int | None:
    """Read one word, also a German or Dutch year in one word."""
    if word in _CENTURY_WORDS:
        return dict(_CENTURIES)[word]
    number = _NUMBERS.get(word)
    if number is None and word.startswith(_CENTURY_WORDS):
        for century, years in _CENTURIES:
            rest = _NUMBERS.get(word.removeprefix(century).removeprefix("und"))
            if word.startswith(century) and rest is not None:
                return years + rest
    return number


def counts(word: str) -> bool:
    """Return whether a folded word is part of a number in words."""
    known = word in _NUMBERS or word in _LINKS or word in _HUNDREDS or word in _THOUSANDS
    return known or word.startswith(_CENTURY_WORDS)


def _after_mark(word: str) -> str:
    """Return the letters at the end of a word: `premier` of `(premier`."""
    letters = _LETTERS.search(word)
    return letters[0] if letters else ""


def spoken_before(folded: str, end: int) -> tuple[int, int] | None:
    """Read the number in words that ends at an offset: (start, number), None without one.

    Its words stand a blank or a hyphen apart.
    """
    words: list[str] = []
    for word in reversed(folded[max(0, end - _LONGEST) : end].replace("-", " ").split(" ")):
        bare = word if word.isalpha() else _after_mark(word)
        if not counts(bare):
            break
        words.insert(0, bare)
        if bare is not word:
            break
    if not words:
        return None
    while words and words[0] in _LINKS:
        del words[0]
    number = spoken(" ".join(words))
    if not words or number is None or words[-1] in _LINKS:
        return None
    return end - len(" ".join(words)), number


def spoken_after(folded: str, at: int) -> tuple[int, int] | None:
    """Read the number in words that begins at an offset: (end, number), None without one."""
    first = _WORD.match(folded, at)
    if first is None or not counts(first[0]):
        return None
    match = _WORDS.match(folded, at, at + _LONGEST)
    if match is None:
        return None
    words = list(takewhile(counts, _BETWEEN.split(match[0])))
    while words and words[-1] in _LINKS:
        del words[-1]
    number = spoken(" ".join(words))
    return (at + len(" ".join(words)), number) if words and number is not None else None


def is_ordinal(word: str) -> bool:
    """Tell `first` from `one`; ordinals in two words count by their last."""
    return word in _ORDINALS or word.endswith(("ste", "sten", "first", "second", "third"))
