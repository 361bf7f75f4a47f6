"""How batches are written between processes: not at all."""

from typing import NoReturn

from apache_beam import coders

from pipeline.notes.batch import Batch


class BatchCoder(coders.Coder):
    """Keeps batches, which hold notes, in the process that read them.

    The chain of stages is fused, so a runner has no cause to write a batch; one that tries fails
    here instead of shuffling notes. Beam samples the size of elements by encoding them, which
    took a fifth of the run: the size is a constant.
    """

    def encode(self, value: Batch) -> NoReturn:
        """Refuse; raises TypeError."""
        raise TypeError("a batch of notes never leaves its process")

    def decode(self, encoded: bytes) -> NoReturn:
        """Refuse; raises TypeError."""
        raise TypeError("a batch of notes never leaves its process")

    def estimate_size(self, value: Batch) -> int:
        """Return a constant, for Beam's displays."""
        return 1

    def is_deterministic(self) -> bool:
        """Batches are no keys."""
        return False


coders.registry.register_coder(Batch, BatchCoder)
