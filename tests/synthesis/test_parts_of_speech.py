"""Parts of speech by pipelines and by lists, and medical words by lists, endings and pipelines."""

from importlib.util import find_spec
from pathlib import Path
from typing import cast

import pytest
import spacy
from spacy.pipeline import AttributeRuler, EntityRuler

from pipeline.synthetic.letter_masking import DRUG, TERM, Terms
from record.document import Document
from record.errors import ConfigError
from synthesis.masking import words_of
from synthesis.parts_of_speech import (
    CONTENT,
    PACKAGED,
    EntityTagger,
    PartOfSpeechTagger,
    PipelineTagger,
    make_tagger,
)

FRENCH = "La patiente présente une pneumonie à 39,5 °C depuis hier."


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A pipeline that calls some words what they are."""
    pipeline = spacy.blank("fr")
    rules = cast(EntityRuler, pipeline.add_pipe("entity_ruler"))
    rules.add_patterns([{"label": "PROBLEM", "pattern": "pneumonie"}])
    attributes = cast(AttributeRuler, pipeline.add_pipe("attribute_ruler"))
    attributes.add([[{"LOWER": "présente"}]], {"POS": "VERB"})
    attributes.add([[{"LOWER": "patiente"}]], {"POS": "NOUN"})
    pipeline.to_disk(made := tmp_path_factory.mktemp("pipeline"))
    return made


def parts(tagger: PartOfSpeechTagger, *texts: str) -> list[list[str]]:
    return list(map(list, tagger.parts(texts, [words_of(text) for text in texts])))


@pytest.mark.parametrize("lang", ["fr", "", "xx"])
def test_without_a_pipeline_words_that_are_no_function_words_are_content(lang: str) -> None:
    tagger = make_tagger(lang, {})
    found = parts(tagger, FRENCH, "")
    words = [FRENCH[start:end] for start, end in words_of(FRENCH)]
    content = [word for word, part in zip(words, found[0], strict=True) if part == CONTENT]
    assert content == ["patiente", "présente", "pneumonie", "hier"] or lang == "xx"
    assert found[1] == [] and tagger.classes == {CONTENT}


def test_a_pipeline_that_is_named_tells_parts_of_our_words(folder: Path) -> None:
    tagger = make_tagger("fr", {"fr": str(folder)})
    first, second = parts(tagger, FRENCH, "Elle présente.")
    words = [FRENCH[start:end] for start, end in words_of(FRENCH)]
    told = {word: part for word, part in zip(words, first, strict=True) if part}
    assert told == {"patiente": "NOUN", "présente": "VERB"} and second[1] == "VERB"


@pytest.mark.skipif(not find_spec(PACKAGED["en"]), reason="an extra")
def test_english_has_a_pipeline() -> None:
    tagger = make_tagger("en", {})
    found = parts(tagger, "She takes a small dose, and we gave paracetamol.")[0]
    assert found == [
        "PRON", "VERB", "DET", "ADJ", "NOUN", "PUNCT", "CCONJ", "PRON", "VERB", "NOUN", "PUNCT",
    ]  # fmt: skip
    assert tagger.name == PACKAGED["en"] and {"NOUN", "VERB", "ADJ"} <= tagger.classes


def test_entities_of_a_pipeline_are_medical(folder: Path, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="does not recognize entities"):
        EntityTagger(str(_blank(tmp_path)))
    with pytest.raises(ConfigError, match="does not tag parts of speech"):
        PipelineTagger(str(tmp_path))
    found = EntityTagger(str(folder)).spans([Document("1", FRENCH)])[0]
    assert [(FRENCH[span.start : span.end], span.label) for span in found] == [
        ("pneumonie", "PROBLEM")
    ]


def _blank(folder: Path) -> Path:
    spacy.blank("fr").to_disk(folder)
    return folder


def test_terms_are_drugs_words_of_diseases_and_endings() -> None:
    text = "Paracétamol pour une bronchite; la visite d'un site, puis colectomie. Fibrosis."
    found = {
        text[span.start : span.end]: span.label for span in Terms().spans([Document("1", text)])[0]
    }
    assert found == {
        "Paracétamol": DRUG, "bronchite": TERM, "colectomie": TERM, "Fibrosis": TERM,
    }  # fmt: skip
