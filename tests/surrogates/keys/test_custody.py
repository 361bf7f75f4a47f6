"""Custody: cohorts end for ever, what is lost is not replaced in silence, every use is seen."""

import copy
import json
import os
import pickle
import stat
import subprocess
import sys
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.hmac import HMAC

from record.algorithms import ALGORITHM, ALGORITHMS
from record.errors import ConfigError
from surrogates.keys.custody import Custody
from surrogates.keys.keys import MasterKey, custody_of, load_master, new_master
from surrogates.keys.usage_log import HEAD, LOG, KeyUsageLog


@pytest.fixture
def key(tmp_path: Path) -> Path:
    new_master(tmp_path / "m.key")
    return tmp_path / "m.key"


@pytest.fixture
def folder(key: Path) -> Path:
    return key.with_name("m.key.custody")


def loaded(key: Path) -> MasterKey:
    return load_master(f"file:{key}", Path())


def custody(key: Path) -> Custody:
    found = loaded(key).custody
    assert found is not None
    return found


def older(tmp_path: Path) -> Path:
    """A key as earlier versions made it: without a folder."""
    path = tmp_path / "old.key"
    path.write_text("cryptonym-key-v1\n" + "ab" * 32 + "\n")
    path.chmod(0o600)
    return path


def secret_of(folder: Path) -> Path:
    (found,) = folder.glob("*.secret")
    return found


# Cohorts


def test_a_cohort_is_the_same_in_every_process(key: Path) -> None:
    first = loaded(key).cohort("a")
    assert loaded(key).cohort("a").patient("1").draw("X", "v") == first.patient("1").draw("X", "v")
    assert loaded(key).cohort("b").key_id != first.key_id


def test_the_master_key_alone_does_not_give_a_cohort(key: Path, folder: Path) -> None:
    cohort = loaded(key).cohort("a")
    secret = bytes.fromhex(key.read_text().split()[1])
    assert MasterKey(secret).cohort("a").key_id != cohort.key_id
    secret_of(folder).rename(folder / "away")
    with pytest.raises(ConfigError, match="is missing"):
        loaded(key).cohort("a")


def test_everything_in_the_folder_is_the_owners_alone(key: Path, folder: Path) -> None:
    loaded(key).cohort("a")
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    files = list(folder.iterdir())
    assert {path.suffix for path in files} == {".cohort", ".secret", ".jsonl", ".head"}
    assert all(stat.S_IMODE(path.stat().st_mode) == 0o600 for path in files)


def test_without_its_folder_a_key_is_refused(key: Path, folder: Path) -> None:
    folder.rename(folder.with_name("elsewhere"))
    with pytest.raises(ConfigError) as raised:
        loaded(key).cohort("a")
    assert raised.value.key == "key.custody"
    elsewhere = load_master(f"file:{key}", key.parent, custody=Path("elsewhere"))
    assert elsewhere.cohort("a").key_id
    with pytest.raises(ConfigError, match="not configured"):
        load_master("env:KEY", Path(), environ={"KEY": key.read_text()})


@pytest.mark.parametrize("mode", [0o750, 0o705, 0o777])
def test_a_folder_open_to_others_is_refused(key: Path, folder: Path, mode: int) -> None:
    folder.chmod(mode)
    with pytest.raises(ConfigError, match="accessible to other users") as raised:
        loaded(key).cohort("a")
    assert f"chmod 700 {folder}" in raised.value.remedy


@pytest.mark.parametrize(
    "content", ["", "cryptonym-cohort-v1\n", "cryptonym-cohort-v1\n" + "zz" * 32]
)
def test_a_damaged_secret_is_refused(key: Path, folder: Path, content: str) -> None:
    loaded(key).cohort("a")
    secret_of(folder).write_text(content)
    with pytest.raises(ConfigError, match="not a cohort secret"):
        loaded(key).cohort("a")


def test_a_secret_of_another_key_is_noticed(key: Path, folder: Path) -> None:
    loaded(key).cohort("a")
    secret_of(folder).write_text("cryptonym-cohort-v1\n" + "ab" * 32 + "\n")
    with pytest.raises(ConfigError, match="key mismatch"):
        loaded(key).cohort("a")


