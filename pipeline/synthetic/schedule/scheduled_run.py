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
from evaluation.utility.agreement import SOUND_SHARE
from evaluation.utility.fluency import PERPLEXITIES
from models.language.training.gpt2_weights import digest as base_digest
from models.language.training.serialization import digest as model_digest
from models.language.training.training import TRAINING
from models.tagger.shipped_model import DEFAULT, NO_MODEL
from pipeline.config.exit_codes import EXIT_DONE, EXIT_GATE
from pipeline.config.progress import Progress
from pipeline.config.settings import (
    Settings,
    SynthesisSettings,
    load,
    resolve_url,
)
from pipeline.config.signing import (
    hash_file,
    public_key_of,
    sign_content,
    sign_statement,
)
from pipeline.files.gold import read_annotated
from pipeline.night.synthesis_history import SynthesisEntry, register_synthesis
from pipeline.notes.worker_resources import open_master, resolve_urls
from pipeline.release.released_notes import ReleaseLocation
from pipeline.release.request import ReleaseRequest, complete_request
from pipeline.release.targets import locate_release
from pipeline.reports.gate_report import report_bytes, write_gate
from pipeline.reports.review_pages import (
    assign_pairs,
    read_pairs,
    read_sound,
    write_pages,
    write_reasons,
    write_sound_pages,
)
from pipeline.state.run_lock import RunLock, hold_lock
from pipeline.synthetic.batch_work import Work
from pipeline.synthetic.corpus_preparation import CorpusRequest, prepare_corpus
from pipeline.synthetic.generator_training import GeneratorRequest, train_generator
from pipeline.synthetic.measurements.base_overlap import OverlapRequest, measure_overlap
from pipeline.synthetic.measurements.copy_filter import FilterRules, NothingLeft, filter_copies
from pipeline.synthetic.measurements.decision import (
    GateRequest,
    hold_copies,
    judge_notes,
    required_of,
)
from pipeline.synthetic.measurements.fluency import FLUENCY, FluencyRequest, measure_reading
from pipeline.synthetic.measurements.review_answers import compare_answers, compare_soundness
from pipeline.synthetic.measurements.screening import REVIEW, SCREEN, SOUND_NOTES, screen_notes
from pipeline.synthetic.measurements.tag_agreement import AGREEMENT_COUNTS, AgreementRule
from pipeline.synthetic.measurements.tagger_utility import (
    MEDICAL_OF_REAL,
    UtilityRequest,
    measure_utility,
)
from pipeline.synthetic.note_generation import begin_generation, generate_notes
from pipeline.synthetic.schedule.publication import (
    GENERATED,
    check_place,
    is_published,
    replace_folder,
)
from pipeline.synthetic.schedule.stage_options import (
    GenerationOptions,
    TrainingOptions,
    read_generation,
    read_training,
)
from pipeline.synthetic.schedule.stage_results import StageResults, digest_files
from record.atomic_write import make_folders
from record.errors import ConfigError
from surrogates.keys.keys import MasterKey
from synthesis.generation_files import MANIFEST, NOTES, Generation, read_generated, words_digest
from synthesis.prepared_corpus import digest as corpus_digest

