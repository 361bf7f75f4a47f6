"""Spans of a model that can be nothing of their label: left out before they meet those of rules.

A veto needs no context that a name could have: it is for words and numbers that no name is. Known
values and what rules find are never asked.
"""

import re
from collections.abc import Callable

from record.folding import fold
from record.label import Label
from record.span import Span
from rules.dates.calendar import possible_day
from rules.known.context import is_named_after, names_a_disease
from rules.matching.lexicon import (
    given_rank,
    lexicon,
    lexicons,
    place_rank,
    surname_rank,
    term_kind,
    word_rank,
)
from rules.matching.normalization import plain
from rules.names.words import BARRED, FAMILY, GIVEN, bits

_NAMES = frozenset((Label.FIRST_NAME, Label.LAST_NAME, Label.NAME))
_PLACES = frozenset((Label.CITY, Label.REGION, Label.COUNTRY))
_NUMBERS = frozenset(
    (
        *(Label.PHONE, Label.FAX, Label.SSN, Label.ID, Label.PATIENT_ID, Label.VISIT_ID),
        *(Label.PROVIDER_ID, Label.INSURANCE_ID, Label.ACCOUNT, Label.DEVICE_ID, Label.ZIP),
    )
)
_NOT_TERMS = _NAMES | _PLACES | {Label.ORGANIZATION, Label.HOSPITAL}
_DATES = frozenset((Label.DATE, Label.BIRTH_DATE))
_WORDS = re.compile(r"[^\W\d_]+(?:['’\-][^\W\d_]+)*")
_CAPITAL = re.compile(r"(?<!\w)[^\W\d_a-z][a-zß-öø-ÿ]")
_SMALL = re.compile(r"(?<!\w)[a-zß-öø-ÿ]{2}")
_COLUMNS = re.compile(r"\t| {2,}|\n")
_VALUE = re.compile(r"[+\-<>]?(?!0[0-9])[0-9]{1,5}(?:[.,][0-9]{1,3}){0,2}%?")
_TWO_DIGITS = re.compile(r"[0-9]{2}")
_FOUR_DIGITS = re.compile(r"[0-9]{4}")
_PARTS = re.compile(r"([0-9]{1,2})[/.\-]([0-9]{1,2})(?:[/.\-]([0-9]{1,2}))?")
_MONTHS = 12
# A stage, pregnancies, a coma score, vertebrae, doses a day, hours between doses.
_CLINICAL_CODE = re.compile(
    r"[cpy]{0,2}T[0-4][a-d]?N[0-3x][a-c]?(?:M[01x])?|G[0-9]{1,2}P[0-9]{1,2}(?:A[0-9])?"
    r"|E[1-4]M[1-6]V[1-5]|[CTL][0-9]{1,2}[-/][CTLS]?[0-9]{1,2}|[0-9]-[0-9]-[0-9](?:-[0-9])?"
    r"|[qQ] ?[0-9]{1,2} ?[hH]"
)
_FREQUENT = 3  # a rank of given names
_RARE = 4  # a rank of names
_DRUG = "d"  # a kind of term
_FREQUENT_WORD = 2  # a rank: one of the 5,000 most frequent words
_FEWEST = 3
_SCORED = frozenset((Label.AGE, Label.ID, Label.DATE))
_POINTS = re.compile(r"[0-9]{1,3}")
_SCORE_BEFORE = re.compile(r"([a-z]{2,10})[ :=]{1,2}\Z")
_SCORES = frozenset(
    "bishop karnofsky apgar glasgow gcs mmse mms moca norton barthel braden waterlow tinetti"
    " silverman ramsay aldrete eva evn nrs vas ecog asa nyha nihss audit phq gds gad".split()
)
_SITES = frozenset((Label.HOSPITAL, Label.ORGANIZATION))
_GENERA = frozenset(
    "salmonella legionella brucella shigella klebsiella bordetella pasteurella bartonella borrelia"
    " candida aspergillus".split()
)
_ADDRESSED = frozenset("damen kollege kollegin kollegen confrere consoeur".split())
_UNITS = frozenset("ie ui iu mg ml kg cm mm be".split())
_LASTING = re.compile(
    r"\b(?:depuis|il y a|pendant|durant|desde hace|hace|durante|for the past|seit|sinds)"
    r" (?:environ |about |unos |ca\. )?\Z"
)
_UNIT = re.compile(r"[a-z]")
_FRACTIONS = frozenset(("1/2", "1/3", "1/4", "3/4"))
_SURE, _DOUBTED = 0.9, 0.8  # scores
_FOUR = 4
_COLUMN = re.compile(r"\t|   +|\|")
_STATED = _NAMES | {Label.PROFESSION}
_SHORT_PHRASE = 2
# What somebody is by law or by their genes.
_STATES = frozenset(
    "soltero soltera casado casada viudo viuda divorciado divorciada pacse pacsee celibataire"
    " divorcee veuf veuve ledig verheiratet geschieden verwitwet single married widowed divorced"
    " gehuwd ongehuwd porteur porteuse carrier portador portadora".split()
)
_STRENGTH = re.compile(r"(?<![0-9/])[0-5][+-]?/5(?![0-9/])")
_NODES_BEFORE = re.compile(r"N[0-3][a-c]?(?:\([a-z]{1,3}\))? ?\(\Z")
# What is said of a drug, before and behind its name.
_TAKEN = re.compile(
    r"\b(?:switched from|bridge with|restarted|refilled|sous|pilule|pildora|pille"
    r"|anticonceptivo) \Z"
)
_HANDLED = re.compile(
    r" (?:(?:debutee|prescrite|suspendid[ao]|pautad[ao]|abgesetzt|verworfen|verordnet|gut vertragen"
    r"|gestopt)\b"
    r"|(?:20|30|35)(?![0-9.,/:])(?! ?(?:ans|an|anos|years|yo|jahre|jaar)\b))"
)
_EPONYMS = ("eponyms", "given_eponyms", "eponyms_families")
_BEFORE = 40  # characters that hold a preposition and the word before it
_FIRST_YEAR, _LAST_YEAR = 1900, 2099
_OF_A_LANGUAGE = 3  # a rank: one of the 20,000 most frequent words
_LEAST_CAPITALS = 0.02
_CLAIMED = _NOT_TERMS | {Label.PROFESSION}
# A French pronoun tied to a verb (`l'accompagnait`), or a verb in the imperfect alone.
_PRONOUN_AND_VERB = re.compile(
    r"(?:(?:qu|[ljmtsn])'(?:\w+(?:ait|aient|ais|era|eront|erons|ions)|(?P<stem>\w{3,})e(?:nt)?)"
    r"|\w{3,}(?:ait|aient))"
)
# Who decides or cares for a patient: a role that others have towards them, no job.
_ROLES = frozenset(
    "betreuer betreuerin berufsbetreuer berufsbetreuerin vormund bevollmachtigter bevollmachtigte"
    " tuteur tutrice curateur curatrice mandataire aidant aidante guardian carer caregiver"
    " tutor tutora curador curadora cuidador cuidadora representante"
    " vertegenwoordiger mentor bewindvoerder mantelzorger voogd contactpersoon".split()
)
_LEGAL = frozenset(
    "gesetzlicher gesetzliche gesetzlichen gesetzlichem legal legale legaux familial familiale"
    " wettelijk wettelijke".split()
)
_OTHER_ROLE_WORDS = frozenset("der die le la the el de het principal main primary".split())
_NAME_BEHIND = re.compile(
    r"[ ]?[:,(]?[ ]?(?:(?:herrn?|frau|mevr(?:ouw)?|dhr|mme|mlle|mrs?|ms|sra?|dona?|dr|m)\.?[ ])?"
    r"[A-ZÀ-ÖØ-Þ][\w'’\-]+",
    re.IGNORECASE,
)


