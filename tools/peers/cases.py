"""The measured start-ups that every tool is asked about, and how far off an answer is."""
import dataclasses
import statistics

GIB = 2 ** 30
OVER = 0.02    # a pool promised this much too large is one that a user would miss


@dataclasses.dataclass
class Case:
    """One start-up of vLLM that somebody published; None where it does not say."""
    case: str
    model: str
    card: str
    card_mib: int
    tp: int
    pp: int
    version: str
    fraction: float | None
    max_len: int | None
    seqs: int | None
    batched_tokens: int | None
    dtype: str
    kv_dtype: str
    weights_gib: float | None
    kv_gib: float | None
    starts: str | None      # no: the engine ended before it served
    basis: str
    source: str

    @property
    def card_gib(self):
        """As the driver prints it: what a user can read off."""
        return self.card_mib / 1024


@dataclasses.dataclass
class Answer:
    """What one tool says of one case, for one GPU; several figures where ranks differ. `starts`: None where it does not say."""
    weights_gib: list[float]
    kv_gib: list[float]
    starts: bool | None = None


def read_rows(path):
    lines = path.read_text(encoding="utf-8").splitlines()
    names = lines[0].split("\t")
    return [dict(zip(names, line.split("\t"), strict=True)) for line in lines[1:]]


def read_cases(path):
    kinds = {"card_mib": int, "tp": int, "pp": int, "fraction": float, "max_len": int, "seqs": int, "batched_tokens": int,
             "weights_gib": float, "kv_gib": float}
    cases = []
    for row in read_rows(path):
        values = {name: None if text == "null" else kinds.get(name, str)(text) for name, text in row.items()}
        cases.append(Case(**values))
    return cases


def error(values, truth):
    """Signed share; of several ranks the nearest counts, since a log shows one of them and does not say which."""
    if truth is None or not values:
        return None
    return min((value / truth - 1 for value in values), key=abs)


class Score:
    """All that one tool said of all cases."""

    def __init__(self):
        self.weights, self.kv, self.refused = {}, {}, {}
        self.failed_seen, self.good_refused = [], []      # one truth value a case that says whether it started

    def add(self, case, answer, reason):
        if answer is None:
            self.refused[case.case] = reason
            return
        if case.starts and answer.starts is not None:
            (self.good_refused if case.starts == "yes" else self.failed_seen).append(not answer.starts)
        for mine, values, truth in ((self.weights, answer.weights_gib, case.weights_gib), (self.kv, answer.kv_gib, case.kv_gib)):
            off = error(values, truth)
            if off is not None:
                mine[case.case] = off


def middle(errors):
    """Median of how far off, sign aside."""
    return statistics.median(abs(value) for value in errors) if errors else None

