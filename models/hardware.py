"""CPU and GPU capabilities: hardware support for bfloat16 and int8, and threads per process."""

import torch

_BFLOAT16 = ("avx512_bf16", "amx_bf16")
_VNNI = ("avx512_vnni", "avx_vnni", "amx_int8")


def choose_device() -> torch.device:
    """Return the GPU where there is one, else the processor."""
    return torch.device("cuda" if torch.cuda.is_available() else "cpu")


def has_bfloat16(device: torch.device) -> bool:
    """Return whether a device has bfloat16 instructions; without them bfloat16 is slower."""
    if device.type == "cuda":
        return torch.cuda.get_device_capability(device) >= (8, 0)
    capabilities = torch.cpu.get_capabilities()
    return any(capabilities.get(name) for name in _BFLOAT16)


def has_vnni() -> bool:
    """Return whether the processor accumulates int8 products in 32 bits, without overflow."""
    capabilities = torch.cpu.get_capabilities()
    return any(capabilities.get(name) for name in _VNNI)


def share_processors(processes: int) -> None:
    """Divide PyTorch's threads among so many processes; each keeps at least one.

    What is divided is the number that the operator set (`OMP_NUM_THREADS`).
    """
    torch.set_num_threads(max(1, torch.get_num_threads() // processes))
