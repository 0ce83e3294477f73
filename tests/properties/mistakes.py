"""Mistakes that people make, each made at a known line of a right workflow, with what must be said of it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from generated import workflow

if TYPE_CHECKING:
    from aurora.interpreter import Problem

MOST_SEEDS = 400
"""Workflows that are tried until one has what the mistake is made in."""


@dataclass(frozen=True)
class Mistake:
    """One kind.

    Attributes:
        name: what was done, in words.
        find: what it is made in; the first match in the text.
        put: what stands there then.
        codes: any of these is the right word for it.
        down: the problem may be told at the line of the match, or so many lines below it.
        up: or so many lines above.
    """

    name: str
    find: str
    put: str
    codes: str
    down: int = 0
    up: int = 0
    also: str = ""
    """What else it truly brings about elsewhere."""


@dataclass(frozen=True)
class Mistaken:
    """A workflow with the mistake in it, and the lines on which it may be told."""

    text: str
    lines: range


def make(mistake: Mistake, seed: int) -> Mistaken:
    """The mistake, made in the first workflow from this seed on that has the place for it."""
    for number in range(seed, seed + MOST_SEEDS):
        text = workflow(number).text
        match = re.search(mistake.find, text, re.MULTILINE)
        if match is not None:
            line = text.count("\n", 0, match.start()) + 1
            edited = text[: match.start()] + match.expand(mistake.put) + text[match.end() :]
            return Mistaken(edited, range(line - mistake.up, line + mistake.down + 1))
    message = f"no workflow has a place for: {mistake.name}"
    raise LookupError(message)


def missed(mistake: Mistake, mistaken: Mistaken, problems: tuple[Problem, ...]) -> str:
    """Why what was found is not the mistake and nothing but it; empty when it is."""
    codes = mistake.codes.split()
    told = [one for one in problems if one.code in codes and _there(one, mistaken.lines)]
    if not told:
        return f"none of {codes} on line {mistaken.lines.start}: {[one.heading for one in problems]}"
    rest = [one.heading for one in problems if not _there(one, mistaken.lines) and one.code not in mistake.also]
    return f"besides: {rest}" if rest else ""


def _there(problem: Problem, lines: range) -> bool:
    return problem.line in lines or any(f":{line}:" in problem.note for line in lines)


PROMPT = r"    prompt_template: \|\n(      .*\n)+"

MISTAKES = (
    # names of phases
    Mistake("a misspelt target", r"(- \{.*then: )p(\d)", r"\1pp\2", "E251"),
    Mistake("a misspelt target in short", r"next_action: (also_)?p(\d)", r"next_action: q\2", "E251"),
    Mistake("a misspelt alias", r"then: also_p(\d)", r"then: alos_p\1", "E251"),
    Mistake("a misspelt else", r"else: p(\d)", r"else: pp\1", "E251"),
    Mistake("a misspelt start", r"^start: p0", "start: p00", "E251"),
    Mistake("a misspelt on_error", r"on_error: sorry", "on_error: sory", "E251"),
    Mistake("a misspelt phase in from", r"from: phases\.p(\d)", r"from: phases.q\1", "E303 E501"),
    Mistake("two phases of one alias", r"aliases: \[(also_p[1-9])\]", r"aliases: [\1, p0]", "E205"),
    Mistake("an alias that is taken", r"aliases: \[(also_p\d)\]", r"aliases: [\1, end]", "E206"),
    # names of fields
    Mistake("a misspelt field in from", r"(from: phases\.p\d\.answer\.\w+),", r"\1x,", "E303 E501"),
    Mistake("a misspelt part in from", r"(from: phases\.p\d)\.answer", r"\1.anwser", "E303 E501"),
    Mistake("a misspelt input in from", r"from: inputs\.task", "from: inputs.tusk", "E303 E501"),
    Mistake("a misspelt input in when", r"(when: .*inputs)\.(sure|colour|count)\b", r"\1.\2z", "E303"),
    Mistake("a misspelt field in when", r"inputs\.leaf\.whole", "inputs.leaf.whoel", "E303"),
    Mistake("a misspelt field of a result", r"length\(hits\)", "length(hitz)", "E303"),
    Mistake("a misspelt name in with", r"query: task", "query: tusk", "E303"),
    Mistake("a misspelt list in for_each", r"in: inputs\.parts", "in: inputs.prats", "E303"),
    # keys
    Mistake("a misspelt next_action", r"^    next_action:", "    next_actions:", "E202"),
    Mistake("a misspelt inputs", r"^    inputs:", "    input:", "E202"),
    Mistake("a misspelt prompt_template", r"^    prompt_template:", "    prompt_templat:", "E202"),
    Mistake("a misspelt answer", r"^    answer:", "    anwser:", "E202"),
    Mistake("a misspelt uses", r"^    uses:", "    use:", "E202"),
    Mistake("a misspelt then", r"(- \{.*)then:", r"\1than:", "E202"),
    Mistake("a misspelt when", r"- \{ when:", "- { wen:", "E202"),
    Mistake("a misspelt max", r", max: (\d)", r", maks: \1", "E202"),
    Mistake("a misspelt version", r"^version:", "verison:", "E202"),
    Mistake("a key twice", r"^(      task: .*\n)", r"\1\1", "E105", down=1),
    Mistake("a phase in capitals", r"^  sorry:", "  Sorry:", "E204 E251"),
    Mistake("a name that is missing", r"^name: w\n", "", "E203", up=1),
    # values
    Mistake("a newer language", r"^aurora: 1", "aurora: 3", "E207"),
    Mistake("a bound of none", r"max: \d", "max: 0", "E201"),
    Mistake("a word for a truth", r"optional: true", "optional: maybe", "E201"),
    Mistake("a default that does not fit", r'default: "nobody knows"', "default: 7", "E201 E256 E505"),
    Mistake("a type that there is not", r"type: integer", "type: int", "E256"),
    Mistake("a word for a number in a schema", r"minLength: 1", "minLength: one", "E256"),
    Mistake("a reference to nothing", r"(      sure: )\{ type: boolean \}", r'\1{ $ref: "#/nowhere" }', "E256"),
    # tools
    Mistake("a misspelt tool", r"uses: mem\.search", "uses: mem.serch", "E252"),
    Mistake("a misspelt argument", r"^      limit:", "      limits:", "E258"),
    Mistake("an argument of a wrong type", r'limit: "`3`"', "limit: \"'three'\"", "E505"),
    Mistake(  # no argument of mem.search is needed in every call
        "an argument that is missing",
        r"uses: mem\.search\n    with:\n      query: task\n", "uses: agents.search\n    with:\n",
        "E203 E258 E505", down=2,
    ),
    Mistake(
        "a setting that there is not",
        r"^    uses: mem.search\n", r"\g<0>    params: { deep: true }\n", "E253", down=1,
    ),
    # expressions
    Mistake("a value that the enum lacks", r"'(amber|fine|plain)'", r"'\1x'", "E307"),
    Mistake("a bare word for a text", r"== '(\w+)'", r"== \1", "E304"),
    Mistake("double quotes for a text", r"== '(\w+)'", r'== \\"\1\\"', "E304"),
    Mistake("a number without backticks", r"(when: .*[<>]=? )`(\d)`", r"\1\2", "E301"),
    Mistake("and for &&", r" && ", " and ", "E301"),
    Mistake("or for ||", r" \|\| ", " or ", "E301"),
    Mistake("not for !", r'when: "!\(', 'when: "not (', "E301 E302"),
    Mistake("one = for two", r" == ", " = ", "E301"),
    Mistake("a dollar", r'when: "inputs', 'when: "$.inputs', "E301"),
    Mistake("a bracket that is never closed", r"length\(hits\)", "length(hits", "E301"),
    Mistake("an unknown function", r"length\(hits\)", "len(hits)", "E302"),
    Mistake("an argument too many", r"length\(hits\)", "length(hits, hits)", "E302 E311"),
    Mistake("an argument of a wrong kind", r"length\(hits\)", "length(confidence)", "E311"),
    Mistake("an order of number and text", r"(inputs\.count [<>]=?) `\d`", r"\1 'few'", "E305"),
    Mistake("an equality of truth and text", r"inputs\.sure == `true`", "inputs.sure == 'yes'", "E305 E307"),
    Mistake("a condition that is a number", r"length\(hits\) > `0`", "length(hits)", "E306"),
    Mistake("a ! that takes too little", r"!\(inputs\.leaf\.grade == 'plain'\)", "!inputs.leaf.whole", "E308"),
    Mistake("a test that never differs", r"inputs\.count >= `5`", "inputs.count >= `50`", "W309 E404"),
    Mistake("a text to go through", r"in: inputs\.parts", 'in: "inputs.parts[0]"', "E305 E306 E311 E505"),
    # control flow
    Mistake("no default", r"^(      - \{ when: .*\n)      - \{ then: end \}\n", r"\1", "W405", up=4),
    Mistake("no else", r"(max: \d), else: \w+", r"\1", "E403"),
    Mistake("no bound", r", max: \d, else: \w+", "", "E402"),
    Mistake("an else without a bound", r", max: \d, else", ", else", "E402 E403 E208"),
    Mistake("a rule twice", r"^      - \{ when.*then: end.*\n", r"\g<0>\g<0>", "E404", down=1),
    Mistake(
        "an island", r"^  sorry:", "  lone: { prompt_template: Say a., answer: { type: string }, next_action: end }\n"
        r"\g<0>", "E401",
    ),
    Mistake(
        "a cycle without a way out",
        r"next_action: end\n(?=    on_error|  sorry)", "next_action: p0\n", "E402 E406 E407", down=1, also="E407 W504",
    ),
    # data flow
    Mistake("a type that does not fit", r"(answer\.sure), type: boolean", r"\1, type: integer", "E505", also="E306"),
    Mistake(
        "an input that nothing uses",
        r"^    inputs:\n", r"\g<0>      spare: { type: string }\n", "W603 W504", down=1,
    ),
    # prompts
    Mistake("a misspelt variable", r"\{\{ before \}\}", "{{ befor }}", "E602"),
    Mistake("a misspelt item", r"\{\{ part \}\}", "{{ prat }}", "E602"),
    Mistake("a tag that is never closed", r"\{\{ task \}\}", "{{ task", "E601", down=6),
    Mistake("an unknown filter", r"\{\{ task \}\}", "{{ task | uper }}", "E601 E602"),
    Mistake("a prompt that is no file", PROMPT, "    prompt_template: prompts/none.md\n", "E254"),
    Mistake("an answer to no prompt", PROMPT, "", "E208 E203", down=1, up=6),
    # YAML
    Mistake("an unquoted template", r"^title: .*", "title: {{ name }}", "E104 E201 E106"),
    Mistake("an unquoted backtick", r'limit: "`3`"', "limit: `3`", "E104"),
    Mistake("a tab", r"^    inputs:", "\tinputs:", "E104"),
    Mistake("a list that is never closed", r"aliases: \[also_p(\d)\]", r"aliases: [also_p\1", "E104", down=1),
)  # fmt: skip
