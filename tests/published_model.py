"""The published model in Transformers, as the reference values are made with it."""

import numpy as np

from bertbook.model_finder import find_model

MODEL = "all-MiniLM-L6-v2"


def load_published():
    """Return its tokenizer, its model in float64, and with what they were loaded."""
    import torch
    import transformers

    folder = find_model(MODEL)
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    model = transformers.BertModel.from_pretrained(
        folder, dtype=torch.float64, attn_implementation="eager"
    ).eval()
    versions = f"transformers {transformers.__version__}, torch {torch.__version__}"
    return tokenizer, model, versions


def sentence_vectors(model, batch):
    """Return what sentence-transformers computes: means, scaled to length one."""
    hidden_states = model(**batch).last_hidden_state
    mask = batch["attention_mask"].unsqueeze(-1).to(hidden_states.dtype)
    vectors = (hidden_states * mask).sum(1) / mask.sum(1)
    return (vectors / vectors.norm(dim=1, keepdim=True)).numpy()


def write(path, versions, contents):
    """Write the reference values and where they come from; say how large they are."""
    origin = np.array(f"{MODEL} in float64, {versions}, eager attention")
    np.savez_compressed(path, origin=origin, **contents)
    print(f"{path.name}: {path.stat().st_size} bytes, {versions}")
