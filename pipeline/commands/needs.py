"""What is an extra of the installation, and how to get it."""

from collections.abc import Iterator
from contextlib import contextmanager

from record.errors import ConfigError

_OF_MODELS = ("torch", "transformers", "tokenizers", "safetensors", "spacy")


@contextmanager
def models_extra(key: str) -> Iterator[None]:
    """Import what is heavy, and an extra.

    Raises ConfigError with the remedy where it is not installed; `key` is what asked for it.
    """
    try:
        yield
    except ModuleNotFoundError as error:
        if error.name not in _OF_MODELS:
            raise
        remedy = "pip install 'cryptonym[models]'"
        raise ConfigError(key, f"{error.name} is not installed", remedy) from None
