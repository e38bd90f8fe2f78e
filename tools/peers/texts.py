"""What the report says, in English and Chinese side by side; `Both` is a sentence in the two."""
import collections

Both = collections.namedtuple("Both", "en zh")

NO_STAGES = Both("knows no pipeline stages", "不支持流水级")
NO_FP32 = Both("takes no 32-bit weights", "不支持 32 位权重")
OWN_FORMAT = Both("takes the checkpoint's own number format only", "只支持检查点自带的数据类型")
NO_LAYOUT = Both("ends with an error at this layout", "遇到这种布局时报错退出")
NO_CARD = Both("has no such card", "没有这种 GPU")

MEASURED = Both("Measured {date} with `./dev bench peers`: {count} start-ups of vLLM; times over {rounds} rounds of {timed} questions, "
                "the tools in turns.",
                "{date} 用 `./dev bench peers` 测得：{count} 次 vLLM 启动；用时取自 {rounds} 轮、每轮 {timed} 个问题，各工具轮流。")
MEMORY_HEAD = Both(
    ["tool", "version", "cases answered", "KV pool: median error",
     "the same, sources other than llm-d-planner's runs (cases)", "KV pool more than 2 % too large", "weights: median error",
     "failed starts foreseen", "good starts refused", "seconds an answer (quarters)", "times Sextant's"],
    ["工具", "版本", "已回答的案例", "KV 池：误差中位数", "同左，仅限 llm-d-planner 之外的来源（案例数）", "KV 池高估超过 2 %",
     "权重：误差中位数", "预见的失败启动", "误判的正常启动", "每次回答的秒数（四分位）", "相当于 Sextant 的倍数"])
OF = Both("{part} of {count}", "{part} / {count}")
NOT_ANSWERED = Both("Not answered:", "没有回答的：")
LAYOUT_TITLE = Both("Qwen2.5-72B-Instruct on 6 x A100 40 GB PCIe, 32 768 tokens:",
                    "Qwen2.5-72B-Instruct，6 张 A100 40 GB PCIe，32 768 token：")
LAYOUT_HEAD = Both(["tool", "finds TP2 x PP3 by itself", "what it says", "KV tokens when told the layout", "seconds"],
                   ["工具", "自己找到 TP2 x PP3", "它的回答", "指定该布局时的 KV token 数", "秒"])
GGUF_TITLE = Both("llama.cpp, all layers on one GPU, median error:", "llama.cpp，全部层放在一张 GPU 上，误差中位数：")
GGUF_HEAD = Both(["tool", "version", "weights", "KV", "compute buffer", "seconds an answer (quarters)"],
                 ["工具", "版本", "权重", "KV", "计算缓冲", "每次回答的秒数（四分位）"])
CASES_TITLE = Both("Error of the KV pool in percent, case by case; in brackets of the weights, where no pool was published:",
                   "逐个案例的 KV 池误差（百分比）；没有公布 KV 池的，括号内为权重误差：")
CASES_HEAD = Both(["case", "model, vLLM", "GPUs"], ["案例", "模型、vLLM 版本", "GPU"])
YES, NO = Both("yes", "是"), Both("no", "否")

PLAN = Both("plan {rank} of {count}", "{count} 个方案中的第 {rank} 个")
NO_PLAN = Both("not among {count} plans", "不在 {count} 个方案之中")
TRIED = Both("tried {tried}; fits: {fits}", "试了 {tried}；放得下的：{fits}")
NONE = Both("none", "无")
NO_SEARCH_TP = Both("does not search; TP values that divide: {values}", "不做搜索；能整除的 TP：{values}")
NO_SEARCH = Both("does not search; no pipeline stages", "不做搜索；不支持流水级")
OFFERS = Both("offers {shown}", "给出 {shown}")
NO_BATCH = Both("offers nothing: no batch fits", "没有给出方案：任何批都放不下")


def same(text):
    """A tool's own line, or a name: the same in both languages."""
    text = text.replace("|", "/")     # inside a table
    return Both(text, text)


def fill(both, **values):
    """A value that is itself in both languages goes into each in its own."""
    filled = [text.format(**{name: value[at] if isinstance(value, Both) else value for name, value in values.items()})
              for at, text in enumerate(both)]
    return Both(*filled)
