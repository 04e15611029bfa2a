"""Short names of backbones and memories: told apart by what differs, without an address, the same
in every table."""

from __future__ import annotations

import csv
import io
import json
import re
from pathlib import Path

import pytest
from rich.console import Console, RenderableType

from osler.eval.compare import compare, comparison_json, comparison_tables
from osler.eval.report import write_report
from osler.eval.report.pictures import labels_of
from osler.eval.runs import load_run
from osler.records import RecordPool
from osler.runs.short_names import backbone_name, backbone_names, cut_names, memory_names
from osler.runs.store import RunFile
from osler.settings.run_settings import RunSettings
from osler.simulator.summary import summary
from osler.tables import csv_text as as_csv
from osler.tables import latex, markdown, on_terminal
from osler.view import run_data
from osler.view.export import export
from osler.view.run_list import RunList
from tests.eval.held_runs import made_run

SMALL, LARGE = (
    "meta-llama/Llama-3.1-8B@http://10.0.0.7:8000/v1",
    "meta-llama/Llama-3.1-70B@http://10.0.0.7:8000/v1",
)
TWICE = ("qwen@http://10.0.0.8:1/v1", "qwen@http://10.0.0.9:1/v1")
FAR = "tim,embedder=bge@http://10.0.0.7:9/v1"


@pytest.mark.parametrize(
    ("specs", "names"),
    [
        (("rules", "local"), ("rules", "local")),
        ((SMALL, LARGE), ("Llama-3.1-8B", "Llama-3.1-70B")),
        (TWICE, ("qwen (1)", "qwen (2)")),
        (TWICE[::-1], ("qwen (2)", "qwen (1)")),
        (("a/qwen@http://h/v1", "b/qwen@http://h/v1"), ("a/qwen", "b/qwen")),
        (("openai:gpt-4o", "gpt-4o@https://h/v1"), ("openai:gpt-4o", "gpt-4o")),
        (("openai:gpt-4o", "openai:gpt-4o-mini"), ("gpt-4o", "gpt-4o-mini")),
        (
            ("llama3.1:8b@http://h:1/v1", "llama3.1:70b@http://h:1/v1"),
            ("llama3.1:8b", "llama3.1:70b"),
        ),
        (("local:/models/a/m.gguf", "local:/models/b/m.gguf"), ("a/m.gguf", "b/m.gguf")),
        (("local:/models/a/m.gguf", "local"), ("m.gguf", "local")),
        (("openai:m top_p=0.9", "openai:m"), ("m top_p=0.9", "m")),
        (("m@http://h:1/v1 top_p=1", "m@http://h:1/v1 top_p=0.5"), ("m top_p=1", "m top_p=0.5")),
        (("anthropic:m", "ollama:m"), ("anthropic:m", "ollama:m")),
        (("x/y/m@HTTPS://h/v1", "z/y/m@http://h/v1", "m@http://h/v1"), ("x/y/m", "z/y/m", "m")),
    ],
)
def test_names_are_as_short_as_tells_them_apart(
    specs: tuple[str, ...], names: tuple[str, ...]
) -> None:
    found = backbone_names(specs)
    assert tuple(found[spec] for spec in specs) == names
    assert len(set(found.values())) == len(specs)


def test_one_name_alone_and_memories_have_no_address() -> None:
    assert backbone_name(SMALL) == "Llama-3.1-8B" and backbone_name("rules") == "rules"
    others = (
        FAR.replace("10.0.0.7", "10.0.0.8"),
        "tim,embedder=bge@http://h/v1,top=5",
        "mine.own:Memory",
    )
    named = memory_names(("tim", FAR, *others))
    assert not any("http" in name for name in named.values()) and len(set(named.values())) == 5
    assert (
        named[others[1]] == "tim,embedder=bge,top=5"
        and named["mine.own:Memory"] == "mine.own:Memory"
    )


def test_a_name_is_cut_where_the_others_are_the_same() -> None:
    long = [f"Meta-Llama-3.1-{size}-Instruct-and-so-on" for size in ("8B", "70B", "405B")]
    cut = cut_names([*long, "rules"], 20)
    assert len(set(cut.values())) == 4 and all(len(name) <= 20 for name in cut.values())
    assert all(size in cut[name] for size, name in zip(("8B", "70B", "405B"), long, strict=True))
    assert cut["rules"] == "rules"


@pytest.fixture
def run(tmp_path: Path) -> Path:
    """Six backbones, some of the same name, and a memory whose embedder is on a server; a failure
    in each column."""
    return made_run(
        tmp_path / "named.osler",
        RecordPool.open().only(ids=["croup-en", "croup-zh"]),
        lambda cell: "failed" if cell.case == "croup-zh" else "correct",
        backbones=(SMALL, LARGE, *TWICE, f"a/{TWICE[0]}", "rules"),
        memories=("raw", FAR),
        settings=RunSettings(patient_backbone=SMALL),
    )


