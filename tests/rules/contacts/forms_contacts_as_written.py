"""Lines with contacts as notes hold them, one of each kind, and words that make a number one."""

from collections.abc import Iterator

_LINES = {
    "fr": (
        "Tel [[0144556677|PHONE]]", "Tél:[[01.44.55.66.77|PHONE]]", "T : [[01 44 55 66 77|PHONE]]",
        "☎ [[01 44 55 66 77|PHONE]]", "[[+33 (0)6.12.34.56.78|PHONE]]",
        "[[0033(0)144556677|PHONE]]", "[[+ 33 1 44 55 66 77|PHONE]]", "[[+33 144 556 677|PHONE]]",
        "[[+33 1 4455 6677|PHONE]]", "[[0033.1.44.55.66.77|PHONE]]", "[[0033-1-44-55-66-77|PHONE]]",
        "tél [[(33)1 44 55 66 77|PHONE]]", "tél [[33(0)1 44 55 66 77|PHONE]]",
        "poste téléphonique [[4512|PHONE]]", "Numéro court: [[4512|PHONE]]",
        "tél. interne : [[4512|PHONE]]", "bip de garde : [[4512|PHONE]]",
        "DECT du sénior : [[4512|PHONE]]", "DECT interne [[4512|PHONE]]", "(DECT [[45612|PHONE]])",
        "bip [[12 34|PHONE]]", "Tél [[(01) 44 55 66 77|PHONE]]",
        "[[01 44 55 66 77|PHONE]] ; [[01 44 55 66 78|PHONE]]", "[[01 44 55 66 77|PHONE]]/78/79",
        "Fax sécurisé : [[01 44 55 66 77|FAX]]", "Fax du service [[01 44 55 66 77|FAX]]",
        "Fax:[[0144556678|FAX]]", "Tél. [[02/ 123 45 67|PHONE]]", "[[0475/123456|PHONE]]",
        "[[0475-12.34.56|PHONE]]", "[[+32(0)475/12.34.56|PHONE]]", "Tel [[02 1234567|PHONE]]",
        "[[+41 79 123 4567|PHONE]]", "[[044/255 11 11|PHONE]]", "[[022/372 33 11|PHONE]]",
        "[[(+352) 26 12 34 56|PHONE]]", "[[+352 4411 2345|PHONE]]", "Tél: [[4411-2345|PHONE]]",
        "GSM [[621 12 34 56|PHONE]]", "[[(514) 555 1234 poste 4512|PHONE]]",
        "[[1 (800) 555-0199|PHONE]]", "[[514-555-1234, poste #4512|PHONE]]",
        "secrétariat médical [[01 44 55 66 77|PHONE]] de 9h à 12h",
        "en cas d'urgence composer le [[01 44 55 66 77|PHONE]]",
        "Numéro de portable de la patiente [[0612345678|PHONE]].", "père[[0612345678|PHONE]]",
        "[[06 12 34 56 78|PHONE]]/[[06 12 34 56 79|PHONE]]",
        "tél du fils: [[06.12.34.56.78|PHONE]]/[[01.44.55.66.77|PHONE]]",
        "Jean Dupont <[[jean.dupont@chu.fr|EMAIL]]>", "[[jean.dupont@chu .fr|EMAIL]]",
        "[[jean.dupont@chu. fr|EMAIL]]", "mail [[jean.dupont [arobase] chu [point] fr|EMAIL]]",
        "[[x@192.168.1.10|EMAIL]]", "[[JEAN.DUPONT @CHU.FR|EMAIL]]", "[[jean.dupont@",
        "site [[https://chu.fr/doc_(1).pdf|URL]]", "[[www.chu-lille.fr/rdv|URL]].",
        "[[hospital.org:8080|URL]]", "[[https://bit.ly/3xYz|URL]]", "[[sante.gouv.fr|URL]]",
        "[[salud.gob.es|URL]]", "ip:[[10.0.0.5|IP_ADDRESS]]", "IP=[[10.0.0.5|IP_ADDRESS]]",
        "[[10.0.0.5:104|IP_ADDRESS]]", "[[127.0.0.1|IP_ADDRESS]]",
        "adresse [[10.1.2.3|IP_ADDRESS]]", "PACS [[10.1.2.3|IP_ADDRESS]] port 104",
        "adresse MAC [[001A2B3C4D5E|DEVICE_ID]]",
        "appareil [[00:1A:2B:3C:4D:5E|DEVICE_ID]], salle 3",
    ),
    "en": (
        "Tel: [[+44 (0) 20 7946 0958|PHONE]]", "[[07911 123456|PHONE]]", "[[(07911) 123456|PHONE]]",
        "[[01865 741 166 ext 2|PHONE]]", "c: [[218-555-6170|PHONE]]", "[[218 - 555 - 6170|PHONE]]",
        "[[218.555.6170|PHONE]] (cell)", "[[(218)555 - 6170|PHONE]]", "[[1.218.555.6170|PHONE]]",
        "[[+1 (218)555-6170|PHONE]]", "[[218-555-6170 x 4512|PHONE]]",
        "[[218-555-6170 ext: 4512|PHONE]]", "[[218-555-6170, extension 12|PHONE]]",
        "Ext [[4-5512|PHONE]]", "pager [[218-555-6170|PHONE]]",
        "Bleep [[1234|PHONE]]/[[5678|PHONE]]", "Phone [[(218) 555 - 6170|PHONE]]",
        "phone number of [[218-555-6170|PHONE]]", "tel no [[020 7946 0958|PHONE]]",
        "Phone/Fax: [[218-555-6170|PHONE]]", "call me on [[07911 123456|PHONE]]",
        "number: [[218-555-6170|PHONE]]", "Work phone: [[2185556170|PHONE]]",
        "cell phone number [[2185556170|PHONE]]", "my cell is [[218 5556170|PHONE]]",
        "phone number is [[2185556170|PHONE]]", "callback number [[2185556170|PHONE]]",
        "[[(218)5556170|PHONE]]", "contact: [[555-6170|PHONE]]",
        "Fax results to [[218-555-6170|FAX]]", "fax it to [[218-555-6170|FAX]]",
        "F [[218-555-6170|PHONE]]", "Please fax to the office at [[218-555-6170|FAX]]",
        "Emergency contact: Mary (sister) [[218-555-6170|PHONE]]",
        "pt's number [[218-555-6170|PHONE]] (disconnected)",
        "pharmacy ([[218-555-6170|PHONE]]) called", "voicemail left at [[218-555-6170|PHONE]] x2",
        "[[020 7946 0958|PHONE]] (fax [[020 7946 0959|FAX]])",
        "nurse line [[1-888-555-0142|PHONE]]", "[[0161-496-0123|PHONE]]",
        "[[(0161) 496 0123|PHONE]]", "[[+44 161 496 0123|PHONE]]", "[[+44 (161) 496 0123|PHONE]]",
        "bleep [[1234|PHONE]]", "text [[07700 900123|PHONE]]",
    ),
    "es": (
        "Tel. [[91-1234567|PHONE]]", "Tfno.: [[91.123.45.67|PHONE]]", "Teléf.: [[912345678|PHONE]]",
        "Teléf. [[91 1234567|PHONE]]", "Tlfno [[912 34 56 78|PHONE]]",
        "[[(0034) 912 345 678|PHONE]]", "[[+34 (91) 123 45 67|PHONE]]",
        "Tel móvil: [[612 345 678|PHONE]]", "tel fijo [[912 345 678|PHONE]]",
        "tel: [[612345678|PHONE]] / [[912345678|PHONE]]",
        "tels. [[612345678|PHONE]] y [[912345678|PHONE]]", "Busca: [[12345|PHONE]]",
        "ext.[[4512|PHONE]]", "extensión nº [[4512|PHONE]]", "telf contacto: [[612345678|PHONE]]",
        "FAX [[91/1234567|FAX]]", "Fax nº. [[912345678|FAX]]", "[[01 55 1234 5678|PHONE]]",
        "[[044 55 1234 5678|PHONE]]", "Tel. [[(55) 12 34 56 78|PHONE]]",
        "Cel [[55-12-34-56-78|PHONE]]", "[[(0351) 456-7890|PHONE]]", "[[0351-4567890|PHONE]]",
        "[[+54 351 456 7890|PHONE]]", "Cel: [[15 5123 4567|PHONE]]", "celular [[3101234567|PHONE]]",
        "[[+569 1234 5678|PHONE]]", "Fono [[09-1234567|PHONE]]", "[[+34 91-123-45-67|PHONE]]",
        "Teléfono de la hija: [[612345678|PHONE]]", "hablo con su hija al [[612345678|PHONE]]",
        "Teléfono(s): [[612 345 678|PHONE]]", "[[612-34-56-78|PHONE]]", "[[612/345678|PHONE]]",
        "Tel.:[[912345678|PHONE]]", "Tel./Fax: [[912345678|PHONE]]",
        "contacto: [[612 34 56 78|PHONE]] (hijo)", "Telefax [[91 123 45 67|FAX]]",
        "[[sergas.es|URL]]", "web [[quironsalud.es|URL]]", "correo-e: [[a.b@sergas.es|EMAIL]]",
        "correo: [[a.b@sergas.es|EMAIL]] / [[c@d.com|EMAIL]]",
    ),
    "de": (
        "Tel.: [[(0171) 1234567|PHONE]]", "Tel. [[0 30/1 23 45 67|PHONE]]",
        "[[+49 (30) 1234567|PHONE]]", "[[+49/30/1234567|PHONE]]", "[[0049/30/1234567|PHONE]]",
        "Tel. privat: [[030 1234567|PHONE]]", "Tel. dienstlich [[030 1234567|PHONE]]",
        "Mobil: [[+49 171 1234567|PHONE]]", "DW: [[4512|PHONE]]",
        "Telefonnr.: [[030 1234567|PHONE]]", "Tel.-Nr. [[1234567|PHONE]]",
        "Telefon (privat): [[1234567|PHONE]]", "[[030-123 45 67|PHONE]]", "[[0151 23456789|PHONE]]",
        "[[0151/23456789|PHONE]]", "[[0151 234 567 89|PHONE]]", "[[0151-23 45 67 89|PHONE]]",
        "Fax: [[030/1234-568|FAX]]", "[[030/1234-567|PHONE]]", "[[06221/56-38123|PHONE]]",
        "Tel. [[089/4400-73123|PHONE]]",
        "Telefonisch erreichbar unter [[0171 1234567|PHONE]]", "Piepser-Nr. [[4512|PHONE]]",
        "Sekretariat: [[030 450 123|PHONE]]", "Notfallnummer [[0171 1234567|PHONE]]",
    ),
    "nl": (
        "tel: [[020 - 1234567|PHONE]]", "[[06 123 45 678|PHONE]]", "[[06-123 456 78|PHONE]]",
        "[[06 - 12 34 56 78|PHONE]]", "[[+31(0)20 1234567|PHONE]]", "[[+31-6-12345678|PHONE]]",
        "tel [[(020) 1234567|PHONE]]", "tel.: [[020-1234567|PHONE]] / [[06-12345678|PHONE]]",
        "toestelnr. [[4512|PHONE]]", "tst [[4512|PHONE]]", "telefoonnr. [[06-12345678|PHONE]]",
        "tel. nr.: [[06-12345678|PHONE]]", "doorkiesnummer [[4512|PHONE]]", "dect [[4512|PHONE]]",
        "tel. thuis [[1234567|PHONE]]", "mobiele nummer [[0612345678|PHONE]]",
        "[[(06)-12345678|PHONE]]", "belde naar [[06-12345678|PHONE]]", "[[0031-6-12345678|PHONE]]",
        "06 nummer: [[06 12345678|PHONE]]",
    ),
}  # fmt: skip
# A number of seven digits is a telephone only after or before one of these.
_BEFORE = {
    "fr": (
        "tel", "tels", "téléphone", "téléphones", "contact téléphonique", "tph", "gsm", "mobile",
        "mobiles", "portable", "whatsapp", "joignable au", "joignables au", "joindre au",
        "à rappeler au",
        "appeler le", "hotline",
    ),
    "en": (
        "phone", "ph", "telephone", "cellphone", "mob", "call", "callback", "call back",
        "reached at",
        "telephone is", "phone to", "phone us on", "tel num", "tel number", "tel no.",
    ),
    "es": (
        "teléf", "telf", "telfs", "tlf", "tlfs", "tlfn", "tlfno", "tfno", "teléfono", "teléfonos",
        "contacto telefónico", "móvil", "móviles", "celular", "cel", "fono", "llamar al",
        "llamada al",
        "localizable en el", "contactar en el", "teléfono es", "teléfono fijo", "tel numero",
    ),
    "de": (
        "Telefon", "Telefonnummer", "Fon", "Handy", "Handynummer", "Mobil", "Rufnummer",
        "erreichbar",
        "anrufen", "Rückruf", "Telefon ist", "Telefon privat", "erreichbar unter", "Telefon an",
    ),
    "nl": (
        "telefoon", "telefoonnummer", "mobiel", "bereikbaar", "bereiken", "bellen", "belt u",
        "tel op",
        "bellen naar", "telefoon thuis", "tel nr", "telefoon privé",
    ),
}  # fmt: skip
_BEHIND = (
    "fax", "mobile", "portable", "móvil", "celular", "gsm", "cell", "home", "office", "handy",
)  # fmt: skip
# People beside whom a bare number is a telephone's.
_PEOPLE = (
    "hija", "hijo", "hermana", "hermano", "esposa", "esposo", "marido", "mujer", "madre", "padre",
    "pareja", "daughter", "son", "wife", "husband", "mother", "father", "sister", "brother",
)  # fmt: skip


