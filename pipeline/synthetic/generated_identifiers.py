"""Opens what fills the identifiers of generated notes: forms and a key, both of their corpus."""

import hashlib
from pathlib import Path

from pipeline.files.pseudonymization import load_policy
from pipeline.synthetic.letter_writing import POLICY
from record.languages import LANGUAGES
from surrogates.keys.keys import CohortKey
from synthesis.identifier_filling import IdentifierFiller, donors_of
from synthesis.prepared_corpus import load_corpus

_PURPOSE = b"generated"


def open_identifier_filler(corpus: Path) -> IdentifierFiller:
    """Open a filler for notes that are generated from a corpus; raises ConfigError.

    Its key is derived from the notes of the corpus, which stay inside: the same corpus gives the
    same surrogates, and nobody else can draw them.
    """
    held = load_corpus(corpus)
    secret = hashlib.blake2b(digest_size=32, person=_PURPOSE)
    for note in held.notes["train"]:
        secret.update(note.marked.encode("utf-8", "replace"))
    notes = [note.annotated for note in held.notes["train"]]
    donors = donors_of(notes, [note.owner for note in held.notes["train"]])
    lang = str(held.manifest["origin"].get("lang") or "")
    policy = load_policy(POLICY, lang if lang in LANGUAGES else "fr")
    return IdentifierFiller(donors, CohortKey(secret.digest()), policy)
