"""Finding thoughts and turns for a query: by vector, by words, and by what was said around them."""

from __future__ import annotations

import warnings
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from osler.language import Language
from osler.memory.base import MemorySettings, Query, Turn
from osler.memory.core.bm25 import Bm25
from osler.memory.core.fact import Fact, FactStatus
from osler.memory.core.recall_text import raw_text
from osler.memory.core.vectors import VectorIndex
from osler.memory.embedders import open_embedder
from osler.memory.embedders.base import Embedder
from osler.memory.tim.memory import TimMemory
from osler.memory.tim.memory_bank import MemoryBank
from osler.memory.tim.retrieve import (
    best_turns,
    fused,
    nearest_thoughts,
    recall_thoughts,
    recall_thoughts_alone,
)
from osler.memory.tim.thought_space import ThoughtSpace, unrelated_cosine, wording

ROOMS = tuple[Embedder, MemoryBank, ThoughtSpace]

# A name is said once; what is asked about it afterwards does not repeat it.
VISITS = {
    Language.EN: [
        ("Have you been to the Lantern Museum?", "Yes, it lies by the river."),
        ("What does a ticket cost?", "Twelve euros."),
        ("Let us talk of food.", "I like soup."),
        ("And something sweet?", "Only plums."),
        ("Do you know the Weavers' Hall?", "Yes, it is on the hill."),
        ("What does a ticket cost?", "Five euros."),
    ],
    Language.ZH: [
        ("你去过灯笼博物馆吗？", "去过，它在河边。"),
        ("门票多少钱？", "十二块。"),
        ("说说吃的吧。", "我喜欢喝汤。"),
        ("甜的呢？", "只吃李子。"),
        ("你知道织工会馆吗？", "知道，它在山上。"),
        ("门票多少钱？", "五块。"),
    ],
}
TICKETS = {
    Language.EN: [
        ("What is the ticket for the Lantern Museum?", 2),
        ("What is the ticket for the Weavers' Hall?", 6),
    ],
    Language.ZH: [("灯笼博物馆的门票是多少？", 2), ("织工会馆的门票是多少？", 6)],
}


async def rooms(
    said: Sequence[tuple[str, str]], language: Language, is_whole: bool = False
) -> ROOMS:
    """Every turn with one thought, which is its reply or, if it is to be whole, the question with
    it."""
    embedder = open_embedder("hash")
    turns = [
        Turn(number=number, question=one, reply=other)
        for number, (one, other) in enumerate(said, 1)
    ]
    drafts = [
        Fact(subject="", relation="", object=raw_text(turn) if is_whole else turn.reply)
        for turn in turns
    ]
    vectors = await embedder.embed([raw_text(turn) for turn in turns])
    own = await embedder.embed([wording(draft) for draft in drafts])
    bank, space = (
        made(language, VectorIndex(vectors.shape[1])) for made in (MemoryBank, ThoughtSpace)
    )
    assert isinstance(bank, MemoryBank) and isinstance(space, ThoughtSpace)
    for turn, draft, raw, vector in zip(turns, drafts, vectors, own, strict=True):
        space.insert(draft, turn.number, vector, bank.add(turn, raw))
    return embedder, bank, space


def turn_scores(query: str, vector: NDArray[np.float32], bank: MemoryBank) -> dict[int, float]:
    return {hit.number: hit.score for hit in best_turns(query, vector, bank, len(bank))}


@pytest.mark.parametrize("language", list(Language))
async def test_a_thought_is_found_by_what_its_turn_and_those_before_were_about(
    language: Language,
) -> None:
    embedder, bank, space = await rooms(VISITS[language], language, is_whole=True)
    for question, turn in TICKETS[language]:
        vector = await embedder.embed_query(question)
        best = recall_thoughts(question, vector, space, bank, len(space.active))
        tickets = [space[hit.number].turn for hit in best if space[hit.number].turn in (2, 6)]
        assert tickets[0] == turn


