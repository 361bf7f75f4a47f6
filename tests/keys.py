"""Keys that are the same in every session.

Under one random key in seventy some surrogate happens to spell what is known of a patient, and the
note is held back: right, and no reason for a test to fail.
"""

import random
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from surrogates.keys import load_master, new_master


@contextmanager
def drawn_from(seed: str) -> Iterator[None]:
    """Make keys of this process as if they were drawn, from a seed."""
    draw = random.Random(seed)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("secrets.token_hex", lambda size: draw.randbytes(size).hex())
        yield


def derive(key: Path, *names: str) -> None:
    """Derive cohorts of a key file, each from a secret of its own name."""
    for name in names:
        with drawn_from(name):
            load_master(f"file:{key}", Path()).cohort(name)


def make_key(key: Path, *names: str) -> None:
    """Write a key file, and derive cohorts of it."""
    with drawn_from("key"):
        new_master(key)
    derive(key, *names)
