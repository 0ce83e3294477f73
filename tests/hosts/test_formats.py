"""Entries go into files and out again, and nothing else in them is touched."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import pytest

from aurora.hosts.edit import drop_entry, put_entry, read_entries
from aurora.hosts.files import ConfigFileError
from aurora.hosts.registry import HOSTS

if TYPE_CHECKING:
    from aurora.hosts.host import Host

BY_NAME: dict[str, Host] = {host.name: host for host in HOSTS}
ENTRY = {"command": "aur", "args": ["mcp"]}
BOMB = ("a0: &a0 [x]\n", *(f"a{at}: &a{at} [{', '.join([f'*a{at - 1}'] * 9)}]\n" for at in range(1, 30)))
"""9 ** 29 values, in thirty lines."""


def put(name: str, text: str, entry: Any = None) -> str:
    return put_entry(BY_NAME[name], text, "aurora", entry or ENTRY)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (
            '{\n  "mcpServers": {\n    "db": {}\n  }\n}\n',
            (
                '{\n  "mcpServers": {\n'
                '    "aurora": {\n      "command": "aur",\n      "args": ["mcp"]\n    },\n    "db": {}\n  }\n}\n'
            ),
        ),
        (
            '{ // mine\n\t"a": 1,\n}',
            (
                '{ // mine\n\t"mcpServers": {\n'
                '\t\t"aurora": {\n\t\t\t"command": "aur",\n\t\t\t"args": ["mcp"]\n\t\t}\n\t},\n\t"a": 1,\n}'
            ),
        ),
        ('{"a":1}', '{"mcpServers": {"aurora": {"command": "aur", "args": ["mcp"]}}, "a":1}'),
        ('{ "a": 1 }', '{ "mcpServers": {"aurora": {"command": "aur", "args": ["mcp"]}}, "a": 1 }'),
        (
            '{\r\n    "mcpServers": {}\r\n}\r\n',
            '{\n    "mcpServers": {\n        "aurora": {\n            "command": "aur",\n'.replace("\n", "\r\n")
            + '            "args": ["mcp"]\r\n        }\r\n    }\r\n}\r\n',
        ),
        (
            '{"mcpServers": {\n  // none yet\n}}',
            '{"mcpServers": {\n  "aurora": {\n    "command": "aur",\n    "args": ["mcp"]\n  }\n  // none yet\n}}',
        ),
    ],
    ids=["first of several", "tabs and comments", "one line", "one line with spaces", "windows", "comment alone"],
)
def test_an_entry_takes_the_style_of_the_file(before: str, after: str) -> None:
    made = put("cursor", before)
    assert made == after
    assert put("cursor", made) == made


@pytest.mark.parametrize("name", ["claude-code", "codex", "opencode", "continue"])
def test_a_byte_order_mark_stays(name: str) -> None:
    made = put(name, "\ufeff", {"name": "aurora", **ENTRY})
    assert made.startswith("\ufeff")
    assert list(read_entries(BY_NAME[name], made)) == ["aurora"]


@pytest.mark.parametrize(
    ("name", "text"),
    [("codex", "a = nan\n"), ("continue", "a: .nan\n")],
)
def test_a_nan_in_the_file_does_not_prevent_an_edit(name: str, text: str) -> None:
    made = put(name, text, {"name": "aurora", **ENTRY})
    assert made.startswith(text)
    assert drop_entry(BY_NAME[name], made, "aurora") == text


@pytest.mark.parametrize(
    ("name", "text", "said", "line", "column"),
    [
        ("claude-code", '{\n  "a": 1,\n}', "comma", 2, 9),
        ("claude-code", "{\n  // mine\n}", "comment", 2, 3),
        ("gemini", '{ // mine\n  "a": 1,\n}', "comma", 2, 9),
        ("cursor", '{"a": 1', "expecting ',' delimiter", 1, 8),
        ("cursor", "[]", "not a JSON object", 1, 1),
        ("cursor", '{"mcpServers": []}', "not an object", 0, 0),
        ("cursor", '{"a": "\n"}', "invalid control character", 1, 8),
        ("cursor", '{"a": 01}', "expecting", 1, 8),
        ("cursor", "{} /* x", "unterminated comment", 1, 4),
        ("cursor", '{"a": ' + "[" * 5_000, "too deeply", 0, 0),
        ("cursor", "{} {}", "extra data", 1, 4),
        ("codex", "a = \n", "invalid value", 1, 5),
        ("codex", 'a = """', "", 1, 8),
        ("codex", "mcp_servers = 3", "not a table", 0, 0),
        ("codex", "mcp_servers = { a = {} }", "inline table", 0, 0),
        ("continue", "a: [\n", "", 2, 1),
        ("continue", "- a\n", "not a mapping of", 1, 1),
        ("continue", "mcpServers: 3\n", "not a list", 0, 0),
        ("continue", "a: b\n---\nc: d\n", "expected a single document in the stream, but found another", 2, 1),
        ("continue", "".join(BOMB), "more than 1,000,000 values", 0, 0),
    ],
)
def test_an_invalid_file_is_reported_with_its_position_and_never_edited(
    name: str, text: str, said: str, line: int, column: int
) -> None:
    with pytest.raises(ConfigFileError) as caught:
        put(name, text)
    assert said in caught.value.message
    assert (caught.value.line, caught.value.column) == (line, column)