# Between the name and the question about it lies a short word in one case and a long one in the
# other.
ASIDES = {
    Language.EN: (
        ("The Lantern Museum?", "Yes."),
        "Good.",
        "Shelves of jars, ropes and maps. ",
        ("Price?", "Nine."),
    ),
    Language.ZH: (
        ("灯笼博物馆？", "对。"),
        "好。",
        "架子上有罐子、绳子和地图。",
        ("价格？", "九块。"),
    ),
}


@pytest.mark.parametrize("language", list(Language))
async def test_what_was_said_fades_with_how_much_is_said_after_it(language: Language) -> None:
    first, short, long, last = ASIDES[language]

    async def inherited(aside: str) -> float:
        """Where the last turn stands between one that has nothing to do with the name and the one
        that says it."""
        embedder, bank, _ = await rooms([("", "…"), first, ("…", aside), last], language)
        standings = turn_scores(first[0], await embedder.embed_query(first[0]), bank)
        return (standings[4] - standings[1]) / (standings[2] - standings[1])

    after_little, after_much = await inherited(short), await inherited(long * 60)
    assert 0.7 < after_little < 1
    assert 0 < after_much < after_little / 2


@pytest.mark.parametrize("language", list(Language))
async def test_one_long_turn_shuts_out_what_as_many_words_in_short_turns_let_through(
    language: Language,
) -> None:
    first, _, aside, last = ASIDES[language]
    pieces = 24

    async def inherited(asides: Sequence[str]) -> float:
        """Where the last turn stands between one that has nothing to do with the name and the one
        that says it."""
        embedder, bank, _ = await rooms(
            [("", "…"), first, *(("…", one) for one in asides), last], language
        )
        standings = turn_scores(first[0], np.zeros_like(await embedder.embed_query(first[0])), bank)
        return (standings[len(bank)] - standings[1]) / (standings[2] - standings[1])

    assert await inherited([aside] * pieces) > 2 * await inherited([aside * pieces])


# A name is said once, what is asked about it in many turns.
OFTEN = {
    Language.EN: ("lantern", "ticket", "soup"),
    Language.ZH: ("灯笼", "门票", "面汤"),
}


@pytest.mark.parametrize("language", list(Language))
async def test_a_name_lasts_and_a_word_of_many_turns_does_not(language: Language) -> None:
    name, often, other = OFTEN[language]
    said = [(often, "…")] * 8 + [(other, "…"), (name, "…")] + [(other, "…")] * 10
    embedder, bank, _ = await rooms(said, language)

    async def standings(query: str) -> dict[int, float]:
        return turn_scores(query, np.zeros_like(await embedder.embed_query(query)), bank)

    of_name, of_many = await standings(name), await standings(often)
    assert of_name[10] > of_name[11] > of_name[12] > of_name[9]
    assert len({round(of_many[number], 9) for number in range(9, 21)}) == 1
    assert min(of_many[number] for number in range(1, 9)) > of_many[9]


# The name is said over and over in one talk; in the other one it is said once, and what is wanted
# after it.
LONG_NAME = {
    Language.EN: (
        "the Silver Lantern River Museum",
        "tickets",
        "What about tickets for the Silver Lantern River Museum?",
    ),
    Language.ZH: ("银色灯笼河流博物馆", "门票", "银色灯笼河流博物馆的门票呢？"),
}


@pytest.mark.parametrize("language", list(Language))
async def test_a_long_name_is_only_one_of_the_things_that_are_asked(language: Language) -> None:
    name, wanted, query = LONG_NAME[language]
    said = [("…", wanted)] * 6 + [
        ("…", name),
        ("…", wanted),
        ("…", "…"),
        ("…", f"{name} {name} {name}"),
    ]
    embedder, bank, _ = await rooms(said, language)
    standings = turn_scores(query, np.zeros_like(await embedder.embed_query(query)), bank)
    assert max(standings, key=lambda number: standings[number]) == 8


