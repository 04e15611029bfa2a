"""What may be asked of one and the same thing: since when, where, how bad. The thesaurus knows which thing."""

from __future__ import annotations

import re
from functools import lru_cache

from osler.language import Language

_ASPECTS = {
    Language.EN: {
        "time": r"when|how long|since|start\w*|beg[aiu]n\w*|onset|duration|ago|first notice\w*",
        "change": r"worse\w*|better|aggravat\w*|reliev\w*|relief|eas(?:e|es|ed)|improv\w*|trigger\w*",
        "place": r"where|locat\w*|spread\w*|radiat\w*|travel\w*|move\w*|which (?:side|part|area)",
        "degree": r"how (?:bad|severe|strong|intense)|severity|intensity|scale|level",
        "amount": r"how (?:much|many|often|frequent\w*)|frequency|times a|amount",
        "kind": r"colou?r|smell\w*|look like|what (?:does|did) it|what kind|character|nature|type|describe",
        "course": r"constant\w*|intermittent\w*|come and go|comes and goes|all the time",
        "family": r"famil\w*|relatives?|parents?|mother|father|brothers?|sisters?|siblings?",
    },
    Language.ZH: {
        "time": "什么时候|何时|多久|多长时间|几天|开始|起病",
        "change": "加重|减轻|缓解|诱发|诱因|好转|加剧|恶化",
        "place": "哪里|哪儿|部位|位置|放射|扩散|哪一?[侧边]",
        "degree": "多重|几分|程度|厉害|剧烈|严重",
        "amount": "多少|几次|次数|频率|多频繁|量",
        "kind": "颜色|气味|什么样|怎么样的?[痛疼]|性质|描述|形容",
        "course": "持续的|间歇|阵发|一直|断断续续",
        "family": "家里人|家人|家族|家属|亲戚|父母|爸|妈|父亲|母亲|兄弟|姐妹",
    },
}
_PATTERNS = {
    Language.EN: {
        name: re.compile(rf"\b(?:{words})\b", re.IGNORECASE) for name, words in _ASPECTS[Language.EN].items()
    },
    Language.ZH: {name: re.compile(words) for name, words in _ASPECTS[Language.ZH].items()},
}


@lru_cache(maxsize=512)
def aspects(text: str, language: Language) -> frozenset[str]:
    """What a question asks of the thing it names."""
    return frozenset(name for name, pattern in _PATTERNS[language].items() if pattern.search(text))