CODEX = """\
model = "o3"  # mine

[mcp_servers.db]   # the database
command = "db"
notes = \"\"\"
[mcp_servers.aurora]
this is a text
\"\"\"

# about profiles
[profiles.fast]
model = "mini"
"""


def test_a_toml_table_is_appended_and_every_other_byte_stays() -> None:
    made = put("codex", CODEX)
    assert made == CODEX + '\n[mcp_servers.aurora]\ncommand = "aur"\nargs = ["mcp"]\n'
    assert put("codex", made) == made
    assert drop_entry(BY_NAME["codex"], made, "aurora") == CODEX


def test_subtables_are_removed_with_the_entry_and_later_tables_stay() -> None:
    behind = '\n# mine\n[mcp_servers.z]\ncommand = "z"\n'
    made = put("codex", CODEX) + '\n[mcp_servers.aurora.env]\nA = "b"\n' + behind
    assert drop_entry(BY_NAME["codex"], made, "aurora") == CODEX + behind


def test_a_table_with_a_bracket_in_its_name_stays() -> None:
    made = put("codex", "") + '\n["a]b"]\nc = 1\n'
    assert drop_entry(BY_NAME["codex"], made, "aurora") == '\n["a]b"]\nc = 1\n'


CONTINUE = """\
name: Mine # my own
models:
  - name: m
mcpServers:
  # the database
  - name: db
    command: db
    args:
      - "x"   # why x
rules: []
"""


def test_a_yaml_item_is_inserted_first_and_removed_again() -> None:
    entry = {"name": "aurora", "type": "stdio", **ENTRY}
    made = put("continue", CONTINUE, entry)
    added = '  - name: aurora\n    type: stdio\n    command: aur\n    args: ["mcp"]\n'
    assert made == CONTINUE.replace("mcpServers:\n", "mcpServers:\n" + added)
    assert drop_entry(BY_NAME["continue"], made, "aurora") == CONTINUE


@pytest.mark.parametrize(
    "text",
    ["a: 1\n", "a: 1", "mcpServers:\n", "mcpServers: # none\nb: 2\n", "mcpServers: []\n", "mcpServers: [{name: x}]\n"],
)
def test_a_yaml_list_is_edited_in_any_notation(text: str) -> None:
    made = put("continue", text, {"name": "aurora", **ENTRY})
    assert read_entries(BY_NAME["continue"], made)["aurora"] == {"name": "aurora", **ENTRY}


@pytest.mark.parametrize("text", ["{a: 1}\n", "---\na: 1\n...\n"])
def test_a_file_without_a_safe_edit_is_unchanged_and_the_fix_is_named(text: str) -> None:
    with pytest.raises(ConfigFileError, match="does not allow a safe edit") as caught:
        put("continue", text, {"name": "aurora", **ENTRY})
    assert "by hand" in caught.value.help


@pytest.mark.parametrize(
    "text",
    [
        "a=1\r\nb=2\r\n",
        "[[x]]\na=1\n[[x]]\na=2\n",
        'a = [\n  ["x"],\n  ["y"],\n]\n',
        '[mcp_servers.db]\ncommand="x"\n# last\n',
        "[mcp_servers]\nx = { command = 'a' }\n\n\n",
        "mcp_servers.a.command = 'b'\n",
        "s='''\n[mcp_servers.aurora]\n'''  # \"\"\"\n",
        'x = "a # b" # """\n[y]\n',
    ],
)
def test_any_toml_is_restored_when_an_entry_is_added_and_removed(text: str) -> None:
    made = put("codex", text)
    assert put("codex", made) == made
    assert drop_entry(BY_NAME["codex"], made, "aurora") == text


