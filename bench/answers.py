"""Right answers and answers with one seeded mistake, checked by `answer.check` over real repositories.

    python bench/answers.py celery=FOLDER hono=FOLDER scrapy=FOLDER tox=FOLDER task=FOLDER [--show]

The folders have the files of the commits that bench/right_answers/*.md name, where answers of the kind that assistants
write are kept; others are generated from the functions of the repository, whose lines a plain parser of each language
finds, not Aurora's. The checker was tuned on celery and hono, and on the first wordings. Of the other repositories and
wordings, one complaint about scrapy and the misses of tox were looked at once, after they had been measured.
"""

from __future__ import annotations

import argparse
import ast
import itertools
import random
import re
from collections import Counter, defaultdict
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from aurora.tools.runtime.dispatch import call_tool
from aurora.tools.runtime.workspace import Workspace

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

ANSWERS = Path(__file__).resolve().parent / "right_answers"
TUNED = frozenset({"celery", "hono"})
FACTUAL = ("lines", "file", "symbol", "quote")
SEEDS_OF_KIND = 12
"""Answers with a mistake of each kind for each repository; five repositories make 60 of a kind."""
GENERATED = 31
_SUFFIXES = {"celery": ".py", "scrapy": ".py", "tox": ".py", "hono": ".ts", "task": ".go"}


class Function(NamedTuple):
    """Function of a repository, found without Aurora."""

    path: str
    name: str
    start: int
    end: int
    lines: tuple[str, ...]


class Answer(NamedTuple):
    """Answer; `kind` is the mistake in it, empty for a right one."""

    repository: str
    wording: str
    text: str
    kind: str = ""


class Repository:
    """Files of a repository, with what the seeds need to know of them."""

    def __init__(self, name: str, folder: Path) -> None:
        self.name, self.folder = name, folder
        self.random = random.Random(name)  # noqa: S311 - the same answers in each run
        suffix = _SUFFIXES[name]
        paths = sorted(path for path in folder.rglob(f"*{suffix}") if ".aurora" not in path.parts)
        self.texts = {path.relative_to(folder).as_posix(): path.read_text("utf-8", "replace") for path in paths}
        self.sources = {
            path: text for path, text in self.texts.items() if not re.search(r"(^|/|_|\.)test(?:s|ing)?[/_.]|^t/", path)
        }
        self.words = Counter(word for text in self.texts.values() for word in re.findall(r"[A-Za-z_$][\w$]*", text))
        every = [one for path, text in self.sources.items() for one in _list_functions(path, text)]
        counts = Counter(one.name for one in every)
        self.functions = [one for one in every if counts[one.name] == 1 and 4 <= len(one.lines) <= 80]  # noqa: PLR2004

    def find_other(self, path: str, name: str) -> str:
        """Find a file that does not have a word."""
        others = [one for one, text in self.sources.items() if one != path and not re.search(rf"\b{name}\b", text)]
        return self.random.choice(others)


def _list_functions(path: str, text: str) -> Iterator[Function]:
    lines = text.split("\n")
    if path.endswith(".py"):
        try:
            tree = ast.parse(text)
        except SyntaxError:
            return
        for node in ast.walk(tree):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and not node.decorator_list:
                yield Function(
                    path, node.name, node.lineno, node.end_lineno or 0, tuple(lines[node.lineno - 1 : node.end_lineno])
                )
        return
    head = re.compile(
        r"func (?:\(\w+ \*?\w+\) )?(\w+)\(|(?:export )?(?:async )?function (\w+)\("
        r"|(?:export )?const (\w+) = (?:async )?\("
    )
    for row, line in enumerate(lines, 1):
        if found := head.match(line):
            end = next((at for at in range(row, len(lines)) if lines[at].startswith("}")), 0) + 1
            if end > row and not line.rstrip().endswith("}"):
                yield Function(path, next(filter(None, found.groups())), row, end, tuple(lines[row - 1 : end]))


FENCE = "```"


def _quote_block(one: Function) -> str:
    return f"{FENCE}\n# {one.path}:{one.start}-{one.start + 2}\n" + "\n".join(one.lines[:3]) + f"\n{FENCE}\n"


