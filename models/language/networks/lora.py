"""LoRA adapters for a pretrained transformer, whose own weights stay frozen.

LoRA (Hu et al., ICLR 2022), by peft.
"""

from copy import deepcopy

from peft import LoraConfig, inject_adapter_in_model
from peft.tuners.lora import LoraLayer

from models.language.networks.gpt import GPT

_PARTS = ["joint", "out", "first", "last"]  # all matrices of a block
_SCALE = 2


def add_lora(network: GPT, rank: int) -> None:
    """Put matrices of so low a rank beside those of every block; they change nothing yet.

    They learn, and so do the embeddings, since new pieces and marks have none of their own.
    """
    config = LoraConfig(r=rank, lora_alpha=_SCALE * rank, target_modules=_PARTS)
    inject_adapter_in_model(config, network)
    network.embed.weight.requires_grad_(True)


def merged(network: GPT) -> GPT:
    """Return a plain network with the adapters merged into its weights."""
    made = deepcopy(network)
    for name, module in list(made.named_modules()):
        if isinstance(module, LoraLayer):
            module.merge()
            parent, _, last = name.rpartition(".")
            setattr(made.get_submodule(parent), last, module.get_base_layer())
    return made
