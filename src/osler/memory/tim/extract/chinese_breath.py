"""What is denied in one breath, said one by one: 既不抽烟也不喝酒 is 不抽烟，不喝酒."""

from __future__ import annotations

import re

_NEITHER = re.compile(r"既(?P<not>不|没有?|未)(?P<first>[^，。；！？]{1,12}?)，?(?:也|又)(?P=not)(?=[^，。；！？])")
_TWICE = re.compile(
    r"(?P<before>^|[我他她，。；！？都也])(?P<not>从不|不|没有)(?P<first>[\u4e00-\u9fff]{2})(?:也)?(?P=not)"
    r"(?=[\u4e00-\u9fff]{2}(?:$|[，。；！？]))"
)
_HABITS = re.compile(r"(?P<not>从不|从来不|不)(?P<smoke>抽烟|吸烟)(?:和|或者?|、|跟)?(?=喝酒|饮酒)")
_BUT = re.compile(r"(?P<smoke>不(?:抽烟|吸烟))(?=(?:只|但|就|偶尔)[^，。；]{0,4}(?:喝|饮))")
_BOTH = re.compile(r"(?:从来)?不(?:碰|沾)烟酒|烟酒(?:都|从来|一概|一点)*不(?:沾|碰)")


def one_by_one(reply: str) -> str:
    """The reply with each denial for itself."""
    if "不" not in reply and "没" not in reply and "未" not in reply:
        return reply
    reply = _BOTH.sub("不抽烟，不喝酒", _NEITHER.sub(r"\g<not>\g<first>，\g<not>", reply))
    reply = _HABITS.sub(r"\g<not>\g<smoke>，\g<not>", _BUT.sub(r"\g<smoke>，", reply))
    return _TWICE.sub(r"\g<before>\g<not>\g<first>，\g<not>", reply)
