"""Exercises of chapter 6, heads; `chapter_06_remove` and `_law` have two more."""

import numpy as np

from bertbook.exercises import Exercise, Mistake, register

# --- Where a number comes from ---


def trace_back(head, position, column, seq, d_model, n_heads):
    """Return token and feature, after a right split and after a bare reshape."""
    head_dim = d_model // n_heads
    right = (position, head * head_dim + column)
    place = (head * seq + position) * head_dim + column
    return right, divmod(place, d_model)


def same_for_both(head, position, column, seq, d_model, n_heads):
    """Believe that a reshape does the same as a split."""
    right, _ = trace_back(head, position, column, seq, d_model, n_heads)
    return right, right


def dealt_like_cards(head, position, column, seq, d_model, n_heads):
    """Let the heads take turns in picking features."""
    _, bare = trace_back(head, position, column, seq, d_model, n_heads)
    return (position, column * n_heads + head), bare


def feature_first(head, position, column, seq, d_model, n_heads):
    """Name the feature before the token."""
    pairs = trace_back(head, position, column, seq, d_model, n_heads)
    return tuple(pair[::-1] for pair in pairs)


def rows_of_head_dim(head, position, column, seq, d_model, n_heads):
    """Divide by the width of a head where the rows are d_model wide."""
    head_dim = d_model // n_heads
    right, _ = trace_back(head, position, column, seq, d_model, n_heads)
    return right, divmod((head * seq + position) * head_dim + column, head_dim)


def blocks_of_d_model(head, position, column, seq, d_model, n_heads):
    """Step over whole tokens from head to head."""
    head_dim = d_model // n_heads
    right, _ = trace_back(head, position, column, seq, d_model, n_heads)
    return right, divmod(head * d_model + position * head_dim + column, d_model)


register(
    Exercise(
        name="heads-where",
        question="From which token and feature does a number of a head come?",
        solution=trace_back,
        cases=[
            (0, 1, 1, 3, 4, 2),
            (1, 0, 0, 3, 4, 2),
            (1, 2, 1, 3, 4, 2),
            (1, 4, 3, 7, 12, 3),
            (7, 100, 33, 128, 768, 12),
            (0, 5, 7, 9, 8, 1),
        ],
        mistakes=[
            Mistake(
                "same for both",
                "the first pair is right, but a bare reshape does not give the same. "
                "It fills the new array number by number, in the order of memory.",
                same_for_both,
            ),
            Mistake(
                "dealt like cards",
                "the second pair is right. In the first, each head gets a block of "
                "neighbouring features: they are not dealt out in turn.",
                dealt_like_cards,
            ),
            Mistake(
                "feature first",
                "the numbers are right, their order is not: token, then feature.",
                feature_first,
            ),
            Mistake(
                "rows too short",
                "the first pair is right. In the second you count the place in memory "
                "correctly, but one token takes d_model numbers there.",
                rows_of_head_dim,
            ),
            Mistake(
                "blocks too small",
                "the first pair is right. In the second, how many numbers does a bare "
                "reshape put into head 0 before it goes on to head 1?",
                blocks_of_d_model,
            ),
        ],
        praise="the bare reshape sends one token to several positions of one head.",
    )
)


# --- Features that were dealt out to the heads in turn ---


def to_blocks(array, n_heads):
    """Reorder the last axis so that each head has a block of neighbours."""
    head_dim = array.shape[-1] // n_heads
    apart = array.reshape(*array.shape[:-1], head_dim, n_heads)
    return apart.swapaxes(-1, -2).reshape(array.shape)


def to_turns(array, n_heads):
    """Go the other way."""
    return to_blocks(array, array.shape[-1] // n_heads)


def by_rows(array, n_heads):
    """Reorder the first axis."""
    return to_blocks(array.T, n_heads).T


def heads_reversed(array, n_heads):
    """Put the last head first."""
    blocks = to_blocks(array, n_heads)
    apart = blocks.reshape(*array.shape[:-1], n_heads, -1)
    return apart[..., ::-1, :].reshape(array.shape)


def no_reordering(array, n_heads):
    """Reshape there and back, which moves nothing."""
    return array.reshape(*array.shape[:-1], n_heads, -1).reshape(array.shape)


register(
    Exercise(
        name="heads-interleaved",
        question="Bring features that were dealt out in turn into blocks.",
        solution=to_blocks,
        cases=[
            (np.arange(36.0).reshape(3, 12), 3),
            (np.arange(36, dtype=np.float32).reshape(6, 6), 2),
            (np.arange(8.0), 4),
            (np.arange(48.0).reshape(12, 4), 1),
            (np.arange(32.0).reshape(2, 2, 8), 2),
        ],
        mistakes=[
            Mistake(
                "other way",
                "you go the other way, from blocks to turns: the axis that changes "
                "fastest is the one of the heads.",
                to_turns,
            ),
            Mistake(
                "rows",
                "you reorder the first axis. The features that come out of a linear "
                "layer are the last one.",
                by_rows,
            ),
            Mistake(
                "reversed",
                "the blocks are right, their order is not: head 0 comes first.",
                heads_reversed,
            ),
            Mistake(
                "nothing moved",
                "a reshape there and back moves nothing. Between the two, two axes "
                "have to change places.",
                no_reordering,
            ),
        ],
        praise="reshape, swap, reshape: split and merge with the axes in other hands.",
    )
)
