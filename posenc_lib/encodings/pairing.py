"""Converting between RoPE's two pairings, which differ only in the order of dims."""

from functools import partial
from typing import Any, Literal, get_args

import numpy as np
import numpy.typing as npt

from posenc_lib.encodings import validate

Pairing = Literal["interleaved", "half"]
PAIRINGS = get_args(Pairing)


@validate.checked(head_dim=partial(validate.integer, low=2))
def pairing_permutation(head_dim: int, *, rotary_dim: int | None = None) -> npt.NDArray[np.int64]:
    """Return the order of dims that turns interleaved pairs into half pairs: 0, 2, …, 1, 3, ….

    With it, rope(x[..., p], pairing="half") = rope(x)[..., p]. The way back is np.argsort(p).

    >>> pairing_permutation(6)
    array([0, 2, 4, 1, 3, 5])

    Returns: int64 array of shape (head_dim,): a permutation of 0 … head_dim − 1.
    Source: `permute` in Hugging Face's convert_llama_weights_to_hf.py, for one head.
    """
    if rotary_dim is None:
        rotary_dim = validate.EVEN("head_dim", head_dim)
    if rotary_dim > head_dim:
        raise ValueError(f"rotary_dim must be at most {head_dim}, got {rotary_dim}")
    dims = np.arange(head_dim, dtype=np.int64)
    return np.concatenate([dims[0:rotary_dim:2], dims[1:rotary_dim:2], dims[rotary_dim:]])


@validate.checked(lambda: 0, weights=None)  # the result has the size of weights
def convert_pairing(
    weights: npt.ArrayLike, num_heads: int, *, to: Pairing = "half", rotary_dim: int | None = None
) -> npt.NDArray[Any]:
    """Return the weights of a query or key projection for the other pairing.

    Attention doesn't change.
    Meta's checkpoints rotate interleaved pairs and Hugging Face's Llama rotates half pairs. To
    convert, reorder the rows of W_q and W_k and their biases, head by head; W_v and W_o stay. The
    shapes won't reveal a wrong direction or number of heads, so compare the scores of a few words.
    For a PyTorch layer of any dtype:

        rows = linear.weight.detach().float().cpu().numpy()
        rows = convert_pairing(rows, num_heads)  # k_proj: num_key_value_heads
        linear.weight.data = torch.from_numpy(rows).to(linear.weight)

    >>> convert_pairing(np.arange(8), 2)
    array([0, 2, 1, 3, 4, 6, 5, 7])

    Args: weights have shape (num_heads · head_dim, d_model), as in torch.nn.Linear, or
        (num_heads · head_dim,). to is "half" (Meta → Hugging Face) or "interleaved" (the way back).
    Returns: array with the shape and dtype of weights and reordered rows.
    Source: see `pairing_permutation`.
    """
    validate.array("weights", weights, min_ndim=1, finite=False)
    weights = np.asarray(weights)  # keeps extended precision
    rows = len(weights)
    if rows == 0 or rows % num_heads:
        raise ValueError(
            f"weights must have rows that {num_heads=} heads can share equally, got {rows}"
        )
    order = pairing_permutation(rows // num_heads, rotary_dim=rotary_dim)
    if to == "interleaved":
        order = np.argsort(order)
    by_head = weights.reshape(num_heads, rows // num_heads, *weights.shape[1:])
    return by_head[:, order].reshape(weights.shape)
