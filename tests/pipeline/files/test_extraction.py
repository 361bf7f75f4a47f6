"""Documents on their way through the job and the command: settings, quality, what is shown."""

import json
import sqlite3
import stat
import subprocess
import sys
from collections import Counter
from contextlib import closing
from pathlib import Path
from typing import Any

import pymupdf
import pytest

from extractors.pdf.tessdata import find_tessdata
from pipeline.cli import main
from pipeline.config.document_passwords import load_passwords
from pipeline.config.settings import load
from pipeline.night.engine import run_in_process
from pipeline.night.nightly import NightlyResult, run_nightly
from record.errors import ConfigError

SOUND = "Douleur thoracique depuis hier, sans fièvre. " * 12
GARBAGE = "xkcvbn qwrtpl zxgfds mnbvcx plkjhg wrtzpq bcdfgh " * 12


def pdf(text: str, **options: Any) -> bytes:
    with pymupdf.open() as document:
        page = document.new_page()
        page.insert_textbox((50, 150, 545, 700), text, fontsize=11)
        return bytes(document.tobytes(**options))


def configure(config: Path, extra: str) -> None:
    text = config.read_text()
    config.write_text(text.replace("[extraction]\nlanguages = []\n", f"[extraction]\n{extra}\n"))


def points_to(config: Path, note_id: int, name: str, data: bytes) -> None:
    """Let a note be a document."""
    (config.parent / "pdf" / name).write_bytes(data)
    with closing(sqlite3.connect(config.parent / "hospital.db")) as database, database:
        database.execute(
            "update note set note_text = '', note_source_value = ? where note_id = ?",
            (name, note_id),
        )


def text_notes(config: Path) -> list[int]:
    with closing(sqlite3.connect(config.parent / "hospital.db")) as database:
        rows = database.execute("select note_id from note where note_text <> '' order by note_id")
        return [note_id for (note_id,) in rows]


def reasons(ended: NightlyResult) -> Counter[str]:
    counts: Counter[str] = Counter()
    for (_, _, reason, _), count in ended.summary.tally.quarantine.items():
        counts[reason] += count
    return counts


def run(config: Path) -> NightlyResult:
    return run_nightly(config, run_in_process)


class TestTheGate:
    def test_what_does_not_look_like_text_is_held_back(self, config: Path) -> None:
        configure(config, "languages = []")
        first, second, *_ = text_notes(config)
        points_to(config, first, "sound.pdf", pdf(SOUND))
        points_to(config, second, "garbage.txt", GARBAGE.encode())
        ended = run(config)
        assert reasons(ended)["low-quality"] == 1
        assert sum(ended.summary.tally.quality.values()) > 5
        page = (config.parent / "report.html").read_text()
        assert "Extracted documents, by quality" in page and "low-quality" in page

    def test_each_kind_of_note_has_its_threshold(self, config: Path) -> None:
        kinds = load(config).source.kinds
        lines = ", ".join(f'"{kind}" = 0' for kind in kinds.values())
        configure(config, f"languages = []\nmin_quality_by_kind = {{ {lines} }}")
        points_to(config, text_notes(config)[0], "garbage.txt", GARBAGE.encode())
        assert reasons(run(config))["low-quality"] == 0

    @pytest.mark.parametrize("value", ["1.5", "-0.1", '"high"'])
    def test_thresholds_are_shares(self, config: Path, value: str) -> None:
        configure(config, f"min_quality = {value}")
        with pytest.raises(ConfigError, match=r"extraction\.min_quality"):
            load(config)


