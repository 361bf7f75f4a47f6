"""What a note raises becomes a failure, and nothing of the note comes with it."""

from collections.abc import Callable
from typing import Any

import pytest

from pipeline.notes.error_boundary import Unexpected, attempt, drop_error_texts
from record.errors import ConfigError, Unavailable, Unreadable, Unsafe, _Reasoned
from record.failure import Failure

CANARY = "Zygomar QUILLFEATHER"


def fails(error: Exception) -> Callable[[], None]:
    def step() -> None:
        raise error

    return step


def test_a_result_passes() -> None:
    assert attempt("7", "detect", lambda: 42) == 42


@pytest.mark.parametrize("error", [Unreadable("encrypted"), Unsafe("residue")])
def test_our_errors_keep_their_reason(error: _Reasoned) -> None:
    assert attempt("7", "s", fails(error)) == Failure("7", "s", type(error).__name__, error.reason)


@pytest.mark.parametrize(
    "error", [ValueError(CANARY), KeyError(CANARY), MemoryError(), RecursionError(CANARY)]
)
def test_any_other_error_keeps_its_class_alone(error: Any) -> None:
    failure = attempt("7", "detect", fails(error))
    assert failure == Failure("7", "detect", type(error).__name__)
    assert CANARY not in repr(failure)


def test_a_reason_that_is_no_code_is_dropped() -> None:
    failure = attempt("7", "detect", fails(Unreadable(CANARY)))
    assert CANARY not in repr(failure)
    assert isinstance(failure, Failure) and failure.reason == "unspecified"


def test_unavailable_is_no_property_of_the_note() -> None:
    with pytest.raises(Unavailable):
        attempt("7", "read", fails(Unavailable("db", "gone", "start it")))


def test_safely_drops_message_and_chain() -> None:
    with pytest.raises(Unexpected) as caught:
        drop_error_texts(fails(ValueError(CANARY)))
    assert str(caught.value) == "ValueError"
    assert caught.value.__cause__ is None
    assert caught.value.__suppress_context__


def test_safely_lets_our_errors_pass() -> None:
    with pytest.raises(ConfigError):
        drop_error_texts(fails(ConfigError("key", "wrong", "correct it")))
