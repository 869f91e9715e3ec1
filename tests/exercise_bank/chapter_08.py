"""Answers to the exercises of chapter 8, as readers would write them."""

import itertools

import numpy as np

# --- layer-stream-size ---


def size_in_loop(n_layers, branch_size):
    square = 1.0
    for _ in range(n_layers):
        square += branch_size * branch_size  # attention
        square += branch_size * branch_size  # network
    return square**0.5


def size_by_norm(n_layers, branch_size):
    return np.linalg.norm([1.0] + [branch_size] * (2 * n_layers))


def size_square(n_layers, branch_size):
    return size_in_loop(n_layers, branch_size) ** 2


def size_added(n_layers, branch_size):
    return sum([1.0] + [branch_size] * (2 * n_layers))


def size_not_squared(n_layers, branch_size):
    return np.sqrt(1 + branch_size * n_layers * 2)


def size_one_each(n_layers, branch_size):
    return np.linalg.norm([1.0] + [branch_size] * n_layers)


def size_no_input(n_layers, branch_size):
    return np.linalg.norm([branch_size] * (2 * n_layers)) if n_layers else 0.0


def size_factor(n_layers, branch_size):
    size = 1.0
    for _ in range(2 * n_layers):
        size *= (1 + branch_size**2) ** 0.5
    return size


def size_of_post(n_layers, branch_size):
    return 1.0


def size_as_text(n_layers, branch_size):
    return f"{size_in_loop(n_layers, branch_size):.3f}"


# --- layer-similarity ---


def cosine(a, b):
    return float(a @ b / np.sqrt(a @ a) / np.sqrt(b @ b))


def similarity_of_pairs(hidden_states, attention_mask):
    real = [v for v, m in zip(hidden_states, attention_mask, strict=True) if m]
    return np.mean([cosine(a, b) for a, b in itertools.combinations(real, 2)])


def similarity_by_triangle(hidden_states, attention_mask):
    x = hidden_states[: attention_mask.sum()]
    x = x / np.sqrt((x**2).sum(-1))[:, None]
    return (x @ x.T)[np.triu_indices(len(x), 1)].mean()


def similarity_padded(hidden_states, attention_mask):
    pairs = itertools.combinations(hidden_states, 2)
    return np.mean([cosine(a, b) for a, b in pairs])


def similarity_with_self(hidden_states, attention_mask):
    real = hidden_states[attention_mask == 1]
    return np.mean([[cosine(a, b) for a in real] for b in real])


def similarity_count(hidden_states, attention_mask):
    real = hidden_states[attention_mask == 1]
    total = sum(cosine(a, b) for a, b in itertools.permutations(real, 2))
    return total / len(real) ** 2


def similarity_products(hidden_states, attention_mask):
    real = hidden_states[attention_mask == 1]
    return np.mean([a @ b for a, b in itertools.combinations(real, 2)])


def similarity_neighbours(hidden_states, attention_mask):
    real = hidden_states[attention_mask == 1]
    return np.mean([cosine(a, b) for a, b in itertools.pairwise(real)])


def similarity_absolute(hidden_states, attention_mask):
    real = hidden_states[attention_mask == 1]
    return np.mean([abs(cosine(a, b)) for a, b in itertools.combinations(real, 2)])


def similarity_to_first(hidden_states, attention_mask):
    real = hidden_states[attention_mask == 1]
    return np.mean([cosine(real[0], v) for v in real[1:]])


def similarity_matrix(hidden_states, attention_mask):
    real = hidden_states[attention_mask == 1]
    return np.array([[cosine(a, b) for a in real] for b in real])


# --- layer-pre-norm ---


def pre_in_loop(x, attention, feed_forward, attention_norm, feed_forward_norm):
    parts = [(attention, attention_norm), (feed_forward, feed_forward_norm)]
    for sublayer, norm in parts:
        x = x + sublayer(norm(x))
    return x


def pre_with_names(x, attention, feed_forward, attention_norm, feed_forward_norm):
    attended = attention(attention_norm(x))
    middle = x + attended
    return middle + feed_forward(feed_forward_norm(middle))


def pre_from_norm(x, attention, feed_forward, attention_norm, feed_forward_norm):
    for f, norm in ((attention, attention_norm), (feed_forward, feed_forward_norm)):
        y = norm(x)
        x = y + f(y)
    return x


def pre_as_post(x, attention, feed_forward, attention_norm, feed_forward_norm):
    for f, norm in ((attention, attention_norm), (feed_forward, feed_forward_norm)):
        x = norm(f(x) + x)
    return x


