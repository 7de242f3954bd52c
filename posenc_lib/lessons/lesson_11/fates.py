"""What a model's config.json does to each pair, in numbers and in sentences."""

import math
from collections.abc import Collection
from typing import Any, NamedTuple

import numpy as np

from posenc_lib.encodings import validate
from posenc_lib.encodings.models import (
    UNSCALED,
    kind_of,
    neighbors,
    trained_on,
    turning_layers,
    without_scaling,
)
from posenc_lib.encodings.rope_config import (
    WITHOUT_ATTENTION,
    LayerType,
    families,
    family,
    language_model,
    layers_of,
    stated,
    text_part,
    window_of,
)
from posenc_lib.encodings.rope_scaling import LARGEST
from posenc_lib.encodings.temperature import attention_temperature

# keys about lengths, and about what else attention does
UNMOVED = {"original_max_position_embeddings", "mscale_all_dim", "llama_4_scaling_beta"}
NOISE = 1e-9  # of a quotient of two frequencies
MOST = 1e300  # of a number that's halved to see whether it matters
LAST = 131_071  # a position far back in a long text


class Fate(NamedTuple):
    """What happens to the pairs in one type of layer."""

    layer: str
    numbers: tuple[int, ...]  # which layers, from 0; none if the config doesn't say
    rope_type: str
    base: float
    factor: float
    length: int  # how many positions it was trained on, as far as the config says
    pairs: int  # how many rotate
    still: int  # how many stand still
    kept: int  # how many rotate as in training,
    between: int  # slower,
    divided: int  # `factor` times slower,
    faster: int  # and faster
    attention_factor: float  # of queries and keys; scores grow by its square
    unseen: int  # how many pairs meet angles in a longer text that they never had in training
    reach: float  # the longest text in which none does; can be math.inf
    slowest: float  # how many positions the slowest rotating pair needs for a turn
    window: int | None  # how many tokens such a layer looks back, if it's limited
    changed: int  # how many frequencies change from `length` to one token more,
    most: float  # and by how much at most

    @property
    def cliff(self) -> int | None:
        """The length of text past which frequencies change, if there is one."""
        return self.length if self.changed else None


def fates(config: dict[str, Any], times: float = 4) -> list[Fate]:
    """Return what a config.json does to each pair, for each type of layer that rotates.

    A pair that doesn't complete a turn in training only has angles up to length·θ there. Any other
    pair has all of them.

    >>> from posenc_lib.encodings.models import model_config
    >>> [llama] = fates(model_config("llama_3_1"))
    >>> llama.kept, llama.between, llama.divided, llama.unseen, llama.reach
    (29, 6, 29, 0, 65536.0)

    Args: config is as in `rope_from_config`. times is how many training lengths the longer text
        has, at least 1.
    """
    times, said = validate.real("times", times, above=0), text_part(config)
    return [_fate(name, one, said, times) for name, one in turning_layers(config).items()]


