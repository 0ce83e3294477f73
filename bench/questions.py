"""Questions that people ask of a code base such as the standard library and the packages around it."""

from __future__ import annotations

import re
from typing import Any

SIMPLE = (
    "Where is JSONDecoder defined?",
    "What is the default timeout of urlopen?",
    "Which class parses command line arguments?",
    "Show me the function that walks a directory tree",
    "Where is the retry delay computed?",
    "What does contextmanager return?",
    "Which module holds the Path class?",
    "Where are HTTP status codes listed?",
    "What is UsageError?",
    "Find the code that escapes HTML",
    "Where does logging format a record?",
    "Which function compiles a regular expression?",
)

LONG = (
    "Add a retry with a growing delay to urlopen and write a test for it",
    "Explain how asyncio schedules callbacks and how a task is cancelled",
    "Extend the JSON encoder so that dataclasses are written without a custom default",
    "Change the argument parser so that unknown options name the nearest known option",
    "Explain how logging handlers are closed at exit and add a check for leaked ones",
    "Add a cache to the directory walker and make sure that it notices new files",
)


def answer(response: dict[str, Any], query: str) -> Any:
    """Make a possible answer of an assistant to this response's prompt.

    It is short and has the required form.
    """
    schema = response["next_call"]["needs"]["answer"]
    if isinstance(response["prompt_template"], list):
        return [{"status": "done", "output": f"Done as asked: {query}"} for _ in response["prompt_template"]]
    if "subgoals" in schema["properties"]:
        return {"goal": query, "subgoals": _subgoals(query, response["prompt_template"])}
    return {"answer": f"It was done: {query}", "citations": [], "confidence": 0.9}


def _subgoals(query: str, prompt: str) -> list[dict[str, Any]]:
    """Make three subgoals that quote the query in turns and look in the files of the prompt."""
    words = query.split()
    third = -(-len(words) // 3)
    files = re.findall(r"^code:\S+ ([^\s:]+)", prompt, re.MULTILINE) or ["new: notes.md"]
    return [
        {
            "id": f"s{number}",
            "description": f"Read `{files[number % len(files)]}` and note the facts of area {number}",
            "covers": [" ".join(words[(number - 1) * third : number * third]) or words[0]],
            "where": [files[number % len(files)]],
            "depends_on": [f"s{number - 1}"][: number - 1],
        }
        for number in range(1, 4)
    ]
