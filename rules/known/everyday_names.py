"""Whether an everyday word that is somebody's name stands as the name: by context and case."""

import re
from enum import Enum
from functools import lru_cache
from typing import NamedTuple

from rules.known.context import (
    AGE_UNITS,
    VERBS,
    Hit,
    has_cue_before,
    has_title_before,
    is_eponym,
    opens_sentence,
    word_before,
)
from rules.matching.lexicon import lexicon, term_kind, word_rank
from rules.matching.normalization import View


class Reading(Enum):
    """What a word is where it stands; `UNSURE` where neither context nor case tells."""

    NAME = "name"
    WORD = "word"
    UNSURE = "unsure"


# What names a place in a ward, before its number: `chb 12`, `bed 4`.
_PLACES = frozenset(
    "ch chb chbre chambre lit box salle porte fenetre secteur boxe room rm bed bay bedroom hab"
    " habitacion cama zimmer zi bett kamer rea sspi uhcd".split()
)
STATES = frozenset(
    "vu vue vus vues sorti sortie admis admise reparti repartie parti partie revu revue recu recue"
    " mis mise perdu perdue descendu descendue venu venue endormi endormie averti avertie assis"
    " assise inclus pris prise endormis refait tombe tombee chute rentre rentree calme stable"
    " febrile afebrile apyretique confus confuse conscient consciente somnolent somnolente"
    " autonome algique anxieux anxieuse eupneique dyspneique alite levee endolori asthenique"
    " toujours encore bien mieux mal pas non tres ras seul seule absent absente ok idem boit mange"
    " dort marche refuse accepte demande dit rentre sort revient signale decrit pleure crie tousse"
    " respire urine vomit saigne souhaite veut peut doit semble parait parle repond comprend"
    " appelle attend arrive part descend monte perd prefere pense sait connait supporte tolere"
    " beneficie quitte rejoint vient allait etait avait sera ira aura"
    " awake alert oriented stable afebrile calm confused drowsy agitated anxious well better"
    " asleep upset fine npo remains continues tolerates ambulates needs wants refuses refused seen"
    " seems appears sleeps eats drinks walks lives came went left gone said asked told"
    " still currently today again unable able not now will can did does could would should"
    " despierto despierta tranquilo tranquila afebril estable sigue come duerme bebe camina habla"
    " pide quiere puede sale entra sube baja llora vomita tolera rechaza hoy ayer ahora"
    " visto vista acude refiere ingresa fue ha"
    " heute gestern jetzt nun wieder gesehen aufgenommen entlassen kommt hat ist vandaag gisteren"
    " wach ruhig stabil geht isst schlaft trinkt klagt mochte wurde wird bleibt gaat eet slaapt"
    " drinkt klaagt wil werd wordt blijft rustig".split()
)
"""What a person does or is in a nurse's shorthand, beside verbs: `Petit sorti`, `Young awake`."""
# Endings of participles as they are written, and what they may also be endings of.
_PARTICIPLES = ("é", "ée", "és", "ées", "ait", "aient", "ado", "ada", "ido", "ida")
_ENGLISH_PARTICIPLES = ("ed", "ing")
_SHADES = frozenset("fonce foncee fonces foncees clair claire clairs claires dore doree".split())
# Words of an everyday phrase that look like what a person does: `Long acting insulin`.
_COMPOUNDED = frozenset("standing acting lasting qt".split())
_AND = frozenset("y e et and und en o ou or".split())
ARTICLES = frozenset(
    "un une le la les l du des the a an el los las uno una unos unas der die das den dem ein eine"
    " einen einem einer het een".split()
)
"""Articles: a word with a capital behind one is rather a noun than somebody."""
# What stands before a word and makes it one: an article, a word of degree, a preposition.
_GOVERNING = ARTICLES | frozenset(
    "ce cet cette ces son sa ses mon ma mes leur leurs au aux tout toute"
    " tres trop plus moins assez bien peu si aussi en de d a par sur sous dans sans avec pour"
    " est sont etait c qu que"
    " the an this that these those his her its my their some any no very too more less so of in on"
    " with without for at by to is was are were as"
    " el los las uno una unos unas este esta estos del muy mas menos tan con sin por para es son"
    " ein eine einen einem einer der die das den dem sehr zu mit ohne fur im am ist sind"
    " een het de zeer te met zonder voor van is zijn".split()
)
# With these before it a word in small letters is somebody rather than something: `vu rose ce jour`.
_BEFORE_PERSONS = frozenset(
    "vu vue vois voir revu revue mr mrs mme mlle dr dra sr sra monsieur madame patient patiente"
    " paciente nom name naam nombre saw seen called transfere transferee with by chez par avec con"
    " por mit von".split()
)
# Titles that are words as well, and what else stands before somebody: `M. petit`, `Pt long`.
_SHORT_TITLES = frozenset(
    "m me pt pte pat hr hrn fr don dona famille familia familie family".split()
)
# Labels of what somebody works as: `Beruf: Koch`.
_OCCUPATIONS = frozenset("beruf profession metier oficio profesion occupation job beroep".split())
_OF_WORDS = frozenset(("d", "of"))
_SPANISH_ARTICLES = frozenset(("el", "los", "las"))
# A word in small letters that no list holds goes on with another one rather than tells of a person.
_UNKNOWN = 6
_ROOM_BEFORE = re.compile(
    r"([a-z]{2,10})[ .:]{0,2}(?:n[o°º.]{0,2} ?)?[0-9]{1,4}[a-z]?[ ]?[:.,;)/\-]?[ ]?$"
)
_BARE_NUMBER_BEFORE = re.compile(
    r"(?:\A|\n)[ \t]*(?:[0-9]{2,4}|[a-z][0-9]{1,3})[a-z]?[ ]?[:\-][ ]?$"
)
_ROOM_AFTER = re.compile(r"[ ]?[,:;(\-/]?[ ]?([a-z]{2,10})[ .]{0,2}(?:n[o°º.]{0,2} ?)?[0-9]")
_ENTRY_AFTER = re.compile(r"[ ]?(?::|[,;(\-/]?[ ]?[0-9]{1,3}[ \-]?([a-z]{1,5})|[\-/,;(][ ]?[0-9])")
# What comes from somebody: `appel de petit`, `call from baker`.
_MESSAGE_FROM = re.compile(
    r"\b(?:appels?|mails?|message|courriel|courrier|lettre|visite|calls?|letter|visit"
    r"|e-?mail|llamadas?|mensaje|carta|correo|visita|anruf|nachricht|brief|besuch|telefonat"
    r"|telefoontje|oproep|bezoek)(?: tel\w{0,12}\.?)? (?:d'|(?:de|from|by|von|van|por) )$"
)
_HEAD = re.compile(r"(?:\A|\n)[ \t*•>|\-]{0,6}(?:[0-9]{1,4} )?$")
_WORD = re.compile(r"[^\W\d_]+")
_WIDEST = 24


