"""A run keeps what its servers said of themselves, and tables warn when they differ."""

from __future__ import annotations

import json
from pathlib import Path

from osler.eval.compare.comparison import compare
from osler.eval.runs import load_run
from osler.records import RecordPool
from osler.runs.plan import Plan
from osler.runs.run_servers import server_lines, servers_of
from osler.runs.store import RunFile
from osler.settings.run_settings import RunSettings
from osler.simulator.batch import RunOptions, simulate_plan
from tests.conftest import Run
from tests.models.server import Step
from tests.simulator.model_server import REPLY, ModelServer, model_server


def vllm(version: str) -> dict[str, object]:
    listed = [{"id": "tiny", "owned_by": "vllm", "root": "Qwen/tiny", "max_model_len": 4096}]
    return {"/v1/models": {"data": listed}, "/version": {"version": version}}


def hold(out: Path, server: ModelServer, limit: int = 1, workers: int | None = None) -> Path:
    plan = Plan(
        RecordPool.open().only(limit=limit), backbones=(server.spec,), settings=RunSettings(turns=1)
    )
    simulate_plan(plan, out, RunOptions(quiet=True, workers=workers), "bundled")
    return out


def warnings_of(*paths: Path) -> list[str]:
    runs = [load_run(path) for path in paths]
    return [line for line in compare(runs).warnings if "different servers" in line]


def test_a_resumed_run_keeps_both_servers_of_one_address(tmp_path: Path, osler: Run) -> None:
    with model_server() as server:
        server.says = vllm("0.9.1")
        run = hold(tmp_path / "run.osler", server)
        assert warnings_of(run) == []
        hold(run, server)
        server.says = vllm("0.10.0")
        hold(run, server, limit=2)
        with RunFile.open(run) as file:
            assert [one.version for one in servers_of(file)[server.spec]] == ["0.9.1", "0.10.0"]
    page = osler("runs", "status", run).stdout
    assert "vLLM 0.9.1, Qwen/tiny, context 4096; then vLLM 0.10.0" in " ".join(page.split())
    told = json.loads(osler("runs", "status", run, "--json").stdout)
    assert [one["version"] for one in told["servers"][server.spec]] == ["0.9.1", "0.10.0"]
    [warning] = warnings_of(run)
    assert "0.9.1" in warning and "0.10.0" in warning


def test_columns_of_one_model_behind_different_servers_are_named(tmp_path: Path) -> None:
    with model_server() as one, model_server() as other:
        one.says, other.says = vllm("0.9.1"), vllm("0.9.1")
        first, second = hold(tmp_path / "a.osler", one), hold(tmp_path / "b.osler", other)
        again = hold(tmp_path / "c.osler", one)
    [warning] = warnings_of(first, second)
    assert warning.startswith("tiny was behind different servers") and "2 addresses" in warning
    assert warnings_of(first, again) == []


def test_fingerprints_and_refused_options_are_counted_also_in_other_processes(
    tmp_path: Path,
) -> None:
    refusing = Step(text=REPLY, refuse=("top_k",), fingerprint="fp_7")
    with model_server(lambda _: refusing) as server:
        run = hold(tmp_path / "run.osler", server, limit=2, workers=2)
    with RunFile.open(run) as file:
        *_, prints, refused = server_lines(file)
        answers = file.status().calls
    assert prints == "tiny: system_fingerprint fp_7"
    assert refused.startswith(
        "tiny: the server refuses min_p, repeat_penalty, repetition_penalty, top_k;"
    )
    assert f"{answers} answer(s)" in refused
