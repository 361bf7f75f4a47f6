"""Which precision a device computes in without loss of time."""

import torch

_BFLOAT16 = ("avx512_bf16", "amx_bf16")
_VNNI = ("avx512_vnni", "avx_vnni", "amx_int8")


def has_bfloat16(device: torch.device) -> bool:
    """Return whether a device multiplies in bfloat16 itself; where it does not, that is slower."""
    if device.type == "cuda":
        return torch.cuda.get_device_capability(device) >= (8, 0)
    able = torch.cpu.get_capabilities()
    return any(able.get(name) for name in _BFLOAT16)


def has_vnni() -> bool:
    """Return whether the processor sums products of 8 bits in 32, so that none overflows."""
    able = torch.cpu.get_capabilities()
    return any(able.get(name) for name in _VNNI)
