"""The report of a run: what is on the page, what must not be live in it, and how it is written."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterable
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from osler.errors import UserError
from osler.eval.report import write_report
from osler.eval.report.page import MOST_SHOWN
from osler.eval.scoring import EXACT
from osler.language import Language
from osler.records import PatientRecord, RecordPool
from osler.runs.events import Answered, Asked, Called, Concluded, Ending, Event, Failed, Maker, Role
from osler.runs.plan import Plan
from osler.runs.store import RunFile, RunWriter, StoredScore, StoredVerdict
from osler.runs.transcript import Transcript
from osler.settings.run_settings import RunSettings
from osler.simulator.batch import RunOptions, simulate_plan
from tests.conftest import Run, small_record
from tests.headers import header_of
from tests.returning import returning

pytestmark = pytest.mark.xdist_group("report")  # they share one run, which takes seconds to hold

ABOUT = {"settings": RunSettings().as_json(), "version": "9.8.7"}
ATTACK = (
    "<script>alert(1)</script><img src=x onerror=alert(2)>&lt;b&gt;\"' onclick='x'</details>$title"
)
ANKLE_ZH = {
    "id": "sprain-zh",
    "language": "zh",
    "complaint": "我的脚崴了。",
    "diagnosis": {"name": "踝关节扭伤"},
    "treatment": {"name": "制动"},
    "exam_order": None,
    "entries": [{"category": "symptom", "name": "脚踝疼痛", "report": "外踝痛。"}],
}
Say = Callable[[str], str]


class Page(HTMLParser):
    """A page as a browser sees it: elements with their attributes, and the text."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.source = path.read_text(encoding="utf-8")
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.texts: list[str] = []
        self.open: list[str] = []
        self.feed(self.source)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        if tag not in {"meta", "br", "path", "use"} or "/" not in str(self.get_starttag_text()):
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag in self.open:
            self.open.reverse()
            self.open.remove(tag)
            self.open.reverse()

    def handle_data(self, data: str) -> None:
        if "style" not in self.open:
            self.texts.append(data)

    @property
    def text(self) -> str:
        return " ".join(" ".join(self.texts).split())

    def all(self, tag: str) -> list[dict[str, str | None]]:
        return [attributes for name, attributes in self.elements if name == tag]

    @property
    def ids(self) -> list[str]:
        return [found for _, attributes in self.elements if (found := attributes.get("id"))]


def write(
    path: Path,
    records: Iterable[PatientRecord],
    held: Callable[[Any], list[Event] | None],
    **plan: Any,
) -> Path:
    """A run in which every consultation has these events; None: it is still to be held."""
    by_id = {record.id: record for record in records}
    with RunWriter.create_or_resume(path, ABOUT) as run:
        for number in run.extend(Plan(by_id.values(), **plan)).todo:
            cell = run.cell(number)
            events = held(cell)
            if events is None:
                continue
            failed = any(isinstance(event, Failed) for event in events)
            header = header_of(cell, by_id[cell.case])
            ending = Ending.BACKBONE_FAILURE if failed else Ending.CONCLUDED
            run.finish(number, Transcript(header=header, ending=ending, events=tuple(events)))
            if not failed:
                run.store_score(
                    number,
                    StoredScore(
                        EXACT,
                        [StoredVerdict("diagnosis", "correct", "name", "it names the truth", 1)],
                    ),
                )
    return path


def talk(say: Say = str, *, turns: int = 2, tokens: int = 0) -> list[Event]:
    """A short consultation in which everybody says what the test wants."""
    events: list[Event] = []
    for turn in range(1, turns + 1):
        events += [
            Asked(turn=turn, role=Role.DOCTOR, question=say(f"question {turn}")),
            Answered(turn=turn, role=Role.PATIENT, reply=say(f"reply {turn}"), maker=Maker.MODEL),
        ]
    if tokens:
        events.append(
            Called(
                turn=1,
                role=Role.DOCTOR,
                model="m",
                messages=(),
                tokens_in=tokens,
                tokens_out=tokens,
            )
        )
    said = {name: say(name) for name in ("diagnosis", "treatment", "reasoning")}
    return [*events, Concluded(turn=turns, role=Role.DOCTOR, differential=(say("other"),), **said)]