@pytest.mark.parametrize(
    "text",
    [
        "# c\n",
        "mcpServers:\n- name: x\n  command: y\n",
        "mcpServers:\n    - name: x\n      command: y\n# end\n",
        "mcpServers:\n  -\n    name: x\n    args:\n      - a\nb: 1\n",
        "a: &x 1\nb: *x\n",
        "a: |\n  mcpServers:\n    - name: q\nmcpServers:\n  - name: x\n    note: |\n      long\n\n      text\nz: 1\n",
        "a: 1\r\nmcpServers:\r\n  - name: x\r\n",
        "mcpServers:\n  - uses: a/b\n",
        '# mine\n"mcpServers":\n  - name: x\n',
        "mcpServers:\n  - name: x\n    # inner\n\n  # about y\n  - name: y\n",
    ],
)
def test_any_yaml_is_restored_when_an_entry_is_added_and_removed(text: str) -> None:
    entry = {"name": "aurora", **ENTRY}
    made = put("continue", text, entry)
    assert put("continue", made, entry) == made
    assert drop_entry(BY_NAME["continue"], made, "aurora") == text


HOSTILE = {
    "toml": [
        ".".join(["a"] * 200_000) + "=1",
        "[" + ".".join(["a"] * 200_000) + "]",
        "x = {" + ".".join(["'a'"] * 100_000) + "=1}",
        "x = " + "[" * 200_000,
        "x = " + "{a=" * 200_000,
        " " * 200_000,
        "x = [\n[" + " " * 100_000 + "1, 2]\n]\n",
        "a = 1\n" * 300_000,
    ],
    "yaml": ["[" * 200_000, "{a: " * 50_000, "- " * 100_000, "? " * 100_000, "&a [" * 50_000, "a: b\n" * 100_000],
    "json": ["[" * 200_000, '{"a":' * 100_000, "/*" * 200_000, '"' * 200_000, "[1," * 100_000, " " * 200_000],
}
"""Texts on which a parser takes minutes, or gives up without saying why."""


@pytest.mark.parametrize(("form", "text"), [(form, text) for form, texts in HOSTILE.items() for text in texts])
def test_a_hostile_file_is_refused_within_seconds_in_words(form: str, text: str) -> None:
    host = BY_NAME[{"toml": "codex", "yaml": "continue", "json": "cursor"}[form]]
    start = time.process_time()
    said = "it was edited"

    try:
        drop_entry(host, put_entry(host, text, "aurora", ENTRY), "aurora")
    except ConfigFileError as error:
        said = error.message

    assert " " in said
    assert "Error" not in said
    assert time.process_time() - start < 5


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("codex", "\n" + "a." * 20 + "a = 1", "a key has more than 16 parts"),
        ("codex", "\n[" + "a . " * 20 + "a]", "a key has more than 16 parts"),
        ("codex", "a = " + "[" * 120 + "]" * 120, "it is nested too deeply"),
        ("continue", "a:\n  " + "[" * 120 + "]" * 120, "it is nested too deeply"),
        ("continue", "a: b\n" * 60_000, "it is longer than 250,000 characters"),
    ],
)
def test_a_file_that_is_too_deep_or_too_long_is_reported(name: str, text: str, said: str) -> None:
    with pytest.raises(ConfigFileError) as raised:
        put(name, text)
    assert raised.value.message == said


def test_a_long_string_with_dots_is_no_long_key() -> None:
    text = (
        'a = ["' + "a." * 50 + '", 1.5]\nb.c.d = "e"\n[projects."/home/a.b.c.d.e.f.g.h.i.j.k.l.m.n.o.p.q.r.s"]\nx = 1\n'
    )
    assert put("codex", text).startswith(text)


def test_a_comment_above_a_list_that_becomes_empty_stays() -> None:
    made = put("continue", '# mine\n"mcpServers":\n', {"name": "aurora", **ENTRY})
    assert drop_entry(BY_NAME["continue"], made, "aurora") == "# mine\n"
