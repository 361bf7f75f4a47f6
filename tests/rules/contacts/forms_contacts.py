"""Telephone, fax, mail, web and network addresses as notes of five languages write them."""

from collections.abc import Iterator
from itertools import product

from tests.rules.contacts.forms_contacts_as_written import lines

# Telephone numbers that say what they are by their shape alone, wherever they stand.
_CLEAR = {
    "fr": (
        "01 44 55 66 77", "01.44.55.66.77", "01-44-55-66-77", "0144556677", "01/44/55/66/77",
        "01\u00a044\u00a055\u00a066\u00a077", "01\u202f44\u202f55\u202f66\u202f77",
        "01 4455 6677", "0 144 556 677", "0 800 123 456", "0800 123 456", "06 12 34 56 78",
        "06.12.34.56.78", "0612345678", "07 81 23 45 67", "+33 1 44 55 66 77", "+33144556677",
        "+33(0)144556677", "+33 (0)1 44 55 66 77", "+33 (0) 1 44 55 66 77", "+33.1.44.55.66.77",
        "+33-1-44-55-66-77", "(+33) 1 44 55 66 77", "0033 1 44 55 66 77", "0033144556677",
        "00 33 1 44 55 66 77", "0033 (0)1 44 55 66 77", "+33 6 12 34 56 78", "(0)1 44 55 66 77",
        "0590 12 34 56", "0262 12 34 56", "+262 692 12 34 56", "02 123 45 67", "02/123.45.67",
        "0475 12 34 56", "0475/12.34.56", "0475/12 34 56", "+32 475 12 34 56", "+32 2 123 45 67",
        "+32(0)2/123.45.67", "022 372 33 11", "079 123 45 67", "+41 22 372 33 11",
        "+41 (0)22 372 33 11", "0041 22 372 33 11", "+352 26 12 34 56", "+352 621 123 456",
        "514 555-1234", "514-555-1234", "(514) 555-1234", "1 514 555-1234", "1-800-555-0199",
        "+1 514 555 1234", "418 555-0199 poste 4512", "01 44 55 66 77 poste 4512",
        "+33 1 44 55 66 77 (poste 12)", "O1 44 55 66 77", "01 44 55 66 7O", "0l 44 55 66 77",
        "01 44 55 66 7l", "+212 6 12 34 56 78", "+213 555 12 34 56", "+221 77 123 45 67",
        "01 44\n55 66 77", "+33 1 44 55\n66 77", "04 - 72 - 11 - 00 - 00", "04. 72. 11. 00. 00",
        "01  44  55  66  77", "01·44·55·66·77", "01 44 55 66 77, poste 3321",
    ),
    "en": (
        "(218) 555-6170", "218-555-6170", "218.555.6170", "554 555 0002", "(218)555-6170",
        "(218) 555 6170", "(218) 555.6170", "218/555-6170", "1-218-555-6170", "1 218 555 6170",
        "1 (218) 555-6170", "+1 218 555 6170", "+1-218-555-6170", "+1 (218) 555-6170",
        "+12185556170", "+1.218.555.6170", "001 218 555 6170", "(218)-555-6170",
        "(218)\n555-6170", "218-\n555-6170", "(218) 555-6170 ext. 12", "(218) 555-6170 x1234",
        "218-555-6170 ext 4512", "218-555-6170, ext. 77", "218.555.6170 x 12",
        "(218) 555-6170 extension 4512", "1-800-555-0199", "(218) 555-617O",
        "020 7946 0958", "(020) 7946 0958", "020 79460958", "02079460958", "0161 496 0123",
        "0161 4960123", "01632 960123", "01632 960 123", "(01632) 960123", "01632960123",
        "07700 900123", "07700 900 123", "07700900123", "+44 20 7946 0958",
        "+44 (0)20 7946 0958", "+442079460958", "+44 7700 900123", "0044 20 7946 0958",
        "+44(0)7700 900123", "+44-20-7946-0958", "0800 496 0123", "0300 123 4567",
        "+353 1 234 5678", "+353 87 123 4567", "+61 2 9876 5432", "+91 98765 43210",
        "020-7946-0958", "020 7946 0958 ext 12", "+49 30 1234567", "+52 55 1234 5678",
    ),
    "es": (
        "91 123 45 67", "912 345 678", "912.345.678", "912-345-678", "91-123-45-67",
        "91.123.45.67", "91 1234567", "612 345 678", "612 34 56 78", "612.34.56.78",
        "612-345-678", "612 345678", "954 37 06 44", "954-370644", "900 123 456", "902 12 34 56",
        "93 123 4567", "+34 912 345 678", "+34912345678", "+34 91 123 45 67", "+34-612-345-678",
        "+34 612 34 56 78", "(+34) 612 345 678", "(34) 612 345 678", "0034 912 345 678",
        "0034912345678", "+34.612.345.678", "(91) 123 45 67", "(91) 1234567", "(954) 37 06 44",
        "91/123 45 67", "91 123 45 67 ext. 4512", "912 345 678 ext 12", "954 370 644 (ext. 33)",
        "912345678 extensión 4512", "+34 912 345 678 Ext: 21", "612 345\n678", "+34 612\n345 678",
        "61 234 56 78", "+52 55 1234 5678", "+52 1 55 1234 5678", "+52 (55) 1234-5678",
        "(55) 1234-5678", "+54 11 4567-8901", "+54 9 11 4567-8901", "(011) 4567-8901",
        "011 4567-8901", "+56 9 1234 5678", "+56 2 2345 6789", "+56-2-2345-6789", "(2) 2345-6789",
        "+57 310 123 4567", "310 123 4567", "(601) 123 4567", "+51 987 654 321", "+51 1 234 5678",
        "(01) 234-5678", "+58 212-555-1234", "0212-555-1234", "0414-1234567", "+593 99 123 4567",
        "+598 99 123 456", "+1 787 555 1234", "(787) 555-1234", "+502 2345 6789",
        "+506 2234 5678", "+55 11 91234-5678", "+351 912 345 678", "+53 7 831 2345",
    ),
    "de": (
        "0171/1234567", "0171 1234567", "0171-1234567", "0171 / 1234567", "01711234567",
        "0171 123 45 67", "0171/12 34 567", "030 1234567", "030/1234567", "030-1234567",
        "030 / 123 45 67", "(030) 1234567", "(030) 123 45 67", "030 450 50", "089 4400-0",
        "0621 383-2222", "06221 56-0", "06221 56 12 34", "07071/29-82211", "0351 458-2222",
        "+49 30 1234567", "+49 (0)30 1234567", "+49(0)30/1234567", "+49 171 1234567",
        "+49 (0) 171 123 45 67", "+49-30-1234567", "+49 30 450-50", "+49301234567",
        "0049 30 1234567", "0049 171 1234567", "030 1234567 Durchwahl 12", "+49 6221 56-1234",
        "01 40400 12340", "01/40400-1234", "(01) 404 00-0", "+43 1 40400-1234", "+43 664 1234567",
        "0664 1234567", "0664/123 45 67", "0043 1 40400 1234", "044 255 11 11", "079 123 45 67",
        "+41 44 255 11 11", "+41 (0)79 123 45 67", "0041 44 255 11 11", "+352 4411-1",
        "0800 1234567", "0211 81-0", "040 7410-0",
    ),
    "nl": (
        "06-12345678", "06 12345678", "0612345678", "06 12 34 56 78", "06 1234 5678",
        "06-12 34 56 78", "06.12.34.56.78", "(06) 12345678", "06 - 12345678", "020-1234567",
        "020 123 4567", "020 - 123 45 67", "(020) 123 45 67", "010-704 07 04", "0320-123456",
        "0320 123 456", "(0320) 12 34 56", "088-1234567", "088 755 55 55", "0900-1234567",
        "+31 6 12345678", "+31 (0)6 12345678", "+31612345678", "+31 6 1234 5678",
        "+31-20-1234567", "+31 20 123 45 67", "+31 (0)20 123 4567", "0031 6 12345678",
        "0031612345678", "020-1234567 toestel 4512", "020 123 4567 tst. 12", "02 123 45 67",
        "02/123.45.67", "0475 12 34 56", "0475/12.34.56", "03 821 30 00", "016 33 22 11",
        "016/33.22.11", "+32 475 12 34 56", "+32 16 33 22 11", "+32 (0)16 33 22 11",
        "0032 16 33 22 11", "06-\n12345678", "030 250 91 11",
    ),
}  # fmt: skip
# Numbers that only a word makes a telephone number.
_VAGUE = {
    "fr": (
        "33 1 44 55 66 77", "33144556677", "26 12 34 56", "621 123 456", "1 44556677",
        "44 55 66 77", "514 5551234", "5145551234", "05.56.79.56", "144556677",
    ),
    "en": (
        "2185556170", "12185556170", "555-6170", "555.6170", "555 6170", "7946 0958",
        "44 20 7946 0958", "218 5556170", "(218) 5556170", "1 2185556170",
    ),
    "es": (
        "34 912 345 678", "34612345678", "1234-5678", "4567-8901", "55 1234 5678", "5512345678",
        "9 1234 5678", "912345678", "612345678", "987654321", "15-1234-5678", "2345 6789",
        "(45) 325755", "123 4567",
        "56-2-6329620",
    ),
    "de": (
        "49 30 1234567", "4930 1234567", "1234567", "123 45 67", "12 34 56 7",
    ),
    "nl": (
        "31 6 12345678", "31612345678", "6 12345678", "123 45 67", "1234567", "612345678",
        "123 4567",
    ),
}  # fmt: skip
# Places of a number: the first hold a word for a telephone, the others do not.
_SAID = {
    "fr": (
        "Tél : {}", "Tel. {}", "Tél. portable : {}", "Téléphone: {} (épouse)", "Tph {}",
        "N° de téléphone : {}.", "Portable {} ; domicile inconnu", "Standard : {}",
        "Secrétariat des consultations - {}", "joignable au {} en journée",
        "merci de rappeler le {}",
        "Appeler le {} si fièvre > 38,5 °C", "Contact : Mme Durand (fille), tél {}", "GSM {}",
        "Tél.: {}\nDr Lefèvre", "TEL:{}", "Téléphone\n{}\n", "Ligne directe : {}",
    ),
    "en": (
        "Phone: {}", "Tel: {}", "Tel {}", "Ph. {}", "Telephone number: {}", "cell: {}",
        "Home phone {}; works nights", "please call {} with any questions", "Call us at {}.",
        "can be reached at {} after 5 pm", "Mobile no. {}", "Contact number {} (wife)",
        "PHONE #: {}", "her phone number is {}", "Pharmacy phone:\n{}\n", "call back at {}",
        "Office: {}", "Daughter's cell {}",
    ),
    "es": (
        "Tel: {}", "Teléfono: {}", "Tlf. {}", "Tfno: {}", "Telf. {} (hija)", "Móvil {}",
        "Teléfonos: {}", "teléfono de contacto {}", "llamar al {} si fiebre", "Celular: {}",
        "Tfno. móvil: {}.", "Contacto telefónico: {}", "Nº de teléfono: {}", "Fono: {}",
        "se localiza en el teléfono {}", "WhatsApp {}", "Cel. {}", "Teléfono\n{}\nMadrid",
    ),
    "de": (
        "Tel.: {}", "Tel. {}", "Telefon: {}", "Telefonnummer {}", "Handy: {}", "Mobil {}",
        "Rückruf unter {}", "erreichbar unter {}", "tel. erreichbar: {}", "Rufnummer: {}",
        "Fon {}", "Ehefrau, Tel. {} (privat)", "Telefon-Nr.: {}", "Handynummer {}.",
        "bitte anrufen unter {}", "Zentrale: {}",
    ),
    "nl": (
        "Tel: {}", "Tel. {}", "Telefoon: {}", "telefoonnummer {}", "Mobiel: {}", "GSM {}",
        "bereikbaar op {}", "bellen naar {} bij koorts", "tel.nr. {}", "Telefoon privé: {}",
        "contactpersoon: dochter, tel {}", "te bereiken op {}", "mob. {}", "belt u {}",
        "Secretariaat: {}",
    ),
}  # fmt: skip
_ELSEWHERE = {
    "fr": (
        "Mme Durand (fille) : {}.", "sa sœur {} à prévenir", "({})",
        "12 rue des Lilas 75012 Paris\n{}\n",
        "Prévenir son fils Paul {} avant la sortie", "Dr Martin, {}", "- {}",
        "personne de confiance: {}",
    ),
    "en": (
        "daughter Emily, {}.", "wife ({})", "Dr. Smith {}", "Next of kin: John Doe {}",
        "{}\nSincerely",
        "Emergency contact Mary Smith - {}", "pharmacy on Main St, {}, closes at 9",
    ),
    "es": (
        "su hija María {} avisada", "hermana: {}.", "({})", "Dr. García, {}",
        "C/ Mayor 5, Madrid. {}",
        "Acompañante: Pili Ruiz - {}", "avisar al hijo ({}) antes del alta",
    ),
    "de": (
        "Tochter Frau Weber: {}", "Ehemann ({})", "Dr. med. Keller, {}",
        "Sohn Peter {} informieren",
        "Hausarzt Dr. Braun - {}.",
    ),
    "nl": (
        "dochter mevr. de Vries: {}", "echtgenoot ({})", "huisarts dr. Jansen, {}",
        "zoon Piet {} inlichten", "1e contactpersoon - {}.",
    ),
}  # fmt: skip
# Internal numbers, which are nothing without the word before them.
_INTERNAL = {
    "fr": (
        "poste {}", "Poste : {}", "poste n° {}", "DECT {}", "DECT : {}", "bip {}", "Bip n°{}",
        "interne de garde au {}", "interne de garde (bip {})", "BIP: {}", "(poste {})", "tel {}",
        "joignable au {}", "pager {}", "postes {}", "Tél. int. {}", "numéro interne {}",
        "n° de poste : {}", "Dr Martin DECT{}",
    ),
    "en": (
        "ext. {}", "ext {}", "extension {}", "x-ray reading room, ext. {}", "pager {}",
        "Pager: {}", "pager #{}", "beeper {}", "bleep {}", "page me at {}", "bleep number {}",
        "DECT {}", "Ext: {}", "paged on pager no. {}",
    ),
    "es": (
        "ext. {}", "extensión {}", "Ext: {}", "busca {}", "Busca: {}", "busca nº {}",
        "buscapersonas {}", "DECT {}", "anexo {}", "interno {}", "teléfono interno {}",
        "el busca {} de guardia", "extensiones {}", "tel. {}",
    ),
    "de": (
        "Durchwahl {}", "Durchwahl: {}", "DW {}", "App. {}", "Apparat {}", "DECT {}", "Piepser {}",
        "Pieper {}", "Funk {}", "Klappe {}", "Tel. {}", "Nebenstelle {}",
    ),
    "nl": (
        "toestel {}", "toestel: {}", "tst. {}", "pieper {}", "Pieper {}", "DECT {}",
        "seinnummer {}", "interne tel. {}", "tel. {}", "zoemer {}",
    ),
}  # fmt: skip
_SHORT_NUMBERS = ("4512", "61207", "3 45 67", "345")
# Fax numbers: any number after the word.
_FAXED = {
    "fr": (
        "Fax : {}", "fax {}", "FAX:{}", "Télécopie : {}", "Télécopieur {}", "Fax n° {}",
        "Fax secrétariat : {}", "à faxer au {}", "par fax au {}", "N° de fax : {}", "{} (fax)",
        "Fax\n{}\n", "Fax. {}", "F. {} (fax)", "télécopie au {} dès réception",
    ),
    "en": (
        "Fax: {}", "FAX {}", "Fax number: {}", "fax # {}", "faxed to {}", "Fax no. {}",
        "please fax results to {}", "{} (fax)", "Facsimile: {}", "fax at {}", "Office fax: {}",
    ),
    "es": (
        "Fax: {}", "FAX {}", "Nº de fax: {}", "enviar por fax al {}", "Telefax: {}", "{} (fax)",
        "fax nº {}", "Núm. fax: {}", "Fax. {}", "número de fax {}",
    ),
    "de": (
        "Fax: {}", "Fax {}", "Telefax: {}", "Faxnummer: {}", "Fax-Nr. {}", "per Fax an {}",
        "Telefax-Nr.: {}", "{} (Fax)",
    ),
    "nl": (
        "Fax: {}", "fax {}", "Faxnummer: {}", "fax nr. {}", "per fax naar {}", "{} (fax)",
        "Telefax: {}",
    ),
}  # fmt: skip
_MAILS = (
    "jean.dupont@chu-lille.fr", "JEAN.DUPONT@CHU-LILLE.FR", "m.garcia@salud.madrid.org",
    "j_smith+notes@mail.co.uk", "a@b.nl", "héloïse.lefèvre@hôpital.fr", "o'neil@clinic.ie",
    "jean.dupont @ chu-lille.fr", "jean.dupont@ chu-lille.fr", "jean.dupont @chu-lille.fr",
    "jean.dupont@chu-lille . fr", "jean . dupont @ chu-lille . fr", "jean.dupont(at)chu-lille.fr",
    "jean.dupont [at] chu-lille.fr", "jean.dupont (at) chu-lille (dot) fr", "x@[192.168.1.10]",
    "jdupont@[10.0.0.1]", "sekretariat@klinikum-köln.de", "m.müller@uni-klinik.de", "p123@aphp.fr",
    "jean-paul.martin-durand@sub.hopital.gouv.fr", "info@umcg.nl", "user%dept@host.edu",
    "maria.lopez@hospital12octubre.es", "jean.dupont@chu-\nlille.fr", "jean.dupont@\nchu-lille.fr",
    "jean.dupont@chu-lille.\nfr", "jean-\nmarie.dupont@chu.fr", "jean arobase chu.fr",
    "jean.dupont@exam\nple.org", "jean{at}chu.fr", "dr.martin@medecin.mssante.fr",
    "cabinet.durand@wanadoo.fr", "dupont75@gmail.com", "1234@chu.be", "j.d@kliniek.amsterdam",
    "jean(arobase)chu.fr", "juan (arroba) hospital.es", "k.weber@charite.berlin",
)  # fmt: skip
_MAILED = {
    "fr": (
        "Mail : {}", "courriel: {}", "e-mail {}\n", "écrire à {} avant lundi",
        "({})", "adresse électronique : {}", "Secrétariat : {}.", "<{}>", "{};", "Mél. {}",
    ),
    "en": ("Email: {}", "e-mail {}", "contact {} for records", "<{}>", "({})", "Mail to {}."),
    "es": ("Correo electrónico: {}", "E-mail: {}", "correo {}", "({})", "escribir a {}."),
    "de": ("E-Mail: {}", "Mail {}", "per E-Mail an {}.", "({})"),
    "nl": ("E-mail: {}", "mail naar {}.", "mailadres {}", "({})"),
}  # fmt: skip
_PAGES = (
    "https://www.chu-lille.fr/rdv?id=12&x=a#b", "http://hopital.fr", "http://10.0.0.1:8080/pacs",
    "www.chu-lille.fr", "WWW.CHU-LILLE.FR", "www.hospital.es/citas", "chu-lille.fr",
    "doctolib.fr/cabinet/durand", "monespacesante.fr", "recherche.aphp.fr/eds",
    "mychart.org/clinic",
    "portal.hospital.com:8443/login", "ftp://images.chu.fr/irm", "salud.madrid.org", "nhs.uk/111",
    "www.nhs.uk", "klinikum-koeln.de/termine", "www.umcg.nl/patient", "mijnumc.nl",
    "https://patient.example.org/p/8a7f-22", "sescam.jccm.es", "https://localhost:8080/x",
    "http://pacs/viewer?acc=123", "imss.gob.mx", "chuv.ch",
    "https://teams.microsoft.com/l/meetup-join/19%3ameeting", "hospital.com.ar", "ameli.fr",
    "hospital.org.uk", "trust.co.uk", "dept.nhs.uk", "ema.europa.eu", "cancer.net", "app.io/x",
    "chl.lu",
    "akh.wien.at", "hc.ca/plan", "clinica.cl", "salud.gob.es", "hospital.com.co", "minsal.gov.co",
    "uni.edu", "guia.info/salud", "clinic.cat/cita", "https://x.es", "ftps://a.chu.fr/x",
    "cofares.com",
)  # fmt: skip
# A country's code may be a word of another language.
_PAGES_AT_HOME = {"de": ("charite.de", "gzb.de"), "nl": ("uzleuven.be",)}
_PAGED = {
    "fr": ("voir {} pour la prise de rendez-vous", "site : {}", "({})", "{}\n", "RDV sur {}."),
    "en": ("see {} for details", "website: {}", "({})", "portal at {}."),
    "es": ("consulte {} para más información", "web: {}", "({})", "en {}."),
    "de": ("siehe {} für Termine", "Internet: {}", "({})"),
    "nl": ("zie {} voor informatie", "website: {}", "({})"),
}  # fmt: skip
_HOSTS = (
    "192.168.1.10", "203.0.113.77", "192.168.1.10:8080", "10.20.30.40:104", "172.16.254.1/24",
    "2001:0db8:85a3:0000:0000:8a2e:0370:7334", "2001:db8::8a2e:370:7334", "fe80::1",
    "::ffff:10.1.2.3",
    "[2001:db8::1]:8080", "2001:DB8::1", "fe80::1ff:fe23:4567:890a%eth0", "10.2.3.4",
)  # fmt: skip
_HOSTED = {
    "fr": ("adresse IP {}", "IP : {}", "connexion depuis le poste (IP {})", "serveur PACS {}"),
    "en": ("IP address: {}", "IP {}", "logged in from host {}", "PACS server {} unreachable"),
    "es": ("dirección IP {}", "IP: {}", "servidor {} caído"),
    "de": ("IP-Adresse {}", "IP: {}", "Server {}"),
    "nl": ("IP-adres {}", "IP: {}", "server {}"),
}  # fmt: skip
_CARDS = (
    "00:1A:2B:3C:4D:5E", "00-1A-2B-3C-4D-5E", "001a.2b3c.4d5e", "f8:ff:c2:12:34:56",
    "a4-83-e7-00-11-22", "00:00:5e:00:53:af",
)  # fmt: skip
_CARDED = {
    "fr": ("adresse MAC {}", "pompe (MAC : {})", "moniteur {} connecté"),
    "en": ("MAC address: {}", "pump MAC {}", "monitor {} online"),
    "es": ("dirección MAC {}", "MAC: {}", "monitor {} conectado"),
    "de": ("MAC-Adresse {}", "MAC: {}", "Monitor {} online"),
    "nl": ("MAC-adres {}", "MAC: {}", "monitor {} online"),
}  # fmt: skip
# Lines with several numbers, extents and labels shown whole.
_LISTS = {
    "fr": (
        "Tél. [[01 44 55 66 77|PHONE]] / 78", "[[01 44 55 66 77|PHONE]]/78 - poste [[4512|PHONE]]",
        "Tél : [[01 44 55 66 77|PHONE]] - Fax : [[01 44 55 66 78|FAX]]",
        "Tél/Fax : [[01 44 55 66 77|PHONE]]", "Tél. et fax [[01 44 55 66 77|PHONE]]",
        "[[01 44 55 66 77|PHONE]] ou [[06 12 34 56 78|PHONE]]",
        "[[01 44 55 66 77|PHONE]]/[[06 12 34 56 78|PHONE]]",
        "[[0144556677|PHONE]] [[0612345678|PHONE]]", "Bip [[4512|PHONE]] ou [[4513|PHONE]]",
        "postes [[4512|PHONE]], [[4513|PHONE]] et [[4514|PHONE]]",
        "[[01 44 55 66 77|PHONE]](domicile)",
        "Tél:[[0144556677|PHONE]]Fax:[[0144556678|FAX]]", "DECT [[4512|PHONE]]/[[4513|PHONE]]",
        "Secrétariat:[[01.44.55.66.77|PHONE]]-Hospitalisation:[[01.44.55.66.78|PHONE]]",
        "75012 PARIS [[01 44 55 66 77|PHONE]]", "75012 [[01 44 55 66 77|PHONE]]",
        "[[0144556677|PHONE]]/[[0612345678|PHONE]]", "[[(33) 1 44 55 66 77|PHONE]]",
        "[[0 1 4 4 5 5 6 6 7 7|PHONE]]", "Dr A. Martin[[01 44 55 66 77|PHONE]]",
        "Né le 12/03/1950 [[06 12 34 56 78|PHONE]]", "[[01 44 55 66 77|PHONE]] 12h-14h",
        "Tél [[01 44 55 66 77|PHONE]] le 12/03/2024 à 10h",
        "contact@chu.fr - tél".replace("contact@chu.fr", "[[contact@chu.fr|EMAIL]]"),
        "[[a.b@chu.fr|EMAIL]], [[c.d@chu.fr|EMAIL]]", "[[a.b@chu.fr|EMAIL]]/[[c.d@chu.fr|EMAIL]]",
        "mail:[[a.b@chu.fr|EMAIL]]Tél:[[0144556677|PHONE]]", "mailto:[[a.b@chu.fr|EMAIL]]",
    ),
    "en": (
        "Phone: [[218-555-6170|PHONE]] Fax: [[218-555-6171|FAX]]",
        "P: [[(218) 555-6170|PHONE]] F: [[(218) 555-6171|FAX]]",
        "Tel/Fax [[020 7946 0958|PHONE]]", "[[218-555-6170|PHONE]] or [[218-555-6171|PHONE]]",
        "[[218-555-6170|PHONE]]/[[218-555-6171|PHONE]]",
        "[[218 555 6170|PHONE]]/[[218 555 6171|PHONE]]", "pagers [[4512|PHONE]] and [[4513|PHONE]]",
        "[[(218) 555-6170|PHONE]] (cell), [[(218) 555-6171|PHONE]] (home)",
        "ext. [[4512|PHONE]] or [[4513|PHONE]]", "NPI 1234567893 [[218-555-6170|PHONE]]",
        "Minneapolis, MN 55401 [[(218) 555-6170|PHONE]]", "DOB 03/12/1950 [[218-555-6170|PHONE]]",
        "([[218-555-6170|PHONE]])", "[[020 7946 0958|PHONE]] / [[020 7946 0959|PHONE]]",
    ),
    "es": (
        "Prof. N. Pomares ([[916910618|PHONE]])", "Puede contactar en el [[980353610|PHONE]]",
        "Tfno: [[911234567|PHONE]] / [[911234568|PHONE]] / [[611234569|PHONE]].",
        "Tel. [[91 123 45 67|PHONE]] Fax [[91 123 45 68|FAX]]",
        "Tel/Fax: [[912 345 678|PHONE]]", "[[612 345 678|PHONE]] - [[912 345 678|PHONE]]",
        "Teléfonos [[612345678|PHONE]] y [[612345679|PHONE]]",
        "28046 Madrid. [[91 123 45 67|PHONE]]",
        "busca [[4512|PHONE]] o [[4513|PHONE]]", "Móvil [[612 345 678|PHONE]] (hija)",
        "Tel. [[91 123 45 67|PHONE]]/68",
    ),
    "de": (
        "Tel. [[030/1234567|PHONE]], Fax [[030/1234568|FAX]]",
        "Tel. [[030 1234567|PHONE]] oder [[0171 1234567|PHONE]]",
        "10117 Berlin [[030 1234567|PHONE]]",
        "Tel./Fax: [[030 1234567|PHONE]]", "Tel. [[450-0|PHONE]]", "Telefon: [[56-1234|PHONE]]",
        "Pieper [[4512|PHONE]] oder [[4513|PHONE]]",
    ),
    "nl": (
        "Tel. [[020-1234567|PHONE]], fax [[020-1234568|FAX]]",
        "tel [[020-1234567|PHONE]] of [[06-12345678|PHONE]]",
        "1012 AB Amsterdam [[020-1234567|PHONE]]",
        "Tel/fax: [[020-1234567|PHONE]]", "pieper [[4512|PHONE]] of [[4513|PHONE]]",
    ),
}  # fmt: skip

