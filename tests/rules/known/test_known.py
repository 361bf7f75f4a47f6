import pickle
import random
import re
import unicodedata
from collections.abc import Callable
from datetime import date
from functools import partial
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from record.document import Document
from record.folding import fold
from record.patient import Address, Identifier, PatientRecord, PersonName
from rules.known.known import KnownPatient, Match, variants
from rules.matching.lexicon import word_rank
from rules.matching.normalization import views
from tests.growth import MOST, growth
from tests.rules.marked import detected

JEAN = PatientRecord(
    person_id="42",
    given_names=("Jean-Paul", "Aurélie"),
    family_names=("DE LA TOUR",),
    birth_names=("Lefèvre-Bœuf", "MARTIN"),
    gender="M",
    birth_date=date(1950, 2, 3),
    addresses=(Address("12 bis rue des Lilas", "75012", "Saint-Denis Cedex 12"),),
    phones=("01 44 55 66 77",),
    emails=("jp.dupont@example.org",),
    identifiers=(
        Identifier("PATIENT_ID", "8012345678"),
        Identifier("SSN", "1 50 02 75 112 345 67"),
        Identifier("ID", "12345678Z"),
        Identifier("VISIT_ID", "0042"),
    ),
    relatives=(PersonName(("Li", "Rémi"), ("O'Brien",)),),
)
PATTERN = re.compile(r"\[([^\]|]*)\|([A-Z_]+)\]")


def _marked(line: str) -> tuple[str, list[tuple[int, int, str]]]:
    """Read `Vu [DUPONT|LAST_NAME] hier`: the text and the spans it must have."""
    text, spans, last = "", [], 0
    for match in PATTERN.finditer(line):
        text += line[last : match.start()]
        spans.append((len(text), len(text) + len(match[1]), match[2]))
        text += match[1]
        last = match.end()
    return text + line[last:], spans


