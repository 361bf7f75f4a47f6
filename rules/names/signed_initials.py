"""Initials of who wrote, saw or did something: `vu par JB`, `gez. KaWe`, `LCW, ARNP`."""

from collections.abc import Iterator

from record.label import Label
from rules.matching.lexicon import lexicons
from rules.matching.scanner import Pattern
from rules.names.found_names import Found

_INITIALS = r"(?:[A-Z]{2,4}|[A-Z][a-z]{1,2}[A-Z][a-zA-Z]?|[A-Z]{1,2}[a-z][A-Z])"
_ENDS = r"(?=[ ]?(?:[.,;)\n/]|\Z|[ ][0-3]?[0-9][./\-:h]|(?:et|and|und|y)[ ]))"
# Where it is said who did something, a colon may stand before the initials.
_DONE = (
    "[Vv]ue? par|[Rr]evue? par|[Vv]u|[Rr]edigee? par|[Rr]edige|[Ss]aisie? par|[Vv]alidee? par"
    "|[Ff]aite? par|[Tt]apee? par|[Pp]ose par|[Nn]ote par|[Dd]iscute avec|[Ss]igne|[Ss]ignature"
    "|[Ss]een by|[Tt]yped by|[Tt]yped|[Ss]igned|[Ss]igned by|[Rr]eviewed by|[Dd]enied per"
    "|[Dd]enied by"
    "|[Ee]ntered by|[Tt]ech|[Ss]onographer|[Tt]echnologist|[Ss]cribe|[Pp]er|[Nn]ote by"
    "|[Ii]nitials|[Dd]ictated by|[Dd]one by"
    "|[Ff]do|[Ff]irma|[Ff]irmado|[Vv]isto por|[Rr]ealizado por|[Ii]nformado por|[Ff]irmado por"
    "|[Gg]ez|[Hh]dz|[Dd]ok|[Kk]z|[Uu]nterschr|[Gg]esehen von|[Ee]rstellt von|[Gg]eschr|[Vv]erf"
    "|[Gg]et|[Pp]araaf|[Gg]ezien door|[Oo]pgesteld door"
)
_SIGNED = Pattern(rf"(?<![\w'\-])(?:{_DONE})\.?[ ]?:?[ ]({_INITIALS}){_ENDS}", cased=True)
_SAYS = Pattern(
    r"(?<![\w'\-./])([A-Z]{2,3})[ ](?:says|said|reviewed|saw|rang|thinks|happy|passe|dit|a vu"
    r"|rappelle|meint|sagt|ruft|dice|llama|zegt|belt)(?![\w'\-])",
    cased=True,
)
_DEGREED = Pattern(
    rf"(?<![\w'\-./])({_INITIALS}), ?(?:RN|ARNP|APRN|NP|PA-C|LPN|CNM|CNA|LCSW|FNP|DNP|RPh|OTR|MSW)"
    r"(?![\w'\-])",
    cased=True,
)
# In small letters at the end of a note or a line only.
_LAST = Pattern(
    r"(?<![\w'\-])(?:gez|dok|hdz|kz|fdo|denied per|typed by|seen by|vu par|redige par|paraaf)"
    r"(?:[.:] ?| )([a-z]{2,3})(?= ?\.?(?:\n|\Z))"
)
# Written like initials: units, roles and what else may see or sign.
_NO_INITIALS = frozenset(
    "mt md gp ot pt rn np pa sos samu smur ide iao ias as kine orl opj tj ts mdph rcp scm map eva"
    " tep irm ir tdm ecg ekg eeg cs ch chu uf ras nfs bu ag ald at mp hta ait avc us usa uk eu nhs"
    " or er ed icu itu amu mau eau ccu nicu pacu ward hca sho spr reg f1 f2 cns ahp dn hv mdt snf"
    " tc rm rx uci upp eap cap ts dr dra ac oa ca pd md sd mfa ota pdl arzt mrt ct hno uro gyn nch"
    " zna op ops kg lk ra stat mvz jvp jvd iv im sc po prn qd bid tid qid tac tpn sw ss ny la dc fl"
    " tx va fda dea ems pd po protocol policy hx rbc wbc hpf day mg ml kg min hr wk mo yr ok na ne"
    " nt tba tbc dnr dnar cpr hd pd fax tel mail sms ich wir sie uns ihn il elle lui eux nous vous"
    " avs cgr cvs lisa bp hr rr wt ht bmi gcs spo them him her you us me it all own end now".split()
)


def signed_initials(cased: str, folded: str) -> Iterator[Found]:
    """Yield initials behind a word for signing, seeing or doing, and before a degree.

    Abbreviations of the lists are none. `cased` is the text without accents, `folded` without case
    too; code points, half open.
    """
    for pattern in (_SIGNED, _SAYS, _DEGREED):
        for match in pattern.finditer(cased):
            if _may_be_initials(match[1].lower()):
                yield *match.span(1), str(Label.NAME)
    for match in _LAST.finditer(folded):
        if _may_be_initials(match[1]):
            yield *match.span(1), str(Label.NAME)


def _may_be_initials(word: str) -> bool:
    return word not in _NO_INITIALS | lexicons("clinical_abbreviations", "staff_abbreviations")
