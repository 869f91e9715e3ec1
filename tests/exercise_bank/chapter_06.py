"""Answers to the exercises of chapter 6, as readers would write them."""

import numpy as np

# --- heads-where ---


def numbered(seq, d_model):
    return np.arange(seq * d_model).reshape(seq, d_model)


def where_by_looking(head, position, column, seq, d_model, n_heads):
    x = numbered(seq, d_model)
    right = x.reshape(seq, n_heads, -1).transpose(1, 0, 2)[head, position, column]
    bare = x.reshape(n_heads, seq, -1)[head, position, column]
    return divmod(right, d_model), divmod(bare, d_model)


def where_by_counting(head, position, column, seq, d_model, n_heads):
    width = d_model // n_heads
    before = head * seq * width + position * width + column
    return (position, head * width + column), (before // d_model, before % d_model)


def where_no_difference(head, position, column, seq, d_model, n_heads):
    pair = (position, head * (d_model // n_heads) + column)
    return pair, pair


def where_interleaved(head, position, column, seq, d_model, n_heads):
    bare = numbered(seq, d_model).reshape(n_heads, seq, -1)[head, position, column]
    return (position, head + n_heads * column), divmod(bare, d_model)


def where_reversed(head, position, column, seq, d_model, n_heads):
    right, bare = where_by_counting(head, position, column, seq, d_model, n_heads)
    return (right[1], right[0]), (bare[1], bare[0])


def where_narrow_rows(head, position, column, seq, d_model, n_heads):
    width = d_model // n_heads
    return (position, head * width + column), (head * seq + position, column)


def where_small_blocks(head, position, column, seq, d_model, n_heads):
    width = d_model // n_heads
    place = d_model * head + width * position + column
    return (position, head * width + column), (place // d_model, place % d_model)


def where_only_right(head, position, column, seq, d_model, n_heads):
    return position, head * (d_model // n_heads) + column


def where_swapped(head, position, column, seq, d_model, n_heads):
    return where_by_counting(head, position, column, seq, d_model, n_heads)[::-1]


def where_column_alone(head, position, column, seq, d_model, n_heads):
    bare = numbered(seq, d_model).reshape(n_heads, seq, -1)[head, position, column]
    return (position, column), divmod(bare, d_model)


# --- heads-interleaved ---


def blocks_by_slices(array, n_heads):
    return np.concatenate([array[..., h::n_heads] for h in range(n_heads)], axis=-1)


def blocks_by_index(array, n_heads):
    width = array.shape[-1] // n_heads
    order = [j * n_heads + h for h in range(n_heads) for j in range(width)]
    return array[..., order]


def blocks_backwards(array, n_heads):
    width = array.shape[-1] // n_heads
    return np.concatenate([array[..., j::width] for j in range(width)], axis=-1)


def blocks_of_rows(array, n_heads):
    return np.concatenate([array[h::n_heads] for h in range(n_heads)], axis=0)


def blocks_last_first(array, n_heads):
    order = reversed(range(n_heads))
    return np.concatenate([array[..., h::n_heads] for h in order], axis=-1)


def blocks_unmoved(array, n_heads):
    return array.copy()


def blocks_with_heads_axis(array, n_heads):
    return np.stack([array[..., h::n_heads] for h in range(n_heads)], axis=-2)


def blocks_sorted(array, n_heads):
    return np.sort(blocks_by_slices(array, n_heads)[..., ::-1] * -1, axis=-1)


def blocks_of_one_head(array, n_heads):
    return array[..., ::n_heads]


ANSWERS = {
    "heads-where": {
        "right": [where_by_looking, where_by_counting],
        "wrong": {
            "same for both": where_no_difference,
            "dealt like cards": where_interleaved,
            "feature first": where_reversed,
            "rows too short": where_narrow_rows,
            "blocks too small": where_small_blocks,
            "general: one pair": where_only_right,
            "general: pairs in the wrong order": where_swapped,
            "general: forgets where the head begins": where_column_alone,
        },
    },
    "heads-interleaved": {
        "right": [blocks_by_slices, blocks_by_index],
        "wrong": {
            "other way": blocks_backwards,
            "rows": blocks_of_rows,
            "reversed": blocks_last_first,
            "nothing moved": blocks_unmoved,
            "general: an axis of heads": blocks_with_heads_axis,
            "general: sorts": blocks_sorted,
            "general: the first head alone": blocks_of_one_head,
        },
    },
}