class _Surroundings(NamedTuple):
    """The last word of a hit, and the words beside it on its line; empty where there is none."""

    start: int
    end: int
    before: str
    after: str
    written_after: str
    joined_after: bool


def read_everyday(view: View, hit: Hit) -> Reading:
    """Return what an everyday word that is known as a name stands for.

    A title, a room, an age, a colon behind it at the head of a line or a verb make it a name in
    whatever case; a capital in the middle of a sentence does; at the head of a sentence, and among
    capitals, it is a word only where a noun goes on with it.
    """
    place = _look_around(view, hit)
    if has_title_before(view, hit.start) or _is_entry(view, hit, place):
        return Reading.NAME
    if comes_from(view, hit.start):
        return Reading.NAME
    written = view.plain[hit.start : hit.end]
    if is_eponym(view, hit, frequent=True) or _is_occupation(view, place):
        return Reading.WORD
    if written == written.lower():
        return _read_small(view, hit, place)
    shouted = written.isupper() and len(written) > 1
    among = shouted and _is_among_capitals(view, place)
    if has_cue_before(view, hit.start) and not (among and _goes_on(view, place)):
        return Reading.NAME
    if not among and (" " in hit.known.form or not opens_sentence(view, place.start)):
        return Reading.NAME
    if _is_subject(view, place):
        return Reading.NAME
    if _goes_on(view, place) or (among and _is_governed(place)):
        return Reading.WORD
    if among and not place.after and _is_thing(place.before):
        return Reading.WORD
    return Reading.NAME