def fail(message: str) -> list[Event]:
    return [Failed(turn=1, role=Role.DOCTOR, kind="unreachable", message=message)]


def ankles(count: int = 1, **changes: Any) -> list[PatientRecord]:
    return [
        PatientRecord.model_validate(small_record(**{"id": f"sprain-{number}", **changes}))
        for number in range(count)
    ]


def report(run: Path, **options: Any) -> Page:
    made = write_report(run, run.with_suffix(".html"), **options)
    return Page(made.page)


@pytest.fixture(scope="module")
def held(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Real consultations in both languages, with a memory that thinks and one that does not."""
    path = tmp_path_factory.mktemp("held") / "both.osler"
    pool = list(RecordPool.open())
    some = [
        [record for record in pool if record.language == language][:2] for language in ("en", "zh")
    ]
    plan = Plan([*some[0], *some[1]], memories=("raw", "tim"), settings=RunSettings(turns=8))
    simulate_plan(plan, path, RunOptions(quiet=True), "bundled")
    return path


@pytest.fixture(scope="module")
def figures(held: Path) -> Path:
    return held.parent / "figures"


@pytest.fixture(scope="module")
def page(held: Path, figures: Path) -> Page:
    return report(held, figures=figures)


def test_the_page_has_the_table_the_figures_and_every_consultation_in_its_language(
    page: Page, held: Path
) -> None:
    assert (
        "diagnosis right %" in page.text
        and "Paired differences" in page.text
        and "Nothing failed." in page.text
    )
    names = [attributes["id"] for attributes in page.all("figure")]
    assert names == [
        "figure-accuracy-diagnosis",
        "figure-accuracy-treatment",
    ]
    assert len(page.all("svg")) == len(names)
    assert "Tokens against accuracy. No tokens were counted" in page.text
    with RunFile.open(held) as run:
        for transcript in run.transcripts():
            questions = [event.question for event in transcript.of(Asked)]
            for said in (*questions, *(event.reply for event in transcript.replies)):
                assert " ".join(said.split()) in page.text
            assert run.record(transcript.header.case).diagnosis.name in page.text
    chinese = [one for one in page.all("div") if one.get("lang") == "zh-Hans"]
    assert (
        len(chinese) == 4
        and "医生" in page.text
        and "标准答案" in page.text
        and "Ground truth" in page.text
    )


@pytest.mark.parametrize("language", list(Language))
def test_earlier_visits_are_on_the_page(language: Language, tmp_path: Path) -> None:
    record = returning(language)
    plan = Plan([record], memories=("raw", "tim"), settings=RunSettings(turns=3, visits=True))
    simulate_plan(plan, tmp_path / "visits.osler", RunOptions(quiet=True), "none")
    page = report(tmp_path / "visits.osler")
    for visit in record.visits:
        assert visit.date.isoformat() in page.text
        assert all(exchange.reply in page.text for exchange in visit.exchanges)


def test_what_the_run_was_made_with_is_told(page: Page) -> None:
    assert re.search(r"turns 8 turn factor 2\.0 temperature 0\.0", page.text)
    assert "budget 2000" in page.text
    assert "Python 3." in page.text and "matplotlib" in page.text and EXACT in page.text


def test_the_truth_is_behind_a_click_and_so_is_the_judge_who_names_it(page: Page) -> None:
    truths = re.findall(r'<details class="truth">.*?</details>', page.source)
    assert len(truths) == 8
    outside = re.sub(r'<details class="truth">.*?</details>', "", page.source)
    assert any("another illness" in truth for truth in truths) and "another illness" not in outside
    assert all("open" not in attributes for attributes in page.all("details"))


def test_every_link_leads_somewhere_in_the_page_and_ids_are_unique(page: Page) -> None:
    links = [attributes["href"] for tag, attributes in page.elements if "href" in attributes]
    assert links and all(
        link is not None and link[0] == "#" and link[1:] in page.ids for link in links
    )
    assert {"#comparison", "#column-1", "#column-2"} <= set(links)
    assert len(page.ids) == len(set(page.ids))


def test_nothing_is_loaded_and_nothing_can_run(page: Page) -> None:
    policy = next(
        one["content"]
        for one in page.all("meta")
        if one.get("http-equiv") == "Content-Security-Policy"
    )
    assert policy is not None and "default-src 'none'" in policy and "script-src 'none'" in policy
    assert (
        "http://" not in page.source
        and "https://" not in page.source
        and "@import" not in page.source
    )
    assert set(re.findall(r"url\((.)", page.source)) <= {"#"}
    assert not {"script", "link", "iframe", "img", "object", "embed", "base"} & {
        tag for tag, _ in page.elements
    }
    assert not [
        name
        for _, attributes in page.elements
        for name in attributes
        if name == "src" or name[:2] == "on"
    ]


def test_light_and_dark_have_a_colour_for_everything_that_is_drawn(page: Page) -> None:
    light, dark = page.source.split("@media (prefers-color-scheme: dark)")[:2]
    used = set(re.findall(r"var\((--[\w-]+)\)", page.source))
    assert {"--series-0", "--series-1", "--faint"} <= used
    for name in used:
        assert f"{name}: #" in light and f"{name}: #" in dark.split("* {")[0]
    drawn = "".join(re.findall(r"<svg.*?</svg>", page.source, re.DOTALL))
    assert "currentColor" in drawn and not re.search(r"(fill|stroke): #", drawn), (
        "a colour that is no theme's"
    )
    assert "width=device-width" in page.source and page.source.count('class="scroll"') >= 3


def test_figures_are_written_for_papers(page: Page, figures: Path) -> None:
    names = {path.name for path in figures.iterdir()}
    stems = {"accuracy-diagnosis", "accuracy-treatment"}
    assert names == {f"{stem}.{ending}" for stem in stems for ending in ("svg", "png")}
    from PIL import Image

    with Image.open(figures / "accuracy-diagnosis.png") as image:
        assert image.size[0] == 1500 and image.info["dpi"] == pytest.approx((300, 300), abs=1)
    assert (figures / "accuracy-diagnosis.svg").read_text().startswith("<?xml")


def test_the_same_run_gives_the_same_page(held: Path, page: Page, tmp_path: Path) -> None:
    write_report(held, tmp_path / "again.html")
    assert (tmp_path / "again.html").read_text(encoding="utf-8") == page.source


def test_what_records_models_and_names_say_stays_text(tmp_path: Path) -> None:
    record = ankles(
        complaint=ATTACK,
        diagnosis={"name": ATTACK},
        treatment={
            "name": ATTACK,
            "parts": [{"name": ATTACK}],
            "unsafe": [{"name": ATTACK, "because": ATTACK}],
        },
    )

    def say(what: str) -> str:
        return f"{what} {ATTACK} \x1b[31m \u202e"

    names = {
        "backbones": ("rules", f"$x^2$ 模型 {ATTACK}"),
        "memories": ("raw", f"mine:Own{ATTACK}"),
    }
    path = write(
        tmp_path / "bad.osler",
        record,
        lambda cell: fail(say("down")) if cell.trial == 2 else talk(say, tokens=5),
        trials=2,
        **names,
    )
    page = report(path)
    allowed = {
        "html",
        "head",
        "meta",
        "title",
        "style",
        "body",
        "header",
        "p",
        "h1",
        "span",
        "aside",
        "strong",
        "ul",
    }
    allowed |= {
        "li",
        "nav",
        "a",
        "main",
        "section",
        "h2",
        "h3",
        "div",
        "table",
        "thead",
        "tbody",
        "tr",
        "th",
        "td",
    }
    allowed |= {
        "figure",
        "svg",
        "g",
        "path",
        "defs",
        "use",
        "clippath",
        "rect",
        "text",
        "tspan",
        "figcaption",
    }
    allowed |= {"details", "summary", "ol", "b", "dl", "dt", "dd"}
    assert {tag for tag, _ in page.elements} <= allowed
    assert not [
        name
        for _, attributes in page.elements
        for name in attributes
        if name == "src" or name[:2] == "on"
    ]
    assert "<script>alert(1)</script>" in page.text, "it is shown as it was said"
    assert "\x1b" not in page.source and page.source.count("<details") == page.source.count(
        "</details>"
    )
    assert "$x^2$" in page.text, "a name is no formula and no slot of the template"


def test_failures_are_listed_with_their_attempts_and_linked(tmp_path: Path) -> None:
    path = write(
        tmp_path / "some.osler",
        ankles(3),
        lambda cell: fail("the endpoint is down") if cell.case == "sprain-1" else talk(),
    )
    with RunWriter.create_or_resume(path, ABOUT) as run:
        run.note_interruption(2, "the power went")
    page = report(path)
    assert "1 of 3 consultation(s) failed" in page.text
    assert re.search(
        r'<a href="#c2">sprain-1</a></th><td>rules raw</td><td>backbone_failure</td><td>2</td>',
        page.source,
    )
    assert '<a href="#failures">1</a>' in page.source and "the endpoint is down" in page.text
    assert "rules raw: 1 of 3 failed and are left out of its scores" in page.text


def test_a_run_of_failures_alone_and_an_empty_one_have_pages(tmp_path: Path) -> None:
    failed = report(write(tmp_path / "failed.osler", ankles(2), lambda _: fail("down")))
    assert (
        "every consultation failed" in failed.text
        and "2 of 2 consultation(s) failed" in failed.text
    )
    assert not failed.all("svg") and "No diagnosis has been judged" in failed.text
    empty = report(write(tmp_path / "empty.osler", ankles(2), lambda _: None))
    assert "No consultation of this run has ended yet" in empty.text and "9.8.7" in empty.text
    assert "0 answered, 0 failed, 2 still to be held" in empty.text


def test_a_page_does_not_grow_with_the_run_or_with_what_is_said(tmp_path: Path) -> None:
    count = MOST_SHOWN // 2 + 30

    def held(cell: Any) -> list[Event]:
        if cell.case == "sprain-3":
            return talk(lambda what: what + " &" * 9_000, turns=30)
        return fail("down " * 999) if cell.case.endswith("7") else talk(turns=1)

    path = write(tmp_path / "large.osler", ankles(count), held, memories=("a:A", "b:B"))
    page = report(path)
    shown = [one for one in page.all("details") if one.get("class") == "consultation"]
    assert len(shown) == MOST_SHOWN
    left = [int(found) for found in re.findall(r"(\d+) further consultation\(s\)", page.text)]
    assert len(left) == 2 and sum(left) == 2 * count - MOST_SHOWN
    babble = max(
        re.findall(r'<details id="c.*?(?=<details id="c)', page.source, re.DOTALL), key=len
    )
    assert "question 1 &amp; &amp;" in babble and "more lines" in babble and len(babble) < 60_000
    assert len(page.source) < 800_000
    links = {str(one["href"]) for one in page.all("a")}
    assert all(link[1:] in page.ids for link in links), "only what is there is linked"


def test_a_run_that_is_being_written_is_shown_as_it_stands(tmp_path: Path) -> None:
    path = write(
        tmp_path / "open.osler", ankles(3), lambda cell: talk() if cell.case == "sprain-0" else None
    )
    with RunWriter.create_or_resume(path, ABOUT) as writer:
        page = report(path)
        assert writer.status().todo == 2
    assert "1 consultation(s) with 1 patient(s), in English" in page.text
    assert "open.osler: 2 consultation(s) of its plan are still to be held" in page.text
    assert str(tmp_path) not in page.source, "where the run lay is nobody's business"


def test_mixed_languages_and_tokens_are_drawn(tmp_path: Path) -> None:
    records = [*ankles(1), *ankles(1, **ANKLE_ZH)]
    path = write(
        tmp_path / "mixed.osler",
        records,
        lambda cell: talk(lambda what: "踝部疼痛" if "zh" in cell.case else what, tokens=700),
        backbones=("alpha@http://127.0.0.1:9/v1", "beta@http://127.0.0.1:9/v1"),
    )
    page = report(path)
    assert "in Chinese and English" in page.text and "figure-tokens" in page.ids
    assert "alpha plain raw" in page.text and "tokens per consultation" in page.text
    assert "踝部疼痛" not in "".join(re.findall(r"<svg.*?</svg>", page.source, re.DOTALL))


def test_no_code_that_a_run_names_is_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "evil.py").write_text("raise SystemExit('it was imported')")
    monkeypatch.syspath_prepend(tmp_path)
    names = ("evil:Memory", "tim,embedder=openai:x", "one-step")
    page = report(write(tmp_path / "evil.osler", ankles(1), lambda _: talk(), memories=names))
    assert "evil:Memory" in page.text and "evil" not in sys.modules


def test_another_judge_can_be_named(tmp_path: Path) -> None:
    path = write(tmp_path / "two.osler", ankles(1), lambda _: talk())
    with RunWriter.create_or_resume(path, ABOUT) as run:
        run.store_score(
            1, StoredScore("strict", [StoredVerdict("diagnosis", "wrong", "model", "no")])
        )
    assert "✓ diagnosis correct" in report(path).text
    judged = report(path, judge="strict", force=True)
    assert "✗ diagnosis wrong" in judged.text and "judged by strict" in judged.text
    with pytest.raises(UserError, match="no verdicts of 'nobody'"):
        report(path, judge="nobody", force=True)


def test_a_missing_extra_is_one_line_with_the_remedy(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write(tmp_path / "run.osler", ankles(1), lambda _: talk())
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(UserError, match=r"a report needs .*; pip install 'osler\[report\]'"):
        report(path)
    assert not path.with_suffix(".html").exists()


def test_nothing_is_overwritten_and_nothing_half_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write(tmp_path / "run.osler", ankles(1), lambda _: talk())
    target, folder = tmp_path / "report.html", tmp_path / "figures"
    target.write_text("mine")
    with pytest.raises(UserError, match=r"is there already; .*--force"):
        write_report(path, target)
    folder.mkdir()
    (folder / "accuracy-diagnosis.svg").write_text("mine")
    with pytest.raises(UserError, match="is there already"):
        write_report(path, tmp_path / "new.html", figures=folder)
    assert sorted(one.name for one in folder.iterdir()) == ["accuracy-diagnosis.svg"]

    def full(self: Path, data: bytes) -> int:
        if self.name.startswith(".report.html"):
            raise OSError(28, "No space left on device")
        return real(self, data)

    real = Path.write_bytes
    monkeypatch.setattr(Path, "write_bytes", full)
    with pytest.raises(UserError, match="No space left"):
        write_report(path, target, figures=folder, force=True)
    monkeypatch.undo()
    assert (
        target.read_text() == "mine" and (folder / "accuracy-diagnosis.svg").read_text() == "mine"
    )
    assert not list(tmp_path.rglob(".*report*")) and len(list(folder.iterdir())) == 1
    write_report(path, target, figures=folder, force=True)
    assert target.read_text(encoding="utf-8").startswith("<!doctype html>")


def test_the_command_says_what_it_wrote_or_what_is_wrong(osler: Run, tmp_path: Path) -> None:
    path = write(tmp_path / "run.osler", ankles(1), lambda _: talk())
    done = osler("report", path, "-o", "page.html", "--figures", "drawn")
    assert done.returncode == 0 and done.stderr == ""
    assert re.fullmatch(r"page\.html \(\d+ KiB\) and \d+ figure\(s\) in drawn\n", done.stdout)
    refused = osler("report", path, "-o", "page.html")
    assert refused.returncode == 2 and refused.stdout == "" and refused.stderr.count("\n") == 1
    assert "page.html is there already" in refused.stderr


def test_what_cannot_be_written_is_refused_with_what_to_do(tmp_path: Path) -> None:
    path = write(tmp_path / "run.osler", ankles(1), lambda _: talk())
    before = path.read_bytes()
    for run, target, figures, said in (
        (path, path, None, "is the run itself; give the page another name"),
        (path, tmp_path, None, "is a folder; name a file"),
        (path, tmp_path / "no" / "where.html", None, "there is no folder"),
        (path, tmp_path / "new.html", path, "is no folder; give a folder"),
        (tmp_path / "nothing.osler", tmp_path / "new.html", None, "there is no run"),
    ):
        with pytest.raises(UserError, match=said):
            write_report(run, target, figures=figures, force=True)
    assert path.read_bytes() == before and not (tmp_path / "new.html").exists()
