"""Detection of undeclared encodings by the plausibility of the spelling, and mojibake repair."""

import re
from dataclasses import dataclass, field
from itertools import islice

from record.errors import Unreadable

# Letters in French, Spanish, German, Portuguese, Catalan, Italian and Nordic words and names, with
# the letters that may precede and follow them (`_` for anything else).
_TABLE = """
š|_aeiouy|_aeiklmnopqtuv
ß|_aeiouäöü|_befhilmnptvw
à|_cdfijlmnorstvzçú|_bcflnprstuè
á|_'bcdefghijklmnoprstuvwxyzñ|_bcdefgijlmnpqrstuvxzéñ
â|_'abcdefghilmnprstuvzé|_bcdgilmnpqrst
ã|bcdefghijlmnoprstuvxç|_eos
ä|_bcdfghijklmnprstwz|_bcdfghiklmnopqrstuvzß
å|_ahp|gklns
æ|_cfhjlnprt|_cdmnqrstv
ç|_acehilnopruéíü|_aeilouàãõúû
è|_abcdfghijlmnoprstuvyzà|_bcdfglmnpqrstvzê
é|_'abcdfghijklmnopqrstuvwxyzáéñ|_abcdefghijklmnopqrstuvxyzâçéíï
ê|_bcdfghilmnoprstuvzèü|_cdlmnpqrstuvxzô
ë|aiou|_dhilmnrstvy
í|_abcdefghjlmnoprstuvxzéñü|_abcdefgklmnopqrstvxzçñó
î|_'abdfglmnoprtuv|clmnrst
ï|_aeoué|_acdeflmnoqrstvw
ñ|_adegiouáíóú|_aeiouáéíó
ò|_clrtu|_lnrst
ó|_abcdefghijlmnoprstuvwxyzíñ|_bcdefgijlmnpqrstvxzñú
ô|_abcdefhjklmnprtvê|_dlmnpst
õ|cdehimrstç|e
ö|_bdfghjklmnprstuvwz|bcdefghklmnprstvwxzß
ø|_jmrs|_lmry
ù|bdiot|_
ú|_abcdefghijlmnprstzçó|_abcdefghjlmnopqrstvyzàñ
û|bdeflmopqrsç|_clmnrst
ü|_bdfghjklmnpqrstwz|_bcdefghiklmnrstßçêí
œ|_'bcdfghlmnprsv|_acdilnstu
"""
_ROWS = [row.split("|") for row in _TABLE.strip("\n").split("\n")]
_BEFORE = {letter: frozenset(before) for letter, before, _ in _ROWS}
_AFTER = {letter: frozenset(after) for letter, _, after in _ROWS}

_STANDS_ALONE = {"à": 0, "À": 0, "é": 2, "è": 2, "É": 2, "ó": 2}
# Of two plausible letters, the more frequent one is preferred.
_RARITY = {
    **dict.fromkeys("éèàóíáñœ", 0),
    **dict.fromkeys("çêôúüöäîâû", 1),
    **dict.fromkeys("ïëßã", 2),
}
_RARE = 3
_GLUED = 2  # `PUIS…`: more likely a capital letter of another code page
_CAPITAL_IN_SMALL = 2  # how much rarer an accented first letter is as a capital

_LETTER = r"[^\W\d_]"
_END = r"(?=$|[\s.,;:!?)\]/])"
_BEGIN = r"(?:^|(?<=[\s(\[«“\"'.,;:=-]))"

# The code of í in classic Mac OS is the apostrophe in Windows: some words could be either.
_VOWEL = "[aeiouyhàâéèêëîïôœ]"
_ELISION = r"\b(?:[ldsntcmj]|qu|lorsqu|puisqu|jusqu|quoiqu|quelqu|entr)"
_EITHER = r"(?:a|an|as|az|en|ez|o|os)\b"
_NO_I = re.compile(
    rf"{_ELISION}í(?={_VOWEL})(?!{_EITHER})|\b[nt]í(?!\w)|\bníss\b|í(?:ll|ve|re|[tdm])\b"
    r"|(?<!\bpa)(?<!\bpar)(?<!\ban)(?<!\bas)(?<!\blu)ís\b",
    re.IGNORECASE,
)