def read_short(view: View, hit: Hit) -> Reading:
    """Return what a function word or one or two letters that are known as a name stand for.

    They are a name with a capital behind an announcement or at an entry of a list.
    """
    place = _look_around(view, hit)
    written = view.plain[hit.start : hit.end]
    if view.plain[hit.start - 1 : hit.start].isalnum():
        return Reading.WORD
    if not written[0].isupper() or len(written) < 2:
        named = written[0].isupper() and has_cue_before(view, hit.start)
        return Reading.NAME if named else Reading.WORD
    if has_cue_before(view, hit.start) or _is_entry(view, hit, place):
        return Reading.NAME
    shown = view.plain[hit.end : hit.end + 2].strip(" ")[:1]
    if opens_sentence(view, hit.start):
        return Reading.NAME if shown and shown in ",/:" else Reading.WORD
    other = written.isupper() or place.written_after[:1].isupper()
    return Reading.WORD if other or shown.isdigit() or shown in "+-=/%" else Reading.NAME


def tells_of_person(view: View, hit: Hit) -> bool:
    """Return whether what stands around a word is what stands around somebody."""
    place = _look_around(view, hit)
    return _is_entry(view, hit, place) or _is_subject(view, place) or comes_from(view, hit.start)


def comes_from(view: View, start: int) -> bool:
    """Return whether what stands before is a message or the like, and somebody has sent it."""
    return _MESSAGE_FROM.search(view.folded, max(0, start - 2 * _WIDEST), start) is not None


def _look_around(view: View, hit: Hit) -> _Surroundings:
    folded, plain = view.folded, view.plain
    start = hit.end - len(hit.known.form.rpartition(" ")[2])
    start = max(hit.start, start)
    at = hit.start
    while at > 0 and hit.start - at < 3 and folded[at - 1] in " ,'":
        at -= 1
    first = at
    while first > 0 and at - first < _WIDEST and folded[first - 1].isalpha():
        first -= 1
    gap = hit.end
    while gap < len(folded) and gap - hit.end < 3 and folded[gap] == " ":
        gap += 1
    found = _WORD.match(plain, gap, gap + _WIDEST)
    last = found.end() if found else gap
    return _Surroundings(
        start, hit.end, folded[first:at], folded[gap:last], plain[gap:last], gap > hit.end
    )


def _is_entry(view: View, hit: Hit, place: _Surroundings) -> bool:
    """Return whether it stands in a list of patients: beside a room, before an age or a colon."""
    if _is_at_room(view, place._replace(start=hit.start)):
        return True
    if _HEAD.search(view.plain, max(0, hit.start - 12), hit.start) is None:
        return False
    entry = _ENTRY_AFTER.match(view.folded, hit.end)
    return entry is not None and (entry[1] is None or entry[1] in AGE_UNITS or entry[1] in "mfhwv")


def _is_at_room(view: View, place: _Surroundings) -> bool:
    after = _ROOM_AFTER.match(view.folded, place.end)
    if after and after[1] in _PLACES:
        return True
    near = max(0, place.start - _WIDEST)
    before = _ROOM_BEFORE.search(view.folded, near, place.start)
    if before and before[1] in _PLACES:
        return True
    return _BARE_NUMBER_BEFORE.search(view.folded, near, place.start) is not None


