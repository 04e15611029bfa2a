"""Teach a larger model to read asks, and leave what a small one learns from (`training/taught.py`).

python training/teacher.py MODEL.gguf OUT       needs a GPU, torch, gguf, tokenizers; about fourteen minutes

The model is qwen2.5-coder-1.5b-instruct (Apache-2.0). As it is, it writes questions from a few examples: for concepts,
and for entries of the bundled records. Then it is tuned to tell the concept of a worded question, and reads what it
wrote, single words, the texts of entries, and questions labelled by hand. Its state for a single word, reduced, is the
word's point. Nothing of the held-out questions goes in, and it writes nothing about the patients that these are about.
"""

from __future__ import annotations

import copy
import gzip
import json
import random
import re
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

sys.path.insert(0, str(Path(__file__).parent.parent))

from tests.agents.questions import Part, labelled

from osler.language.words import plain, words
from osler.records import Language, RecordPool
from training import meaning, qwen
from training.fit import kept_out, split
from training.labels import by_hand

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"
PADDING, NEWLINE = 151643, 198
LONGEST = 48
TAIL = "\nThis asks about:"
EPOCHS, BATCH, RATE, HEAD_RATE, SMOOTHED = 2, 128, 2e-5, 1e-3, 0.03
MOST, LEAST, CLEAR = 8, 0.006, 0.2
"""Concepts of a reading, the least probability of one; that of the first from which a single word is told of."""
POINT = 96
PROMPT, WRITTEN, TOP, PROMPTS, EACH, SAMPLES = 256, 30, 80, 96, 40, 2
"""Tokens of a prompt and of what is written; tokens chosen from; prompts at once, questions from each, and samples of
a concept's examples that are shown."""
EXAMPLES = json.loads((Path(__file__).parent / "examples.json").read_text(encoding="utf-8"))
COMMON = 40_000
"""Chinese words of the dictionary that get a point although no text has them, the commonest."""

Row = tuple[str, str]
Readings = list[list[tuple[str, float]]]


class Teacher(nn.Module):
    """The model, and from the state of the last token to concepts."""

    def __init__(self, model: qwen.Qwen, concepts: list[str], tokens: qwen.Tokenizer) -> None:
        super().__init__()
        self.model, self.concepts, self.tokens = model, concepts, tokens
        self.model.out.requires_grad_(False)
        self.head = nn.Linear(qwen.SIZE, len(concepts)).to(DEVICE)
        nn.init.zeros_(self.head.bias)
        nn.init.normal_(self.head.weight, std=0.01)
        self.tail = tokens.encode(TAIL).ids

    def rows(self, texts: Iterable[str]) -> list[list[int]]:
        """Each text as tokens, with what asks for its meaning."""
        return [found.ids[:LONGEST] + self.tail for found in self.tokens.encode_batch(list(texts))]

    def states(self, rows: list[list[int]]) -> Tensor:
        """The state of the last token of every row."""
        tokens = torch.full((len(rows), max(map(len, rows))), PADDING)
        for place, row in enumerate(rows):
            tokens[place, : len(row)] = torch.tensor(row)
        last = torch.tensor([len(row) - 1 for row in rows], device=DEVICE)
        with torch.autocast(DEVICE, torch.bfloat16, enabled=DEVICE == "cuda"):
            return self.model(tokens.to(DEVICE))[torch.arange(len(rows), device=DEVICE), last].float()

    def learn(self, examples: list[Row]) -> None:
        """Tune all of the model, and the head, to tell the concept of each example."""
        rows = self.rows(text for text, _ in examples)
        wanted = [self.concepts.index(concept) for _, concept in examples]
        plan = [some for epoch in range(EPOCHS) for some in _batches([len(row) for row in rows], epoch)]
        body = [weight for weight in self.model.parameters() if weight.requires_grad]
        optimiser = torch.optim.AdamW(
            [{"params": body, "lr": RATE}, {"params": self.head.parameters(), "lr": HEAD_RATE}], betas=(0.9, 0.98)
        )
        falling = torch.optim.lr_scheduler.LambdaLR(
            optimiser, lambda step: min(1, (step + 1) / 60) * max(0.02, 1 - step / len(plan))
        )
        for some in plan:
            scores = self.head(self.states([rows[place] for place in some]))
            truth = torch.tensor([wanted[place] for place in some], device=DEVICE)
            loss = functional.cross_entropy(scores, truth, label_smoothing=SMOOTHED)
            optimiser.zero_grad(set_to_none=True)
            loss.backward()
            nn.utils.clip_grad_norm_(self.parameters(), 1.0)
            optimiser.step()
            falling.step()

    @torch.no_grad()
    def each(self, texts: list[str], *, states: bool = False) -> Tensor:
        """Probabilities of the concepts, or states, of every text."""
        rows = self.rows(texts)
        order = sorted(range(len(rows)), key=lambda place: len(rows[place]))
        found: list[Tensor] = [torch.empty(0)] * len(rows)
        for some in (order[start : start + 1024] for start in range(0, len(order), 1024)):
            got = self.states([rows[place] for place in some])
            got = got if states else self.head(got).softmax(-1)
            for place, row in zip(some, got.half().cpu(), strict=True):
                found[place] = row
        return torch.stack(found)

    def read(self, texts: list[str]) -> Readings:
        """The likeliest concepts of every text."""
        shares, concepts = self.each(texts).float().topk(min(MOST, len(self.concepts)), -1)
        return [
            [(self.concepts[c], round(share, 3)) for c, share in zip(names, row, strict=True) if share > LEAST]
            for names, row in zip(concepts.tolist(), shares.tolist(), strict=True)
        ]


