"""The embedder that needs no model: what it finds beside BM25, what it learns from what is said,
and what stays the same."""

from __future__ import annotations

import math
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from osler.language import Language
from osler.language.words import words
from osler.memory.embedders import Embedder, HashEmbedder

# Thirty turns of a consultation, and questions with the turn that answers each.
ENGLISH = (
    "What brings you here? I have had blood in my urine since last Tuesday.",
    "Does it hurt when you pass water? No, it does not burn at all.",
    "How often do you go at night? I get up four times and hardly sleep.",
    "Any fever? My temperature was 38.2 on Sunday evening.",
    "Have you lost weight? About six kilos since Christmas, without trying.",
    "Do you smoke? Twenty cigarettes a day for thirty years.",
    "And alcohol? A glass of wine at the weekend, nothing more.",
    "What work do you do? I was a painter in a dye factory until I retired.",
    "Are you allergic to anything? Penicillin gave me a rash as a child.",
    "Which medicines do you take? Metformin in the morning and amlodipine at night.",
    "Have you had operations? My gallbladder was taken out in 2009.",
    "Is there cancer in the family? My brother died of colon cancer.",
    "Any chest pain? Only a tightness when I climb the stairs to the third floor.",
    "Does it spread? Sometimes into my left arm.",
    "Are you short of breath? A little when I lie flat, so I use two pillows.",
    "Do your ankles swell? In the evening my shoes feel tight.",
    "Have you had an ultrasound? Yes, seven days ago, they saw a lump in the bladder.",
    "Was there a CT scan? Not yet, they said the contrast could harm my kidneys.",
    "What did the blood test show? The haemoglobin was low, 98 they told me.",
    "Do you have diabetes? For eight years, it is well controlled.",
    "And high blood pressure? It is usually 150 over 90 at home.",
    "Any trouble with your eyes? Things look blurred in the distance.",
    "Do you cough? A dry cough for about two weeks.",
    "Bring anything up? No phlegm and no blood.",
    "How is your appetite? I feel full after a few bites.",
    "Any change in your bowels? I have been constipated for ten days.",
    "Do you have headaches? Every morning, behind the forehead.",
    "Have you fallen? I slipped in the shower and bruised my hip.",
    "Who lives with you? My daughter moved in after my husband died.",
    "What do you hope for? I would rather avoid surgery if there is another way.",
)
ENGLISH_QUESTIONS = (
    ("When did the bleeding in the urine start?", 0),
    ("Is there burning on passing urine?", 1),
    ("How high was the fever?", 3),
    ("How many kilograms of weight were lost?", 4),
    ("How many cigarettes are smoked every day?", 5),
    ("Which allergies are known, penicilin for instance?", 8),
    ("Is metformine being taken?", 9),
    ("When was the gall bladder operation?", 10),
    ("Which cancers ran in the family?", 11),
    ("What did ultrasonography of the bladder show?", 16),
    ("What was the hemoglobin?", 18),
    ("How long has the patient been diabetic?", 19),
    ("Is the cough dry?", 22),
    ("How long has there been constipation?", 25),
    ("Does the patient agree to surgery?", 29),
)
CHINESE = (
    "您哪里不舒服？我从上周二开始小便里有血。",
    "排尿的时候疼吗？不疼，一点灼热感都没有。",
    "夜里起来几次？要起来四次，几乎睡不好。",
    "发烧吗？星期天晚上量的体温是38.2度。",
    "体重有变化吗？过年到现在瘦了六公斤，没有刻意减。",
    "您抽烟吗？每天二十支，抽了三十年。",
    "喝酒吗？周末喝一杯红酒，别的没有。",
    "您做什么工作？退休前在染料厂当油漆工。",
    "对什么过敏吗？小时候打青霉素起过皮疹。",
    "现在吃什么药？早上吃二甲双胍，晚上吃氨氯地平。",
    "做过手术吗？2009年切除了胆囊。",
    "家里有人得过癌症吗？我哥哥得结肠癌去世了。",
    "胸口疼吗？爬到三楼时觉得胸闷发紧。",
    "会放射到别处吗？有时候到左胳膊。",
    "气短吗？平躺时有一点，要垫两个枕头。",
    "脚踝肿吗？到了晚上鞋子会变紧。",
    "做过超声吗？七天前做过，说膀胱里有个肿块。",
    "做过CT吗？还没有，说造影剂可能伤肾。",
    "验血结果怎么样？血红蛋白偏低，说是98。",
    "有糖尿病吗？八年了，控制得不错。",
    "血压高吗？在家量一般是150和90。",
    "眼睛有问题吗？看远处有些模糊。",
    "咳嗽吗？干咳大概两个星期了。",
    "有痰吗？没有痰，也没有咳血。",
    "胃口怎么样？吃几口就饱了。",
    "大便有变化吗？便秘已经十天了。",
    "头痛吗？每天早晨前额后面痛。",
    "摔倒过吗？洗澡时滑了一下，胯部青了一块。",
    "家里还有谁？丈夫去世后女儿搬来一起住。",
    "您有什么希望？如果有别的办法，我不想动手术。",
)
CHINESE_QUESTIONS = (
    ("血尿是什么时候开始的，小便带血多久了？", 0),
    ("排尿疼痛或灼热吗？", 1),
    ("体温最高多少？", 3),
    ("消瘦了多少公斤？", 4),
    ("每天抽烟多少支？", 5),
    ("有没有药物过敏史，例如青霉素？", 8),
    ("是否在服用二甲双胍片？", 9),
    ("胆囊切除术是哪一年做的？", 10),
    ("癌症家族史如何，有人得结肠癌吗？", 11),
    ("膀胱超声看到了什么？", 16),
    ("血红蛋白是多少？", 18),
    ("糖尿病有几年了？", 19),
    ("是干咳还是有痰，干咳多久？", 22),
    ("便秘多少天？", 25),
    ("患者愿意动手术吗，有什么希望？", 29),
)
SETS = {"english": (ENGLISH, ENGLISH_QUESTIONS), "chinese": (CHINESE, CHINESE_QUESTIONS)}

