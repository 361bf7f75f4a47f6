"""What the tests of this room share: made-up keys and one made-up patient."""

from collections.abc import Callable
from dataclasses import replace as derive
from datetime import date, datetime

import pytest

from record.document import Document
from record.patient import Address, Identifier, PatientRecord, PersonName
from record.policy import Policy
from record.span import Span
from surrogates.dates import dates
from surrogates.keys.keys import CohortKey, MasterKey
from surrogates.patient.patient import Mention, Subject
from surrogates.rewrite import MAKERS

Replace = Callable[..., str]


@pytest.fixture(scope="session")
def master() -> MasterKey:
    return MasterKey(bytes(range(32)))


@pytest.fixture(scope="session")
def cohort(master: MasterKey) -> CohortKey:
    return master.cohort("asthma-2024")


@pytest.fixture(scope="session")
def record() -> PatientRecord:
    return PatientRecord(
        person_id="42",
        given_names=("Jean", "Paul"),
        family_names=("DUPONT",),
        birth_names=("MARTIN",),
        gender="M",
        birth_date=date(1950, 2, 3),
        addresses=(Address("12 rue des Lilas", "75012", "Paris", "FR"),),
        phones=("01 44 55 66 77",),
        emails=("jp.dupont@example.org",),
        identifiers=(Identifier("PATIENT_ID", "8012345678"),),
        relatives=(PersonName(("Marie",), ("LEGRAND",)),),
    )


@pytest.fixture(scope="session")
def subject_of(cohort: CohortKey) -> Callable[..., Subject]:
    return make_subject_of(cohort, Policy())


def make_subject_of(cohort: CohortKey, policy: Policy) -> Callable[..., Subject]:
    """Return a factory of subjects under a policy."""

    def make(
        person: str = "42", *, locale: str = "fr", record: PatientRecord | None = None
    ) -> Subject:
        own = derive(policy, locale=locale)
        key = cohort.patient(person)
        return Subject(key, own, record, days=dates.shift_days(key, own))

    return make


@pytest.fixture(scope="session")
def replace(subject_of: Callable[..., Subject]) -> Replace:
    """Return the surrogate of one mention: replace("DUPONT", "LAST_NAME")."""
    return make_replace(subject_of)


def make_replace(subject_of: Callable[..., Subject]) -> Replace:
    """Return what replaces one mention for a subject of `subject_of`."""

    def made(text: str, label: str, *, subject: Subject | None = None, **context: object) -> str:
        who = subject or subject_of(locale=str(context.get("lang") or "fr"))
        return MAKERS[label](Mention(text, label, **context), who)  # type: ignore[arg-type]

    return made


@pytest.fixture(scope="session")
def marked() -> Callable[..., tuple[Document, tuple[Span, ...]]]:
    """Read a note with its spans marked: `M. [DUPONT|LAST_NAME], 74 ans`."""

    def read(
        text: str, *, lang: str = "fr", note: str = "n1", person: str | None = "42"
    ) -> tuple[Document, tuple[Span, ...]]:
        plain, spans = "", []
        for number, piece in enumerate(text.replace("]", "[").split("[")):
            if number % 2:
                value, label = piece.rsplit("|", 1)
                spans.append(Span(len(plain), len(plain) + len(value), label))
                plain += value
            else:
                plain += piece
        written = datetime(2024, 5, 20, 9, 30)
        return Document(note, plain, person, lang, written), tuple(spans)

    return read
