#!/usr/bin/env python3
"""Holds an engine's own `--help` text against data/engines/<engine>/flags.tsv: adding a version is reviewing this.

    tools/flags_from_help.py vllm 0.32.0                        the text recorded under tests/engines/
    tools/flags_from_help.py sglang 0.5.24 help.txt             another text; `-` is standard input

Read are the shapes of argparse (vLLM's `--help=all`, SGLang's, with `-x V, --long V` and `-x, --long V`) and of
llama-server. Printed: flags that are new, gone, of another kind, with other choices or defaults, then rows to paste for
the new ones; their meanings are left for a person to write. Exit code 1 when there is a difference.
"""
import argparse
import csv
import dataclasses
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
NOTHING = {"", "unset", "None", "null", "none", "unused", '""', "''", "False", "false", "disabled", "empty"}
SWITCHED = {"enabled": "on", "true": "on", "disabled": "off", "false": "off"}  # llama.cpp's words; the table has on and off
TAKES_ONE = {"integer", "number", "string", "json", "choice"}


@dataclasses.dataclass
class Entry:
    """One flag of a help text. `shape` is switch, one, list or optional; `choices` is empty where none are told."""
    names: list
    negation: bool = False
    shape: str = "switch"
    choices: list = dataclasses.field(default_factory=list)
    default: str | None = None
    group: str = ""
    removed: bool = False  # llama.cpp's help text goes on naming those, to say what took their place

    @property
    def name(self):
        long = [n for n in self.names if n.startswith("--")]
        return long[0] if long else self.names[0]


def shape_of(metavar):
    if not metavar:
        return "switch"
    if metavar.endswith("...]") or re.fullmatch(r"[A-Z]+( [A-Z]+)+", metavar):
        return "list"
    return "optional" if re.fullmatch(r"\[[A-Z_]+\]", metavar) else "one"


def choices_of(metavar, text):
    braces = re.search(r"\{([^{}]*)\}", metavar)
    if braces:
        return [c for c in braces[1].split(",") if c]
    bars = re.fullmatch(r"[\[<]([a-z][\w-]*(?:\|[\w-]+)+)[\]>]", metavar)  # <0|1> is a number that is not checked
    if bars:
        return bars[1].split("|")
    told = re.search(r"allowed values: ((?:[\w-]+, )*[\w-]+)", text)
    return told[1].split(", ") if told else []


def default_of(text):
    """What the words say; None: nothing. The last one counts, since sentences quote other defaults before it."""
    found = re.findall(r"\(default: ((?:[^()]|\([^()]*\))*)\)", text)
    if found:
        return found[-1].strip()
    found = re.findall(r"default: ([^\s,()]+)\)?", text)
    return found[-1].strip() if found else None


def entry_of(head, text, group, llama):
    """`head` is what stands before the explanation: names, and what each takes."""
    names, metavar, negation = [], "", False
    for part in re.split(r",\s+(?=-)", head):
        word, _, rest = part.strip().partition(" ")
        metavar = rest.strip() or metavar
        names.append(word)
    if not llama:
        kept = [n for n in names if not (n.startswith("--no-") and "--" + n[5:] in names)]
        negation = len(kept) < len(names)
        names = kept
    default = default_of(text)
    if llama and default is not None:
        default = re.split(r"[,=]|; -1", default)[0].strip() if not re.search(r", [A-Z]", default) else default
        default = SWITCHED.get(default, default)
        if re.search(r"[a-z] [a-z]|^--|^(follows|off|default)$", default):  # words, such as "same as --threads"
            default = None
    return Entry(names, negation, shape_of(metavar), choices_of(metavar, text), default, group,
                 llama and "argument has been removed" in text)


def blocks(lines, begins):
    """(first line, the lines below it) of each entry, and titles between them."""
    head, below = None, []
    for line in [*lines, None]:
        if line is None or begins(line) or (line and not line[0].isspace()):
            if head is not None:
                yield head, below
            head, below = line, []
        else:
            below.append(line)


def argparse_entries(text):
    lines = text.splitlines()
    at = next((i for i, line in enumerate(lines) if re.match(r"(options|optional arguments|positional)", line)), 0)
    group = ""
    for head, below in blocks(lines[at:], lambda line: line.startswith("  -")):
        if not head.startswith("  -"):
            group = head.rstrip(":")
            continue
        names, _, said = head.strip().partition("  ")
        yield entry_of(names, " ".join([said, *(b.strip() for b in below)]), group, False)


def llama_entries(text):
    group = ""
    for head, below in blocks(text.splitlines(), lambda line: line.startswith("-")):
        if head.startswith("-----"):
            group = head.strip("- ")
            continue
        if not head.startswith("-"):
            continue
        # Names stand at their column ("-t,    --threads N"), the explanation behind two blanks.
        names, _, said = re.sub(r",\s+-", ", -", head).partition("  ")
        yield entry_of(names, " ".join([said, *(b.strip() for b in below)]), group, True)


def entries_of(text):
    found = llama_entries(text) if re.search(r"^----- ", text, re.M) else argparse_entries(text)
    return [e for e in found if "--help" not in e.names]


def table(path):
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))


