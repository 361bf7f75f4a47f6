"""The demonstration of synthetic notes: register notes, released, filled anew, and judged twice."""

import hashlib
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from difflib import SequenceMatcher
from pathlib import Path
from time import monotonic
from typing import Any

from evaluation.gate_case import GateCase, write_measurements
from pipeline.config.progress import Progress
from pipeline.config.settings import load
from pipeline.config.signing import public_key_of, sign_content, sign_statement
from pipeline.notes.worker_resources import (
    make_seal,
    open_master,
    resolve_urls,
    with_id_bits,
)
from pipeline.release.released_notes import ReleaseLocation, open_release
from pipeline.reports.gate_report import report_bytes, write_gate
from pipeline.state.ledger import open_state
from pipeline.synthetic.batch_work import Work
from pipeline.synthetic.corpus_preparation import CorpusRequest, prepare_corpus
from pipeline.synthetic.filler_training import FillerRequest, train_filler
from pipeline.synthetic.letter_filling import FillRequest, fill_letters
from pipeline.synthetic.letter_masking import MaskingRequest, mask_corpus
from pipeline.synthetic.measurements.copy_filter import filter_copies
from pipeline.synthetic.measurements.decision import GateRequest, judge_notes
from pipeline.synthetic.measurements.fluency import FLUENCY, FluencyRequest, measure_reading
from pipeline.synthetic.measurements.letter_comparison import (
    DEMO,
    ComparisonRequest,
    compare_letters,
)
from pipeline.synthetic.measurements.screening import SCREEN, screen_notes
from pipeline.synthetic.measurements.tagger_utility import UtilityRequest, measure_utility
from record.atomic_write import OWNER_FILE, make_folders, write_atomically
from record.document import Annotated
from record.errors import ConfigError
from record.span import Span
from surrogates.keys.keys import MasterKey
from synthesis.filling_files import Cohort

GOLD = "gold.jsonl"
"""What the authors marked, as it stands in the released notes; scores the masking.

The authors are language models: a demonstration's answer, and no person's."""

DEMO_RELEASE = "RELEASE (demo)"
"""The verdict where every requirement is met: who annotated the letters is no person."""

TRUTH, KEY_FILE = "truth.jsonl", "master.key"
"""The annotations and the key of the demonstration's hospital."""

COHORT = "study"
"""The cohort of the demonstration's configuration that notes are released for."""

_FILLER = {"width": 128, "layers": 2, "heads": 4, "length": 128, "epochs": 6, "rate": 0.002}
_ENCODERS = ("e5-small", "e5-small-6")
_ENCODER_FILLER = {"length": 128, "epochs": 2, "rate": 1e-4}
_SHARE, _WINDOW, _BATCH = 0.5, 128, 32
_LEAST_SAME = 0.9
_WORD = re.compile(r"\w+|\W")
_ENCODER, _SEEDS, _EPOCHS, _RATE = "tiny-1x64", 5, 6, 0.004


@dataclass(frozen=True)
class DemoCase:
    """Letters to make and to judge: their name, and among how many words each word is drawn."""

    name: str
    top_k: int


CASES = (DemoCase("drawn", 100_000), DemoCase("likeliest", 1))
"""The same masked letters, filled with words that are drawn, and with the likeliest words."""


@dataclass(frozen=True)
class RegisterDemoRequest:
    """The configuration of a hospital of register notes, whose cohort is released, and what for.

    `epochs` bounds the training of each tagger of the utility measurement (default 6).
    """

    config: Path
    lang: str
    seed: int = 1
    epochs: int | None = None
    workers: int = 1
    cases: tuple[DemoCase, ...] = CASES
    filler: Mapping[str, float | str] = field(default_factory=lambda: dict(_FILLER))


@dataclass(frozen=True)
class JudgedCase:
    """A case with its verdict, the folder of its report, and what each step took in seconds."""

    case: DemoCase
    judged: GateCase
    report: Path
    seconds: Mapping[str, float]


