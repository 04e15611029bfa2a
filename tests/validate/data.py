"""Tiny invented interviews and their records, in both languages."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

EN: list[tuple[str, str]] = [
    ("Hello, how can I help?", "Um, I have a cough. (coughs)"),
    ("Do you have a fever?", "No."),
    ("Do you smoke? And do you drink?", "Maybe ten a day, I think. I don't drink."),
    ("Are you allergic to anything?", "I don't know."),
]
ZH: list[tuple[str, str]] = [
    ("您哪里不舒服？", "我咳嗽。（咳嗽）"),
    ("发烧吗？", "没有。"),
    ("抽烟吗？", "嗯，大概一天十支吧。"),
    ("对什么过敏吗？", "不知道。"),
]


def turns(exchanges: list[tuple[str, str]]) -> list[dict[str, str]]:
    rows = []
    for question, reply in exchanges:
        rows.append({"speaker": "doctor", "text": question})
        rows.append({"speaker": "patient", "text": reply})
    return rows


def interview(name: str, exchanges: list[tuple[str, str]], language: str) -> dict[str, Any]:
    return {"id": name, "language": language, "turns": turns(exchanges)}


def record(name: str, language: str) -> dict[str, Any]:
    names = {
        "en": ("Cough", "Fever", "Smoking", "Alcohol"),
        "zh": ("咳嗽", "发烧", "抽烟", "饮酒"),
    }[language]
    categories = ("symptom", "symptom", "social_history", "social_history")
    statuses = ("present", "absent", "present", "absent")
    entries = [
        {"category": category, "name": entry, "status": status, "report": entry, "said": entry}
        for category, entry, status in zip(categories, names, statuses, strict=True)
    ]
    return {
        "id": name,
        "language": language,
        "age": 50,
        "sex": "male",
        "complaint": names[0],
        "diagnosis": {"name": "Bronchitis" if language == "en" else "支气管炎"},
        "entries": entries,
    }


def write_interviews(path: Path, count: int = 3) -> Path:
    """So many interviews of each language; each has a word of its own in its first reply."""
    rows = []
    for number in range(count):
        for language, exchanges in (("en", EN), ("zh", ZH)):
            question, reply = exchanges[0]
            own = [(question, f"{reply} {number}"), *exchanges[1:]]
            rows.append(interview(f"{language}-{number}", own, language))
    path.write_text(json.dumps(rows, ensure_ascii=False), encoding="utf-8")
    return path


def write_records(path: Path, count: int = 3) -> Path:
    lines = []
    for number in range(count):
        for language in ("en", "zh"):
            lines.append(json.dumps(record(f"{language}-{number}", language), ensure_ascii=False))
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path
