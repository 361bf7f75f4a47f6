"""What a policy keeps is no residue where it kept it; names and numbers are, whatever it says."""

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.night.engine import annotate_note, release_note
from pipeline.notes.detection import KnownPatients
from pipeline.notes.residual_identifiers import check_release
from record.document import Annotated, Document
from record.errors import Unsafe
from record.patient import Address, Identifier, PatientRecord, PersonName
from record.policy import Action, Policy
from record.release import Release
from record.span import Span
from rules.known.known import KnownPatient
from surrogates.keys.keys import MasterKey
from surrogates.rewrite import Rewriter

PATIENT = PatientRecord(
    person_id="42",
    given_names=("Odile",),
    family_names=("WEXLOVITCH",),
    birth_date=date(1950, 2, 3),
    addresses=(Address("12 rue des Lilas", "75012", "Montreuil", "FR"),),
    identifiers=(Identifier("PATIENT_ID", "8012345678"),),
)


def released(text: str, policy: Policy, *labelled: tuple[str, str]) -> str:
    spans = []
    for value, label in labelled:
        start = text.index(value)
        spans.append(Span(start, start + len(value), label))
    annotated = Annotated(Document("n1", text, "42", "fr"), tuple(sorted(spans)))
    rewriter = Rewriter(MasterKey(bytes(range(32))).cohort("c"), policy)
    return release_note(annotated, PATIENT, rewriter, KnownPatients()).text


def keeping(*labels: str) -> Policy:
    return Policy(actions=Policy().actions | dict.fromkeys(labels, Action.KEEP))


def test_a_kept_town_passes_where_it_was_found() -> None:
    text = "Elle habite Montreuil (75012)."
    spans = (("Montreuil", "CITY"), ("75012", "ZIP"))
    assert released(text, keeping("CITY", "ZIP"), *spans) == text
    with pytest.raises(Unsafe, match="residue"):
        released(text, keeping("CITY"), ("Montreuil", "CITY"))
    with pytest.raises(Unsafe, match="residue"):
        released(text, keeping("CITY", "ZIP"), ("75012", "ZIP"))
    with pytest.raises(Unsafe, match="residue"):
        released(text, Policy())


def test_a_kept_birth_date_passes() -> None:
    text = "Née le 03/02/1950."
    assert released(text, keeping("BIRTH_DATE"), ("03/02/1950", "BIRTH_DATE")) == text


@pytest.mark.parametrize(
    ("value", "label"), [("WEXLOVITCH", "LAST_NAME"), ("8012345678", "PATIENT_ID")]
)
def test_a_kept_name_or_number_is_residue(value: str, label: str) -> None:
    with pytest.raises(Unsafe, match="residue"):
        released(f"Vu : {value}.", keeping(label), (value, label))


def test_a_name_hidden_in_a_kept_town_is_residue() -> None:
    with pytest.raises(Unsafe, match="residue"):
        released("Vu à Wexlovitch.", keeping("CITY"), ("Wexlovitch", "CITY"))


def test_first_digits_and_masks_pass() -> None:
    policy = Policy(
        actions=Policy().actions | {"ZIP": Action.GENERALIZE, "CITY": Action.MASK}, zip_digits=2
    )
    text = "Elle habite Montreuil (75012)."
    made = released(text, policy, ("Montreuil", "CITY"), ("75012", "ZIP"))
    assert made == "Elle habite [CITY] (75***)."


# --- what detection leaves, the last look does not excuse ---

BLANC = PatientRecord("42", ("Zébulon",), ("Blanc",))
LAMBERT = PatientRecord("42", ("Olivier",), ("Lambert",))


def unseen(text: str, patient: PatientRecord) -> str:
    """Release a note in which detection has found nothing."""
    annotated = Annotated(Document("n1", text, "42", "fr"), ())
    rewriter = Rewriter(MasterKey(bytes(range(32))).cohort("c"), Policy())
    return release_note(annotated, patient, rewriter, KnownPatients()).text


@pytest.mark.parametrize(
    "text",
    ["Blanc chb 12 : TA 12/7", "BLANC chb 12 : TA 12/7", "Vu Blanc ce matin", "12 blanc : RAS"],
)
def test_an_everyday_word_that_stands_as_the_name_is_residue(text: str) -> None:
    with pytest.raises(Unsafe, match="residue"):
        unseen(text, BLANC)
    # The attack would succeed: nothing else holds the note back.
    assert unseen(text, LAMBERT) == text


def test_a_word_that_nothing_decides_is_quarantined_under_its_own_reason() -> None:
    with pytest.raises(Unsafe, match="known-value-ambiguous"):
        unseen("vu blanc ce jour", BLANC)
    for text in ("Voile blanc du tympan.", "Blanc d'oeuf autorisé.", "Globules blancs 12000"):
        assert unseen(text, BLANC) == text


@pytest.mark.parametrize(
    "written",
    [
        *("Lamber", "Lambertt", "Lamhert", "Lmabert", "L a m b e r t", "Lam\nbert", "L&#97;mbert"),
        *("patientlambert", "Lаmbеrt", "ʟᴀᴍʙᴇʀᴛ", "Lam8ert", "L=61mbert", "Lam\u200bbert"),
    ],
)
def test_a_misspelt_or_damaged_name_is_residue(written: str) -> None:
    with pytest.raises(Unsafe, match="residue"):
        unseen(f"Vu {written} ce matin.", LAMBERT)
    assert unseen(f"Vu {written} ce matin.", BLANC) == f"Vu {written} ce matin."