@pytest.mark.parametrize(
    "line",
    [
        # names: case, accents, ligatures, hyphens, blanks, nothing
        "[Jean-Paul|FIRST_NAME] [jean paul|FIRST_NAME] [JEANPAUL|FIRST_NAME] [Jean|FIRST_NAME] va",
        "[Jean -\nPaul|FIRST_NAME], [Jean‑Paul|FIRST_NAME] et [AURELIE|FIRST_NAME]",
        "Vu [Lefèvre-Bœuf|LAST_NAME], [LEFEVRE BOEUF|LAST_NAME]",
        "[lefevre|LAST_NAME], [Bœuf|LAST_NAME]",
        "[De la Tour|LAST_NAME] et [DELATOUR|LAST_NAME]; madame [Tour|LAST_NAME]",
        "[O’BRIEN|LAST_NAME] [obrien|LAST_NAME] [O Brien|LAST_NAME]",
        "[Re\u0301mi|FIRST_NAME] et [REMI|FIRST_NAME], [Au\u00adrelie|FIRST_NAME]",
        "[Bœu-\nf|LAST_NAME] est venu",
        "vit [rue des Lilas|STREET] [75012|ZIP]; [rue des Lilas|STREET] 12 34 56",
        "le 29-08-93\n[rue des Lilas|STREET], le 29/08/93 [rue des Lilas|STREET]",
        "le nom coupé [Mar-\ntin|LAST_NAME] et [M A R T I N|LAST_NAME], [R É M I|FIRST_NAME]",
        # glued words, where the case or a digit tells
        "Dr [MARTIN|LAST_NAME]le 12, 12[MARTIN|LAST_NAME], le[MARTIN|LAST_NAME]",
        "[Remi|FIRST_NAME][Martin|LAST_NAME]_[MARTIN|LAST_NAME]Chirurgien",
        # no part of a longer word
        "Martinique martinet Jeanne tournevis aureliens smartin",
        "une tour de taille et un tour de garde",
        # values of one or two letters need a title, a cue or a known neighbour
        "Mme [Li|FIRST_NAME] [O'Brien|LAST_NAME] li LI NaLi; Prénom : [LI|FIRST_NAME]",
        # initials beside the family name
        "[J.-P.|FIRST_NAME] [MARTIN|LAST_NAME] / [MARTIN|LAST_NAME] [JP|FIRST_NAME]",
        # addresses
        "vit [rue des Li-\nlas|STREET], [rue des L\u00adi-\nlas|STREET], [Saint-\nDe-\nnis|CITY]",
        "vit [12 bis, rue des Lilas|STREET], [75012|ZIP] [SAINT DENIS|CITY] cedex",
        "[12bis r. des lilas|STREET] [75 012|ZIP] [St-Denis|CITY]; F-[75012|ZIP]",
        "[8 ter rue des Lilas|STREET]; [8 quater, rue des Lilas|STREET]; "
        "[8 b rue des Lilas|STREET]",
        "[JP|FIRST_NAME] [MARTIN|LAST_NAME], [J|FIRST_NAME]-[MARTIN|LAST_NAME], "
        "[MARTIN|LAST_NAME] [J.-P.|FIRST_NAME]",
        "[MARTIN|LAST_NAME] [J P|FIRST_NAME]; [MARTIN|LAST_NAME], [A|FIRST_NAME] est venu",
        "[rue des Lilas|STREET], avenue des Lilas, dose 1.75012, 75012,5 et 750123",
        # numbers
        "[+33 1 44 55 66 77|PHONE] [0033144556677|PHONE]",
        "[(01)44.55.66.77|PHONE] [01-44-55-66-77|PHONE]",
        "[+33(0)144556677|PHONE] [144556677|PHONE] [01/44/55/66/77|PHONE] 0144556678",
        "[80 1234 5678|PATIENT_ID] [8 0 1 2 3 4 5 6 7 8|PATIENT_ID] IPP[8012345678|PATIENT_ID]",
        "[150027511234567|SSN] [1 50 02 75 112 345|SSN]",
        "[12.345.678-z|ID] [12345678 Z|ID] 12345678A",
        "chambre [0042|VISIT_ID], 10042, 00421, 3.0042",
        "écrire à [jp.dupont@example.org|EMAIL], [JP.DUPONT @ EXAMPLE.ORG|EMAIL]",
        # birth dates
        "né le [03/02/1950|BIRTH_DATE] ([3.2.50|BIRTH_DATE]",
        "[3-02-1950|BIRTH_DATE], [1950-02-03|BIRTH_DATE])",
        "[3 février 1950|BIRTH_DATE] [03 FEV. 50|BIRTH_DATE]",
        "[February 3rd, 1950|BIRTH_DATE] 4 février 1950",
        "[3 de febrero de 1950|BIRTH_DATE] [3fev1950|BIRTH_DATE]",
        "[03021950|BIRTH_DATE], [0 3 0 2 1 9 5 0|BIRTH_DATE]",
        "03/02/1951 13/02/1950 30/2/1950 1950 3.2.500 103/02/1950",
    ],
)
def test_known_values_are_found_however_they_are_written(line: str) -> None:
    text, expected = _marked(line)
    found = KnownPatient(JEAN).find(text, lang="fr")
    assert [(text[s:e], label) for s, e, label in found] == [
        (text[s:e], label) for s, e, label in expected
    ]
    assert found == expected


@pytest.mark.parametrize(
    ("record", "line"),
    [
        (
            PatientRecord("1", phones=("+34 612 345 678",)),
            "[612 34 56 78|PHONE] [0034612345678|PHONE]",
        ),
        (
            PatientRecord("1", phones=("(555) 234-9876",)),
            "[+1 555 234 9876|PHONE], [(555) 234.9876|PHONE]",
        ),
        (PatientRecord("1", phones=("(555) 234-9876",)), "call [234-9876|PHONE]"),
        (
            PatientRecord(
                "1", addresses=(Address("1600 Pennsylvania Avenue", "62704-1234", "Springfield"),)
            ),
            "at [1600 Pennsylvania Ave|STREET]., [Springfield|CITY], IL [62704|ZIP]",
        ),
        (
            PatientRecord("1", addresses=(Address("C/ Carmen Romero, 23, 1D", "28035", "Madrid"),)),
            "[Calle Carmen Romero 23|STREET], 1D. [28035|ZIP] [MADRID|CITY]; "
            "[c/ carmen romero|STREET]",
        ),
        (
            PatientRecord("1", family_names=("MÜLLER",)),
            "[Mueller|LAST_NAME] [Muller|LAST_NAME] [MÜLLER|LAST_NAME]",
        ),
        (PatientRecord("1", family_names=("Groß",)), "[GROSS|LAST_NAME] und [Groß|LAST_NAME]"),
        (PatientRecord("1", family_names=("Иванов",)), "[Иванов|LAST_NAME] и [ИВАНОВ|LAST_NAME]"),
        (PatientRecord("1", family_names=("王小明",)), "患者[王小明|LAST_NAME]来"),
        (PatientRecord("1", birth_date=date(1950, 2, 3)), "[02/03/1950|BIRTH_DATE] 02/04/1950"),
    ],
)
def test_other_countries(record: PatientRecord, line: str) -> None:
    text, expected = _marked(line)
    found = KnownPatient(record).find(text)
    assert [(text[s:e], label) for s, e, label in found] == [
        (text[s:e], label) for s, e, label in expected
    ]


