"""Exercises of chapter 7, feed-forward; `chapter_07_network` has two more."""

import numpy as np

from bertbook.exercises import Exercise, Mistake, register

# --- From which length on attention takes more multiplications ---


def crossing(d_model, d_ff):
    """Return the smallest length at which attention takes more multiplications."""
    return max(1, d_ff - 2 * d_model + 1)


def at_equality(d_model, d_ff):
    """Return where both are equal."""
    return max(1, d_ff - 2 * d_model)


def of_bert(d_model, d_ff):
    """Take d_ff to be four times d_model."""
    return 2 * d_model + 1


def pairs_alone(d_model, d_ff):
    """Leave the projections of attention out."""
    return d_ff + 1


def scores_alone(d_model, d_ff):
    """Count the scores, but not the average of the values."""
    return max(1, 2 * d_ff - 4 * d_model + 1)


def three_projections(d_model, d_ff):
    """Forget the projection of the output."""
    return max(1, (2 * d_ff - 3 * d_model) // 2 + 1)


def one_matrix(d_model, d_ff):
    """Count one of the two matrices of the network."""
    return max(1, d_ff // 2 - 2 * d_model + 1)


def below_one(d_model, d_ff):
    """Give a length below one where attention always takes more."""
    return d_ff - 2 * d_model + 1


register(
    Exercise(
        name="ffn-crossing",
        question="From which length on does attention take more multiplications?",
        solution=crossing,
        cases=[(768, 3072), (384, 1536), (8, 32), (64, 300), (64, 128), (64, 70)],
        mistakes=[
            Mistake(
                "equal",
                "at this length both take the same. The question asks for more.",
                at_equality,
            ),
            Mistake(
                "only BERT",
                "this is right where d_ff is four times d_model, and only there: "
                "d_ff has to occur in your formula.",
                of_bert,
            ),
            Mistake(
                "pairs alone",
                "this is where the pairs alone overtake the network. Attention also "
                "has four projections, which cost something at any length.",
                pairs_alone,
            ),
            Mistake(
                "scores alone",
                "attention does two things for each pair of tokens: the score is one. "
                "What happens to the value afterwards?",
                scores_alone,
            ),
            Mistake(
                "three projections",
                "query, key and value are three projections. There is a fourth, after "
                "the heads have been merged.",
                three_projections,
            ),
            Mistake(
                "one matrix",
                "the network has two matrices, one that widens and one that narrows.",
                one_matrix,
            ),
            Mistake(
                "no text",
                "the formula is right. But where the network is narrow it gives a "
                "length below one, and a text has at least one token.",
                below_one,
            ),
        ],
        praise="attention overtakes at d_ff - 2 d_model tokens, however many heads.",
    )
)


# --- The constant that suits GELU best ---


def _lies_near(value, width=8e-6):
    """Return a recogniser of one number."""
    return lambda inputs, got, expected: np.ndim(got) == 0 and abs(got - value) < width


def _is_large(inputs, got, expected):
    """Return whether the number cannot be a result of the search at all."""
    return np.ndim(got) == 0 and 0.08 < got < 0.1


register(
    Exercise(
        name="ffn-best-c",
        question="Which constant makes the largest gap between the GELUs smallest?",
        solution=0.044385,
        mistakes=[
            Mistake(
                "published",
                "this is the published constant. It makes the largest error of the "
                "probability smallest; here the error of x times it counts.",
                recognise=_lies_near(0.044715),
            ),
            Mistake(
                "series",
                "this is the coefficient of the series, which is best at zero only.",
                recognise=_lies_near(0.045540),
            ),
            Mistake(
                "squares",
                "this is the best constant for the sum of the squared gaps. Asked for "
                "is the one with the smallest largest gap.",
                recognise=_lies_near(0.044525, 4e-5),
            ),
            Mistake(
                "mean",
                "this is the best constant for the mean of the gaps. Asked for is the "
                "one with the smallest largest gap.",
                recognise=_lies_near(0.044660, 4e-5),
            ),
            Mistake(
                "scale of erf",
                "this is twice what is asked for: the constant belongs to erf(x), "
                "whose argument GELU divides by the root of two.",
                recognise=_is_large,
            ),
        ],
        rtol=6e-4,
        check_dtype=False,
        praise="the gap falls from 4.7e-4 to 3.9e-4. Published weights keep 0.044715.",
    )
)
