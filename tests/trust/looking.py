"""What the tests of security look with: at code, at markup, at drawings."""

import ast
import re
from html.parser import HTMLParser
from xml.etree import ElementTree

RUNS = set("eval exec compile input __import__ breakpoint".split())  # builtins that make code of text
METHODS = set("system popen execv execve spawnl spawnv startfile mktemp run_cell run_line_magic set_next_input".split())
OUTSIDE = set(
    "socket ssl urllib http requests httpx aiohttp urllib3 ftplib smtplib xmlrpc socketserver webbrowser subprocess "
    "pty ctypes pickle shelve marshal dill joblib yaml code codeop runpy telnetlib".split()
)


def faults(tree: ast.AST) -> list[str]:
    """Return what code does that could turn text into code, or reach beyond this machine."""
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Import | ast.ImportFrom):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else [node.module or ""]
            found += [name for name in names if name.split(".")[0] in OUTSIDE]
        if isinstance(node, ast.Call):
            name = ast.unparse(node.func)
            bad = name in RUNS or name.split(".")[-1] in METHODS or name in ("np.load", "HTML", "Javascript")
            found += [name] if bad or any(k.arg in ("shell", "allow_pickle") for k in node.keywords) else []
            if name.endswith("import_module") and not re.match(r"'|f'posenc_lib\.|_LIVE\[", ast.unparse(node.args[0])):
                found.append(name)
            if name == "widgets.HTML" and [ast.unparse(a) for a in node.args] not in ([], ["CSS"]):
                found.append(name)
        if isinstance(node, ast.FunctionDef) and re.fullmatch(
            r"_repr_(html|javascript|svg|latex|markdown)_", node.name
        ):
            found.append(node.name)
    return found


class Markup(HTMLParser):
    """What a browser would make of a text: its tags, and what they carry."""

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
    from ipywidgets import HTML  # here, since those who ask about pins may not have it
    from posenc_lib.live.presenter import CSS

    found, waiting = [], [box]
    while waiting:
        widget = waiting.pop()
        waiting += getattr(widget, "children", ())
        assert not getattr(widget, "description_allow_html", False)
        if isinstance(widget, HTML) and widget.value != CSS:
            found.append(Markup(widget.value))
            assert set(found[-1].tags) <= {"div", "span", "code"}, widget.value
            assert {name for _, name, _ in found[-1].attributes} <= {"role", "style"}, widget.value
            assert not re.search(r"url|import|expression", str(found[-1].attributes))
    return " ".join(one.told for one in found)


def loads_nothing(drawing: ElementTree.Element) -> None:
    """Check that a drawing has nothing that runs, and refers to nothing but its own parts."""
    for node in drawing.iter():
        assert node.tag.split("}")[1] not in {"script", "foreignObject", "a", "iframe", "animate", "set", "handler"}
        assert not any(name.lower().startswith("on") for name in node.attrib)
        links = [value for name, value in node.attrib.items() if name.split("}")[-1] in ("href", "src")]
        assert all(link.startswith(("#", "data:image/png;base64,")) for link in links), links
        style = " ".join([*node.attrib.values(), node.text or ""])
        assert not re.search(r"@import|url\((?!#)", style)