PETIT = PatientRecord(
    "1", ("Rose",), ("Petit",), birth_date=date(1950, 12, 31),
    phones=("06 15 08 11 52",), identifiers=(Identifier("PATIENT_ID", "8015081152"),),
)  # fmt: skip
FOLEY = PatientRecord("1", ("Winifred",), ("Foley", "Murphy"))
CONDE = PatientRecord("1", ("Sara",), ("Conde", "De la Torre"))


@pytest.mark.parametrize(
    "line",
    [
        # words of everyday language: a title, a verb, a neighbour, the middle of a sentence
        "1) Petit épanchement, lésion rose et petite. Rose foncé. PETIT BASSIN LIBRE",
        "Mme [[Petit|LAST_NAME]], mme [[petit|LAST_NAME]], NOM DE NAISSANCE : [[PETIT|LAST_NAME]]",
        "[[Rose|FIRST_NAME]] va. [[Rose|FIRST_NAME]], 12 ans, dort. Vue avec [[Rose|FIRST_NAME]].",
        "[[ROSE|FIRST_NAME]] [[PETIT|LAST_NAME]]; [[rose|FIRST_NAME]] [[petit|LAST_NAME]]",
        "écrire à [[rose.petit@exemple.org|EMAIL]], [[rpetit@exemple.org|EMAIL]]",
        "Petit foie, rien d'autre",
        "des petits, une petite, roseP, rpetits",
        "login [[rpetit|USERNAME]], /[[Rpetit|USERNAME]], user [[Rpetit|USERNAME]]",
        # user names and names in one word
        "Login : [[rpetit|USERNAME]], [[rpetit75|USERNAME]], C:\\[[petitr|USERNAME]]",
        "[[ROSE|FIRST_NAME]][[PETIT|LAST_NAME]].pdf, [[petit|LAST_NAME]][[rose|FIRST_NAME]]",
        # initials after a title
        "Mme [[P.|LAST_NAME]] dort. Patiente [[R.|FIRST_NAME]][[P.|LAST_NAME]], Mme P. Durand",
        "Mme [[R.|FIRST_NAME]] [[P.|LAST_NAME]] va bien, M. X. aussi, Mme T. P. non, vitamine P.",
        "Mme P.-L. DURAND, Monsieur P.-L.-M. Masse, M. P.-M Roy; Mme [[P.|LAST_NAME]]-L. dort",
        # digits as recognition reads them
        "IPP [[8O15O81152|PATIENT_ID]], [[80l5 081 152|PATIENT_ID]], tél. [[O6 15 O8 11 52|PHONE]]",
        "né le [[31/12/195O|BIRTH_DATE]], [[3l.12.1950|BIRTH_DATE]], soil 80150811 OO",
        "[[31. Dezember 1950|BIRTH_DATE]], [[31 décembre 50|BIRTH_DATE]], 31. Oktober 1950",
        "[[8015*081~152|PATIENT_ID]], 8015 08 1153",
    ],
)
def test_words_joined_names_initials_and_misread_digits(line: str) -> None:
    assert detected(KnownPatient(PETIT).detect, line) == line


@pytest.mark.parametrize(
    "line",
    [
        "Foley catheter in place, sonde de Foley, Murphy sign negative, signe de Murphy",
        "Mrs [[Foley|LAST_NAME]] and [[Winifred|FIRST_NAME]] [[Murphy|LAST_NAME]] left",
        "seen with [[Murphy|LAST_NAME]] today",
    ],
)
def test_eponyms_are_no_names_where_a_disease_or_a_sign_is_meant(line: str) -> None:
    assert detected(KnownPatient(FOLEY).detect, line) == line


