"""Linear-chain conditional random fields as they learn: partition function and losses, in batches.

Lafferty et al. (ICML 2001). Sums run in double precision, where the share of a tag may be as small
as 1e-308 of its neighbours' before it vanishes.
"""

import torch
from torch import Tensor, nn

from models.tagger.sequences.chain_inference import NEVER, ChainInference, Doubles, Integers
from models.tagger.sequences.tags import TagScheme


class LinearChainCRF(nn.Module):
    """A CRF over tag sequences in which some transitions are illegal.

    With `learned`, legal transitions, first and last tags have scores of their own; else these
    are 0. A sequence's score is the sum of its emissions and transitions. Shapes: `scores` are
    (batch, words, tags), `lengths` (batch,) with at least one word each; words beyond a length
    count for nothing.
    """

    transitions: Tensor
    opening: Tensor
    closing: Tensor

    def __init__(self, scheme: TagScheme, *, learned: bool) -> None:
        super().__init__()
        self.scheme = scheme
        for name in ("transitions", "opening", "closing"):
            illegal = torch.where(torch.from_numpy(getattr(scheme, name)), 0.0, NEVER)
            self.register_buffer(f"_illegal_{name}", illegal, persistent=False)
            parameter = nn.Parameter(torch.zeros_like(illegal), requires_grad=learned)
            self.register_parameter(name, parameter)

    def log_partition(
        self, scores: Tensor, lengths: Tensor, allowed: Tensor | None = None
    ) -> Tensor:
        """Return the logarithm of the sum over all legal sequences. (batch,)

        `allowed` (batch, words, tags) leaves only some tags at some words: what is known of the
        true sequence, in whole or in part.
        """
        # Cut once: the gradient of each single cut would be as large as all scores.
        first, *others = _masked(scores.double(), allowed).unbind(1)
        step = self._legal_scores("transitions").exp()
        alpha = first + self._legal_scores("opening")
        final = alpha
        for word, score in enumerate(others, start=1):
            highest = alpha.amax(-1, keepdim=True)
            summed = (alpha - highest).exp() @ step
            alpha = summed.clamp_min(1e-300).log() + highest + score
            final = torch.where((lengths > word)[:, None], alpha, final)
        return (final + self._legal_scores("closing")).logsumexp(-1)

    def negative_log_likelihood(self, scores: Tensor, lengths: Tensor, allowed: Tensor) -> Tensor:
        """Return the negative log-likelihood of the allowed tag sequences. (batch,)

        Where one tag is allowed at each word this is the usual loss; where several are, the
        unknown ones are summed out (Tsuboi et al., COLING 2008).
        """
        both = torch.cat([scores, _masked(scores, allowed)])
        whole, constrained = self.log_partition(both, lengths.repeat(2)).chunk(2)
        return whole - constrained

    @torch.no_grad()
    def marginals(self, scores: Tensor, lengths: Tensor) -> Tensor:
        """Return the probability of each tag at each word;
        0 beyond a length. (batch, words, tags)
        """
        return torch.from_numpy(self._inference().marginals(*_arrays(scores, lengths))).to(scores)

    @torch.no_grad()
    def viterbi(self, scores: Tensor, lengths: Tensor) -> Tensor:
        """Return the most probable legal sequences, 0 beyond their length. (batch, words)

        Of equally probable ones the same is given every time.
        """
        return torch.from_numpy(self._inference().viterbi(*_arrays(scores, lengths))).to(
            scores.device
        )

    def _inference(self) -> ChainInference:
        # Word follows word: the few numbers of a step are cheaper in NumPy, on a GPU even more.
        each = (
            self._legal_scores(name).detach().cpu().numpy()
            for name in ("transitions", "opening", "closing")
        )
        return ChainInference(self.scheme, *each)

    def _legal_scores(self, name: str) -> Tensor:
        parameter: Tensor = getattr(self, name)
        illegal: Tensor = getattr(self, f"_illegal_{name}")
        return parameter.double() + illegal.double()


def _arrays(scores: Tensor, lengths: Tensor) -> tuple[Doubles, Integers]:
    return scores.detach().cpu().double().numpy(), lengths.cpu().numpy()


def _masked(scores: Tensor, allowed: Tensor | None) -> Tensor:
    return scores if allowed is None else scores.masked_fill(~allowed, NEVER)


class StackedCRF(nn.Module):
    """One chain per label over five scores each, so that spans of two labels may nest.

    Transitions are legal or not and have no scores (Wajsburt et al., EDS-NLP). Shapes as in
    `LinearChainCRF`, with `scores` of (batch, words, labels, 5).
    """

    def __init__(self, labels: tuple[str, ...]) -> None:
        super().__init__()
        self.labels = labels
        self.chain = LinearChainCRF(TagScheme(("",)), learned=False)

    def negative_log_likelihood(self, scores: Tensor, lengths: Tensor, allowed: Tensor) -> Tensor:
        """Return the negative log-likelihood of the allowed tags, summed over labels. (batch,)"""
        flat, each = self._flat(scores, lengths)
        lost = self.chain.negative_log_likelihood(flat, each, self._flat(allowed, lengths)[0])
        return lost.reshape(len(scores), -1).sum(-1)

    def marginals(self, scores: Tensor, lengths: Tensor) -> Tensor:
        """Return the probability of each tag of each label. (batch, words, labels, 5)"""
        shares = self.chain.marginals(*self._flat(scores, lengths))
        return _unflatten(shares, len(scores))

    def viterbi(self, scores: Tensor, lengths: Tensor) -> Tensor:
        """Return the best legal sequence of each label. (batch, words, labels)"""
        tags = self.chain.viterbi(*self._flat(scores, lengths))
        return _unflatten(tags, len(scores))

    def _flat(self, scores: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor]:
        labels = scores.shape[2]
        return scores.transpose(1, 2).flatten(0, 1), lengths.repeat_interleave(labels)


def _unflatten(flat: Tensor, batch: int) -> Tensor:
    # (batch * labels, words, ...) -> (batch, words, labels, ...)
    return flat.reshape(batch, -1, *flat.shape[1:]).transpose(1, 2)
