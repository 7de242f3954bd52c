"""What a reader drags and answers: explorer, settings, picture and puzzles.

What happens when `base` moves in `explore("sinusoidal")`, with its three views. Files are in the
order they're entered (a test follows a slider to check):

    live/explorer.py      a slider has moved
    live/settings.py        the values of all sliders
    spec.py                 the encodings at these values, and how high each value can go
      encodings/base.py       Sinusoidal(base=500, …), made once
    live/settings.py        each slider ends where the other values require
    views/sheet.py          each view (view.py) of each encoding redraws
      views/pen.py            a frame begins; the view gets the values it asks for
      views/points.py, tables.py, scores.py
                              the encoding's numbers, from encodings/sinusoidal.py, frequencies.py
                              and validate.py; what you see, in words
      views/axes.py           limits, numbers and grid, redrawn only where they changed
      views/marks.py          the k-th mark of a kind is the k-th artist: only changes are set;
                              its colors are in style.py, its language in translation.py
    views/sheet.py          the frame: what moved, over saved pixels of the rest
      views/pixels.py         words are stamped, tables become pixels, pixels a PNG
    live/explorer.py      picture (picture.py) and words go to the page
"""