@pytest.mark.parametrize("language", list(Language))
async def test_a_turn_that_says_it_all_stands_above_the_one_after_it(language: Language) -> None:
    embedder, bank, _ = await rooms(VISITS[language], language)
    question = VISITS[language][2][0]
    standings = turn_scores(question, await embedder.embed_query(question), bank)
    assert max(standings, key=lambda number: standings[number]) == 3
    assert standings[4] > standings[2]


@pytest.mark.parametrize("language", list(Language))
async def test_what_was_said_is_found_by_its_own_words(language: Language) -> None:
    embedder, bank, space = await rooms(VISITS[language], language)
    for number, (_, reply) in enumerate(VISITS[language], 1):
        vector = await embedder.embed_query(reply)
        assert recall_thoughts_alone(reply, vector, space, 1)[0].number == number
        assert fused(reply, vector, bank, 1)[0].number == number


async def test_nothing_comes_of_thoughts_that_do_not_bear_on_the_query() -> None:
    embedder, bank, space = await rooms(VISITS[Language.EN], Language.EN)
    away = np.zeros_like(await embedder.embed_query("xyz"))
    assert recall_thoughts_alone("zzyzx qwrt", away, space, 5) == []
    assert recall_thoughts("zzyzx qwrt", away, space, bank, 5) == []


async def test_a_thought_whose_turn_alone_matches_leaves_the_answer_to_the_bank() -> None:
    embedder, bank, space = await rooms(VISITS[Language.EN], Language.EN)
    away = np.zeros_like(await embedder.embed_query("xyz"))
    assert recall_thoughts("ticket", away, space, bank, 5) == []
    assert {hit.number for hit in fused("ticket", away, bank, 2)} == {2, 6}


@pytest.mark.parametrize(("options", "best"), [({}, 2), ({"probes": "8"}, 1)])
async def test_probes_look_at_thoughts_alone(options: dict[str, str], best: int) -> None:
    """The price is told after the museum's name: only the words of its turn show whose it is."""
    memory = TimMemory(MemorySettings(language=Language.EN, options={"k": "6", **options}))
    for number, (question, reply) in enumerate(VISITS[Language.EN], 1):
        await memory.remember(Turn(number=number, question=question, reply=reply))
    recall = await memory.recall(Query(TICKETS[Language.EN][0][0]))
    assert max(recall.facts, key=lambda fact: fact.score).turn == best


def test_a_group_without_anything_in_it_gives_nothing_and_no_warning() -> None:
    space = ThoughtSpace(Language.EN, VectorIndex(16))
    rng = np.random.default_rng(0)
    vector = rng.standard_normal(16).astype(np.float32)
    first, other = space.index.hashing.order(vector)[:2]
    space.insert(Fact(subject="patient", relation="has", object="fever"), 1, vector, other)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert fused("fever", vector, space, 5, probes=1) == []
    assert first != other and [
        hit.number for hit in fused("fever", vector, space, 5, probes=2)
    ] == [1]


async def test_a_retired_thought_is_not_found_again() -> None:
    embedder, bank, space = await rooms(VISITS[Language.EN], Language.EN)
    question = "Twelve euros"
    vector = await embedder.embed_query(question)
    assert recall_thoughts(question, vector, space, bank, 1)[0].number == 2
    space.retire(2, FactStatus.FORGOTTEN, "tested")
    assert 2 not in {hit.number for hit in recall_thoughts(question, vector, space, bank, 10)}


@settings(deadline=None, max_examples=25)
@given(
    k=st.integers(1, 12),
    query=st.sampled_from(["soup", "the river", "five euros on the hill", "ticket plums"]),
)
async def test_at_most_k_come_best_first(k: int, query: str) -> None:
    embedder, bank, space = await rooms(VISITS[Language.EN], Language.EN)
    vector = await embedder.embed_query(query)
    for hits in (
        recall_thoughts(query, vector, space, bank, k),
        fused(query, vector, bank, k),
    ):
        scores = [hit.score for hit in hits]
        assert len(hits) <= k and scores == sorted(scores, reverse=True)
        assert len({hit.number for hit in hits}) == len(hits)