def test_two_family_names_of_words_prove_each_other() -> None:
    line = "Dña. [[CONDE|LAST_NAME]] [[DE LA TORRE|LAST_NAME]] llegó; la torre del conde"
    assert detected(KnownPatient(CONDE).detect, line) == line


def test_a_name_goes_on_in_the_next_line_only_where_the_line_is_full() -> None:
    known = KnownPatient(PatientRecord("1", ("Maite",), ("Peña", "Cabeza")))
    line = "Acude acompañada de toda su familia y también de su hija [[Maite|FIRST_NAME]]\n"
    line += "[[Cabeza|LAST_NAME]] (691)"
    assert detected(known.detect, line) == line
    line = "Sra. [[Peña|LAST_NAME]]\nCabeza y cuello normales"
    assert detected(known.detect, line) == line


@pytest.mark.parametrize("before", ["n° ", "nº", "No. ", "n ", "ID ", "IPP : ", "# ", "numéro "])
def test_short_numbers_need_a_word_before(before: str) -> None:
    known = KnownPatient(PatientRecord("1", identifiers=(Identifier("ID", "731"),)))
    assert known.find(f"{before}731") == [(len(before), len(before) + 3, "ID")]
    assert known.find("chambre 731, 731 mg, 1731, lit 7-31") == []


@pytest.mark.parametrize("code", ["+41", "0041", "+41 (0)", "352", "+212 0", "0"])
def test_country_codes_belong_to_a_number(code: str) -> None:
    known = KnownPatient(PatientRecord("1", phones=("022 715 81 15",)))
    assert known.find(f"tel {code}22 715 81 15") == [(4, len(code) + 16, "PHONE")]


def test_the_month_comes_first_only_where_the_language_allows_it() -> None:
    known = KnownPatient(PatientRecord("1", birth_date=date(1950, 2, 3)))
    assert known.find("02/03/1950", lang="en") == [(0, 10, "BIRTH_DATE")]
    assert known.find("02/03/1950", lang="fr") == []


def test_detect_adds_what_is_known_of_the_note() -> None:
    document = Document(
        "n1",
        "Vu par le Pr. K. Żółtowska-Ngo, séjour 55-1234-9.",
        lang="fr",
        clinicians=(PersonName(("Katarzyna",), ("Zoltowska-Ngo",)),),
        identifiers=(Identifier("VISIT_ID", "5512349"),),
    )
    found = [
        (document.text[span.start : span.end], span.label, span.detector)
        for span in KnownPatient(JEAN).detect(document)
    ]
    assert found == [
        ("K.", "FIRST_NAME", "known.clinicians"),
        ("Żółtowska-Ngo", "LAST_NAME", "known.clinicians"),
        ("55-1234-9", "VISIT_ID", "known.identifiers"),
    ]


def test_values_appear_in_no_repr_and_no_pickle() -> None:
    known = KnownPatient(JEAN)
    shown = repr(known) + repr(variants(JEAN)) + repr(JEAN)
    for value in ("tour", "lilas", "8012345678", "dupont", "1950", "aurelie"):
        assert value not in fold(shown)
    with pytest.raises(TypeError):
        pickle.dumps(known)


def test_an_empty_record_finds_nothing() -> None:
    assert KnownPatient(PatientRecord("1")).find("Jean Dupont, né le 03/02/1950") == []
    odd = PatientRecord(
        "1", ("", "-"), ("'",), phones=("x",), emails=("@",), identifiers=(Identifier("ID", "/"),)
    )
    assert KnownPatient(odd).find("Jean - ' x @ / Dupont") == []


# --- 200 made-up patients, each value written in many ways by other means than the rules' own ---

GIVEN = (
    "Anaëlle Bérengère Côme Dorothée Élie François Gaëtan Hélène Inès José Kévin Loïc Zoé".split()
)
FAMILY = (
    "Ésquivel Gütermann Ñúñez Lefrançois Delacroix Wójcik Quémener Ibáñez Brückner Vasconcélos"
).split()
STREETS = (
    "rue des Érables|avenue Gabriel Péri|boulevard Saint-Michel|allée du Clos-Fleuri"
    "|chemin des Écoliers"
).split("|")
CITIES = "Montreuil-sous-Bois|Évry|Le Puy-en-Velay|Châlons|L'Haÿ-les-Roses".split("|")


