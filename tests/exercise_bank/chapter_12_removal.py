"""Answers to the exercises of chapter 12 on removal, as readers would write them."""

import numpy as np

# --- inside-silence ---


def mean_of_real(context, mask, head):
    kept = context[:, head] * mask[..., None].astype(context.dtype)
    return kept.sum(axis=(0, 1)) / context.dtype.type(mask.sum())


def silence_by_where(context, mask, head):
    chosen = (np.arange(context.shape[1]) == head)[:, None, None]
    return np.where(chosen, mean_of_real(context, mask, head), context)


def silence_by_copy(context, mask, head):
    result = np.array(context)
    result[:, head, :, :] = mean_of_real(context, mask, head)[None, None]
    return result


def silence_zero(context, mask, head):
    keep = (np.arange(context.shape[1]) != head)[:, None, None]
    return context * keep.astype(context.dtype)


def silence_padding(context, mask, head):
    result = np.array(context)
    result[:, head] = context[:, head].mean(axis=(0, 1))
    return result


def silence_each_text(context, mask, head):
    result = np.array(context)
    for text, kept in zip(result, mask, strict=True):
        text[head] = text[head, : kept.sum()].mean(axis=0)
    return result


def silence_scalar(context, mask, head):
    result = np.array(context)
    result[:, head] = mean_of_real(context, mask, head).mean()
    return result


def silence_every_head(context, mask, head):
    means = [mean_of_real(context, mask, k) for k in range(context.shape[1])]
    return np.broadcast_to(np.stack(means)[:, None], context.shape).copy()


def silence_in_place(context, mask, head):
    context[:, head] = mean_of_real(context, mask, head)
    return context


def silence_removed(context, mask, head):
    return np.delete(context, head, axis=1)


# --- inside-other-weights ---


def step(weights, direction, share=0.9):
    falling = direction < 0
    return weights + share * (weights / -direction)[falling].min() * direction


def other_by_projection(weights, value):
    table = np.hstack([value, np.ones((len(value), 1))])
    wish = np.cos(np.arange(len(weights)))
    return step(weights, wish - table @ np.linalg.lstsq(table, wish, rcond=None)[0])


def other_by_qr(weights, value):
    table = np.hstack([np.ones((len(value), 1)), value])
    full, _ = np.linalg.qr(table, mode="complete")
    return step(weights, full[:, table.shape[1]])


def other_without_sum(weights, value):
    wish = np.ones(len(weights))
    free = wish - value @ np.linalg.lstsq(value, wish, rcond=None)[0]
    return step(weights, -free, 0.6)


def other_negative(weights, value):
    table = np.hstack([np.ones((len(value), 1)), value])
    full, _ = np.linalg.qr(table, mode="complete")
    return step(weights, full[:, table.shape[1]], 20)


def other_identical(weights, value):
    return 1.0 * weights


def other_uniform(weights, value):
    return np.full(len(weights), 1 / len(weights))


def other_doubled(weights, value):
    return 2 * weights


def other_in_place(weights, value):
    weights += other_by_qr(weights, value) - weights
    return weights


def other_matrix(weights, value):
    return np.outer(weights, weights)


ANSWERS = {
    "inside-silence": {
        "right": [silence_by_where, silence_by_copy],
        "wrong": {
            "zeros": silence_zero,
            "padding": silence_padding,
            "text by text": silence_each_text,
            "one number": silence_scalar,
            "all heads": silence_every_head,
            "general: in place": silence_in_place,
            "general: the head is gone": silence_removed,
        },
    },
    "inside-other-weights": {
        "right": [other_by_projection, other_by_qr],
        "wrong": {
            "sum": other_without_sum,
            "too far": other_negative,
            "unchanged": other_identical,
            "general: in place": other_in_place,
            "context": other_uniform,
            "general: doubled": other_doubled,
            "general: a matrix": other_matrix,
        },
    },
}
