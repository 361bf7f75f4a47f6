"""The passages of a prepared corpus: what no synthetic note may share with few patients' notes."""

from evaluation.attacks.passages import PASSAGE, PassageIndex, views
from synthesis.corpus_splitting import SPLITS
from synthesis.prepared_corpus import Corpus


def passage_index(corpus: Corpus, words: int = PASSAGE) -> PassageIndex:
    """Index the notes of all patients of a corpus: those of held-out parts are as private.

    Notes without a patient count as one patient's, so that what they share is nobody's phrase only
    where enough known patients have it as well.
    """
    notes = [note for split in SPLITS for note in corpus.notes[split]]
    read = [views(note.annotated) for note in notes]
    return PassageIndex(read, [note.patient for note in notes], length=words)