def _number_block(one: Function) -> str:
    rows = "\n".join(f"{one.start + at:5}  {line}" for at, line in enumerate(one.lines[:3]))
    return f"`{one.name}` in {one.path}:\n\n{FENCE}\n{rows}\n{FENCE}\n"


WORDINGS: dict[str, tuple[bool, Callable[[Function], str]]] = {
    "parentheses": (True, lambda one: f"The work is done in `{one.name}` ({one.path}:{one.start}-{one.end})."),
    "defined": (True, lambda one: f"`{one.name}` is defined at `{one.path}:{one.start}` and used below."),
    "table": (True, lambda one: f"| name | place |\n|---|---|\n| `{one.name}` | {one.path}:{one.start}-{one.end} |"),
    "item": (True, lambda one: f"- {one.path}:{one.start}-{one.end} \u2014 `{one.name}`\n- nothing else"),
    "block": (True, _quote_block),
    "link": (False, lambda one: f"See [`{one.name}`]({one.path}#L{one.start}-L{one.end}) for the details."),
    "in lines": (
        False,
        lambda one: f"In `{one.path}`, lines {one.start}\u2013{one.end}, `{one.name}` takes care of it.",
    ),
    "lives": (False, lambda one: f"`{one.name}()` lives in **{one.path}** (lines {one.start} to {one.end})."),
    "heading": (False, lambda one: f"### {one.path}\n\n`{one.name}` (lines {one.start}-{one.end}) is the entry point."),
    "numbers": (False, _number_block),
}
"""Wording -> whether the checker was tuned on it, and the text."""
CALLER_WORDINGS: dict[str, tuple[bool, Callable[[str, list[str]], str]]] = {
    "sentence": (True, lambda name, places: f"`{name}` is called from " + " and ".join(places) + "."),
    "list": (True, lambda name, places: f"The callers of `{name}`:\n\n" + "\n".join(f"- {one}" for one in places)),
    "used": (
        False,
        lambda name, places: f"{len(places)} places use `{name}`: " + ", ".join(places) + "; change them all.",
    ),
    "table": (
        False,
        lambda name, places: (
            f"All call sites of `{name}`\n\n| place |\n|---|\n" + "\n".join(f"| {one} |" for one in places)
        ),
    ),
}


def list_right(repository: Repository) -> list[Answer]:
    """List the right answers: those written by hand, and generated ones of each wording in turn."""
    parts = re.split(r"<!-- answer: (\S+) \| .*? -->\n", (ANSWERS / f"{repository.name}.md").read_text("utf-8"))
    answers = [Answer(repository.name, "by hand", text) for text in parts[2::2]]
    wordings = itertools.cycle(WORDINGS)
    for one in repository.random.sample(repository.functions, min(GENERATED, len(repository.functions))):
        wording = next(wordings)
        answers.append(Answer(repository.name, wording, WORDINGS[wording][1](one)))
    return answers


def list_seeded(repository: Repository, right: list[Answer]) -> Iterator[Answer]:
    """List answers with one mistake, of each kind half by hand."""
    seeds: dict[str, Callable[[Repository, Answer], str]] = {
        "lines": _seed_lines, "file": _seed_file, "symbol": _seed_symbol, "quote": _seed_quote,
    }  # fmt: skip
    for kind, seed in seeds.items():
        made: dict[bool, list[Answer]] = {True: [], False: []}
        pool = [one for one in right for _ in range(6)]
        repository.random.shuffle(pool)
        for one in pool:
            text = seed(repository, one)
            if text and all(text != other.text for some in made.values() for other in some):
                made[one.wording == "by hand"].append(Answer(repository.name, one.wording, text, kind))
        half = SEEDS_OF_KIND // 2
        by_hand = made[True][: max(half, SEEDS_OF_KIND - len(made[False]))]
        yield from by_hand
        yield from made[False][: SEEDS_OF_KIND - len(by_hand)]
    yield from itertools.islice(_list_missing_callers(repository), SEEDS_OF_KIND)


