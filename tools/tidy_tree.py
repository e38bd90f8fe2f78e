"""The tree as the checks of tidy.py see it: its files, C++ with comments and literals told apart, the layers."""
import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parent.parent
SRC = ROOT / "src"

TOKEN = re.compile(
    r'//[^\n]*|/\*.*?\*/'                                # comments
    r'|R"(?P<tag>[^()\s\\]{0,16})\(.*?\)(?P=tag)"'       # raw strings
    r'|"(?:[^"\\\n]|\\.)*"'                              # strings
    r"|(?<![0-9A-Za-z_])'(?:[^'\\\n]|\\.)+'",            # characters, not digit separators
    re.S)


class Cpp:
    """One file: its text, the text with comments and literals blanked, and its string literals."""

    def __init__(self, path):
        self.path = path
        self.name = path.relative_to(ROOT).as_posix()
        self.text = path.read_text(encoding="utf-8")
        self.strings = []  # (begin, end, content)
        self.code = TOKEN.sub(self._blank, self.text)
        self.layer = path.relative_to(SRC).parts[0] if SRC in path.parents else ""

    def _blank(self, match):
        token = match[0]
        if token.startswith('"'):
            self.strings.append((match.start(), match.end(), token[1:-1]))
        elif token.startswith("R"):
            inner = token[token.index("(") + 1:token.rindex(")")]
            self.strings.append((match.start(), match.end(), inner))
        return re.sub(r"[^\n]", " ", token)

    def line(self, offset):
        return self.text.count("\n", 0, offset) + 1

    def includes(self):
        """(line, name, quoted) of each include."""
        for match in re.finditer(r'^[ \t]*#[ \t]*include[ \t]*([<"])([^>"\n]+)[>"]', self.text, re.M):
            yield self.line(match.start()), match[2], match[1] == '"'


def files(*folders, ending):
    for folder in folders:
        for path in sorted((ROOT / folder).rglob("*")):
            if path.is_file() and path.name.endswith(ending):
                yield path


def cpp_files(*folders):
    if not hasattr(cpp_files, "known"):
        cpp_files.known = {}
    for path in files(*folders, ending=(".h", ".cpp", ".c")):
        if path not in cpp_files.known:
            cpp_files.known[path] = Cpp(path)
        yield cpp_files.known[path]


def layer_table():
    """Folder -> the folders it may include, from the lines `sx_layer(NAME LOWER...)`."""
    table = {}
    for line in re.findall(r"^sx_layer\(([^)]*)\)", (ROOT / "CMakeLists.txt").read_text(), re.M):
        name, *lower = line.split()
        table[name] = {name, *lower}
    return table