# Words that settle the encoding.
_CERTAIN = 4
_WORDS = frozenset(
    "hôpital hôpitaux hôtel côté né née nés âgé âgée âge très après état été père mère frère déjà "
    "même être fièvre opéré opérée médecin médecins médical médicale présente présenté évolution "
    "sévère hémorragie généraliste spécialiste général générale allégé œdème cœur sœur "
    "décès décédé décédée légère contrôle dès grâce problème système artère artérielle identité "
    "température ténue thérapeutique téléphone tél février août décembre prénom "
    "société santé sécurité numéro résultat résultats antécédents antécédent hérédité réalisé "
    "réalisée effectué effectuée échographie électrocardiogramme examiné symptôme symptômes dépôt "
    "synthèse référence médicaments prélèvement créatinine hémoglobine "
    "glycémie françois françoise andré rené gérard hélène thérèse jérôme noël benoît loïc "
    "anaïs chloé zoé zoë élise éric étienne édouard émile évry nîmes orléans besançon béziers "
    "saint-étienne genève "
    "años año día días médico médica médicos más también según está están número teléfono "
    "dirección niño niña señor señora español española exploración evolución diagnóstico clínico "
    "clínica clínicos atención presión tensión lesión lesiones técnica técnico análisis "
    "hepático médula cirugía síntomas síndrome crónica crónico crónicas quirúrgico "
    "quirúrgica tórax corazón riñón área última último únicamente órdenes después además través "
    "había tenía presentó acudió realizó garcía lópez gómez pérez sánchez martínez rodríguez "
    "gonzález hernández fernández jiménez díaz álvarez gutiérrez domínguez vázquez ramírez suárez "
    "muñoz núñez ibáñez peña josé maría jesús ángel andrés ramón joaquín martín inés íñigo lucía "
    "málaga cádiz córdoba león jaén ávila mérida logroño "
    "für über müller straße größe ärztin österreich zürich münchen müde".split()
)

# œ occurs in few contexts, and few letters can follow these at the start of a word.
_NO_LIGATURE = re.compile(
    r"œ(?!u|d|t|il|li|s[ot]|no|c[uo])|(?<=[aegijkloptuwxyzé])œ", re.IGNORECASE
)
_FIRST = {
    **dict.fromkeys("àëïûùãõßò", ""),
    **dict(
        zip(
            "îèêôüçñåäé",
            "l r t t b aeu aou hskn ghlmnrtu bcdfghjlmnopqrstvwxz".split(),
            strict=True,
        )
    ),
}
_NOT_FIRST = re.compile(
    "|".join(rf"(?<!\w){first}(?=[^\W\d_])(?![{after or '_'}])" for first, after in _FIRST.items()),
    re.IGNORECASE,
)

# Signs and patterns of their usual context, in which `@` stands for the sign.
_AROUND = (
    (
        "’",
        rf"(?i:{_ELISION}@(?={_VOWEL})(?!{_EITHER})|aujourd@hui|[^\W_]@(?:s|t|re|ve|ll|d|m)\b)",
    ),
    ("’", r"\b[ODMLN]@[A-ZÀ-Ý]|s@(?=\s)"),
    ("‘“„", _BEGIN + r"@(?=\w)"),
    ("”’", rf"(?<=[\w.,;:!?…)])@{_END}"),
    ("«", _BEGIN + r"@(?=[\s\w])"),
    ("»", rf"(?<=[\s\w.,;:!?…)])@{_END}"),
    ("\u00a0", r"(?<=[«°\s\d])@|@(?=[»;:!?%€°\s\d/-])|\b(?:M|Dr|Pr|MM|Mr|D|Sr|Mme)\.?@"),
    ("–—", r"(?<![^\s\d)/])@(?![^\s\d(/])|(?<=\s)@(?=\w)|(?<=[\w.)])@(?=\s)|@(?=@)|(?<=@)@"),
    ("…", rf"(?<=[\w\s(,;:.»)])@{_END}|(?<=\()@|(?<=[\w.])@(?=»)"),
    ("•▪■●◦∙", r"(?:^|(?<=\s))@(?=\s|\w)"),
    ("·", r"(?:^|(?<=\s))@(?=\s)|(?<=l)@(?=l)"),
    ("°", r"(?<=\d)\s?@(?=$|[\sCF.,;:!?)\d/])|\b[nNT]@(?=$|[\s\d:A-Z])"),
    ("º", r"(?<=\d)\s?@(?=$|[\sCF.,;:!?)\d/-])|\b[nNT]@(?=$|[\s\d:.A-Z])"),
    ("ª", r"(?<=\d)@|\b(?:M|D\.|Sra?\.?|Dra?\.?)@"),
    ("²³¹", r"(?<=[\dmMcxyn/)])@(?=$|[\s.,;:!?)/\d-])"),
    ("µ", r"(?<![^\W\d_])@(?=(?:g|mol|l|L|m|M|k|U|UI|u|s|S|V|A|Sv|kat|cg)\b)"),
    ("±≥≤≈≠×÷−", r"(?:^|(?<=[\s\d(,;:=]))@(?=[\s\d,.])|(?<=\w)@(?=\d)"),
    ("½¼¾", rf"(?:^|(?<=[\s\d(]))@{_END}"),
    ("€£", rf"(?<=\d)\s?@{_END}|(?:^|(?<=[\s(]))@(?=\s?\d)"),
    ("§", r"(?:^|(?<=[\s(]))@(?=\s?[\d§IVX])"),
    ("¿¡", _BEGIN + r"@(?=\w)"),
    ("®™", rf"(?<=\w)@{_END}"),
    ("©", r"(?:^|(?<=[\s(]))@(?=\s?\w)"),
    *((box, rf"@(?=[{box}])|(?<=[{box}])@") for box in ("─━═│┃║┌┐└┘├┤┬┴┼╔╗╚╝╠╣╦╩╬", "█▄▀░▒▓")),
    ("│║", r"(?:^|(?<=\s))@(?=\s)"),
)
# Signs that occur in pairs.
_CLOSING = {"«": "»", "“": "”", "‘": "’", "¿": "?", "¡": "!", "»": "«", "”": "“„"}


