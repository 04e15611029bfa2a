"""Exchanges that no rule was written for: question, reply, and what a memory has to make of them.

`+cough` is affirmed of the patient, `-fever` is denied, `mother:+diabetes` is said of the mother.
The words after the sign stand in the fact, in any case; `|` separates words of which one is enough.
"""

from __future__ import annotations

from typing import NamedTuple


class HeldOut(NamedTuple):
    """One exchange with the facts that it tells."""

    question: str
    reply: str
    facts: tuple[str, ...]


def _rows(*rows: tuple[str, str, str]) -> tuple[HeldOut, ...]:
    return tuple(
        HeldOut(question, reply, tuple(facts.split("; ")) if facts else ())
        for question, reply, facts in rows
    )


ENGLISH = _rows(
    (
        "What seems to be the trouble?",
        "My right ear has been blocked since I went swimming.",
        "+right ear",
    ),
    (
        "Any discharge from it?",
        "A bit of yellowish stuff on the pillow this morning.",
        "+yellowish",
    ),
    ("Have you had a temperature?", "No, I don't think so.", "-temperature"),
    ("Do you get dizzy?", "Only when I stand up too fast.", "+stand up"),
    ("Is there ringing in the ear?", "Yes, a high whistle, mostly at night.", "+ringing|whistle"),
    (
        "Has anyone in your family had hearing problems?",
        "My grandfather wore hearing aids.",
        "grandfather:+hearing",
    ),
    ("Do you smoke?", "I gave up six years ago.", ""),
    ("How much did you smoke before that?", "About ten a day for twenty years.", "+ten a day"),
    ("Do you drink?", "A glass of wine on Saturdays.", "+wine"),
    ("What medicines are you on?", "Ramipril 5 mg and a baby aspirin.", "+ramipril; +aspirin"),
    ("Are you allergic to anything?", "Codeine makes me vomit, that's all I know of.", "+codeine"),
    ("Could you be pregnant?", "No, my last period was a week ago.", "-pregnant"),
    ("Where exactly is the pain?", "Just under the ribs on the left.", "+under the ribs"),
    ("Does it travel anywhere?", "It goes through to my back.", "+back"),
    ("How bad is it out of ten?", "Seven when it comes, two in between.", "+seven"),
    ("Does eating make it worse?", "Yes, especially fried food.", "+fried food"),
    ("Any vomiting?", "Twice yesterday, nothing since.", "+twice"),
    ("Was there blood in it?", "No blood, just bile.", "-blood; +bile"),
    ("How are your bowels?", "Loose for three days, no blood or mucus.", "+loose; -blood; -mucus"),
    ("Have you lost weight?", "Nearly a stone since Christmas without trying.", "+stone"),
    ("Any night sweats?", "I've woken up drenched a few times.", "+drenched"),
    ("Do you have a cough?", "No cough, but my throat is scratchy.", "-cough; +throat"),
    ("Are you short of breath?", "Walking upstairs leaves me gasping.", "+upstairs"),
    ("Any chest pain?", "Not really, more of a tightness.", "+tightness"),
    ("Do your ankles swell?", "By the evening, yes, both of them.", "+ankles|both"),
    ("How many pillows do you sleep on?", "Three, otherwise I wake up coughing.", "+three"),
    ("Any palpitations?", "My heart flutters for a minute or so every few days.", "+flutters"),
    (
        "Has a doctor ever told you that you have diabetes?",
        "My sister has it, I don't.",
        "sister:+diabetes|it; -diabetes",
    ),
    ("Did they do an ECG?", "They did, it was normal.", "+normal"),
    ("What did the blood test show?", "Haemoglobin 92, which they said was low.", "+92"),
    ("Has she had her vaccinations?", "Yes, all up to date.", "+vaccinations|up to date"),
    ("Is he feeding well?", "He takes half of what he used to.", "+half"),
    ("Any rash?", "Red spots on his tummy, they don't fade when I press.", "+red spots"),
    ("How long has the fever lasted?", "Since Tuesday night.", "+tuesday"),
    ("What was the highest it got to?", "39.4 under the arm.", "+39.4"),
    ("Is his neck stiff?", "No, he can put his chin down.", "-stiff"),
    ("When did the headache begin?", "It woke me at four this morning.", "+four this morning"),
    ("Was it sudden?", "Like somebody hit me with a bat.", "+bat"),
    ("Does light bother you?", "Yes.", "+light"),
    ("Any weakness in the arms or legs?", "None.", "-weakness"),
    (
        "Have you hurt your head recently?",
        "I bumped it on a cupboard last week, nothing serious.",
        "+cupboard",
    ),
    (
        "Have you had any operations?",
        "Appendix out at 12 and a knee replaced in 2019.",
        "+appendix; +knee",
    ),
    ("What do you do for work?", "I drive a delivery van.", "+van"),
    ("Who do you live with?", "With my husband and two cats.", ""),
    (
        "Do you have pain passing urine?",
        "It burns, and I go every half hour.",
        "+burns|urine; +half hour",
    ),
    ("Any blood in the urine?", "It looked pink on Sunday.", "+pink"),
    (
        "Any discharge or itching down below?",
        "No discharge, a little itching.",
        "-discharge; +itching",
    ),
    ("Have you travelled abroad?", "We came back from Kenya ten days ago.", "+kenya"),
    (
        "Did you take malaria tablets?",
        "I stopped them halfway because they upset my stomach.",
        "+stopped",
    ),
    ("Which knee is it?", "The left. Sorry, I mean the right one.", "+right"),
    (
        "Does the knee lock or give way?",
        "It gives way on stairs but has never locked.",
        "+gives way; -lock",
    ),
    ("Is it swollen or red?", "Swollen, not red.", "+swollen; -red"),
    ("How is your mood?", "Low, I cry for no reason.", "+low; +cry"),
    ("Do you ever think of harming yourself?", "I have never thought of that.", "-harming|thought"),
    ("How do you sleep?", "Maybe four hours, I wake at three and lie there.", "+four hours"),
    ("Has your vision changed?", "My left eye is blurred, the other is fine.", "+left eye"),
    ("Any eye pain?", "No pain at all, just like a curtain coming down.", "-pain; +curtain"),
    ("Do you know your cholesterol?", "I have no idea.", ""),
    (
        "Did your father have heart trouble?",
        "He died of a heart attack at 51.",
        "father:+heart attack",
    ),
    ("Anything else you want to tell me?", "I'm worried it could be cancer.", ""),
)

