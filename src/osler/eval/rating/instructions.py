"""What a rater is told, in English and in Chinese. It says nothing of what is compared."""

from __future__ import annotations

TITLE = "Instructions 说明"
RATINGS = "Ratings 评分"
CODE = "Code of this sheet 本表代码"
WRONG_VALUE = "Use one of 请填 {choices}"

HEADINGS = {
    "item": "编号",
    "said before": "此前的对话",
    "last exchange": "最近一轮对话",
    "recalled": "医生回忆到的内容",
    "doctor's step": "医生的这一步",
    "comment": "备注",
}
"""The Chinese name under each column's English one."""

ENGLISH = (
    "How to rate",
    "Each row of the sheet “Ratings 评分” is one moment of a consultation between a doctor and a patient. Read what was"
    " said before (longer passages are shortened), the last exchange, what the doctor's notes brought back at that"
    " moment, and what the doctor did next: a question, or the conclusion. Then choose a value in each of the three"
    " columns.",
    "Retrieval accuracy: 1, if the recalled notes hold what was said before and matters for this step, or if nothing"
    " said before matters for it; 0, if something that matters is missing or told wrongly. The last exchange is known"
    " to the doctor in any case.",
    "Response correctness: 1, if the step is medically right: a question that a good doctor would ask now, or a"
    " diagnosis and treatment that fit what is known; 0.5, if it is partly right, or right but of little use; 0, if it"
    " is wrong, unsafe, or asks for what the patient has told already.",
    "Contextual coherence: 1, if the step follows from what was said and contradicts nothing of it; 0.5, if it only"
    " loosely hangs together with it; 0, if it is out of place or contradicts what was said.",
    "Judge every row by itself. Rows are in random order and many look alike; that is intended. Leave a value empty if"
    " you cannot judge it. Do not talk with other raters before all have finished.",
    "Change nothing but the three values and the comment. You may sort the sheet, as long as whole rows move."
    " “[…]” stands for a name that was taken out.",
)

CHINESE = (
    "评分方法",
    "“Ratings 评分”表中的每一行是医患问诊中的一个时刻。请先阅读此前的对话（较长的内容已缩短）、最近一轮对话、"
    "医生此刻回忆到的内容，以及医生接下来的一步：一个提问，或最后的结论。然后在三列中各选一个分值。",
    "检索准确性：回忆到的内容包含此前说过且与这一步有关的信息，或此前没有与这一步有关的信息，记1；有关的信息缺失或记错，记0。"
    "最近一轮对话医生总是知道的。",
    "回应正确性：这一步在医学上正确，即好医生此时会问的问题，或与已知情况相符的诊断和治疗，记1；部分正确，或正确但用处不大，记0.5；"
    "错误、不安全，或再问患者已经说过的内容，记0。",
    "语境连贯性：这一步承接前面的对话且不与之矛盾，记1；只是勉强相关，记0.5；脱离语境或与前文矛盾，记0。",
    "请逐行独立判断。各行顺序随机，许多行看起来相似，这是有意安排的。无法判断的分值请留空。所有评分者完成之前请勿相互讨论。",
    "除三个分值和备注外请勿改动其他内容。可以排序，但必须整行一起移动。“[…]”代表被隐去的名称。",
)