def write_released_gold(config: Path, out: Path) -> int:
    """Write the authors' annotations of the released notes; returns how many notes have them.

    Nothing of the detection decides what is marked: a slot that was found stands where its
    surrogate does, one that was missed where its text still is. A note is left out that has other
    surrogates than spans were found.
    """
    settings = load(config)
    master = open_master(settings)
    seal = make_seal(master)
    cohort = with_id_bits(master.cohort(COHORT), settings.make_policy())
    place = settings.base / (settings.cohorts[COHORT].output or "").split(":", 1)[1]
    released = {
        note.document.note_id: note for note in open_release(ReleaseLocation(str(place))).notes()
    }
    state = open_state(resolve_urls(settings).state, settings.base)
    try:
        with (settings.base / TRUTH).open(encoding="utf-8") as lines:
            notes = [json.loads(line) for line in lines]
        kept = state.read_sealed([int(note["note_id"]) for note in notes])
    finally:
        state.close()
    rows = []
    for note in notes:
        number = int(note["note_id"])
        sealed, made = kept.get(number), released.get(str(cohort.pseudonym("note", str(number))))
        if sealed is None or made is None:
            continue
        found = seal.open_findings(sealed.version, sealed.sealed).spans["text"]
        gold = [Span(each["start"], each["end"], each["label"]) for each in note["spans"]]
        moved = move_spans(note["text"], gold, sorted(found), made)
        if moved is not None:
            rows.append(_to_row(made, moved))
    content = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    write_atomically(out, content.encode("utf-8"), mode=OWNER_FILE)
    return len(rows)


def _to_row(made: Annotated, spans: list[Span]) -> dict[str, object]:
    marked = [{"start": each.start, "end": each.end, "label": each.label} for each in spans]
    document = made.document
    told = {"note_id": document.note_id, "text": document.text, "spans": marked}
    return {**told, "annotator": DEMO}


def move_spans(
    text: str, gold: list[Span], found: list[Span], made: Annotated
) -> list[Span] | None:
    """Return the spans of a text as they stand in its release; None where the two do not match.

    `found` are the spans that were replaced, in order; `made` has their surrogates. A release may
    differ outside of these as well: an article fits the surrogate behind it, and the time of a day
    goes with a date. A span of which nothing is left there is left out. Texts of which more than a
    tenth changed there do not match.
    """
    surrogates = sorted(made.spans)
    if len(surrogates) != len(found):
        return None
    released = made.document.text
    pieces = list(_pair_pieces(text, found, released, surrogates))
    stayed = sum(each.end - each.start for each in pieces if each.is_same)
    around = [_length_around(text, found), _length_around(released, surrogates)]
    if stayed < _LEAST_SAME * max(around):
        return None
    moved = (
        (_move_start(each.start, pieces), _move_end(each.end, pieces), each.label) for each in gold
    )
    return [Span(start, end, label) for start, end, label in moved if start < end]


def _length_around(text: str, spans: Iterable[Span]) -> int:
    return len(text) - sum(each.end - each.start for each in spans)


@dataclass(frozen=True, slots=True)
class _Piece:
    """A piece of a text, and where the release has it; `is_same` if it has it as it was."""

    start: int
    end: int
    made_start: int
    made_end: int
    is_same: bool


def _pair_pieces(
    text: str, found: Sequence[Span], made: str, surrogates: Sequence[Span]
) -> Iterator[_Piece]:
    """Pair the pieces of a text with those of its release, in order and without a gap."""
    end = at = 0
    for span, surrogate in zip(found, surrogates, strict=True):
        yield from _pair_equal(text, (end, span.start), made, (at, surrogate.start))
        yield _Piece(span.start, span.end, surrogate.start, surrogate.end, is_same=False)
        end, at = span.end, surrogate.end
    yield from _pair_equal(text, (end, len(text)), made, (at, len(made)))


def _pair_equal(
    text: str, place: tuple[int, int], made: str, made_place: tuple[int, int]
) -> Iterator[_Piece]:
    """Pair what stands between two surrogates: characters that stayed, and what did not."""
    (start, end), (at, made_end) = place, made_place
    if text[start:end] == made[at:made_end]:
        yield _Piece(start, end, at, made_end, is_same=True)
        return
    # Whole words: of characters too many stay by chance.
    before, after = _WORD.findall(text[start:end]), _WORD.findall(made[at:made_end])
    for tag, one, other, first, last in SequenceMatcher(
        None, before, after, autojunk=False
    ).get_opcodes():
        length, made_length = len("".join(before[one:other])), len("".join(after[first:last]))
        yield _Piece(start, start + length, at, at + made_length, is_same=tag == "equal")
        start, at = start + length, at + made_length


def _move_start(offset: int, pieces: Sequence[_Piece]) -> int:
    """Return where a slot begins in the release, with the piece that it begins in if it changed."""
    piece = next((each for each in pieces if offset < each.end), pieces[-1])
    return piece.made_start + (offset - piece.start if piece.is_same else 0)


def _move_end(offset: int, pieces: Sequence[_Piece]) -> int:
    piece = next((each for each in pieces if offset <= each.end), pieces[-1])
    return piece.made_end - (piece.end - offset if piece.is_same else 0)


