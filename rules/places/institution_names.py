"""Whole names of institutions and jobs of which a detector found a part: `tribunal de [Dijon]`.

A tagger often finds what is distinctive of a name and leaves the words for its kind, which belong
to it: `laboratoire [Biovalis]`, `[Okawe] growers`, `ancien [mineur]`.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace

from record.document import Document
from record.label import Label
from record.span import Span
from rules.matching.lexicon import lexicon
from rules.matching.normalized_document import fold_once

_SITES = frozenset((Label.HOSPITAL, Label.ORGANIZATION))
_NAMED_BY = _SITES | {Label.CITY, Label.REGION}
"""What may stand behind the kind of an institution: its name, or where it is."""

_REACH = 72
_CARE_KINDS = (
    # French
    r"hopital|hopitaux|clinique|polyclinique|maternite|ehpad|ehpa|ssr|had|smur|samu|urgences"
    r"|cabinet|maison medicale|maison de sante|residence|centre|pole"
    r"|laboratoire|lbm|pharmacie|dispensaire|imagerie|radiologie|pathologie"
    r"|anatomie|institut|csapa|camsp|pmi|itep|ime|ssiad|hdj|umj|sessad"
    # Spanish
    r"|hospital|hosp\.?|clinica|policlinic[oa]|centro|residencia|sanatorio|consultorio|ambulatorio"
    r"|instituto|cesfam|cecosf|cs|c\.s\.|cap|abs|upa|uba|eleam|posta|geriatrico|hogar|osi|eap|csm"
    # German
    r"|(?:[a-z\-]*(?:klinik|klinikum|krankenhaus|spital|praxis|zentrum|[a-z]labor|apotheke|hospiz"
    r"|pflegeheim|seniorenheim|ambulanz|institut|pathologie|radiologie|sozialstation))"
    r"|mvz|spz|kfh|lkh|rettungsdienst|ambulanter dienst"
    # Dutch
    r"|(?:[a-z\-]*(?:ziekenhuis|praktijk|apotheek|afdeling|kliniek|zorgcentrum|polikliniek))"
    r"|fysiotherapie|verpleeghuis|wzc|wijkzorg|thuiszorg|verloskundig netwerk|huisartsenpost"
)
_OTHER_KINDS = (
    # French
    r"tribunal|cour d'appel|brigade|gendarmerie|commissariat|prefecture|sous-prefecture|mairie"
    r"|commune|commune de|departement|conseil departemental|faculte|universite|ecole|college|lycee"
    r"|iut|ufr|association|societe|entreprise|ets|sarl|sas|sa|earl|gaec|scop|groupe|club"
    r"|comite des fetes|syndicat|paroisse|abbaye|monastere|mosquee|plateforme|structure|relais"
    r"|ccas|msa|cpam|caf|carsat|ars|urssaf|mdph|cdas|onac|onacvg|spip|maison d'arret"
    r"|centre (?:de detention|penitentiaire)|securite sociale|caisse"
    r"|us|as|fc|abri(?: de nuit)?|auberge|hotel|restaurant|boulangerie|garage|base|caserne"
    # Spanish
    r"|juzgado|ayuntamiento|universidad|colegio|escuela|ies|ceip|liceo|instituto|guarderia|empresa"
    r"|fundacion|asociacion|comisaria|parroquia|club|mutua|seguros|bodegas?|finca"
    # German
    r"|(?:[a-z\-]*(?:gericht|amt|schule|gymnasium|kindergarten|kita|theater|verein|werk|werke"
    r"|stiftung|universitat|hochschule|feuerwehr|gasthof|wohnheim|kloster))"
    r"|aok|bkk|ikk|dak|drv|md|mdk|bg|sv|tsv|fc|vfb|vdk|drk|awo|asb|fa\.|zeche|grube|gutshof"
    # Dutch
    r"|gemeente|rechtbank|stichting|basisschool|obs|ocmw|ggd|ggz|uwv|uitzendbureau|vv|bv"
    r"|(?:[a-z\-]*(?:school|college|bedrijf))"
    # English
    r"|university of|school of|city of|county of|hmp|union local|local"
)
_LINKS = r"(?:(?:de la|de las|de los|de l'|del?|du|des|d'|of|for|van|van de|fur|der|pour|et|y)\b ?)"
_BETWEEN = rf"(?: {_LINKS}?[a-z][a-z'\-]+){{0,4}}?"
_BEFORE = re.compile(
    rf"(?<![\w.\-])(?:(?P<care>{_CARE_KINDS})|(?P<other>{_OTHER_KINDS}))(?P<between>{_BETWEEN})"
    rf" (?:{_LINKS})?(?:l')?[\"«“]? ?\Z"
)
_BEHIND = re.compile(
    r" (?:hospital|hosp|hc|gen|general|market|werft|clinic|surgery|practice|health"
    r"|health cent(?:re|er)|unit|care|home care"
    r"|cent(?:re|er)|ctr|ward|imaging|rehab|infusion|hospice|infirmary|group|pediatrics|oncology"
    r"|school|primary|high school|high|club|academy|college|labs?|ltd|llc|inc|plc|pllc|pharmacy"
    r"|growers|farms?|nursery|probate|pcn|pdu|pru|nursing home|ggmbh|gmbh|eg|ag|kg|e\.v\.|bv|nv"
    r"|sarl|sa|sas|sl|s\.l\.|services?|secours|assainissement|domicile|ambulances|habitat|transports"
    r"|nord|sud|est|ouest|norte|sur|este|oeste|oost|west|noord|zuid|north|south|east|west)"
    r"(?![\w'’\-])"
)
_OF_OLD = re.compile(
    r"(?<![\w'’\-])(?:ancien(?:ne)?|ex|futur(?:e)?|apprenti(?:e)?|retired|former|ex|trainee"
    r"|apprentice|azubi|self-employed|antigu[oa]|jubilad[oa]|ehemaliger?|pensionierter?|gewezen"
    r"|voormalig|gepensioneerd|alt)[ \-]\Z"
)

_RETIRED = re.compile(
    r" (?:jubilad[oa]|prejubilad[oa]|pensionad[oa]|retraitee?|retired"
    r"|im ruhestand|gepensioneerd)(?![\w\-])"
)
_SITE_BEHIND = re.compile(
    r",? (?:locatie|location|standort|sede|team|campus|vestiging|site) [A-Z][\w'\-]+"
)
# Adjectives that names of institutions begin with.
_ADJECTIVES = re.compile(
    r"(?<![\w'\-])(?:(?:Medisch|Verloskundig|Palliatief|Psychiatrisch|Regionaal|Algemeen|Sport"
    r"|Ambulante[rs]?|Medizinisches|Sozialpädiatrisches|Städtisches|Städt\.|Evangelisches|Katholisches"
    r"|Mother|Our|Lady|Royal|Saint|Good|Holy|Sacred) )+\Z"
)

_LINK_WORDS = frozenset("de la las los l del du des d of for van fur der pour et y".split())
# Words that end the name of an institution, in languages whose function words are no list here.
_CLAUSE = frozenset(
    "mit ist war gegen zu bei im ins in nach vom zum zur seit wegen und auf an"
    " met bij naar is was door tot uit voor en op aan"
    " with at from is was by to on in near and"
    " vers avec sur chez puis terme par est con desde hasta hacia cerca".split()
)


def complete_institutions(document: Document, found: Iterable[Span]) -> list[Span]:
    """Return longer spans where words for the kind of an institution or job stand beside one.

    They have detector and score of the span they hold; a place that names an institution gives
    one of a care site (HOSPITAL) or of any other (ORGANIZATION). Words of another line are none
    of a name.
    """
    folded = fold_once(document.text)
    return [
        longer
        for span in found
        if span.label in _NAMED_BY or span.label == Label.PROFESSION
        for longer in _complete(span, document.text, folded)
    ]


def _complete(span: Span, text: str, folded: str) -> Iterator[Span]:
    low = max(span.start - _REACH, folded.rfind("\n", 0, span.start) + 1)
    before = folded[low : span.start]
    if span.label == Label.PROFESSION:
        if retired := _RETIRED.match(folded, span.end):
            yield replace(span, end=retired.end())
        if of_old := _OF_OLD.search(before):
            yield replace(span, start=low + of_old.start())
        return
    start, end, label = span.start, span.end, span.label
    kind = _BEFORE.search(before)
    if kind and _is_one_name(kind["between"]):
        start = low + kind.start()
        if label not in _SITES:
            label = Label.HOSPITAL if kind["care"] else Label.ORGANIZATION
    if label in _SITES and (behind := _BEHIND.match(folded, end)):
        end = behind.end()
    if label in _SITES:
        if site := _SITE_BEHIND.match(text, end):
            end = site.end()
        if qualified := _ADJECTIVES.search(text, max(low, start - _REACH), start):
            start = qualified.start()
    if (start, end) != (span.start, span.end):
        yield replace(span, start=start, end=end, label=label)


def _is_one_name(between: str) -> bool:
    """Return whether the words between a kind and a name qualify the kind, as no clause does."""
    words = [word for word in re.split(r"[ ']", between) if word]
    return not any(
        word in _CLAUSE or (word in lexicon("function_words") and word not in _LINK_WORDS)
        for word in words
    )