def _fate(name: str, asked: LayerType, said: dict, times: float) -> Fate:
    length, given = trained_on(asked), asked.parameters or {}
    before, _ = without_scaling(asked).scaled()
    after, attention_factor = asked.scaled(seq_len=int(times * length))
    turning, kind = before > 0, kind_of(asked)
    # partial_rotary_factor leaves some out
    still = max(asked.head_dim // 2, len(turning)) - int(turning.sum())
    slower = before[turning] / after[turning]
    factor = 1.0
    if kind != "default":
        factor = given.get("factor") or (asked.longest or length) / length
    faster = int((slower < 1 - NOISE).sum())
    kept = int((slower < 1 + NOISE).sum()) - faster
    divided = int((slower > factor * (1 - NOISE)).sum()) if factor > 1 else 0
    window = asked.window
    new = (before[turning] * length < 2 * np.pi) & (window is None or window > length)
    last, next_one = (asked.scaled(seq_len=n)[0][turning] for n in (length, length + 1))
    jump = np.maximum(last / next_one, next_one / last)
    return Fate(
        layer=name,
        numbers=asked.numbers,
        rope_type=kind,
        base=float(given.get("rope_theta", 10_000.0)),
        factor=float(factor),
        length=length,
        pairs=int(turning.sum()),
        still=still,
        kept=kept,
        between=len(slower) - kept - divided - faster,
        divided=divided,
        faster=faster,
        attention_factor=attention_factor,
        unseen=int((new & (slower < times * (1 - NOISE))).sum()),
        reach=float((length * slower[new]).min(initial=math.inf)),
        slowest=float(2 * np.pi / after[turning].min()),
        window=window,
        changed=int((jump > 1 + NOISE).sum()),
        most=float(jump.max()),
    )


def assumed(config: dict[str, Any]) -> dict[str, Any]:
    """Return the values about positions that a config leaves to its model_type's class."""
    given, row = stated(config)
    silent, inner = row.get("silent", {}), given.get("rope_parameters") or {}
    heads = row.get("heads", ["head_dim"])
    if not any(key in silent or key in given for key in heads):
        heads = ["hidden_size", "num_attention_heads"]
    heads = [] if any(key in given for key in heads) and len(heads) == 1 else heads[:2]
    bases = sorted(
        str(one.get("theta", "rope_theta"))
        for kind, one in row.get("types", {}).items()
        if "rope_theta" not in (inner.get(one.get("label", kind)) or {})
    )
    keys = [*(bases or ["rope_theta"]), "rope_parameters", *heads, "max_position_embeddings"]
    nested = any(isinstance(value, dict) for value in inner.values())
    known = {"rope_theta", "rope_parameters"} if nested else {*inner, *given}
    left = {key: silent.get(key) for key in keys if key not in known and given.get(key) is None}
    if inner or (isinstance(left.get("rope_parameters"), dict) and "rope_theta" in given):
        left.pop("rope_parameters", None)
    return {key: value for key, value in left.items() if value is not None}


def idle_keys(config: dict[str, Any]) -> list[str]:
    """Return the numbers about RoPE in a config that change no frequency."""
    part, before = language_model(config), _turned(config)
    inner = part.get("rope_scaling") or part.get("rope_parameters") or {}
    places = [(part, key) for key in ("rope_theta", "partial_rotary_factor") if key in part]
    places += [(inner, key) for key in inner if key not in UNMOVED]
    idle = []
    for place, key in places:
        if type(place[key]) not in (int, float) or abs(place[key]) > MOST:
            continue
        other = place | {key: place[key] / 2}
        if place is inner:
            name = "rope_scaling" if part.get("rope_scaling") else "rope_parameters"
            other = part | {name: other}
        try:
            after = _turned(other)
        except (TypeError, ValueError):
            continue  # half of it isn't allowed, so it matters
        if after == before:
            idle.append(key)
    return list(dict.fromkeys(idle))


def _turned(config: dict[str, Any]) -> list:
    """Return how all layers rotate, in short and long texts, in a form to compare."""
    found = [layer for layer in layers_of(config).values() if layer.parameters is not None]
    each = [layer.scaled(seq_len=n) for layer in found for n in (1, 2**40)]
    return [(theta.tolist(), factor) for theta, factor in each]


def told(config: dict[str, Any], times: float = 4, guessed: Collection[str] = ()) -> list[str]:
    """Return what a config.json means for longer texts, in sentences; see `fates`.

    guessed has the keys that weren't in it but were assumed.
    """
    said, found = text_part(config), fates(config, times)
    alike: dict[tuple, list[Fate]] = {}
    for one in found:  # one sentence for layers that differ only in name
        alike.setdefault(one[2:13], []).append(one)
    sentences = [_length(config, guessed), *_uneven(said)]
    for each in alike.values():
        sentences.append(_pairs(each, said, times))
        sentences += _beyond(each, times)
    sentences += [_temperature(config, found, said), *_swapped(config), *_cliff(found)]
    sentences += _idle(config) + _other_parts(config)
    return [*sentences, *_still_layers(config, said), *_beside(found, said)]


def _length(config: dict, guessed: Collection[str]) -> str:
    each = list(turning_layers(config).values())
    one = next((one for one in each if kind_of(one) not in UNSCALED), each[0])
    length, given, silent = trained_on(one), one.parameters or {}, assumed(config)
    scaled, factor = kind_of(one) not in (*UNSCALED, "dynamic"), given.get("factor")
    lacking = [_shown(key, value) for key, value in silent.items()]
    known = (
        f" The config leaves out {validate.listed(lacking)}, so its class decides."
        if lacking
        else ""
    )
    if scaled and "original_max_position_embeddings" in given:
        text = f"The config gives {length:,} tokens as the length before scaling"
        if "original_max_position_embeddings" in silent.get("rope_parameters", {}):
            text = f"Its class gives {length:,} tokens as the length before scaling"
        if one.longest:
            text += f", and max_position_embeddings is {one.longest:,}"
        return f"{text}. It doesn't say whether training on longer texts followed.{known}"
    source = "far as the config says"
    if "max_position_embeddings" in silent:
        source = "its class assumes"
    if "max_position_embeddings" in guessed:
        source = "assumed here"
    text = f"Its training length is {length:,}, as {source} (max_position_embeddings)"
    if not scaled or not isinstance(factor, int | float) or factor <= 1:
        return f"{text}.{known}"
    before = f"it was {length / factor:,.0f} before. Then divide the lengths below by {factor:g}"
    return f"{text}. If that already includes the factor {factor:g}, {before}.{known}"


def _uneven(said: dict) -> list[str]:
    """Say that hidden_size doesn't come out even, if it's what gives the dims of a head."""
    row = family(said)
    dims, heads = said.get("hidden_size"), said.get("num_attention_heads")
    given = {"head_dim", "rotary_dim", "qk_rope_head_dim", *row.get("heads", ())} & said.keys()
    if given or not dims or row.get("times", 1) * dims % heads == 0:
        return []
    left = f"hidden_size {dims:,} can't be divided evenly among {heads} heads"
    return [f"{left}, so a head's dims are rounded down. Is head_dim missing?"]


def _shown(key: str, value: object) -> str:
    if isinstance(value, dict):
        return f"{key} of type {value.get('rope_type') or value.get('type') or 'default'}"
    return f"{key} ({value:,.0f})"


def _swapped(config: dict) -> list[str]:
    """Say which values look swapped."""
    sentences = []
    for one in turning_layers(config).values():
        given = one.parameters or {}
        short, long = given.get("short_factor"), given.get("long_factor")
        if kind_of(one) == "longrope" and short and long and sum(short) > sum(long):
            sentences.append("short_factor slows more than long_factor. Are they swapped?")
        original = given.get("original_max_position_embeddings")
        if isinstance(original, int | float) and one.longest and original > one.longest:
            lengths = f"{original:,} is more than max_position_embeddings, {one.longest:,}"
            sentences.append(f"original_max_position_embeddings {lengths}. Are they swapped?")
    return list(dict.fromkeys(sentences))


def _other_parts(config: dict) -> list[str]:
    """Say which part of a model with several parts this is about."""
    part = families().get(config.get("model_type", ""), {}).get("part", "")
    if part not in ("global_config", "decoder_config", "decoder"):
        return []
    return [f"This is about its {part}. Pass any other part by itself, with a model_type."]


def _idle(config: dict) -> list[str]:
    """Say which numbers in a config change nothing, found by changing them."""
    idle = idle_keys(config)
    if not idle:
        return []
    if len(idle) == 1:
        return [f"{idle[0]} changes nothing here. Its code doesn't use it."]
    return [f"{validate.listed(idle)} change nothing here. Its code doesn't use them."]


def _names(each: list[Fate], said: dict) -> str:
    """Return the names of these layers, and how many there are."""
    names = " and ".join(one.layer.replace("_", " ") for one in each)
    numbers, many = sum(len(one.numbers) for one in each), said.get("num_hidden_layers")
    counted = f" ({numbers} of {many} layers)" if numbers and many else ""
    return f"{names[0].upper()}{names[1:]}{counted}"


def _rounded(count: float) -> str:
    """Return a large number the way people say it: 67 million."""
    size, name = (1e9, "billion") if count >= 1e9 else (1e6, "million")
    return f"{count:,.0f}" if count < 1e6 else f"{float(f'{count / size:.2g}'):,g} {name}"


def _pairs(each: list[Fate], said: dict, times: float) -> str:
    one = each[0]
    rotate = f"All {one.pairs} pairs rotate"
    if one.still:
        rotate = f"{one.pairs} of {one.pairs + one.still} pairs rotate"
    kind = f"{_names(each, said)}: type {one.rope_type}, base {one.base:,.0f}"
    text = f"{kind}. {rotate}, and the slowest needs {_rounded(one.slowest)} tokens for a turn"
    if one.kept == one.pairs:
        return f"{text}. None is slowed."
    if one.rope_type in ("longrope", "dynamic"):
        longer = "In longer texts, each pair is slowed by a different factor"
        return f"{text}, in a text of {times * one.length:,.0f}. {longer}."
    if one.faster:
        slowed = f"slowed: {one.between + one.divided}"
        return f"{text}. Sped up: {one.faster}, kept: {one.kept}, {slowed}."
    slowed = f"slowed by a factor of {one.factor:g}: {one.divided}"
    return f"{text}. Kept: {one.kept}, in between: {one.between}, {slowed}."


def _beyond(each: list[Fate], times: float) -> list[str]:
    """Say which angles a longer text adds. With a short window, it adds none."""
    near = [one for one in each if one.window is not None and one.window <= one.length]
    sentences = []
    for one in near:
        window = f"{one.layer.replace('_', ' ').capitalize()} has a window of {one.window:,} tokens"
        sentences.append(f"{window}, so long texts add no new angles there.")
    far = [one for one in each if one not in near]
    if far:
        sentences.append(_unseen(far[0], times))
    return sentences


def _unseen(one: Fate, times: float) -> str:
    at = f"At {times:g} times the training length, {int(times * one.length):,} tokens,"
    first = "Every pair completed a turn in training"
    if one.reach < math.inf:
        first = f"New angles start past {one.reach:,.0f}"
    if one.rope_type == "longrope":
        first += ", if training was unscaled"
    if not one.unseen:
        return f"{at} no pair meets an angle it never had in training. {first}."
    return (
        f"{at} {one.unseen} pairs meet angles they never had in training. {first}. "
        "Scale the frequencies before you go there, "
        "and test whether the model can still find words far back (lesson 10)."
    )


def _temperature(config: dict, found: list[Fate], said: dict) -> str:
    most = max(one.attention_factor for one in found)
    text = "attention_factor is 1, so it doesn't change scores."
    if {one.attention_factor for one in found} != {1.0}:
        scores = f"scores grow by its square, {most * most:.3f}"
        text = f"attention_factor {most:.3f} multiplies queries and keys, so {scores}."
    if "mscale" not in family(said).get("also", ()):
        return text
    for one in turning_layers(config).values():
        given = one.parameters or {}
        asked, factor = given.get("mscale_all_dim"), given.get("factor")
        if kind_of(one) == "default" or not (asked and factor):
            continue
        asked = validate.real("rope_parameters['mscale_all_dim']", asked, high=LARGEST)
        # its square, which may be too large for a power
        sharper = 0.1 * asked * math.log(max(factor, 1.0)) + 1
        told = f"{sharper * sharper:.3f}, for mscale_all_dim"
        maker = "DeepSeek" if said["model_type"].startswith("deepseek") else said["model_type"]
        return f"{text} {maker}'s own attention code also multiplies scores by {told}."
    return text


def _cliff(found: list[Fate]) -> list[str]:
    one = next((one for one in found if one.cliff), None)
    if one is None:
        return []
    if one.rope_type == "dynamic":
        text = f"Past {one.cliff:,} tokens, each length has its own frequencies"
        return [f"{text}, so keys cached earlier don't fit."]
    jump = f"{one.changed} of {one.pairs} frequencies change at once, by up to {one.most:.1f} times"
    text = f"From {one.cliff:,} to {one.cliff + 1:,} tokens, {jump}"
    return [f"{text}. Keys cached earlier no longer fit, so recompute them."]


def _grown(**how) -> str:
    return f"{attention_temperature([LAST], **how)[0]:.3f} times at {LAST:,}"


def _still_layers(config: dict, said: dict) -> list[str]:
    """Say which layers don't rotate, and which have no attention at all."""
    still: dict[str, list[int]] = {"RoPE": [], "attention": []}
    for name, one in layers_of(config).items():
        if one.parameters is None:
            still["attention" if name in WITHOUT_ATTENTION else "RoPE"] += one.numbers
    marks = (
        ". In no_rope_layers, a 1 means RoPE and a 0 means none"
        if said.get("no_rope_layers")
        else ""
    )
    if said.get("attn_temperature_tuning") and said.get("floor_scale") and said.get("attn_scale"):
        grown = _grown(floor_scale=said["floor_scale"], attn_scale=said["attn_scale"])
        marks += f". Queries there grow with their position, {grown}"
    beside = {"RoPE": marks, "attention": ". They know the order from reading token by token"}
    sentences = []
    for what, numbers in still.items():
        if not numbers:
            continue
        first = [*sorted(numbers)[:3], "…"] if len(numbers) > 4 else sorted(numbers)
        some = ", ".join(map(str, first))
        many = f"{len(numbers)} layers have" if len(numbers) > 1 else "One layer has"
        sentences.append(f"{many} no {what} (numbers {some}, from 0){beside[what]}.")
    return sentences


def _beside(found: list[Fate], said: dict) -> list[str]:
    """Say what else matters for positions, with the lesson that shows it."""
    given, window = said.get("rope_parameters") or {}, window_of(said)
    also = family(said).get("also", ())
    each = [one for one in (given, *given.values()) if isinstance(one, dict)]
    sentences = []
    if neighbors(said):
        order = "rope_interleave" if said.get("rope_interleave") else "rope_gptj"
        halves = "Code with half pairing must reorder them first (lesson 09)"
        sentences.append(f"{order}: dims (0, 1), (2, 3), … form pairs. {halves}.")
    if "mla" in also:
        kept = "the others"
        if "qk_nope_head_dim" in said:
            kept = f"{said['qk_nope_head_dim']} others in each head"
        rotate = f"{said.get('qk_rope_head_dim')} dims rotate, separate from {kept}"
        never = "which hold content and never rotate"
        sentences.append(f"Its attention is MLA: {rotate}, {never} (FAQ 16).")
    if "qk_norm" in also:
        when = "in some code before rotating and in some after"
        sentences.append(f"Queries and keys are scaled to one size (QK-norm), {when} (FAQ 14).")
    if "sinks" in also:
        sentences.append(
            "Each head has a learned sink, a score without a token, which takes attention (FAQ 17)."
        )
    betas = [one["llama_4_scaling_beta"] for one in each if one.get("llama_4_scaling_beta")]
    if betas:
        floor = given.get("original_max_position_embeddings") or said.get("max_position_embeddings")
        grown = _grown(floor_scale=floor, attn_scale=betas[0], ahead=0)
        how = f"queries grow with their position, {grown} (lesson 10)"
        sentences.append(f"llama_4_scaling_beta {betas[0]:g}: {how}.")
    limited = any(one.window for one in found)
    known = limited or "slides" in family(said)
    if window and not known and said.get("use_sliding_window", True):
        which = "but the config doesn't say in which layers"
        where = "In layers that look no farther back, long texts add no new angles"
        sentences.append(f"sliding_window is {window:,}, {which}. {where}.")
    if any(one.get("mrope_section") for one in each):
        pictures = "some pairs follow the height and width of pictures"
        sentences.append(f"mrope_section: {pictures}. This is about text alone (lesson 15).")
    return sentences
