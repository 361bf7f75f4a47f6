"""Words for trades and jobs, and where they stand beside a person without being announced."""

import re
from collections.abc import Iterator

from rules.matching.lexicon import term_kind, word_rank
from rules.matching.scanner import Pattern
from rules.names.words import is_given_name

Place = tuple[int, int]

_FRENCH = (
    "agent agente agriculteur agricultrice aide-soignant aide-soignante ambulancier"
    " ambulanciere animateur animatrice apiculteur architecte artisan artiste assistante"
    " assistante-maternelle avocat avocate barman berger bibliothecaire bijoutier boucher"
    " bouchere boulanger boulangere bucheron cadre caissier caissiere camionneur carreleur"
    " carrossier chaudronnier chauffagiste chauffeur chauffeuse chercheur chercheuse"
    " chocolatier coiffeur coiffeuse comedien comedienne commercant commercante commercial"
    " commerciale comptable concierge conducteur conductrice conseiller conseillere"
    " contremaitre cordonnier couturier couturiere couvreur cuisinier cuisiniere danseur"
    " danseuse decorateur demenageur dessinateur dessinatrice docker douanier ebeniste eboueur"
    " ecrivain educateur educatrice electricien electricienne eleveur eleveuse employe"
    " employee enseignant enseignante estheticienne facteur factrice ferrailleur fleuriste"
    " fonctionnaire forgeron fossoyeur fraiseur garagiste gardien gardienne gendarme geometre"
    " graphiste grutier horloger horticulteur hotesse huissier imprimeur infirmier infirmiere"
    " informaticien informaticienne ingenieur ingenieure instituteur institutrice jardinier"
    " jardiniere journalier journaliste juge juriste kinesitherapeute libraire linotypiste"
    " livreur macon magasinier magasiniere magistrat maraicher maraichere marin marinier"
    " maroquinier mecanicien mecanicienne menuisier meunier militaire mineur monteur musicien"
    " musicienne notaire opticien opticienne ostreiculteur ouvrier ouvriere patissier"
    " patissiere paysagiste paysan paysanne pecheur peintre pharmacien pharmacienne"
    " photographe pilote platrier plombier plombiere policier policiere pompier postier"
    " postiere potier preparateur preparatrice professeur professeure programmeur proviseur"
    " psychomotricien puericultrice receptionniste representant representante restaurateur"
    " restauratrice routier sage-femme sapeur-pompier sculpteur secretaire serrurier serveur"
    " serveuse soudeur soudeuse standardiste styliste surveillant tailleur tapissier taxi"
    " technicien technicienne teinturier tisserand tourneur traducteur traductrice typographe"
    " vendeur vendeuse verrier veterinaire vigneron vigneronne viticulteur viticultrice"
    " webmaster"
)
_ENGLISH = (
    "accountant actor actress actuary architect artist attorney auctioneer auditor author"
    " baker banker barber barista bartender beautician blacksmith bookkeeper bricklayer broker"
    " builder butcher cabinetmaker captain caregiver caretaker carpenter cashier chauffeur"
    " chef chemist cleaner clerk coach contractor cook cosmetologist courier custodian dancer"
    " decorator designer detective developer diplomat dishwasher driver economist editor"
    " electrician engineer estimator farmer farmhand firefighter fireman fisherman florist"
    " foreman forester gardener geologist glazier groundskeeper guard hairdresser handyman"
    " homemaker housekeeper inspector interpreter investigator ironworker janitor jeweler"
    " journalist judge laborer landscaper lawyer lecturer librarian lifeguard locksmith logger"
    " longshoreman machinist magistrate mailman manager mason mechanic merchant messenger"
    " metalworker midwife miller miner model musician notary nurse optician painter paralegal"
    " paramedic pastor pharmacist photographer pilot pipefitter plasterer plumber policeman"
    " policewoman politician porter postman potter preacher priest principal printer producer"
    " professor programmer publisher rancher realtor receptionist reporter roofer sailor"
    " salesman salesperson saleswoman scientist sculptor seaman seamstress secretary sheriff"
    " shipbuilder shoemaker shopkeeper singer smith soldier steelworker steward stockbroker"
    " stonemason superintendent supervisor surveyor tailor teacher technician teller tiler"
    " toolmaker translator trucker typist undertaker upholsterer veteran veterinarian waiter"
    " waitress warden watchmaker weaver welder woodworker worker writer zookeeper"
)
_SPANISH = (
    "abogada abogado administrativa administrativo agricultor agricultora albanil alfarero"
    " apicultor arquitecta arquitecto asesor asesora auxiliar azafata bailarin barrendero"
    " bibliotecaria bibliotecario bombera bombero cajera cajero camarera camarero camionera"
    " camionero cantante carnicera carnicero carpintera carpintero cartera cartero celador"
    " celadora cerrajero cocinera cocinero comerciante conductor conductora conserje"
    " constructor contable costurera curtidor delineante dependienta dependiente disenador"
    " disenadora ebanista economista electricista empleada empleado encofrador enfermera"
    " enfermero escayolista escritor escritora estibador florista fontanera fontanero"
    " fotografa fotografo fresador funcionaria funcionario ganadera ganadero gerente guardia"
    " herrero hosteleria hostelero impresor informatica informatico ingeniera ingeniero"
    " jardinera jardinero jornalera jornalero joyero juez librero limpiador limpiadora maestra"
    " maestro maquinista marinero marmolista mecanica mecanico metalurgico militar minera"
    " minero modista modisto musico notario obrera obrero oficial operaria operario panadera"
    " panaderia panadero pastelero pastor pastora peluquera peluquero peon periodista pescador"
    " pescadora pintor pintora pizarrero policia portera portero profesor profesora"
    " programador psicologa psicologo recepcionista repartidor repartidora sastre secretaria"
    " secretario soldado soldador soldadora taxista tecnica tecnico tejedor torero tornero"
    " traductor traductora transportista vendedor vendedora veterinaria veterinario vigilante"
    " viticultor zapatero"
)

