"""The census of transformers' implementations: its table holds together."""

import posenc_lib as pe

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