def test_a_secret_whose_cohort_was_not_written_down_counts(key: Path, folder: Path) -> None:
    first = loaded(key).cohort("a")
    (entry,) = folder.glob("*.cohort")
    entry.unlink()
    assert loaded(key).cohort("a").key_id == first.key_id


def test_keys_of_earlier_versions_give_what_they_gave(tmp_path: Path) -> None:
    path = older(tmp_path)
    expected = MasterKey(b"\xab" * 32).cohort("a").key_id
    assert loaded(path).cohort("a").key_id == expected
    assert not path.with_name("old.key.custody").exists()
    path.with_name("old.key.custody").mkdir(mode=0o700)
    assert loaded(path).cohort("a").key_id == expected
    assert [use.action for use in custody(path).log.uses()] == ["use"]


def test_a_cohort_of_another_version_of_the_surrogates_is_refused(key: Path, folder: Path) -> None:
    loaded(key).cohort("a")
    (entry,) = folder.glob("*.cohort")
    told = json.loads(entry.read_text())
    assert told.pop("algorithm") == ALGORITHM
    # As version 1 wrote it.
    entry.write_text(json.dumps(told))
    with pytest.raises(ConfigError, match="the cohort has version 1") as raised:
        loaded(key).cohort("a")
    assert raised.value.key == "cohort"
    assert loaded(key).destroy("a").destroyed


# Rotation


def test_a_rotated_key_goes_on_with_its_cohorts_and_makes_no_others(key: Path) -> None:
    first = loaded(key).cohort("a")
    loaded(key).rotate("0badcafe")
    assert loaded(key).cohort("a").key_id == first.key_id
    with pytest.raises(ConfigError, match="need the key 0badcafe") as raised:
        loaded(key).cohort("b")
    assert raised.value.key == "key.locator"
    assert not custody(key).entry("b")
    assert [(use.action, use.reason) for use in custody(key).log.uses()][-2:] == [
        ("rotate", "to 0badcafe"),
        ("use", None),
    ]
    assert custody(key).log.problems() == []
    assert loaded(key).destroy("a").destroyed


def test_only_a_cohort_that_is_there_is_named_for_reading(key: Path) -> None:
    with pytest.raises(ConfigError, match="no such cohort"):
        loaded(key).cohort("typo", make=False)
    assert custody(key).entry("typo") is None
    made = loaded(key).cohort("a", action="reveal", reason="why")
    assert loaded(key).cohort("a", make=False).key_id == made.key_id
    assert custody(key).log.uses()[1].reason == "why"


# Destruction


def test_a_destroyed_cohort_never_comes_back(key: Path, folder: Path) -> None:
    cohort = loaded(key).cohort("a")
    kept = loaded(key).cohort("b")
    before = secret_of_name(folder, "a", key)
    entry = loaded(key).destroy("a")
    assert entry.key_id == cohort.key_id
    assert entry.destroyed
    assert not before.exists()
    for again in range(2):
        with pytest.raises(ConfigError, match="cannot be derived") as raised:
            loaded(key).cohort("a")
        assert raised.value.key == "cohort"
        assert loaded(key).destroy("a").destroyed == entry.destroyed, again
    assert loaded(key).cohort("b").key_id == kept.key_id
    assert [use.action for use in custody(key).log.uses()][-4:] == [
        *("destroy", "destroy", "destroy", "use")
    ]


def secret_of_name(folder: Path, name: str, key: Path) -> Path:
    return custody(key)._path(name, "secret")


def test_the_secret_is_overwritten_before_it_goes(key: Path, folder: Path, tmp_path: Path) -> None:
    loaded(key).cohort("a")
    path = secret_of(folder)
    content = path.read_bytes()
    # A second name of the same file shows what is left on the disk.
    (tmp_path / "link").hardlink_to(path)
    loaded(key).destroy("a")
    assert not path.exists()
    left = (tmp_path / "link").read_bytes()
    assert len(left) == len(content)
    assert content.split()[1] not in left


