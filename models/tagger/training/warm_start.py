"""Training that starts from the weights of another tagger."""

import torch

from models.tagger.network import Network, SingleChainHead, SoftmaxHead
from models.tagger.sequences.tags import TagScheme


def copy_shared_weights(network: Network, source: Network) -> tuple[str, ...]:
    """Copy what the tags of shared labels and the convolution have learnt; return those labels.

    Encoders are not looked at. Scores of labels that the source lacks stay as they are, as does
    the whole output layer of another kind than the source's.
    """
    if network.convolution is not None and source.convolution is not None:
        network.convolution.load_state_dict(source.convolution.state_dict())
    shared = tuple(label for label in network.design.labels if label in source.design.labels)
    ours, theirs = (_tag_places(each, shared) for each in (network, source))
    if not len(ours) or network.design.head != source.design.head:
        return ()
    with torch.no_grad():
        network.scores.weight[ours] = source.scores.weight[theirs]
        network.scores.bias[ours] = source.scores.bias[theirs]
        if isinstance(network.head, SingleChainHead) and isinstance(source.head, SingleChainHead):
            chain, other = network.head.chain, source.head.chain
            rows, columns = torch.meshgrid(ours, ours, indexing="ij")
            chain.transitions[rows, columns] = other.transitions[theirs][:, theirs]
            chain.opening[ours], chain.closing[ours] = other.opening[theirs], other.closing[theirs]
    return shared


def _tag_places(network: Network, labels: tuple[str, ...]) -> torch.Tensor:
    """Return where the tags of labels are among the scores of a word, outside first."""
    if isinstance(network.head, SingleChainHead | SoftmaxHead):
        tags = network.head.scheme.tags
        return torch.tensor([tags.index(tag) for tag in TagScheme(labels).tags])
    own = network.design.labels
    each = network.head.size // len(own)
    places = [own.index(label) * each + part for label in labels for part in range(each)]
    return torch.tensor(places, dtype=torch.long)
