"""A strict reader of Prometheus' text format 0.0.4 and of OpenMetrics 1.0: what a scraper would refuse, it refuses."""
import math
import re

NAME = r"[a-zA-Z_:][a-zA-Z0-9_:]*"
LABEL = r'([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\["\\n])*)"'
SAMPLE = re.compile(rf"({NAME})(?:\{{({LABEL}(?:,{LABEL})*)\}})? (\S+)$")
KINDS = {"counter": ("_total",), "gauge": ("",), "histogram": ("_bucket", "_sum", "_count")}


def parse(text, open_metrics=False):
    """{(sample name, frozenset of label pairs): value}, or AssertionError with what is wrong."""
    assert text.endswith("\n"), "the last line has no end"
    lines = text[:-1].split("\n")
    if open_metrics:
        assert lines[-1] == "# EOF", lines[-1]
        lines.pop()
    samples, kinds, helps, family = {}, {}, set(), None
    for line in lines:
        assert line and line == line.strip(), repr(line)
        if line.startswith("# "):
            words = line.split(" ", 3)
            assert len(words) == 4 and words[1] in ("HELP", "TYPE") and re.fullmatch(NAME, words[2]), line
            if words[1] == "HELP":
                assert words[2] not in helps, f"{words[2]} has HELP twice"
                helps.add(words[2])
            else:
                assert words[2] in helps and words[2] not in kinds and words[3] in KINDS, line
                family, kinds[words[2]] = words[2], words[3]
            continue
        found = SAMPLE.fullmatch(line)
        assert found, line
        name, value = found.group(1), float(found.group(found.re.groups))
        suffixes = KINDS[kinds[family]]
        if kinds[family] == "counter" and not open_metrics:
            assert family.endswith("_total"), family
            suffixes = ("",)
        assert name in {family + suffix for suffix in suffixes}, f"{line} within {family}"
        labels = re.findall(LABEL, found.group(2) or "")
        assert len({label for label, _ in labels}) == len(labels), line
        key = (name, frozenset(labels))
        assert key not in samples, f"twice: {line}"
        assert kinds[family] == "gauge" or value >= 0, line
        samples[key] = value
    assert set(kinds) == helps, set(kinds) ^ helps
    for name, kind in kinds.items():
        if kind == "histogram":
            check_histogram(name, samples)
    return samples


def check_histogram(name, samples):
    series = {}
    for (sample, labels), value in samples.items():
        if sample == name + "_bucket":
            border = dict(labels)["le"]
            rest = frozenset(pair for pair in labels if pair[0] != "le")
            series.setdefault(rest, []).append((math.inf if border == "+Inf" else float(border), value))
    for labels, buckets in series.items():
        buckets.sort()
        assert buckets[-1][0] == math.inf, f"{name} has no +Inf"
        assert all(a[1] <= b[1] for a, b in zip(buckets, buckets[1:])), f"{name} is not cumulative"
        assert samples[(name + "_count", labels)] == buckets[-1][1], f"{name}: its count is not that of +Inf"
        assert (name + "_sum", labels) in samples, f"{name} has no sum"


def total(samples, name, **labels):
    """The sum of all samples of that name with at least these labels."""
    wanted = {(key, str(value)) for key, value in labels.items()}
    return sum(value for (sample, pairs), value in samples.items() if sample == name and wanted <= pairs)
