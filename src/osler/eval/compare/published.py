"""What the papers published, to be set beside ours: accuracy in per cent over 44 patients, none / raw / TiM."""

from __future__ import annotations

MEMORIES = ("none", "raw", "tim")
TABLE_3: dict[str, dict[str, tuple[float, float, float]]] = {
    "HuatuoGPT-II 13B": {"diagnosis": (18.18, 25.00, 27.27), "treatment": (2.27, 4.54, 6.82)},
    "Baichuan2 13B": {"diagnosis": (20.45, 20.45, 22.27), "treatment": (2.27, 2.27, 4.54)},
    "ChatGLM2 6B": {"diagnosis": (15.91, 22.72, 22.72), "treatment": (0.0, 0.0, 2.27)},
    "ChatGLM3 6B": {"diagnosis": (2.27, 20.45, 20.45), "treatment": (2.27, 9.10, 9.10)},
    "GPT-3.5": {"diagnosis": (18.18, 22.73, 22.73), "treatment": (4.55, 6.82, 6.82)},
    "GPT-4": {"diagnosis": (0.0, 50.00, 50.00), "treatment": (0.0, 6.82, 6.82)},
}
