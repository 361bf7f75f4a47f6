"""Keys, orders and noise that are the same in every session.

Under one random key in seventy some surrogate happens to spell what is known of a patient, and the
note is held back: right, and no reason for a test to fail. Once in a hundred times two cohorts move
the dates of one of five patients by the same number of days: as right.
"""

import json
import random
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from pipeline.config.signing import sign_content
from surrogates.keys.keys import load_master, new_master


@contextmanager
def drawn_from(seed: str) -> Iterator[None]:
    """Draw from a seed what this process would draw from the system's source of chance."""
    draw = random.Random(seed)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("secrets.token_hex", lambda size: draw.randbytes(size).hex())
        patch.setattr("secrets.randbits", draw.getrandbits)
        patch.setattr("secrets.SystemRandom", lambda: draw)
        yield


def signed(content: Mapping[str, Any], key: Path) -> str:
    """Return measurements as JSON, signed under a key file."""
    return json.dumps(sign_content(content, load_master(f"file:{key}", key.parent)))


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