_FAXES = (
    "fax", "faxer", "faxed", "Faxnummer", "Telefax", "télécopie", "télécopieur", "facsimile",
)  # fmt: skip
_PLACES = (
    "contact", "contacto", "contacter", "standard", "Zentrale", "secrétariat", "secretariaat",
    "secretaría", "consultations", "consultas", "ligne", "office", "home", "cell", "pager",
)  # fmt: skip
# Words between such a word and the number.
_LINKED = (
    "tel numero {}", "tel number {}", "erreichbar unter {}", "bellen naar {}", "teléfono fijo {}",
    "tel fixe {}", "tel perso {}", "tel privé {}", "Telefon privat {}", "telefoon thuis {}",
    "tel garde {}", "contact téléphonique {}", "tel (domicile) {}", "tel du Dr Martin : {}",
    "tel n° {}", "call back {}", "suivi téléphonique {}", "control telefónico {}",
    "localizable\nen el {}",
)  # fmt: skip
_RUNS = (
    "Dr LEROY [[01.42.21.72.84|PHONE]] [[m.le.roy@chu.fr|EMAIL]]",
    "Tel. [[912 345 678 anexo 12|PHONE]]",
    "[[(011) 4567-8901 int. 12|PHONE]]", "Phone and fax: [[218-555-6170|PHONE]]",
    "Tel und Fax: [[030 1234567|PHONE]]", "Pieper [[4512|PHONE]] und [[4513|PHONE]]",
    "tel [[5556170|PHONE]] 12/03/2024", "tel [[5556170|PHONE]] 10:30", "tel [[5556170|PHONE]] 9h30",
    "tel [[555\n6170|PHONE]]", "contacto [[(45) 325755|PHONE]]", "home [[555-6170|PHONE]]",
    "tels [[5556170|PHONE]] / [[5556171|PHONE]]", "tels [[5556170|PHONE]]/[[5556171|PHONE]]",
    "busca [[4512|PHONE]] y [[4513|PHONE]]", "pieper [[4512|PHONE]] en [[4513|PHONE]]",
)  # fmt: skip
_HOSTS = (
    "IPv4 [[10.2.3.4|IP_ADDRESS]]", "IPv6 [[::1|IP_ADDRESS]]", "host [[10.2.3.4|IP_ADDRESS]]",
    "serveur [[10.2.3.4|IP_ADDRESS]]", "server [[10.2.3.4|IP_ADDRESS]]",
    "servidor [[10.2.3.4|IP_ADDRESS]]",
    "address [[10.2.3.4|IP_ADDRESS]]", "adresse [[10.2.3.4|IP_ADDRESS]]",
    "PACS [[10.2.3.4|IP_ADDRESS]]",
    "web [[sergas.es|URL]] hoy", "website [[sergas.es|URL]] hoy", "site [[sergas.es|URL]] hoy",
    "internet: [[sergas.es|URL]] hoy", "portal [[sergas.es|URL]] hoy",
    "([[sergas.es|URL]])", "[[sergas.es|URL]]\nMadrid", "[[www.clinique.paris|URL]]",
    "[[nhs.uk|URL]]",
    "[[jean @ chu . aphp . fr|EMAIL]]", "[[a@hosp.o\nrg|EMAIL]]", "[[jean @ [10.0.0.1]|EMAIL]]",
    "mail.[[a.b@chu.fr|EMAIL]]", "email:[[a.b@chu.fr|EMAIL]]", "e-mail:[[a.b@chu.fr|EMAIL]]",
    "courriel:[[a.b@chu.fr|EMAIL]]", "correo:[[a.b@chu.fr|EMAIL]]", "mailto:[[a.b@chu.fr|EMAIL]]",
    "[[a.b@chu (punto) es|EMAIL]]", "[[a.b@chu (punkt) de|EMAIL]]", "[[a.b@chu (punt) nl|EMAIL]]",
    "[[a.b@chu (point) fr|EMAIL]]", "[[a@hosp.exam\nple.org|EMAIL]], RPPS",
    "[[a@hosp.o\nrg|EMAIL]]\nDr",
    "[[A.B@CHU.FR|EMAIL]]Dr Martin", "[[a.b@chu.fr|EMAIL]]Dr", "[[a.b@mail.chuLille.fr|EMAIL]]",
    "[[a.b@chu-lille.fr|EMAIL]]\nwww", "[[a.b@chu.fr|EMAIL]]\nDr. X",
    "[[a.b@chu.fr|EMAIL]]. De plus", "[[a.b@chru|EMAIL]]\nde garde", "[[a.b@chu.\nnl|EMAIL]], Dr",
)  # fmt: skip