TEXTS = st.lists(st.text("abc 发烧咳嗽", max_size=20), min_size=1, max_size=8)


@settings(deadline=None)
@given(texts=TEXTS, gone=st.integers(0, 7), query=st.text("abc 发烧咳嗽", max_size=12))
def test_what_was_removed_leaves_no_trace_in_the_words(
    texts: list[str], gone: int, query: str
) -> None:
    whole, less = Bm25(Language.ZH), Bm25(Language.ZH)
    for number, text in enumerate(texts):
        whole.add(number, text)
        if number != gone % len(texts):
            less.add(number, text)
    whole.remove(gone % len(texts))
    assert whole.scores(query) == pytest.approx(less.scores(query))


@settings(deadline=None)
@given(texts=TEXTS, query=st.text("abc 发烧咳嗽", max_size=12))
def test_the_scores_of_the_words_add_up(texts: list[str], query: str) -> None:
    lexical = Bm25(Language.ZH)
    for number, text in enumerate(texts):
        lexical.add(number, text)
    total = np.zeros(len(texts))
    for held in lexical.by_word(query).values():
        assert all(held.scores > 0)
        total[held.places] += held.scores
    assert {place: score for place, score in enumerate(total.tolist()) if score} == pytest.approx(
        lexical.scores(query)
    )


def test_characters_are_paired_only_where_they_stand_side_by_side() -> None:
    terms = Bm25(Language.ZH).terms("灯笼博物馆的门票")
    assert {"笼博", "物馆", "门票"} <= set(terms)
    assert "馆门" not in terms


def test_a_word_of_no_weight_ends_a_phrase() -> None:
    assert Bm25(Language.ZH).phrases("灯笼博物馆的门票") == [
        ["灯笼", "博物馆", "灯笼", "笼博", "博物", "物馆"],
        ["门票", "门票"],
    ]
    assert Bm25(Language.EN).phrases("the ticket of the Lantern Museum") == [
        ["ticket"],
        ["lantern", "museum"],
    ]
    assert not Bm25(Language.EN).phrases("of the")


def test_most_pairs_of_unrelated_vectors_are_below_the_floor() -> None:
    rng = np.random.default_rng(3)
    index = VectorIndex(64)
    for number in range(200):
        index.add(number, rng.standard_normal(64).astype(np.float32))
    floor = unrelated_cosine(index)
    assert 0.1 < floor < 0.4
    assert unrelated_cosine(VectorIndex(64)) == 0.0


@pytest.mark.parametrize("language", list(Language))
async def test_the_papers_recall_knows_cosines_alone(language: Language) -> None:
    embedder, _, space = await rooms(VISITS[language], language, is_whole=True)
    vector = await embedder.embed_query(" ".join(VISITS[language][0]))
    every = nearest_thoughts(vector, space, 6, probes=space.index.made.groups)
    ids = [thought.id for thought in space.active]
    cosines = dict(zip(ids, space.index.cosines(vector, ids).tolist(), strict=True))
    assert [hit.number for hit in every] == sorted(cosines, key=lambda number: -cosines[number])
    assert all(hit.score == hit.cosine and hit.lexical == 0.0 for hit in every)
    probed = nearest_thoughts(vector, space, 6)
    assert {hit.number for hit in probed} < {hit.number for hit in every}


# What a reply asks at its end is told in the next turn, in which nobody says it again.
async def test_a_thought_of_several_turns_is_found_by_the_one_that_fits() -> None:
    embedder, bank, space = await rooms(VISITS[Language.EN], Language.EN, is_whole=True)
    price = next(thought for thought in space.active if thought.turn == 2)
    space.again(price.id, 6)
    for query, turn in TICKETS[Language.EN]:
        hits = recall_thoughts(query, await embedder.embed_query(query), space, bank, 6)
        assert next(hit.turn for hit in hits if hit.number == price.id) == turn
