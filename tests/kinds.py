"""Encodings that tests of views draw: all in the catalog, and the trained table of a lesson."""

from posenc_lib.encodings.catalog import ELSEWHERE, ENCODINGS, KNOWN

KINDS = ENCODINGS | ELSEWHERE | {"trained_rows": KNOWN.load()["trained_rows"]}
