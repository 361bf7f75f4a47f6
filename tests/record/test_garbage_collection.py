import gc

import pytest

from record.garbage_collection import collect_garbage_rarely, pause_garbage_collection


def test_the_collector_rests_within_and_comes_back() -> None:
    assert gc.isenabled()
    with pause_garbage_collection():
        assert not gc.isenabled()
        with pause_garbage_collection():
            pass
        assert not gc.isenabled()
    assert gc.isenabled()


def test_it_comes_back_after_an_error() -> None:
    with pytest.raises(ValueError, match="x"), pause_garbage_collection():
        raise ValueError("x")
    assert gc.isenabled()


def test_what_is_loaded_stays_and_looks_are_seldom() -> None:
    before, held = gc.get_threshold(), gc.get_freeze_count()
    try:
        collect_garbage_rarely()
        assert gc.get_freeze_count() > held
        assert gc.get_threshold() == (10_000, *before[1:])
        assert gc.isenabled()
    finally:
        gc.set_threshold(*before)
        gc.unfreeze()