def _batches(lengths: list[int], seed: int) -> list[list[int]]:
    """Batches of like length, in any order."""
    rng = random.Random(seed)
    order = list(range(len(lengths)))
    rng.shuffle(order)
    found = []
    for start in range(0, len(order), BATCH * 32):
        alike = sorted(order[start : start + BATCH * 32], key=lambda place: lengths[place])
        found += [alike[at : at + BATCH] for at in range(0, len(alike), BATCH)]
    rng.shuffle(found)
    return found


def prompts(examples: dict[Language, list[Row]]) -> list[tuple[Language, str]]:
    """A few examples each, for a concept or for an entry, and the beginning of the next line."""
    rng = random.Random(1)
    out = {row.record for row in labelled(Part.VALIDATION, Part.HELD_OUT)}
    found = []
    for record in RecordPool.open():
        given = EXAMPLES[record.language.value]
        for entry in record.entries if record.id not in out else ():
            report = entry.report[:70] if record.language is Language.ZH else " ".join(entry.report.split()[:18])
            shown = "".join(
                given["entry"].format(*shot[:2]) + shot[2] + "\n\n" for shot in rng.sample(given["shots"], 6)
            )
            found.append((record.language, given["head"] + shown + given["entry"].format(entry.name, report)))
    for language, rows in examples.items():
        asked = defaultdict[str, list[str]](list)
        for text, concept in rows:
            asked[concept].append(text)
        for concept, texts in asked.items():
            for _ in range(SAMPLES):
                shown = "".join(f"- {text}\n" for text in rng.sample(texts, min(9, len(texts))))
                found.append(
                    (language, EXAMPLES[language.value]["concept"].format(concept.replace("-", " ")) + shown + "-")
                )
    rng.shuffle(found)
    return found


