"""A picture as a notebook shows and stores it, with what it shows in words."""

import base64
import html

from posenc_lib.views.style import small


def bundle(png: bytes, words: str, alt: str, width: int, *, light=True) -> tuple[dict, dict]:
    """Return data and metadata, as `_repr_mimebundle_` does, of a picture `width` px wide.

    Of all that an output holds a page shows one thing, so the HTML has both the picture, with an
    alt text, and the
    words: JupyterLab before anything is run and nbconvert show it. The bare picture is for printed
        pages.
    """
    picture = base64.b64encode(small(png)).decode()
    image = f'<img src="data:image/png;base64,{picture}" width="{width}" alt="{html.escape(alt)}">'
    if light:
        image = image[:-1] + ' class="posenc-light">'  # see look.css
    data = {
        "text/html": f"{image}\n<p>{html.escape(words)}</p>",
        "image/png": picture,
        "text/plain": words,
    }
    about = {"width": width, "alt": alt} | ({"needs_background": "light"} if light else {})
    return data, {"image/png": about}
