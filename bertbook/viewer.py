"""The attention viewer: point at a token and see where each head looks from there.

Plain HTML, SVG and a short script; nothing is loaded from anywhere. Without scripts
the first token's picture and the table remain.
"""

import html
import re

import numpy as np

from bertbook.tables import Table
from bertbook.viewer_page import HINTS, SCRIPT, STYLE

ROW = 28  # height of one token in pixels


class AttentionViewer:
    """Attention weights that a notebook shows as an interactive picture.

    Parameters
    ----------
    tokens : list of str
        The tokens, in order.
    weights : ndarray of shape (n_layers, n_heads, seq, seq)
        Row `i` of a head is where token `i` looks.
    name : str
        Used for the ids in the page.
    caption : str
        What the picture shows.
    """

    def __init__(self, tokens, weights, name, caption):
        self.tokens = tokens
        self.weights = weights
        self.name = name
        self.caption = caption

    def __repr__(self):
        """Return the weights of the first layer, averaged over heads, as text."""
        table = self._mean_table()
        table.caption = f"{self.caption} ({table.caption})"
        return repr(table)

    def _repr_html_(self):
        """Return the viewer as HTML."""
        caption = html.escape(self.caption)
        return "\n".join(
            [
                f'<div class="attention-viewer" id="{self.name}" role="group" '
                f'aria-label="{caption}">',
                f"<style>{STYLE}</style>",
                f'<p class="av-caption">{caption}</p>',
                self._choices(),
                '<div class="av-picture">',
                *(self._queries(), self._lines(), self._keys()),
                "</div>",
                HINTS,
                "<details><summary>The weights as a table</summary>",
                f'<div class="av-table" tabindex="0" role="region" '
                f'aria-label="{caption}: table">',
                self._mean_table()._repr_html_(),
                "</div></details>",
                f"<script>{self._script()}</script>",
                "</div>",
            ]
        )

    def _choices(self):
        """Return the choice of the layer (if there are several) and of the head."""
        n_layers, n_heads = self.weights.shape[:2]
        heads = [("-1", f"all {n_heads} heads")]
        heads += [(str(h), f"head {h}") for h in range(n_heads)]
        layers = [(str(layer), f"layer {layer}") for layer in range(n_layers)]
        chosen = _select("av-layer", "Layer", layers) if n_layers > 1 else ""
        return f'<p class="av-choices">{chosen}{_select("av-head", "Head", heads)}</p>'

    def _queries(self):
        """Return the tokens that look: a tool bar of buttons with one tab stop."""
        buttons = [
            f'<button type="button" tabindex="{0 if k == 0 else -1}" '
            f'aria-pressed="{"true" if k == 0 else "false"}">'
            f"{html.escape(token)}</button>"
            for k, token in enumerate(self.tokens)
        ]
        return (
            '<div class="av-queries" role="toolbar" aria-orientation="vertical" '
            'aria-label="the token that looks">' + "".join(buttons) + "</div>"
        )

    def _lines(self):
        """Return the lines from the first token to all tokens."""
        seq = len(self.tokens)
        weights = self.weights[0, :, 0].mean(axis=0)
        lines = [
            f'<line x1="0" y1="{ROW // 2}" x2="100" y2="{ROW * k + ROW // 2}" '
            f'opacity="{weight:.3f}"/>'
            for k, weight in enumerate(weights)
        ]
        return (
            f'<svg viewBox="0 0 100 {ROW * seq}" preserveAspectRatio="none" '
            f'style="height:{ROW * seq}px" aria-hidden="true">{"".join(lines)}</svg>'
        )

    def _keys(self):
        """Return the tokens looked at, each with one square per head."""
        rows = []
        for k, token in enumerate(self.tokens):
            squares = "".join(
                f'<i style="opacity:{weight:.3f}"></i>'
                for weight in self.weights[0, :, 0, k]
            )
            rows.append(
                f'<div><span class="av-squares">{squares}</span>'
                f"<span>{html.escape(token)}</span></div>"
            )
        return f'<div class="av-keys" aria-hidden="true">{"".join(rows)}</div>'

    def _mean_table(self):
        """Return the weights of the first layer, averaged over its heads."""
        caption = "rows look at columns; mean of the heads"
        if len(self.weights) > 1:
            caption += " of layer 0"
        rows = [
            [token, *(f"{weight:.3f}" for weight in row)]
            for token, row in zip(
                self.tokens, self.weights[0].mean(axis=0), strict=True
            )
        ]
        return Table(caption, ["token", *self.tokens], rows)

    def _script(self):
        """Return the script, with the weights as nested lists of three decimals."""
        data = np.array2string(
            self.weights,
            separator=",",
            threshold=self.weights.size + 1,
            formatter={"float_kind": lambda w: f"{w:.3f}".removeprefix("0")},
        )
        return SCRIPT.replace("ROOT", f'"{self.name}"').replace(
            "WEIGHTS", re.sub(r"\s+", "", data)
        )


def _select(css_class, label, options):
    """Return a labelled choice; the label is the element around it."""
    items = "".join(f'<option value="{v}">{text}</option>' for v, text in options)
    return f'<label>{label} <select class="{css_class}">{items}</select></label> '


def attention_viewer(tokens, attentions, *, name, caption="Where each token looks"):
    """Return a picture of attention weights that answers to pointer and keyboard.

    Parameters
    ----------
    tokens : sequence of str
        The tokens, of length seq.
    attentions : ndarray of shape (n_heads, seq, seq), or a sequence of such arrays
        Weights of one layer, or of several. A batch axis of length 1 is dropped, so
        ``output["attentions"]`` of one text can be given as it is.
    name : str
        Id of the viewer in the page: letters, digits and hyphens, unique on the page.
    caption : str, optional
        What the picture shows, also read out by screen readers.

    Returns
    -------
    AttentionViewer
        Shown by Jupyter as HTML, elsewhere as a table in text.

    Raises
    ------
    ValueError
        If the shapes do not fit the tokens, a weight is NaN or infinite, or the name
        cannot be an id.
    """
    tokens = [str(token) for token in tokens]
    if not re.fullmatch(r"[A-Za-z][A-Za-z0-9-]*", name):
        raise ValueError(
            f"got the name {name!r}, expected letters, digits and hyphens, beginning "
            "with a letter, since it becomes an id in the page"
        )
    weights = np.asarray(attentions)
    if isinstance(attentions, np.ndarray) and weights.ndim == 3:
        weights = weights[None]  # (n_heads, seq, seq) -> (1, n_heads, seq, seq)
    if weights.ndim == 5 and weights.shape[1] == 1:
        weights = weights[:, 0]  # (n_layers, 1, ...) -> (n_layers, ...)
    if weights.ndim != 4 or weights.shape[2:] != (len(tokens), len(tokens)):
        raise ValueError(
            f"got attention weights of shape {np.shape(attentions)} for {len(tokens)} "
            "tokens, expected (n_heads, seq, seq) or a sequence of these, one per layer"
        )
    if not np.isfinite(weights).all():
        raise ValueError(
            "got attention weights with NaN or infinity among them, expected numbers "
            "from 0 to 1; look for a mask that adds 0 * -inf"
        )
    return AttentionViewer(tokens, weights, name, caption)