_LOCK, _REPORT, _PAGES = "synthesis.lock", "report", "review"
_OVERLAP, _SOUND = "overlap.json", "sound"
_FEWEST_UNSEEN = 2  # notes that the model is asked about in two parts
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
    report: Path
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
        self.training: TrainingOptions
        self.generation: GenerationOptions

    def make(self, entry: SynthesisEntry) -> SynthesisResult:
        """Run every stage; returns the verdict."""
        self._check_options()
        master = open_master(self.settings)
        corpus = self.prepare()
        generated = self.generate(self.train(corpus), corpus)
        try:
            filtered = self.filter(generated, corpus)
        except NothingLeft as error:
            refused = hold_copies(generated, error, today=datetime.now(UTC).date())
            # In place of the report of earlier notes, which may say RELEASE.
            self.write_report(refused, master)
            return self._result(
                refused.verdict, tuple(refused.decision.reasons), tuple(refused.advice), EXIT_GATE
            )
        screened = self.screen(filtered, corpus, master)
        self._warn_of_others(screened)
        pages = self.write_pages(screened / REVIEW)
        self.write_sound_pages(screened / SOUND_NOTES)
        measured = [
            screened / SCREEN,
            *self.measure_utility(filtered, corpus, master),
            self.measure_fluency(filtered, corpus, master) / FLUENCY,
            *self.measure_overlap(corpus, master),
            *self.read_review(screened / REVIEW, master),
            *self.read_soundness(screened / SOUND_NOTES, master),
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
            report=self.folder / _REPORT / "report.html",
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
        self.training = read_training(self.asked, self.settings.base)
        self.generation = read_generation(self.asked, self.settings.base)
        self._check_unseen()
        required_of(self._requirements())
        if (rule := self._agreement()) is not None:
            rule.model_digest()

    def _agreement(self) -> AgreementRule | None:
        """Return how far annotations must agree with what is detected; None if nothing asks."""
        if not self.asked.agreement:
            return None
        model = self.asked.agreement_model
        if model not in (DEFAULT, NO_MODEL):
            model = str(self._path(model))
        return AgreementRule(self.asked.agreement, model, key="synthesis.agreement")

    def _check_unseen(self) -> None:
        if self.asked.unseen is None:
            return
        if self.training.pretrained is None:
            problem = "requires a pretrained writer"
            remedy = "name its folder as synthesis.training.pretrained, or leave out this key"
            raise ConfigError("synthesis.unseen", problem, remedy)
        notes = read_annotated(self._path(self.asked.unseen), [])
        if sum(bool(note.document.text.strip()) for note in notes) < _FEWEST_UNSEEN:
            problem = f"holds fewer than {_FEWEST_UNSEEN} notes with text"
            raise ConfigError("synthesis.unseen", problem, "give a hundred notes or more")

    def _public(self) -> Path | None:
        return None if self.asked.public is None else self._path(self.asked.public)

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
        options = self.training
        changes = {"seed": self.asked.seed, **options.changes}
        inputs: dict[str, Any] = {
            "corpus": corpus_digest(corpus),
            "recipe": options.recipe,
            "training": changes,
            "requests_epsilon": options.requests_epsilon,
        }
        if options.pretrained is not None:
            inputs["base"] = base_digest(options.pretrained)
        public = self._public()
        if public is not None:
            inputs["public"] = corpus_digest(public)

        def make(out: Path, progress: Progress) -> None:
            if not (out / TRAINING).exists():
                request = GeneratorRequest(
                    corpus, out, options.recipe, changes, public,
                    requests_epsilon=options.requests_epsilon,
                )  # fmt: skip
                train_generator(request, progress, self.warn)

        return self.stages.make("generator", inputs, make, goes_on=True)

    def generate(self, generator: Path, corpus: Path) -> Path:
        """Generate notes, or go on with those that an interrupted run wrote."""
        options = self.generation
        inputs: dict[str, Any] = {
            "model": model_digest(generator),
            "corpus": corpus_digest(corpus),
            "notes": self.asked.notes,
            "seed": self.asked.seed,
            "generation": dict(self.asked.generation),
            "shares": None if options.shares is None else dict(options.shares),
        }
        public = self._public()
        if public is not None:
            inputs["public"] = corpus_digest(public)
        if options.known_words is not None:
            inputs["known_words"] = words_digest(options.known_words)

        def make(out: Path, progress: Progress) -> None:
            if (out / MANIFEST).exists():
                for left in out.glob(".parts"):
                    shutil.rmtree(left)
                return
            generation = Generation(
                model=generator.absolute(),
                corpus=corpus.absolute(),
                out=out.absolute(),
                count=self.asked.notes * options.candidates,
                seed=self.asked.seed,
                batch=options.batch,
                batch_tokens=options.batch_tokens,
                decoding=options.decoding,
                shares=options.shares,
                chosen=self.asked.notes if options.candidates > 1 else None,
                has_surrogates=True,
                requests=None if public is None else public.absolute(),
                known_words=options.known_words,
            )
            for warning in begin_generation(generation):
                self.warn(warning)
            generate_notes(generation, self.work, [], self.request.workers, progress)

        return self.stages.make("generated", inputs, make, goes_on=True)

    def filter(self, generated: Path, corpus: Path) -> Path:
        """Drop the notes that share a passage with few patients' notes, or have wrong tags."""
        rule = self._agreement()
        inputs: dict[str, Any] = {
            "notes": _notes_digest(generated),
            "corpus": corpus_digest(corpus),
        }
        if rule is not None:
            inputs["agreement"] = [rule.least, rule.model_digest()]
        rules = FilterRules(agreement=rule)

        def make(out: Path, progress: Progress) -> None:
            filter_copies(generated, corpus, out, progress, rules=rules)

        return self.stages.make("filtered", inputs, make)

    def screen(self, filtered: Path, corpus: Path, master: MasterKey) -> Path:
        """Measure what the notes give away, and choose pairs for people to read."""

        def make(out: Path, progress: Progress) -> None:
            found = screen_notes(filtered, corpus, progress, seed=self.asked.seed)
            found.save_review(out)
            write_measurements(out / SCREEN, sign_content(found.to_json(), master))

        inputs = self._inputs_of_measurement(filtered, corpus, master)
        return self.stages.make("screened", inputs, make)

    def measure_utility(self, filtered: Path, corpus: Path, master: MasterKey) -> list[Path]:
        """Measure what taggers learn from the notes, where that is required or asked for.

        Trained taggers are kept when interrupted.
        """
        asked = self.asked
        required = required_of(self._requirements())
        if not asked.medical and not any(each.axis is Axis.UTILITY for each in required):
            return []
        options = {
            "encoder": asked.utility_encoder,
            "seeds": asked.utility_seeds,
            "max_minutes": asked.utility_minutes,
            "epochs": asked.utility_epochs,
            "medical": asked.medical,
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

    def measure_overlap(self, corpus: Path, master: MasterKey) -> list[Path]:
        """Ask the pretrained model whether it knew the notes, where there are notes to compare."""
        base = self.training.pretrained
        if self.asked.unseen is None or base is None:
            return []
        unseen = self._path(self.asked.unseen)

        def make(out: Path, progress: Progress) -> None:
            request = OverlapRequest(
                base, corpus, unseen=unseen, notes=self.asked.unseen_notes, seed=self.asked.seed
            )
            found = measure_overlap(request, progress)
            for warning in found.warnings:
                self.warn(warning)
            write_measurements(out / _OVERLAP, sign_content(found.to_json(), master))

        # Of the model and the corpus: notes that are generated anew change nothing.
        inputs = {
            "base": base_digest(base),
            "corpus": corpus_digest(corpus),
            "unseen": digest_files(unseen) if unseen.is_dir() else hash_file(unseen),
            "unseen_notes": self.asked.unseen_notes,
            "seed": self.asked.seed,
            "key": public_key_of(master),
        }
        return [self.stages.make("overlap", inputs, make) / _OVERLAP]

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
        """Measure the review where its answers are there; returns the file of measurements."""
        answers = self._answers_about(hash_file(pairs))
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

    def write_sound_pages(self, notes: Path) -> None:
        """Write the pages on which people say of single notes whether they make sense."""
        if not self.asked.sound:
            return
        readers, seed, review = self.asked.reviewers, self.asked.seed, hash_file(notes)

        def make(out: Path, _: Progress) -> None:
            list(write_sound_pages(out, read_sound(notes), readers, seed=seed, review=review))

        inputs = {"notes": review, "readers": readers, "seed": seed}
        self.stages.make(_SOUND, inputs, make)

    def read_soundness(self, notes: Path, master: MasterKey) -> list[Path]:
        """Measure what people answered about single notes; returns the file of measurements."""
        answers = self._answers_about(hash_file(notes)) if self.asked.sound else []
        if not answers:
            return []

        def make(out: Path, _: Progress) -> None:
            found = compare_soundness(answers, notes)
            write_measurements(out / "soundness.json", sign_content(found.content, master))
            write_reasons(out / "reasons.html", found.reasons, is_sound=True)

        inputs = {
            "notes": hash_file(notes),
            "answers": [hash_file(path) for path in answers],
            "key": public_key_of(master),
        }
        return [self.stages.make("soundness", inputs, make) / "soundness.json"]

    def _answers(self) -> list[Path]:
        if self.asked.answers is None:
            return []
        return sorted(self._path(self.asked.answers).glob("*.json"))

    def _answers_about(self, review: str) -> list[Path]:
        return [path for path in self._answers() if _told_review(path) == review]

    def _warn_of_others(self, screened: Path) -> None:
        """Warn of answers about earlier pairs and notes, which are left out."""
        asked = [REVIEW, *([SOUND_NOTES] if self.asked.sound else [])]
        known = {hash_file(screened / name) for name in asked}
        for path in self._answers():
            if _told_review(path) not in known:
                self.warn(f"{path.name}: answers other pairs than those to read now; left out")

    def judge(self, filtered: Path, measured: Sequence[Path], master: MasterKey) -> GateCase:
        """Decide, and write the report with its signed manifest; done by every run."""
        self.progress.phase("deciding")
        request = GateRequest(
            filtered,
            measured,
            public_key_of(master),
            self._requirements(),
            expected=self._expected(),
        )
        case = judge_notes(request, today=datetime.now(UTC).date())
        self.write_report(case, master)
        return case

    def _expected(self) -> frozenset[str]:
        """Return the numbers that the options ask for, beside those that are required."""
        names = [*PERPLEXITIES] if self.asked.reader is not None else []
        names += [MEDICAL_OF_REAL] if self.asked.medical else []
        return frozenset([*names, *([SOUND_SHARE] if self.asked.sound else [])])

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
        disagreeing = told.get(AGREEMENT_COUNTS, {}).get("dropped", 0)
        return {
            "generated": told["read"],
            "dropped": told["dropped"],
            "disagreeing": disagreeing,
            "notes": told["read"] - told["dropped"] - disagreeing,
        }


def _notes_digest(folder: Path) -> list[str]:
    return [hash_file(folder / NOTES), hash_file(folder / MANIFEST)]


def _told_review(path: Path) -> object:
    """Return the digest of the pairs or notes that a file of answers is about; else None."""
    try:
        held = json.loads(path.read_text("utf-8"))
    except (OSError, ValueError):
        return None
    return held.get("review") if isinstance(held, dict) else None


def _ignore(manifest: Mapping[str, Any]) -> None:
    """Take what a stage returns besides its files."""
