"""Words that deny something, and words for relatives: whom and what a text does not say it of."""

from __future__ import annotations

import re

from osler.language import Language

NEGATION = {
    Language.EN: re.compile(
        r"\b(?:not(?! only)|no(?! doubt)|nothing|nobody|never|without|den(?:y|ies|ied)|neither|nor|cannot|\w+n't|"
        r"free of|lacks?|none of|absence of|rul(?:es?|ed) out|excluded?s?)\b"
    ),
    Language.ZH: re.compile(
        r"否认|排除|没有|并无|未见|未|没(?!事|关系|错)|无(?!力|法|需)|并?非(?!常)|"
        r"不是|(?<![受吸看躺压睡吃止喘控说想记听走站动咽憋忍停退消得肿挪松差])不(?!舒服|适|仅|但|过(?!敏)|断|停|同|错|好|少|良|足|稳|止|久|全|明|如|管|论|是很)"
    ),
}
KIN = {
    Language.EN: re.compile(
        r"\b(?:mother|father|mum|mom|dad|sister|brother|grand\w+|uncle|aunt|parents?|family|relatives?|wife|husband)\b"
    ),
    Language.ZH: re.compile(
        r"妈妈|母亲|爸爸|父亲|姐姐|妹妹|哥哥|弟弟|爷爷|奶奶|外公|外婆|姥姥|姥爷|叔叔|舅舅|姑姑|家人|家属|家族|父母|丈夫|妻子"
    ),
}