CHINESE = _rows(
    ("您哪里不舒服？", "右边耳朵从游完泳就一直堵着。", "+右边耳朵|耳朵"),
    ("有没有流东西出来？", "早上枕头上有点黄水。", "+黄水"),
    ("发烧吗？", "没有。", "-烧"),
    ("头晕不晕？", "站起来猛了会晕一下。", "+晕"),
    ("有耳鸣吗？", "有，嗡嗡的，晚上明显。", "+耳鸣|嗡嗡"),
    ("家里有人听力不好吗？", "我爷爷很早就戴助听器了。", "爷爷:+助听器"),
    ("抽烟吗？", "戒了六年了。", ""),
    ("以前一天抽多少？", "一天半包，抽了二十来年。", "+半包"),
    ("喝酒吗？", "周末喝一两白酒。", "+白酒"),
    ("现在吃什么药？", "缬沙坦80毫克，还有阿司匹林。", "+缬沙坦; +阿司匹林"),
    ("对什么药过敏吗？", "吃头孢起过一身疹子。", "+头孢"),
    ("有没有可能怀孕？", "不会，上周刚来过月经。", "-怀孕"),
    ("具体哪儿疼？", "左边肋骨下面。", "+肋骨"),
    ("疼痛往别处窜吗？", "往后背窜。", "+后背"),
    ("疼得厉害吗？", "疼起来直冒汗，过一会儿又好些。", "+冒汗"),
    ("吃东西以后加重吗？", "吃油腻的更疼。", "+油腻"),
    ("吐了没有？", "昨天吐了两回，今天没吐。", "+两回"),
    ("吐的东西里有血吗？", "没有血，就是黄胆水。", "-血; +胆水"),
    ("大便怎么样？", "拉了三天稀，没有脓血。", "+三天; -脓血"),
    ("体重有变化吗？", "过年到现在瘦了十来斤。", "+十来斤"),
    ("夜里出汗吗？", "醒来衣服都湿透了，有过几次。", "+湿透"),
    ("咳嗽吗？", "不咳，就是嗓子痒。", "-咳; +嗓子"),
    ("有没有气短？", "上三楼就喘得不行。", "+喘"),
    ("胸口疼不疼？", "不疼，闷得慌。", "-疼; +闷"),
    ("脚肿吗？", "到晚上两只脚都肿。", "+肿"),
    ("晚上睡觉垫几个枕头？", "三个，低了就憋醒。", "+三个"),
    ("心慌吗？", "隔几天扑腾一阵，一两分钟就过去。", "+扑腾|心慌"),
    ("有糖尿病吗？", "我没有，我姐姐有。", "-糖尿病; 姐姐:+糖尿病|有"),
    ("做心电图了吗？", "做了，说是正常。", "+正常"),
    ("抽血结果怎么样？", "血红蛋白92，说偏低。", "+92"),
    ("孩子疫苗打全了吗？", "都按时打的。", "+疫苗|按时"),
    ("吃奶怎么样？", "只有平时的一半。", "+一半"),
    ("身上有疹子吗？", "肚子上有红点，按下去不褪色。", "+红点"),
    ("烧了多久了？", "从周二晚上开始。", "+周二"),
    ("最高烧到多少度？", "腋下39度4。", "+39"),
    ("脖子硬不硬？", "不硬，能低头。", "-硬"),
    ("头疼什么时候开始的？", "今早四点疼醒的。", "+四点"),
    ("是突然疼的吗？", "是，像被人砸了一棍子。", "+突然|棍子"),
    ("怕光吗？", "怕。", "+怕光|光"),
    ("胳膊腿有没有没劲？", "没有没劲。", ""),
    ("最近碰过头吗？", "上周在柜子上磕了一下，没大事。", "+柜子"),
    ("做过什么手术？", "十二岁割过阑尾，2019年换了膝关节。", "+阑尾; +膝关节"),
    ("您做什么工作？", "开货车送货的。", "+货车"),
    ("跟谁一起住？", "和老伴两个人住。", ""),
    ("小便疼吗？", "火辣辣的，半小时就要去一趟。", "+火辣辣; +半小时"),
    ("尿里有血吗？", "星期天看着发红。", "+发红"),
    ("白带多不多，痒不痒？", "白带不多，有点痒。", "-白带; +痒"),
    ("最近出过国吗？", "十天前刚从肯尼亚回来。", "+肯尼亚"),
    ("吃预防疟疾的药了吗？", "吃了一半停了，胃受不了。", "+停"),
    ("哪边膝盖？", "左边。不对，说错了，是右边。", "+右边"),
    ("膝盖会卡住或者打软吗？", "下楼打软，从来没卡住过。", "+打软; -卡住"),
    ("肿不肿，红不红？", "肿，不红。", "+肿; -红"),
    ("心情怎么样？", "提不起劲，老想哭。", "+想哭"),
    ("有过不想活的念头吗？", "从来没有。", "-不想活|念头"),
    ("睡眠好吗？", "一晚上也就四个小时，三点就醒。", "+四个小时"),
    ("看东西有变化吗？", "左眼模糊，右眼还好。", "+左眼"),
    ("眼睛疼吗？", "不疼，就像拉上了窗帘。", "-疼; +窗帘"),
    ("知道自己的血脂吗？", "不清楚。", ""),
    ("您父亲有心脏病吗？", "他五十一岁心梗走的。", "父亲:+心梗"),
    ("还有什么要说的吗？", "我怕是癌症。", ""),
)