class TestSettings:
    def test_only_documents_are_read_again(self, config: Path) -> None:
        run(config)
        documents = 0
        with closing(sqlite3.connect(config.parent / "hospital.db")) as database:
            ((documents,),) = database.execute("select count(*) from note where note_text = ''")
        configure(config, 'languages = []\nlayout = "full"')
        outcomes = run(config).summary.tally.outcomes
        assert 0 < documents == outcomes["released"] + outcomes["quarantined"]
        assert outcomes["unchanged"] == outcomes["planned"] - documents
        assert run(config).summary.tally.outcomes["unchanged"] == outcomes["planned"]

    def test_the_letter_alone_is_released(self, config: Path) -> None:
        (first, *_) = text_notes(config)
        with pymupdf.open() as document:
            page = document.new_page()
            page.insert_text((50, 40), "CENTRE HOSPITALIER DE SAINT-EXEMPLE", fontsize=9)
            page.insert_text((50, 52), "Standard : 01 23 45 67 89", fontsize=9)
            page.insert_textbox((50, 150, 545, 700), SOUND, fontsize=11)
            page.insert_text((280, 820), "Page 1 / 1", fontsize=8)
            data = bytes(document.tobytes())
        points_to(config, first, "letter.pdf", data)
        run(config)
        with closing(sqlite3.connect(config.parent / "research.db")) as database:
            texts = [text for (text,) in database.execute("select note_text from note")]
        (released,) = [text for text in texts if text.startswith("Douleur thoracique depuis")]
        assert "Standard" not in released and "Page 1" not in released

    def test_passwords_open_what_they_fit(self, config: Path) -> None:
        passwords = config.parent / "passwords.txt"
        passwords.write_text("wrong\nsesame\n")
        passwords.chmod(0o600)
        locked = pdf(
            SOUND, encryption=pymupdf.mupdf.PDF_ENCRYPT_AES_256, user_pw="sesame", owner_pw="o"
        )
        points_to(config, text_notes(config)[0], "locked.pdf", locked)
        assert reasons(run(config))["encrypted"] == 1
        configure(config, 'languages = []\npasswords = "file:passwords.txt"')
        assert reasons(run(config))["encrypted"] == 0

    def test_a_file_of_passwords_is_for_its_owner(self, tmp_path: Path) -> None:
        path = tmp_path / "passwords.txt"
        path.write_text("sesame\n")
        path.chmod(0o644)
        with pytest.raises(ConfigError, match="chmod 600") as caught:
            load_passwords("file:passwords.txt", tmp_path, {})
        assert "sesame" not in str(caught.value)
        path.chmod(0o600)
        assert load_passwords("file:passwords.txt", tmp_path, {}) == ("sesame",)
        assert load_passwords("env:WORDS", tmp_path, {"WORDS": "a\nb"}) == ("a", "b")
        for locator in ("passwords.txt", "file:none.txt", "env:CRYPTONYM_NOT_SET"):
            with pytest.raises(ConfigError):
                load_passwords(locator, tmp_path, {})


