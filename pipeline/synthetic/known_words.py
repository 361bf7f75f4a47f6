"""Words that generated notes may hold outside of identifiers: of a list, or of many patients."""

from collections import defaultdict
from pathlib import Path

from evaluation.utility.fluency import words_outside
from pipeline.files.word_lists import load_words
from synthesis.prepared_corpus import load_corpus

LEAST_PERSONS = 5
"""Patients whose notes have a word that no list has: fewer may be told by it."""


def find_known_words(named: str, corpus: Path) -> frozenset[str]:
    """Return the words of a list, and those in training notes of at least `LEAST_PERSONS` patients.

    `named` is a file with one word a line or a language of wordfreq. All are in small letters.
    Raises ConfigError.
    """
    owners: defaultdict[str, set[str]] = defaultdict(set)
    for note in load_corpus(corpus).notes["train"]:
        for word in words_outside(note.annotated):
            owners[word].add(note.owner)
    common = (word for word, theirs in owners.items() if len(theirs) >= LEAST_PERSONS)
    return load_words(named, "--known-words").union(common)
