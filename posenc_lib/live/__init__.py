"""Sliders move views: the explorer, its settings and its picture, the playground; and the puzzles.

What happens when `base` moves in `explore("sinusoidal")`, with its three views, in the order in
which files are entered (a test follows a slider and compares):

    live/explorer.py      a slider has moved
    live/settings.py        the values of all sliders
    spec.py                 the encodings at these values, and how high each value may go
      encodings/base.py       Sinusoidal(base=500, …), made once
    live/settings.py        each slider ends where the other values say it must
    views/sheet.py          each view (view.py) of each encoding draws again
      views/pen.py            a frame begins; the view is called with the values that it asks for
      views/points.py, tables.py, scores.py
                              the encoding's numbers, from encodings/sinusoidal.py, frequencies.py
                              and validate.py; what is seen, as a sentence
      views/axes.py           limits, numbers and grid, drawn again only where they changed
      views/marks.py          the k-th mark of a kind is the k-th artist: only what differs is set;
                              its colors are in style.py
    views/sheet.py          the frame: what moved, over the kept pixels of what didn't
      views/pixels.py         words are stamped, tables become pixels, and these a PNG
    live/explorer.py      picture (picture.py) and words go to the page
"""
