"""The energy of runs: the formula of its source, and that each run and release keeps it."""

import json
import subprocess
import sys
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.cli import main
from pipeline.config.energy import Energy, EnergyMeter, estimate_energy
from pipeline.config.settings import EnergySettings, load
from pipeline.night.run_history import read_history
from pipeline.notes.worker_resources import resolve_urls
from pipeline.state.release_register import read_register

SECONDS = st.floats(0, 1e6)
MEMORY = st.integers(0, 10**9)


def test_the_formula_is_that_of_green_algorithms() -> None:
    # An hour of one core and 4 GB: (12 W + 4 * 0.3725 W) * 1.67 = 22.5283 Wh; 475 g a kWh.
    found = estimate_energy(3600, 3600, 4 << 20, EnergySettings())
    assert found.watt_hours == pytest.approx(22.5283)
    assert found.grams == pytest.approx(10.70094)
    assert str(found) == "22.5 Wh, 10.7 g of CO2 equivalent"


@given(SECONDS, SECONDS, MEMORY, st.floats(1, 10), st.floats(0, 2000))
def test_it_grows_with_all_that_it_is_made_of(
    used: float, lasted: float, kilobytes: int, building: float, grams: float
) -> None:
    mine = EnergySettings(power_usage_effectiveness=building, grams_per_kilowatt_hour=grams)
    found = estimate_energy(used, lasted, kilobytes, mine)
    for more in (
        estimate_energy(used + 1, lasted, kilobytes, mine),
        estimate_energy(used, lasted + 1, kilobytes, mine),
        estimate_energy(used, lasted, kilobytes + 1, mine),
    ):
        assert more.watt_hours >= found.watt_hours >= 0
        assert more.grams >= found.grams >= 0
    assert found.grams == pytest.approx(found.watt_hours * grams / 1000)


def test_processors_of_children_count_as_well() -> None:
    meter, mine = EnergyMeter(), EnergySettings(watts_per_gigabyte=0)
    busy = "import time\nwhile time.process_time() < 0.3: pass"
    subprocess.run([sys.executable, "-c", busy], check=True)
    begun = time.process_time()
    while time.process_time() < begun + 0.1:
        pass
    found = meter.read(mine, 0)
    assert found.processor_seconds >= 0.4
    assert found.watt_hours == pytest.approx(found.processor_seconds * 12 / 3600 * 1.67)


def test_each_run_and_release_keeps_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    alone = ["--workers", "1", "--plain"]
    assert main(["demo", str(tmp_path), "--patients", "3", "--model", "none", *alone]) == 0
    config = tmp_path / "nightly.toml"
    config.write_text(config.read_text() + "\n[energy]\ngrams_per_kilowatt_hour = 50\n")
    assert main(["run", str(config), *alone]) == 0
    persons = tmp_path / "persons.txt"
    persons.write_text("1\n2\n")
    place = f"parquet:{tmp_path / 'cohort'}"
    words = ["--cohort", "one", "--persons", str(persons), "--output", place]
    assert main(["release", str(config), *words, *alone]) == 0
    settings = load(config)
    where = resolve_urls(settings).state, settings.base
    latest, first = read_history(*where)
    told = [latest.about["energy"], first.about["energy"]]
    told.append(read_register(*where)[0].about["energy"])
    for energy, grams in zip(told, (50, 475, 50), strict=True):
        found = Energy(**energy)
        assert found.processor_seconds > 0
        assert found.grams == pytest.approx(found.watt_hours * grams / 1000, abs=0.001)
    assert json.loads((tmp_path / "report.json").read_text())["energy"]["watt_hours"] > 0
    assert "CO<sub>2</sub>" in (tmp_path / "report.html").read_text()
    capsys.readouterr()
    assert main(["runs", str(config)]) == 0
    heads, row = capsys.readouterr().out.splitlines()[:2]
    assert row[heads.index("Wh") :].split()[0] == f"{latest.watt_hours:.3g}"


@pytest.mark.parametrize("wrong", ["watts_per_core = 0", "power_usage_effectiveness = 0.5"])
def test_what_cannot_be_is_refused(
    wrong: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    config = tmp_path / "nightly.toml"
    config.write_text(
        'source.url = "sqlite:///a.db"\noutput.url = "sqlite:///b.db"\n[energy]\n' + wrong + "\n"
    )
    assert main(["runs", str(config)]) == 2
    assert "energy." in capsys.readouterr().err
