"""The Chinese words that carry the grammar of a patient's reply."""

from __future__ import annotations

import re
from functools import lru_cache

from osler.records.language import Language
from osler.words import words

COUNT = r"(?:\d+(?:\.\d+)?(?:\s*[到至~-]\s*\d+)?|[一二两三四五六七八九十百半几]+|好几)"
UNIT = r"多?\s*(?:个)?(?:小时|钟头|分钟|半天|天|周|星期|礼拜|月|半年|年|晚上|晚|夜)"
SPAN = rf"{COUNT}{UNIT}"
"""A length of time: `三个星期`."""
_DAY = (
    r"(?:(?:大前天|昨天|今天|前天)(?:早上|早晨|上午|中午|下午|傍晚|晚上|夜里|夜)?|昨晚|今早|今晚|昨夜|今晨|前晚|刚才|刚刚|上(?:个)?(?:周|星期|月)"
    r"(?:[一二三四五六日天])?|(?:周|星期)[一二三四五六日天]|去年|前年|今年|小时候)"
)
TIME = re.compile(
    rf"(?:大概|大约|差不多)?{SPAN}(?:左右)?(?:以前|之前|前)(?:的?(?:夜里|晚上|早上))?|从{_DAY}(?:起|开始|就)?|从[^，。]{{1,10}}?(?:起|开始|以后)"
    rf"|{_DAY}(?:起|开始)?|原来|以前|从前|过了{SPAN}|{SPAN}以来|[^，。\s]{{1,8}}以来"
)
"""When something happened."""
LASTING = re.compile(
    rf"^(?:都|已经|有|大概|差不多|得有|快|也就|持续了?|一共|前后|约|大约|到现在)*{SPAN}(?:多)?(?:了|左右|吧|的样子|没停过|没停|上下)*$"
)
"""Nothing but how long."""
KIN = re.compile(
    r"^(?:我们|我|他|她|俺|孩子)?(?:的)?(爸爸|爸|父亲|妈妈|妈|母亲|姐姐|姐|哥哥|哥|弟弟|妹妹|爷爷|奶奶|外公|外婆|姥姥|姥爷|祖父|祖母|叔叔|叔|伯伯|伯父|"
    r"舅舅|舅|姑姑|姑妈|姨妈|姨|岳母|岳父|公公|婆婆|老伴|丈夫|妻子|爱人|老公|老婆|堂[兄弟姐妹]+|表[兄弟姐妹哥]+|家里人|家里|家人|家族中?)"
)
SELF = re.compile(r"^(?:我们家|我们|我|他|她|咱|俺|孩子|宝宝|患者|病人|老人|人)(?:自己|的)?(?!们)")
ADVERBS = re.compile(
    r"^(?:也|都|就是|就|倒是|倒|还是|还|又|反正|平时|现在|其实|可是|可能|可|但是|但|不过|所以|因为|然后|后来|只是|只|一直|老是|老|总是|总(?![胆蛋量体共的])|"
    r"目前|这个|那个|那(?![回次种边里时])|这(?![回次种边里时一几辈\d])|先是|唉|哎呀|哦|嗯|啊|呢|是的|对|对了|主要|一般|真的?|已经|当时|好像|可能|大概|也许|估计|似乎|应该|印象里|据我们知道|幸亏|我想想|说错了|确实|当然|而且|另外)+"
)
PREDICATES = re.compile(
    r"(?:在|没)?吃药|有点儿?|有些|有过|有(?!时|的|没有|人)|是(?!不是)|在吃|在用|在(?=[\u4e00-\u9fff])|属于|像|被|挺好|很好|跟[^，]{1,8}(?:似的|一样)|得过|得了|患|做过|做了|做的|割过|放过|住过|住院|"
    r"吃过|吃着|吃了|吃|喝|服用|服|用过|用了|用的|用着|抽烟|抽|打过|打了|打|输|喂|起过|起了|起|发作|发烧|发热|发紫|发|烧|咳过|咳出|咳|吐过|吐了|吐|拉|喘|流|出过|出|"
    r"长过|长了|长(?![是度期])|变|疼醒|痛醒|疼|痛|肿|红|烫|热|痒|麻|酸|胀|晕|疼醒|停了|停过|停|减轻|加重|好转|好了|正常|清楚|增大|扩大|缺失|阳性|阴性|偏高|偏低|"
    r"怕|睡|走|跑|窜|穿|放射|开始|持续|怀孕|绝经|摔|磕|昏|过敏|控制|活动|掉|瘦|重了|没停|能|会|要|想|觉得|感觉|看见|看到|查|测|量|拍|验|按|结婚|干咳|闷|难受|哑|恶心"
)
PARTICLES = re.compile(r"[呢啊吧嘛呀的]+$")
"""What closes a clause and says nothing."""
_CJK = re.compile(r"[\u4e00-\u9fff]+")


@lru_cache(maxsize=1024)
def borders(text: str) -> frozenset[int]:
    """Where a word begins."""
    inside: set[int] = set()
    for run in _CJK.finditer(text):
        place = run.start()
        for word in words(run[0], Language.ZH):
            inside.update(range(place + 1, min(place + len(word), run.end())))
            place += len(word)
    return frozenset(range(len(text) + 1)) - inside