def _patient(seed: int) -> PatientRecord:
    rng = random.Random(seed)
    suffix = "abcdefghij"[seed % 10] * 2
    family = rng.choice(FAMILY) + suffix + "-" + rng.choice(FAMILY)
    phone = "0" + "".join(rng.choice("123456789") for _ in range(9))
    return PatientRecord(
        person_id=str(seed),
        given_names=(rng.choice(GIVEN) + "-" + rng.choice(GIVEN),),
        family_names=(family,),
        birth_date=date(rng.randint(1925, 2019), rng.randint(1, 12), rng.randint(1, 28)),
        addresses=(
            Address(
                f"{rng.randint(1, 250)} {rng.choice(STREETS)}",
                str(rng.randint(10000, 95999)),
                rng.choice(CITIES),
            ),
        ),
        phones=(phone,),
        emails=(f"a{seed}.b@exemple.fr",),
        identifiers=(
            Identifier("PATIENT_ID", "8" + "".join(rng.choice("0123456789") for _ in range(9))),
        ),
    )


def _bare(value: str) -> str:
    decomposed = unicodedata.normalize("NFD", value)
    return "".join(char for char in decomposed if not unicodedata.combining(char))


WRITINGS: tuple[Callable[[str], str], ...] = (
    str,
    str.upper,
    str.lower,
    str.title,
    _bare,
    lambda value: _bare(value).upper(),
    lambda value: unicodedata.normalize("NFD", value),
    lambda value: value.replace("-", " "),
    lambda value: value.replace(" ", "-"),
    lambda value: value.replace("-", "‑"),
    lambda value: value.replace(" ", "\u00a0"),
    lambda value: value.replace("'", "’"),
    lambda value: value.replace("-", "").replace(" ", ""),
    lambda value: value.replace(" ", "\n"),
)
GROUPS: tuple[Callable[[str], str], ...] = (
    str,
    " ".join,
    lambda digits: ".".join(re.findall("..?", digits)),
    lambda digits: "-".join(re.findall(".{1,3}", digits)),
    lambda digits: " ".join(re.findall("..?", digits)),
)


def _mentions(record: PatientRecord) -> list[str]:
    address = record.addresses[0]
    words = (*record.given_names, *record.family_names, address.street, address.city)
    phone = record.phones[0]
    born = record.birth_date
    assert born is not None
    return [
        *(write(value) for value in words for write in WRITINGS),
        *(group(number) for number in (phone, record.identifiers[0].value) for group in GROUPS),
        "+33" + phone[1:], "0033 " + phone[1:], "+33 (0)" + phone[1:],
        record.emails[0], record.emails[0].upper(), address.zip,
        f"{born:%d/%m/%Y}", f"{born:%d.%m.%y}", f"{born.day}-{born.month}-{born.year}",
        born.isoformat(),
    ]  # fmt: skip


def _missed(known: KnownPatient, mentions: list[str]) -> tuple[int, int]:
    wanted = missed = 0
    for mention in mentions:
        text = f"Compte rendu. Le sujet ({mention}) a bien compris."
        covered = {at for s, e, _ in known.find(text, lang="fr") for at in range(s, e)}
        start = text.index(mention)
        wanted += 1
        missed += any(
            at not in covered for at in range(start, start + len(mention)) if text[at].isalnum()
        )
    return wanted, missed


def test_of_200_patients_995_in_1000_mentions_are_found() -> None:
    wanted = missed = 0
    for seed in range(200):
        record = _patient(seed)
        more = _missed(KnownPatient(record), _mentions(record))
        wanted, missed = wanted + more[0], missed + more[1]
    assert wanted > 10_000
    assert missed <= wanted * 0.005


def test_nothing_is_found_where_the_context_is_withheld() -> None:
    stranger = KnownPatient(PatientRecord("0"))
    other = KnownPatient(
        PatientRecord("0", ("Wolfgang",), ("Tchékhovski",), phones=("0655443322",))
    )
    for seed in range(40):
        letter = " ; ".join(_mentions(_patient(seed)))
        assert stranger.find(letter) == []
        assert other.find(letter) == []


def test_the_order_of_a_batch_changes_nothing() -> None:
    records = [_patient(seed) for seed in range(30)]
    letters = [" ; ".join(_mentions(record)) for record in records]
    pairs = list(zip(records, letters, strict=True))
    straight = {record.person_id: KnownPatient(record).find(text) for record, text in pairs}
    shuffled = random.Random(7).sample(pairs, len(pairs))
    assert straight == {
        record.person_id: KnownPatient(record).find(text) for record, text in shuffled
    }