def make_veto(text: str, lang: str) -> Callable[[Span], bool]:
    """Return what tells of a span of the text whether it can be nothing of its label."""
    capitals = len(_CAPITAL.findall(text))
    has_capitals = capitals >= _LEAST_CAPITALS * (capitals + len(_SMALL.findall(text)))

    def veto(span: Span) -> bool:
        written = text[span.start : span.end]
        if span.label in _NUMBERS and (
            _are_values_in_columns(written) or _CLINICAL_CODE.fullmatch(written)
        ):
            return True
        if span.label in _SCORED and _follows_a_score(written, text, span.start):
            return True
        if span.label == Label.AGE and _is_duration(written, text, span.start):
            return True
        if span.label in _DATES:
            if written in _FRACTIONS and span.score < _SURE:
                return True
            if _is_no_year(written) or _is_no_day(written):
                return True
            if _is_strength(written, text) or _is_count_of_nodes(written, text, span.start):
                return True
        words = _WORDS.findall(written)
        if not words:
            return span.label in _NAMES and _TWO_DIGITS.search(written) is not None
        folded = [fold(plain(word)) for word in words]
        if span.label in _DATES | {Label.USERNAME}:
            return len(words) == 1 and written.isalpha() and _is_only_a_term(folded[0])
        if _COLUMN.search(written) and all(map(_is_word_or_term, folded)):
            return True
        if span.label in _SITES and folded[0] in _GENERA:
            return True
        if span.label in _STATED and len(words) <= _SHORT_PHRASE and folded[-1] in _STATES:
            return True
        if span.label in _CLAIMED and lang == "fr" and _is_french_clause(written, folded):
            return True
        if span.label == Label.PROFESSION and _is_role(folded, text, span.end):
            return True
        if span.label in _NOT_TERMS and len(words) == 1 and _is_only_a_term(folded[0]):
            return True
        if span.label in _NOT_TERMS and all(map(_is_eponym, folded)):
            return True
        if span.label in _NAMES:
            before = text[max(0, span.start - _BEFORE) : span.start]
            if all(map(_may_be_a_disease, folded)) and (
                names_a_disease(fold(plain(before)))
                or is_named_after(fold(plain(text[span.end : span.end + _BEFORE])))
            ):
                return True
            if folded[-1] in _ADDRESSED or _is_unit(written, before):
                return True
            if all(map(_is_abbreviation, folded)) or all(map(_is_joined_eponym, folded)):
                return True
            if len(words) == 1 and _is_brand(folded[0], text, span.start, span.end):
                return True
            if has_capitals and written.islower():
                return all(_is_everyday(word, lang) or _is_hardly_a_name(word) for word in folded)
            if span.score < _DOUBTED and len(words) == 1 and written.istitle():
                word = folded[0]
                if 0 < word_rank(word, lang) <= _FREQUENT_WORD and not _is_usual(word):
                    return True
            if len(words) == 1 and written.isupper() and _is_frequent_word(folded[0], lang):
                return True
            is_plain = len(words) == 1 and written[1:].islower()
            return is_plain and _is_only_a_word(folded[0], lang)
        if span.label in _PLACES and has_capitals and written.islower():
            return all(_is_everyday(word, lang) and not _is_place(word) for word in folded)
        return False

    return veto


