"""`cryptonym synthesize run`: from a release to a verdict, by itself, and again after a kill."""

import fcntl
import json
import shutil
from collections.abc import Callable
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from evaluation.utility.agreement import QUESTIONS
from evaluation.utility.fluency import PERPLEXITIES
from models.tagger.shipped_model import SHIPPED, digest
from pipeline.beam.generation import work
from pipeline.cli import main
from pipeline.config.progress import Progress
from pipeline.config.settings import load
from pipeline.config.signing import hash_file
from pipeline.night.synthesis_history import read_synthesis_runs
from pipeline.release.request import ReleaseRequest, complete_request
from pipeline.release.targets import locate_release
from pipeline.reports.review_pages import TRIALS
from pipeline.state.run_lock import RunLock
from pipeline.synthetic.measurements.decision import GateRequest, judge_notes
from pipeline.synthetic.measurements.tagger_utility import UtilityRequest, measure_utility
from pipeline.synthetic.schedule.scheduled_run import SynthesisRequest, run_synthesis
from record.errors import ConfigError
from surrogates.keys.keys import new_master
from synthesis.generation_files import note_record
from synthesis.prepared_corpus import load_corpus
from tests.models.pretrained import save_causal
from tests.synthesis.letters import letters
from tests.synthesis.releases import copy_to_database, write_release

CONFIG = """
lang = "es"
[source]
url = "sqlite:///none.db"
[output]
url = "sqlite:///research.db"
[cohorts.study]
output = "jsonl:release"
spans = true
[synthesis]
cohort = "study"
output = "published"
notes = 24
recipe = "gpt-small"
requirements = "ours.toml"
answers = "answers"
utility_encoder = "tiny-1x64"
utility_seeds = 2
utility_epochs = 1
[synthesis.training]
width = 32
layers = 1
heads = 2
context = 256
vocabulary_size = 400
epochs = 1
peak = 0.01
step_tokens = 512
[synthesis.generation]
min_length = 10
max_length = 120
batch = 8
"""

UTILITY = """
[utility-of-real]
axis = "utility"
at_least = 0
"""

REQUIREMENTS = """
[copied-passages]
axis = "privacy"
at_most = 0
[review-breaches]
axis = "privacy"
at_most = 0
control_at_least = 1
"""

STAGES = ["corpus", "generator", "generated", "filtered", "screened", "review", "fluency"]


class Killed(BaseException):
    """What a kill is to a process that can be looked into afterwards."""


def make_config(tmp_path: Path) -> Path:
    new_master(tmp_path / "master.key")
    write_release(tmp_path / "release", letters(60))
    (tmp_path / "ours.toml").write_text(REQUIREMENTS)
    (tmp_path / "answers").mkdir()
    path = tmp_path / "nightly.toml"
    path.write_text(CONFIG)
    return path


@pytest.fixture
def config(tmp_path: Path) -> Path:
    return make_config(tmp_path)


