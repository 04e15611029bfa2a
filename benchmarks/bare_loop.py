"""A loop that only asks: chains of prompts, each prompt after the answer to the last.

python benchmarks/bare_loop.py URL PROMPTS.json AT_ONCE

It prints the calls and the seconds as a line of JSON.
"""

from __future__ import annotations

import asyncio
import json
import sys
import time
from pathlib import Path
from typing import Any

import aiohttp


async def ask_all(
    url: str, chains: list[list[list[dict[str, Any]]]], at_once: int
) -> dict[str, float]:
    """Ask the prompts of every chain in turn, so many chains side by side."""
    gate = asyncio.Semaphore(at_once)
    connector = aiohttp.TCPConnector(limit=at_once)
    async with aiohttp.ClientSession(connector=connector) as session:

        async def ask_chain(chain: list[list[dict[str, Any]]]) -> None:
            async with gate:
                for messages in chain:
                    body = {"model": "loopback", "messages": messages}
                    async with session.post(f"{url}/chat/completions", json=body) as response:
                        answer = await response.json()
                        assert answer["choices"]

        began = time.perf_counter()
        await asyncio.gather(*map(ask_chain, chains))
        seconds = time.perf_counter() - began
    return {"calls": sum(map(len, chains)), "session_seconds": seconds}


if __name__ == "__main__":
    _, url, prompts, at_once = sys.argv
    print(
        json.dumps(
            asyncio.run(ask_all(url, json.loads(Path(prompts).read_text("utf-8")), int(at_once)))
        )
    )
