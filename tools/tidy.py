#!/usr/bin/env python3
"""The style guide that runs: holds the whole tree against the rules of STYLE.md and ARCHITECTURE.md.

Each check is one function below; its first line says what it demands. Findings are printed as
`path:line: text`, and the last line is `N passed, N failed`, one count a check.

    tools/tidy.py             all checks
    tools/tidy.py layers      only the named ones
"""
import json
import re
import sys

from tidy_rules import (coverage_counts, rule_codes, rule_coverage, rule_list, rule_pages,
                        stray_pages, unfinished)
from tidy_tree import ROOT, SRC, cpp_files, files, layer_table

FILE_LINES = 400      # a note, not a failure: is this still one idea?
FUNCTION_LINES = 70
SKIPPED_FOLDERS = {"build", ".git", ".cache", "__pycache__"}
# What engines and users wrote is kept as it was.
RECORDED = ("tests/logs/", "tests/engines/", "tests/fuzz/seeds/")


# --- checks: each yields (path, line, text) --------------------------------------------------

def layers():
    """A folder includes only the folders below it, by their path from src/."""
    table = layer_table()
    for file in cpp_files("src"):
        allowed = table.get(file.layer, set(table))  # main.cpp is above all of them
        for line, name, quoted in file.includes():
            folder = name.split("/")[0]
            if not quoted:
                if folder in table and (SRC / name).exists():
                    yield file.name, line, f'write "{name}" in quotes, it is ours'
            elif "/" not in name or folder not in table:
                yield file.name, line, f'write the path of "{name}" from src/'
            elif folder not in allowed:
                yield file.name, line, f"{file.layer} may not include {folder}"
            elif not (SRC / name).exists():
                yield file.name, line, f'there is no "{name}"'


def opening_comments():
    """A C++ file begins with a comment that says what it is for."""
    for file in cpp_files("src", "tests", "cmake"):
        if not re.match(r"//\s*\S|/\*", file.text):
            yield file.name, 1, "open with a comment that says what the file is for"


def pragma_once():
    """A header has #pragma once."""
    for file in cpp_files("src", "tests", "cmake"):
        if file.name.endswith(".h") and not re.search(r"^#pragma once$", file.text, re.M):
            yield file.name, 1, "no #pragma once"


DATE = re.compile(r"\d{4}-\d{2}(-\d{2})?$")


def row_faults(row):
    for field in ("source", "checked"):
        value = row.get(field)
        if not isinstance(value, str) or value.strip() in ("", "-", "null", "?", "TODO"):
            yield f"`{field}` is not filled in"
        elif field == "checked" and not DATE.match(value.strip()):
            yield f"`checked` is not a date: {value}"


def tables():
    """Every row of data/**/*.tsv has as many cells as its header, a source and a date."""
    for path in files("data", ending=".tsv"):
        name = path.relative_to(ROOT).as_posix()
        lines = [(number, line) for number, line in
                 enumerate(path.read_text(encoding="utf-8").split("\n"), 1)
                 if line and not line.startswith("#")]
        if not lines:
            yield name, 1, "empty"
            continue
        header = lines[0][1].split("\t")
        lacking = [field for field in ("source", "checked") if field not in header]
        if lacking:
            yield name, lines[0][0], f"no column {' and '.join(lacking)}"
            continue
        for number, line in lines[1:]:
            cells = line.split("\t")
            if len(cells) != len(header):
                yield name, number, f"{len(cells)} cells, the header has {len(header)}"
                continue
            for fault in row_faults(dict(zip(header, cells))):
                yield name, number, fault


def json_tables():
    """Every row object of data/**/*.json has a source and a date, or its whole file has."""
    for path in files("data", ending=".json"):
        name = path.relative_to(ROOT).as_posix()
        text = path.read_text(encoding="utf-8")
        try:
            document = json.loads(text)
        except ValueError as error:
            yield name, getattr(error, "lineno", 1), f"not JSON: {error}"
            continue
        if isinstance(document, dict) and not list(row_faults(document)):
            continue
        lists = [document] if isinstance(document, list) else list(document.values())
        rows = [row for entry in lists if isinstance(entry, list) for row in entry
                if isinstance(row, dict)]
        if not rows:
            yield name, 1, "neither the file nor rows in it have `source` and `checked`"
        for row in rows:
            for fault in row_faults(row):
                begin = json.dumps(next(iter(row.values()), ""), ensure_ascii=False)
                at = text.find(begin)
                yield name, text.count("\n", 0, max(at, 0)) + 1, f"{fault} ({begin})"


PRINTING = re.compile(
    r"\bstd::(cout|cerr|clog|print|println)\b|\bfmt::(print|println)\b"
    r"|(?<![\w.>])(std::)?(printf|fprintf|vprintf|vfprintf|puts|fputs|putchar|fputc|perror)\s*\(")


def printing():
    """Nothing prints but cli and main; a failed assert may say its last words."""
    for file in cpp_files("src"):
        if file.layer in ("cli", "main.cpp") or file.name == "src/base/check.cpp":
            continue
        for match in PRINTING.finditer(file.code):
            yield file.name, file.line(match.start()), f"prints ({match[0].strip('( ')})"