_GERMAN = (
    "altenpfleger altenpflegerin anwalt anwaltin architekt architektin arzthelferin automechaniker"
    " backer backerin baggerfahrer bankkauffrau bankkaufmann bauarbeiter bauer bauerin"
    " beamter beamtin bergmann betriebswirt buchhalter buchhalterin burokauffrau burokaufmann"
    " busfahrer chemielaborant dachdecker dreher elektriker elektrikerin erzieher erzieherin"
    " fabrikarbeiter fabrikarbeiterin fahrlehrer feuerwehrmann fleischer fliesenleger florist"
    " floristin forster friseur friseurin friseuse gartner gartnerin gerustbauer hausfrau"
    " hausmeister hebamme heizungsbauer industriekaufmann informatiker informatikerin ingenieur"
    " ingenieurin installateur kassiererin kaufmann kauffrau kellner kellnerin kfz-mechaniker"
    " klempner koch kochin kraftfahrer krankenpfleger krankenschwester kunstler kunstlerin"
    " lackierer lagerarbeiter landwirt landwirtin lehrer lehrerin lkw-fahrer lokfuhrer maler"
    " malermeister maschinenschlosser maurer mechaniker mechatroniker metzger mullwerker musiker"
    " musikerin naherin polier polizist polizistin postbote putzfrau rechtsanwalt"
    " rechtsanwaltin reinigungskraft schlosser schmied schneider schneiderin schornsteinfeger"
    " schreiner schweisser sekretarin soldat sozialarbeiter sozialarbeiterin steinmetz"
    " steuerberater taxifahrer techniker tischler tischlerin tierarzt tierarztin verkaufer"
    " verkauferin verwaltungsangestellte winzer zimmermann"
)
_DUTCH = (
    "accountant advocaat ambtenaar apotheker apothekersassistente architect automonteur bakker"
    " beveiliger bloemist boekhouder boer boerin bouwvakker brandweerman buschauffeur"
    " caissiere chauffeur conducteur dakdekker dierenarts docent docente elektricien"
    " fabrieksarbeider fysiotherapeut glazenwasser havenarbeider hovenier huisschilder huisvrouw"
    " ingenieur journalist juf kapper kapster kassamedewerkster kleermaker kok kraamverzorgster"
    " kraanmachinist kunstenaar lasser leraar lerares loodgieter machinist makelaar metselaar"
    " mijnwerker molenaar monteur onderwijzer onderwijzeres piloot politieagent postbode"
    " programmeur receptioniste rechter schilder schipper schoenmaker schoonmaakster"
    " schoonmaker secretaresse slager smid soldaat stratenmaker stukadoor tandarts taxichauffeur"
    " timmerman tuinder tuinman veehouder verkoper verkoopster verloskundige vertaler visser"
    " verpleegkundige vrachtwagenchauffeur vuilnisman winkelier zeeman"
)