Score = Callable[[str], NDArray[np.float64]]


def bm25(texts: Sequence[str]) -> Score:
    """The reference: BM25 with k1 = 1.5 and b = 0.75 over the same words."""
    counts = [Counter(words(text, Language.ZH)) for text in texts]
    lengths = [sum(count.values()) for count in counts]
    mean = sum(lengths) / len(lengths)

    def score(query: str) -> NDArray[np.float64]:
        scores = np.zeros(len(texts))
        for word in set(words(query, Language.ZH)):
            seen = sum(word in count for count in counts)
            rarity = math.log(1 + (len(texts) - seen + 0.5) / (seen + 0.5))
            for place, (count, length) in enumerate(zip(counts, lengths, strict=True)):
                scores[place] += (
                    rarity * count[word] * 2.5 / (count[word] + 1.5 * (0.25 + 0.75 * length / mean))
                )
        return scores

    return score


def reciprocal_rank(scores: NDArray[Any], gold: int) -> float:
    """Ties are counted against whoever scored them."""
    return 1 / int((scores >= scores[gold]).sum())


async def best(embedder: Embedder, texts: Sequence[str], query: str) -> str:
    rows = await embedder.embed(texts)
    return texts[int(np.argmax(rows @ await embedder.embed_query(query)))]


@pytest.mark.parametrize("name", SETS)
async def test_hashing_finds_at_least_what_bm25_finds(name: str) -> None:
    texts, questions = SETS[name]
    embedder = HashEmbedder()
    rows = await embedder.embed(texts)
    reference = bm25(texts)
    ours = [
        reciprocal_rank(rows @ await embedder.embed_query(query), gold) for query, gold in questions
    ]
    theirs = [reciprocal_rank(reference(query), gold) for query, gold in questions]
    assert sum(rank >= 1 / 5 for rank in ours) >= sum(rank >= 1 / 5 for rank in theirs)
    assert sum(ours) >= sum(theirs)
    assert sum(rank >= 1 / 5 for rank in ours) >= 13


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("Is she allergic to penicilin?", "Penicillin gave me a rash."),
        ("any haematuria", "There was hematuria on Monday."),
        ("头痛吗", "头很痛。"),
        ("胸口痛不痛", "胸口疼了两天。"),
        ("做过膀胱镜检查吗", "膀胱镜还没有做。"),
        ("CT做了没有", "昨天做了CT，没有异常。"),
    ],
)
async def test_what_is_written_otherwise_is_found(query: str, expected: str) -> None:
    others = ["I sleep badly.", "My daughter lives with me.", "我晚上睡不好。", "女儿和我一起住。"]
    assert await best(HashEmbedder(), [*others, expected], query) == expected