def _compile_sign_patterns() -> dict[str, re.Pattern[str]]:
    ways: dict[str, list[str]] = {}
    for signs, around in _AROUND:
        for sign in signs:
            ways.setdefault(sign, []).append(around.replace("@", sign))
    return {sign: re.compile("|".join(each), re.MULTILINE) for sign, each in ways.items()}


_SIGNS = _compile_sign_patterns()
_BEYOND_ASCII = re.compile(r"[^\0-\x7f]")
_LETTERS = re.compile(r"[^\W\d_]+")
_NO_LETTERS = frozenset("ªºµ")


@dataclass(frozen=True, slots=True)
class SpellingOddity:
    """How odd each non-ASCII character of a text is in its context.

    0 is usual in these languages, 1 to 2 unusual, from 4 on wrong. `rarity` is summed over the
    letters, minus a bonus for certain words; it ranks readings that are equally odd.
    """

    oddities: tuple[int, ...]
    rarity: int

    @property
    def oddity(self) -> int:
        """The sum of all oddities."""
        return sum(self.oddities)


def measure_spelling(text: str, most: int) -> SpellingOddity:
    """Measure the oddity of the first `most` non-ASCII characters of a text."""
    found = [match.start() for match in islice(_BEYOND_ASCII.finditer(text), most)]
    end = min(len(text), found[-1] + 16) if found else 0
    usual = _usual_signs(text, end)
    odd = _odd_letters(text, end)
    values = (
        max(_letter_oddity(text, at), 5 * (at in odd))
        if _is_letter(text[at])
        else _sign_oddity(text, at, usual)
        for at in found
    )
    rarity = sum(_letter_rarity(text, at) for at in found)
    return SpellingOddity(tuple(values), rarity - _CERTAIN * _count_certain_words(text, end))


def _count_certain_words(text: str, end: int) -> int:
    words = _LETTERS.findall(text, 0, end)
    return sum(not word.isascii() and word.lower() in _WORDS for word in words)


def _usual_signs(text: str, end: int) -> set[int]:
    signs = [sign for sign in _SIGNS if sign in text]
    return {
        match.start() + match[0].index(sign)
        for sign in signs
        if any(closing in text for closing in _CLOSING.get(sign, sign))
        for match in _SIGNS[sign].finditer(text, 0, end)
    }


def _odd_letters(text: str, end: int) -> set[int]:
    return {
        match.start() + next(at for at, char in enumerate(match[0]) if not char.isascii())
        for pattern in (_NO_I, _NO_LIGATURE, _NOT_FIRST)
        for match in pattern.finditer(text, 0, end)
    }


