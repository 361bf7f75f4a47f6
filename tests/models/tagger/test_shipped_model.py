import pytest

from models.tagger.runtime import Tagger
from models.tagger.shipped_model import SHIPPED, digest, folder_of
from record.document import Document
from record.errors import ConfigError
from record.label import Label
from record.policy import Policy

NOTES = (
    ("fr", "La voisine, Mathilde Gourvennec, a appelé le 12/03/2024 pour avoir des nouvelles.\n",
     ("Mathilde", "Gourvennec", "12/03/2024")),
    ("en", "Her neighbour Rosalind Thackeray called on 12 March 2024 to ask about the results.\n",
     ("Rosalind", "Thackeray", "12 March 2024")),
    ("es", "Su vecina Leocadia Mondragón llamó el 12 de marzo de 2024 para preguntar por ella.\n",
     ("Leocadia", "Mondragón", "12 de marzo de 2024")),
)  # fmt: skip


@pytest.fixture(scope="module")
def tagger() -> Tagger:
    return Tagger.load(SHIPPED)


def test_every_label_has_a_surrogate_and_a_meaning(tagger: Tagger) -> None:
    assert set(tagger.labels) <= set(Label)
    assert all(Policy().action(label) is not None for label in tagger.labels)


@pytest.mark.parametrize(("lang", "text", "values"), NOTES, ids=[lang for lang, _, _ in NOTES])
def test_people_whom_nothing_announces_are_found(
    tagger: Tagger, lang: str, text: str, values: tuple[str, ...]
) -> None:
    (spans,) = tagger.spans([Document("1", text, lang=lang)])
    covered = {at for span in spans for at in range(span.start, span.end)}
    for value in values:
        start = text.index(value)
        letters = {at for at in range(start, start + len(value)) if text[at].isalnum()}
        assert letters <= covered, value
    assert len(covered) < len(text) / 2


def test_it_is_small_enough_to_ship() -> None:
    assert sum(path.stat().st_size for path in SHIPPED.iterdir()) <= 60_000_000
    assert (SHIPPED / "MODEL_CARD.md").is_file()


def test_its_digest_is_that_of_its_settings() -> None:
    assert digest(folder_of("default")) == digest(SHIPPED)
    with pytest.raises(ConfigError, match=r"tagger\.json"):
        digest(SHIPPED.parent)
