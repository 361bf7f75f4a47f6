"""Feasts and public holidays of all languages, by the rule that gives their day in a year."""

from typing import NamedTuple


class Feast(NamedTuple):
    """The rule of a feast: a fixed day, days after Easter, or a weekday of a month.

    With `month` and `day` it is that day of every year. With `month` alone it is the `nth`
    `weekday` (0 is Monday) of the month, the last one where `nth` is -1. Without a month it lies
    `days` after Easter Sunday. With a `month`, `days` are added to what it gives.
    """

    month: int = 0
    day: int = 0
    days: int = 0
    nth: int = 0
    weekday: int = 0


_MONDAY, _THURSDAY, _SUNDAY = 0, 3, 6
# Folded names, with bars between them.
_NAMES: dict[Feast, str] = {
    Feast(1, 1): (
        "jour de l'an|nouvel an|new year's day|new years day|ano nuevo|dia de ano nuevo|neujahr"
        "|neujahrstag|nieuwjaar|nieuwjaarsdag"
    ),
    Feast(1, 6): (
        "epiphanie|epiphany|twelfth night|dia de reyes|reyes|heilige drei konige"
        "|dreikonigstag|driekoningen"
    ),
    Feast(2, 2): "chandeleur|candlemas|candelaria|maria lichtmess|lichtmess",
    Feast(2, 14): (
        "saint-valentin|valentine's day|valentines day|san valentin|valentinstag|valentijnsdag"
    ),
    Feast(3, 17): "saint patrick's day|st patrick's day|st. patrick's day",
    Feast(3, 19): "dia del padre|josefitag",
    Feast(4, 27): "koningsdag",
    Feast(5, 1): "fete du travail|tag der arbeit|dia del trabajo|dag van de arbeid",
    Feast(5, 5): "bevrijdingsdag",
    Feast(6, 19): "juneteenth",
    Feast(6, 23): "noche de san juan|vispera de san juan",
    Feast(7, 4): "independence day",
    Feast(7, 14): "fete nationale|bastille day",
    Feast(8, 15): "assomption|maria himmelfahrt|asuncion",
    Feast(10, 3): "tag der deutschen einheit",
    Feast(10, 12): "dia de la hispanidad|fiesta nacional",
    Feast(10, 31): "halloween|reformationstag",
    Feast(
        11, 1
    ): "toussaint|all saints' day|todos los santos|dia de todos los santos|allerheiligen",
    Feast(11, 2): "all souls' day|dia de los muertos|dia de muertos|allerseelen|allerzielen",
    Feast(11, 11): "armistice|veterans day|remembrance day|martinstag|sint-maarten",
    Feast(12, 5): "sinterklaas|sinterklaasavond|pakjesavond",
    Feast(12, 6): "saint-nicolas|nikolaus|nikolaustag",
    Feast(12, 24): (
        "veille de noel|reveillon de noel|christmas eve|nochebuena|heiligabend|heiliger abend"
        "|hl. abend|heiligen abend|kerstavond"
    ),
    Feast(12, 25): (
        "noel|jour de noel|christmas|christmas day|xmas|navidad|dia de navidad|weihnachten"
        "|1. weihnachtstag|erster weihnachtstag|weihnachtstag|kerst|kerstmis|eerste kerstdag"
        "|1e kerstdag"
    ),
    Feast(12, 26): (
        "boxing day|2. weihnachtstag|zweiter weihnachtstag|stephanstag|tweede kerstdag|2e kerstdag"
    ),
    Feast(12, 31): (
        "saint-sylvestre|reveillon|new year's eve|new years eve|nye|nochevieja|silvester"
        "|silvesterabend|oudejaarsavond|oud en nieuw"
    ),
    Feast(days=-48): "rosenmontag",
    Feast(days=-47): "mardi gras|shrove tuesday|faschingsdienstag|martes de carnaval",
    Feast(days=-46): "mercredi des cendres|ash wednesday|miercoles de ceniza|aschermittwoch"
    "|aswoensdag",
    Feast(days=-7): "rameaux|dimanche des rameaux|palm sunday|domingo de ramos|palmsonntag"
    "|palmzondag|palmpasen",
    Feast(days=-6): "lunes santo",
    Feast(days=-5): "martes santo",
    Feast(days=-4): "miercoles santo",
    # Holy Week is named for its days before Good Friday.
    Feast(days=-3): "jeudi saint|maundy thursday|holy thursday|jueves santo|semana santa"
    "|grundonnerstag|witte donderdag",
    Feast(days=-2): "vendredi saint|good friday|viernes santo|karfreitag|goede vrijdag",
    Feast(days=-1): "samedi saint|holy saturday|samedi de paques|easter saturday|sabado santo"
    "|karsamstag|stille zaterdag",
    Feast(): "paques|dimanche de paques|easter|easter sunday|pascua|domingo de pascua"
    "|domingo de resurreccion|ostern|ostersonntag|pasen|eerste paasdag|1e paasdag",
    Feast(days=1): "lundi de paques|easter monday|lunes de pascua|ostermontag|tweede paasdag"
    "|2e paasdag|paasmaandag",
    Feast(days=39): "ascension|jeudi de l'ascension|ascension day|christi himmelfahrt"
    "|hemelvaart|hemelvaartsdag|vatertag",
    Feast(days=49): "pentecote|dimanche de pentecote|pentecost|whitsun|whit sunday|pentecostes"
    "|pfingsten|pfingstsonntag|pinksteren|eerste pinksterdag|1e pinksterdag",
    Feast(days=50): "lundi de pentecote|whit monday|lunes de pentecostes|pfingstmontag"
    "|tweede pinksterdag|2e pinksterdag|pinkstermaandag",
    Feast(days=60): "fete-dieu|corpus christi|fronleichnam|sacramentsdag",
    Feast(5, nth=2, weekday=_SUNDAY): "muttertag|moederdag|mother's day|mothers day",
    Feast(5, nth=-1, weekday=_SUNDAY): "fete des meres",
    Feast(5, nth=1, weekday=_SUNDAY): "dia de la madre",
    Feast(6, nth=3, weekday=_SUNDAY): "fete des peres|father's day|fathers day|vaderdag",
    Feast(1, nth=3, weekday=_MONDAY): "martin luther king day|mlk day",
    Feast(2, nth=3, weekday=_MONDAY): "presidents' day|presidents day",
    Feast(5, nth=-1, weekday=_MONDAY): "memorial day",
    Feast(9, nth=1, weekday=_MONDAY): "labor day|labour day",
    Feast(10, nth=2, weekday=_MONDAY): "columbus day",
    Feast(11, nth=4, weekday=_THURSDAY): "thanksgiving|thanksgiving day",
    Feast(11, days=1, nth=4, weekday=_THURSDAY): "black friday",
}
FEASTS: dict[str, Feast] = {
    name: feast for feast, names in _NAMES.items() for name in names.split("|")
}
"""Folded name -> the rule of the feast."""

