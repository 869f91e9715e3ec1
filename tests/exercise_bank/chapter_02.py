"""Answers to the exercises of chapter 2, as readers would write them."""

import numpy as np

N_ROWS = 30522 + 512 + 2


def positions_by_arange(x, position_table):
    place = np.arange(x.shape[-2])
    return x + np.take(position_table, place, axis=0)


def positions_by_loop(x, position_table):
    y = x.copy()
    for place in range(x.shape[-2]):
        y[..., place, :] += position_table[place]
    return y


def positions_len(x, position_table):
    n = len(x)
    rows = position_table[np.arange(n)]
    return rows + x


def positions_batch(x, position_table):
    y = x.copy()
    for k in range(len(y)):
        y[k] = y[k] + position_table[k]
    return y


def positions_from_one(x, position_table):
    return x + np.stack([position_table[k + 1] for k in range(x.shape[-2])])


def positions_zero(x, position_table):
    return x + position_table[np.zeros(x.shape[-2], dtype=int)]


def positions_from_the_end(x, position_table):
    n = len(position_table)
    return x + position_table[n - x.shape[-2] : n]


def positions_overwriting(x, position_table):
    for place in range(x.shape[-2]):
        x[..., place, :] += position_table[place]
    return x


def positions_reversed(x, position_table):
    return x + position_table[: x.shape[-2]][::-1]


def fold_by_counting(tables, weight):
    folded, row = [], 0
    for table in tables:
        width = table.shape[-1]
        folded.append(np.dot(table, weight[row : row + width, :]))
        row += width
    return folded


def fold_by_padding(tables, weight):
    """Put each table into the columns that it would have in the joined rows."""
    out, done = [], 0
    for table in tables:
        wide = np.zeros((len(table), len(weight)), dtype=table.dtype)
        wide[:, done : done + table.shape[1]] = table
        done += table.shape[1]
        out.append(wide @ weight)
    return tuple(out)


def fold_same_rows(tables, weight):
    return [np.matmul(table, weight[0 : table.shape[1], :]) for table in tables]


def fold_from_the_end(tables, weight):
    folded, row = [], len(weight)
    for table in tables:
        folded.append(table @ weight[row - table.shape[1] : row])
        row -= table.shape[1]
    return folded


def fold_thirds(tables, weight):
    size = -(-len(weight) // len(tables))
    return [table @ weight[k * size : (k + 1) * size] for k, table in enumerate(tables)]


def fold_joined(tables, weight):
    n = min(len(table) for table in tables)
    return np.hstack([table[:n] for table in tables]) @ weight


def fold_mean(tables, weight):
    return [part / len(tables) for part in fold_by_counting(tables, weight)]


def fold_untouched(tables, weight):
    return tables


def gradient_by_one_hot(ids, dy, n_rows):
    flat = ids.ravel()
    one_hot = np.zeros((flat.size, n_rows), dtype=dy.dtype)
    one_hot[np.arange(flat.size), flat] = 1
    return one_hot.T @ dy.reshape(flat.size, -1)


def gradient_by_loop(ids, dy, n_rows):
    total = np.zeros((n_rows, dy.shape[-1]), dy.dtype)
    for place in np.ndindex(ids.shape):
        total[ids[place]] += dy[place]
    return total


def gradient_fancy(ids, dy, n_rows):
    total = np.zeros_like(dy, shape=(n_rows, dy.shape[-1]))
    total[ids] = total[ids] + dy
    return total


def gradient_zip(ids, dy, n_rows):
    total = np.zeros((n_rows, dy.shape[-1]), dy.dtype)
    for k in range(len(ids)):
        total[ids[k]] = total[ids[k]] + dy[k]
    return total


def gradient_without_padding(ids, dy, n_rows):
    return gradient_by_loop(ids, dy * (ids != 0)[..., None], n_rows)


def gradient_mean(ids, dy, n_rows):
    total = gradient_by_loop(ids, dy, n_rows)
    for row in range(n_rows):
        used = int((ids == row).sum())
        if used:
            total[row] /= used
    return total


def gradient_of_used(ids, dy, n_rows):
    total = gradient_by_loop(ids, dy, n_rows)
    return total[[row for row in range(n_rows) if row in ids]]


def gradient_default_dtype(ids, dy, n_rows):
    total = np.zeros((n_rows, dy.shape[-1]))
    for place in np.ndindex(ids.shape):
        total[ids[place]] += dy[place]
    return total


def gradient_of_ones(ids, dy, n_rows):
    return gradient_by_loop(ids, np.ones_like(dy), n_rows)


ANSWERS = {
    "embeddings-parameters": {
        "right": [N_ROWS * 768, 30522 * 768 + 512 * 768 + 2 * 768],
        "wrong": {
            "tokens only": 23440896,
            "no segments": 23834112,
            "multiplied": 30522 * 512 * 2 * 768,
            "rows": N_ROWS,
            "other model": N_ROWS * 384,
            "norm": N_ROWS * 768 + 1536,
            "general: side by side": N_ROWS * 3 * 768,
        },
    },
    "embeddings-positions": {
        "right": [positions_by_arange, positions_by_loop],
        "wrong": {
            "first axis": positions_len,
            "along the batch": positions_batch,
            "from one": positions_from_one,
            "first row": positions_zero,
            "last rows": positions_from_the_end,
            "in place": positions_overwriting,
            "general: backwards": positions_reversed,
        },
    },
    "embeddings-fold": {
        "right": [fold_by_counting, fold_by_padding],
        "wrong": {
            "first block": fold_same_rows,
            "backwards": fold_from_the_end,
            "equal blocks": fold_thirds,
            "one product": fold_joined,
            "mean": fold_mean,
            "general: untouched": fold_untouched,
        },
    },
    "embeddings-gradient": {
        "right": [gradient_by_one_hot, gradient_by_loop],
        "wrong": {
            "last one wins": gradient_fancy,
            "first axis only": gradient_zip,
            "padding": gradient_without_padding,
            "mean": gradient_mean,
            "used rows": gradient_of_used,
            "float64": gradient_default_dtype,
            "general: counts only": gradient_of_ones,
        },
    },
}
