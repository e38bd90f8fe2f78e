"""Checks of the catalogue of rules: codes, the list, a page in two languages with its scenes."""
import re

from tidy_tree import ROOT, SRC, Cpp, cpp_files, files

FAMILIES = {"command": "1", "layout": "2", "memory": "3", "model": "4", "machine": "5",
            "links": "6", "serving": "8", "exposure": "9"}


def rule_files():
    """(file, code) of each rule: a .cpp in a family's folder that sets .code."""
    for file in cpp_files("src/rules"):
        if file.path.suffix == ".cpp" and file.path.parent != SRC / "rules":
            match = re.search(r'\.code\s*=\s*"(SX\d{4})"', file.text)
            if match:
                yield file, match[1]


def rule_codes():
    """A rule's code belongs to its family, its name to its file; codes are unique."""
    seen = {}
    for file, code in rule_files():
        family = file.path.parent.name
        line = file.line(file.text.index(code))
        if FAMILIES.get(family, "?") != code[2]:
            yield file.name, line, f"{code} is not a code of the family {family}"
        if code in seen:
            yield file.name, line, f"{code} is taken by {seen[code]}"
        seen[code] = file.name
        name = re.search(r'\.name\s*=\s*"([^"]*)"', file.text)
        if not name or name[1] != file.path.stem.replace("_", "-"):
            yield file.name, line, f'.name should be "{file.path.stem.replace("_", "-")}"'


def rule_list():
    """src/rules/all.cpp names every rule once, in the order of the codes."""
    path = SRC / "rules" / "all.cpp"
    code_of = {file.path.stem: code for file, code in rule_files()}
    if not path.exists():
        if code_of:
            yield "src/rules/all.cpp", 1, "there are rules and no list of them"
        return
    file = Cpp(path)
    declared, listed = [], []
    for number, line in enumerate(file.code.splitlines(), 1):
        if line.lstrip().startswith("#"):
            continue
        for word in re.findall(r"\w+", line):
            if word in code_of:
                (declared if re.search(r"\bextern\b", line) else listed).append((word, number))
    for kind, entries in (("declared", declared), ("listed", listed)):
        names = [name for name, _ in entries]
        for name in sorted(code_of.keys() - set(names)):
            yield file.name, 1, f"{code_of[name]} {name} is not {kind}"
        for (before, _), (name, line) in zip(entries, entries[1:]):
            if code_of[before] >= code_of[name]:
                yield file.name, line, f"{code_of[name]} {name} is {kind} after {code_of[before]}"


def scenes_of(text):
    """The expected texts of each scene of a page: a list of lists of (info string, content)."""
    scenes, fence, info, content = [[]], None, "", []
    for line in text.splitlines():
        opened = re.match(r"(`{3,})(.*)$", line)
        if fence is None and opened:
            fence, info, content = opened[1], opened[2].strip(), []
        elif fence is not None and line.rstrip() == fence:
            if info.split()[:1] == ["expect"]:
                scenes[-1].append((info, "\n".join(content)))
            fence = None
        elif fence is not None:
            content.append(line)
        elif re.match(r"#{1,3} ", line):
            scenes.append([])
    return [scene for scene in scenes if scene]


def rule_pages():
    """A rule has its page in both languages, with scenes where it speaks and where it is silent, and
    one where it cannot tell if it needs facts at all."""
    for file, code in rule_files():
        stem = file.path.stem
        title = f"# {code} {stem.replace('_', '-')}"
        for ending in (".md", ".zh.md"):
            page = file.path.with_name(stem + ending)
            name = page.relative_to(ROOT).as_posix()
            if not page.exists():
                yield name, 1, f"{code} has no such page"
            elif not page.read_text(encoding="utf-8").startswith(title):
                yield name, 1, f"the page should begin with: {title}"
            elif ending == ".zh.md" and not re.search(r"[\u4e00-\u9fff]", page.read_text("utf-8")):
                yield name, 1, "the page is not in Chinese"
        page = file.path.with_name(stem + ".md")
        if not page.exists():
            continue
        name = page.relative_to(ROOT).as_posix()
        scenes = scenes_of(page.read_text(encoding="utf-8"))
        spoken = [s for s in scenes if any(f"[{code}]" in text for _, text in s)]
        unknown = re.compile(rf"^\s*not checked: .*{code}|^\s*not checked:(?s:.*){code}", re.M)
        missing = [s for s in scenes if any(unknown.search(text) for _, text in s)]
        silent = [s for s in scenes if not any(code in text for _, text in s)]
        if not spoken:
            yield name, 1, f"no scene where {code} speaks"
        if not any(re.search(r"\bzh\b", info) and f"[{code}]" in text
                   for scene in spoken for info, text in scene):
            yield name, 1, f"no `expect zh` block where {code} speaks"
        if not silent:
            yield name, 1, f"no scene where {code} is silent"
        if not missing and re.search(r"\.needs\s*=", file.code):
            yield name, 1, f"no scene with `not checked:` and {code}"


