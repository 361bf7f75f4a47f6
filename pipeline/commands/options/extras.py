"""What is an extra of the installation, and how to get it."""

from collections.abc import Iterator
from contextlib import contextmanager

from record.errors import ConfigError

_OF_EXTRAS = {
    "models": (
        *("torch", "transformers", "tokenizers", "safetensors", "spacy", "bm25s", "gensim"),
        "opacus",
    ),
    "quantization": ("nncf", "openvino"),
}


@contextmanager
def models_extra(key: str, *others: str) -> Iterator[None]:
    """Import what is heavy, and an extra.

    Raises ConfigError with the remedy where it is not installed; `key` is what asked for it,
    `others` are the extras besides `models` that it needs.
    """
    try:
        yield
    except ModuleNotFoundError as error:
        for extra in ("models", *others):
            if error.name in _OF_EXTRAS[extra]:
                remedy = f"pip install 'cryptonym[{','.join(('models', *others))}]'"
                raise ConfigError(key, f"{error.name} is not installed", remedy) from None
        raise
