"""How many processors a process takes."""

import torch


def share_processors(processes: int) -> None:
    """Leave each of so many processes its share of the threads that PyTorch would take alone.

    What the operator set (`OMP_NUM_THREADS`) is what is shared; one thread stays.
    """
    torch.set_num_threads(max(1, torch.get_num_threads() // processes))