def test_destruction_that_was_stopped_half_way_is_finished(
    key: Path, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    loaded(key).cohort("a")

    def stopped(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr(Path, "unlink", stopped)
        loaded(key).destroy("a")
    assert secret_of(folder).exists()
    with pytest.raises(ConfigError, match="cannot be derived"):
        loaded(key).cohort("a")
    loaded(key).destroy("a")
    assert not list(folder.glob("*.secret"))


def test_a_tombstone_holds_even_if_the_secret_is_put_back(key: Path, folder: Path) -> None:
    loaded(key).cohort("a")
    path = secret_of(folder)
    content = path.read_bytes()
    loaded(key).destroy("a")
    path.write_bytes(content)
    path.chmod(0o600)
    with pytest.raises(ConfigError, match="cannot be derived"):
        loaded(key).cohort("a")


def test_only_what_is_there_is_destroyed(key: Path, tmp_path: Path) -> None:
    with pytest.raises(ConfigError) as raised:
        loaded(key).destroy("never")
    assert raised.value.key == "--cohort"
    path = older(tmp_path)
    with pytest.raises(ConfigError, match="no custody folder"):
        loaded(path).destroy("a")
    path.with_name("old.key.custody").mkdir(mode=0o700)
    with pytest.raises(ConfigError, match="no secret of its own to destroy"):
        loaded(path).destroy("a")
    assert loaded(path).cohort("a").key_id


def test_a_cohort_without_a_secret_is_retired_and_said_to_be_no_more(tmp_path: Path) -> None:
    path = older(tmp_path)
    path.with_name("old.key.custody").mkdir(mode=0o700)
    entry = loaded(path).destroy("a", retire=True)
    assert not entry.own_secret
    with pytest.raises(ConfigError):
        loaded(path).cohort("a")
    assert [use.action for use in custody(path).log.uses()] == ["retire"]


# The log


def test_every_use_is_written_down(key: Path) -> None:
    loaded(key).cohort("a")
    loaded(key).cohort("né à", action="derive")
    uses = custody(key).log.uses()
    assert [(use.number, use.action, use.cohort) for use in uses] == [
        (1, "new", None),
        (2, "use", "a"),
        (3, "derive", "né à"),
    ]
    assert {use.user for use in uses} == {os.getuid()}
    assert custody(key).log.problems() == []


def lines_of(folder: Path) -> list[bytes]:
    return (folder / LOG).read_bytes().splitlines(keepends=True)


def drop_last(lines: list[bytes]) -> list[bytes]:
    return lines[:-1]


def drop_first(lines: list[bytes]) -> list[bytes]:
    return lines[1:]


def edit(lines: list[bytes]) -> list[bytes]:
    return [lines[0], lines[1].replace(b'"use"', b'"let"'), *lines[2:]]


def swap(lines: list[bytes]) -> list[bytes]:
    return [lines[0], lines[2], lines[1], *lines[3:]]


def forge(lines: list[bytes]) -> list[bytes]:
    return [*lines, lines[-1]]


def cut(lines: list[bytes]) -> list[bytes]:
    return [*lines[:-1], lines[-1][:-9]]


def empty(_: list[bytes]) -> list[bytes]:
    return []


@pytest.mark.parametrize("change", [drop_last, drop_first, edit, swap, forge, cut, empty])
def test_a_changed_log_is_noticed(key: Path, folder: Path, change: Callable[[Any], Any]) -> None:
    for name in "abc":
        loaded(key).cohort(name)
    (folder / LOG).write_bytes(b"".join(change(lines_of(folder))))
    assert custody(key).log.problems() != []


def chained(folder: Path, line: dict[str, Any]) -> bytes:
    """A line that continues the log as whoever has no key can write it."""
    last = lines_of(folder)[-1]
    line |= {"number": len(lines_of(folder)) + 1, "previous": sha256(last).hexdigest()}
    return json.dumps(line).encode() + b"\n"


@pytest.mark.parametrize("code", [None, "", "0" * 64, "taken"])
def test_a_line_added_without_the_key_is_refused(key: Path, folder: Path, code: str | None) -> None:
    loaded(key).cohort("a")
    line = json.loads(lines_of(folder)[-1])
    if code is None:
        del line["code"]
    elif code != "taken":
        line["code"] = code
    with (folder / LOG).open("ab") as log:
        log.write(chained(folder, line | {"action": "reveal"}))
    assert custody(key).log.problems() != []
    with pytest.raises(ConfigError, match="invalid last line"):
        loaded(key).cohort("a")


def test_a_line_that_was_written_and_not_sealed_counts(key: Path, folder: Path) -> None:
    loaded(key).cohort("a")
    head = (folder / HEAD).read_bytes()
    loaded(key).cohort("a")
    (folder / HEAD).write_bytes(head)
    loaded(key).cohort("a")
    assert len(custody(key).log.uses()) == 4
    assert custody(key).log.problems() == []


@pytest.mark.parametrize(
    "names",
    [[LOG], [HEAD], [LOG, HEAD], [LOG, HEAD, "*.cohort"], [LOG, HEAD, "*.cohort", "*.secret"]],
)
def test_removing_the_log_of_a_used_key_is_detected(
    key: Path, folder: Path, names: list[str]
) -> None:
    loaded(key).cohort("a")
    for name in names:
        for path in list(folder.glob(name)):
            path.unlink()
    assert custody(key).log.problems() != []
    with pytest.raises(ConfigError):
        loaded(key).cohort("a")


def test_a_log_of_the_version_before_goes_on_with_codes(key: Path, folder: Path) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(KeyUsageLog, "_compute_code", lambda *_: "")
        patch.setattr(KeyUsageLog, "_is_authentic", lambda *_: False)
        path = key.with_name("before.key")
        new_master(path)
        loaded(path).cohort("a")
    log = custody_of(path)
    before = [json.loads(line) for line in lines_of(log)]
    sealed = json.loads((log / HEAD).read_bytes())
    lines = b""
    for line in before:
        del line["code"]
        line["previous"] = (
            sha256(lines.splitlines(keepends=True)[-1]).hexdigest() if lines else ("0" * 64)
        )
        lines += json.dumps(line).encode() + b"\n"
    (log / LOG).write_bytes(lines)
    sealed |= {"bytes": len(lines), "coded": 0}
    sealed["last"] = sha256(lines.splitlines(keepends=True)[-1]).hexdigest()
    message = f"{sealed['lines']} {sealed['bytes']} {sealed['last']}".encode()
    seal = HMAC(custody(path).log._seal, SHA256())
    seal.update(message)
    del sealed["coded"]
    (log / HEAD).write_text(json.dumps(sealed | {"seal": seal.finalize().hex()}))
    assert custody(path).log.problems() == []
    loaded(path).cohort("a")
    uses = custody(path).log.uses()
    assert [bool(use.code) for use in uses] == [False, False, True]
    assert custody(path).log.problems() == []


@pytest.mark.parametrize("change", [drop_last, drop_first, forge, cut, empty])
def test_nothing_is_done_with_a_key_whose_log_was_cut(
    key: Path, folder: Path, change: Callable[[Any], Any]
) -> None:
    for name in "abc":
        loaded(key).cohort(name)
    (folder / LOG).write_bytes(b"".join(change(lines_of(folder))))
    with pytest.raises(ConfigError) as raised:
        loaded(key).cohort("a")
    assert raised.value.key == "key.custody"
    assert "keys log --verify" in raised.value.remedy


def test_a_seal_that_is_gone_or_forged_is_noticed(key: Path, folder: Path) -> None:
    for name in "ab":
        loaded(key).cohort(name)
    seal = (folder / HEAD).read_bytes()
    record = json.loads(seal)
    kept = lines_of(folder)[:-1]
    (folder / LOG).write_bytes(b"".join(kept))
    shorter = record | {"lines": len(kept), "bytes": sum(map(len, kept))}
    (folder / HEAD).write_text(json.dumps(shorter))
    assert any("seal" in problem for problem in custody(key).log.problems())
    (folder / HEAD).write_text("{}")
    assert any("corrupt" in problem for problem in custody(key).log.problems())
    (folder / HEAD).unlink()
    with pytest.raises(ConfigError):
        loaded(key).cohort("a")


def test_a_log_and_seal_put_back_together_are_told_by_a_noted_hash(key: Path, folder: Path) -> None:
    loaded(key).cohort("a")
    old = {name: (folder / name).read_bytes() for name in (LOG, HEAD)}
    loaded(key).cohort("b")
    noted = custody(key).log.last()
    assert custody(key).log.problems(noted) == []
    for name, content in old.items():
        (folder / name).write_bytes(content)
    assert custody(key).log.problems() == []
    assert custody(key).log.problems(noted) == ["the line with the recorded hash is missing"]


def test_a_process_that_died_while_it_wrote_costs_nothing(key: Path, folder: Path) -> None:
    loaded(key).cohort("a")
    seal = (folder / HEAD).read_bytes()
    loaded(key).cohort("a")
    # The line is there, the seal is that of before.
    (folder / HEAD).write_bytes(seal)
    assert custody(key).log.problems() == []
    loaded(key).cohort("a")
    with (folder / LOG).open("ab") as file:
        file.write(b'{"number": 5, "ti')
    loaded(key).cohort("a")
    assert custody(key).log.problems() == []
    assert [use.number for use in custody(key).log.uses()] == [1, 2, 3, 4, 5]


def test_processes_side_by_side_do_not_tear_the_log(key: Path) -> None:
    code = (
        "from pathlib import Path; from surrogates.keys.keys import load_master\n"
        f"for _ in range(5): load_master('file:{key}', Path()).cohort('a')\n"
    )
    environment = os.environ | {"PYTHONPATH": str(Path(__file__).parents[3])}
    running = [subprocess.Popen([sys.executable, "-c", code], env=environment) for _ in range(3)]
    assert [each.wait() for each in running] == [0, 0, 0]
    assert len(custody(key).log.uses()) == 16
    assert custody(key).log.problems() == []
    assert len({use.key_id for use in custody(key).log.uses()[1:]}) == 1


# Secrets


def test_no_secret_is_in_the_log_in_entries_or_in_what_is_printed(key: Path, folder: Path) -> None:
    master = loaded(key)
    cohort = master.cohort("a")
    secrets = [bytes.fromhex(path.read_text().split()[1]) for path in (key, secret_of(folder))]
    secrets += [cohort._secret, custody(key).log._seal]
    others = [path for path in folder.iterdir() if path.suffix != ".secret"]
    shown = [path.read_text() for path in others]
    shown += [repr(thing) for thing in (master, cohort, master.custody, custody(key).log)]
    master.destroy("a")
    with pytest.raises(ConfigError) as raised:
        master.cohort("a")
    shown += [str(raised.value), *(path.read_text() for path in folder.iterdir())]
    for text in shown:
        for secret in secrets:
            assert secret.hex() not in text
            assert repr(secret)[2:-1] not in text


def test_custody_is_not_pickled_or_copied(key: Path) -> None:
    for thing in (custody(key), custody(key).log, loaded(key)):
        for act in (pickle.dumps, copy.copy, copy.deepcopy):
            with pytest.raises(TypeError):
                act(thing)


def test_a_cohort_goes_on_under_its_version_until_another_is_adopted(tmp_path: Path) -> None:
    new_master(tmp_path / "key")
    master = load_master(f"file:{tmp_path / 'key'}", tmp_path)
    first = master.cohort("asthma", algorithm=2)
    assert (first.algorithm, master.recorded_algorithm("asthma")) == (2, 2)
    again = load_master(f"file:{tmp_path / 'key'}", tmp_path)
    assert again.cohort("asthma").key_id == first.key_id
    second = again.cohort("asthma", algorithm=3)
    assert second.key_id != first.key_id and second.cohort_id == first.key_id
    assert again.cohort("asthma").algorithm == 2
    again.adopt("asthma", 3)
    assert again.cohort("asthma").key_id == second.key_id
    assert again.custody is not None
    assert [use.action for use in again.custody.log.uses()][-2:] == ["rebase", "use"]


def test_versions_share_no_surrogate_key() -> None:
    master = MasterKey(bytes(32))
    keys = [master.cohort("asthma", algorithm=version) for version in ALGORITHMS]
    assert len({key.key_id for key in keys}) == len(ALGORITHMS)
    assert len({key.patient("7").draw("shift", "size") for key in keys}) == len(ALGORITHMS)
    assert len({key.pseudonym("person", "7") for key in keys}) == len(ALGORITHMS)
    assert keys[-1].under(2).key_id == keys[0].key_id
    with pytest.raises(ValueError, match="no surrogate algorithm 1"):
        master.cohort("asthma", algorithm=1)