class Flags:
    """The table as it stands for one version."""

    def __init__(self, engine, version):
        folder = ROOT / "data" / "engines" / engine
        self.read = [row["version"] for row in table(folder / "versions.tsv")]
        self.at = self.read.index(version) if version in self.read else len(self.read)
        self.newest = self.at >= len(self.read) - 1
        self.rows = [row for row in table(folder / "flags.tsv") if row["name"].startswith("-")]
        self.by_name = {}
        for row in self.rows:
            for name in [row["name"], *row["aliases"].split()]:
                self.by_name[name] = row
        by_version = folder / "choices.tsv"
        self.told = {}
        for row in table(by_version) if by_version.exists() else []:
            if self.within(row):
                self.told.setdefault(row["flag"], set()).add(row["choice"])
        self.choices_by_version = by_version.exists()

    def within(self, row):
        def since(cell):
            return cell in self.read and self.read.index(cell) <= self.at
        here = not row["first_seen"] or since(row["first_seen"])
        return here and (not since(row["removed"]) or since(row.get("returned", "")))

    def find(self, entry):
        return next((self.by_name[n] for n in entry.names if n in self.by_name), None)

    def choices(self, row):
        varying = self.told.get(row["name"], set()) if self.choices_by_version else set()
        newest = [c for c in row["choices"].split(",") if c]
        return set(newest) | varying if self.newest else varying or set(newest)


def kind_differs(entry, row):
    if entry.shape == "switch":
        return row["kind"] != "switch"
    if entry.shape == "one":
        return row["kind"] not in TAKES_ONE
    return row["kind"] != entry.shape and not (entry.shape == "list" and row["kind"] == "json")


def default_differs(entry, row):
    said, kept = entry.default, row["default"]
    if said is None or re.match(r"[\w.]+ [a-z]", said) or said in NOTHING and kept in NOTHING:
        return False  # nothing is told, words that describe a value are, or both say nothing
    try:
        return float(said) != float(kept)
    except ValueError:
        return said.strip("'\"") != kept.strip("'\"")


def unlisted(row):
    """Flags that work and that no help text names: single letters, hidden ones, those of a word before the parser."""
    return row["name"] == "--help" or not row["name"].startswith("--") or row["group"] == "serve" \
        or row["meaning"].startswith("Hidden")


def differences(engine, version, text):
    """(kind of difference, flag, words) in the order of the help text, then what it lacks."""
    flags, entries, out = Flags(engine, version), entries_of(text), []
    seen = set()
    for entry in entries:
        row = flags.find(entry)
        if row is None and entry.removed:
            continue
        if row is None:
            out.append(("new", entry.name, f"{entry.shape} {','.join(entry.choices)}".strip()))
            continue
        seen.add(row["name"])
        if flags.within(row) == entry.removed:
            out.append(("version", entry.name, f"the table has it from {row['first_seen'] or 'the oldest'} "
                                               f"to before {row['removed'] or 'now'}"))
        for name in entry.names:
            other = flags.by_name.get(name)
            if other is None:
                out.append(("alias", entry.name, f"{name} is not in the table"))
            else:
                seen.add(other["name"])
        if entry.negation and row["negatable"] != "yes":
            out.append(("kind", entry.name, "has --no-, the table says it has not"))
        if kind_differs(entry, row):
            out.append(("kind", entry.name, f"{entry.shape}, the table says {row['kind']}"))
        mine = flags.choices(row)
        lacking = [c for c in entry.choices if c not in mine]
        more = sorted(mine - set(entry.choices)) if entry.choices and flags.newest else []
        if entry.choices and (lacking or more):
            out.append(("choices", entry.name, f"not in the table: {','.join(lacking) or '-'}; "
                                               f"only there: {','.join(more) or '-'}"))
        if flags.newest and default_differs(entry, row):
            out.append(("default", entry.name, f"{entry.default}, the table says {row['default'] or 'nothing'}"))
    for row in flags.rows:
        if flags.within(row) and row["name"] not in seen and not unlisted(row):
            out.append(("gone", row["name"], "the help text does not have it"))
    return out


def row_to_paste(entry, version, columns):
    said = "" if entry.default in (None, "None") else entry.default
    kind = {"one": "string"}.get(entry.shape, entry.shape)
    if entry.choices and kind == "string":
        kind = "choice"
    elif re.fullmatch(r"-?\d+", said):
        kind = "integer"
    elif re.fullmatch(r"-?\d*\.\d+", said):
        kind = "number"
    cells = {"name": entry.name, "aliases": " ".join(n for n in entry.names if n != entry.name), "kind": kind,
             "negatable": "yes" if entry.negation else "no", "human_int": "no", "repeats": "no", "plain_text": "no",
             "default": said, "choices": ",".join(entry.choices), "first_seen": version, "group": entry.group,
             "source": f"--help of {version}", "checked": ""}
    return "\t".join(cells.get(column, "") for column in columns)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("engine", choices=["vllm", "sglang", "llamacpp"])
    parser.add_argument("version")
    parser.add_argument("text", nargs="?", help="a file; without it the recorded one")
    asked = parser.parse_args()
    if asked.text == "-":
        text = sys.stdin.read()
    else:
        recorded = ROOT / "tests" / "engines" / asked.engine / asked.version / "help.txt"
        text = pathlib.Path(asked.text or recorded).read_text(encoding="utf-8")
    found = differences(asked.engine, asked.version, text)
    for kind, name, words in found:
        print(f"{kind:8} {name}  {words}")
    new = {name for kind, name, _ in found if kind == "new"}
    if new:
        columns = (ROOT / "data" / "engines" / asked.engine / "flags.tsv").read_text().splitlines()[0].split("\t")
        print("\nrows to paste; kinds are guessed, meaning and meaning_zh are to be written, checked is the month:")
        for entry in entries_of(text):
            if entry.name in new:
                print(row_to_paste(entry, asked.version, columns))
    print(f"{len(entries_of(text))} flags in the help text, {len(found)} differences", file=sys.stderr)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