def _is_letter(char: str) -> bool:
    return char.isalpha() and char not in _NO_LETTERS


def _letter_rarity(text: str, at: int) -> int:
    char = text[at]
    if not _is_letter(char):
        return _GLUED * (char == "…" and _character_at(text, at - 1).isupper())
    small = char.isupper() and _character_at(text, at + 1).islower()
    return _RARITY.get(char.lower(), _RARE) + _CAPITAL_IN_SMALL * small


def _sign_oddity(text: str, at: int, usual: set[int]) -> int:
    if at in usual:
        return 0
    within = _character_at(text, at - 1) != "_" and _character_at(text, at + 1) != "_"
    if within and text[at] == "’":
        return 3  # o’clock, ma’am: colloquial English
    return 6 if within or text[at] not in _SIGNS else 4


def _letter_oddity(text: str, at: int) -> int:
    char = text[at]
    before, after = _character_at(text, at - 1), _character_at(text, at + 1)
    if before == after == "_":
        return _STANDS_ALONE.get(char, 6)
    if char.isupper() and (before.islower() or (before.isupper() and after.islower())):
        return 6
    folded = char.lower()
    if folded not in _BEFORE:
        return 5
    missing = (before.lower() not in _BEFORE[folded]) + (after.lower() not in _AFTER[folded])
    # Some keyboards lack accented capitals, but a lowercase word does not continue in capitals.
    among_capitals = char.islower() and before.isupper() and after.isupper()
    goes_on = char.islower() and after.isupper() and not before.isupper()
    return 2 * missing + 3 * among_capitals + 4 * goes_on


def _character_at(text: str, at: int) -> str:
    char = text[at] if 0 <= at < len(text) else "_"
    if char == "’":
        return "'"
    return char if char == "'" or _is_letter(char) else "_"


# Windows, Unix, DOS, classic Mac OS. The first one is by far the most frequent.
_WINDOWS = "cp1252"
_OTHERS = ("iso8859_15", "cp850", "cp858", "cp437", "mac_roman")

_SAMPLE = 20_000  # non-ASCII characters that are examined
_WRONG = 4
_WRONG_SHARE = 0.02
# Maximum mean oddity of non-ASCII characters.
_MOST_ODD, _MOST_ODD_OTHERWISE = 1.0, 0.5
# The least difference to any other reading, and the bonus for Windows-1252.
_MARGIN = 3
_HEAD_START = 2

# Damaged UTF-8 also decodes in other encodings, into pairs such as `Ã©`.
_UTF8_PAIR = re.compile(rb"[\xc2\xc3\xc5][\x80-\xbf]|\xe2[\x80-\x82][\x80-\xbf]")


# Characters are judged by their neighbours, so there must be some.
_ASCII_WORD = re.compile(rb"[0-9A-Za-z]")


def decode_western(data: bytes) -> str:
    """Decode bytes with the one Western code page in which their spelling is plausible.

    Raises Unreadable(`unknown-encoding`) where it is plausible in none, or in several.
    """
    if _UTF8_PAIR.search(data) or not (data.isascii() or _ASCII_WORD.search(data)):
        raise Unreadable("unknown-encoding")
    readings = sorted(_readings(data), key=lambda reading: reading.score)
    if not readings:
        raise Unreadable("unknown-encoding")
    best = readings[0]
    most = _MOST_ODD if best.encoding == _WINDOWS else _MOST_ODD_OTHERWISE
    in_doubt = any(reading.score < best.score + _MARGIN for reading in readings[1:])
    if in_doubt or not _makes_sense(best.spelling, most):
        raise Unreadable("unknown-encoding")
    return best.text


@dataclass(frozen=True, slots=True)
class _Reading:
    text: str = field(repr=False)
    encoding: str
    spelling: SpellingOddity

    @property
    def score(self) -> int:
        head_start = _HEAD_START if self.encoding == _WINDOWS else 0
        return self.spelling.oddity + self.spelling.rarity - head_start


def _readings(data: bytes) -> list[_Reading]:
    """Return each distinct decoding of the bytes, with the first encoding that gives it."""
    readings: dict[str, _Reading] = {}
    for encoding in (_WINDOWS, *_OTHERS):
        try:
            text = data.decode(encoding)
        except UnicodeDecodeError:
            continue
        if text not in readings:
            readings[text] = _Reading(text, encoding, measure_spelling(text, _SAMPLE))
    return list(readings.values())


