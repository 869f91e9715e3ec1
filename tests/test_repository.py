"""The repository as a whole: what must agree with what, and what must not be in it."""

import os
import re
import shutil
import subprocess
import tomllib
from pathlib import Path

import pytest
import yaml

import bertbook

ROOT = Path(__file__).resolve().parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
MAKEFILE = (ROOT / "Makefile").read_text("utf-8")
README = (ROOT / "README.md").read_text("utf-8")
TARGETS = re.search(r"^\.PHONY:((?:.*\\\n)*.*)", MAKEFILE, re.M)[1]
TARGETS = TARGETS.replace("\\", " ").split()
BINARY = {".gz", ".png", ".ico", ".npz", ".npy", ".safetensors"}


def tracked_files():
    """Return the files of the repository; without git, nothing can be said of them."""
    answer = subprocess.run(
        ["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=False
    )
    if answer.returncode:
        pytest.skip("no git repository here")
    paths = (ROOT / name for name in answer.stdout.decode().split("\0") if name)
    return [path for path in paths if path.is_file()]


def lock_entries():
    """Return {(name, version): number of hashes} of requirements.lock."""
    text = (ROOT / "requirements.lock").read_text("utf-8").replace("\\\n", " ")
    found = {}
    for line in filter(None, text.splitlines()):
        name, version = re.match(r"([\w.-]+)==(\S+)", line).groups()
        found[name, version] = len(re.findall(r"--hash=sha256:[0-9a-f]{64}\b", line))
    return found


def workflow(name):
    """Return one workflow of continuous integration."""
    return yaml.safe_load((ROOT / ".github" / "workflows" / name).read_text("utf-8"))


def test_no_file_names_a_path_of_somebodys_machine():
    pattern = re.compile(
        r"(?<![\w.~-])/(?:root|work|farm|tmp|mnt)/\w|[A-Z]:\\Users\\",
        re.ASCII,
    )
    for path in tracked_files():
        if path.suffix in BINARY or path == Path(__file__).resolve():
            continue
        hit = pattern.search(path.read_text("utf-8", errors="replace"))
        assert hit is None, f"{path.relative_to(ROOT)}: {hit[0]!r}"


def test_text_files_have_line_feeds_alone():
    for path in tracked_files():
        if path.suffix not in BINARY:
            assert b"\r" not in path.read_bytes(), path.relative_to(ROOT)


def test_no_file_is_large():
    for path in tracked_files():
        assert path.stat().st_size < 5_000_000, path.relative_to(ROOT)


def test_the_version_is_the_same_everywhere():
    version = PROJECT["project"]["version"]
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text("utf-8"))
    changelog = (ROOT / "CHANGELOG.md").read_text("utf-8")
    newest = re.search(r"^## (\S+)", changelog, re.M)[1]
    assert {version, citation["version"], newest, bertbook.__version__} == {version}


def test_every_folder_of_the_package_is_installed():
    folders = {p.parent for p in (ROOT / "bertbook").rglob("*.py")}
    names = {".".join(folder.relative_to(ROOT).parts) for folder in folders}
    assert names == set(PROJECT["tool"]["setuptools"]["packages"])


def test_the_package_alone_needs_numpy_and_tqdm():
    assert PROJECT["project"]["dependencies"] == ["numpy>=2.0", "tqdm"]


def test_every_entry_of_the_lock_has_hashes():
    assert [entry for entry, hashes in lock_entries().items() if not hashes] == []


def test_the_lock_has_one_version_of_each_package():
    names = [name for name, _ in lock_entries()]
    assert sorted(names) == sorted(set(names))


def test_the_lock_names_no_host():
    assert "//" not in (ROOT / "requirements.lock").read_text("utf-8")


def test_the_lock_holds_what_pyproject_asks_for():
    locked = dict(lock_entries().keys())
    extras = sum(PROJECT["project"]["optional-dependencies"].values(), [])
    asked = extras + PROJECT["project"]["dependencies"]
    asked += PROJECT["dependency-groups"]["model"]
    for name in (re.match(r"[\w.-]+", requirement)[0] for requirement in asked):
        assert name in locked
    for pin in PROJECT["tool"]["uv"]["constraint-dependencies"]:
        name, version = pin.split("==")
        assert locked[name] == version


def test_continuous_integration_runs_the_command_of_the_readme():
    script = (ROOT / ".ci" / "run").read_text("utf-8")
    command = script.strip().splitlines()[-1]
    assert command == "make test"
    assert re.search(rf"^```\w*\n{command}\n```", README, re.M)
    assert "set -euo pipefail" in script
    assert "export BERTBOOK_REQUIRE_BROWSER=1" in script
    steps = workflow("tests.yml")["jobs"]["test"]["steps"]
    assert steps[-1]["run"] == command