def exits():
    """Only main ends the process, with its output written; _exit is for a child that sys has forked."""
    for file in cpp_files("src"):
        allowed = {"main.cpp": r"\b(std::)?(_Exit|_exit)\s*\(",
                   "sys": r"\b(std::)?(quick_)?(?<!_)exit\s*\("}
        pattern = allowed.get(file.layer, r"\b(std::)?(exit|quick_exit|_Exit|_exit)\s*\(")
        for match in re.finditer(pattern, file.code):
            yield file.name, file.line(match.start()), f"ends the process ({match[0].strip('( ')})"


OUTSIDE_HEADERS = {"fstream", "iostream", "filesystem", "thread", "mutex", "condition_variable",
                   "future", "unistd.h", "fcntl.h", "dlfcn.h", "dirent.h", "pthread.h"}
OUTSIDE_CALLS = re.compile(
    r"\b(std::)?(secure_)?getenv\s*\(|\b(system|steady|high_resolution)_clock\b|\bfopen\s*\(")


def pure():
    """Below gather nothing reads a file, a clock or the environment, and nothing runs in threads."""
    table = layer_table()
    outside = {name for name, lower in table.items() if "sys" in lower} | {"base", "main.cpp"}
    for file in cpp_files("src"):
        if file.layer in outside:
            continue
        for line, name, _ in file.includes():
            if name in OUTSIDE_HEADERS or name.startswith("sys/"):
                yield file.name, line, f"{file.layer} is pure and may not include <{name}>"
        for match in OUTSIDE_CALLS.finditer(file.code):
            yield (file.name, file.line(match.start()),
                   f"{file.layer} is pure and may not use {match[0].strip('( ')}")


HEAVY = {"toml++": r"toml\+\+/|toml\.hpp", "yaml-cpp": r"yaml-cpp/", "CLI11": r"CLI/",
         "Asio": r"boost/asio", "PCRE2": r"pcre2\.h", "SQLite": r"sqlite3\.h",
         "OpenSSL": r"openssl/", "curl": r"curl/"}
LAYERS_OF = {"Asio": {"sys", "run", "gateway", "api"}, "OpenSSL": {"sys"}}


def heavy_headers():
    """A heavy header is included by one .cpp file; some by a layer or two."""
    for library, pattern in HEAVY.items():
        users = {}
        for file in cpp_files("src"):
            for line, name, _ in file.includes():
                if re.match(pattern, name):
                    users.setdefault(file.name, (file, line))
        for name, (file, line) in users.items():
            layers = LAYERS_OF.get(library)
            if layers and file.layer not in layers:
                yield name, line, f"{library} belongs to {', '.join(sorted(layers))}"
            elif name.endswith(".h") and library != "Asio":
                yield name, line, f"{library} in a header: every file above pays for it"
            elif layers is None and name != min(users):
                yield name, line, f"{library} is already included by {min(users)}"


TYPE_HEAD = re.compile(r"^(?:namespace ([\w:]+) \{|(?:struct|class|enum class) (\w+)[^;{]*\{)", re.M)


def one_name_one_type():
    """A name stands for one type in its namespace: linkers take two for one, and mix their code."""
    seen = {}
    for file in cpp_files("src"):
        if not file.name.endswith(".h"):
            continue
        namespace = ""
        for match in TYPE_HEAD.finditer(file.code):
            if match[1]:
                namespace = match[1]
                continue
            first = seen.setdefault((namespace, match[2]), file.name)
            if first != file.name:
                yield file.name, file.line(match.start()), f"{match[2]} is a type in {first} too"


FUNCTION_HEAD = re.compile(
    r"\)\s*(const|noexcept|override|final|mutable|&|&&|->\s*[\w:<>,\s*&]+|:\s*[^;]*|\s)*$")


def long_functions(code):
    """(first line, lines) of each outermost function longer than the limit."""
    depth, inside, begin, head = 0, None, 0, 0
    for match in re.finditer(r"[{};]", code):
        token, at = match[0], match.start()
        if token == "{":
            depth += 1
            if inside is None and FUNCTION_HEAD.search(code[head:at].rstrip()[-300:]):
                inside, begin = depth, at
        elif token == "}":
            if inside == depth:
                length = code.count("\n", begin, at) + 1
                if length > FUNCTION_LINES:
                    yield code.count("\n", 0, begin) + 1, length
                inside = None
            depth -= 1
        head = at + 1


def function_lengths():
    """A function has at most 70 lines."""
    for file in cpp_files("src"):
        for line, length in long_functions(re.sub(r"^\s*#.*$", "", file.code, flags=re.M)):
            yield file.name, line, f"a function of {length} lines (limit {FUNCTION_LINES})"


def text_files():
    for path in sorted(ROOT.rglob("*")):
        parts = path.relative_to(ROOT).parts
        if not path.is_file() or SKIPPED_FOLDERS & set(parts):
            continue
        name = path.relative_to(ROOT).as_posix()
        if name.startswith(RECORDED):
            continue
        try:
            yield name, path.read_text(encoding="utf-8")
        except UnicodeDecodeError:
            continue


