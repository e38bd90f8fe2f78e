"""The tables of other gateways, in English and Chinese, from the raw figures of ./dev bench gateway_peers."""
import statistics

BEGIN, END = "<!-- gateways begin -->", "<!-- gateways end -->"
HELD = 100  # streams for the memory of one
LEAST = 0.1  # what a ratio is made of at least: a delay below that of the engine alone is noise


def added(name):
    """The median above that of the engine without a proxy. Nothing: so much was in the way that not one event came back in time."""
    return lambda run, direct: run[name]["p50"] - direct[name]["p50"] if name in run else None


# what in both languages, case, figure
ROWS = [
    (("512 B: added p50, µs", "512 B：增加的 p50，µs"), "512 B", added("total_us")),
    (("512 B: CPU a request, µs", "512 B：每个请求的 CPU，µs"), "512 B", lambda run, _: run["cpu_us_per_request"]),
    (("20 streams: added p50, µs", "20 个流：增加的 p50，µs"), "20 streams", added("delay_us")),
    (("p99 of an event, µs", "事件的 p99，µs"), "20 streams", lambda run, _: run["delay_us"]["p99"] if "delay_us" in run else None),
    (("CPU an event, µs", "每个事件的 CPU，µs"), "20 streams", lambda run, _: run["cpu_us_per_event"] or None),
    (("idle memory, MiB", "空闲时的内存，MiB"), "memory", lambda run, _: run["idle_kib"] / 1024),
    (("memory an open stream, KiB", "每个打开的流的内存，KiB"), "memory", lambda run, _: (run["resident_kib"] - run["used_kib"]) / HELD),
]
MEASURED = ("Measured {date} with `./dev bench gateway_peers{ahead}`: {count} repeats. Medians; in brackets, how many times Sextant's figure "
            "of the same repeat.",
            "{date} 用 `./dev bench gateway_peers{ahead}` 测得：{count} 轮。表中为中位数；括号内是同一轮里相当于 Sextant 的倍数。")
SPREAD = ("Least, median and most of the repeats:", "各轮的最小值、中位数和最大值：")
HEADS = (("gateway", "version"), ("网关", "版本"))


def figures(repeats, who):
    """By row: its figures and its ratios to ours, one a repeat that has them."""
    table = []
    for _, case, figure in ROWS:
        runs = [one for one in repeats if who in one]
        pairs = [[figure(one[name][case], one["direct"].get(case)) for name in (who, "sextant")] for one in runs]
        both = [(its, ours) for its, ours in pairs if its is not None and ours is not None]
        table.append(([its for its, _ in both], [max(its, LEAST) / max(ours, LEAST) for its, ours in both]))
    return table


def short(value):
    return f"{value:.0f}" if abs(value) >= 100 else f"{value:.1f}" if abs(value) >= 10 else f"{value:.2f}"


def three(values):
    return "–".join(short(one) for one in (min(values), statistics.median(values), max(values))) if values else "–"


def cell(its, ratios, ours):
    if not its:
        return "–"
    return short(statistics.median(its)) + ("" if ours else f" ({short(statistics.median(ratios))} x)")


def table(heads, rows):
    names = "| " + " | ".join(heads) + " |"
    return [names, "|" + " --- |" * (len(heads) - len(ROWS)) + " --: |" * len(ROWS)] + ["| " + " | ".join(row) + " |" for row in rows]


def lines(found, at):
    """`at`: 0 for English, 1 for Chinese."""
    whats = [what[at] for what, _, _ in ROWS]
    told = {who: figures(found["repeats"], who) for who in found["who"]}
    medians = [[who, found["versions"].get(who, ""), *(cell(*pair, who == "sextant") for pair in told[who])] for who in told]
    spread = [[who, *(three(its) for its, _ in told[who])] for who in told]
    measured = MEASURED[at].format(date=found["date"], ahead=" --ahead" if found["ahead"] else "", count=len(found["repeats"]))
    return [measured, "", *table([*HEADS[at], *whats], medians), "", SPREAD[at], "", *table([HEADS[at][0], *whats], spread)]


def write_between_marks(path, new):
    text = path.read_text(encoding="utf-8")
    before, rest = text.split(BEGIN)
    after = rest.split(END)[1]
    path.write_text(before + BEGIN + "\n\n" + "\n".join(new) + "\n\n" + END + after, encoding="utf-8")