def _is_french_clause(written: str, folded: list[str]) -> bool:
    """Return whether small letters hold a verb tied to its pronoun, which is part of no name."""
    if not written.islower():
        return False
    for word in folded:
        found = _PRONOUN_AND_VERB.fullmatch(word)
        if found and (not found["stem"] or word_rank(f"{found['stem']}er", "fr")):
            return True
    return False


def _is_role(folded: list[str], text: str, end: int) -> bool:
    """Return whether words are a role towards the patient: by law, or before a name."""
    words = set(folded)
    if not words & _ROLES or not words <= _ROLES | _LEGAL | _OTHER_ROLE_WORDS:
        return False
    behind = _NAME_BEHIND.match(text, end)
    return bool(words & _LEGAL) or (behind is not None and _begins_with_capital(behind[0]))


def _begins_with_capital(behind: str) -> bool:
    return behind.rsplit(maxsplit=1)[-1].lstrip(":,(")[:1].isupper()


def _are_values_in_columns(written: str) -> bool:
    """Return whether numbers stand in columns or lines, each as short as a value is."""
    columns = [column.strip() for column in _COLUMNS.split(written.strip())]
    return len(columns) > 1 and all(_VALUE.fullmatch(column) for column in columns if column)


def _is_no_year(written: str) -> bool:
    """Return whether a date is nothing but four digits of an hour: `2158`."""
    if not _FOUR_DIGITS.fullmatch(written):
        return False
    return not _FIRST_YEAR <= int(written) <= _LAST_YEAR


def _is_no_day(written: str) -> bool:
    """Return whether numbers with signs between are no date in any order: `14-16`, `18-0-22`."""
    match = _PARTS.fullmatch(written)
    if match is None:
        return False
    first, second = int(match[1]), int(match[2])
    if possible_day(first, second) or possible_day(second, first):
        return False
    if match[3] is None:
        return not 1 <= first <= _MONTHS  # a month and its year
    return not possible_day(int(match[3]), second)


def _is_only_a_term(word: str) -> bool:
    """Return whether a word is a medical term or a drug, and no name anywhere."""
    return bool(term_kind(word)) and not (_is_name(word) or _is_place(word))


def _is_unit(written: str, before: str) -> bool:
    """Return whether letters behind a number are its unit: `8 IE`."""
    return written.lower() in _UNITS and before.rstrip(" ")[-1:].isdigit()