MACHINE = re.compile(
    r"(?<![\w.])/[w]ork/(main|shared|\.library)\b"
    r"|\b(pypi|pythonhosted|npmjs|crates)\.(org|io|com)\b"
    r"|\b(proxy|repo1|deb|archive)\.(golang|maven|debian|ubuntu)\.\w+")


def machine_names():
    """No paths of one machine and no hosts of package registries."""
    for name, text in text_files():
        for match in MACHINE.finditer(text):
            yield name, text.count("\n", 0, match.start()) + 1, f"names {match[0]}"


EMOJI = re.compile("[\U0001F000-\U0001FAFF\u2600-\u27BF\u2B50\u2B55\uFE0F]")


def emoji():
    """No emoji and no dingbats."""
    for name, text in text_files():
        for match in EMOJI.finditer(text):
            yield name, text.count("\n", 0, match.start()) + 1, f"U+{ord(match[0]):04X}"


QUOTED = re.compile(r'\\?".*?\\?"')
BANNED = re.compile(r"\b(please|simply|oops|invalid|illegal|failed to|vram)\b", re.I)


def texts(file):
    """(offset, English) of each pair of literals whose second half is Chinese."""
    joined = []  # neighbouring literals are one
    for begin, end, content in file.strings:
        if joined and not file.text[joined[-1][1]:begin].strip():
            joined[-1] = (joined[-1][0], end, joined[-1][2] + content)
        else:
            joined.append((begin, end, content))
    for (begin, end, english), (after, _, chinese) in zip(joined, joined[1:]):
        if file.text[end:after].strip() == "," and re.search(r"[\u4e00-\u9fff]", chinese):
            if not re.search(r"[\u4e00-\u9fff]", english):
                yield begin, english


def wording():
    """What we say to users has no filler and no words that blame without saying why."""
    for file in cpp_files("src"):
        for offset, english in texts(file):
            ours = QUOTED.sub("", english)  # what an engine prints is quoted as it is
            for match in BANNED.finditer(ours):
                yield file.name, file.line(offset), f'"{match[0]}" in a text; say what is so instead'


ERROR_MADE = re.compile(r"\bfail\(|\bError\s*\{|\breturn \{Error::Kind::")


def call_end(code, begin):
    """The offset behind the bracket that closes the first one from `begin` on."""
    depth = 0
    for at in range(begin, len(code)):
        if code[at] in "({":
            depth += 1
        elif code[at] in ")}":
            depth -= 1
            if depth == 0:
                return at + 1
    return len(code)


def languages():
    """An error that is made with English words has Chinese ones beside them, and no half of one is empty."""
    for file in cpp_files("src"):
        for match in ERROR_MADE.finditer(file.code):
            begin, end = match.start(), call_end(file.code, match.start())
            said = [content for at, _, content in file.strings if begin <= at < end]
            both = re.search(r"in_both\(|\.chinese\b", file.code[begin:end]) or any(
                re.search(r"[\u3000-\u9fff\uff00-\uffef]", text) for text in said)
            if "" in said:
                yield file.name, file.line(begin), "an error without words"
            elif not both and any(re.search(r"[A-Za-z]{2}", text) for text in said):
                yield file.name, file.line(begin), "an error in English alone"


def names():
    """Names in code say gpu_memory; no identifier speaks of VRAM."""
    for file in cpp_files("src"):
        for match in re.finditer(r"\w*vram\w*", file.code, re.I):
            yield file.name, file.line(match.start()), f"{match[0]}: say gpu_memory"


def file_lengths():
    """(a note only) Files over 400 lines, but for tables."""
    for file in cpp_files("src"):
        length = file.text.count("\n")
        if length > FILE_LINES and not re.search(r"(table|all)\.(cpp|h)$", file.name):
            yield file.name, 1, f"note: {length} lines; is this still one idea?"


CHECKS = [layers, opening_comments, pragma_once, rule_codes, rule_list, rule_pages, unfinished,
          stray_pages, rule_coverage, tables, json_tables, printing, exits, pure, heavy_headers,
          one_name_one_type, function_lengths, machine_names, emoji, wording, languages, names]


def main():
    wanted = sys.argv[1:]
    unknown = set(wanted) - {check.__name__ for check in CHECKS}
    if unknown:
        sys.exit(f"tidy: there is no check {', '.join(sorted(unknown))}; there are: "
                 f"{', '.join(check.__name__ for check in CHECKS)}")
    passed = failed = 0
    for check in CHECKS:
        if wanted and check.__name__ not in wanted:
            continue
        findings = sorted(set(check()))
        for path, line, text in findings:
            print(f"{path}:{line}: {text} [{check.__name__}]")
        if findings:
            failed += 1
        else:
            passed += 1
    if not wanted:
        for path, line, text in file_lengths():
            print(f"{path}:{line}: {text}")
        for text in coverage_counts():
            print(text)
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
