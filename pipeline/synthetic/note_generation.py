"""Writes synthetic notes with a generator, batch by batch, until there are as many as requested."""

import tomllib
from collections.abc import Sequence
from pathlib import Path
from time import monotonic
from typing import Any

from models.language.decoding.generation import Decoding
from pipeline.config.progress import Progress
from pipeline.synthetic.batch_work import Work, drive
from record.errors import ConfigError
from synthesis.generation_files import Generation, assemble, open_generation, requested_lengths


def begin_generation(generation: Generation) -> list[str]:
    """Make the output folder, or take up interrupted work in it; returns warnings.

    Raises ConfigError where the folder holds anything else, or where the model has no room for
    notes of the requested length.
    """
    open_generation(generation)
    return warn_of_cuts(requested_lengths(generation), generation.decoding.max_length)


def warn_of_cuts(lengths: Sequence[int], longest: int) -> list[str]:
    """Warn where a bound on length would cut more than one note in ten.

    `lengths` are those that notes need, in order.
    """
    needed = lengths[9 * (len(lengths) - 1) // 10]
    if needed <= longest:
        return []
    share = sum(length > longest for length in lengths) / len(lengths)
    return [
        f"{100 * share:.0f} % of the notes are longer than --max-length {longest} and will be cut "
        f"short; --max-length {needed} is enough for nine in ten"
    ]


def generate_notes(
    generation: Generation, work: Work, arguments: list[str], workers: int, progress: Progress
) -> dict[str, Any]:
    """Write what is missing, and put notes and manifest together; returns the manifest."""
    started = monotonic()
    progress.phase("writing")
    fresh = drive(generation, work, arguments, workers, progress)
    while (more := generation.extended()) != generation:
        generation = more
        fresh |= drive(generation, work, arguments, workers, progress)
    return assemble(generation, fresh, monotonic() - started)


def check_candidates(candidates: int, decoding: Decoding, words: int | None = None) -> None:
    """Raise ConfigError where more notes are to be written than kept, and none can be chosen."""
    if candidates == 1:
        return
    if decoding.enforced:
        problem = "has no effect where each note has exactly the requested entities"
        raise ConfigError("--candidates", problem, "give --tags asked")
    if decoding.method == "beam" or words:
        problem = "needs a fixed number of notes, which --words and beam search do not give"
        raise ConfigError("--candidates", problem, "give --notes and another --method")


def read_label_shares(path: Path) -> dict[str, float]:
    """Read the distribution of labels from a TOML file; raises ConfigError."""
    remedy = "write LABEL = 0.2, one per line"
    try:
        table = tomllib.loads(path.read_text("utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError):
        raise ConfigError(str(path), "not a readable TOML file", remedy) from None
    for label, share in table.items():
        if isinstance(share, bool) or not isinstance(share, int | float) or share < 0:
            problem = "must be a number of at least 0"
            raise ConfigError(f"{path}: {label}", problem, f"write {label} = 0.2")
    if not sum(table.values()):
        raise ConfigError(str(path), "at least one share must be above 0", remedy)
    return {label: float(share) for label, share in table.items()}
