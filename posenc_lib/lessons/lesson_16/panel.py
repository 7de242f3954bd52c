"""`speak`: a panel where readers break the real model's positions and see what it says."""

import html
from collections.abc import Iterator

import ipywidgets as widgets

from posenc_lib.encodings.base import Encoding
from posenc_lib.encodings.pairing import PAIRINGS
from posenc_lib.encodings.parameter import Parameter, base_of, powers_of, seq_len_of
from posenc_lib.encodings.rope import SCALINGS
from posenc_lib.lessons.lesson_16 import real_model as real
from posenc_lib.lessons.lesson_16.pictures import WORDS_SAID
from posenc_lib.live.explorer import Explorer
from posenc_lib.live.page import Beside, Look, OnPage, close_all, message
from posenc_lib.spec import Spec
from posenc_lib.views.style import LOCK

STILL = "how many of the 32 pairs don't rotate, from the {} on"


class InModel(Encoding):
    """The positions of a model that reads a text of the reader's, at any setting."""

    name, title = "real_model", "SmolLM2-135M"
    words: str
    right = real.RIGHT
    parameters = (
        seq_len_of(2),
        base_of(real.RIGHT.base, low=1000),
        Parameter(
            "rope_type",
            "how frequencies are scaled for longer texts",
            "default",
            options=SCALINGS,
        ),
        powers_of("factor", "how many times longer texts may be", 4, 1, 32),
        Parameter("pairing", "which dims rotate together", "interleaved", options=PAIRINGS),
        Parameter(
            "reversed", "whether all pairs rotate the other way", False, options=(False, True)
        ),
        Parameter(
            "moved", "how far the whole text is moved", 0, 0, 8000, scale="whole", most=real.WIDEST
        ),
        Parameter("slow_still", STILL.format("slowest"), 0, 0, real.PAIRS, most=real.PAIRS),
        Parameter("fast_still", STILL.format("fastest"), 0, 0, real.PAIRS, most=real.PAIRS),
        Parameter("precision", "of positions", "exact", options=("exact", "bfloat16")),
    )

    @property
    def unused_now(self):
        return ("factor",) if self.rope_type == "default" else ()

    @property
    def how(self) -> real.Positions:
        """Return what's done to the positions."""
        values = dict(self.values)
        del values["seq_len"], values["reversed"]
        return real.Positions(**values, sign=-1 if self.reversed else 1)

    def reading(self, how: real.Positions) -> real.Reading:
        """Return what the model makes of the tokens read so far."""
        tokens, logits = real.computed(real.whole(self.words), how)
        if self.seq_len >= len(tokens):
            return real.read(self.words, **how._asdict())
        return real.reading(tokens[: self.seq_len], logits[: self.seq_len])

    def written(self, how: real.Positions):
        """Yield the words the model continues with."""
        yield from real.writing(real.whole(self.words), how, real.WRITTEN)


class Kept(InModel):
    """What's stored for the lesson's texts and settings, for readers without the model."""

    _texts, _settings = tuple(real.kept()["texts"]), tuple(real.SETTINGS)
    parameters = (
        seq_len_of(2),
        Parameter("text", "the text it read", 0, 0, len(_texts) - 1, names=_texts),
        Parameter(
            "setting", "what was done to the positions", 0, 0, len(_settings) - 1, names=_settings
        ),
    )
    unused_now = ()

    def describe(self, names):
        return super().describe(names - {"seq_len"})

    @property
    def how(self):
        return real.SETTINGS[self._settings[self.setting]]

    def reading(self, how):
        return real.read(self._texts[self.text], **how._asdict())

    def written(self, how):
        yield real.write_on(self._texts[self.text], **how._asdict())


