"""Answers to the exercises of chapter 9, as readers would give them."""

import numpy as np

# --- encoder-count-shared ---


def shared_by_listing(vocab_size, max_position, n_layers, d_model, d_ff, d_embedding):
    shapes = [(vocab_size, d_embedding), (max_position, d_embedding), (2, d_embedding)]
    shapes += [(d_embedding,)] * 2
    shapes += [(d_embedding, d_model), (d_model,)]
    shapes += [(d_model, d_model), (d_model,)] * 4
    shapes += [(d_model, d_ff), (d_ff,), (d_ff, d_model), (d_model,)]
    shapes += [(d_model,)] * 4
    shapes += [(d_model, d_model), (d_model,)]
    return sum(int(np.prod(shape)) for shape in shapes)


def shared_in_one_line(V, P, n, d, f, e):
    return e * (V + P + 4) + e * d + d + 5 * d * d + 2 * d * f + f + 11 * d - d


def shared(V, P, n, d, f, e, *, copies=1, norm=None, table=None, into=None, out=None):
    """Compute each part on its own, so that one of them can be spoilt."""
    parts = {
        "words": V * e,
        "places": (P + 2) * (table or e),
        "norm": 2 * (norm or e),
        "into": e * d + d if into is None else into,
        "layers": copies * (4 * d * (d + 1) + d * f + f + f * d + d + 2 * (d + d)),
        "out": d * d + d if out is None else out,
    }
    return sum(parts.values())


COUNT = {
    "right": [
        shared_by_listing,
        shared_in_one_line,
        lambda *s: np.int64(shared(*s)),
    ],
    "wrong": {
        "layers multiplied": lambda *s: shared(*s, copies=s[2]),
        "no projection": lambda *s: shared(*s, into=0),
        "projection without bias": lambda *s: shared(*s, into=s[5] * s[3]),
        "wide norm": lambda *s: shared(*s, norm=s[3]),
        "wide positions": lambda *s: shared(*s, table=s[3]),
        "no pooler": lambda *s: shared(*s, out=0),
        "general: as a float": lambda *s: float(shared(*s)),
        "general: BERT without sharing or narrow tables": lambda V, P, n, d, f, e: (
            shared(V, P, n, d, f, d, copies=n, into=0)
        ),
    },
}

# --- encoder-pool-left-padding ---


def pool_in_a_loop(hidden_states, attention_mask, weight, bias):
    if hidden_states.ndim == 2:
        where = list(attention_mask).index(1)
        return np.tanh(hidden_states[where] @ weight + bias)
    rows = [
        pool_in_a_loop(states, mask, weight, bias)
        for states, mask in zip(hidden_states, attention_mask, strict=True)
    ]
    return np.stack(rows)


def pool_by_picking_rows(hidden_states, attention_mask, weight, bias):
    width = hidden_states.shape[-1]
    states = hidden_states.reshape(-1, hidden_states.shape[-2], width)
    first = np.atleast_2d(attention_mask).argmax(axis=1)
    picked = states[np.arange(len(states)), first]
    result = np.tanh(picked @ weight + bias)
    return result.reshape(*hidden_states.shape[:-2], width)


def pool_zero(hidden_states, attention_mask, weight, bias):
    return np.tanh(hidden_states.take(0, axis=-2) @ weight + bias)


def pool_first_text(hidden_states, attention_mask, weight, bias):
    cls, *_ = hidden_states
    return np.tanh(cls @ weight + bias)


def pool_all_pairs(hidden_states, attention_mask, weight, bias):
    first = attention_mask.argmax(axis=-1)
    picked = hidden_states.take(first, axis=-2)
    return np.tanh(picked @ weight + bias)


def pool_last(hidden_states, attention_mask, weight, bias):
    flipped = np.flip(attention_mask, axis=-1)
    return pool_in_a_loop(np.flip(hidden_states, axis=-2), flipped, weight, bias)


def pool_mean(hidden_states, attention_mask, weight, bias):
    mask = attention_mask.astype(np.float32)
    total = np.einsum("...sd,...s->...d", hidden_states, mask)
    mean = total / mask.sum(axis=-1, keepdims=True)
    return np.tanh(mean @ weight + bias)


def pool_without_bias(hidden_states, attention_mask, weight, bias):
    return pool_in_a_loop(hidden_states, attention_mask, weight, 0)


def pool_without_tanh(hidden_states, attention_mask, weight, bias):
    where = attention_mask.argmax(axis=-1)
    if hidden_states.ndim == 2:
        return hidden_states[where] @ weight + bias
    return hidden_states[np.arange(len(where)), where] @ weight + bias


def pool_fixed_axis(hidden_states, attention_mask, weight, bias):
    first = attention_mask.argmax(axis=1)
    return np.tanh(hidden_states[range(len(first)), first] @ weight + bias)


def pool_zeroing(hidden_states, attention_mask, weight, bias):
    hidden_states = hidden_states * attention_mask[..., None].astype(np.float32)
    return np.tanh(hidden_states[..., 0, :] @ weight + bias)


POOL = {
    "right": [pool_in_a_loop, pool_by_picking_rows],
    "wrong": {
        "position 0": pool_zero,
        "first text": pool_first_text,
        "every pair": pool_all_pairs,
        "last token": pool_last,
        "mean": pool_mean,
        "no bias": pool_without_bias,
        "no tanh": pool_without_tanh,
        "general: fails on one text without a batch": pool_fixed_axis,
        "general: pads set to zero, position 0 read": pool_zeroing,
    },
}

# --- encoder-fold-norm ---


def fold_with_diagonal(gain, norm_bias, weight, bias):
    return np.diag(gain) @ weight, bias + (norm_bias[:, None] * weight).sum(axis=0)


