"""The figures of one run as Markdown in one language: what stands in docs/PEERS.md between the two marks."""
import cases
import texts
from run import quarters

BEGIN, END = "<!-- figures begin -->", "<!-- figures end -->"
OWN_RUNS = "llm-d-incubation/llm-d-planner"   # published by the makers of one of the tools, who fitted it to them
SEXTANT = "sextant"


def percent(value, digits=2):
    return "–" if value is None else f"{100 * value:.{digits}f} %"


def seconds_text(times):
    low, middle, high = quarters(times)
    return f"{middle:.3f} ({low:.3f}–{high:.3f})"


def row(cells):
    return "| " + " | ".join(cells) + " |"


def head(names, left):
    """The first `left` columns hold words, the others figures."""
    return [row(names), "| " + " | ".join(["---"] * left + ["--:"] * (len(names) - left)) + " |"]


class Page:
    """All that one run found, told in the language `at` (0 English, 1 Chinese)."""

    def __init__(self, found, at):
        self.found, self.at = found, at

    def say(self, both, **values):
        return texts.fill(both, **values)[self.at]

    def part(self, part, count):
        return self.say(texts.OF, part=part, count=count)

    def memory(self):
        tools, times, all_cases = self.found["tools"], self.found["times"], self.found["cases"]
        own = quarters(times[SEXTANT])[1]
        others = {case.case for case in all_cases if OWN_RUNS not in case.source}
        rows = []
        for tool in tools:
            score = self.found["scores"][tool.name]
            kv = list(score.kv.values())
            elsewhere = [value for case, value in score.kv.items() if case in others]
            off = cases.middle(kv)
            cells = [tool.name, self.found["installed"][tool.package].version,
                     self.part(len(all_cases) - len(score.refused), len(all_cases)), percent(off),
                     f"{percent(cases.middle(elsewhere))} ({len(elsewhere)})",
                     self.part(sum(value > cases.OVER for value in kv), len(kv)),
                     percent(cases.middle(list(score.weights.values()))),
                     self.part(sum(score.failed_seen), len(score.failed_seen)),
                     self.part(sum(score.good_refused), len(score.good_refused)), seconds_text(times[tool.name]),
                     f"{quarters(times[tool.name])[1] / own:.0f}"]
            rows.append((-1 if tool.name == SEXTANT else off or 9, row(cells)))
        return head(texts.MEMORY_HEAD[self.at], 2) + [text for _, text in sorted(rows)]

    def refused(self):
        """Why a tool left cases out, each reason once with its count; and the tools that are not there at all."""
        lines = []
        for tool in self.found["tools"]:
            reasons = {}
            for reason in self.found["scores"][tool.name].refused.values():
                reasons[reason[self.at]] = reasons.get(reason[self.at], 0) + 1
            if reasons:
                ordered = sorted(reasons.items(), key=lambda entry: -entry[1])
                lines.append(f"- {tool.name}: " + ("；" if self.at else "; ").join(f"{count} x {text}" for text, count in ordered))
        return lines + [f"- {name}: {peer.trouble}" for name, peer in self.found["installed"].items() if peer.trouble]

    def layouts(self):
        lines = head(texts.LAYOUT_HEAD[self.at], 3)
        for name, layout in self.found["layouts"].items():
            lines.append(row([name, self.say(texts.YES if layout.found else texts.NO), self.say(layout.words),
                              f"{layout.told:,}".replace(",", " ") if layout.told else "–",
                              f"{layout.seconds:.2f}" if layout.seconds else "–"]))
        return lines

    def gguf(self):
        lines = head(texts.GGUF_HEAD[self.at], 2)
        for name, parts in self.found["gguf_errors"].items():
            lines.append(row([name, self.found["installed"][name].version,
                              *(percent(cases.middle(parts.get(part, []))) for part in ("weights", "kv", "compute")),
                              seconds_text(self.found["gguf_times"][name])]))
        return lines + [f"- {name}: {reason}" for name, reason in self.found["gguf_refused"].items()]

    def case_by_case(self):
        tools, scores = self.found["tools"], self.found["scores"]
        lines = head(texts.CASES_HEAD[self.at] + [tool.name for tool in tools], 3)
        for case in self.found["cases"]:
            cells = []
            for tool in tools:
                kv, weights = scores[tool.name].kv.get(case.case), scores[tool.name].weights.get(case.case)
                cells.append(f"{100 * kv:+.1f}" if kv is not None else f"({100 * weights:+.1f})" if weights is not None else "–")
            place = f"{case.tp * case.pp} x {case.card}, TP{case.tp}" + (f" x PP{case.pp}" if case.pp > 1 else "")
            lines.append(row([case.case, f"{case.model}, {case.version}", place, *cells]))
        return lines

    def lines(self):
        measured = self.say(texts.MEASURED, date=self.found["date"], count=len(self.found["cases"]), rounds=self.found["rounds"],
                            timed=self.found["timed"])
        out = [measured, "", *self.memory(), "", self.say(texts.NOT_ANSWERED), "", *self.refused()]
        out += ["", self.say(texts.LAYOUT_TITLE), "", *self.layouts()]
        out += ["", self.say(texts.GGUF_TITLE), "", *self.gguf()]
        return out + ["", self.say(texts.CASES_TITLE), "", *self.case_by_case()]


def write_between_marks(path, lines):
    text = path.read_text(encoding="utf-8")
    before, rest = text.split(BEGIN)
    after = rest.split(END)[1]
    path.write_text(before + BEGIN + "\n\n" + "\n".join(lines) + "\n\n" + END + after, encoding="utf-8")