_BESIDE = re.compile(
    r"`(?P<name>[^`\n]+)`(?P<gap>[\s(|\u2014\u2013,:*`\]\[-]*(?:is defined at |in |at |lives in )?[(`*\s]*)"
    r"(?P<path>[\w./-]+\.\w+)(?P<sep>:|#L|`?\*{0,2},? \(?lines )(?P<a>\d+)(?P<mid>-L?|\u2013| to | and )?(?P<b>\d+)?"
)
"""A name or quotation in front of its place; the seeds change one of its parts."""


def _choose_place(repository: Repository, text: str) -> tuple[re.Match[str], str, list[str]] | None:
    """Choose a place whose first line has the name or the quotation in front of it."""
    places = []
    for found in _BESIDE.finditer(text):
        paths = [path for path in repository.texts if path.endswith(found["path"])]
        lines = repository.texts[paths[0]].split("\n") if len(paths) == 1 else []
        name = re.sub(r"\(.*\)$", "", found["name"]).split(".")[-1] if " " not in found["name"] else found["name"]
        row = int(found["a"])
        if row <= len(lines) and re.search(r"\w", name) and name in lines[row - 1]:
            places.append((found, paths[0], lines))
    return repository.random.choice(places) if places else None


def _seed_lines(repository: Repository, answer: Answer) -> str:
    chosen = _choose_place(repository, answer.text)
    if chosen is None:
        return ""
    found, _, lines = chosen
    shift = repository.random.choice([number for number in range(-30, 31) if number])
    first = int(found["a"]) + shift
    last = int(found["b"]) + shift if found["b"] else 0
    name = re.sub(r"\(.*\)$", "", found["name"]).split(".")[-1]
    is_inside = not last and shift > 0 and " " not in found["name"] and "defined" not in found["gap"]
    near = lines[first - 1 : first] if first > 0 else []
    if first < 1 or is_inside or any(name in line for line in near):
        return ""  # a line further down may still be in the function
    mid = f"{found['mid']}{last}" if last else ""
    return f"{answer.text[: found.start('a')]}{first}{mid}{answer.text[found.end('b') if last else found.end('a') :]}"


def _seed_file(repository: Repository, answer: Answer) -> str:
    chosen = _choose_place(repository, answer.text)
    if chosen is None:
        return ""
    found, path, _ = chosen
    word = max(re.findall(r"\w+", found["name"]), key=len, default="")
    if not word:
        return ""
    other = repository.find_other(path, word)
    return f"{answer.text[: found.start('path')]}{other}{answer.text[found.end('path') :]}"


_SYNONYMS = {"get": "fetch", "add": "insert", "run": "execute", "check": "verify", "set": "assign", "read": "load",
             "write": "store", "make": "build", "is": "has", "find": "lookup", "new": "fresh"}  # fmt: skip


def _seed_symbol(repository: Repository, answer: Answer) -> str:
    spans = re.findall(r"`([A-Za-z_][\w.]*)(?:\(\))?`", answer.text)
    words = [span.split(".")[-1] for span in spans]
    words = [word for word in words if repository.words[word] and re.search(r"[a-z]_[a-z]|[a-z][A-Z]", word)]
    if not words:
        return ""
    word = repository.random.choice(words)
    at = repository.random.randrange(1, len(word) - 1)
    mutations = [word[:at] + word[at + 1 :], word[: at - 1] + word[at] + word[at - 1] + word[at + 1 :], f"{word}_all"]
    mutations += [word.replace(old, new) for old, new in _SYNONYMS.items() if re.search(rf"(^|_){old}(_|$)", word)]
    mutated = repository.random.choice(mutations)
    if mutated == word or repository.words[mutated]:
        return ""
    return re.sub(rf"(?<![\w/]){re.escape(word)}(?!\w)", mutated, answer.text)


