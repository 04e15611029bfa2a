"""Repeats the prompts of consultations with inspect_ai, for `throughput.py --only clients`.

Prints one line of JSON.

PYTHON benchmarks/inspect_prompts.py URL PROMPTS.json AT_ONCE      by a Python that has inspect_ai
"""

from __future__ import annotations

import json
import sys
import tempfile
import time
from pathlib import Path

from inspect_ai import Task, eval
from inspect_ai.dataset import Sample
from inspect_ai.model import ChatMessageUser, GenerateConfig, get_model
from inspect_ai.solver import Generate, Solver, TaskState, solver


@solver
def consultation(chains: list[list[list[dict[str, str]]]]) -> Solver:
    """Asks one prompt after the other, as the consultation did."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        for messages in chains[int(state.sample_id)]:
            await get_model().generate(
                [ChatMessageUser(content=message["content"]) for message in messages]
            )
        return state

    return solve


def main(url: str, prompts: str, at_once: str) -> None:
    chains = json.loads(Path(prompts).read_text())
    samples = [Sample(input="consultation", id=number) for number in range(len(chains))]
    model = get_model(
        "openai/loopback",
        base_url=url,
        api_key="none",
        responses_api=False,
        config=GenerateConfig(max_connections=int(at_once), max_tokens=512, temperature=0),
    )
    with tempfile.TemporaryDirectory() as logs:
        began = time.perf_counter()
        [log] = eval(
            Task(dataset=samples, solver=consultation(chains)),
            model=model,
            max_samples=int(at_once),
            display="none",
            log_dir=logs,
        )
        seconds = time.perf_counter() - began
    if log.status != "success":
        sys.exit(f"inspect_ai ended with {log.status}")
    print(json.dumps({"calls": sum(map(len, chains)), "session_seconds": seconds}))


if __name__ == "__main__":
    main(*sys.argv[1:])
