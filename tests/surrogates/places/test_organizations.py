"""Organizations keep their kind, and nothing of their name."""

import re
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from record.folding import fold
from record.policy import Policy
from surrogates.dates import dates
from surrogates.keys.keys import CohortKey
from surrogates.patient.patient import Mention, Subject
from surrogates.places import organizations, places

Replace = Callable[..., str]

KINDS = [
    ("fr", "lycée Victor Hugo", r"lycée .+", "victor hugo"),
    ("fr", "École Jules Ferry", r"École .+", "jules ferry"),
    ("fr", "Université de Rennes", r"Université (de |d').+", "rennes"),
    ("fr", "Dupont SARL.", r"[^\W\d_a-z].+ SARL\.", "dupont"),
    ("fr", "ETS MARTIN ET FILS", r"ETS .+ ET FILS", "martin"),
    ("fr", "FC Nantes", r"FC .+", "nantes"),
    ("fr", "Paroisse Saint-Pierre", r"Paroisse .+", "pierre"),
    ("fr", "MAIF", r"Mutuelle .+", "maif"),
    ("fr", "BNP Paribas", r"Banque .+", "bnp paribas"),
    ("fr", "Mairie d'Angers", r"Mairie (de |d').+", "angers"),
    ("en", "Lincoln Elementary School", r".+ Elementary School", "lincoln"),
    ("en", "University of Leeds", r"University of .+", "leeds"),
    ("en", "Miller Ltd.", r".+ Ltd\.", "miller"),
    ("en", "Smith & Sons", r".+ & Sons", "smith"),
    ("en", "Leeds Rowing Club", r".+ Rowing Club", "leeds"),
    ("en", "St Mary's Church", r".+ Church", "mary"),
    ("en", "Aetna", r".+ Insurance", "aetna"),
    ("en", "Barclays", r".+ Bank", "barclays"),
    ("es", "Colegio San José", r"Colegio .+", "jose"),
    ("es", "Construcciones López S.L.", r"Construcciones .+ S\.L\.", "lopez"),
    ("es", "Club Deportivo Leganés", r"Club Deportivo .+", "leganes"),
    ("es", "Parroquia San Pedro", r"Parroquia .+", "pedro"),
    ("es", "Mapfre", r"Seguros .+", "mapfre"),
    ("de", "Grundschule Am Wald", r"Grundschule .+", "wald"),
    ("de", "Goethe-Gymnasium", r".+-Gymnasium", "goethe"),
    ("de", "Pestalozzischule Köln", r"Schule .+", "pestalozzi koln"),
    ("de", "Müller GmbH", r".+ GmbH", "muller"),
    ("de", "TSV Grünwald", r"TSV .+", "grunwald"),
    ("de", "Kirchengemeinde St. Martin", r"Kirchengemeinde .+", "martin"),
    ("de", "AOK Bayern", r"Krankenkasse .+", "aok bayern"),
    ("de", "Sparkasse Köln", r"Sparkasse .+", "koln"),
    ("nl", "basisschool De Regenboog", r"basisschool .+", "regenboog"),
    ("nl", "Jansen B.V.", r".+ B\.V\.", "jansen"),
    ("nl", "FC Utrecht", r"FC .+", "utrecht"),
    ("nl", "Zilveren Kruis", r"Zorgverzekeraar .+", "zilveren kruis"),
    ("nl", "Montessorischool", r"School .+", "montessori"),
]


@pytest.mark.parametrize(("lang", "text", "kind", "names"), KINDS)
def test_an_organization_keeps_its_kind_and_no_name(
    subject_of: Callable[..., Subject], lang: str, text: str, kind: str, names: str
) -> None:
    for person in map(str, range(12)):
        subject = subject_of(person, locale=lang)
        drawn = organizations.replace(Mention(text, "ORGANIZATION", lang), subject)
        assert re.fullmatch(kind, drawn), drawn
        words = set(re.findall(r"[a-z]+", fold(drawn)))
        assert words.isdisjoint(names.split())
        assert not any(name in fold(drawn) for name in names.split() if len(name) > 4)


def test_an_organization_of_no_known_kind_is_one_of_the_list(
    subject_of: Callable[..., Subject],
) -> None:
    mention, subject = Mention("Michelin", "ORGANIZATION", "fr"), subject_of()
    assert organizations.replace(mention, subject) == places.replace_listed(mention, subject)


def test_a_kind_alone_gets_a_name(replace: Replace) -> None:
    assert replace("École", "ORGANIZATION").startswith("École ")


def test_version_2_draws_from_the_list(cohort: CohortKey) -> None:
    policy, key = Policy(), cohort.under(2).patient("42")
    subject = Subject(key, policy, None, days=dates.shift_days(key, policy.under(2)))
    mention = Mention("lycée Victor Hugo", "ORGANIZATION", "fr")
    assert organizations.replace(mention, subject) == places.replace_listed(mention, subject)


@given(
    st.text("lycée SARLdDuponth-'.&,1 ", min_size=1, max_size=30),
    st.sampled_from(("fr", "en", "es", "de", "nl")),
)
def test_any_text_can_be_an_organization(
    subject_of: Callable[..., Subject], text: str, lang: str
) -> None:
    subject = subject_of(locale=lang)
    mention = Mention(text, "ORGANIZATION", lang)
    assert organizations.replace(mention, subject) == organizations.replace(mention, subject)
