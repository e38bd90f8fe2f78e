#!/usr/bin/env python3
"""Starts a rule: takes the family's next free code and writes its three files and its two lines.

    tools/new_rule.py layout tp-heads-indivisible

writes src/rules/layout/tp_heads_indivisible.cpp, .md and .zh.md, adds the rule to
src/rules/all.cpp, and prints their paths. What is left to write is marked `WRITE:`, and
tools/tidy.py asks for it until it is gone. Write the page first.
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
RULES = ROOT / "src" / "rules"
FAMILIES = {"command": 1, "layout": 2, "memory": 3, "model": 4, "machine": 5, "links": 6,
            "serving": 8, "exposure": 9}

CODE = """\
// {code}. The long explanation and the scenes are in {stem}.md.
#include <vector>

#include "check/rule.h"
#include "check/speak.h"

namespace sx::rules {{
namespace {{

// WRITE: the sentences, in both languages.
constexpr Text kTitle{{"{gpus} GPUs are not enough", "{gpus} 张 GPU 不够"}};
constexpr Text kBecause{{"why it is so", "为什么"}};
constexpr Text kOtherwise{{"what would happen", "会发生什么"}};
constexpr Text kUse{{"use {best} GPUs", "使用 {best} 张 GPU"}};

// WRITE: the facts without which nothing can be said.
constexpr Need kNeeds[] = {{Need::Layout, Need::HostGpus}};

std::vector<Complaint> check(const Case& c) {{
  const int gpus = c.serve.tensor_parallel.value_or(1);
  if (gpus > 0) return {{}};  // WRITE: when all is well

  Complaint complaint;
  Diagnostic& d = complaint.diagnostic;
  d.title = {{kTitle, {{{{"gpus", gpus}}}}}};
  mark(d, c.serve.tensor_parallel, {{}});
  d.because = kBecause;
  d.otherwise = kOtherwise;
  d.subject = "--tensor-parallel-size";
  complaint.proposals.push_back(
      {{.title = {{kUse, {{{{"best", 1}}}}}}, .changes = {{set_flag("--tensor-parallel-size", "1")}}}});
  return {{complaint}};
}}

}}  // namespace

extern const Rule {stem}{{
    .code = "{code}",
    .name = "{name}",
    .severity = Severity::Error,
    .needs = kNeeds,
    .check = check,
}};

}}  // namespace sx::rules
"""

PAGE = """\
# {code} {name}

WRITE: what is wrong, why it is so, what the engine does then, what helps. Two short paragraphs.

## WRITE: a scene where it speaks

```machine
gpus: 2
```

```command
vllm serve Qwen/Qwen2.5-7B-Instruct --tensor-parallel-size 2
```

```expect
```

```expect zh
```

## WRITE: a scene where it is silent

```machine
gpus: 2
```

```command
vllm serve Qwen/Qwen2.5-7B-Instruct
```

```expect
```

## WRITE: a scene where a fact is missing

```command
vllm serve my/private-model --tensor-parallel-size 2
```

```expect
```
"""

CHINESE_PAGE = """\
# {code} {name}

WRITE: 哪里不对，为什么，引擎会怎样，怎么办。场景写在英文页里，这里只有说明。
"""


def fail(text):
    sys.exit(f"new_rule: {text}")


def codes_in_use():
    """Stem of each rule file -> its code."""
    codes = {}
    for path in RULES.rglob("*.cpp"):
        match = re.search(r'\.code\s*=\s*"(SX\d{4})"', path.read_text(encoding="utf-8"))
        if match and path.parent != RULES:
            codes[path.stem] = match[1]
    return codes


def next_code(family, codes):
    digit = str(FAMILIES[family])
    taken = [int(code[2:]) for code in codes.values() if code[2] == digit]
    number = max(taken, default=int(digit) * 1000 + 100) + 1
    if number >= (int(digit) + 1) * 1000:
        fail(f"the family {family} has no code left")
    return f"SX{number}"


def with_line(lines, pattern, new_line, code, codes):
    """Puts the line before the first one of its kind that names a rule with a higher code."""
    last = None
    for at, line in enumerate(lines):
        match = re.match(pattern, line)
        if not match:
            continue
        if codes.get(match[1], "") > code:
            return lines[:at] + [new_line] + lines[at:]
        last = at
    if last is None:
        fail(f"src/rules/all.cpp has no line like: {new_line.strip()}")
    return lines[:last + 1] + [new_line] + lines[last + 1:]


def add_to_list(stem, code, codes):
    path = RULES / "all.cpp"
    lines = path.read_text(encoding="utf-8").splitlines()
    lines = with_line(lines, r"extern const Rule (\w+);", f"extern const Rule {stem};", code, codes)
    lines = with_line(lines, r"    &(\w+),", f"    &{stem},", code, codes)
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def main():
    if len(sys.argv) != 3 or sys.argv[1] in ("-h", "--help"):
        fail(f"FAMILY NAME; families: {', '.join(FAMILIES)}")
    family, name = sys.argv[1:]
    if family not in FAMILIES:
        fail(f"there is no family {family}; there are: {', '.join(FAMILIES)}")
    if not re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", name):
        fail("the name is lower-case words with hyphens, and reads after `allow`")
    stem = name.replace("-", "_")
    codes = codes_in_use()
    if stem in codes:
        fail(f"{name} exists: {codes[stem]}")
    code = next_code(family, codes)

    add_to_list(stem, code, codes)  # first, because it may find the list in another shape
    folder = RULES / family
    folder.mkdir(exist_ok=True)
    for ending, template in ((".cpp", CODE), (".md", PAGE), (".zh.md", CHINESE_PAGE)):
        path = folder / (stem + ending)
        path.write_text(template.replace("{gpus}", "{{gpus}}").replace("{best}", "{{best}}")
                        .format(code=code, name=name, stem=stem), encoding="utf-8")
        print(path.relative_to(ROOT).as_posix())
    print("src/rules/all.cpp")


if __name__ == "__main__":
    main()