# Those who learn, and a few whose ending is none of trades.
_OTHERS = (
    "etudiant etudiante lyceen lyceenne apprenti apprentie collegien collegienne cheminot moine"
    " student postie roughneck farrier midwife verger publican imam bagpiper crofter"
    " estudiante religiosa religioso monja charcutera charcutero bodeguera bodeguero jueza cura"
    " capataz campesino campesina buzo temporero temporera"
    " studentin azubi lehrling kapitan richter richterin hauer pfarrer matrose student studentin"
    " kusterin kuster spengler gipser lagerist"
    " studente leerkracht dominee loods duiker koster magazijnier metser"
)
TRADES: frozenset[str] = frozenset(
    f"{_FRENCH} {_OTHERS} {_ENGLISH} {_SPANISH} {_GERMAN} {_DUTCH}".split()
)
"""Single words; of a trade of several words (`conductrice de bus`, `bank manager`) the head."""

# Jobs that somebody of the ward or an office has in a note: beside a name they are no patient's.
_STAFF = frozenset(
    "etudiant etudiante student studentin estudiante studente midwife pfarrer cura imam dominee"
    " richter richterin jueza religiosa religioso loods"
    " aide-soignant aide-soignante ambulancier ambulanciere animateur animatrice assistante cadre"
    " conseiller conseillere educateur educatrice infirmier infirmiere kinesitherapeute pharmacien"
    " pharmacienne preparateur preparatrice psychomotricien puericultrice receptionniste sage-femme"
    " secretaire standardiste surveillant technicien technicienne gardien juge magistrat"
    " huissier gendarme policier mineur taxi agent agente representant representante chercheur"
    " pilote marin avocat avocate employe employee ouvrier professeur professeure facteur juriste"
    " traducteur traductrice"
    " caregiver caretaker chef chemist cleaner clerk coach custodian driver guard housekeeper"
    " inspector interpreter investigator janitor judge manager messenger midwife model nurse"
    " paramedic pastor pharmacist photographer priest principal printer producer professor"
    " receptionist reporter secretary sheriff superintendent supervisor technician translator"
    " attorney lawyer veteran worker author editor captain porter teller miner actor notary"
    " administrativa administrativo auxiliar celador celadora conductor conductora conserje"
    " enfermera enfermero guardia juez oficial psicologa psicologo secretaria secretario tecnica"
    " tecnico abogado abogada maestra maestro policia vigilante limpiadora informatica informatico"
    " contable operario cartera traductor traductora"
    " altenpfleger altenpflegerin anwalt anwaltin arzthelferin hausmeister hebamme krankenpfleger"
    " krankenschwester putzfrau rechtsanwalt rechtsanwaltin reinigungskraft sekretarin"
    " sozialarbeiter sozialarbeiterin techniker erzieher erzieherin polizist polizistin"
    " apotheker apothekersassistente beveiliger fysiotherapeut docent docente juf"
    " kraamverzorgster leraar lerares rechter politieagent secretaresse receptioniste tandarts"
    " verloskundige verpleegkundige advocaat makelaar architect chauffeur".split()
)
# Names of families as well: without a relative or an age before them they may be one.
_SURNAMES = frozenset(
    "berger boucher boulanger maraicher potier meunier baker barber butcher carpenter cook farmer"
    " gardener mason miller painter potter singer smith tailor weaver backer bauer fleischer"
    " forster gartner koch maurer metzger schlosser schmied schneider schreiner tischler winzer"
    " zimmermann maler bergmann bakker boer kok molenaar schilder schipper slager smid timmerman"
    " visser herrero zapatero pastor".split()
)
_NAMEABLE = TRADES - _STAFF - _SURNAMES
_TRADE = r"([a-z][a-z\-]{2,24})(?![\w\-])"
_ENDS = (
    r"(?= ?(?:[,.;:)\n·(]|\Z|- |retrait|jubilad|retired|i\. ?r\.|en (?:retraite|conge|arret)"
    r"|im ruhestand|chez |at |bei |en |aux? |a l[' a]|de |d'|du |bij |for |in |op ))"
)
_APPOSED = Pattern(rf"(?:[,(;·.] |\(){_TRADE}{_ENDS}")
_KIN = (
    r"(?:(?:grand-)?(?:mere|pere)|mari|femme|epoux|epouse|conjointe?|compagne|compagnon|fils|fille"
    r"|frere|soeur|oncle|tante|neveu|niece|papa|maman|beau-pere|belle-mere"
    r"|mother|father|mum|mom|dad|husband|wife|partner|daughter|brother|sister|spouse"
    r"|madre|padre|marido|mujer|esposo|esposa|hijo|hija|hermano|hermana|pareja"
    r"|mutter|vater|ehemann|ehefrau|sohn|tochter|bruder|schwester|partnerin"
    r"|moeder|vader|echtgenoot|echtgenote|zoon|dochter|broer|zus)"
)
_OF_KIN = Pattern(
    rf"(?<![\w'\-]){_KIN}(?: [a-z'\-]{{2,16}}){{0,2}}?(?:,? | ?: | \()"
    rf"(?:(?:est|is|ist|es|etait|was|war|era) (?:an? |een )?)?{_TRADE}"
)
_AGED = Pattern(
    r"(?<![\w/.\-])[1-9][0-9]"
    r"( ?(?:ans|an|a|anos|j\.?|jahre|jr\.?|jaar|yo|y/o|yrs?|years?(?: old)?))?"
    rf"\)?, {_TRADE}"
)
_GERMAN_TRADE = re.compile(
    r"[a-z\-]{3,}(?:fraser|fuhrer|macher|bauer|helfer|arbeiter|fahrer|handler|meister|techniker"
    r"|mechaniker|schlosser|monteur|wirt|zieher|verkaufer|geselle|lehrling)(?:in)?|[a-z\-]{3,}(?:kaufmann|kauffrau)"
)
_NO_TRADE = frozenset("jagermeister zangemeister burgermeister beschwerdefuhrer".split())
# Endings of trades in a language; behind a relative, an age or `ancien` alone they are enough.
_ENDINGS = {
    "fr": re.compile(r"[a-z\-]{4,}(?:euse|trice|iere|ienne|ier|eur|iste)"),
    "en": re.compile(
        r"[a-z\-]{3,}(?:maker|operator|grower|picker|dealer|packer|sorter|worker|driver|owner"
        r"|keeper|player|smith|wright|layer|builder|setter|dresser|tuner|trader|fitter)"
    ),
    "es": re.compile(r"[a-z]{4,}(?:ero|era|dor|dora|tor|tora|ista)"),
    "de": re.compile(
        r"[a-z\-]{4,}(?:erin|istin|eurin|ektin|lehrer|pfleger|backer|kauferin|baerin)"
    ),
    "nl": re.compile(
        r"[a-z\-]{3,}(?:ster|euse|monteur|bestuurder|werker|houder|maker|bouwer|leraar|lerares)"
    ),
}
_OF_A_LANGUAGE = 3  # a rank: one of the 20,000 most frequent words
# What else ends so, and is said of a patient.
_STATES = frozenset(
    "fumeur fumeuse ex-fumeur ex-fumeuse buveur buveuse droitier droitiere gaucher gauchere porteur"
    " porteuse consommateur consommatrice donneur donneuse receveur receveuse joueur joueuse"
    " majeur mineur premier premiere dernier derniere entier entiere regulier reguliere particulier"
    " particuliere douleur tumeur rougeur paleur moteur facteur facteurs inferieur superieur"
    " anterieur posterieur tuteur tutrice curateur curatrice exterieur interieur matiere maniere"
    " anxieuse nerveuse irreguliere douloureuse fievreuse silencieuse classeur atelier demandeur"
    " verifier monsieur dentiste docteur coeur soeur peur sueur maigreur humeur hauteur lourdeur"
    " raideur longueur largeur"
    " lumiere derriere auditeur leader cardiaque singulier chaleur valeur pleureur"
    " soltero soltera primero primera tercero tercera enero febrero entero entera ligero ligera"
    " severo severa fumador fumadora exfumador exfumadora bebedor bebedora consumidor consumidora"
    " portador portadora donador donadora dolor mayor menor cadera factor doctor doctora tutor"
    " tutora cuidador cuidadora acompanante senora lactador dador jugador jugadora"
    " raucherin nichtraucherin exraucherin trinkerin tragerin bluterin betreuerin erstgebarerin"
    " mehrgebarerin bewohnerin schwagerin partnerin lebenspartnerin enkelin kleinkinderin"
    " zuster laatste roker rookster drinker sleeper worker smoker nonsmoker pacemaker"
    " peacemaker stepper homeowner".split()
)
_OF_OLD = Pattern(
    r"(?<![\w'\-])(?:ancien(?:ne)?|retired|former|antigu[oa]|ehem(?:alige[rn]?|\.)|fruhere?r?"
    rf"|gelernte[rn]?|gewezen|voormalig) {_TRADE}"
)
_ONE_IN_BRACKETS = Pattern(rf"\w ?\({_TRADE}\)")
_QUALIFIED = re.compile(r" ([a-z]{5,20})(?=[,.;)\n]| (?:aux?|chez|en|at|bei|in|im|bij) )")
_REACH = 3