@pytest.mark.parametrize(
    ("common", "rare", "query"),
    [
        ("The left knee is swollen.", "My shoulder clicks.", "swollen knee or shoulder"),
        ("左边膝盖肿了。", "肩膀会响。", "膝盖肿了还是肩膀"),
    ],
)
async def test_what_every_turn_says_weighs_less(common: str, rare: str, query: str) -> None:
    embedder = HashEmbedder()
    before = await embedder.embed_query(query)
    rows = await embedder.embed([common, rare, common, common, common, common])
    after = await embedder.embed_query(query)
    assert before @ rows[0] > before @ rows[1]
    assert after @ rows[1] > after @ rows[0]


async def test_a_query_teaches_nothing_and_kept_rows_do_not_change() -> None:
    embedder = HashEmbedder()
    first = await embedder.embed(["I have a cough."])
    before = await embedder.embed_query("cough fever")
    await embedder.embed_query("cough cough 咳嗽")
    assert np.array_equal(await embedder.embed_query("cough fever"), before)
    await embedder.embed(list(ENGLISH))
    assert np.array_equal(await embedder.embed(["I have a cough."]), first)


async def test_texts_embedded_together_are_what_they_are_alone() -> None:
    texts = [*ENGLISH, "", *CHINESE, "...", ENGLISH[0]]
    together, alone = HashEmbedder(), HashEmbedder()
    rows = await together.embed(texts)
    assert np.array_equal(rows, np.concatenate([await alone.embed([text]) for text in texts]))
    query = "How high was the fever? 血红蛋白是多少？"
    assert np.array_equal(await together.embed_query(query), await alone.embed_query(query))
    assert (await together.embed([])).shape == (0, together.dimensions)


async def test_texts_with_known_rows_teach_what_embedding_them_would() -> None:
    embedder, other = HashEmbedder(384), HashEmbedder(384)
    await embedder.embed([*ENGLISH, *CHINESE])
    other.learn([*ENGLISH, *CHINESE])
    for query in ("How high was the fever?", "血红蛋白是多少？"):
        assert np.array_equal(await other.embed_query(query), await embedder.embed_query(query))
    assert np.array_equal(await other.embed(["new 新的"]), await embedder.embed(["new 新的"]))


@settings(max_examples=25)
@given(st.lists(st.text(max_size=60), max_size=5), st.sampled_from([16, 384, 4096]))
async def test_every_row_has_unit_length(texts: list[str], dimensions: int) -> None:
    embedder = HashEmbedder(dimensions)
    rows = await embedder.embed(texts)
    assert rows.shape == (len(texts), dimensions) and rows.dtype == np.float32
    queries = [await embedder.embed_query(text) for text in texts]
    for row in [*rows, *queries]:
        assert np.linalg.norm(row) == pytest.approx(1, abs=1e-5)


async def test_the_table_of_frequencies_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("osler.memory.embedders.hash._LARGEST_TABLE", 500)
    embedder = HashEmbedder()
    await embedder.embed([*CHINESE, *ENGLISH])
    counts = embedder._counts
    assert len(counts) <= 500 and max(counts.values()) > 5


async def test_rows_are_the_same_in_every_process() -> None:
    texts, query = ["I have had a cough for 2 weeks.", "我咳嗽两周了，做过CT。"], "cough 咳嗽"
    program = (
        "import asyncio\n"
        "from osler.memory.embedders import HashEmbedder\n"
        "embedder = HashEmbedder()\n"
        f"rows = asyncio.run(embedder.embed({texts!r}))\n"
        f"print((rows.tobytes() + asyncio.run(embedder.embed_query({query!r})).tobytes()).hex())\n"
    )
    command = [sys.executable, "-X", "utf8", "-c", program]
    environment = {**os.environ, "PYTHONHASHSEED": "4711"}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)  # noqa: ASYNC221 -- nothing else runs
    embedder = HashEmbedder()
    rows = await embedder.embed(texts)
    assert (
        done.stdout.strip()
        == (rows.tobytes() + (await embedder.embed_query(query)).tobytes()).hex()
    )
