"""The optimizer of taggers: AdamW with layer-wise learning rates, warm-up and linear decay."""

import re
from collections import defaultdict

import torch
from torch import nn

from models.checkpoint import trainable_parameters
from models.tagger.network import Network
from models.tagger.training.recipe import TaggerRecipe

_LAYER = re.compile(r"encoder\.body\.encoder\.layer\.(\d+)\.")


def make_optimizer(network: Network, recipe: TaggerRecipe) -> torch.optim.AdamW:
    """Make AdamW (Loshchilov and Hutter, ICLR 2019) with a learning rate for each layer.

    Each group keeps its full rate as `peak`.
    """
    groups: defaultdict[tuple[float, float], list[nn.Parameter]] = defaultdict(list)
    for name, weights in trainable_parameters(network):
        if name.startswith("head."):
            rate = recipe.chain_rate
        elif not name.startswith("encoder."):
            rate = recipe.head_rate
        else:
            layer = _LAYER.match(name)
            depth = network.encoder.layers - (int(layer[1]) + 1 if layer else 0)
            rate = recipe.encoder_rate * recipe.decay**depth
        # Norms, biases and scores of transitions have no reason to be small.
        shrinks = weights.ndim > 1 and not name.startswith("head.")
        decay = recipe.weight_decay if shrinks else 0.0
        groups[rate, decay].append(weights)
    return torch.optim.AdamW(
        [
            {"params": weights, "lr": rate, "peak": rate, "weight_decay": decay}
            for (rate, decay), weights in groups.items()
        ]
    )


def set_learning_rate(optimizer: torch.optim.Optimizer, progress: float, warm_up: float) -> None:
    """Set the rates for a progress from 0 to 1: linearly up, then linearly down to 0."""
    factor = progress / warm_up if progress < warm_up else (1 - progress) / (1 - warm_up)
    for group in optimizer.param_groups:
        group["lr"] = group["peak"] * max(0.0, min(1.0, factor))
