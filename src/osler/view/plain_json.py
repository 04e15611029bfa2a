"""Sound JSON, whatever a text or a run file holds."""

from __future__ import annotations

import json
import math
from typing import Any


def encoded(data: Any) -> str:
    """JSON that any browser reads: no half characters, no numbers that are none."""
    try:
        text = json.dumps(data, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    except ValueError:
        text = json.dumps(_finite(data), ensure_ascii=False, separators=(",", ":"))
    return text.encode("utf-8", "surrogatepass").decode("utf-8", "replace")


def _finite(data: Any) -> Any:
    match data:
        case float():
            return data if math.isfinite(data) else None
        case dict():
            return {name: _finite(value) for name, value in data.items()}
        case list() | tuple():
            return [_finite(value) for value in data]
        case _:
            return data