def test_continuous_integration_covers_what_pyproject_promises():
    jobs = workflow("tests.yml")["jobs"]
    matrix = jobs["test"]["strategy"]["matrix"]
    versions = [
        c.rsplit(" ", 1)[1]
        for c in PROJECT["project"]["classifiers"]
        if re.fullmatch(r"Programming Language :: Python :: 3\.\d+", c)
    ]
    assert matrix["python"] == versions
    assert {name.split("-")[0] for name in matrix["os"]} == {
        "ubuntu",
        "macos",
        "windows",
    }
    oldest = PROJECT["project"]["dependencies"][0].removeprefix("numpy>=")
    runs = " ".join(step.get("run", "") for step in jobs["oldest-numpy"]["steps"])
    assert f'"numpy=={oldest}.*"' in runs


def test_actions_are_pinned_by_their_major_version():
    for path in (ROOT / ".github" / "workflows").glob("*.yml"):
        for use in re.findall(r"uses: (\S+)", path.read_text("utf-8")):
            assert re.fullmatch(r"actions/[\w-]+@v\d+", use), use


def test_every_chapter_is_in_the_table_of_contents():
    contents = (ROOT / "_toc.yml").read_text("utf-8")
    chapters = [p for p in tracked_files() if p.match("chapters/*.ipynb")]
    assert chapters
    for path in chapters:
        assert f"chapters/{path.stem}\n" in contents, path.name


@pytest.mark.parametrize("target", TARGETS)
def test_make_help_explains_every_target(target):
    assert re.search(rf"^{target}:.*  ## \w", MAKEFILE, re.M), target


@pytest.mark.parametrize("target", [t for t in TARGETS if "-" not in t])
def test_contributing_explains_every_target(target):
    assert f"`make {target}`" in (ROOT / "CONTRIBUTING.md").read_text("utf-8")


@pytest.fixture
def clone(tmp_path):
    """Return a folder whose path holds a blank, with what make looks at."""
    folder = tmp_path / "a clone"
    folder.mkdir()
    for name in ("Makefile", "requirements.lock", "pyproject.toml"):
        shutil.copy2(ROOT / name, folder)
    for name in ("_config.yml", "_toc.yml", "references.bib", "index.md"):
        shutil.copy2(ROOT / name, folder)
    for name in ("scripts", "web"):
        shutil.copytree(ROOT / name, folder / name)
    return folder


def make(folder, *arguments):
    """Run make in a folder; return its exit code and what it said."""
    if shutil.which("make") is None:
        pytest.skip("no make here")
    # Without what a make around the tests tells those below it.
    environment = {k: v for k, v in os.environ.items() if not k.startswith("MAKE")}
    answer = subprocess.run(
        ["make", *arguments],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    return answer.returncode, answer.stdout + answer.stderr


def install_by_hand(folder):
    """Leave the stamps of a finished installation, newer than what they depend on."""
    (folder / ".venv").mkdir()
    (folder / ".venv" / "installed.stamp").touch()
    (folder / ".venv" / "model.stamp").touch()


@pytest.mark.parametrize("target", ["book", "test"])
def test_a_second_make_installs_nothing(clone, target):
    _, first = make(clone, "--dry-run", target)
    assert "--require-hashes" in first
    install_by_hand(clone)
    code, second = make(clone, "--dry-run", target)
    assert code == 0
    for word in ("-m pip", "-m venv", "check_model"):
        assert word in first
        assert word not in second


@pytest.mark.parametrize("name", ["requirements.lock", "pyproject.toml"])
def test_make_installs_again_when_what_is_wanted_has_changed(clone, name):
    install_by_hand(clone)
    stamp = (clone / ".venv" / "installed.stamp").stat().st_mtime
    path = clone / name
    path.write_text(path.read_text("utf-8") + "\n", "utf-8")
    os.utime(path, (stamp + 10, stamp + 10))
    assert "--require-hashes" in make(clone, "--dry-run", "book")[1]


@pytest.mark.parametrize("python", ["no-such-python", "a path/with a blank/python"])
def test_make_says_what_is_missing_where_python_is_too_old(clone, python):
    code, said = make(clone, "venv", f"PYTHON={python}")
    assert code != 0
    assert "needs Python 3.11 or newer" in said
    assert python in said


def test_make_finds_everything_in_a_folder_with_a_blank(clone):
    code, said = make(clone, "help")
    assert code == 0
    assert [line.split()[1] for line in said.splitlines()] == TARGETS