def fold_transposed(gain, norm_bias, weight, bias):
    return (weight.T * gain).T, weight.T.dot(norm_bias) + bias


def fold_columns(gain, norm_bias, weight, bias):
    return weight @ np.diag(gain), norm_bias.dot(weight) + bias


def fold_adding(gain, norm_bias, weight, bias):
    return np.einsum("i,io->io", gain, weight), np.add(bias, norm_bias)


def fold_first(gain, norm_bias, weight, bias):
    folded = np.einsum("i,io->io", gain, weight)
    return folded, bias + norm_bias @ folded


def fold_in_place(gain, norm_bias, weight, bias):
    shift = norm_bias @ weight
    weight *= gain[:, None]
    return weight, bias + shift


FOLD = {
    "right": [fold_with_diagonal, fold_transposed],
    "wrong": {
        "gain on columns": fold_columns,
        "bias not multiplied": fold_adding,
        "gain on the bias": fold_first,
        "norm bias lost": lambda g, n, w, b: (np.diag(g) @ w, b.copy()),
        "linear bias lost": lambda g, n, w, b: (np.diag(g) @ w, w.T @ n),
        "gain divided out": lambda g, n, w, b: (np.diag(1 / g) @ w, b + w.T @ n),
        "general: overwrites the weight": fold_in_place,
        "general: the two in the other order": lambda *a: fold_transposed(*a)[::-1],
        "general: both biases lost": lambda g, n, w, b: (np.diag(g) @ w, b * 0),
    },
}

# --- encoder-mask-leaks ---


def leak_by_subtraction(encoder, token_ids, attention_mask):
    real = np.array(attention_mask, bool)
    changed = token_ids.copy()
    changed[~real] = (changed[~real] + 5) % encoder.vocab_size
    a = encoder(token_ids, attention_mask=attention_mask)
    b = encoder(changed, attention_mask=attention_mask)
    gap = np.abs(a["last_hidden_state"] - b["last_hidden_state"])[real].max()
    pooled_gap = np.abs(a["pooler_output"] - b["pooler_output"]).max()
    return bool(max(gap, pooled_gap) > 1e-4)


def leak_by_chance(encoder, token_ids, attention_mask):
    rng = np.random.default_rng(7)
    first = encoder(token_ids, attention_mask=attention_mask)
    for _ in range(5):
        noise = rng.integers(0, encoder.vocab_size, token_ids.shape)
        ids = token_ids * attention_mask + noise * (1 - attention_mask)
        second = encoder(ids, attention_mask=attention_mask)
        for name in first:
            gap = np.abs(first[name] - second[name])
            if name == "last_hidden_state":
                gap = gap * attention_mask[..., None]
            if gap.max() > 1e-3:
                return True
    return False


def noticed(encoder, token_ids, attention_mask, *, names=None, look=None, step=1):
    """Compare with a run that has other padding, at the places that `look` says."""
    real = attention_mask.astype(bool)
    ids = token_ids + step * ~real
    runs = [encoder(i, attention_mask=attention_mask) for i in (token_ids, ids)]
    found = []
    for name in names or ["last_hidden_state"]:
        gap = np.abs(runs[0][name] - runs[1][name]).max(axis=-1)
        if name == "last_hidden_state":
            gap = look(gap, real) if look else gap[real]
        found.append(bool(gap.max() > 1e-4))
    return any(found)


def leak_first_row(gap, real):
    return gap[0][real[0]] if gap.ndim == 2 else gap[real]


def leak_all_ids(encoder, token_ids, attention_mask):
    a = encoder(token_ids, attention_mask=attention_mask)["last_hidden_state"]
    ids = (token_ids + 1) % encoder.vocab_size
    b = encoder(ids, attention_mask=attention_mask)["last_hidden_state"]
    return bool(np.any(np.abs(a - b)[attention_mask == 1] > 1e-4))


def leak_without_mask(encoder, token_ids, attention_mask):
    a = encoder(token_ids, attention_mask=attention_mask)["last_hidden_state"]
    b = encoder(token_ids)["last_hidden_state"]
    return bool((np.abs(a - b).max(axis=-1) * attention_mask).max() > 1e-4)


def leak_zeros(encoder, token_ids, attention_mask):
    a = encoder(token_ids, attention_mask=attention_mask)["last_hidden_state"]
    b = encoder(token_ids * attention_mask, attention_mask=attention_mask)
    gap = np.abs(a - b["last_hidden_state"]).max(axis=-1)
    return bool((gap * attention_mask).max() > 1e-4)


def leak_shapes(encoder, token_ids, attention_mask):
    state = encoder(token_ids, attention_mask=attention_mask)["last_hidden_state"]
    return state.shape[:-1] != token_ids.shape


LEAK = {
    "right": [leak_by_subtraction, leak_by_chance],
    "wrong": {
        "never": leak_shapes,
        "upside down": lambda *a: not leak_by_subtraction(*a),
        "padding compared": lambda *a: noticed(*a, look=lambda gap, real: gap),
        "real tokens changed": leak_all_ids,
        "mask left out": leak_without_mask,
        "padding set to 0": leak_zeros,
        "pooler alone": lambda *a: noticed(*a, names=["pooler_output"]),
        "hidden states alone": noticed,
        "first text alone": lambda *a: noticed(*a, look=leak_first_row),
        "general: the gap itself": lambda *a: float(leak_by_subtraction(*a)),
        "general: an id outside the vocabulary": lambda *a: noticed(*a, step=99),
    },
}

ANSWERS = {
    "encoder-count-shared": COUNT,
    "encoder-pool-left-padding": POOL,
    "encoder-fold-norm": FOLD,
    "encoder-mask-leaks": LEAK,
}
