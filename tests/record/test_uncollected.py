import gc

import pytest

from record.uncollected import uncollected


def test_the_collector_rests_within_and_comes_back():
    assert gc.isenabled()
    with uncollected():
        assert not gc.isenabled()
        with uncollected():
            pass
        assert not gc.isenabled()
    assert gc.isenabled()


def test_it_comes_back_after_an_error():
    with pytest.raises(ValueError, match="x"), uncollected():
        raise ValueError("x")
    assert gc.isenabled()
