"""Settings that cannot be meant are refused or warned of, from Python as on the command line."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pytest

import osler
from osler import errors
from osler.errors import UserError
from tests.conftest import Run


@pytest.fixture(autouse=True)
def _warned_of_nothing() -> None:
    """A warning is printed once in a process: the test before must not have used it up."""
    errors._warn_once.cache_clear()


@pytest.mark.parametrize(
    ("options", "line"),
    [
        ({"trials": 0}, "trials is 0; give 1 or more"),
        ({"trials": -3}, "trials is -3; give 1 or more"),
        ({"trials": "3"}, "trials is '3'; give a whole number"),
        ({"trials": 1.5}, "trials is 1.5; give a whole number"),
        ({"trials": True}, "trials is True; give a whole number"),
        ({"trials": None}, "trials is None; give a whole number"),
        ({"limit": 0}, "limit is 0; give 1 or more"),
        ({"temperature": 2.5}, "temperature is 2.5; give 2 or less"),
        ({"temperature": math.nan}, "temperature is nan; give 0 or more"),
        ({"budget": 49}, "budget is 49; give 50 or more"),
        ({"workers": 1001}, "workers is 1001; give 1,000 or less"),
        ({"turn_factor": "2"}, "turn_factor is '2'; give a number"),
        ({"run_cost": -1}, "run_cost is -1; give 0 or more"),
        ({"results": "both"}, "results is 'both'; give one of patient, report"),
        ({"engine": "dask"}, "engine is 'dask'; give one of local, ray"),
        ({"visits": 1}, "visits is 1; give True or False"),
        ({"ray_address": 6379}, "ray_address is 6379; give a text"),
        ({"cases": "gout-en"}, "cases is one text; give a list: cases=['gout-en']"),
        ({"cases": [1]}, "cases holds 1; give a list of texts"),
        ({"cases": 1}, "cases is 1; give a list of texts"),
        ({"pool": 5}, "pool is 5; give a path, `bundled` or records"),
    ],
)
def test_python_checks_what_the_command_line_checks(
    tmp_path: Path, options: dict[str, Any], line: str
) -> None:
    with pytest.raises(UserError) as caught:
        osler.simulate(**{"cases": ["gout-en"], "out": tmp_path / "a", "quiet": True, **options})
    assert str(caught.value) == line
    assert not list(tmp_path.iterdir())


def test_numbers_of_other_kinds_are_taken(tmp_path: Path) -> None:
    numpy = pytest.importorskip("numpy")
    run = osler.simulate(
        cases=["gout-en"],
        out=tmp_path / "a",
        quiet=True,
        turns=numpy.int64(1),
        temperature=numpy.float32(0),
        budget=60,
    )
    assert run.file.settings.turns == 1 and len(run.scores()) == 1


@pytest.mark.parametrize(
    "doctor", [(), ("--backbone", "human"), ("--backbone", "m@http://127.0.0.1:1/v1")]
)
def test_a_strategy_that_does_not_exist_is_refused_whoever_the_doctor_is(
    osler: Run, tmp_path: Path, doctor: tuple[str, ...]
) -> None:
    done = osler(
        "simulate",
        "--case",
        "gout-en",
        "--strategy",
        "nope",
        "--turns",
        "1",
        "--patient",
        "rules",
        *doctor,
    )
    assert done.returncode == 2
    assert done.stderr == (
        "osler: there is no strategy 'nope'; use one of plain, stepwise, checklist, or package.module:Class\n"
    )
    assert not list(tmp_path.iterdir())


def test_python_refuses_a_strategy_that_does_not_exist_for_the_rules_as_well(
    tmp_path: Path,
) -> None:
    with pytest.raises(UserError, match="there is no strategy 'nope'"):
        osler.simulate(cases=["gout-en"], strategies=["nope"], out=tmp_path / "a", quiet=True)
    assert not list(tmp_path.iterdir())


def test_the_command_line_refuses_trials_below_1(osler: Run, tmp_path: Path) -> None:
    done = osler("simulate", "--case", "gout-en", "--trials", "0", "--out", "a")
    assert done.returncode == 2
    assert done.stderr == "osler: --trials is 0; give 1 or more\n"
    assert not list(tmp_path.iterdir())


def test_a_player_may_not_name_a_strategy_that_does_not_exist(osler: Run) -> None:
    done = osler(
        "play", "--as", "patient", "--case", "gout-en", "--doctor", "rules", "--strategy", "nope"
    )
    assert (done.returncode, done.stdout) == (
        2,
        "",
    ) and "there is no strategy 'nope'" in done.stderr


@pytest.mark.parametrize(
    ("parameter", "meant"),
    [
        ("temprature=0.5", "temperature"),
        ("top_P=0.9", "top_p"),
        ("max_toknes=100", "max_tokens"),
        ("repetition_penality=1.1", "repetition_penalty"),
        ("reasoning_efort=low", "reasoning_effort"),
    ],
)
def test_a_parameter_that_looks_misspelt_is_warned_of_and_still_sent(
    capsys: pytest.CaptureFixture[str], parameter: str, meant: str
) -> None:
    backbone = osler_backbone(f"m@http://127.0.0.1:1/v1 {parameter}")
    name, _, _ = parameter.partition("=")
    assert name in backbone.client.innermost.options  # type: ignore[attr-defined]
    [line] = capsys.readouterr().err.splitlines()
    assert line.startswith(
        f"warning: the backbone's parameter {name!r} is sent as it is; did you mean {meant!r}?"
    )


_REFUSED = "local has no parameter 'temprature'; did you mean 'temperature'?"


@pytest.mark.parametrize("option", ["backbones", "patient", "ram", "memory_backbone", "judges"])
def test_a_parameter_that_a_model_here_does_not_have_is_refused(
    tmp_path: Path, option: str
) -> None:
    spec = "local temprature=0.5"
    given: dict[str, Any] = {option: [spec] if option.endswith("s") else spec}
    with pytest.raises(UserError) as caught:
        osler.simulate(**{"cases": ["gout-en"], "out": tmp_path / "a", "quiet": True, **given})
    assert str(caught.value) == _REFUSED and not list(tmp_path.iterdir())


@pytest.mark.parametrize("option", ["backbones", "patient", "ram", "memory_backbone", "judges"])
def test_a_misspelt_parameter_is_warned_of_whoever_has_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], option: str
) -> None:
    """Before anything is run: the only record that is asked for does not exist."""
    spec = "m@http://127.0.0.1:1/v1 temprature=0.5"
    given: dict[str, Any] = {"patient": "rules", "judges": ["none"]}
    given[option] = [spec] if option.endswith("s") else spec
    with pytest.raises(UserError, match="no record passes the filters"):
        osler.simulate(specialties=["nothing"], out=tmp_path / "a", **given)
    assert "'temprature' is sent as it is; did you mean 'temperature'?" in capsys.readouterr().err


def test_the_command_line_refuses_such_a_parameter(osler: Run, tmp_path: Path) -> None:
    done = osler(
        "simulate", "--case", "gout-en", "--backbone", "local temprature=0.5", "--out", "a"
    )
    assert (done.returncode, done.stderr) == (2, f"osler: {_REFUSED}\n")
    assert not list(tmp_path.iterdir())


def test_a_parameter_that_resembles_none_is_refused_with_all_that_there_are() -> None:
    with pytest.raises(
        UserError, match=r"local has no parameter 'zzz'; it has frequency_penalty, .*, top_p$"
    ):
        osler_backbone("local zzz=1")


@pytest.mark.parametrize(
    "parameters",
    [
        "temperature=0.5 top_p=0.9",
        "guided_regex=x",
        "my_servers_own=1",
        "min_p=0.1 top_k=5",
        "think=false",
    ],
)
def test_parameters_that_servers_know_or_that_resemble_none_are_not_warned_of(
    capsys: pytest.CaptureFixture[str], parameters: str
) -> None:
    osler_backbone(f"m@http://127.0.0.1:1/v1 {parameters}")
    assert not capsys.readouterr().err


def osler_backbone(spec: str) -> osler.Backbone:
    from osler.models import open_backbone

    return open_backbone(spec)


_TRIALS = ("simulate", "--case", "gout-en", "--turns", "1", "--quiet", "--trials", "2")


@pytest.mark.parametrize(
    ("args", "said"),
    [
        ((), "rules decide nothing by chance: the 2 trials will be the same"),
        (("--memory", "tim"), "rules decide nothing by chance: the 2 trials will be the same"),
        (("--experience", "none", "--case", "gout-zh"), ""),
        (("--visits", "--filler", "2"), ""),
        (("--visits",), "rules decide nothing by chance"),
        (("--trials", "1"), ""),
    ],
)
def test_trials_that_repeat_each_other_are_warned_of(
    osler: Run, args: tuple[str, ...], said: str
) -> None:
    done = osler(*_TRIALS, *args, "--out", "new")
    assert done.returncode == 0
    warned = [line for line in done.stderr.splitlines() if line.startswith("warning:")]
    assert [said in line for line in warned] == ([True] if said else []), done.stderr


@pytest.mark.parametrize(
    ("args", "warned"),
    [
        ((), True),
        (("--temperature", "0.7"), False),
        (("--backbone", "m@{url} temperature=0.7"), False),
        (("--backbone", "m@{url} temperature=null"), False),
        (("--backbone", "m@{url} temperature=0"), True),
    ],
)
def test_trials_of_a_model_at_temperature_0_are_warned_of(
    osler: Run, args: tuple[str, ...], warned: bool
) -> None:
    url = "http://127.0.0.1:1/v1"
    given = [word.format(url=url) for word in args]
    backbone = () if "--backbone" in given else ("--backbone", f"m@{url}")
    done = osler(*_TRIALS, *backbone, *given, "--patient", "rules", "--out", "new")
    line = "warning: at temperature 0 a model answers a request nearly always alike, so the 2 trials will mostly repeat"
    assert (line in done.stderr) is warned, done.stderr