def _makes_sense(found: SpellingOddity, most: float) -> bool:
    count = len(found.oddities)
    wrong = sum(value >= _WRONG for value in found.oddities)
    return wrong <= _WRONG_SHARE * count and found.oddity <= most * count


# Two bytes of a single-byte encoding may happen to be valid UTF-8. They then decode to letters of
# other scripts, each alone within a Latin word (`Íñ` in DOS: a Hebrew accent; `’é` in Mac OS: an
# Armenian letter).
_FAR = "[\u01c0-\u024f\u0400-\u07ff]"
_LONE = re.compile(f"(?<!{_FAR}){_FAR}(?=[a-z])|(?<=[A-Za-z]){_FAR}(?!{_FAR})")


def is_accidental_utf8(text: str) -> bool:
    """Return whether a text decoded as UTF-8 suggests that its bytes were valid only by chance."""
    beyond = sum(not char.isascii() for char in text)
    return 0 < beyond == len(_LONE.findall(text))


_ENOUGH = 8
_MOST_BEYOND_ASCII = 0.3
_NOT_WESTERN = re.compile("[^\t\n\v\f\r -~\u00a0-\u017f\u2010-\u2044\u20ac\u2122]")


def decode_unmarked_utf16(data: bytes) -> str:
    """Decode Western text in UTF-16 without a byte order mark.

    Raises Unreadable(`unknown-format`) for anything else: other data with null bytes is binary.
    """
    for encoding in ("utf-16-le", "utf-16-be"):
        try:
            text = data.decode(encoding)
        except UnicodeDecodeError:
            continue
        beyond = sum(not char.isascii() for char in text)
        enough = len(text) >= _ENOUGH and beyond <= _MOST_BEYOND_ASCII * len(text)
        if enough and not _NOT_WESTERN.search(text):
            return text
    raise Unreadable("unknown-format")


_ROUNDS = 3  # wrong decodings in succession that are undone
_TAKEN_FOR = ("mac_roman", "cp850", "cp437", "iso8859_15")

_FOLLOWERS = "\x80-\xbf" + "".join(
    re.escape(bytes([code]).decode("cp1252", "ignore")) for code in range(0x80, 0xA0)
)
_MOJIBAKE = re.compile(
    # Capitals with a tilde or circumflex may end a word in capitals.
    f"(?<![A-ZÀ-Ý])[ÂÃ][{_FOLLOWERS}]|[ÂÃ](?![\u00a0»’”…–—•·])[{_FOLLOWERS}]"
    '|â€[™œ˜"¦¢“”\x80-\x9f]|â‚¬|Å“(?=[a-z])|√[©®†ß™¥ß´≤Ø∏ª]|[├┬][\u00a1-\u00ffƒ‗]'
)
# In UTF-8 decoded with a single-byte encoding, no non-ASCII character stands alone.
_ALONE = re.compile(r"(?<![^\0-\x7f])[^\0-\x7f](?![^\0-\x7f])")
_CONTROLS = re.compile("[\x80-\x84\x86-\x9f]")


def repair_mojibake(text: str) -> str:
    """Repair text that was decoded with the wrong encoding, if every non-ASCII character fits.

    Raises Unreadable(`mojibake`) where only some of them do.
    """
    for _ in range(_ROUNDS):
        before = None if text.isascii() or _ALONE.search(text) else _undo_misreading(text)
        if before is None:
            break
        text = before
    if _CONTROLS.search(text) and max(text) <= "\xff":
        return decode_western(text.encode("latin-1"))  # Windows or DOS text decoded as Latin-1
    if _MOJIBAKE.search(text):
        raise Unreadable("mojibake")
    return text


def _undo_misreading(text: str) -> str | None:
    for encoding in (None, *_TAKEN_FOR):
        try:
            data = text.encode(encoding) if encoding else b"".join(map(_windows_byte, text))
            before = data.decode()
        except UnicodeError:
            continue
        if measure_spelling(before, _SAMPLE).oddity < measure_spelling(text, _SAMPLE).oddity:
            return before
    return None


def _windows_byte(char: str) -> bytes:
    # Codes undefined in Windows-1252 were decoded to the control character of the same number.
    if "\x80" <= char <= "\x9f":
        return char.encode("latin-1")
    return char.encode("cp1252")