LOOSE_FEASTS = frozenset(
    "noel|christmas|xmas|navidad|weihnachten|kerst|kerstmis|reyes|epiphanie|epiphany|candelaria"
    "|chandeleur|asuncion|assomption|toussaint|armistice|sinterklaas|nikolaus|saint-nicolas"
    "|saint-valentin|san valentin|reveillon|halloween|rameaux|paques|easter|pascua"
    "|ostern|pasen|ascension|pentecote|pentecost|pentecostes"
    "|corpus christi|fete-dieu|todos los santos|allerheiligen|fiesta nacional|fete nationale"
    "|nieuwjaar|nouvel an|sint-maarten|maria himmelfahrt|martinstag|juneteenth"
    "|thanksgiving|semana santa|black friday".split("|")
)
"""Names of persons, places, schools and decorations as well, or of a season: a date only in the
company of a year, of another date, or of a preposition of time."""

FEAST_PREPOSITIONS = frozenset(
    "a|depuis|avant|apres|antes|despues|jusqu'a|vers|at|since|until|till|til|over|around|before|after|en|desde"
    "|hasta|an|zu|uber|seit|vor|nach|bis|sinds|met|rond|tegen|voor|na|tot|vanaf|dernier|letzte"
    "|letztes|letzten|last|this|next|about|op".split("|")
)
"""Folded words before a feast that has no year."""
