"""Marks of readers from a night to the officer's pack, on files and on a database server."""

from pathlib import Path

from pipeline.config.exit_codes import EXIT_DONE, EXIT_USAGE
from tests.pipeline.clinic import Clinic


def test_the_officer_is_shown_what_somebody_has_read(clinic: Clinic, tmp_path: Path) -> None:
    assert clinic.run().exit_code == EXIT_DONE
    folder = tmp_path / "audit"
    code, sample = clinic.json(
        "audit sample", "--per-kind", "3", "--format", "brat", "-o", str(folder)
    )
    drawn = sum(kind["read"] for kind in sample["strata"].values())
    assert (code, len(list(folder.glob("*.txt")))) == (EXIT_DONE, drawn)

    reading = ("audit read", str(folder), "--reviewer", "A. Martin")
    code, out, err = clinic.call(*reading)
    assert (code, out) == (EXIT_USAGE, "")
    assert f"none of the {drawn} notes of the sample is marked as read" in err
    assert not _review(clinic, tmp_path)

    notes = sorted(folder.glob("*.ann"))
    for path in notes[:2]:
        first = path.with_suffix(".txt").read_text()[0]
        path.write_text(path.read_text() + f"T998\tREAD 0 1\t{first}\n")
    code, told = clinic.json(*reading)
    assert (code, told["marked"], told["notes"]) == (EXIT_DONE, 2, 2)
    assert told["unseen"] == drawn - 2
    assert _review(clinic, tmp_path)


def _review(clinic: Clinic, tmp_path: Path) -> bool:
    """Return whether the officer's pack shows that a sample was reviewed."""
    pack = tmp_path / "dpo.html"
    pack.unlink(missing_ok=True)
    period = ("--from", "2020-01-01", "--to", "2099-12-31")
    code, _, err = clinic.call("report dpo", *period, "-o", str(pack))
    assert code == EXIT_DONE, err
    return "No sample was reviewed" not in pack.read_text()
