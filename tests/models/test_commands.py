"""`osler backbones` and `osler models`, as a user runs them."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from tests.conftest import run_here
from tests.models.server import Step, serving

Outcome = tuple[int, str, str]


async def run(group: str, *args: str, **env: str) -> Outcome:
    """Run a command in a thread of this process, beside the server that it asks.

    One at a time: they share the standard output.
    """
    with pytest.MonkeyPatch.context() as patch:
        for name, value in env.items():
            patch.setenv(name, value)
        done = await asyncio.to_thread(run_here, Path.cwd(), group, *args)
    return done.returncode, done.stdout, done.stderr


async def test_check_says_what_a_model_does() -> None:
    async with serving(Step(), Step(text='{"colour": "vermilion"}')) as server:
        code, out, err = await run("backbones", "check", server.spec)
    assert (code, err) == (0, "")
    assert (
        "answers     yes: hello" in out
        and "11 in, 3 out, 5 cached" in out
        and "JSON schema honoured" in out
    )


async def test_check_tells_a_schema_that_is_not_followed() -> None:
    async with (
        serving(Step(text="I like red")) as ignoring,
        serving(Step(refuse_schema=True)) as refusing,
    ):
        _, ignored, _ = await run("backbones", "check", ignoring.spec)
        _, refused, _ = await run("backbones", "check", refusing.spec)
    assert "does not follow it" in ignored
    assert "the prompt alone asks for the form" in refused


async def test_check_fails_in_one_line() -> None:
    async with serving(Step(status=401)) as denying, serving(Step(hang=True)) as hanging:
        outcomes = [
            await run("backbones", "check", denying.spec, OSLER_KEY_127_0_0_1="very-secret-1"),
            await run("backbones", "check", hanging.spec, "--timeout", "0.5"),
            await run("backbones", "check", "nonsense"),
        ]
    for code, out, err in outcomes:
        assert (code, out, len(err.splitlines())) == (2, "", 1)
        assert err.startswith("osler: ") and "secret" not in err and "Traceback" not in err


async def test_rules_need_no_model() -> None:
    assert await run("backbones", "check", "rules") == (0, "rules: needs no model\n", "")


async def test_models(tmp_path: Path) -> None:
    code, out, _ = await run("models", "list", OSLER_CACHE=str(tmp_path))
    assert code == 0 and "smollm2  98 MB  not here yet" in out
    code, out, err = await run("models", "pull", "gpt-5", OSLER_CACHE=str(tmp_path))
    assert (code, out) == (2, "") and "use smollm2" in err