def lines(lang: str) -> Iterator[str]:
    """Yield marked lines of a language."""
    yield from _LINES[lang]
    for word in _BEFORE[lang]:
        yield f"{word} [[5556170|PHONE]]"
    if lang == "fr":
        yield "[[01 44 55 66 77|PHONE]] fax n° [[01 44 55 66 78|FAX]]"
        yield "[[01 44 55 66 77|PHONE]] fax nr. [[01 44 55 66 78|FAX]]"
        yield "int. [[4512|PHONE]]"
        yield from _RUNS
        for word in _FAXES:
            yield f"{word} [[5556170|FAX]]"
        for word in _PLACES:
            yield f"{word} [[5552186170|PHONE]]"
        for words in _LINKED:
            yield words.format("[[5556170|PHONE]]")
        for word in ("dect", "bip", "busca", "pager", "pieper"):
            yield f"{word} du sénior : [[4512|PHONE]]"
        for word in ("dect", "bip", "tel"):
            yield f"{word}[[4512|PHONE]]"
    if lang == "en":
        yield from _HOSTS
        for word in _BEHIND:
            yield f"Mrs Smith [[55 12 34 56|{'FAX' if word == 'fax' else 'PHONE'}]] ({word})"
        for word in _PEOPLE:
            yield f"{word} Kim, [[612345678|PHONE]]"