def pre_on_branch(x, attention, feed_forward, attention_norm, feed_forward_norm):
    for f, norm in ((attention, attention_norm), (feed_forward, feed_forward_norm)):
        x = norm(f(x)) + x
    return x


def pre_one_residual(x, attention, feed_forward, attention_norm, feed_forward_norm):
    middle = attention(attention_norm(x)) + x
    return feed_forward(feed_forward_norm(middle))


def pre_from_input(x, attention, feed_forward, attention_norm, feed_forward_norm):
    residual = x
    x = residual + attention(attention_norm(x))
    return residual + feed_forward(feed_forward_norm(x))


def pre_parallel(x, attention, feed_forward, attention_norm, feed_forward_norm):
    a, b = attention(attention_norm(x)), feed_forward(feed_forward_norm(x))
    return a + b + x


def pre_shared_norm(x, attention, feed_forward, attention_norm, feed_forward_norm):
    for f in (attention, feed_forward):
        x = x + f(attention_norm(x))
    return x


def pre_swapped(x, attention, feed_forward, attention_norm, feed_forward_norm):
    x = x + feed_forward(feed_forward_norm(x))
    return x + attention(attention_norm(x))


def pre_no_norm(x, attention, feed_forward, attention_norm, feed_forward_norm):
    x = x + attention(x)
    return x + feed_forward(x)


# --- layer-identity ---


def clear(*arrays):
    for array in arrays:
        array.fill(0)


def identity_by_fill(layer):
    a, f = layer.attention.output, layer.feed_forward.output
    clear(a.weight, a.bias, f.weight, f.bias)


def identity_by_new_arrays(layer):
    for part in (layer.attention, layer.feed_forward):
        part.output.weight = np.zeros_like(part.output.weight)
        part.output.bias = np.zeros_like(part.output.bias)


def identity_weights(layer):
    clear(layer.attention.output.weight, layer.feed_forward.output.weight)


def identity_attention(layer):
    clear(layer.attention.output.weight, layer.attention.output.bias)


def identity_network(layer):
    clear(layer.feed_forward.output.weight, layer.feed_forward.output.bias)


def identity_all(layer):
    a, f = layer.attention, layer.feed_forward
    for linear in (a.value, a.output, f.output):
        clear(linear.weight, linear.bias)


def identity_entry(layer):
    a, f = layer.attention.value, layer.feed_forward.intermediate
    clear(a.weight, a.bias, f.weight, f.bias)


def identity_norms(layer):
    a, f = layer.attention_norm, layer.feed_forward_norm
    clear(a.gain, a.bias, f.gain, f.bias)


def identity_biases(layer):
    clear(layer.attention.output.bias, layer.feed_forward.output.bias)


def identity_new_call(layer):
    layer.attention.output = lambda x: 0 * x


ANSWERS = {
    "layer-stream-size": {
        "right": [size_in_loop, size_by_norm],
        "wrong": {
            "no root": size_square,
            "added sizes": size_added,
            "size for square": size_not_squared,
            "one sublayer": size_one_each,
            "no input": size_no_input,
            "compounded": size_factor,
            "general: post-norm": size_of_post,
            "general: a text": size_as_text,
        },
    },
    "layer-similarity": {
        "right": [similarity_of_pairs, similarity_by_triangle],
        "wrong": {
            "padding": similarity_padded,
            "itself": similarity_with_self,
            "count": similarity_count,
            "no unit vectors": similarity_products,
            "neighbours": similarity_neighbours,
            "absolute": similarity_absolute,
            "general: the first with the others": similarity_to_first,
            "general: the whole matrix": similarity_matrix,
        },
    },
    "layer-pre-norm": {
        "right": [pre_in_loop, pre_with_names],
        "wrong": {
            "residual after the norm": pre_from_norm,
            "post-norm": pre_as_post,
            "norm on the branch": pre_on_branch,
            "second residual": pre_one_residual,
            "from the start": pre_from_input,
            "parallel": pre_parallel,
            "one norm": pre_shared_norm,
            "network first": pre_swapped,
            "general: without norms": pre_no_norm,
        },
    },
    "layer-identity": {
        "right": [identity_by_fill, identity_by_new_arrays],
        "wrong": {
            "biases": identity_weights,
            "attention only": identity_attention,
            "network only": identity_network,
            "everything": identity_all,
            "entry": identity_entry,
            "norms": identity_norms,
            "general: the biases alone": identity_biases,
            "general: replaces a part": identity_new_call,
        },
    },
}