# A name of everyday words alone ("Dead-Dead") is left where nothing says that it is a name.
NAMES = (
    st.text("abcdeéèüßœàçñ", min_size=4, max_size=9)
    .filter(lambda name: not word_rank(fold(name)))
    .map(str.title)
)


@settings(max_examples=60, deadline=None)
@given(
    first=NAMES,
    second=NAMES,
    glue=st.sampled_from(["-", " ", "'", "’", "–", "", "\n", " - "]),
    write=st.sampled_from([str, str.upper, str.lower, _bare]),
    around=st.tuples(
        st.text(" .,;()\n", min_size=1, max_size=3), st.text(" .,;()\n", min_size=1, max_size=3)
    ),
)
def test_a_compound_name_is_covered_whole(
    first: str, second: str, glue: str, write: Callable[[str], str], around: tuple[str, str]
) -> None:
    known = KnownPatient(PatientRecord("1", family_names=(f"{first}-{second}",)))
    mention = write(first + glue + second)
    text = around[0] + mention + around[1]
    covered = {at for s, e, _ in known.find(text) for at in range(s, e)}
    letters = {at for at, char in enumerate(text) if char.isalpha()}
    assert letters <= covered
    assert covered <= set(range(len(around[0]), len(around[0]) + len(mention)))


@settings(max_examples=100, deadline=None)
@given(text=st.text("JeanPulMARTI 0123456789/-.œß\u0301\u00ad\n@'", max_size=80))
def test_spans_lie_within_any_text_in_order_and_none_within_another(text: str) -> None:
    found = KnownPatient(JEAN).find(text)
    assert all(0 <= s < e <= len(text) for s, e, _ in found)
    assert all(a[0] <= b[0] and a[1] < b[1] for a, b in pairwise(found))


@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 500))
def test_every_word_form_finds_itself(seed: int) -> None:
    record = _patient(seed)
    known = KnownPatient(record)
    for form in variants(record):
        if form.match is Match.WORDS:
            assert known.find(f"({form.form})")[0][:2] == (1, 1 + len(form.form))


@pytest.mark.parametrize(
    "block",
    [
        *("1 ", "a-", "Jean ", "rue des ", "12 bis ", "J. ", "03/02/", "01 44 ", "rose ", "Petit "),
        *(
            "Rose. ",
            "rpetit@",
            "rose@x.fr ",
            "O6 15 O8 11 52 ",
            "8O15O81152",
            "a b ",
            "Pteit ",
            "-\n",
        ),
        *("R. P. ", "31 décembre ", "Mme P. ", "œ", "8", "petitr ", "A'", "Petti-Rsoe "),
    ],
)
def test_work_grows_with_the_text_and_no_faster(block: str) -> None:
    for known in (KnownPatient(JEAN), KnownPatient(PETIT)):
        assert growth(partial(known.find, misspelt=True), block, 2000) < MOST


@pytest.mark.parametrize("broken", ["-\n", "- \n", "-\r\n", "- \r\n", "-\t\n", "‐\n", "\u00ad\n"])
def test_words_that_a_hyphen_breaks_over_two_lines_are_rejoined(broken: str) -> None:
    text = f"Signé.-\nVu par Mar{broken}tin - Lyon"
    first, second = views(text)
    at = second.folded.index("martin")
    start, end = second.span(at, at + len("martin"))
    assert text[start:end] == f"Mar{broken}tin"
    assert first.whole and not second.whole


@pytest.mark.parametrize(
    ("street", "line", "lang"),
    [
        ("Ayoubring 5", "geb. 29-08-93\n[Ayoubring 5|STREET], Zwolle", "nl"),
        ("rue du 8 mai 1945", "vit [12 rue du 8 mai 1945|STREET], seul", "fr"),
    ],
)
def test_a_street_takes_its_number_and_no_part_of_a_date(street: str, line: str, lang: str) -> None:
    marked = re.fullmatch(r"(.*)\[(.*)\|STREET\](.*)", line, re.DOTALL)
    assert marked
    record = PatientRecord(person_id="1", addresses=(Address(street=street),))
    text = "".join(marked.groups())
    found = KnownPatient(record).detect(Document("n", text, "1", lang))
    assert [text[span.start : span.end] for span in found if span.label == "STREET"] == [marked[2]]
