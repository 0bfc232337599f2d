"""Charts of results: chosen without a language model, checked when one wrote them, and drawn.

A chart is Vega-Lite without its data. `choice` makes one, `adjusting` makes it anew, `written` reads a model's,
`checking` decides what may be drawn, `drawing` puts the rows in, and `rendering` makes pictures.
"""