def trades_beside_persons(folded: str, lang: str) -> Iterator[Place]:
    """Yield words for trades behind a relative or an age, and those that stand between marks.

    Behind a relative, an age and `ancien`, the ending of trades in a language is enough. Between
    marks they are no job of a ward or an office, and no usual surname. Offsets are code points of
    the folded text, half open.
    """
    for match in _APPOSED.finditer(folded):
        word = match[1]
        is_german = _GERMAN_TRADE.fullmatch(word) and word not in _STAFF | _SURNAMES | _NO_TRADE
        if word in _NAMEABLE or is_german:
            yield match.span(1)
    for match in _AGED.finditer(folded):
        # `18, Miller I`: behind a bare number a surname may be that of a scale.
        is_listed = match[2] in TRADES and (match[1] or match[2] not in _SURNAMES)
        if is_listed or (match[1] and _ends_like_trade(match[2], lang)):
            yield match.span(2)
    for match in _OF_OLD.finditer(folded):
        if match[1] in TRADES or _ends_like_trade(match[1], lang):
            yield match.span(1)
    for match in _ONE_IN_BRACKETS.finditer(folded):
        if match[1] not in _STAFF and _ends_like_trade(match[1], lang):
            yield match.span(1)
    for match in _OF_KIN.finditer(folded):
        if match[1] in TRADES or _ends_like_trade(match[1], lang):
            start, end = match.span(1)
            qualified = _QUALIFIED.match(folded, end)
            yield start, qualified.end() if qualified else end


def _ends_like_trade(word: str, lang: str) -> bool:
    ending = _ENDINGS.get(lang)
    return (
        ending is not None
        and ending.fullmatch(word) is not None
        and word not in _STATES | _NO_TRADE
        and not term_kind(word)
        and not 0 < word_rank(word, lang) <= _OF_A_LANGUAGE
        and not is_given_name(word)
    )