def text_of(shown: RenderableType, width: int) -> str:
    out = io.StringIO()
    Console(file=out, width=width).print(shown)
    return out.getvalue()


def test_every_table_of_a_run_names_columns_alike_and_without_addresses(run: Path) -> None:
    comparison = compare([load_run(run)])
    names = [column.name for column in comparison.columns]
    assert names[::2] == [
        *(
            f"{name} plain raw"
            for name in ("Llama-3.1-8B", "Llama-3.1-70B", "qwen (1)", "qwen (2)", "a/qwen")
        ),
        "rules raw",
    ]
    assert names[1] == "Llama-3.1-8B plain tim,embedder=bge"
    tables = comparison_tables(comparison)
    told = json.loads(comparison_json(comparison))
    assert [column["name"] for column in told["columns"]] == names
    assert next(csv.reader(io.StringIO(as_csv(tables[0]))))[1:] == names
    with RunFile.open(run) as opened:
        shown = [summary(opened, SMALL)]
    texts = [form(table) for form in (markdown, latex, as_csv) for table in tables]
    texts += [text_of(one, width) for one in (on_terminal(tables), *shown) for width in (80, 200)]
    for text in texts:
        assert "http" not in text and "10.0.0" not in text
        assert "Llama" in text
    assert "the same model at different servers" in texts[0]


@pytest.mark.parametrize("width", [60, 80, 120, 300])
def test_a_narrow_terminal_cuts_neither_what_differs_nor_a_figure(
    tmp_path: Path, width: int
) -> None:
    specs = tuple(
        f"meta-llama/Meta-Llama-3.1-{size}-Instruct-{kind}@http://h/v1"
        for size in (8, 70)
        for kind in "ab"
    )
    run = made_run(
        tmp_path / "long.osler", RecordPool.open().only(ids=["croup-en"]), backbones=specs
    )
    with RunFile.open(run) as opened:
        tables = [
            summary(opened, "rules"),
            on_terminal(comparison_tables(compare([load_run(run)]))[:1]),
        ]
    for table in tables:
        shown = text_of(table, width)
        assert max(map(len, shown.splitlines())) <= width and "…" not in shown
        found = [
            name for block in re.findall(r"^┏.*?^┡", shown, re.M | re.S) for name in headers(block)
        ]
        assert found == [
            f"Meta-Llama-3.1-{size}-Instruct-{kind}plainraw" for size in (8, 70) for kind in "ab"
        ]
        lines = [line for line in shown.splitlines() if "diagnosis right" in line]
        assert sum(line.count("1.000") + line.count("100.0") for line in lines) == 4


def headers(block: str) -> list[str]:
    """The headers of the columns with figures, each in one piece."""
    lines = [line[1:-1].split("┃") for line in block.splitlines() if line.startswith("┃")]
    return ["".join(map(str.strip, cells)) for cells in zip(*lines, strict=True)][1:]


def test_figures_tell_long_names_apart(tmp_path: Path) -> None:
    specs = tuple(
        f"meta-llama/Meta-Llama-3.1-{size}-Instruct-AWQ-INT4@http://h/v1" for size in ("8B", "70B")
    )
    run = made_run(
        tmp_path / "long.osler",
        RecordPool.open().only(ids=["croup-en"]),
        backbones=specs,
        memories=("raw", "tim", FAR, f"{FAR},top=5"),
    )
    labels = labels_of(compare([load_run(run)]).columns)
    assert len(set(labels.values())) == 8 and all(len(label) <= 28 for label in labels.values())
    assert all(("70B" in label) == ("70B" in column.backbone) for column, label in labels.items())
    assert all(" plain " in label for label in labels.values())


def test_report_and_page_name_columns_alike_and_without_addresses(
    run: Path, tmp_path: Path
) -> None:
    source = write_report(run, tmp_path / "report.html").page.read_text("utf-8")
    sections = source.partition('id="made-with"')[0]
    assert (
        "10.0.0" not in sections
        and "Llama-3.1-70B plain raw" in sections
        and "qwen (2) plain raw" in sections
    )
    (shown,) = RunList([run]).all()
    told = run_data.run(shown)
    assert [told["names"][spec] for spec in (SMALL, LARGE, *TWICE)] == [
        *("Llama-3.1-8B", "Llama-3.1-70B", "qwen (1)", "qwen (2)")
    ]
    assert told["names"][FAR] == "tim,embedder=bge"
    columns = {*told["backbones"], *told["memories"], *told["variants"]}
    assert set(told["names"]) == {*columns, told["patient_backbone"], "rules"}
    assert (told["strategies"], told["variants"]) == (["plain"], ["{}"])
    export([run], tmp_path / "site")
    assert '"qwen (2)"' in re.sub(
        r"\\u0020", " ", (tmp_path / "site" / "data" / "runs.js").read_text("utf-8")
    )
