"""`cryptonym keys`: ids and uses are shown, secrets never, and a destroyed cohort stays so."""

import json
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from pipeline.cli import main
from pipeline.config.settings import load
from pipeline.night.engine import run_in_process
from pipeline.night.nightly import run_nightly
from pipeline.notes.worker_resources import open_master
from record.algorithms import ALGORITHM
from record.errors import ConfigError
from surrogates.keys.keys import custody_of
from tests.pipeline.conftest import Site

NOTE = {"note_id": "1", "text": "Vu M. DUPONT.", "lang": "fr"}
SPANS = {"spans": [{"start": 6, "end": 12, "label": "LAST_NAME"}]}


@pytest.fixture
def key(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Path:
    path = tmp_path / "m.key"
    assert main(["keys", "new", str(path)]) == 0
    assert "offline" in capsys.readouterr().out
    return path


@pytest.fixture
def run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Callable[..., tuple[int, Any]]:
    """Run a command on the key; returns its code and what it printed as JSON."""

    def command(*words: str) -> tuple[int, Any]:
        capsys.readouterr()
        code = main([*words, "--json"])
        said = capsys.readouterr()
        return code, json.loads(said.out) if said.out else said.err

    return command


def pseudonymize(tmp_path: Path, *words: str) -> tuple[int, str]:
    (tmp_path / "notes.jsonl").write_text(json.dumps(NOTE | SPANS) + "\n")
    files = (str(tmp_path / "notes.jsonl"), "-o", str(tmp_path / "out.jsonl"))
    code = main(["pseudonymize", *files, "--cohort", "c", "--spans", "given", *words])
    return code, (tmp_path / "out.jsonl").read_text() if code == 0 else ""


def test_derive_prints_ids_alone(key: Path, run: Callable[..., tuple[int, Any]]) -> None:
    code, told = run("keys", "derive", "--key", str(key), "--cohort", "c")
    assert code == 0
    (entry,) = told["cohorts"]
    assert (entry["name"], entry["own_secret"], entry["destroyed"]) == ("c", True, None)
    assert run("keys", "derive", "--key", str(key)) == (0, told)
    assert run("keys", "derive", "--key", f"file:{key}", "--cohort", "c") == (0, told)
    secrets = [path.read_text().split()[1] for path in (key, *custody_of(key).glob("*.secret"))]
    assert len(secrets) == 2
    assert not any(secret in json.dumps(told) for secret in secrets)


def test_a_destroyed_cohort_is_refused_everywhere(
    key: Path,
    run: Callable[..., tuple[int, Any]],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert pseudonymize(tmp_path, "--key", str(key))[0] == 0
    code, told = run("keys", "destroy", "--key", str(key), "--cohort", "c")
    assert (code, bool(told["destroyed"])) == (0, True)
    assert pseudonymize(tmp_path, "--key", str(key))[0] == 2
    assert "cannot be derived" in capsys.readouterr().err
    assert run("keys", "derive", "--key", str(key), "--cohort", "c")[0] == 2
    assert run("keys", "destroy", "--key", str(key), "--cohort", "typo")[0] == 2
    assert main(["keys", "destroy", "--key", str(key), "--cohort", "c"]) == 0
    assert "are not reached" in capsys.readouterr().out


def test_log_shows_uses_and_finds_what_was_changed(
    key: Path,
    run: Callable[..., tuple[int, Any]],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    pseudonymize(tmp_path, "--key", str(key))
    code, told = run("keys", "log", "--key", str(key), "--verify")
    assert (code, told["problems"]) == (0, [])
    assert [use["action"] for use in told["uses"]] == ["new", "use"]
    assert run("keys", "log", "--key", str(key), "--noted", told["last"])[0] == 0
    assert main(["keys", "log", "--key", str(key)]) == 0
    assert "2 uses" in capsys.readouterr().out
    log = custody_of(key) / "uses.jsonl"
    log.write_bytes(log.read_bytes().replace(b'"use"', b'"new"'))
    code, told = run("keys", "log", "--key", str(key), "--verify")
    assert code == 1
    assert told["problems"]
    text = (tmp_path / "notes.jsonl").read_text() + log.read_text()
    assert "DUPONT" not in log.read_text() and "DUPONT" in text


def test_a_key_of_an_earlier_version_gets_a_log_and_can_be_retired(
    run: Callable[..., tuple[int, Any]], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    old = tmp_path / "old.key"
    old.write_text("cryptonym-key-v1\n" + "ab" * 32 + "\n")
    old.chmod(0o600)
    before = pseudonymize(tmp_path, "--key", str(old))
    assert run("keys", "log", "--key", str(old))[0] == 2
    assert run("keys", "derive", "--key", str(old), "--cohort", "c")[0] == 0
    assert pseudonymize(tmp_path, "--key", str(old)) == before
    assert run("keys", "destroy", "--key", str(old), "--cohort", "c")[0] == 2
    assert main(["keys", "destroy", "--key", str(old), "--cohort", "c", "--retire"]) == 0
    assert "NOT destroyed" in capsys.readouterr().out
    assert pseudonymize(tmp_path, "--key", str(old))[0] == 2


def test_variables_and_commands_give_the_same_notes(
    key: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = pseudonymize(tmp_path, "--key", str(key))
    monkeypatch.setenv("MASTER", key.read_text())
    custody = ("--custody", str(custody_of(key)))
    assert pseudonymize(tmp_path, "--key", "env:MASTER", *custody) == expected
    assert pseudonymize(tmp_path, "--key", f"command:cat {key}", *custody) == expected
    assert pseudonymize(tmp_path, "--key", "env:MASTER")[0] == 2
    assert pseudonymize(tmp_path, "--key", "command:false", *custody)[0] == 4


def test_keys_of_other_places_need_a_folder_to_be_named(
    key: Path, run: Callable[..., tuple[int, Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MASTER", key.read_text())
    assert run("keys", "derive", "--key", "env:MASTER", "--cohort", "c")[0] == 2
    custody = str(custody_of(key))
    assert (
        run("keys", "derive", "--key", "env:MASTER", "--cohort", "c", "--custody", custody)[0] == 0
    )


def test_a_key_without_its_folder_gets_no_other(
    key: Path, run: Callable[..., tuple[int, Any]]
) -> None:
    folder = custody_of(key)
    folder.rename(folder.with_name("away"))
    code, said = run("keys", "derive", "--key", str(key), "--cohort", "c")
    assert code == 2
    assert "key.custody" in said
    assert not list(key.parent.glob("*.custody"))


# The nightly job


def test_a_run_drops_columns_and_stops_with_its_cohort(site: Site) -> None:
    site.source("delete from note where note_id > 6")
    site.configure('lang = "fr"', 'lang = "fr"\npolicy = {name = "synthetic-source"}')
    run_nightly(site.config, run_in_process)
    with sqlite3.connect(site.folder / "research.db") as output:
        titles, moments, visits = zip(
            *output.execute("select note_title, note_datetime, visit_occurrence_id from note"),
            strict=True,
        )
        races = {race for (race,) in output.execute("select race_concept_id from person")}
    assert set(titles) | set(moments) | set(visits) == {None}
    assert races == {0}
    custody = custody_of(site.folder / "master.key")
    for path in (site.folder / "master.key", *custody.glob("*.secret")):
        secret = path.read_text().split()[1]
        holders = [
            each
            for each in site.folder.rglob("*")
            if each.is_file()
            and (secret.encode() in each.read_bytes() or bytes.fromhex(secret) in each.read_bytes())
        ]
        assert holders == [path]
    settings = load(site.config)
    opened = open_master(settings).custody
    assert opened is not None
    actions = [use.action for use in opened.log.uses()]
    assert actions[:2] == ["new", "derive"]
    assert "use" in actions
    open_master(settings).destroy(settings.cohort)
    with pytest.raises(ConfigError, match="cannot be derived"):
        run_nightly(site.config, run_in_process)


def test_shares_open_a_key_whose_file_is_gone(
    key: Path,
    run: Callable[..., tuple[int, Any]],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    before = run("keys", "derive", "--key", str(key), "--cohort", "c")
    shares = tmp_path / "shares"
    words = ("keys", "split", str(key), "--shares", "3", "--threshold", "2", "-o", str(shares))
    assert main(list(words)) == 0
    assert main(list(words)) == 2
    assert [path.stat().st_mode & 0o777 for path in sorted(shares.iterdir())] == [0o600] * 3
    secret = key.read_text().split()[1]
    said = capsys.readouterr()
    assert secret not in said.out + said.err
    key.unlink()
    custody = ("--custody", str(custody_of(key)))
    both = f"shares:{shares}/share-1,{shares}/share-3"
    assert run("keys", "derive", "--key", both, "--cohort", "c", *custody) == before
    one = run("keys", "derive", "--key", f"shares:{shares}/share-1", "--cohort", "c", *custody)
    assert one[0] == 2
    assert "named" in run("keys", "derive", "--key", both, "--cohort", "c")[1]


def test_a_rotated_key_goes_on_and_the_new_one_begins(
    key: Path, run: Callable[..., tuple[int, Any]], tmp_path: Path
) -> None:
    before = run("keys", "derive", "--key", str(key), "--cohort", "c")
    new = tmp_path / "new.key"
    code, told = run("keys", "rotate", "--key", str(key), str(new))
    assert code == 0
    assert run("keys", "rotate", "--key", str(key), str(new))[0] == 2
    assert run("keys", "derive", "--key", str(key), "--cohort", "c") == before
    assert run("keys", "derive", "--key", str(key), "--cohort", "another")[0] == 2
    code, after = run("keys", "derive", "--key", str(new), "--cohort", "c")
    assert (code, after["master_key_id"]) == (0, told["new_key_id"])
    assert after["cohorts"] != before[1]["cohorts"]
    assert run("keys", "log", "--key", str(key), "--verify")[0] == 0


def test_a_person_is_told_with_both_keys_and_a_reason_and_written_down(
    key: Path, run: Callable[..., tuple[int, Any]], tmp_path: Path
) -> None:
    second = tmp_path / "v.key"
    assert main(["keys", "new", str(second), "--vault"]) == 0
    notes = [NOTE | SPANS | {"note_id": n, "person_id": n} for n in ("p-1", "p-2")]
    (tmp_path / "notes.jsonl").write_text("".join(json.dumps(note) + "\n" for note in notes))
    vault = ("--vault", str(tmp_path / "v.db"))
    files = (str(tmp_path / "notes.jsonl"), "-o", str(tmp_path / "out.jsonl"))
    options = ("--cohort", "c", "--spans", "given", "--note-ids", "replace", *vault)
    code, told = run(
        "pseudonymize", *files, "--key", str(key), *options, "--vault-key", str(second)
    )
    assert code == 0
    assert set(told["origin"]) == {"cryptonym", "detector", "surrogates", "key_id", "policy_id"}
    assert told["origin"]["surrogates"] == str(ALGORITHM)
    persons = [
        json.loads(each)["person_id"] for each in (tmp_path / "out.jsonl").read_text().splitlines()
    ]
    ask = ("keys", "reveal", "--key", str(key), "--cohort", "c", *vault, "--reason", "finding")
    both = (*ask, "--vault-key", str(second))
    for person, expected in zip(persons, ("p-1", "p-2"), strict=True):
        code, told = run(*both, "--person", person)
        assert (code, told["person_id"]) == (0, expected)
    uses = run("keys", "log", "--key", str(key), "--verify")[1]["uses"]
    assert [use["reason"] for use in uses if use["action"] == "reveal"] == [
        f"person {person}: finding" for person in persons
    ]
    assert "p-1" not in json.dumps(uses)
    # Without the second key nothing is told, and nothing was done that has to be written down.
    assert main(["keys", "new", str(tmp_path / "w.key"), "--vault"]) == 0
    for wrong in (key, tmp_path / "w.key", tmp_path / "none"):
        code, told = run(*ask, "--vault-key", str(wrong), "--person", persons[0])
        assert code == 2
        assert "p-1" not in told
    assert run(*both, "--reason", " ", "--person", persons[0])[0] == 2
    assert len(run("keys", "log", "--key", str(key))[1]["uses"]) == len(uses)
    assert run(*both, "--person", "17")[0] == 2
    # The end of a cohort is the end of what its vault tells.
    assert run("keys", "destroy", "--key", str(key), "--cohort", "c")[0] == 0
    assert run(*both, "--person", persons[0])[0] == 2
