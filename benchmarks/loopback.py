"""A stand-in for a model server.

Speaks the OpenAI protocol on loopback, and answers each request after a set time.

python benchmarks/loopback.py --latency 0.2      prints its address, and serves until its input ends

It runs in a process of its own and does as little as it can, so that what is measured is who asks.
Its answers are made from the prompt alone: a doctor asks something else each turn and concludes
after seven to ten questions, a patient tells what it was given, a memory notes what was said. They
call each other by names that never come twice, so that no cache of texts helps more than it would
with a real model. `GET /v1/stats` says how many calls it had.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import re
import sys
from typing import Any

QUESTIONS = {
    "en": (
        *(
            "When did this begin, and did it come on suddenly?",
            "Does anything make it better or worse?",
        ),
        *("Have you had a fever or chills?", "What did the physical examination show?"),
        *("What did the blood tests show?", "What did the X-ray, ultrasound or CT scan show?"),
        *("Which illnesses have you had in the past?", "Do you smoke or drink alcohol?"),
        *(
            "Which medicines do you take every day?",
            "Is there an illness that runs in your family?",
        ),
        *("Are you allergic to any medicine?", "Have you ever had an operation?"),
        *("Do you feel sick, or have you vomited?", "Are you short of breath, or do you cough?"),
        *("Have you lost weight lately?", "What did the urine test show?"),
    ),
    "zh": (
        *("这是什么时候开始的，是突然发生的吗？", "什么情况下会加重或者减轻？"),
        *("有没有发烧或者发冷？", "体格检查发现了什么？"),
        *("抽血化验的结果怎么样？", "做过X光、超声或者CT吗，结果怎么样？"),
        *("以前得过什么病？", "您抽烟喝酒吗？"),
        *("平时长期吃什么药？", "家里人得过什么病？"),
        *("对什么药物过敏吗？", "做过手术吗？"),
        *("有没有恶心或者呕吐？", "有没有气短或者咳嗽？"),
        *("最近体重下降了吗？", "尿检的结果怎么样？"),
    ),
}
CONCLUSION = {
    "en": {
        "diagnosis": "Viral infection",
        "differential": ["Bacterial infection"],
        "treatment": "Rest, fluids and a visit in three days.",
        "reasoning": "Nothing that was told speaks for anything worse.",
    },
    "zh": {
        "diagnosis": "病毒感染",
        "differential": ["细菌感染"],
        "treatment": "休息、多喝水，三天后复诊。",
        "reasoning": "了解到的情况没有提示更严重的疾病。",
    },
}
_SYLLABLES = {
    "en": ("ka", "lo", "mi", "ru", "ten", "vas", "bo", "shi"),
    "zh": tuple("安宁康泰和平昌盛瑞祥福禄"),
}
_LEFT = re.compile(r"You may ask (\d+) more|你还可以问(\d+)次")
_POINT = re.compile(r"^- (.+)$", re.MULTILINE)
_DENIED = re.compile(r"^(.+?)(?:: no\.|：没有。)")
_NUMBERED = re.compile(r"^(\d+)\. \[.+?\] (.+)$", re.MULTILINE)
_ASKED = re.compile(r'(?:The doctor\'s question: "(.+?)"|医生的问题：“(.+?)”)\n')
_QUOTED = re.compile(r'(?:The answer: "|回答：“)(.+?)["”]\n')


def answer(messages: list[dict[str, Any]], nth: int) -> str:
    """What a model might say to a prompt of Osler, by the form that the prompt asks for."""
    first: str = messages[0]["content"]
    language = "zh" if "你" in first else "en"
    if '"things"' in first:
        return _things(first)
    if '"action"' in first:
        return _question(first, language, _name(nth, language))
    if '"thoughts"' in first:
        return _thoughts(first, language)
    if '"forget"' in first or '"merge"' in first:
        return '{"forget": [], "merge": []}'
    if '"diagnosis"' in first:
        return json.dumps(CONCLUSION[language], ensure_ascii=False)
    if "one per line, names only" in first or "列出五个最可能的诊断" in first:
        return "\n".join([CONCLUSION[language]["diagnosis"], *CONCLUSION[language]["differential"]])
    if '"treatment"' in first:
        return json.dumps(
            {key: CONCLUSION[language][key] for key in ("treatment", "reasoning")},
            ensure_ascii=False,
        )
    if "in the first person" in first or "第一人称" in first:
        told = " ".join(_told(point, language) for point in _POINT.findall(first))
        return (
            f"Well, doctor {_name(nth, language)}, {told}"
            if language == "en"
            else f"{_name(nth, language)}医生，{told}"
        )
    return first[-800:]  # what is telling: the end of what is known


def _name(nth: int, language: str) -> str:
    """Another name for each number."""
    parts = _SYLLABLES[language]
    name = parts[nth % len(parts)]
    while nth := nth // len(parts):
        name += parts[nth % len(parts)]
    return name.capitalize()


def _question(prompt: str, language: str, name: str) -> str:
    found = _LEFT.search(prompt)
    left = int(found[1] or found[2]) if found else 1
    # Some doctors are sure after seven questions, some after ten: their patients' words decide.
    if left <= sum(prompt[:300].encode()) % 4:
        return '{"differential": [], "action": "conclude", "question": ""}'
    questions = QUESTIONS[language]
    asked = questions[(len(questions) - left) % len(questions)]
    differential = [CONCLUSION[language]["diagnosis"], *CONCLUSION[language]["differential"]]
    return json.dumps(
        {
            "differential": differential,
            "action": "ask",
            "question": f"{name}，{asked}" if language == "zh" else f"{name}, {asked}",
        },
        ensure_ascii=False,
    )


def _thoughts(prompt: str, language: str) -> str:
    said = _QUOTED.search(prompt)
    told = said[1][:60] if said else ""
    subject, relation = ("patient", "says") if language == "en" else ("患者", "说")
    thought = {
        "subject": subject,
        "relation": relation,
        "object": told,
        "negated": False,
        "when": "",
    }
    return json.dumps(
        {"thoughts": [thought] if told else [], "forget": [], "merge": []}, ensure_ascii=False
    )


def _things(prompt: str) -> str:
    """The entries that share the most letters with the question, as retrieval."""
    asked = _ASKED.search(prompt)
    letters = set(asked[1] or asked[2]) if asked else set()
    near = sorted(_NUMBERED.findall(prompt), key=lambda entry: -len(letters & set(entry[1])))
    chosen = sorted(int(number) for number, _ in near[:2])
    return json.dumps({"things": [{"asked": "it", "entries": chosen, "nothing": ""}]})


def _told(point: str, language: str) -> str:
    denied = _DENIED.match(point)
    if denied:
        return f"No, no {denied[1]}." if language == "en" else f"没有{denied[1]}。"
    return point if point[-1] in ".。!！?？" else point + ("." if language == "en" else "。")


class Stats:
    """What came in."""

    def __init__(self) -> None:
        self.calls = self.now = self.most = 0

    def as_json(self) -> bytes:
        """The counts as a body."""
        return json.dumps({"calls": self.calls, "most_at_once": self.most}).encode()


class Connection(asyncio.Protocol):
    """HTTP/1.1 with keep-alive, as far as clients of this protocol use it.

    A head, a length and a body.
    """

    def __init__(self, latency: float, stats: Stats) -> None:
        self._latency, self._stats, self._buffer = latency, stats, b""
        self._transport: asyncio.Transport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Keep the way back."""
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        """Answer each request that is whole."""
        self._buffer += data
        while (end := self._buffer.find(b"\r\n\r\n")) >= 0:
            head = self._buffer[:end].lower()
            length = int(found[1]) if (found := re.search(rb"content-length: *(\d+)", head)) else 0
            if len(self._buffer) < end + 4 + length:
                return
            body, self._buffer = (
                self._buffer[end + 4 : end + 4 + length],
                self._buffer[end + 4 + length :],
            )
            if head.startswith(b"get"):
                self._send(self._stats.as_json())
            else:
                self._answer(body)

    def _answer(self, body: bytes) -> None:
        loop = asyncio.get_running_loop()
        due = loop.time() + self._latency
        stats = self._stats
        stats.calls += 1
        stats.now += 1
        stats.most = max(stats.most, stats.now)
        loop.call_at(due, self._ended, completion(json.loads(body), stats.calls))

    def _ended(self, body: bytes) -> None:
        self._stats.now -= 1
        self._send(body)

    def _send(self, body: bytes) -> None:
        if self._transport is not None and not self._transport.is_closing():
            head = (
                "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length:"
                f" {len(body)}\r\n\r\n"
            )
            self._transport.write(head.encode() + body)


def completion(request: dict[str, Any], nth: int) -> bytes:
    """The body of a response; tokens are counted as four bytes each."""
    text = answer(request["messages"], nth)
    asked = sum(len(message["content"].encode()) for message in request["messages"]) // 4
    said = len(text.encode()) // 4 + 1
    usage = {"prompt_tokens": asked, "completion_tokens": said, "total_tokens": asked + said}
    message = {"role": "assistant", "content": text}
    choice = {"index": 0, "finish_reason": "stop", "message": message}
    body = {
        "id": "1",
        "object": "chat.completion",
        "created": 1,
        "model": request["model"],
        "choices": [choice],
    }
    return json.dumps({**body, "usage": usage}).encode()


async def serve(latency: float) -> None:
    """Serve until the input ends, as it does when whoever started this is gone."""
    loop = asyncio.get_running_loop()
    stats = Stats()
    server = await loop.create_server(
        lambda: Connection(latency, stats), "127.0.0.1", 0, backlog=1024
    )
    print(f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1", flush=True)
    await loop.run_in_executor(None, sys.stdin.read)
    server.close()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--latency", type=float, default=0.2, help="seconds from a request to its answer"
    )
    asyncio.run(serve(parser.parse_args().latency))
