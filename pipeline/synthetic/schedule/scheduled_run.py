"""Synthetic notes of a cohort's release by schedule: all stages, the gate, and publication."""

import hashlib
import json
import shutil
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from evaluation.gate import Axis, Decision, Verdict
from evaluation.gate_case import GateCase, write_measurements
from models.language.decoding.generation import Decoding
from models.language.training.gpt2_weights import digest as base_digest
from models.language.training.recipe import PRETRAINED, LanguageRecipe, make_recipe
from models.language.training.serialization import digest as model_digest
from models.language.training.training import TRAINING
from pipeline.config.exit_codes import EXIT_DONE, EXIT_GATE
from pipeline.config.progress import Progress
from pipeline.config.settings import (
    Settings,
    SynthesisSettings,
    check_options,
    load,
    resolve_url,
)
from pipeline.config.signing import (
    hash_file,
    public_key_of,
    sign_content,
    sign_statement,
)
from pipeline.files.word_lists import load_words
from pipeline.night.synthesis_history import SynthesisEntry, register_synthesis
from pipeline.notes.worker_resources import open_master, resolve_urls
from pipeline.release.released_notes import ReleaseLocation
from pipeline.release.request import ReleaseRequest, complete_request
from pipeline.release.targets import locate_release
from pipeline.reports.gate_report import report_bytes, write_gate
from pipeline.reports.review_pages import assign_pairs, read_pairs, write_pages, write_reasons
from pipeline.state.run_lock import RunLock, hold_lock
from pipeline.synthetic.batch_work import Work
from pipeline.synthetic.corpus_preparation import CorpusRequest, prepare_corpus
from pipeline.synthetic.generator_training import GeneratorRequest, train_generator
from pipeline.synthetic.measurements.copy_filter import NothingLeft, filter_copies
from pipeline.synthetic.measurements.decision import GateRequest, judge_notes, required_of
from pipeline.synthetic.measurements.fluency import FLUENCY, FluencyRequest, measure_reading
from pipeline.synthetic.measurements.review_answers import compare_answers
from pipeline.synthetic.measurements.screening import REVIEW, SCREEN, screen_notes
from pipeline.synthetic.measurements.tagger_utility import UtilityRequest, measure_utility
from pipeline.synthetic.note_generation import begin_generation, generate_notes
from pipeline.synthetic.schedule.publication import (
    GENERATED,
    check_place,
    is_published,
    replace_folder,
)
from pipeline.synthetic.schedule.stage_results import StageResults
from record.atomic_write import make_folders
from record.errors import ConfigError
from surrogates.keys.keys import MasterKey
from synthesis.generation_files import MANIFEST, NOTES, Generation, read_generated, words_digest
from synthesis.prepared_corpus import digest as corpus_digest

_LOCK, _REPORT, _PAGES = "synthesis.lock", "report", "review"
_BATCH = 64
_PREPARE_AGAIN = (
    "release the cohort again if it may still be used, then run this command again: it prepares "
    "the corpus of the release that is there then"
)

Warn = Callable[[str], None]


@dataclass(frozen=True)
class SynthesisRequest:
    """A configuration with `[synthesis]`, and on how many processes notes are generated.

    `environment` resolves `env:NAME`. `is_word` tells whether a word is in the list that
    `synthesis.words` names.
    """

    config: Path
    environment: Mapping[str, str] = field(repr=False)
    workers: int = 1
    is_word: Callable[[str], bool] | None = None


@dataclass(frozen=True)
class SynthesisResult:
    """The verdict of a run, and what it did.

    `is_changed` is whether notes were published; a run whose notes are there already publishes
    nothing. `reused` are the stages whose result was there, `seconds` what the others took.
    """

    verdict: str
    reasons: tuple[str, ...]
    advice: tuple[str, ...]
    is_changed: bool
    exit_code: int
    report: Path | None
    output: Path
    pages: Path | None = None
    counts: Mapping[str, int] = field(default_factory=dict)
    reused: tuple[str, ...] = ()
    seconds: Mapping[str, float] = field(default_factory=dict)

    def to_json(self) -> dict[str, Any]:
        """Return the result as an object for JSON."""
        return {
            "verdict": self.verdict,
            "reasons": list(self.reasons),
            "changed": self.is_changed,
            "counts": dict(self.counts),
            "reused": list(self.reused),
            "seconds": dict(self.seconds),
        }


