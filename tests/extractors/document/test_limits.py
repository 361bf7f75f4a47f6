import pytest

from extractors.document.limits import Extracted, Limits
from record.errors import ConfigError


@pytest.mark.parametrize(
    "name", ["max_bytes", "max_pages", "max_characters", "seconds", "memory_mb"]
)
@pytest.mark.parametrize("value", [0, -1])
def test_a_bound_that_is_not_positive_is_refused(name: str, value: int) -> None:
    with pytest.raises(ConfigError) as caught:
        Limits(**{name: value})
    assert caught.value.key == f"limits.{name}"


def test_the_text_is_not_in_the_repr() -> None:
    assert "DUPONT" not in repr(Extracted("Mme DUPONT", "pdf", 1))
