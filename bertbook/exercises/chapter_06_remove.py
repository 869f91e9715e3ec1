"""Exercise of chapter 6: remove a head from a layer."""

import numpy as np

from bertbook.exercises import Exercise, Mistake, register


def remove_head(query, key, value, output, n_heads, head):
    """Return the four weights without what belongs to one head."""
    head_dim = query.shape[1] // n_heads
    gone = slice(head * head_dim, (head + 1) * head_dim)
    columns = tuple(np.delete(weight, gone, axis=1) for weight in (query, key, value))
    return *columns, np.delete(output, gone, axis=0)


def rows_everywhere(query, key, value, output, n_heads, head):
    """Remove rows from all four."""
    turned = (weight.T for weight in (query, key, value))
    removed = remove_head(*turned, output, n_heads, head)
    return *(weight.T for weight in removed[:3]), removed[3]


def columns_everywhere(query, key, value, output, n_heads, head):
    """Remove columns from all four."""
    removed = remove_head(query, key, value, output.T, n_heads, head)
    return *removed[:3], removed[3].T


def every_nth(query, key, value, output, n_heads, head):
    """Take a head to be every n-th feature."""
    gone = slice(head, None, n_heads)
    columns = tuple(np.delete(weight, gone, axis=1) for weight in (query, key, value))
    return *columns, np.delete(output, gone, axis=0)


def only_that_head(query, key, value, output, n_heads, head):
    """Keep the head that was to go."""
    head_dim = query.shape[1] // n_heads
    kept = slice(head * head_dim, (head + 1) * head_dim)
    return query[:, kept], key[:, kept], value[:, kept], output[kept]


def fill_with_zeros(query, key, value, output, n_heads, head):
    """Set to zero what was to be removed."""
    head_dim = query.shape[1] // n_heads
    weights = [w.copy() for w in (query, key, value, output.T)]
    for weight in weights:
        weight[:, head * head_dim : (head + 1) * head_dim] = 0
    return *weights[:3], weights[3].T


def one_feature(query, key, value, output, n_heads, head):
    """Remove one feature in the place of head_dim of them."""
    columns = tuple(np.delete(weight, head, axis=1) for weight in (query, key, value))
    return *columns, np.delete(output, head, axis=0)


def _weights(seed, d_model, n_heads, head):
    """Draw four weights of an attention layer."""
    rng = np.random.default_rng(seed)
    return *rng.standard_normal((4, d_model, d_model), dtype=np.float32), n_heads, head


register(
    Exercise(
        name="heads-remove",
        question="Remove one head, so that the layer becomes smaller.",
        solution=remove_head,
        cases=[
            _weights(0, 8, 2, 1),
            _weights(1, 6, 3, 0),
            _weights(2, 12, 3, 2),
            _weights(3, 12, 4, 1),
        ],
        mistakes=[
            Mistake(
                "rows everywhere",
                "the output weight is right. Query, key and value make features: "
                "those of a head are their columns.",
                rows_everywhere,
            ),
            Mistake(
                "columns everywhere",
                "query, key and value are right. The output weight takes the features "
                "of the heads in: on which axis?",
                columns_everywhere,
            ),
            Mistake(
                "every nth",
                "a head has a block of neighbouring features, not every n-th one.",
                every_nth,
            ),
            Mistake(
                "the others removed",
                "you keep the head that was to go, and remove the others.",
                only_that_head,
            ),
            Mistake(
                "zeros",
                "with zeros the head is silent, but the layer is as large as before.",
                fill_with_zeros,
            ),
            Mistake(
                "one feature",
                "you remove one feature. A head has d_model / n_heads of them.",
                one_feature,
            ),
        ],
        praise="columns where features are made, rows where they are used.",
    )
)
