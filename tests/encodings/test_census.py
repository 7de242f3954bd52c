"""The census of transformers' implementations: its table holds together."""

import ast
import importlib.util
import itertools
import re
from pathlib import Path

import posenc_lib as pe

SPEC = importlib.util.spec_from_file_location("census", Path(__file__).with_name("census.py"))
counting = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(counting)

KINDS = pe.census()


def test_each_implementation_is_counted_once_for_each_of_its_kinds():
    assert KINDS.version == "5.23.0"
    assert len({name for each in KINDS.values() for name in each}) == KINDS.total > 500
    assert all(each == sorted(set(each)) for each in KINDS.values())
    others = {name for kind, each in KINDS.items() if kind != "none of these" for name in each}
    assert not others & set(KINDS["none of these"])


def test_what_is_known_otherwise_is_found():
    assert {"llama", "gptj", "qwen3", "esm"} <= set(KINDS["rotary"])
    assert KINDS["ALiBi"] == ["bloom", "falcon", "mpt"]
    assert "gpt_oss" in KINDS["learned sinks"]
    some = set(KINDS["some layers without RoPE"])
    assert {"smollm3", "exaone4", "cohere2"} <= some <= set(KINDS["rotary"])
    absent = "PoPE FoPE GRAPE PaTH CoPE KERPLE FIRE RePo DroPE".split()
    assert not any(KINDS[name] for name in absent)


def test_it_prints_a_table_of_what_people_use_and_what_no_one_does():
    head, first, second, *_, none, rest = repr(KINDS).splitlines()
    assert head == f"transformers 5.23.0, {KINDS.total} implementations"
    many = len(KINDS["rotary"])
    assert first == f" {many}  {100 * many / KINDS.total:.1f} %  rotary"
    assert second.endswith("learned or absolute table")
    assert none.split()[:3] == ["0", "PoPE,", "FoPE,"]
    assert rest.split()[0] == str(len(KINDS["none of these"]))
    assert list(KINDS.used.values()) == sorted(KINDS.used.values(), reverse=True)


def test_what_is_only_defined_is_not_counted():
    # these define apply_rotary_pos_emb, decorate with it and never call it
    idle = {"jamba", "nemotron_h", "parakeet", "nemotron_asr_streaming"}
    assert not idle & set(KINDS["rotary"])
    assert len(KINDS["rotary"]) == 204


def test_functions_and_classes_count_if_something_that_counts_names_them():
    # f1 calls f2, f2 calls f3, …; the model calls those of a subset
    names = [f"f{k}" for k in range(6)]
    for called in itertools.chain.from_iterable(
        itertools.combinations(range(6), n) for n in range(5)
    ):
        lines = [
            f"def f{k}(x):\n    return {f'f{k + 1}(x)' if k % 3 < 2 else 'x'}" for k in range(6)
        ]
        body = " + ".join([f"f{k}(x)" for k in called] or ["x"])
        lines += [f"class Model:\n    def forward(self, x):\n        return {body}"]
        lines += ["__all__ = ['Model']"]
        kept = {
            getattr(node, "name", "") for node in counting.used(ast.parse("\n".join(lines)).body)
        }
        reached = {f"f{j}" for k in called for j in range(k, 3 * (k // 3) + 3)}
        assert kept & set(names) == reached
        assert "Model" in kept


def test_a_decorator_that_is_given_a_function_does_not_call_it(tmp_path):
    for k, called in enumerate((True, False) * 25):
        lines = ["def apply_rotary(q):", "    return q", "@uses(apply_rotary)"]
        lines += [f"class Model{k}:", "    def forward(self, q):"]
        lines += [f"        return {'apply_rotary(q)' if called else 'q'}"]
        lines += [f"__all__ = ['Model{k}']"]
        path = tmp_path / f"modeling_{k}.py"
        path.write_text("\n".join(lines), encoding="utf-8")
        text = counting.code([path])
        assert (re.search(counting.KINDS["rotary"], text) is not None) == called
