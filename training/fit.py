"""Fit what the retrieval module has learned: which concept a question means, and how its evidence is weighed.

python training/fit.py              fit and write both (about five minutes; needs `pip install .[train]`)
python training/fit.py --cross      figures of the questions for tuning, each half by a fit on the other; writes nothing
"""

from __future__ import annotations

import sys
from pathlib import Path
from zlib import crc32

import numpy as np
from sklearn.model_selection import train_test_split

sys.path.insert(0, str(Path(__file__).parent.parent))

from benchmarks.ram import misses, show
from tests.agents.questions import labelled

from osler.agents.lexicon.phrases import worded
from osler.agents.ram.index import RecordIndex
from osler.records import Language, RecordPool
from training import calibrate, meaning

KEPT_OUT = 0.1
MOST = 1200
"""Worded examples that are put to records, of each language."""


def main() -> None:
    out = {}
    examples = {language: sorted({*meaning.asks(language), *worded(language)}) for language in Language}
    sharpness = {}
    for language, rows in examples.items():
        asked = set(meaning.asks(language))
        kept, rest = train_test_split(rows, test_size=KEPT_OUT, random_state=0)
        out[language] = [row for row in rest if row in asked][:MOST]
        arrays = meaning.fit(kept, language)
        sharpness[language] = meaning.sharpen(arrays, out[language], language)
        meaning.save(arrays | {"sharpness": np.float32(sharpness[language])}, language)
    rows = [row for row in labelled() if not row.held_out]
    if "--cross" in sys.argv:
        index = {record.id: RecordIndex(record) for record in RecordPool.open()}
        for half in (0, 1):
            some = [row for row in rows if crc32(row.record[:-3].encode()) % 2 != half]
            calibrate.choose_thresholds(calibrate.networks(out, some), some)
            other = [row for row in rows if crc32(row.record[:-3].encode()) % 2 == half]
            show(f"fold {half}", other, index)
            misses(other, index)
    fitted = calibrate.networks(out, rows)
    for language, every in examples.items():
        meaning.save(meaning.fit(every, language) | {"sharpness": np.float32(sharpness[language])}, language)
    calibrate.choose_thresholds(fitted, rows)


if __name__ == "__main__":
    main()
