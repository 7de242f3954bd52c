"""What the tests of security look with: at code, at markup, at drawings."""

import ast
import re
from html.parser import HTMLParser
from xml.etree import ElementTree

from ipywidgets import HTML

from posenc_lib.live.page import CSS, inside

RUNS = "eval exec compile input __import__ breakpoint np.load HTML Javascript".split()  # what makes code of text
METHODS = "system popen execv execve spawnl spawnv startfile mktemp run_cell run_line_magic set_next_input".split()
OUTSIDE = (
    "socket ssl urllib http requests httpx aiohttp urllib3 ftplib smtplib xmlrpc socketserver webbrowser subprocess "
    "pty ctypes pickle shelve marshal dill joblib yaml code codeop runpy telnetlib"
).split()
HARMLESS = ("urllib.parse",)  # takes an address apart
OWN_MODULES = r"'|f'posenc_lib\.|f'\{(\w+\.)?__name__\}\.|_LIVE\["  # how a name of a module may be written
SHOWS_ITSELF = r"_repr_(html|javascript|svg|latex|markdown)_"


def faults(code: str) -> list[str]:
    """Return what code does that could turn text into code, or reach beyond this machine."""
    return [fault for node in ast.walk(ast.parse(code)) for fault in _faults(node)]


def _faults(node: ast.AST) -> list[str]:
    if isinstance(node, ast.Import | ast.ImportFrom):
        names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else [node.module or ""]
        return [name for name in names if name.split(".")[0] in OUTSIDE and name not in HARMLESS]
    if isinstance(node, ast.FunctionDef):
        return [node.name] * bool(re.fullmatch(SHOWS_ITSELF, node.name))
    if not isinstance(node, ast.Call):
        return []
    name, arguments = ast.unparse(node.func), list(map(ast.unparse, node.args))
    bad = name in RUNS or name.split(".")[-1] in METHODS
    bad |= any(keyword.arg in ("shell", "allow_pickle") for keyword in node.keywords)
    bad |= name.endswith("import_module") and not re.match(OWN_MODULES, arguments[0])
    bad |= name == "widgets.HTML" and arguments not in ([], ["CSS"])
    return [name] * bad


class Markup(HTMLParser):
    """What a browser would make of a text: its tags, what they carry, and the text between them."""

    def __init__(self, text: str):
        super().__init__()
        self.tags, self.attributes, self.told = [], [], ""
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += [(tag, name, value or "") for name, value in attrs]

    def handle_data(self, data):
        self.told += data


def harmless(box) -> str:
    """Return what all HTML in a widget says, once it is sure that it holds no tag but the library's own."""
    told = ""
    for widget in inside(box):
        assert not getattr(widget, "description_allow_html", False)
        if isinstance(widget, HTML) and widget.value != CSS:
            markup = Markup(widget.value)
            assert set(markup.tags) <= {"div", "span", "code", "b", "br", "details", "summary"}, widget.value
            assert {name for _, name, _ in markup.attributes} <= {"role", "style", "class"}, widget.value
            assert not re.search(r"url|import|expression", str(markup.attributes))
            told += f"{markup.told} "
    return told


def loads_nothing(drawing: ElementTree.Element) -> None:
    """Check that a drawing has nothing that runs, and refers to nothing but its own parts."""
    for node in drawing.iter():
        assert node.tag.split("}")[1] not in {"script", "foreignObject", "a", "iframe", "animate", "set", "handler"}
        assert not any(name.lower().startswith("on") for name in node.attrib)
        links = [value for name, value in node.attrib.items() if name.split("}")[-1] in ("href", "src")]
        assert all(link.startswith(("#", "data:image/png;base64,")) for link in links), links
        assert not re.search(r"@import|url\((?!#)", " ".join([*node.attrib.values(), node.text or ""]))