class TestTheCommand:
    @pytest.fixture
    def reports(self, template: Path) -> list[str]:
        return sorted(map(str, (template / "pdf").glob("*.pdf")))[:8]

    def test_layouts(self, reports: list[str], tmp_path: Path) -> None:
        texts = {}
        for layout in ("body", "full"):
            out = tmp_path / f"{layout}.jsonl"
            assert main(
                ["extract", *reports, "-o", str(out), "--layout", layout, "--ocr", "none",
                 "--plain", "--max-quarantine-share", "1"]
            ) == 0  # fmt: skip
            notes = map(json.loads, out.read_text().splitlines())
            texts[layout] = {note["note_id"]: note for note in notes}
        assert texts["body"].keys() == texts["full"].keys() != set()
        for name, note in texts["body"].items():
            assert 0 < len(note["text"]) < len(texts["full"][name]["text"])
            assert 0.6 <= note["quality"] <= 1 and note["origin"] == "pdf"

    def test_the_engine_without_pymupdf(self, reports: list[str], tmp_path: Path) -> None:
        """In an interpreter that has no PyMuPDF, the letters of both engines say the same."""
        block = (
            "import sys; sys.modules['pymupdf'] = None\n"
            "from pathlib import Path\n"
            "from extractors.extractor import Extractor\n"
            "from extractors.document.limits import Limits\n"
            "from extractors.document.options import Engine, Options\n"
            "extractor = Extractor(Limits(), Options(engine=Engine.PDFPLUMBER))\n"
            "print(extractor.extract(Path(sys.argv[1]).read_bytes()).text)\n"
        )
        out = tmp_path / "mupdf.jsonl"
        arguments = ["-o", str(out), "--ocr", "none", "--max-quarantine-share", "1"]
        assert main(["extract", *reports, *arguments]) == 0
        for note in map(json.loads, out.read_text().splitlines()[:3]):
            (path,) = [report for report in reports if note["note_id"] in report]
            other = subprocess.run(
                [sys.executable, "-c", block, path], capture_output=True, text=True, check=True
            ).stdout
            ours, theirs = set(note["text"].split()), set(other.split())
            assert len(ours & theirs) > 0.95 * max(len(ours), len(theirs))

    def test_pdfplumber_draws_no_pictures(
        self, reports: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        out, folder = str(tmp_path / "n.jsonl"), str(tmp_path / "pictures")
        command = ["extract", reports[0], "-o", out, "--engine", "pdfplumber"]
        assert main([*command, "--debug-pdf", folder]) == 2
        assert "extraction.engine" in capsys.readouterr().err
        assert main([*command, "--ocr", "none", "--max-quarantine-share", "1"]) == 0

    def test_pictures_of_the_classes(self, reports: list[str], tmp_path: Path) -> None:
        folder = tmp_path / "pictures"
        assert main(
            ["extract", reports[0], "-o", str(tmp_path / "n.jsonl"), "--debug-pdf", str(folder),
             "--plain"]
        ) == 0  # fmt: skip
        (picture,) = folder.glob("*.pdf")
        assert stat.S_IMODE(picture.stat().st_mode) == 0o600
        with pymupdf.open(reports[0]) as report, pymupdf.open(picture) as drawn:
            assert drawn.page_count == report.page_count
            assert not any(page.get_text().strip() for page in drawn)

    def test_pages_to_label_and_to_learn_from(
        self, reports: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        pages = tmp_path / "pages.jsonl"
        arguments = ["extract", *reports, "-o", str(tmp_path / "n.jsonl"), "--ocr", "none"]
        arguments += ["--label-pages", str(pages), "--plain", "--max-quarantine-share", "1"]
        assert main(arguments) == 0
        assert stat.S_IMODE(pages.stat().st_mode) == 0o600
        rows = [json.loads(line) for line in pages.read_text().splitlines()]
        assert {line["class"] for row in rows for line in row["lines"]} >= {"body", "header"}
        boxes = tmp_path / "boxes.npz"
        train = ["extract", "train", str(pages), "-o", str(boxes), "--steps", "2", "--plain"]
        assert main(train) == 0
        assert "body recall, trained" in capsys.readouterr().out
        assert main([*arguments, "--boxes", str(boxes)]) == 0

    def test_training_wants_labelled_pages(
        self, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        pages = tmp_path / "pages.jsonl"
        pages.write_text("no json\n")
        assert main(["extract", "train", str(pages), "-o", str(tmp_path / "b.npz")]) == 2
        assert "pages.jsonl" in capsys.readouterr().err

    def test_weights_that_are_none(
        self, reports: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        boxes = tmp_path / "boxes.npz"
        boxes.write_bytes(b"none")
        out = str(tmp_path / "n.jsonl")
        assert main(["extract", *reports[:1], "-o", out, "--boxes", str(boxes)]) == 2
        assert "boxes" in capsys.readouterr().err


def test_tessdata_is_where_it_is_said_to_be(tmp_path: Path) -> None:
    assert find_tessdata((), None) is None
    assert find_tessdata(("eng",), str(tmp_path)) is None
    (tmp_path / "eng.traineddata").touch()
    assert find_tessdata(("eng",), str(tmp_path)) == tmp_path
    assert find_tessdata(("eng", "fra"), str(tmp_path)) is None
