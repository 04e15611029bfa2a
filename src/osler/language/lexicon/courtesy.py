"""What a doctor says around a question and does not ask: "Sorry, this is a bit personal: …", "不好意思啊，我想问一下…".

Taken out before a question is read: who hears the excuse takes the whole for small talk.
"""

from __future__ import annotations

import re

from osler.language import Language

_CALLED = {
    Language.EN: r"(?:my )?(?:dear|love|sweetheart|honey|pet|darling|friend)|ma['’]am|madam|sir|mate|young lady",
    Language.ZH: "阿姨|大爷|大妈|大娘|大伯|大叔|叔叔?|大哥|大姐|老?师傅|老人家|小朋友|宝妈|家长|奶奶|爷爷|姑娘|小伙子"
    "|老乡",
}
_AROUND = {
    Language.EN: re.compile(
        rf"(?:(?:(?:and|so|now|well|right|okay|ok|yes|ah|oh|um+|uh|er+|erm|hm+)\b,?\s*)*"
        r"(?:(?:i['’]m )?(?:so |very )?sorry(?: to (?:ask|be (?:blunt|nosy|personal)|pry|trouble you))?"
        r"|excuse me|forgive me(?: (?:for )?(?:asking|the question))?|pardon me|hello(?: there)?|hi(?: there)?"
        r"|good (?:morning|afternoon|evening)|thank you|thanks|please|right then|now then"
        r"|(?:do(?:n['’]t| not)) (?:worry|rush|be (?:shy|afraid|embarrassed))|take your time|no (?:hurry|rush)"
        r"|if (?:you do(?:n['’]t| not) mind (?:me |my )?asking|i may(?: ask)?)|(?:may|can|could) i ask(?: you)?"
        r"|(?:just )?(?:one|another)(?: more)? (?:quick |last )?(?:thing|question)|let me (?:just )?ask(?: you)?"
        r"|this (?:is|may be|might be|sounds) a (?:bit|little|rather) (?:personal|embarrassing|awkward|delicate|odd)"
        rf"|(?:this|it) is a (?:personal|delicate|funny|strange|silly) question|{_CALLED[Language.EN]}"
        r"|(?:um+|uh|er+|erm|hm+|well|ah|oh))\s*(?:[,.:;!…]|\s[–—-]\s)+\s*)+",
        re.IGNORECASE,
    ),
    Language.ZH: re.compile(
        rf"(?:(?:那个|嗯+|呃+|哎+呀?|诶|哦+|啊|喂|好的?|行|对了|来|是这样|(?:真)?不好意思|对不起|抱歉|打扰一下|您好|你好|谢谢"
        rf"|请问(?:一下|[您你])?|(?:冒昧|麻烦)(?:地|您|你)?问(?:一下|[您你]|一?句)?|再问[您你]?一?[句个](?:问题)?"
        rf"|这话(?:[^，,。！？：:]{{0,4}})得问[您你]?|(?:{_CALLED[Language.ZH]})"
        rf"|(?:{_CALLED[Language.ZH]})?[您你]?(?:先)?(?:别|不要|不用|甭)(?:着?急|怕|紧张|担心|害羞|害怕|慌|不好意思)"
        rf"|(?:{_CALLED[Language.ZH]})?[您你]?(?:慢慢(?:说|讲|来|想)|放松|放心|仔细想想|回忆一下))"
        r"[啊呀哈吧呢嘛哦噢]?[，,。！：:、…]+)+"
    ),
}
"""Excuses, greetings and names at the beginning, each with what closes it."""
_WANTS = {
    Language.EN: re.compile(
        r"i(?:['’]d| would)? (?:also |just )?(?:like|need|want|have|wanted) to (?:hear|know|learn|ask you) about\b",
        re.IGNORECASE,
    ),
    Language.ZH: re.compile(
        "我(?:还|就|再|先|也)?(?:想|得|要|再)(?:多|先|再)?(?:问|了解|请教|打听)(?:一?下|一?句|[您你])*(?:，|,|：|:)?"
    ),
}
_SAID_PLAINLY = {Language.EN: "Tell me about", Language.ZH: ""}
_ASKS = {
    Language.EN: re.compile(r"\?|^(?:tell|describe|give|show|walk|take) me\b", re.IGNORECASE),
    Language.ZH: re.compile("[?？吗呢没]|什么|多少|几|怎么|哪"),
}


def to_the_point(question: str, language: Language) -> str:
    """The question without what is only said around it; as it is where nothing is asked then."""
    said = question.strip()
    around = _AROUND[language].match(said)
    rest = said[around.end() :] if around else said
    rest = _WANTS[language].sub(_SAID_PLAINLY[language], rest, count=1) if _WANTS[language].match(rest) else rest
    return rest if _ASKS[language].search(rest) else question
