"""A picture as a notebook shows and stores it."""

import base64
import html


def display_picture(png: bytes, words: str, alt: str, width: int, live: tuple[dict, dict] = ({}, {})) -> None:
    """Show a picture and, in an output of its own, the words below it.

    Pages without a kernel show one thing for each output: of a picture and words in one, only the picture. nbconvert
    takes the alt text from the metadata; JupyterLab has none for pictures, there the words say what is seen.

    Args:
        png: the picture's bytes.
        words: what it shows now.
        alt: what kind of picture it is.
        width: in pixels of a page.
        live: what a page with a kernel shows in place of the picture and of the words, as mimebundles.
    """
    from IPython.display import display  # only a notebook needs it

    picture = {"image/png": base64.b64encode(png).decode(), "text/plain": alt}
    display(live[0] | picture, metadata={"image/png": {"width": width, "alt": alt}}, raw=True)
    below = {"text/html": f"<p>{html.escape(words)}</p>", "text/plain": words}
    display(live[1] | below, raw=True)