class Speaking(OnPage):
    """A text, sliders, the likeliest next words, and a button to continue; `speak` makes it."""

    def __init__(self, text: str):
        self.live = real.model() is not None
        self.explorer: Explorer | None = None
        self._writes: Beside | None = None
        self._place = widgets.VBox()
        wide = widgets.Layout(width="min(100%, 760px)")
        self.field = widgets.Textarea(
            description="text", continuous_update=False, rows=3, layout=wide
        )
        self.bar = widgets.IntProgress(max=2 * real.WRITTEN, layout=widgets.Layout(width="200px"))
        self._news = widgets.HTML("" if self.live else message(real.GET, good=True))
        self._words = widgets.HTML()
        self.writes = self._button(
            "Continue", self.write, tooltip="twenty more words, as set and unbroken"
        )
        tools = widgets.HBox([self.writes, self.bar])
        parts = [self._news, self._place, tools, self._words]
        self.box = widgets.VBox([self.field, *parts] if self.live else parts)
        Look().dress(self.box)
        self.field.value = real.whole(text)
        self.read(text)
        self.field.observe(lambda change: self._asked(change["new"]), names="value")

    @property
    def text(self) -> str:
        """Return what's shown in words, the same with the model and without."""
        return self.explorer.sheet.seen

    def read(self, text: str) -> None:
        """Show what the model makes of a text, a stored one by name or any other; sliders stay."""
        if self.live:
            length = len(real.computed(real.whole(text), real.RIGHT)[0])
            read = Parameter(
                "seq_len", "how many tokens it has read", length, 2, length, most=real.LONGEST
            )
            look = {"words": text, "parameters": (read, *InModel.parameters[1:])}
            encoding = InModel(seq_len=length).named(InModel.name, InModel.title, **look)
            values, start = {p.name: list(p.options) for p in InModel.parameters if p.options}, None
            if self.explorer:
                start = {
                    name: value for name, value in self.explorer.values.items() if name != "seq_len"
                }
            made = Explorer(Spec((encoding,), WORDS_SAID, values), start)
        else:
            made = kept_panel(text)
        if self.explorer:
            self.explorer.close()
        self.explorer, self._place.children = made, [made.box]
        for slider in self.explorer.sliders.values():
            slider.observe(lambda _: self._unwrite(), names="value")

    def _unwrite(self) -> None:
        """Stop writing, and remove what was written at the old setting."""
        self._stop()
        self._words.value, self.bar.value = "", 0

    def _asked(self, text: str) -> None:
        """Read the reader's text; an error becomes a line, and the last text stays."""
        self._unwrite()
        with LOCK:
            if self._try(self.read, text):
                self._news.value = ""

    def _say(self, words: str, *, good: bool = True) -> None:
        self._news.value = message(f"{words}. The panel still shows your last text.", good=good)

    def write(self) -> None:
        """Start continuing the text in the background; moving a slider stops it."""
        self._stop()
        self.wait()
        self._writes = Beside(self._write(), self._failed)

    def wait(self) -> None:
        """Return when nothing is being written."""
        if self._writes:
            self._writes.wait()

    def _stop(self) -> None:
        if self._writes:
            self._writes.stop()

    def _write(self) -> Iterator[None]:
        """Continue the text, word by word."""
        (encoding,) = self.explorer.spec.encodings_at(self.explorer.values)
        self.bar.value, told = 0, {"as set": "", "unbroken": ""}
        yield
        for name, how in (("as set", encoding.how), ("unbroken", real.RIGHT)):
            for word in encoding.written(how):
                yield
                told[name] += word.replace("\n", "¶")
                self.bar.value += 1
                rows = (
                    f"<p><b>{name}</b> … {html.escape(said)}</p>" for name, said in told.items()
                )
                self._words.value = f'<div role="status">{"".join(rows)}</div>'
        self.bar.value = self.bar.max

    def close(self) -> None:
        """Stop writing and take the panel off the page."""
        self._stop()
        self.wait()
        close_all(self.box)

    def stored(self, words: str) -> tuple[dict, dict]:
        """Return the picture and some words as shown by a notebook without a kernel."""
        return self.explorer.stored(words)


def kept_panel(text: str = "house") -> Explorer:
    """Return an explorer of what's stored for the lesson's texts; it needs no model."""
    texts = list(real.kept()["texts"])
    start = {"text": texts.index(text)} if text in texts else None
    return Explorer(Spec((Kept(),), WORDS_SAID, {"seq_len": 2}), start)


def speak(text: str = "house") -> Speaking:
    """Return a panel of the real model, with a text and sliders for its positions.

    It shows perplexity and the ten likeliest next words, next to those of the unbroken model.
    Without the model, it shows what's stored for the lesson's texts and says how to get the model.

    Args:
        text: the first text, by name one of `kept()["texts"]`, or any other if the model is there.
    """
    return Speaking(text)