@pytest.fixture(scope="module")
def held(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder in which a run has ended: people have not read its notes yet."""
    folder = tmp_path_factory.mktemp("held")
    config = make_config(folder)
    assert main(["synthesize", "run", str(config), "--plain", "--log", str(folder / "log")]) == 1
    return folder


@pytest.fixture
def ended(held: Path, tmp_path: Path) -> Path:
    """The configuration of a copy of that folder."""
    shutil.copytree(held, tmp_path, dirs_exist_ok=True)
    return tmp_path / "nightly.toml"


def run(config: Path, progress: Progress | None = None) -> Any:
    return run_synthesis(
        SynthesisRequest(config, {}), work, progress or Progress(), lambda told: None
    )


def answer(config: Path) -> None:
    """Two readers, who see every copy and call nothing else linked."""
    pairs = config.parent / "synthesis" / "screened" / "review.jsonl"
    read = [json.loads(line) for line in pairs.read_text("utf-8").splitlines()]
    for reviewer in ("one", "two"):
        answers = [
            {
                "pair": pair["pair"],
                "trial": number < TRIALS,
                "scores": dict.fromkeys(QUESTIONS, 5 if pair["known"] == "copy" else 1),
            }
            for number, pair in enumerate(read)
        ]
        told = {"reviewer": reviewer, "review": hash_file(pairs), "answers": answers}
        (config.parent / "answers" / f"{reviewer}.json").write_text(json.dumps(told))


def test_a_private_run_takes_all_but_its_weights_from_public_notes(
    config: Path, tmp_path: Path
) -> None:
    pytest.importorskip("opacus", reason="opacus is not installed")
    write_release(tmp_path / "public-release", letters(60, seed=3))
    out = tmp_path / "public"
    assert main(["synthesize", "prepare", str(tmp_path / "public-release"), "-o", str(out)]) == 0
    text = config.read_text().replace("recipe =", 'public = "public"\nrecipe =')
    config.write_text(text.replace("[synthesis.training]", "[synthesis.training]\nepsilon = 8.0"))
    told = run(config)
    manifest = json.loads((tmp_path / "synthesis" / "filtered" / "manifest.json").read_text())
    assert manifest["read_without_noise"] == [] and manifest["privacy"]["unit"] == "patient"
    assert not [reason for reason in told.reasons if reason.startswith("privacy: ")]


def test_a_release_becomes_published_notes_once_people_have_read_them(
    ended: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    config, folder = ended, ended.parent
    assert not (folder / "published").exists()
    answer(config)
    assert main(["synthesize", "run", str(config), "--json"]) == 0
    second = json.loads(capsys.readouterr().out)
    assert second["verdict"] == "RELEASE" and second["changed"]
    assert (second["reused"], [*second["seconds"]]) == (STAGES, ["agreement"])
    statement = json.loads((folder / "published" / "manifest.json").read_text())
    assert statement["notes"] == hash_file(folder / "published" / "notes.jsonl")
    assert second["counts"]["notes"] == len(
        (folder / "published" / "notes.jsonl").open().readlines()
    )
    assert not any((folder / "published").glob("review*"))
    # Once more: nothing is done, and nothing is published again.
    assert main(["synthesize", "run", str(config), "--json"]) == 0
    third = json.loads(capsys.readouterr().out)
    assert (third["changed"], third["seconds"]) == (False, {})
    # The history knows all three, and the log the first.
    past = read_synthesis_runs(load(config).state, folder)
    assert [(each.run_id, each.status, each.exit_code) for each in past] == [
        (3, "finished", 0), (2, "finished", 0), (1, "held", 1),
    ]  # fmt: skip
    assert past[2].about["seconds"].keys() == set(STAGES)
    assert past[2].about["reasons"] == ["review-breaches: not measured"]
    assert main(["runs", str(config), "--plain"]) == 0
    assert "synthesis" in capsys.readouterr().out
    assert '"verdict": "HOLD"' in (folder / "log").read_text()


def check_private(work_folder: Path) -> None:
    """What a stage wrote is its owner's alone."""
    places = [path for path in work_folder.iterdir() if path.is_dir()]
    open_to_others = [
        path.relative_to(work_folder).as_posix()
        for place in places
        for path in (place, *place.rglob("*"))
        if path.stat().st_mode & 0o077 and place.name not in (".stages", "report")
    ]
    assert not open_to_others
    assert all(place.stat().st_mode & 0o777 == 0o700 for place in places)


def test_stages_are_private_in_a_work_folder_that_is_not(ended: Path) -> None:
    folder = ended.parent / "synthesis"
    check_private(folder)
    # As earlier versions left it, or somebody made it.
    for path in (folder, *folder.rglob("*")):
        path.chmod(0o755 if path.is_dir() else 0o644)
    (folder / ".stages").chmod(0o700)
    (folder / "report").chmod(0o700)
    assert list(run(ended).reused) == STAGES
    check_private(folder)


def test_runs_that_are_killed_go_on_and_give_the_same_notes(config: Path) -> None:
    folder = config.parent / "synthesis"
    folder.mkdir(mode=0o755)
    for stage in ("generator", "generated", "filtered", "screened"):
        with pytest.raises(Killed):
            run(config, killer(stage))
        assert (folder / stage).stat().st_mode & 0o777 == 0o700
        if stage == "generated":
            assert (folder / "generated" / ".parts" / "part-000000.jsonl").exists()
    result = run(config)
    assert list(result.reused) == STAGES[:4]
    made = (folder / "filtered" / "notes.jsonl").read_bytes()
    statuses = [each.status for each in read_synthesis_runs(load(config).state, config.parent)]
    assert statuses == ["held", *["open"] * 4]
    config.write_text(CONFIG.replace("[synthesis]", '[synthesis]\nfolder = "anew"'))
    assert run(config).reasons == result.reasons
    assert (config.parent / "anew" / "filtered" / "notes.jsonl").read_bytes() == made


def killer(stage: str) -> Progress:
    """Progress that ends the process in a stage: where it counts, or begins its second phase."""
    phases = [""]

    def begin(name: str) -> None:
        if stage in ("filtered", "screened") and name.startswith(f"{stage}: "):
            raise Killed
        phases.append(name)

    def advance(done: int, planned: int) -> None:
        if phases[-1].startswith(stage) and done:
            raise Killed

    return Progress(begin, advance)


def move_to_database(config: Path) -> Path:
    """Put the release into a database, and its manifest where a release there has it."""
    folder = config.parent
    config.write_text(config.read_text().replace("jsonl:release", "sqlite:///release.db"))
    copy_to_database(folder / "release", folder / "release.db")
    settings = load(config)
    place = locate_release(complete_request(ReleaseRequest(config, "study"), settings), settings)
    assert place.manifest is not None
    place.manifest.parent.mkdir(exist_ok=True)
    (folder / "release" / "manifest.json").rename(place.manifest)
    return place.manifest


def test_a_release_in_a_database_becomes_the_same_notes(ended: Path) -> None:
    config, folder = ended, ended.parent
    answer(config)
    made = (folder / "synthesis" / "filtered" / "notes.jsonl").read_bytes()
    manifest = move_to_database(config)
    # The corpus depends on the release alone, wherever it is: no stage is done again.
    assert list(run(config).reused) == STAGES
    shutil.rmtree(folder / "synthesis")
    assert run(config).exit_code == 1  # the pairs of another run are to be read
    assert (folder / "synthesis" / "filtered" / "notes.jsonl").read_bytes() == made
    answer(config)

    def begin(phase: str) -> None:
        if phase == "deciding":
            manifest.unlink()

    result = run(config, Progress(begin))
    problem = "release: the release of study was withdrawn meanwhile"
    assert (result.verdict, result.reasons, result.exit_code) == ("HOLD", (problem,), 1)


def test_utility_is_measured_where_it_is_required(ended: Path) -> None:
    (ended.parent / "ours.toml").write_text(UTILITY + REQUIREMENTS)
    result = run(ended)
    assert list(result.seconds) == ["utility"]
    assert result.reasons == ("review-breaches: not measured",)
    # With the notes that were left out, too; the taggers of real notes are the same.
    assert result.counts["disagreeing"]
    folder = ended.parent / "synthesis" / "utility"
    told = json.loads((folder / "utility.json").read_text())
    assert [each["name"] for each in told["measured"]] == ["utility-of-real", "utility-unfiltered"]
    trained = {path.name for path in (folder / "unfiltered").iterdir()}
    assert trained == {"synthetic-1", "synthetic-2"}
    report = json.loads((ended.parent / "synthesis" / "report" / "report.json").read_text())
    (row,) = (each for each in report["measured"] if each["name"] == "utility-unfiltered")
    assert not row["asked"]


def test_utility_refuses_other_notes_than_were_left_out(ended: Path) -> None:
    filtered = ended.parent / "synthesis" / "filtered"
    with (filtered / "disagreeing.jsonl").open("a") as file:
        file.write('{"note_id": "x", "text": "more"}\n')
    request = UtilityRequest(
        filtered, filtered.parent / "corpus", ended.parent / "u", "tiny-1x64", 2, epochs=1
    )
    with pytest.raises(ConfigError, match="has changed"):
        measure_utility(request, Progress())
    assert not (ended.parent / "u").exists()


def test_annotations_are_compared_unless_nobody_asks(ended: Path) -> None:
    folder = ended.parent / "synthesis" / "filtered"
    told = json.loads((folder / "manifest.json").read_text())["filtered"]["agreement"]
    assert (told["least"], told["model"]) == (0.5, digest(SHIPPED))
    kept = len((folder / "notes.jsonl").read_text().splitlines())
    given = '[synthesis]\nagreement_model = "none"'
    ended.write_text(CONFIG.replace("[synthesis]", given))
    assert "filtered" in run(ended).seconds
    now = json.loads((folder / "manifest.json").read_text())["filtered"]["agreement"]
    assert now["model"] is None
    ended.write_text(CONFIG.replace("[synthesis]", "[synthesis]\nagreement = 0"))
    result = run(ended)
    assert "agreement" not in json.loads((folder / "manifest.json").read_text())["filtered"]
    assert result.counts["disagreeing"] == 0
    assert result.counts["notes"] == kept + told["dropped"]
    # Where no note agrees, that is the verdict.
    ended.write_text(CONFIG.replace("[synthesis]", "[synthesis]\nagreement = 1"))
    result = run(ended)
    problem = "disagreement-share: no note has the annotations that detectors find in it"
    assert (result.verdict, result.reasons, result.exit_code) == ("HOLD", (problem,), 1)


def test_reading_is_measured_with_a_list_of_words_and_a_model_that_wrote_nothing(
    ended: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    save_causal(tmp_path / "reader", "gpt2")
    (tmp_path / "words.txt").write_text("paciente\nrefiere\n")
    folder, out = ended.parent / "synthesis", tmp_path / "fluency.json"
    given = ["--words", tmp_path / "words.txt", "--model", tmp_path / "reader", "--scored", 4]
    places = [
        folder / "filtered",
        folder / "corpus",
        "-o",
        out,
        "--key",
        ended.parent / "master.key",
    ]
    assert main(["synthesize", "fluency", *map(str, [*places, *given, "--json"])]) == 0
    told = json.loads(capsys.readouterr().out)
    found = {each["name"]: each["value"] for each in told["measured"]}
    assert found["perplexity-at-most"] == found["perplexity-at-least"] > 0
    assert 0 <= found["non-words"] < 1
    assert "signed" in json.loads(out.read_text())
    given = ["--words", "no-such-language"]
    assert main(["synthesize", "fluency", *map(str, [*places, *given])]) == 2


def test_what_was_asked_for_is_required_even_where_it_is_not_measured(
    ended: Path, tmp_path: Path
) -> None:
    filtered = ended.parent / "synthesis" / "filtered"
    request = GateRequest(filtered, [], "no key", ended.parent / "ours.toml")
    case = judge_notes(request, today=date(2026, 1, 1))
    assert not [reason for reason in case.decision.reasons if reason.startswith("perplexity")]
    assert {*PERPLEXITIES} <= {*case.not_measured}
    case = judge_notes(replace(request, expected=PERPLEXITIES), today=date(2026, 1, 1))
    assert {f"{name}: not measured" for name in PERPLEXITIES} <= {*case.decision.reasons}
    assert not {*PERPLEXITIES} & {*case.not_measured}
    # The schedule asks for them wherever it names a reader.
    save_causal(tmp_path / "reader", "gpt2")
    text = CONFIG.replace("recipe =", 'reader = "reader"\nreader_notes = 4\nrecipe =')
    ended.write_text(text)
    run(ended)
    report = json.loads((ended.parent / "synthesis" / "report" / "report.json").read_text())
    asked = {each["name"]: each["asked"] for each in report["measured"]}
    assert [asked[name] for name in PERPLEXITIES] == ["at most 1.3", "at least 0.8"]


def test_options_of_the_commands_reach_the_stages(ended: Path) -> None:
    (ended.parent / "shares.toml").write_text("NAME = 1\nDATE = 1\n")
    more = 'tags = "asked"\ncandidates = 2\nshares = "shares.toml"\nunmasked = false\nbatch = 8'
    ended.write_text(CONFIG.replace("batch = 8", more).replace("notes = 24", "notes = 10"))
    result = run(ended)
    assert result.counts["generated"] == 10
    told = json.loads((ended.parent / "synthesis" / "generated" / "manifest.json").read_text())
    assert (told["chosen_among"], told["shares"]) == (20, {"NAME": 1.0, "DATE": 1.0})
    assert (told["decoding"]["enforced"], told["decoding"]["masked"]) == (False, True)
    # Other shares under the same name are other notes.
    (ended.parent / "shares.toml").write_text("NAME = 1\nDATE = 3\n")
    assert "generated" in run(ended).seconds


def write_copies(generation: Any, units: Any, arguments: Any) -> None:
    """A generator that knows one note of a patient, and writes nothing else."""
    work(generation, units, arguments)
    note = load_corpus(generation.corpus).notes["train"][0].annotated
    for unit in units:
        records = map(json.loads, generation.part(unit).read_text("utf-8").splitlines())
        copies = [note_record(note, each["synthetic"]) | {"note_id": each["note_id"]}
                  for each in records]  # fmt: skip
        generation.write_part(unit, copies)


def test_where_every_note_is_a_copy_the_report_says_so(ended: Path) -> None:
    folder = ended.parent
    answer(ended)
    assert run(ended).exit_code == 0
    report = folder / "synthesis" / "report"
    assert "RELEASE" in (report / "report.html").read_text()
    published = (folder / "published" / "notes.jsonl").read_bytes()
    ended.write_text(ended.read_text().replace("max_length = 120", "max_length = 110"))
    result = run_synthesis(SynthesisRequest(ended, {}), write_copies, Progress(), print)
    problem = "copied-passages: every note has a passage of a patient"
    assert (result.verdict, result.reasons, result.exit_code) == ("HOLD", (problem,), 1)
    assert result.report == report / "report.html" and result.advice
    told = json.loads((report / "report.json").read_text())
    assert (told["verdict"], told["reasons"]) == ("HOLD", [problem])
    notes = folder / "synthesis" / "generated" / "notes.jsonl"
    assert told["about"]["notes"] == hash_file(notes)
    (chart,) = told["charts"]
    drawn = dict(zip(chart["groups"], chart["series"]["share"], strict=True))
    assert drawn["copied passage"] == 1.0
    assert problem in (report / "report.html").read_text()
    assert "RELEASE" not in (report / "report.html").read_text()
    statement = json.loads((report / "manifest.json").read_text())
    assert (statement["verdict"], statement["notes"]) == ("HOLD", told["about"]["notes"])
    assert statement["report_sha256"] == hash_file(report / "report.json")
    # What was published before stays until other notes are.
    assert (folder / "published" / "notes.jsonl").read_bytes() == published


def judge_soundness(config: Path, count: int | None = None) -> None:
    """One reader, to whom every note makes sense; of `count` notes, or of all."""
    notes = config.parent / "synthesis" / "screened" / "sound.jsonl"
    read = [json.loads(line) for line in notes.read_text("utf-8").splitlines()]
    answers = [{"pair": note["note"], "scores": {"sound": 5}} for note in read[:count]]
    told = {"reviewer": "reader-1", "review": hash_file(notes), "answers": answers}
    (config.parent / "answers" / "reader-1.json").write_text(json.dumps(told))


def test_what_was_asked_of_medicine_and_sense_may_not_be_missing(ended: Path) -> None:
    asked = CONFIG.replace("recipe =", "medical = true\nsound = true\nrecipe =")
    ended.write_text(asked)
    answer(ended)
    folder, warnings = ended.parent / "synthesis", list[str]()

    def again() -> Any:
        return run_synthesis(SynthesisRequest(ended, {}), work, Progress(), warnings.append)

    first = again()
    assert [*first.seconds] == ["sound", "utility", "agreement"]
    assert first.reasons[-1] == "sound-notes: not measured" and first.exit_code == 1
    assert [path.name for path in sorted((folder / "sound").glob("*.html"))] == [
        "reader-1.html", "reader-2.html",
    ]  # fmt: skip
    report = json.loads((folder / "report" / "report.json").read_text())
    measured = {each["name"]: each["asked"] for each in report["measured"]}
    assert measured["medical-of-real"] == "at least 0.8"
    # An answer is missing, so that the soundness is.
    judge_soundness(ended, 3)
    assert "sound-notes: not measured" in again().reasons
    judge_soundness(ended)
    second = again()
    assert [*second.seconds] == ["soundness"]
    assert "sound-notes: not measured" not in second.reasons
    report = json.loads((folder / "report" / "report.json").read_text())
    (found,) = (each for each in report["measured"] if each["name"] == "sound-notes")
    assert (found["value"], found["null"]) == (1.0, 1.0)
    assert not warnings
    # How readers agree stands in the report, as numbers and as a table.
    agreed = json.loads((folder / "agreement" / "agreement.json").read_text())["readers"]
    assert report["readers"] == agreed and {each["question"] for each in agreed} == {*QUESTIONS}
    page = (folder / "report" / "report.html").read_text()
    assert page.count("<td>one, two</td>") == len(agreed) == 3
    (linked,) = (each for each in agreed if each["question"] == "linked")
    assert f'<td class="n">{linked["p"]:.3f}</td>' in page
    assert (folder / "soundness" / "reasons.html").stat().st_mode & 0o077 == 0
    # Nobody asks for it any more: answers about single notes are left out, and said to be.
    ended.write_text(asked.replace("sound = true\n", ""))
    assert "soundness" not in again().reused
    assert warnings == ["reader-1.json: answers other pairs than those to read now; left out"]


def begin_with_pretrained(config: Path) -> Path:
    """Let the writer begin with weights, and give it notes that these cannot have read."""
    folder = config.parent
    save_causal(folder / "base", "llama")
    about = json.loads((folder / "base" / "config.json").read_text())
    places = {"max_position_embeddings": 512}
    (folder / "base" / "config.json").write_text(json.dumps(about | places))
    rows = [
        {"note_id": note.document.note_id, "text": note.document.text}
        for note in letters(20, seed=9)
    ]
    (folder / "unseen.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    text = CONFIG.split("[synthesis.training]", maxsplit=1)[0].replace(
        'recipe = "gpt-small"', 'unseen = "unseen.jsonl"\nunseen_notes = 12'
    )
    training = '[synthesis.training]\npretrained = "base"\nepochs = 1\n'
    generation = "[synthesis.generation]" + CONFIG.split("[synthesis.generation]")[1]
    config.write_text(text + training + generation)
    return folder / "unseen.jsonl"


def test_what_a_pretrained_model_knew_is_measured_where_there_are_notes_it_cannot_know(
    config: Path,
) -> None:
    unseen = begin_with_pretrained(config)
    first = run(config)
    assert "overlap" in first.seconds
    path = config.parent / "synthesis" / "overlap" / "overlap.json"
    found = json.loads(path.read_text())
    assert "signed" in found and found["measured"][0]["detail"]["unseen"] == 12
    report = json.loads((config.parent / "synthesis" / "report" / "report.json").read_text())
    assert {"base-likelihood-auc"} <= {each["name"] for each in report["measured"]}
    assert "base-likelihood-auc: not measured" not in first.reasons
    # It is of the model and the corpus: other notes measure it no second time.
    config.write_text(config.read_text().replace("max_length = 120", "max_length = 110"))
    assert "overlap" in run(config).reused
    # Changed since, or with other notes, it is measured again.
    path.write_text("{}")
    assert "overlap" in run(config).seconds
    unseen.write_text("".join(unseen.read_text().splitlines(keepends=True)[:-1]))
    assert "overlap" in run(config).seconds
    # Without notes to compare with nothing may leave.
    config.write_text(config.read_text().replace('unseen = "unseen.jsonl"\n', ""))
    assert "base-likelihood-auc: not measured" in run(config).reasons


def test_notes_to_compare_with_are_looked_at_before_anything_is_made(config: Path) -> None:
    def refused() -> ConfigError:
        with pytest.raises(ConfigError) as caught:
            run(config)
        assert not (config.parent / "synthesis" / "corpus").exists()
        return caught.value

    config.write_text(CONFIG.replace("recipe =", 'unseen = "unseen.jsonl"\nrecipe ='))
    assert refused().problem == "requires a pretrained writer"
    unseen = begin_with_pretrained(config)
    unseen.write_text('{"note_id": "1", "text": "one"}\n{"note_id": "2", "text": " "}\n')
    assert refused().key == "synthesis.unseen"
    unseen.unlink()
    assert str(unseen) in str(refused())


def test_what_was_changed_or_depends_on_it_is_made_again(ended: Path) -> None:
    config, folder = ended, ended.parent
    notes = folder / "synthesis" / "filtered" / "notes.jsonl"
    made = notes.read_bytes()
    notes.write_bytes(made[:-20])
    result = run(config)
    assert list(result.seconds) == ["filtered"] and notes.read_bytes() == made
    text = config.read_text()
    config.write_text(text.replace("max_length = 120", "max_length = 100"))
    result = run(config)
    assert list(result.reused) == ["corpus", "generator"]


@pytest.mark.parametrize(
    ("old", "new", "key"),
    [
        ("spans = true", "spans = false", "synthesis.cohort"),
        ('"jsonl:release"', '"sqlite:///absent.db"', "synthesis.cohort"),
        ('"jsonl:release"', '"jsonl:absent"', "synthesis.cohort"),
        ('output = "published"', 'output = "synthesis/out"', "synthesis.output"),
        ("width = 32", "wide = 32", "synthesis.training.wide"),
        ("width = 32", 'width = "32"', "synthesis.training.width"),
        ("batch = 8", 'known_words = "xx"', "synthesis.generation.known_words"),
        ("notes = 24", "agreement = 0.4", "synthesis.agreement"),
        ("notes = 24", "agreement = 1.5", "synthesis.agreement"),
        ("notes = 24", 'agreement_model = "absent"', None),
        ('answers = "answers"', 'folder = "answers"', None),
    ],
)
def test_a_configuration_that_cannot_work_is_refused_before_anything_is_made(
    config: Path, old: str, new: str, key: str | None
) -> None:
    config.write_text(CONFIG.replace(old, new))
    (config.parent / "answers" / "other").write_text("")
    with pytest.raises(ConfigError) as caught:
        run(config)
    assert key is None or caught.value.key == key
    assert not (config.parent / "synthesis" / "generator").exists()


def test_a_second_run_meets_the_lock(config: Path) -> None:
    (config.parent / "synthesis" / ".stages").mkdir(parents=True)
    with RunLock(config.parent / "synthesis" / "synthesis.lock"):
        assert main(["synthesize", "run", str(config), "--plain"]) == 2


def test_an_output_of_something_else_is_left_alone(ended: Path) -> None:
    config = ended
    answer(config)
    (config.parent / "published").mkdir()
    (config.parent / "published" / "mine.txt").write_text("mine")
    with pytest.raises(ConfigError, match="published"):
        run(config)
    assert (config.parent / "published" / "mine.txt").read_text() == "mine"


def change_manifest(release: Path) -> None:
    manifest = release / "manifest.json"
    told = json.loads(manifest.read_text())
    manifest.write_text(json.dumps(told | {"withdrawn": {"person_id": [1], "note_id": []}}))


@pytest.mark.parametrize(
    ("happens", "problem"),
    [
        (shutil.rmtree, "release: the release of study was withdrawn meanwhile"),
        (change_manifest, "release: the release of study was changed meanwhile"),
    ],
)
def test_a_release_that_is_another_by_now_publishes_nothing(
    ended: Path, happens: Callable[[Path], None], problem: str
) -> None:
    """It may be withdrawn while the generator learns, which holds no lock."""
    config, folder = ended, ended.parent
    answer(config)
    shutil.copytree(folder / "release", folder / "kept")

    def begin(phase: str) -> None:
        if phase == "deciding":
            happens(folder / "release")

    result = run(config, Progress(begin))
    assert (result.verdict, result.reasons, result.exit_code) == ("HOLD", (problem,), 1)
    assert "run this command again" in result.advice[0]
    assert not result.is_changed and not (folder / "published").exists()
    # What is left inside says so, too: page, numbers and the signed statement.
    report = folder / "synthesis" / "report"
    assert "RELEASE" not in (report / "report.html").read_text()
    told = json.loads((report / "report.json").read_text())
    assert (told["verdict"], told["reasons"]) == ("HOLD", [problem])
    statement = json.loads((report / "manifest.json").read_text())
    assert statement["verdict"] == "HOLD"
    assert statement["report_sha256"] == hash_file(report / "report.json")
    past = read_synthesis_runs(load(config).state, folder)
    assert past[0].status == "held" and past[0].about["reasons"] == [problem]
    # As it was, its notes are published without doing anything again.
    shutil.rmtree(folder / "release", ignore_errors=True)
    (folder / "kept").rename(folder / "release")
    result = run(config)
    assert (result.exit_code, result.is_changed, result.seconds) == (0, True, {})


def test_no_release_is_made_while_notes_are_published(ended: Path) -> None:
    config = ended
    answer(config)
    held: list[bool] = []

    def begin(phase: str) -> None:
        if phase == "publishing":
            place = config.parent / "state.db.lock"
            with pytest.raises(BlockingIOError), place.open() as lock:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            held.append(True)

    assert run(config, Progress(begin)).exit_code == 0
    assert held == [True]


def test_a_link_beside_the_output_is_not_followed(ended: Path) -> None:
    config, folder = ended, ended.parent
    config.write_text(CONFIG.replace('output = "published"', 'output = "share/out"'))
    answer(config)
    for name in ("share", "evil", "victim"):
        (folder / name).mkdir()
    (folder / "victim" / "state.db").write_text("state")
    (folder / "evil" / "notes.jsonl").symlink_to(folder / "victim" / "state.db")
    (folder / "share" / ".out.new").symlink_to(folder / "evil", target_is_directory=True)
    assert run(config).exit_code == 0
    assert (folder / "victim" / "state.db").read_text() == "state"
    assert not (folder / "share" / "out").is_symlink()
    assert (folder / "share" / "out" / "notes.jsonl").stat().st_size > 0
