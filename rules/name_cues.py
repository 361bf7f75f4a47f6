"""What announces the name of a person: titles, roles, headings and signatures before it."""

import regex

_CUE = regex.compile(
    r"(?r)(?<![a-z])(?:"  # read backwards from the name: the text before it is not searched
    r"(?P<nee>nee?(?: d[eu](?: la)?)?)|(?P<first>prenoms?(?: usuel)?|first name|given names?"
    r"|forenames?|middle name"
    r"|nombres?(?: de pila)?)"
    r"|(?P<last>nom (?:de naissance|de jeune fille|d'usage|usuel|marital|de famille|patronymique)"
    r"|nom|last name|surname|family name|maiden name|apellidos?|primer apellido|segundo apellido)"
    r"|(?P<both>noms?(?:,? et |[ ,/&-]+)prenoms?|(?:nom|prenom|identite) d[ue] (?:la |l')?\w+"
    r"|identite|patiente?s?(?: \d{1,2}| presente?s?)?"
    r"|(?:full |patient |legal |preferred )?name|nombre y apellidos?|nombre completo|paciente"
    r"|assure(?:\(e\)|e)?|beneficiaire|conjointe?|epou(?:x|se)|pere|mere|fils|fille|frere|s(?:oe"
    r"|œ)ur"
    r"|neveu|niece"
    r"|personnes? de confiance|personnes? a prevenir|contact|tuteur|tutrice|aidant"
    r"|mari|femme|compagnon|compagne|concubine?|voisine?|amie?|marido|esposa|esposo|hijo|hija"
    r"|hermano|hermana|madre|padre|mother|father|husband|wife|spouse|son|daughter|brother|sister"
    r"|next of kin|emergency contact"
    r"|iao|due|triage|triaje|instrumentista|internes?|externes?|referente?s?|medecins?(?: \w+"
    r"| de famille)?|chirurgiens?"
    r"|anesthesistes?|operateurs?"
    r"|aides?|chefs? d[eu] (?:service|clinique|centre|pole|departement)s?(?: adjointe?)?"
    r"|coordonn\w+|cadres?(?: de sante)?"
    r"|secretaires?|ide|iade|ibode|infirmier[es]*|aides?-soignant[es]*|psychologues?"
    r"|psychotherapeutes?"
    r"|kine(?:sitherapeute)?s?|dietetici\w+|assistant[es]* sociales?|sage-femme|pharmaci\w+"
    r"|radiologues?"
    r"|\w{4,}(?:ologues?|iatres?|ologistes?)|praticiens?(?: \w+)?|prescripteurs?|correspondants?"
    r"|destinataires?"
    r"|expediteur|redacteur|auteur|staff|equipe(?: \w+)?|presente?s?|excusee?s?|copie[s]? a"
    r"|a l'attention de"
    r"|rn|lpn|residente|ayudante|attending(?: physician)?"
    r"|(?:referring |primary care |consulting |ordering )?(?:physician"
    r"|provider|practitioner|clinician)s?"
    r"|pcp|surgeons?|assistants?|anesthesiologist|nurse|resident|fellow|author|transcriptionist"
    r"|scribe|cc|dear|to|from"
    r"|medic[oa](?: \w+| de \w+)?|facultativ[oa]|responsable(?: clinico)?|autor[ea]?s?"
    r"|enfermer[oa]|cirujan[oa]|tutora?"
    r"|remitente|fdo|firma|firmado|signature|signe|signed)"
    r"|(?P<by>(?:signee?s?|validee?s?|redigee?s?|dictee?s?|saisie?s?|vue?s?|prescrite?s?"
    r"|realisee?s?|effectuee?s?|ecrite?s?|transmise?"
    r"|adressee?s?|relue?s?|analysee?s?|interpretee?s?|imprimee?s?|envoyee?s?|suivie?s?"
    r"|pratiquee?s?|assistee?) (?:\w+ )?par"
    r"|(?:signed|dictated|reviewed|verified|authored|transcribed|performed|interpreted"
    r"|electronically signed|seen|written|approved) by"
    r"|(?:firmado|remitid[oa]|enviado|realizado|validado|solicitado|elaborado|informado"
    r"|redactado|escrito) por"
    r"|born|a l'attention de|dossier de|dossier du patient|pour le patient|pour la patiente"
    r"|(?:le|la) patiente?))"
    r"(?:\s?\((?:e|s|es|interne|externe)\))?(?P<end>[ \t]{0,3}[:=][ \t\n]{0,4}|\.[ ]{1,2}"
    r"|[ \t]{1,2})$"
)
_CUE_REACH = 60
# The last word of whatever may announce a name without a colon: looked at before anything else.
_ANNOUNCERS = frozenset(
    (
        "par by por de ne nee born patient patiente paciente interne externe enfant patients dr"
        " drs pr prof docteur professeur mme mlle mr madame monsieur mademoiselle doctor doctora"
        " dra don dona d sr sra srta maitre soeur dear infirmiere infirmier interno medecin medico"
        " medica pere mere mother father husband wife spouse son daughter brother sister epouse"
        " epoux conjoint mari femme compagnon compagne marido esposa hijo hija hermano hermana"
        " esposo sœur due madre padre du la fils fille frere traitant ide firmado fdo to cc signe"
        " signee signed rn"
    ).split()
)
_LOWER_TITLE = regex.compile(
    r"(?r)(?<![\w])(?:dr|drs|pr|prof|docteur|professeur|mme|mlle|mr|madame|monsieur|mademoiselle"
    r"|doctor|doctora|dra"
    r"|don|dona|d|sr|sra|srta|enfant|maitre|s(?:oe|œ)ur)(?:\.[ ]?|[ \u00a0]{1,2})$"
)
_LAST_WORD = regex.compile(r"(?r)[^\W\d_]+")


def context(folded: str, start: int) -> str:
    """Name what stands before a stretch: a title, a kind of cue, or nothing."""
    at = start - 1
    while at >= 0 and folded[at] in " \t\n\u00a0":
        at -= 1
    if at < 0:
        return ""
    mark = folded[at]
    if mark not in ":=":
        word = _LAST_WORD.match(folded, max(0, at - 24), at if mark == "." else at + 1)
        if word is None or word.group() not in _ANNOUNCERS:
            return ""
    first = max(0, start - _CUE_REACH)
    lower = _LOWER_TITLE.search(folded, max(0, start - 16), start)
    if lower:
        return f"title {lower.group().strip(' .')}"
    cue = _CUE.search(folded, first, start)
    if cue is None:
        return "colon" if mark == ":" else ""
    colon = "\n" if "\n" in cue["end"] else cue["end"].strip()
    if cue["nee"]:
        return "last"
    if cue["by"]:
        return "weak"
    if cue["first"]:
        return "first" if colon else ""
    if cue["last"]:
        return "last" if colon else ""
    return "cue" if colon in (":", "=") else "weak"
