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