@pytest.mark.parametrize(
    "text",
    [
        "vu Olivier Lam-      la tension\nbert qui tousse      est normale",
        "la tension\tvu ce jour Lam\nest normale\tbert qui tousse",
        "le coeur      M. Lam-\nla nuit      bert va bien",
    ],
)
def test_a_name_that_is_broken_at_the_edge_of_a_column_is_residue(text: str) -> None:
    with pytest.raises(Unsafe, match="residue"):
        unseen(text, LAMBERT)
    assert unseen(text, BLANC) == text


def test_an_everyday_word_that_is_broken_there_is_refused_as_well() -> None:
    text = "vu le bl-      la tension\nanc ce jour      est normale"
    with pytest.raises(Unsafe, match=r"residue|known-value-ambiguous"):
        unseen(text, BLANC)


def test_a_birth_date_that_is_kept_passes_in_halves() -> None:
    text = "Née le 03/02/      la tension\n1950 à Pau         est normale"
    parts = (("03/02/", "BIRTH_DATE"), ("1950", "BIRTH_DATE"))
    assert released(text, keeping("BIRTH_DATE"), *parts) == text
    with pytest.raises(Unsafe, match="residue"):
        released(text, keeping("BIRTH_DATE"), parts[0])


_BROKEN = (("Wexlo-", "vitch"), ("80123", "45678"), ("03/02/", "1950"), ("le 3", "février 1950"))
_WORDS = st.sampled_from(("le coeur", "la tension", "est", "normale", "Odile", "Montreuil", "vue"))
_LINES = st.lists(_WORDS, min_size=1, max_size=4).map(" ".join)


@given(
    st.sampled_from(_BROKEN), st.lists(_LINES, min_size=4, max_size=4), st.integers(3, 9),
    st.booleans(), st.integers(0, 1000),
)  # fmt: skip
def test_no_value_leaves_with_its_halves_one_below_the_other(
    halves: tuple[str, str], lines: list[str], gutter: int, on_the_left: bool, cohort: int
) -> None:
    first, second = halves
    rows = (f"{lines[0]} {first}", f"{second} {lines[1]}")
    left, right = (rows, tuple(lines[2:])) if on_the_left else (tuple(lines[2:]), rows)
    width = max(map(len, left)) + gutter
    text = "\n".join(f"{one:<{width}}{two}" for one, two in zip(left, right, strict=True))
    known = KnownPatients()
    annotated = annotate_note(Document("n1", text, "42", "fr"), PATIENT, known)
    rewriter = Rewriter(MasterKey(bytes(range(32))).cohort(f"c{cohort}"), Policy())
    try:
        made = release_note(annotated, PATIENT, rewriter, known).text
    except Unsafe:
        return
    above, below = (line.split(" " * gutter)[0 if on_the_left else -1] for line in made.split("\n"))
    assert not (above.rstrip().endswith(first) and below.lstrip().startswith(second))


def _release(surrogate: str) -> Release:
    span = Span(3, 3 + len(surrogate), "LAST_NAME")
    return Release("n1", f"Vu {surrogate} ce matin.", (span,), "key", "policy")


def test_a_surrogate_may_come_close_to_a_name_and_never_spell_it() -> None:
    document = Document("n1", "Vu Martin ce matin.", "42", "fr")
    known = KnownPatient(LAMBERT)
    check_release(_release("Lamberd"), document, known, Policy())
    for surrogate in ("Lambert", "LAMBERT", "L a m b e r t", "Lаmbеrt"):
        with pytest.raises(Unsafe, match="residue"):
            check_release(_release(surrogate), document, known, Policy())


# --- what surrogates avoid ---

# Names that words glued to them make other names of: Jeanne, Marcel, Laurelie, Potiers.
_GLUED = PatientRecord(
    "42",
    ("Jean", "Laure"),
    ("Marc", "Potier"),
    birth_date=date(2023, 2, 15),
    addresses=(Address("3 rue de la Gare", "64000", "Pau", "FR"),),
    relatives=(PersonName(("Daniel", "Michel"), ("Laroche",)),),
)
_MENTIONS = (
    *(("Claudine", "FIRST_NAME"), ("Inès", "FIRST_NAME"), ("Anastasie", "FIRST_NAME")),
    *(("Hoareau", "LAST_NAME"), ("PELLETIER", "LAST_NAME"), ("Cannes", "CITY")),
    *(("69 rue de Bigot", "STREET"), ("CH Louis-Gantier", "HOSPITAL")),
)


@given(st.integers(0, 100_000), st.sampled_from(("Dr", "IDE", "Mme", "à", "de")))
def test_no_surrogate_is_taken_for_a_known_value(cohort: int, cue: str) -> None:
    text = "".join(f"{cue} {value}, vu. " for value, _ in _MENTIONS)
    spans = []
    for value, label in _MENTIONS:
        start = text.index(value)
        spans.append(Span(start, start + len(value), label))
    annotated = Annotated(Document("n1", text, "42", "fr"), tuple(spans))
    rewriter = Rewriter(MasterKey(bytes(range(32))).cohort(f"c{cohort}"), Policy())
    release_note(annotated, _GLUED, rewriter, KnownPatients())


def test_a_house_number_behind_a_birth_year_is_no_day_of_birth() -> None:
    record = PatientRecord("42", birth_date=date(1948, 6, 5))
    for cohort in range(300):
        rewriter = Rewriter(MasterKey(bytes(range(32))).cohort(f"c{cohort}"), Policy())
        annotated = Annotated(
            Document("n1", "64 avenue Leblanc", "42", "fr"), (Span(0, 17, "STREET"),)
        )
        made = release_note(annotated, record, rewriter, KnownPatients()).text
        assert made.split()[0] not in ("65", "56")
