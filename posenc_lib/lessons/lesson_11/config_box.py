"""A box for a model's config.json: what it does to each pair, in words and in pictures."""

import html
import json
import re
from typing import Any

import ipywidgets as widgets

from posenc_lib.encodings import validate
from posenc_lib.encodings.models import SHIPPED, model_config, of_config
from posenc_lib.lessons.lesson_11.fates import fates, told
from posenc_lib.live.explorer import Explorer
from posenc_lib.live.page import Look, OnPage, close_all, message
from posenc_lib.spec import Spec
from posenc_lib.views.style import LOCK

LONGEST = 200_000  # characters
# everything about RoPE in a config
PART = {"rope_scaling", "rope_parameters", "rope_theta", "partial_rotary_factor", "head_dim"}
PART |= {"max_position_embeddings", "original_max_position_embeddings"}
ASSUMED = {"rope_theta": 10_000.0, "max_position_embeddings": 4096, "head_dim": 128}
WIDE = {"width": "100%", "max_width": "860px"}


class ConfigBox(OnPage):
    """A list of models, a field for a config.json, its plan, and an explorer; see `config_box`."""

    def __init__(self, config: dict | str):
        shipped = [(model_config(name)["title"], name) for name in SHIPPED]
        look: dict[str, Any] = {"style": {"description_width": "6em"}}
        self.model = widgets.Dropdown(
            options=[*shipped, ("your own", "")], description="model", **look
        )
        look |= {"placeholder": "paste a config.json, or its rope_scaling", "rows": 9}
        self.paste = widgets.Textarea(
            description="config.json", layout=WIDE, continuous_update=False, **look
        )
        self._news, self._words = widgets.HTML(), widgets.HTML(layout=WIDE)
        self._place = widgets.VBox()
        self.explorer: Explorer | None = None
        self._moving = False  # while the code changes list and field
        look = {"icon": "check", "tooltip": "read what you pasted"}
        again = self._button("Read", lambda: self.read(self.paste.value), **look)
        parts = [self.model, self.paste, again, self._news, self._words, self._place]
        self.box = widgets.VBox(parts)
        Look().dress(self.box)
        self.read(config)
        for choice in (self.model, self.paste):
            choice.observe(lambda change: self._asked(change["new"]), names="value")

    @property
    def text(self) -> str:
        """Return the plan and the pictures in words."""
        return " ".join([f"{self.title}:", *self.told, self.explorer.text])

    def read(self, config: dict | str) -> None:
        """Show a config: a dict, a model's name, or JSON. After an error, nothing changes."""
        with LOCK:
            name = config if isinstance(config, str) and config in SHIPPED else ""
            given, assumed = (model_config(name), {}) if name else whole(config)
            encoding, sentences = of_config(given), told(given, guessed=assumed)
            jumps = any(one.cliff for one in fates(given))
            shown = ["frequencies", "angles_seen"]
            if jumps:
                shown.append("cliff")
            text = self.paste.value if isinstance(config, str) and not name else written(given)
            made = Explorer(Spec.of(SHIPPED[name] if name else encoding, shown))
            if self.explorer:
                self.explorer.close()
            self.explorer, self.title, self.config = made, encoding.title, given
            if assumed:
                each = ", ".join(f"{key} {value:,.0f}" for key, value in assumed.items())
                sentences = [f"Not given, so assumed: {each}.", *sentences]
            self.told = sentences
            items = "".join(f"<li>{html.escape(sentence)}</li>" for sentence in self.told)
            self._words.value = (
                f'<div role="status"><b>{html.escape(self.title)}</b><ul>{items}</ul></div>'
            )
            self._place.children, self._news.value = [made.box], ""
            self._moving = True
            try:
                self.model.value, self.paste.value = name, text
            finally:
                self._moving = False

    def _asked(self, config: str) -> None:
        """Read what was chosen or pasted. An error is a line of text, and the last model stays."""
        if not self._moving and config.strip():
            self._try(self.read, config)

    def _say(self, words: str, *, good: bool = True) -> None:
        words = validate.ended(" ".join(words.split()))
        words += f" The panel still shows {self.title}."
        self._news.value = message(words, good=good)

    def close(self) -> None:
        """Take the panel off the page."""
        with LOCK:
            close_all(self.box)

    def stored(self, words: str) -> tuple[dict, dict]:
        """Return the picture and some words for a notebook without a kernel."""
        return self.explorer.stored(words)


def whole(config: object) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return a config, and what was assumed if only its RoPE part was given."""
    given = _parsed(config) if isinstance(config, str) else config
    if not isinstance(given, dict):
        raise TypeError(f"the config must be a JSON object, {{…}}, got {validate.show(given)}")
    if {"rope_type", "type", "factor"} & set(given) and "model_type" not in given:
        given = {"rope_parameters": given}
    # other keys next to it, like the length a server allows, give no size
    if not PART & set(given) or {"model_type", "hidden_size"} & set(given):
        return given, {}
    parts = [given.get(key) for key in ("rope_scaling", "rope_parameters")]
    inner = next((part for part in parts if isinstance(part, dict)), {})
    assumed = {key: value for key, value in ASSUMED.items() if key not in {**inner, **given}}
    if "original_max_position_embeddings" in {**inner, **given}:
        assumed.pop("max_position_embeddings", None)
    if "head_dim" in assumed and isinstance(inner.get("short_factor"), list):
        assumed["head_dim"] = max(2 * len(inner["short_factor"]), 2)
    if any(isinstance(value, dict) for value in inner.values()):
        assumed.pop("rope_theta", None)  # each type of layer has its own base
    return given | assumed, assumed


def _parsed(text: str) -> object:
    if not text.strip():
        raise ValueError("the config must be the text of a config.json, got nothing")
    if len(text) > LONGEST:
        raise ValueError(f"the config must have at most {LONGEST:,} characters, got {len(text):,}")
    if re.match(r'\s*"[^"]*"\s*:', text):  # the inside of a config, without braces
        text = "{" + text.strip().rstrip(",") + "}"
    if re.fullmatch(r"[^{}\[\]\n]*(\.json|[/\\][^{}\[\]\n]*)", text.strip()):
        rule = "the config must be the text of a config.json, not the name of a file"
        raise ValueError(f"{rule}, got {validate.show(text)}: json.load(open({text!r})) reads one")
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        fault = str(error)
    except RecursionError:
        fault = "it's nested too deeply"
    except ValueError:  # Python's own limit
        fault = "a number in it has too many digits"
    raise ValueError(f"the config must be valid JSON: {fault}")


def written(config: dict[str, Any]) -> str:
    """Return a config as JSON, a line for each key, with text for what JSON can't express."""
    lines = (f"  {_as_json(str(key))}: {_as_json(value)}" for key, value in config.items())
    text = "{\n" + ",\n".join(lines) + "\n}"
    return text.encode(errors="replace").decode()  # half a character can't go to a page


def _as_json(value: object) -> str:
    try:
        return json.dumps(value, ensure_ascii=False, default=validate.show)
    except (TypeError, ValueError, RecursionError):  # its keys aren't text, or it contains itself
        return json.dumps(validate.show(value), ensure_ascii=False)


def config_box(config: dict[str, Any] | str | None = None) -> ConfigBox:
    """Return a panel that reads a model's config.json and shows what it does to each pair.

    >>> print(config_box("gpt_neox").told[0])
    Its training length is 2,048, as far as the config says (max_position_embeddings).

    Args: config is what to show first: a dict, the text of a config.json, or a model's name (see
        `model_config`). None is Llama 3.1.
    """
    return ConfigBox("llama_3_1" if config is None else config)