def filler_of(encoder: str) -> dict[str, float | str]:
    """Return the settings of a filler that goes on from an encoder, by name or folder.

    Raises ConfigError for what is neither, before anything is made.
    """
    if encoder not in _ENCODERS and not Path(encoder, "config.json").is_file():
        problem = "neither a known encoder nor the folder of a Hugging Face model"
        raise ConfigError("--encoder", problem, f"choose from {', '.join(_ENCODERS)}, or a folder")
    place = encoder if encoder in _ENCODERS else str(Path(encoder).absolute())
    return {**_ENCODER_FILLER, "encoder": place}


class DemoSteps:
    """The steps from a release to two verdicts, each in a folder of its own beside the hospital."""

    def __init__(self, request: RegisterDemoRequest, work: Work, progress: Progress) -> None:
        self._request = request
        self._work = work
        self._progress = progress
        self._settings = load(request.config)
        self._folder = self._settings.base
        self._master: MasterKey = open_master(self._settings)

    def run(self) -> Iterator[JudgedCase]:
        """Prepare, train and mask once; fill and judge the letters of each case."""
        request, folder = self._request, self._folder
        seconds: dict[str, float] = {}
        corpus, filler, masked = (folder / name for name in ("corpus", "filler", "masked"))
        output = (self._settings.cohorts[COHORT].output or "").split(":", 1)[1]
        with _timed(seconds, "prepare"):
            write_released_gold(request.config, folder / GOLD)
            asked = CorpusRequest(
                [str(folder / output)], corpus, seed=request.seed, lang=request.lang
            )
            prepare_corpus(asked, {}, self._progress)
        with _timed(seconds, "train"):
            changes = {"seed": request.seed, **request.filler}
            train_filler(FillerRequest(corpus, filler, changes), self._progress)
        with _timed(seconds, "mask"):
            mask_corpus(
                MaskingRequest(corpus, masked, share=_SHARE, seed=request.seed), self._progress
            )
        for case in request.cases:
            yield self._judge(case, dict(seconds))

    def _judge(self, case: DemoCase, seconds: dict[str, float]) -> JudgedCase:
        request, place = self._request, self._folder / case.name
        corpus, masked = self._folder / "corpus", self._folder / "masked"
        filled, filtered, report = (place / name for name in ("filled", "filtered", "report"))
        make_folders(place)
        with _timed(seconds, "fill"):
            self._fill(case, filled)
            filter_copies(filled, corpus, filtered, self._progress)
        measured = []

        def save(name: str, content: Mapping[str, Any]) -> None:
            write_measurements(place / name, sign_content(content, self._master))
            measured.append(place / name)

        with _timed(seconds, "compare"):
            asked = ComparisonRequest(
                filtered, masked, self._folder / GOLD, seed=request.seed, is_demo=True
            )
            save("compare.json", compare_letters(asked, self._progress).to_json())
        with _timed(seconds, "screen"):
            screened = screen_notes(filtered, corpus, self._progress, seed=request.seed)
            screened.save_review(place)
            save(SCREEN, screened.to_json())
            reading = FluencyRequest(filtered, corpus, seed=request.seed)
            save(FLUENCY, measure_reading(reading, self._progress))
        with _timed(seconds, "utility"):
            trial = UtilityRequest(
                filtered, corpus, place / "utility", _ENCODER, _SEEDS,
                epochs=request.epochs or _EPOCHS, with_both=False, rate=_RATE,
                shared=self._folder / "taggers",
            )  # fmt: skip
            save("utility.json", measure_utility(trial, self._progress).to_json())
        judged = judge_notes(
            GateRequest(filtered, measured, public_key_of(self._master)),
            today=datetime.now(UTC).date(),
        )
        judged = replace(judged, word=DEMO_RELEASE)
        told = judged.report()
        statement = judged.statement(hashlib.sha256(report_bytes(told)).hexdigest())
        make_folders(report)
        write_gate(report, told, sign_statement(statement, self._master))
        return JudgedCase(case, judged, report / "report.html", seconds)

    def _fill(self, case: DemoCase, filled: Path) -> None:
        request = self._request
        asked = FillRequest(
            model=(self._folder / "filler").absolute(),
            masked=(self._folder / "masked").absolute(),
            out=filled.absolute(),
            batch=_BATCH,
            cohort=Cohort(
                str((self._folder / KEY_FILE).absolute()), f"letters-{case.name}", None, None
            ),
            top_k=case.top_k,
            window=_WINDOW,
            seed=request.seed,
        )
        fill_letters(asked, self._work, [], request.workers, self._progress)


@contextmanager
def _timed(seconds: dict[str, float], step: str) -> Iterator[None]:
    started = monotonic()
    yield
    seconds[step] = round(monotonic() - started, 1)