def _read_small(view: View, hit: Hit, place: _Surroundings) -> Reading:
    """Read a word in small letters: a line that has capitals elsewhere shows that it is none."""
    plain = view.plain
    head = _HEAD.search(plain, max(0, hit.start - 12), hit.start) is not None
    title, end = word_before(view.folded, hit.start)
    if title in _SHORT_TITLES and plain[end - len(title)].isupper():
        return Reading.NAME
    if head and _is_subject(view, place):
        return Reading.NAME
    if place.before in _BEFORE_PERSONS and not _goes_on(view, place):
        return Reading.UNSURE
    if place.before in _GOVERNING or _goes_on(view, place):
        return Reading.WORD
    first, last = plain.rfind("\n", 0, hit.start) + 1, plain.find("\n", hit.end)
    line = plain[first : last if last >= 0 else len(plain)]
    if not head and line != line.lower():
        return Reading.WORD
    return Reading.WORD if not head and _is_thing(place.before) else Reading.UNSURE


def _is_occupation(view: View, place: _Surroundings) -> bool:
    before, _ = word_before(view.folded, place.start)
    return before in _OCCUPATIONS or view.folded.startswith(" von beruf", place.end)


def _is_subject(view: View, place: _Surroundings) -> bool:
    if view.folded.startswith("'s ", place.end):
        return True
    return place.joined_after and _tells_of_person(place.after, place.written_after)


def _goes_on(view: View, place: _Surroundings) -> bool:
    """Return whether a noun goes on with an adjective, or the like: `Petit foie`, `LONG TERM`."""
    written = view.plain[place.start : place.end]
    after, joined = place.after, place.joined_after
    if not after or not joined:
        return view.folded.startswith("-", place.end) and len(after) > 2
    if after in _AND or after in _SPANISH_ARTICLES or after in _OF_WORDS:
        return _goes_on_behind(view, place)
    if after in _COMPOUNDED:
        return True
    if not (place.written_after.islower() or (written.isupper() and place.written_after.isupper())):
        return False
    return _is_thing(after, place.written_after)


def _goes_on_behind(view: View, place: _Surroundings) -> bool:
    """Return whether a noun follows the small word that follows: `Cabeza y cuello`."""
    at = view.folded.find(place.after, place.end) + len(place.after) + 1
    found = _WORD.match(view.plain, at, at + _WIDEST)
    if found is None:
        return False
    small = found[0].islower() or view.plain[place.start : place.end].isupper()
    return small and _is_thing(view.folded[found.start() : found.end()], found[0])


def _is_thing(word: str, written: str = "") -> bool:
    """Return whether a word is one of language or medicine that tells nothing of a person."""
    if len(word) < 3 or word in lexicon("function_words") or word in _GOVERNING:
        return False
    if word in _SHADES or word in _COMPOUNDED:
        return True
    if _tells_of_person(word, written):
        return False
    return is_language(word) or (len(word) >= _UNKNOWN and written.islower())


def _tells_of_person(word: str, written: str) -> bool:
    if word in VERBS or word in STATES:
        return True
    if word in _SHADES or word in _COMPOUNDED:
        return False
    low = written.lower()
    return low.endswith(_PARTICIPLES) or (len(word) > 4 and word.endswith(_ENGLISH_PARTICIPLES))


@lru_cache(maxsize=1 << 12)
def is_language(word: str) -> bool:
    """Return whether a folded word is one of everyday or medical language."""
    singular = word.rstrip("sx")
    return bool(word_rank(word) or term_kind(word) or word_rank(singular) or term_kind(singular))


def _is_governed(place: _Surroundings) -> bool:
    return place.before in _GOVERNING


def _is_among_capitals(view: View, place: _Surroundings) -> bool:
    """Return whether the words beside it are written in capitals as well."""
    plain = view.plain
    if place.written_after.isupper() and len(place.written_after) > 1:
        return True
    first = plain.rfind("\n", 0, place.start) + 1
    before = plain[max(first, place.start - _WIDEST) : place.start]
    letters = [char for char in before if char.isalpha()]
    return len(letters) > 1 and all(char.isupper() for char in letters[-4:])
