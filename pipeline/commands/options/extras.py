"""What is an extra of the installation, and how to get it."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from record.errors import ConfigError

_OF_EXTRAS = {
    "models": (
        *("torch", "transformers", "tokenizers", "safetensors", "opacus", "spacy"),
        *("en_core_web_sm", "gensim", "bm25s", "pyphen", "stop_words"),
    ),
    "quantization": ("nncf", "openvino"),
    "openvino": ("openvino",),
    "lora": ("peft",),
    "mssql": ("pyodbc",),
    "oracle": ("oracledb",),
    "aws": ("boto3", "botocore"),
    "gcp": ("google",),
    "vault": ("hvac",),
}
"""Extra of the installation -> the modules that it brings."""


@contextmanager
def models_extra(key: str, *others: str) -> Iterator[None]:
    """Import what is heavy, and an extra.

    Raises ConfigError with the remedy where it is not installed; `key` is what asked for it,
    `others` are the extras besides `models` that it needs.
    """
    try:
        yield
    except ModuleNotFoundError as missing:
        error = find_missing_extra(key, missing, ("models", *others))
        if error is None:
            raise
        raise error from None


def find_missing_extra(
    key: str, missing: ModuleNotFoundError, needed: Sequence[str] = ()
) -> ConfigError | None:
    """Return the error that names the extra of a missing module, or None if it is of no extra.

    `needed` are the extras that the command needs in any case, all of which the remedy names.
    """
    name = (missing.name or "").partition(".")[0]
    extra = next((each for each in (*needed, *_OF_EXTRAS) if name in _OF_EXTRAS[each]), None)
    if extra is None:
        return None
    extras = ",".join(dict.fromkeys([*needed, extra]))
    remedy = f"pip install 'cryptonym[{extras}]'"
    return ConfigError(key, f"{name} is not installed", remedy)