def unfinished():
    """Nothing is left of what tools/new_rule.py asks to be written."""
    for path in files("src/rules", ending=(".cpp", ".md")):
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            if "WRITE:" in line:
                yield path.relative_to(ROOT).as_posix(), number, line.strip()


def stray_pages():
    """A page in src/rules belongs to a rule."""
    rules = {file.path.with_suffix("") for file, _ in rule_files()}
    for path in files("src/rules", ending=".md"):
        stem = path.name.removesuffix(".md").removesuffix(".zh")
        if path.parent != SRC / "rules" and path.with_name(stem) not in rules:
            yield path.relative_to(ROOT).as_posix(), 1, "there is no rule for this page"


ENGINES_DATA = ROOT / "data" / "engines"
STATES = ("rule", "constraint", "not_before_launch")


def rows_of(path):
    """Rows of a tab-separated table, each with its line number."""
    lines = path.read_text(encoding="utf-8").splitlines()
    header = lines[0].split("\t")
    for number, line in enumerate(lines[1:], 2):
        yield number, dict(zip(header, line.split("\t")))


def constraint_rows():
    """(engine, id without its number, rule) of each row of the constraint tables."""
    for path in sorted(ENGINES_DATA.glob("*/constraints.tsv")):
        for _, row in rows_of(path):
            yield path.parent.name, row["id"].split("/")[0], row["rule"]


def rule_coverage():
    """data/engines/rule_coverage.tsv lists each launch rule of the engines once: as a rule of the
    catalogue, as rows of a constraint table, or as not checkable before launch, with the reason."""
    path = ENGINES_DATA / "rule_coverage.tsv"
    if not path.exists():
        return
    name = path.relative_to(ROOT).as_posix()
    name_of = {code: file.path.stem.replace("_", "-") for file, code in rule_files()}
    spoken = {}
    for engine, key, rule in constraint_rows():
        spoken.setdefault((engine, key), set()).add(rule)
    seen = set()
    for line, row in rows_of(path):
        key = (row["engine"], row["id"])
        if key in seen:
            yield name, line, f"{key[0]} {key[1]} stands here twice"
        seen.add(key)
        if row["state"] not in STATES:
            yield name, line, f"{row['state']} is none of {', '.join(STATES)}"
        codes = [code for code in row["code"].split(",") if code]
        for code in codes:
            if code not in name_of:
                yield name, line, f"there is no rule {code}"
        if bool(codes) == (row["state"] == "not_before_launch"):
            yield name, line, "a state with a rule names its code, the other one names none"
        reasons = bool(row["reason_en"]) and bool(re.search(r"[\u4e00-\u9fff]", row["reason_zh"]))
        if row["state"] == "not_before_launch" and not reasons:
            yield name, line, "the reason is missing in one of the languages"
        rules = spoken.get(key, set())
        if bool(rules) != (row["state"] == "constraint"):
            yield name, line, f"{key[1]} has {len(rules)} rules in the constraint table"
        elif rules and rules != {name_of.get(code) for code in codes}:
            yield name, line, f"the rows of {key[1]} are spoken by {', '.join(sorted(rules))}"
    for engine, key in sorted(spoken.keys() - seen):
        yield name, 1, f"{engine} {key} has rows and does not stand here"


def coverage_counts():
    """One line an engine: how many of its launch rules are spoken of, and how many cannot be."""
    path = ENGINES_DATA / "rule_coverage.tsv"
    counts = {}
    for _, row in rows_of(path) if path.exists() else ():
        of = counts.setdefault(row["engine"], dict.fromkeys(STATES, 0))
        if row["state"] in of:
            of[row["state"]] += 1
    for engine, of in counts.items():
        yield (f"{engine}: {sum(of.values())} launch rules, {of['rule']} by rules of their own, "
               f"{of['constraint']} by rows, {of['not_before_launch']} not before launch")
