"""A spaCy component: `nlp.add_pipe("cryptonym")` puts identifiers into `doc.spans["cryptonym"]`."""

from typing import Any

from spacy.language import Language
from spacy.tokens import Doc
from spacy.tokens import Span as TokenSpan

from cryptonym.detector import Detector
from record.errors import Refused
from record.span import Span

NAME = "cryptonym"


@Language.factory(NAME, default_config={"options": {}})
class SpacyComponent:
    """Finds identifiers in documents; `options` are those of `Detector`.

    The language is that of the pipeline. A span grows to whole tokens, never less than was found.
    Raises Refused, without text.
    """

    def __init__(self, nlp: Language, name: str, options: dict[str, Any]) -> None:
        self.name = name
        self._detector = Detector(**{"lang": nlp.lang, **options})

    def __call__(self, doc: Doc) -> Doc:
        """Return the document with its identifiers."""
        found = self._detector.detect(doc.text)
        doc.spans[self.name] = [_to_tokens(doc, span) for span in found]
        return doc


def _to_tokens(doc: Doc, span: Span) -> TokenSpan:
    grown = doc.char_span(span.start, span.end, label=span.label, alignment_mode="expand")
    if grown is None:
        raise Refused("spacy", "Unsafe", "no-tokens")
    return grown