def run_synthesis(
    request: SynthesisRequest, work: Work, progress: Progress, warn: Warn
) -> SynthesisResult:
    """Make synthetic notes of the cohort's release, and publish them where the gate lets them.

    A stage whose inputs are as they were is not done again, and one that was interrupted goes on.
    Raises ConfigError, also where another process makes notes in the same folder.
    """
    settings = load(request.config)
    if settings.synthesis is None:
        problem = "missing"
        raise ConfigError("synthesis", problem, "add [synthesis] with cohort and output")
    run = ScheduledRun(request, settings, settings.synthesis, work, progress, warn)
    state = resolve_urls(settings).state
    run.stages.open()
    with (
        RunLock(run.folder / _LOCK),
        register_synthesis(state, settings.base, cohort=settings.synthesis.cohort) as entry,
    ):
        result = run.make(entry)
        entry.add(
            {
                **result.counts,
                "verdict": result.verdict,
                "reasons": list(result.reasons),
                "reused": list(result.reused),
                "seconds": dict(result.seconds),
            }
        )
        if result.exit_code:
            entry.mark_held()
        else:
            entry.mark_finished()
    return result


@dataclass
class ScheduledRun:
    """One run; each method is one stage, which reads what those before it wrote."""

    request: SynthesisRequest
    settings: Settings
    asked: SynthesisSettings
    work: Work
    progress: Progress
    warn: Warn

    def __post_init__(self) -> None:
        self.folder = self.settings.base / self.asked.folder
        self.output = self.settings.base / self.asked.output
        if self.output.resolve().is_relative_to(self.folder.resolve()):
            problem = "lies within synthesis.folder, whose content stays inside"
            raise ConfigError("synthesis.output", problem, "name a folder elsewhere")
        check_place(self.output)
        self.stages = StageResults(self.folder, self.progress)
        self.release = ""

    def make(self, entry: SynthesisEntry) -> SynthesisResult:
        """Run every stage; returns the verdict."""
        self._check_options()
        master = open_master(self.settings)
        corpus = self.prepare()
        generated = self.generate(self.train(corpus), corpus)
        try:
            filtered = self.filter(generated, corpus)
        except NothingLeft as error:
            return self._result("HOLD", (f"copied-passages: {error.problem}",), (), EXIT_GATE)
        screened = self.screen(filtered, corpus, master)
        pages = self.write_pages(screened / REVIEW)
        measured = [
            screened / SCREEN,
            *self.measure_utility(filtered, corpus, master),
            self.measure_fluency(filtered, corpus, master) / FLUENCY,
            *self.read_review(screened / REVIEW, master),
            *(self._path(name) for name in self.asked.measured),
        ]
        case = self.judge(filtered, measured, master)
        counts = self._counts(filtered)
        reasons, advice = tuple(case.decision.reasons), tuple(case.advice)
        result = self._result(case.verdict, reasons, advice, EXIT_GATE, counts, pages)
        if not case.is_passed:
            return result
        # From here on no release is made or withdrawn until these notes are in their place.
        with self._hold_releases():
            if problem := self._find_release_problem():
                # The report says RELEASE already, of notes that may not leave any more.
                held = Decision(Verdict.HOLD, (problem,))
                self.write_report(replace(case, decision=held, advice=[_PREPARE_AGAIN]), master)
                return self._result("HOLD", (problem,), (_PREPARE_AGAIN,), EXIT_GATE, counts)
            entry.mark_publishing()
            is_changed = self.publish(filtered, public_key_of(master))
        return replace(result, is_changed=is_changed, exit_code=EXIT_DONE)

    def _result(
        self,
        verdict: str,
        reasons: tuple[str, ...],
        advice: tuple[str, ...],
        exit_code: int,
        counts: Mapping[str, int] | None = None,
        pages: Path | None = None,
    ) -> SynthesisResult:
        return SynthesisResult(
            verdict,
            reasons,
            advice,
            is_changed=False,
            exit_code=exit_code,
            report=None if pages is None else self.folder / _REPORT / "report.html",
            output=self.output,
            pages=pages,
            counts=counts or {},
            reused=tuple(self.stages.reused),
            seconds=self.stages.seconds,
        )

    def _path(self, name: str) -> Path:
        return self.settings.base / name

    def _requirements(self) -> Path | None:
        named = self.asked.requirements
        if named is None:
            return None
        return self._path(named) if named.endswith(".toml") else Path(named)

    def _check_options(self) -> None:
        """Raise ConfigError for options that a stage would refuse, before any is begun."""
        check_options("synthesis.training", self.asked.training, LanguageRecipe, {"peak": float})
        more = {"batch": int, "known_words": str}
        check_options("synthesis.generation", self.asked.generation, Decoding, more)
        self._recipe()
        self._decoding()
        if (words := self._known_words()) is not None:
            load_words(words, "synthesis.generation.known_words")
        required_of(self._requirements())

    def _training(self) -> dict[str, Any]:
        changes = dict(self.asked.training)
        if "pretrained" in changes:
            changes["pretrained"] = str(self._path(str(changes["pretrained"])))
        return changes

    def _public(self) -> Path | None:
        return None if self.asked.public is None else self._path(self.asked.public)

    def _recipe_name(self) -> str:
        return self.asked.recipe or (PRETRAINED if "pretrained" in self.asked.training else "gpt")

    def _recipe(self) -> LanguageRecipe:
        return make_recipe(self._recipe_name(), self._training())

    def _decoding(self) -> Decoding:
        given: dict[str, Any] = dict(self.asked.generation)
        for name in ("batch", "known_words"):
            given.pop(name, None)
        return Decoding(**given)

    def _known_words(self) -> str | None:
        named = self.asked.generation.get("known_words")
        if named is None:
            return None
        path = self._path(str(named))
        return str(path.absolute()) if path.is_file() else str(named)

    def prepare(self) -> Path:
        """Prepare the corpus of the release; no release is published meanwhile."""
        place = self._find_release()
        manifest = place.manifest
        if manifest is None or not manifest.is_file():
            problem = f"the release of {self.asked.cohort} is not there yet"
            remedy = f"run `cryptonym release CONFIG --cohort {self.asked.cohort}` first"
            raise ConfigError("synthesis.cohort", problem, remedy)

        def make(out: Path, progress: Progress) -> None:
            request = CorpusRequest(
                [place.where],
                out,
                manifest,
                place.schema,
                seed=self.asked.seed,
                lang=self.settings.lang,
            )
            for warning in prepare_corpus(request, self.request.environment, progress).warnings:
                self.warn(warning)

        with self._hold_releases():
            self.release = hash_file(manifest)
            inputs = {
                "release": self.release,
                "seed": self.asked.seed,
                "lang": self.settings.lang,
            }
            return self.stages.make("corpus", inputs, make)

    def _hold_releases(self) -> AbstractContextManager[object]:
        """Return a context in which no other process makes or withdraws a release."""
        state = resolve_urls(self.settings).state
        return hold_lock(state.url, self.settings.base)

    def _find_release_problem(self) -> str:
        """Return why the release is not the one that the notes were made of; empty if it is."""
        manifest = self._find_release().manifest
        if manifest is None or not manifest.is_file():
            return f"release: the release of {self.asked.cohort} was withdrawn meanwhile"
        if hash_file(manifest) != self.release:
            return f"release: the release of {self.asked.cohort} was changed meanwhile"
        return ""

    def _find_release(self) -> ReleaseLocation:
        """Return where `cryptonym release` puts the cohort's release and its manifest."""
        asked = ReleaseRequest(self.request.config, self.asked.cohort)
        whole = complete_request(asked, self.settings)
        url = resolve_url(whole.output, self.request.environment, Path())
        return locate_release(replace(whole, output=url), self.settings)

    def train(self, corpus: Path) -> Path:
        """Train the generator, or go on where an interrupted training stopped."""
        changes = {"seed": self.asked.seed, **self._training()}
        inputs: dict[str, Any] = {
            "corpus": corpus_digest(corpus),
            "recipe": self._recipe_name(),
            "training": changes,
        }
        if "pretrained" in changes:
            inputs["base"] = base_digest(Path(changes["pretrained"]))
        public = self._public()
        if public is not None:
            inputs["public"] = corpus_digest(public)

        def make(out: Path, progress: Progress) -> None:
            if not (out / TRAINING).exists():
                request = GeneratorRequest(corpus, out, self._recipe_name(), changes, public)
                train_generator(request, progress, self.warn)

        return self.stages.make("generator", inputs, make, goes_on=True)

    def generate(self, generator: Path, corpus: Path) -> Path:
        """Generate notes, or go on with those that an interrupted run wrote."""
        options = dict(self.asked.generation)
        inputs = {
            "model": model_digest(generator),
            "corpus": corpus_digest(corpus),
            "notes": self.asked.notes,
            "seed": self.asked.seed,
            "generation": options,
        }
        public = self._public()
        if public is not None:
            inputs["public"] = corpus_digest(public)
        if (words := self._known_words()) is not None:
            inputs["known_words"] = words_digest(words)

        def make(out: Path, progress: Progress) -> None:
            if (out / MANIFEST).exists():
                for left in out.glob(".parts"):
                    shutil.rmtree(left)
                return
            generation = Generation(
                model=generator.absolute(),
                corpus=corpus.absolute(),
                out=out.absolute(),
                count=self.asked.notes,
                seed=self.asked.seed,
                batch=int(options.get("batch", _BATCH)),
                decoding=self._decoding(),
                has_surrogates=True,
                requests=None if public is None else public.absolute(),
                known_words=words,
            )
            for warning in begin_generation(generation):
                self.warn(warning)
            generate_notes(generation, self.work, [], self.request.workers, progress)

        return self.stages.make("generated", inputs, make, goes_on=True)

    def filter(self, generated: Path, corpus: Path) -> Path:
        """Drop the notes that share a passage with few patients' notes."""
        return self.stages.make(
            "filtered",
            {"notes": _notes_digest(generated), "corpus": corpus_digest(corpus)},
            lambda out, progress: _ignore(filter_copies(generated, corpus, out, progress)),
        )

    def screen(self, filtered: Path, corpus: Path, master: MasterKey) -> Path:
        """Measure what the notes give away, and choose pairs for people to read."""

        def make(out: Path, progress: Progress) -> None:
            found = screen_notes(filtered, corpus, progress, seed=self.asked.seed)
            found.save_review(out)
            write_measurements(out / SCREEN, sign_content(found.to_json(), master))

        inputs = self._inputs_of_measurement(filtered, corpus, master)
        return self.stages.make("screened", inputs, make)

    def measure_utility(self, filtered: Path, corpus: Path, master: MasterKey) -> list[Path]:
        """Measure what taggers learn from the notes, where that is required.

        Trained taggers are kept when interrupted.
        """
        asked = self.asked
        if not any(each.axis is Axis.UTILITY for each in required_of(self._requirements())):
            return []
        options = {
            "encoder": asked.utility_encoder,
            "seeds": asked.utility_seeds,
            "max_minutes": asked.utility_minutes,
            "epochs": asked.utility_epochs,
        }

        def make(out: Path, progress: Progress) -> None:
            result = measure_utility(UtilityRequest(filtered, corpus, out, **options), progress)  # type: ignore[arg-type]
            write_measurements(out / "utility.json", sign_content(result.to_json(), master))

        inputs = self._inputs_of_measurement(filtered, corpus, master) | {"utility": options}
        return [self.stages.make("utility", inputs, make, goes_on=True) / "utility.json"]

    def measure_fluency(self, filtered: Path, corpus: Path, master: MasterKey) -> Path:
        """Measure whether the notes read like real ones."""
        model = None if self.asked.reader is None else self._path(self.asked.reader)

        def make(out: Path, progress: Progress) -> None:
            request = FluencyRequest(
                filtered,
                corpus,
                self.request.is_word,
                self.asked.words or "",
                model,
                self.asked.reader_notes,
                self.asked.seed,
            )
            content = measure_reading(request, progress)
            write_measurements(out / FLUENCY, sign_content(content, master))

        inputs = self._inputs_of_measurement(filtered, corpus, master) | {
            "words": self.asked.words,
            "reader": None if model is None else base_digest(model),
            "reader_notes": self.asked.reader_notes,
        }
        return self.stages.make("fluency", inputs, make)

    def write_pages(self, pairs: Path) -> Path:
        """Write the pages on which people compare pairs of notes."""

        def make(out: Path, _: Progress) -> None:
            piles = assign_pairs(read_pairs(pairs), self.asked.reviewers, self.asked.seed)
            list(write_pages(out, piles, review=hash_file(pairs)))

        inputs = {
            "pairs": hash_file(pairs),
            "reviewers": self.asked.reviewers,
            "seed": self.asked.seed,
        }
        return self.stages.make(_PAGES, inputs, make)

    def read_review(self, pairs: Path, master: MasterKey) -> list[Path]:
        """Measure the review where its answers are there; returns the file of measurements.

        Answers about earlier pairs are left out, with a warning.
        """
        if self.asked.answers is None:
            return []
        answers = []
        for path in sorted(self._path(self.asked.answers).glob("*.json")):
            if _answers_pairs(path, hash_file(pairs)):
                answers.append(path)
            else:
                self.warn(f"{path.name}: answers other pairs than those to read now; left out")
        if not answers:
            return []

        def make(out: Path, _: Progress) -> None:
            found = compare_answers(answers, pairs)
            write_measurements(out / "agreement.json", sign_content(found.content, master))
            write_reasons(out / "reasons.html", found.reasons)

        inputs = {
            "pairs": hash_file(pairs),
            "answers": [hash_file(path) for path in answers],
            "key": public_key_of(master),
        }
        return [self.stages.make("agreement", inputs, make) / "agreement.json"]

    def judge(self, filtered: Path, measured: Sequence[Path], master: MasterKey) -> GateCase:
        """Decide, and write the report with its signed manifest; done by every run."""
        self.progress.phase("deciding")
        request = GateRequest(filtered, measured, public_key_of(master), self._requirements())
        case = judge_notes(request, today=datetime.now(UTC).date())
        self.write_report(case, master)
        return case

    def write_report(self, case: GateCase, master: MasterKey) -> None:
        """Write the report of a case, in place of the one before, with its signed manifest."""
        report = case.report()
        statement = case.statement(hashlib.sha256(report_bytes(report)).hexdigest())
        make_folders(self.folder / _REPORT)
        write_gate(self.folder / _REPORT, report, sign_statement(statement, master))

    def publish(self, filtered: Path, public_key: str) -> bool:
        """Put the notes with their report in place of those before; False if they are there.

        A run that is killed between two steps leaves the earlier ones beside the place, where the
        next run finds that nothing is published and goes on.
        """
        self.progress.phase("publishing")
        check_place(self.output)
        if is_published(self.output, filtered, public_key):
            return False
        report = self.folder / _REPORT
        files = (
            (filtered / NOTES, NOTES),
            (filtered / MANIFEST, GENERATED),
            *((report / name, name) for name in ("report.html", "report.json", "manifest.json")),
        )
        replace_folder(self.output, files)
        return True

    def _inputs_of_measurement(
        self, filtered: Path, corpus: Path, master: MasterKey
    ) -> dict[str, Any]:
        return {
            "notes": _notes_digest(filtered),
            "corpus": corpus_digest(corpus),
            "seed": self.asked.seed,
            "key": public_key_of(master),
        }

    def _counts(self, filtered: Path) -> dict[str, int]:
        told = read_generated(filtered)["filtered"]
        return {
            "generated": told["read"],
            "dropped": told["dropped"],
            "notes": told["read"] - told["dropped"],
        }


def _notes_digest(folder: Path) -> list[str]:
    return [hash_file(folder / NOTES), hash_file(folder / MANIFEST)]


def _answers_pairs(path: Path, review: str) -> bool:
    try:
        held = json.loads(path.read_text("utf-8"))
    except (OSError, ValueError):
        return False
    return isinstance(held, dict) and held.get("review") == review


def _ignore(manifest: Mapping[str, Any]) -> None:
    """Take what a stage returns besides its files."""
