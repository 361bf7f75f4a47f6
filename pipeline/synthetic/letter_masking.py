"""Masks the letters of a corpus: decides, with taggers, on every word whether it stays.

Where no tagger for medicine is given, words of medicine are told by lists and endings alone.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, islice
from pathlib import Path
from typing import Any

from evaluation.attacks.own_passages import OwnPassages
from models.tagger.runtime import Tagger
from models.tagger.shipped_model import folder_of
from pipeline.config.progress import Progress
from pipeline.synthetic.corpus_letters import read_letters, with_own
from pipeline.synthetic.corpus_passages import passage_index
from record.document import Annotated, Document
from record.errors import ConfigError
from record.folding import fold
from record.span import Span
from record.tokens import is_break, tokens
from rules.matching.lexicon import term_kind
from synthesis.corpus_splitting import SPLITS
from synthesis.masked_letters import require_empty, save_letters
from synthesis.masking import MaskedDocument, Masking, MedicalTagger, mask, words_of
from synthesis.parts_of_speech import CONTENT, EntityTagger, make_tagger
from synthesis.prepared_corpus import digest, load_corpus

DETECTOR = "terms"

DRUG, TERM = "DRUG", "TERM"
"""The classes: names of drugs, and words of diseases, tests and operations."""

_LEAST = 7  # letters of a word whose ending tells that it is one of medicine
_ENDINGS = re.compile(
    r"(?:ites?|itis|oses?|osis|emies?|emias?|algies?|algias?|pathies?|patias?|pathy|ectomies?"
    r"|ectomias?|ectomy|scopies?|scopias?|scopy|graphies?|grafias?|graphy|plegies?|plegias?"
    r"|plasties?|plastias?|plasty|omes?|omas?|uries?|urias?|uria|grammes?|gramas?)$"
)


class Terms:
    """Finds single words: drugs and terms of a list that is mostly English, and Greek endings.

    It knows no entity of several words. Where more is to be protected, train a tagger.
    """

    def spans(self, documents: Sequence[Document]) -> list[list[Span]]:
        """Find the words of each document."""
        return [_words(document.text) for document in documents]


def _words(text: str) -> list[Span]:
    found = []
    for start, end in tokens(text):
        if is_break(text, (start, end)):
            continue
        word = fold(text[start:end])
        kind = term_kind(word)
        if "d" in kind:
            found.append(Span(start, end, DRUG, DETECTOR))
        elif "t" in kind or (
            len(word) >= _LEAST and (word.isalpha() and _ENDINGS.search(word) is not None)
        ):
            found.append(Span(start, end, TERM, DETECTOR))
    return found


_SPEECH = ("NOUN", "VERB", "ADJ")
_TOGETHER = 64  # letters that taggers see at once


@dataclass(frozen=True)
class MaskingRequest:
    """A corpus, where the masked letters go, and how much is masked of what.

    `share` is how many of the nouns, verbs and adjectives are masked; `speech` names other shares
    by part of speech, `medical` the shares of medical words to *keep* by class. `pipelines` names
    a spaCy pipeline for a language; `medical_model` (a tagger) and `medical_pipeline` (of spaCy)
    find medical entities beside the lists. `slots` and `seed` are those of `Masking`.
    """

    corpus: Path
    out: Path
    share: float = 0.7
    speech: Mapping[str, float] = field(default_factory=dict)
    pipelines: Mapping[str, str] = field(default_factory=dict)
    medical: Mapping[str, float] = field(default_factory=dict)
    medical_model: str | None = None
    medical_pipeline: str | None = None
    slots: int = 0
    seed: int = 1


def mask_corpus(request: MaskingRequest, progress: Progress) -> dict[str, Any]:
    """Mask the letters of the train part of a corpus; returns the manifest that was written.

    Raises ConfigError where the folder is in use, or where nothing tells a part of speech that a
    share is given for.
    """
    require_empty(request.out)
    corpus = load_corpus(request.corpus)
    progress.phase("loading")
    letters = read_letters(corpus, SPLITS[0])
    masker = LetterMasker(request, sorted({letter.document.lang for letter in letters}))
    progress.phase("indexing passages")
    passages = OwnPassages(passage_index(corpus)).to_bytes()
    progress.phase("masking")
    about = {
        "corpus_sha256": digest(request.corpus),
        "origin": corpus.manifest["origin"],
        "masking": masker.settings(),
    }
    masked = masker.mask(with_own(letters), len(letters), progress)
    return save_letters(masked, request.out, about, passages)


class LetterMasker:
    """Shares of words to mask, with taggers of parts of speech by language and medical taggers.

    Raises ConfigError where no tagger of a language tells a part of speech that a share is for.
    """

    def __init__(self, request: MaskingRequest, langs: Sequence[str]) -> None:
        self._taggers = {lang: make_tagger(lang, request.pipelines) for lang in langs}
        for lang, tagger in self._taggers.items():
            if unknown := sorted(set(request.speech) - tagger.classes - {CONTENT}):
                language = lang or "unknown language"
                problem = f"no tagger tells {unknown[0]} in letters in {language}"
                remedy = f"give --pipeline {lang or 'fr'}=NAME, or {CONTENT}=0.7"
                raise ConfigError("--speech", problem, remedy)
        self._medical: list[tuple[str, MedicalTagger]] = [("terms", Terms())]
        if request.medical_model is not None:
            model = Tagger.load(folder_of(request.medical_model))
            self._medical.append((request.medical_model, model))
        if request.medical_pipeline is not None:
            pipeline = EntityTagger(request.medical_pipeline)
            self._medical.append((request.medical_pipeline, pipeline))
        shares = request.speech or dict.fromkeys((*_SPEECH, CONTENT), request.share)
        self._masking = Masking(shares, request.medical, request.slots, request.seed)

    def mask(
        self, letters: Iterator[Annotated], planned: int, progress: Progress
    ) -> Iterator[MaskedDocument]:
        """Mask letters, several at a time, since taggers are faster in batches."""
        done = 0
        while several := list(islice(letters, _TOGETHER)):
            documents = [letter.document for letter in several]
            # Of entities that overlap the last one wins: what was learnt, over the lists.
            found = [tagger.spans(documents) for _, tagger in self._medical]
            medical = [list(chain(*each)) for each in zip(*found, strict=True)]
            parts = self._parts_of_speech(documents)
            for letter, terms, speech in zip(several, medical, parts, strict=True):
                yield mask(letter.document, letter.spans, terms, self._masking, speech)
            done += len(several)
            progress.advance(done, planned)

    def _parts_of_speech(self, documents: Sequence[Document]) -> list[Sequence[str]]:
        found: dict[int, Sequence[str]] = {}
        for lang, tagger in self._taggers.items():
            numbers = [n for n, document in enumerate(documents) if document.lang == lang]
            texts = [documents[n].text for n in numbers]
            parts = tagger.parts(texts, [words_of(text) for text in texts])
            found |= dict(zip(numbers, parts, strict=True))
        return [found[number] for number in range(len(documents))]

    def settings(self) -> dict[str, Any]:
        """Return what decides on a word, for the manifest."""
        return {
            "speech": dict(self._masking.speech),
            "medical": dict(self._masking.medical),
            "slots": self._masking.slots,
            "seed": self._masking.seed,
            "taggers": {lang: tagger.name for lang, tagger in self._taggers.items()},
            "medical_taggers": [name for name, _ in self._medical],
        }