LANGUAGES = ("fr", "en", "es", "de", "nl")


def forms(lang: str) -> Iterator[str]:
    """Yield marked lines of a language: every value in every place."""
    for values, places, label in _tables(lang):
        for value, place in product(values, places):
            yield place.format(f"[[{value}|{label}]]")
    yield from _LISTS[lang]
    yield from lines(lang)


def few(lang: str) -> Iterator[str]:
    """Yield lines in which every value and every place of a language stands at least once."""
    for values, places, label in _tables(lang):
        for at in range(max(len(values), len(places))):
            value, place = values[at % len(values)], places[at % len(places)]
            yield place.format(f"[[{value}|{label}]]")
    yield from _LISTS[lang]
    yield from lines(lang)
    yield from _in_words()


def _in_words() -> Iterator[str]:
    """Yield mail addresses whose signs are words, of each language before, in and behind a host."""
    ats = ("at", "arobase", "arroba", "klammeraffe", "apenstaartje")
    for at, dot in zip(ats, ("dot", "point", "punto", "punkt", "punt"), strict=True):
        for who, host in (("anna.berg", "gmx"), (f"anna {dot} berg", "gmx"),
                          ("anna.berg", f"chu {dot} gmx")):  # fmt: skip
            yield f"... [[{who} {at} {host} {dot} org|EMAIL]]"


def _tables(lang: str) -> Iterator[tuple[tuple[str, ...], tuple[str, ...], str]]:
    yield _CLEAR[lang], _ELSEWHERE[lang], "PHONE"
    yield _CLEAR[lang], _SAID[lang], "PHONE"
    yield _VAGUE[lang], _SAID[lang], "PHONE"
    yield _SHORT_NUMBERS, _INTERNAL[lang], "PHONE"
    yield _CLEAR[lang], _FAXED[lang], "FAX"
    yield _MAILS, _MAILED[lang], "EMAIL"
    yield (*_PAGES, *_PAGES_AT_HOME.get(lang, ())), _PAGED[lang], "URL"
    yield _HOSTS, _HOSTED[lang], "IP_ADDRESS"
    yield _CARDS, _CARDED[lang], "DEVICE_ID"
