"""JSON as people write it, any values with white space and comments anywhere, survives what is done to it."""

from __future__ import annotations

import json
import sys
import tempfile
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from aurora.hosts import Launch, UserPaths, apply_changes, get_hosts, plan_changes, plan_removal
from aurora.hosts.edit import drop_entry, put_entry, read_entries

ENTRY = {"command": "aur", "args": ["mcp"]}

SPACE = st.sampled_from(["", " ", "\n", "\n    ", "\r\n\t", " /* a, { */ ", " // }, \n  ", "\n\n"])
SCALAR = st.one_of(st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False, allow_infinity=False), st.text())
KEY = st.one_of(st.sampled_from(["mcpServers", "aur", "servers"]), st.text(max_size=5))


@st.composite
def written(draw: st.DrawFn, depth: int = 2, *, container: bool = True) -> str:
    """A JSON object as a person may have written it, with comments anywhere."""
    if not container and (depth == 0 or draw(st.booleans())):
        return json.dumps(draw(SCALAR), ensure_ascii=draw(st.booleans()))
    keys = draw(st.lists(KEY, unique=True, max_size=4))
    parts = []
    for key in keys:
        value = draw(written(depth - 1, container=key == "mcpServers"))
        parts.append(f"{draw(SPACE)}{json.dumps(key)}{draw(SPACE)}:{draw(SPACE)}{value}{draw(SPACE)}")
    comma = "," if parts and draw(st.booleans()) else ""
    return "{" + ",".join(parts) + comma + draw(SPACE) + "}"


@given(text=written())
@settings(max_examples=50)
def test_any_json_keeps_values_and_comments_when_an_entry_is_added_and_removed(text: str) -> None:
    (host,) = get_hosts(["cursor"])
    before = read_entries(host, text)
    made = put_entry(host, text, "aurora", ENTRY)
    assert read_entries(host, made) == {**before, "aurora": ENTRY}
    assert put_entry(host, made, "aurora", ENTRY) == made
    left = drop_entry(host, made, "aurora")
    if before:
        assert left == text
    for comment in ("/* a, { */", "// },"):
        assert (left or "").count(comment) == text.count(comment)


@given(text=written())
@settings(max_examples=50)
def test_any_json_is_restored_exactly_by_init_and_remove(text: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder).resolve() / "shop"
        path = root / ".cursor" / "mcp.json"
        path.parent.mkdir(parents=True)
        path.write_bytes(text.encode("utf-8"))
        before = path.read_bytes()
        somebody = UserPaths.from_environment({"HOME": folder, "PATH": ""}, "linux")
        cursor, launch = get_hosts(["cursor"]), Launch((sys.executable, "-P", "-m", "aurora"), ())

        apply_changes(plan_changes(root, somebody, cursor, launch).changes, root, somebody)
        assert "aurora" in read_entries(cursor[0], path.read_bytes().decode("utf-8"))
        assert plan_changes(root, somebody, cursor, launch).changes == ()
        apply_changes(plan_removal(root, somebody, cursor).changes, root, somebody)

        assert path.read_bytes() == before