@torch.no_grad()
def write(model: qwen.Qwen, tokens: qwen.Tokenizer, wanted: list[tuple[Language, str]]) -> dict[str, Language]:
    """Questions, each by its text. A prompt is filled with newlines in front, so that all are of one length."""
    names = tokens.decode_batch([[place] for place in range(PADDING)], skip_special_tokens=False)
    stops = torch.ones(qwen.TOKENS, dtype=torch.bool, device=DEVICE)
    stops[:PADDING] = torch.tensor(["\n" in name for name in names], device=DEVICE)
    rows = [(language, tokens.encode(text).ids) for language, text in wanted]
    rows = [(language, [NEWLINE] * (PROMPT - len(row)) + row) for language, row in rows if len(row) <= PROMPT]
    made: dict[str, Language] = {}
    for some in (rows[start : start + PROMPTS] for start in range(0, len(rows), PROMPTS)):
        said = _continued(model, torch.tensor([row for _, row in some], device=DEVICE), stops)
        for place, text in enumerate(tokens.decode_batch(said)):
            text, ended, _ = text.partition("\n")
            if ended and 3 < len(text.strip()) < 160 and "\ufffd" not in text:
                made.setdefault(text.strip(), some[place // EACH][0])
    return made


def _continued(model: qwen.Qwen, rows: Tensor, stops: Tensor) -> list[list[int]]:
    kind = model.embedded.weight.dtype
    room = (len(rows), qwen.KEYS, PROMPT + WRITTEN, qwen.SIZE // qwen.HEADS)
    cache = [
        (torch.zeros(room, dtype=kind, device=DEVICE), torch.zeros(room, dtype=kind, device=DEVICE))
        for _ in model.blocks
    ]
    state = model(rows, cache)[:, -1].repeat_interleave(EACH, 0)
    cache = [(one.repeat_interleave(EACH, 0), two.repeat_interleave(EACH, 0)) for one, two in cache]
    said, done = [], torch.zeros(len(state), dtype=torch.bool, device=DEVICE)
    for at in range(PROMPT, PROMPT + WRITTEN):
        scores, likely = model.out(state.to(kind)).float().topk(TOP, -1)
        token = likely.gather(1, torch.multinomial(scores.softmax(-1), 1))[:, 0]
        said.append(torch.where(done, NEWLINE, token))
        done |= stops[token]
        state = model(said[-1][:, None], cache, at)[:, -1]
    return torch.stack(said, 1).tolist()


def vocabulary(language: Language, texts: list[str], tokens: qwen.Tokenizer) -> list[str]:
    """Words of the texts, and common words that none of them has."""
    if language is Language.EN:
        seen = Counter(word for text in texts for word in re.findall(r"[a-z]+(?:['-][a-z]+)*", plain(text)))
        pieces = (tokens.decode([place]) for place in range(PADDING))
        return sorted(
            seen | Counter(piece.strip().lower() for piece in pieces if re.fullmatch(r" [a-zA-Z][a-z]+", piece))
        )
    import jieba

    with TemporaryDirectory() as empty:  # not the shared folder, where anybody can put a dictionary
        jieba.dt.tmp_dir = empty
        jieba.initialize()
    listed = sorted(((often, word) for word, often in jieba.dt.FREQ.items() if often), reverse=True)
    common = [word.replace("疼", "痛") for _, word in listed if re.fullmatch("[\u4e00-\u9fff]{1,4}", word)]
    return sorted({word for text in texts for word in words(text, language)} | {*common[:COMMON]})


def save(path: Path, rows: Iterable[tuple[str, str, list]]) -> None:
    with gzip.open(path, "wt", encoding="utf-8") as lines:
        lines.writelines(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)


def main() -> None:
    path, out = Path(sys.argv[1]), Path(sys.argv[2])
    out.mkdir(exist_ok=True)
    examples = {language: split(language)[0] for language in Language}
    scenes = [row for language in Language for row in meaning.scenes(language) if not kept_out(row)]
    tokens, model = qwen.tokenizer(path), qwen.load(path, DEVICE)
    writer = copy.deepcopy(model).to(torch.bfloat16 if DEVICE == "cuda" else torch.float32)
    made = write(writer, tokens, prompts(examples))
    del writer
    every = [row for rows in examples.values() for row in rows]
    teacher = Teacher(model, sorted({concept for _, concept in every}), tokens)
    teacher.learn(every + scenes)
    spoken = {language: [text for text, own in made.items() if own is language] for language in Language}
    entries = {language: _texts(language) for language in Language}
    listed = {
        language: vocabulary(language, [text for text, _ in examples[language]] + entries[language], tokens)
        for language in Language
    }
    (out / "words.json").write_text(
        json.dumps({own.value: found for own, found in listed.items()}, ensure_ascii=False), encoding="utf-8"
    )
    rows, texts, questions = [], [], []
    for language in Language:
        asked = sorted({row.question for row in by_hand() if row.language is language})
        questions += [(text, language.value, got) for text, got in zip(asked, teacher.read(asked), strict=True)]
        rows += [
            (text, language.value, got)
            for text, got in zip(spoken[language], teacher.read(spoken[language]), strict=True)
        ]
        heard = zip(listed[language], teacher.read(listed[language]), strict=True)
        rows += [(word, language.value, got) for word, got in heard if got and got[0][1] >= CLEAR]
        texts += [
            (text, language.value, got)
            for text, got in zip(entries[language], teacher.read(entries[language]), strict=True)
        ]
        states = teacher.each(listed[language], states=True).float()
        states -= states.mean(0)
        _, _, main_directions = torch.pca_lowrank(states, POINT + 44, center=False, niter=3)
        np.save(out / f"points.{language.value}.npy", (states @ main_directions[:, :POINT]).half().numpy())
    save(out / "made.jsonl.gz", rows)
    save(out / "readings.jsonl.gz", texts)
    save(out / "heard.jsonl.gz", questions)


def _texts(language: Language) -> list[str]:
    """Every text of the bundled entries."""
    records = [record for record in RecordPool.open() if record.language is language]
    return sorted({text for r in records for e in r.entries for text in (e.name, *e.aliases, e.report, e.said)})


if __name__ == "__main__":
    main()