def _is_duration(written: str, text: str, start: int) -> bool:
    """Return whether years are how long something lasts: `depuis quatorze ans`."""
    before = fold(text[max(0, start - _BEFORE) : start])
    return _UNIT.search(written) is not None and _LASTING.search(before) is not None


def _is_word_or_term(word: str) -> bool:
    """Return whether a word is frequent in some language or a term, and no usual given name."""
    is_known = 0 < word_rank(word) <= _OF_A_LANGUAGE or term_kind(word) != ""
    return is_known and not 0 < given_rank(word) < _RARE


def _is_hardly_a_name(word: str) -> bool:
    """Return whether a word of four letters or more is one of some language or a term, no name."""
    is_known = word_rank(word) > 0 or term_kind(word) != ""
    return len(word) >= _FOUR and word.isalpha() and is_known and not _is_usual(word)


def _follows_a_score(written: str, text: str, start: int) -> bool:
    """Return whether a number is what a score or scale comes to: `Karnofsky 60`, `Bishop 6`."""
    if not _POINTS.fullmatch(written):
        return False
    before = _SCORE_BEFORE.search(fold(text[max(0, start - _BEFORE) : start]))
    return before is not None and before[1] in _SCORES


def _is_strength(written: str, text: str) -> bool:
    """Return whether `4/5` is the strength of a muscle, as others of the text are."""
    return _STRENGTH.fullmatch(written) is not None and len(_STRENGTH.findall(text)) >= _FEWEST


def _is_count_of_nodes(written: str, text: str, start: int) -> bool:
    """Return whether `4/27` are nodes: `pT3 N1b (4/27)`."""
    return "/" in written and _NODES_BEFORE.search(text[max(0, start - 8) : start]) is not None


def _is_joined_eponym(word: str) -> bool:
    """Return whether each part of a compound names diseases or signs: `Guillain-Barré`."""
    parts = word.split("-")
    return len(parts) > 1 and all(part in lexicons(*_EPONYMS) for part in parts)


def _is_brand(word: str, text: str, start: int, end: int) -> bool:
    """Return whether a word is a drug that hardly anybody is called, or is taken like one."""
    if term_kind(word) == _DRUG and not (_is_usual(word) or bits(word) & (GIVEN | FAMILY)):
        return True
    if word not in lexicon("given_eponyms") and term_kind(word) != _DRUG:
        return False
    before = fold(text[max(0, start - _BEFORE) : start])
    behind = fold(text[end : end + _BEFORE])
    return _TAKEN.search(before) is not None or _HANDLED.match(behind) is not None


def _is_usual(word: str) -> bool:
    """Return whether a word is a given or family name that is not rare."""
    return 0 < given_rank(word) < _RARE or 0 < surname_rank(word) < _RARE


def _is_frequent_word(word: str, lang: str) -> bool:
    """Return whether a word is one of the 5,000 most frequent, and hardly anybody's name."""
    is_frequent = 0 < word_rank(word, lang) <= _FREQUENT_WORD
    return is_frequent and not (_is_usual(word) or surname_rank(word) or _is_place(word))


def _is_eponym(word: str) -> bool:
    """Return whether each part of a word names a disease, a sign or a tool, and no person."""
    parts = [bits(part) for part in word.split("-") if part]
    return bool(parts) and all(of & BARRED and not of & (GIVEN | FAMILY) for of in parts)


def _may_be_a_disease(word: str) -> bool:
    """Return whether diseases or signs are called by a word that is no frequent given name."""
    return word in lexicons(*_EPONYMS) and not 0 < given_rank(word) <= _FREQUENT


def _is_abbreviation(word: str) -> bool:
    return word in lexicon("clinical_abbreviations") and not bits(word) & (GIVEN | FAMILY)


def _is_everyday(word: str, lang: str) -> bool:
    """Return whether a word is one of the more frequent of its language."""
    return 0 < word_rank(word, lang) <= _OF_A_LANGUAGE


def _is_only_a_word(word: str, lang: str) -> bool:
    """Return whether a word is frequent in its language, and no name anywhere."""
    return _is_everyday(word, lang) and not (_is_name(word) or _is_place(word))


def _is_name(word: str) -> bool:
    return bool(given_rank(word) or surname_rank(word) or bits(word) & (GIVEN | FAMILY))


def _is_place(word: str) -> bool:
    return place_rank(word) != 0 or word in lexicons("regions", "countries")
