"""How long a chapter takes to read: one rule for its own first lines and the tables."""

import math

WORDS_PER_MINUTE, CODE_LINES_PER_MINUTE = 200, 20


def reading_minutes(prose, code):
    """Return the minutes that prose and code take a reader, rounded up.

    Parameters
    ----------
    prose, code : iterable of str
        The texts of the cells of each kind.

    Returns
    -------
    int
    """
    words = sum(len(text.split()) for text in prose)
    lines = sum(bool(line.strip()) for text in code for line in text.splitlines())
    return math.ceil(words / WORDS_PER_MINUTE + lines / CODE_LINES_PER_MINUTE)
