"""The screen on an NVIDIA GPU; everything else stays on the processor."""
