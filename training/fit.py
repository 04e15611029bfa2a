"""Fit what the retrieval module has learned: which concepts a text means, and how its evidence is weighed.

Needs `pip install .[train]` and torch, and what the teacher left (`training/taught.py`).

python training/fit.py              fit and write all (an hour on one core)
python training/fit.py --weigh      only how the evidence is weighed, by the readers as they are
python training/fit.py --cross      only figures of the questions labelled by hand, by fits on other patients
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from itertools import product
from pathlib import Path
from zlib import crc32

import numpy as np

sys.path.insert(0, str(Path(__file__).parent.parent))

from tests.agents.questions import Labelled
from tests.agents.ram_figures import counted

from osler.agents.ram.index import RecordIndex
from osler.agents.ram.reader import laid_out
from osler.language.lexicon.phrases import worded
from osler.records import Language, RecordPool
from training import calibrate, meaning, student, taught
from training.imported import imported, put_to
from training.labels import by_hand

LINEAR, NETWORK = (2.5, 3.5, 4.5, 6.0), (0.6, 0.8, 1.0)
"""How much each reader may have to say."""

Example = tuple[str, str]


def split(language: Language) -> tuple[list[Example], list[Example]]:
    """(to learn from, kept out): a tenth of the worded questions, which the teacher does not learn from either."""
    asks = set(meaning.asks(language))
    apart = {ask for ask in asks if kept_out(ask)}
    return sorted((asks | {*worded(language)}) - apart), sorted(apart)


def kept_out(ask: Example) -> bool:
    """Whether neither the readers nor the teacher learn from it while they are measured."""
    return crc32(ask[0].encode()) % 10 == 0


def fit_readers(language: Language) -> Callable[[], None]:
    """Save readers that have not learned from what is kept out; what comes back saves the linear one fitted on all."""
    rest, apart = split(language)
    linear = meaning.fit(rest, language)
    network = student.fit(rest, linear["concepts"].tolist(), language)
    sharp = blend(linear, network, language)
    student.save(student.sharpened(network, sharp[1]), language)
    meaning.save(linear | {"sharpness": np.float32(sharp[0])}, language)

    def finish() -> None:
        meaning.save(meaning.fit(sorted([*rest, *apart]), language) | {"sharpness": np.float32(sharp[0])}, language)

    return finish


def blend(linear: dict, network: dict, language: Language) -> tuple[float, float]:
    """How much each reader has to say: what comes nearest to the teacher's reading of questions labelled by hand.

    Examples that were kept out are worded by the same hands as those learned from, which makes the linear reader surer
    than it may be of anybody else's words.
    """
    one, two, heard = meaning.loaded(linear), laid_out(network, language), taught.heard(language)
    at = {concept: place for place, concept in enumerate(one.concepts)}
    wanted = np.zeros((len(heard), len(at)), dtype=np.float32)
    for row, (_, reading) in zip(wanted, heard, strict=True):
        for concept, share in reading.items():
            row[at[concept]] = share / sum(reading.values())
    by_one = np.concatenate([one.scores([text], language) for text, _ in heard])
    by_two = two.scores([text for text, _ in heard])
    found = {}
    for sharp in product((0.0, *LINEAR), (0.0, *NETWORK)):
        scores = sharp[0] * by_one + sharp[1] * by_two
        likely = scores - np.logaddexp.reduce(scores, axis=1, keepdims=True)
        alike = float((scores.argmax(axis=1) == wanted.argmax(axis=1)).mean())
        found[sharp] = float((wanted * likely).sum(axis=1).mean()), alike
    for name, some in {
        "linear": [sharp for sharp in found if not sharp[1]],
        "network": [sharp for sharp in found if not sharp[0]],
        "both": [*found],
    }.items():
        likely, alike = max(found[sharp] for sharp in some)
        print(f"  {language.value} {name}: log likelihood {likely:.3f}, first choice as the teacher's {alike:.3f}")
    return max(found, key=lambda sharp: found[sharp])


def weigh(
    language: Language, rows: list[Labelled], index: dict[str, RecordIndex], *, of_text: bool, only_show: bool
) -> None:
    evidence = calibrate.remembered(index)
    crossed = calibrate.cross(rows, language, evidence, index, of_text=of_text)
    floor = (calibrate.OF_TEXT if of_text else calibrate.BY_NAME)[language]
    show(language, crossed, floor)
    if not only_show:
        calibrate.save(calibrate.learn(rows, language, evidence, index), floor, language, of_text=of_text)


def show(language: Language, crossed: calibrate.Crossed, floor: calibrate.Floor) -> None:
    """Figures under each floor: of the questions that the tests guard, and of all that are labelled by hand."""
    for some, found in crossed.items():
        both = counted(calibrate.of_the_tests(found)), counted(found)
        print(f"  {language.value} {some} " + "   ".join(" ".join(f"{figure:.3f}" for figure in one) for one in both))
    print(f"{language.value}: threshold and ratio {floor}")
    for kind in ("plain", "paraphrase", "two", "asked", "nothing"):
        got = counted((row, names) for row, names in crossed[floor] if row.kind == kind)
        print(f"  {kind:12}" + " ".join(f"{figure:.3f}" for figure in got))
    for row, names in crossed[floor]:
        if names - row.also != row.entries:
            print(f"  [{row.record} {row.kind}] {row.question}: wants {sorted(row.entries)}, got {sorted(names)}")


def main() -> None:
    only_show = "--cross" in sys.argv
    finish = [] if only_show or "--weigh" in sys.argv else [fit_readers(language) for language in Language]
    as_it_was = {path: path.read_bytes() for path in calibrate.WHERE.glob("*.npz")}
    rows = by_hand()
    records = {record.id: record for record in RecordPool.open()}
    twins = {name: imported(records[name]) for name in dict.fromkeys(row.record for row in rows)}
    forms = {
        False: (records.values(), rows),
        True: ([twin for twin, _ in twins.values()], [put_to(row, twins[row.record][1]) for row in rows]),
    }
    for language, (of_text, (some, questions)) in product(Language, forms.items()):
        index = {record.id: RecordIndex(record) for record in some}
        weigh(language, questions, index, of_text=of_text, only_show=only_show)
    for last in finish:
        last()
    if only_show:
        for path, content in as_it_was.items():
            path.write_bytes(content)


if __name__ == "__main__":
    main()
