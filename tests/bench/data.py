"""Small data sets in the published layouts, written for the tests."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any


def write(path: Path, data: Any) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(
        data if isinstance(data, str) else json.dumps(data, ensure_ascii=False), encoding="utf-8"
    )
    return path


def scm(folder: Path) -> None:
    talk = [
        "My dog is called Biscuit.",
        "A fine name.",
        "I keep bees.",
        "How many hives?",
        "Seven hives.",
        "Lovely.",
    ]
    write(
        folder / "dialogue_en.json",
        [{"id": "d1", "dialogue": talk}, {"id": "d2", "dialogue": ["Hi.", "Hello."]}],
    )
    row = {
        "id": "d1",
        "mode": "single-turn",
        "question": "What is my dog called?",
        "answer": "Biscuit",
    }
    write(folder / "dialogue_en_questions.json", [row])


def gvd(folder: Path) -> None:
    days = {
        "2023-04-27": [{"query": "I flew a kite.", "response": "Nice."}],
        "2023-04-28": [{"query": "I lost it.", "response": "Sorry."}],
    }
    write(folder / "memory_bank_en.json", {" Ann ": {"name": "Ann", "history": days}})
    write(folder / "probing_questions_en.jsonl", '{"Ann": ["What did I fly?"]}\n\n')
    write(
        folder / "memory_bank_cn.json",
        {"小安": {"history": {"2023-04-27": [{"query": "我放了风筝。", "response": "真好。"}]}}},
    )
    write(folder / "probing_questions_cn.jsonl", '{"小安": ["我放了什么？"]}\n')


def triple(name: str, attribute: str, value: str) -> dict[str, str]:
    return {"name": name, "attrname": attribute, "attrvalue": value}


def kdconv(folder: Path, dialogues: int = 20) -> None:
    rows = []
    for number in range(dialogues):
        place, phone, price = f"第{number}公园（北京）", f"010-{7000 + number}", f"{20 + number}元"
        rows.append(
            {
                "name": place,
                "messages": [
                    {"message": f"知道第{number}公园吗？"},
                    {
                        "message": "知道，很漂亮。",
                        "attrs": [triple(place, "Information", "很长的介绍")],
                    },
                    {"message": "电话是多少？"},
                    {"message": f"电话是{phone}。", "attrs": [triple(place, "电话", phone)]},
                    {"message": f"门票呢？听说第{number}公园不贵。"},
                    {"message": f"门票{price}。", "attrs": [triple(place, "门票", price)]},
                    {"message": "旁边有什么？"},
                    {
                        "message": f"旁边有第{number}塔。",
                        "attrs": [triple(place, "周边景点", f"第{number}塔")],
                    },
                    {"message": "还有呢？"},
                    {
                        "message": f"还有第{number}桥。",
                        "attrs": [triple(place, "周边景点", f"第{number}桥")],
                    },
                ],
            }
        )
    write(folder / "travel_dev.json", rows)


def locomo(folder: Path) -> None:
    def said(speaker: str, number: str, text: str, **more: str) -> dict[str, str]:
        return {"speaker": speaker, "dia_id": number, "text": text, **more}

    conversation = {
        "speaker_a": "Ann",
        "speaker_b": "Bob",
        "session_2_date_time": "9:05 am on 1 June, 2023",
        "session_2": [said("Bob", "D2:1", "I adopted a cat."), said("Ann", "D2:2", "Sweet!")],
        "session_1_date_time": "1:56 pm on 8 May, 2023",
        "session_1": [
            said("Ann", "D1:1", "Hi Bob."),
            said("Bob", "D1:2", "I paint birds.", blip_caption="a heron"),
            said("Bob", "D1:3", "And I row."),
            said("Ann", "D1:4", "Where?"),
        ],
    }
    qa = [
        {
            "question": "What does Bob do?",
            "answer": "paints, rows",
            "evidence": ["D1:2; D1:3"],
            "category": 1,
        },
        {
            "question": "When did Bob adopt a cat?",
            "answer": 2023,
            "evidence": ["D2:1"],
            "category": 2,
        },
        {
            "question": "Which car has Bob?",
            "adversarial_answer": "a van",
            "evidence": [],
            "category": 5,
        },
    ]
    write(
        folder / "locomo10.json", [{"sample_id": "conv-1", "conversation": conversation, "qa": qa}]
    )


def locomo_errors(path: Path) -> Path:
    row = {
        "question_id": "locomo_0_qa1",
        "question": "When did Bob adopt a cat?",
        "correct_answer": "1 June 2023",
        "correct_evidence": ["D2:2"],
    }
    return write(path, [row])


def perltqa(folder: Path) -> None:
    character = {
        "profile": {"Protagonist": "Wu Lan", "Hobbies": "chess"},
        "social_relationship": {
            "1_0": {"Supporting Characters": "Li Bo", "Relationship": "neighbour"}
        },
        "events": {"1_0_0": {"content": "Wu Lan and Li Bo planted an oak.", "summary": "An oak"}},
        "dialogues": {
            "1_0_0#1": {
                "contents": {
                    "2021-03-04 10:00": ["Wu Lan: The oak grows.", "Li Bo: It is tall: two metres."]
                }
            }
        },
    }
    write(folder / "perltmem_en.json", {"Wu Lan": character})

    def asked(question: str, answer: str, reference: str, *anchors: str) -> dict[str, Any]:
        held = [{anchor: [-1, -1]} for anchor in anchors]
        return {
            "Question": question,
            "Answer": answer,
            "Reference Memory": reference,
            "Memory Anchors": held,
        }

    groups = {
        "profile": [asked("What is Wu Lan's hobby?", "Wu Lan plays chess.", "Hobbies", "chess")],
        "social_relationship": [
            {"1_0": [asked("Who is Li Bo?", "A neighbour.", "['1_0']", "neighbour")]}
        ],
        "events": [
            {"1_0_0": [asked("What did they plant?", "An oak.", "['1_0_0']", "oak", "planted")]}
        ],
        "dialogues": [
            {"1_0_0#1": [asked("How tall is it?", "Two metres.", "1_0_0#1", "two metres")]}
        ],
    }
    write(folder / "perltqa_en.json", [{"Wu Lan": groups}])


def medmemorybench(folder: Path) -> None:
    def session(number: int, *said: str, **more: Any) -> dict[str, Any]:
        messages = [
            {"role": ("user", "assistant")[at % 2], "content": text} for at, text in enumerate(said)
        ]
        return {
            "session_id": number,
            "messages": messages,
            "event_info": {"date": f"2025-01-0{number}"},
            **more,
        }

    sessions = [
        session(1, "I take 5 mg ramipril.", "Good."),
        session(9, "My aunt takes aspirin.", "I see.", noise_family_id=1),
        session(2, "It is 10 mg ramipril now.", "Noted."),
    ]
    point = {"category": "drug", "name": "ramipril", "content": "dose", "session_id": 1}
    queries = [
        {
            "query_id": "q1",
            "session_id": 1,
            "query_type": "entity_exact_match",
            "question": "What dose of ramipril?",
            "answers": [{"content": "5 mg", "is_correct": True}],
            "source_key_points": [point],
        },
        {
            "query_id": "q2",
            "session_id": 2,
            "query_type": "state_update",
            "question": "What dose of ramipril now?",
            "answers": [
                {"content": "10 mg", "is_correct": True},
                {"content": "5 mg", "is_correct": False},
            ],
            "source_key_points": [point, {**point, "session_id": 2}],
        },
    ]
    write(
        folder / "persona_3" / "eval" / "generated_dialogues_with_noise.json",
        {"sessions": sessions},
    )
    write(folder / "persona_3" / "eval" / "generated_queries.json", {"queries": queries})


LAYOUTS: dict[str, Callable[[Path], None]] = {
    "scm": scm,
    "gvd": gvd,
    "kdconv": kdconv,
    "locomo": locomo,
    "perltqa": perltqa,
    "medmemorybench": medmemorybench,
}