def _seed_quote(repository: Repository, answer: Answer) -> str:
    quotes = [
        found
        for found in re.finditer(r"`([^`\n]*[ (][^`\n]{8,})`(?=[^`]{0,60}:\d)", answer.text)
        if "..." not in found[1]
    ]
    quotes += list(re.finditer(r"^(?!```|.{0,3}#)( {2,}.*\w.{8,})$", answer.text, re.MULTILINE))
    if not quotes:
        return ""
    found = repository.random.choice(quotes)
    words = list(re.finditer(r"[A-Za-z_]\w{2,}|<=|\band\b|\d+", found[1]))
    squeezed = {"".join(text.split()) for text in repository.texts.values()}
    if not words or not any("".join(re.sub(r"^\s*\d+  ", "", found[1]).split()) in text for text in squeezed):
        return ""
    word = repository.random.choice(words)
    new = {"<=": "<", "and": "or"}.get(word[0]) or (str(int(word[0]) + 1) if word[0].isdigit() else f"{word[0][:-1]}x")
    text = found[1][: word.start()] + new + found[1][word.end() :]
    if any("".join(text.split()) in one for one in squeezed):
        return ""
    return f"{answer.text[: found.start(1)]}{text}{answer.text[found.end(1) :]}"


def _list_missing_callers(repository: Repository) -> Iterator[Answer]:
    """List answers about the callers of a function, of which one is left out."""
    functions = [one for one in repository.functions if re.search(r"[a-z]_[a-z]|[a-z][A-Z]", one.name)]
    repository.random.shuffle(functions)
    wordings = itertools.cycle(CALLER_WORDINGS)
    for one in functions:
        uses = []
        for path, text in repository.sources.items():
            for row, line in enumerate(text.split("\n"), 1):
                is_own = path == one.path and one.start <= row <= one.end
                is_call = re.search(rf"(?<![\w$]){re.escape(one.name)}\(", line) and not re.match(
                    r"\s*(?:#|//|\*|>>>|\"\"\")", line
                )
                if is_call and not is_own:
                    uses.append(f"{path}:{row}")
        files = {place.partition(":")[0] for place in uses}
        if 3 <= len(uses) <= 5 and len(files) > 1:  # noqa: PLR2004
            wording = next(wordings)
            left = repository.random.choice(uses)
            text = CALLER_WORDINGS[wording][1](one.name, [place for place in uses if place != left])
            yield Answer(repository.name, f"callers {wording}", f"{text}\n<!--{left}-->", "missing")


def is_reported(found: dict[str, object], answer: Answer) -> bool:
    """Return whether a check reports the mistake of an answer; a missing caller by its own line."""
    if answer.kind != "missing":
        return not found["ok"]
    left = answer.text.rpartition("<!--")[2].removesuffix("-->")
    return any(one["place"] == left for one in found.get("not_mentioned", ()))  # type: ignore[attr-defined, union-attr]


def is_tuned(answer: Answer) -> bool:
    """Return whether the checker was tuned on answers of this repository and wording."""
    known = {**WORDINGS, **{f"callers {name}": value for name, value in CALLER_WORDINGS.items()}}
    return answer.repository in TUNED and known.get(answer.wording, (True,))[0]


def main() -> None:
    """Print the shares of right answers with a complaint, and of seeded mistakes that are reported."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("repositories", nargs="+", metavar="NAME=FOLDER")
    parser.add_argument("--show", choices=["tuned", "other"], help="print what is missed in this half")
    given = parser.parse_args()
    counts: defaultdict[tuple[str, str], list[int]] = defaultdict(lambda: [0, 0])
    for one in given.repositories:
        name, _, folder = one.partition("=")
        repository = Repository(name, Path(folder))
        right = list_right(repository)
        with Workspace(Path(folder)) as workspace:
            call_tool(workspace, "mem.index", {})
            for answer in (*right, *list_seeded(repository, right)):
                text = answer.text.rpartition("<!--")[0] if answer.kind == "missing" else answer.text
                found = call_tool(workspace, "answer.check", {"text": text})
                half = "tuned" if is_tuned(answer) else "other"
                reported = is_reported(found, answer)
                count = counts[answer.kind or "right", half]
                count[0] += reported if answer.kind else not found["ok"]
                count[1] += 1
                if half == given.show and reported is not bool(answer.kind) and (answer.kind or not found["ok"]):
                    print(f"--- {name} {answer.kind or 'right'} {answer.wording}\n{answer.text}\n{found}")
    for kind in ("right", *FACTUAL, "missing"):
        shares = [f"{half} {counts[kind, half][0]} of {counts[kind, half][1]}" for half in ("tuned", "other")]
        print(f"{kind:8} {'complaints' if kind == 'right' else 'reported'}: {', '.join(shares)}")


if __name__ == "__main__":
    main()
