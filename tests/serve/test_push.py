"""`aur push`: a real client, a real server process, and what a hostile client sends."""

from __future__ import annotations

import base64
import contextlib
import hashlib
import json
import signal
import threading
import time
import zlib
from typing import TYPE_CHECKING, Any
from uuid import uuid4

import pytest

from aurora.serve.push import write_tree

from .test_mirrors import Repository

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from .conftest import Answer, Home, Served

PATIENCE = 120.0
PELICAN = 'def open_pelican():\n    """Open the pelican."""\n'
HERON = "def close_heron():\n    return 1\n"
SECRET = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"


@pytest.fixture
def home(make_plain_home: Callable[[], Home]) -> Home:
    made = make_plain_home()
    made.write(
        "[projects.shop]\npush = true\n\n[projects.other]\npush = true\n\n[limits]\nrequests_per_second = 9999\n"
    )
    return made


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    made = Repository(tmp_path / "shop")
    made.commit(**{"pelican.py": PELICAN})
    return made


def push(home: Home, server: Served, repository: Repository, token: str, project: str = "shop") -> Any:
    home.environ["SHOP_TOKEN"] = token
    url = f"http://127.0.0.1:{server.port}/p/{project}"
    done = home.run("push", "--to", url, "--token-env", "SHOP_TOKEN", "--project", str(repository.path), "--json")
    assert done.returncode == 0, done.stderr + server.log.read_text()
    return json.loads(done.stdout)


def find(server: Served, query: str, token: str) -> list[str]:
    found = server.call("/p/shop/mcp", "aurora_search", {"query": query}, token)
    return sorted({hit["path"] for hit in found["hits"] if "path" in hit})


def test_a_commit_becomes_the_base_and_changes_the_view_of_one_person(home: Home, repository: Repository) -> None:
    ann = home.add_token("Ann", "--project", "shop", "--scope", "write")
    bob = home.add_token("Bob", "--project", "shop", "--scope", "read")
    with home.start() as server:
        assert find(server, "open_pelican", bob) == []
        note = server.call("/p/shop/mcp", "aurora_search", {"query": "open_pelican"}, bob)["note"]
        command = f"aur push --to http://127.0.0.1:{server.port}/p/shop"
        assert note.startswith(f"The memory is empty: push its files with `{command}`,")
        first = push(home, server, repository, ann)
        assert (first["view"], first["files"], first["sent"]) == ("base", 1, 1)
        assert first["commit"] == repository.git("rev-parse", "HEAD")
        assert find(server, "open_pelican", bob) == ["pelican.py"]

        (repository.path / "heron.py").write_text(HERON, "utf-8")
        second = push(home, server, repository, ann)
        assert (second["view"], second["files"], second["sent"]) == ("own", 2, 1)
        assert find(server, "close_heron", ann) == ["heron.py"]
        assert find(server, "open_pelican", ann) == ["pelican.py"]
        assert find(server, "close_heron", bob) == []
    with home.start() as server:  # also after a restart
        assert find(server, "close_heron", ann) == ["heron.py"]
        assert find(server, "close_heron", bob) == []

        (repository.path / "pelican.py").unlink()
        repository.commit()
        third = push(home, server, repository, ann)
        assert (third["view"], third["files"], third["sent"]) == ("base", 1, 0)  # it was in the view
        for token in (ann, bob):
            assert find(server, "close_heron", token) == ["heron.py"]
            assert find(server, "open_pelican", token) == []


def test_a_base_and_a_view_with_the_memory_in_a_database_server(
    home: Home, repository: Repository, postgres_url: str
) -> None:
    home.write(f'[projects.shop]\npush = true\ndatabase_project = "{uuid4().hex}/shop"\n')
    home.environ = {"AURORA_DATABASE": postgres_url}
    ann = home.add_token("Ann", "--project", "shop", "--scope", "write")
    bob = home.add_token("Bob", "--project", "shop", "--scope", "read")
    with home.start("--workers", "2") as server:
        assert push(home, server, repository, ann)["view"] == "base"
        (repository.path / "heron.py").write_text(HERON, "utf-8")
        assert push(home, server, repository, ann)["view"] == "own"
        assert find(server, "open_pelican", bob) == find(server, "open_pelican", ann) == ["pelican.py"]
        assert find(server, "close_heron", ann) == ["heron.py"]
        assert find(server, "close_heron", bob) == []


def test_a_wrong_target_or_token_is_named_before_anything_is_sent(tenants: Tenants, repository: Repository) -> None:
    home, server, ann, *_ = tenants
    home.environ = {"SHOP_TOKEN": ann, "ODD": "a b"}
    url = f"http://127.0.0.1:{server.port}/p/shop"
    for words, said in (
        (["--to", url], "Pass --token-env NAME"),
        (["--to", url, "--token-env", "NONE"], "names an environment variable that is not set"),
        (["--to", url, "--token-env", "ODD"], "the value of ODD has characters that no token has"),
        (["--to", f"http://127.0.0.1:{server.port}", "--token-env", "SHOP_TOKEN"], "not the address of a project"),
        (["--to", "http://example.org/p/shop", "--token-env", "SHOP_TOKEN"], "over plain http"),
        (["--to", url.replace("shop", "none"), "--token-env", "SHOP_TOKEN"], 'no project "none" for this token'),
        (["--to", url.replace("shop", "plain"), "--token-env", "SHOP_TOKEN"], "takes no pushes"),
    ):
        done = home.run("push", *words, "--project", str(repository.path))
        assert (done.returncode, said in done.stderr) == (1, True), (words, done)
        assert ann not in done.stderr


def test_a_server_that_does_not_answer_is_not_called_a_wrong_form_of_the_address(
    home: Home, repository: Repository
) -> None:
    done = home.run("push", "--to", "http://127.0.0.1:1/p/shop", "--project", str(repository.path))
    assert done.returncode == 1
    assert "the server does not answer (Connection refused)" in done.stderr
    assert "help: Check that the server runs" in done.stderr
    assert "Pass --to" not in done.stderr


def test_secrets_links_and_ignored_files_are_not_sent(home: Home, repository: Repository, tmp_path: Path) -> None:
    (tmp_path / "outside.py").write_text("outside_word = 1\n", "utf-8")
    (repository.path / "link.py").symlink_to(tmp_path / "outside.py")
    (repository.path / ".auroraignore").write_text("[secrets]\n*.py\n", "utf-8")
    repository.commit(
        **{
            ".gitignore": "ignored.py\n",
            ".env": "A=1\n",
            "key.py": f'TOKEN = "{SECRET}"\n',
            "a:b.c": "int a;\n",
            "aux.c": "int b;\n",
        }
    )
    (repository.path / "ignored.py").write_text("ignored_word = 1\n", "utf-8")  # what git tracks is not ignored
    ann = home.add_token("Ann", "--project", "shop", "--scope", "write")
    with home.start() as server:
        done = push(home, server, repository, ann)
        assert done["view"] == "base"
        assert done["masked_lines"] == 1
        assert find(server, "int b", ann) == ["aux.c"]
        assert {(one["path"], one["reason"]) for one in done["left_out"]} == {
            (".env", "secret"),
            ("a:b.c", "name"),
            ("link.py", "outside"),
        }
    everything = b"".join(path.read_bytes() for path in (home.path / "state").rglob("*") if path.is_file())
    assert SECRET.encode() not in everything
    assert b"outside_word" not in everything
    assert b"ignored_word" not in everything
    assert b"[secret: " in everything


@pytest.fixture(scope="module")
def tenants(make_plain_home: Callable[[], Home]) -> Iterator[tuple[Home, Served, str, str, str]]:
    """Serve two pushed projects and a folder, with two people who write and one who reads."""
    home = make_plain_home()
    folder = home.path / "folder"
    folder.mkdir()
    limits = "[limits]\nrequests_per_second = 9999\nburst = 9999\n"
    tables = f'[projects.shop]\npush = true\n\n[projects.other]\npush = true\n\n[projects.plain]\nfolder = "{folder}"\n'
    home.write(tables + limits)
    ann = home.add_token("Ann", "--project", "shop", "--project", "plain", "--scope", "write")
    bob = home.add_token("Bob", "--project", "shop", "--scope", "write")
    eve = home.add_token("Eve", "--project", "shop", "--scope", "read")
    with home.start() as server:
        yield home, server, ann, bob, eve


Tenants = tuple["Home", "Served", str, str, str]


def pack(data: bytes) -> str:
    return base64.b64encode(zlib.compress(data)).decode()


def make_manifest(files: Any, **change: Any) -> dict[str, Any]:
    """Make a manifest of texts by path, or of rows."""
    rows = [[path, digest(text), len(text)] for path, text in files.items()] if isinstance(files, dict) else files
    return {"commit": "a" * 40, "branch": "main", "clean": True, "files": rows, **change}


def digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def begin(server: Served, token: str, manifest: Any, project: str = "shop") -> Answer:
    body = {"manifest": pack(json.dumps(manifest).encode())}
    return server.post(f"/p/{project}/push/begin", body, token)


def send(server: Served, token: str, identifier: str, **texts: str) -> Answer:
    contents = {sha256.removeprefix("x"): pack(text.encode()) for sha256, text in texts.items()}
    return server.post("/p/shop/push/contents", {"push": identifier, "contents": contents}, token)


def finish(server: Served, token: str, identifier: str) -> Answer:
    while True:
        answer = server.post("/p/shop/push/finish", {"push": identifier}, token)
        if answer.status != 200 or answer.body["state"] == "done":
            return answer


ROW = [digest("a"), 1]
HOSTILE_PATHS = [
    "../up.py",
    "a/../../up.py",
    "/etc/absolute.py",
    "a//b.py",
    "./a.py",
    "",
    "a\0b.py",
    "a\nb.py",
    "a\\b.py",
    "C:/a.py",
    ".git/config",
    "a/.GIT/hooks/post-checkout",
    "git~1/config",
    ".g\u200cit/config",
    ".aurora/memory.db",
    ".Aurora/workflows/own.yaml",
    "node_modules/a.js",
    ".env",
    "id_rsa",
    f"{SECRET}.py",
    "dot.",
    "\ud800.py",
    "a" * 300,
    "a/" * 600 + "b",
    "a/" * 64 + "b",
]
HOSTILE_MANIFESTS: list[Any] = [
    *(make_manifest([[path, *ROW]]) for path in HOSTILE_PATHS),
    make_manifest([["a.py", *ROW], ["A.py", *ROW]]),
    make_manifest([["a/x.py", *ROW], ["A/y.py", *ROW]]),
    make_manifest([["a", *ROW], ["a/b", *ROW]]),
    make_manifest([["\u00e9.py", *ROW], ["e\u0301.py", *ROW]]),
    make_manifest([["a.py", *ROW], ["a.py", *ROW]]),
    make_manifest([["a.py", "../../../../etc/passwd", 1]]),
    make_manifest([["a.py", digest("a"), -1]]),
    make_manifest([["a.py", digest("a"), True]]),
    make_manifest([["a.py", digest("a"), 1 << 40]]),
    make_manifest([[f"{number}.py", digest("a"), 2 << 20] for number in range(600)]),
    make_manifest([[f"{number}.py", *ROW] for number in range(50_001)]),
    make_manifest([], commit="--upload-pack=x"),
    make_manifest([], branch="../../HEAD"),
    make_manifest([], branch="a.lock"),
    make_manifest([], clean="yes"),
    make_manifest([], more=1),
    [],
    "text",
    None,
]


def test_a_hostile_manifest_is_refused(tenants: Tenants) -> None:
    home, server, ann, *_ = tenants
    before = sorted(path for path in home.path.rglob("*") if "pushes" in path.parts)
    for manifest in HOSTILE_MANIFESTS:
        answer = begin(server, ann, manifest)
        assert answer.status == 400, (str(manifest)[:200], answer)
        assert answer.fault["code"] == "INVALID_INPUT"
        assert SECRET not in answer.text
    for packed in ("no base64", pack(b"no json"), pack(b"[" * 100_000), pack(b" " * (33 << 20)), 7, None):
        assert server.post("/p/shop/push/begin", {"manifest": packed}, ann).status == 400
    for body in (b"[]", b"{", b"[" * 100_000):
        assert server.post("/p/shop/push/begin", body, ann).status == 400
    assert sorted(path for path in home.path.rglob("*") if "pushes" in path.parts) == before


def test_a_list_of_as_many_files_as_a_push_may_have_is_taken(tenants: Tenants) -> None:
    _, server, ann, *_ = tenants
    folders = [f"{digest(str(number))[:20]}/{digest(str(-number))[:20]}" for number in range(1, 500)]
    rows = [[f"{folders[n % 499]}/{digest(str(n))[:24]}.py", digest(f"text {n}"), 7] for n in range(50_000)]
    packed = pack(json.dumps(make_manifest(rows)).encode())
    assert len(packed) > 4 << 20  # more than another request may have
    begun = server.post("/p/shop/push/begin", {"manifest": packed}, ann)
    assert (begun.status, len(begun.body["missing"])) == (200, 50_000)


def test_only_contents_that_were_asked_for_are_stored(tenants: Tenants) -> None:
    home, server, ann, bob, _ = tenants
    secret = f'TOKEN = "{SECRET}"\n'
    begun = begin(server, ann, make_manifest({"a.py": "one", "b.py": secret, "c.py": "\xff"})).body
    identifier, one = begun["push"], f"x{digest('one')}"
    assert begun["missing"] == sorted([digest("one"), digest(secret), digest("\xff")])
    assert send(server, ann, identifier, **{one: "two"}).status == 400
    assert send(server, ann, identifier, **{f"x{digest('other')}": "other"}).status == 400
    assert send(server, ann, identifier, **{"x../../up": "one"}).status == 400
    refused = send(server, ann, identifier, **{f"x{digest(secret)}": secret})
    assert (refused.status, refused.fault["code"]) == (403, "FORBIDDEN")
    assert '"b.py" has a password' in refused.fault["message"]
    for token, known in ((ann, "0" * 64), (ann, "../../x"), (ann, ""), (bob, identifier)):
        assert send(server, token, known, **{one: "one"}).status == 404
        assert server.post("/p/shop/push/finish", {"push": known}, token).status == 404
    assert send(server, ann, identifier, **{one: "one"}).status == 200
    incomplete = finish(server, ann, identifier)
    assert (incomplete.status, incomplete.fault["code"]) == (409, "CONFLICT")
    everything = b"".join(path.read_bytes() for path in home.path.rglob("*") if path.is_file())
    assert SECRET.encode() not in everything


def test_a_token_pushes_only_where_it_may_write(tenants: Tenants) -> None:
    _, server, ann, _, eve = tenants
    manifest = make_manifest({})
    assert begin(server, eve, manifest).status == 403
    assert begin(server, ann, manifest, "other").status == 404
    assert begin(server, ann, manifest, "none").status == 404
    assert begin(server, "", manifest).status == 401
    plain = begin(server, ann, manifest, "plain")
    assert (plain.status, plain.fault["message"]) == (404, 'the project "plain" takes no pushes')
    assert server.get("/p/shop/push/begin", ann).status == 405
    assert server.post("/p/shop/push/other", {}, ann).status == 404


def test_the_hash_of_a_content_gives_it_to_nobody(tenants: Tenants) -> None:
    _, server, ann, bob, _ = tenants
    text = "def secret_plan_of_ann():\n    return 1\n"
    manifest = make_manifest({"plan.py": text}, clean=False)
    mine = begin(server, ann, manifest).body["push"]
    assert send(server, ann, mine, **{f"x{digest(text)}": text}).status == 200
    for _ in range(2):  # before and after it is in Ann's view
        his = begin(server, bob, make_manifest({"taken.py": text})).body
        assert his["missing"] == [digest(text)]
        assert finish(server, bob, his["push"]).status == 409
        assert find(server, "secret_plan_of_ann", bob) == []
        assert finish(server, ann, mine).body == {"state": "done", "is_base": False, "commit": "a" * 40, "files": 1}
        assert find(server, "secret_plan_of_ann", ann) == ["plan.py"]


def test_two_pushes_at_once_leave_one_of_them(tenants: Tenants) -> None:
    home, server, ann, bob, eve = tenants
    texts = {
        token: {f"{name}{n}.py": f"def {name}_{n}():\n    return {n}\n" for n in range(20)}
        for token, name in ((ann, "ann"), (bob, "bob"))
    }
    found: dict[str, Answer] = {}

    def run(token: str) -> None:
        identifier = begin(server, token, make_manifest(texts[token])).body["push"]
        send(server, token, identifier, **{f"x{digest(text)}": text for text in texts[token].values()})
        found[token] = finish(server, token, identifier)

    threads = [threading.Thread(target=run, args=(token,)) for token in texts]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(PATIENCE)
    assert [found[token].body["is_base"] for token in texts] == [True, True]
    base = next(home.path.rglob("pushes/shop/base"))
    assert {path.name: path.read_text() for path in base.glob("*.py")} in texts.values()
    assert len(find(server, "ann_1", eve) + find(server, "bob_1", eve)) > 0


@pytest.mark.parametrize("moment", ["contents", "published", "written"])
def test_a_killed_server_goes_on_with_a_push(home: Home, moment: str) -> None:
    ann = home.add_token("Ann", "--project", "shop", "--scope", "write")
    text = "def open_pelican():\n    return 1\n"
    shop = home.path / "state" / "aurora" / "pushes" / "shop"
    wait_for = {"published": shop / "shared" / "published.json", "written": shop / "base" / "pelican.py"}.get(moment)
    with home.start() as server:
        identifier = begin(server, ann, make_manifest({"pelican.py": text})).body["push"]
        assert send(server, ann, identifier, **{f"x{digest(text)}": text}).status == 200
        asking = threading.Thread(target=lambda: try_to_finish(server, ann, identifier))
        if wait_for is not None:
            asking.start()
            deadline = time.monotonic() + PATIENCE
            while not wait_for.exists():
                assert time.monotonic() < deadline
        server.process.send_signal(signal.SIGKILL)
        server.process.wait(60)
        if wait_for is not None:
            asking.join(60)
    with home.start() as server:
        expected = [] if wait_for is None else ["pelican.py"]
        assert find(server, "open_pelican", ann) == expected
        assert finish(server, ann, identifier).body["is_base"] is True
        assert find(server, "open_pelican", ann) == ["pelican.py"]


def try_to_finish(server: Served, token: str, identifier: str) -> None:
    with contextlib.suppress(OSError, Exception):
        finish(server, token, identifier)


def test_a_server_that_cannot_write_says_so_and_the_push_goes_on_later(home: Home) -> None:
    resource = pytest.importorskip("resource")
    ann = home.add_token("Ann", "--project", "shop", "--scope", "write")
    text = "".join(f"def pelican_{number}():\n    return {number}\n" for number in range(5_000))
    with home.start() as server:
        identifier = begin(server, ann, make_manifest({"pelican.py": text})).body["push"]
        before = resource.prlimit(server.process.pid, resource.RLIMIT_FSIZE, (10_000, resource.RLIM_INFINITY))
        failed = send(server, ann, identifier, **{f"x{digest(text)}": text})
        assert failed.status == 503
        assert "the server cannot write the pushed files: file too large" in failed.fault["message"]
        assert list((home.path / "state").rglob("contents/*/*")) == []
        resource.prlimit(server.process.pid, resource.RLIMIT_FSIZE, before)
        assert send(server, ann, identifier, **{f"x{digest(text)}": text}).status == 200
        assert finish(server, ann, identifier).status == 200
        assert find(server, "pelican_7", ann) == ["pelican.py"]


def test_a_tree_is_written_around_what_is_in_its_way(tmp_path: Path) -> None:
    top, outside, content = tmp_path / "tree", tmp_path / "outside", tmp_path / "content"
    for folder in (top / "now-a-file" / "inner", top / ".aurora", outside):
        folder.mkdir(parents=True)
    (outside / "a.py").write_text("untouched", "utf-8")
    (top / "link").symlink_to(outside)
    (top / "file.py").symlink_to(outside / "a.py")
    (top / "now-a-folder").write_text("old", "utf-8")
    (top / "gone.py").write_text("old", "utf-8")
    (top / ".aurora" / "memory.db").write_text("the memory", "utf-8")
    content.write_text("new", "utf-8")
    names = ["link/a.py", "file.py", "now-a-folder/b.py", "now-a-file"]
    for _ in range(2):
        write_tree(top, dict.fromkeys(names, content))
        found = {path.relative_to(top).as_posix() for path in top.rglob("*") if path.is_file()}
        assert found == {*names, ".aurora/memory.db"}
        assert not any(path.is_symlink() for path in top.rglob("*"))
    assert (outside / "a.py").read_text() == "untouched"
    (top / "file.py").write_text("changed by a program", "utf-8")
    assert content.read_text() == "new"


def list_views(home: Home) -> dict[str, tuple[str, int]]:
    done = home.run("serve", "view", "list", "--json")
    assert done.returncode == 0, done.stderr
    return {view["view"]: (view["name"], view["files"]) for view in json.loads(done.stdout)["views"]}


@pytest.mark.parametrize("database", ["file", "server"])
def test_the_operator_lists_and_drops_what_was_pushed(
    home: Home, repository: Repository, database: str, request: pytest.FixtureRequest
) -> None:
    if database == "server":
        home.environ = {"AURORA_DATABASE": request.getfixturevalue("postgres_url")}
    home.write(f'toolsets = ["all"]\n[projects.shop]\npush = true\ndatabase_project = "{uuid4().hex}/shop"\n')
    ann = home.add_token("Ann", "--project", "shop", "--scope", "write")
    (ann_id,) = (one["id"] for one in json.loads(home.run("serve", "token", "list", "--json").stdout)["tokens"])
    assert "nothing has been pushed" in home.run("serve", "view", "list").stdout
    with home.start() as server:
        push(home, server, repository, ann)
        added = server.call("/p/shop/mcp", "aurora_mem_add", {"text": "The tide turns twice a day."}, ann)
        (repository.path / "heron.py").write_text(HERON, "utf-8")
        push(home, server, repository, ann)
        assert list_views(home) == {"base": ("", 1), ann_id: ("Ann", 2)}

        assert "not a terminal" in home.run("serve", "view", "drop", "shop", ann_id).stderr
        assert 'no view "nobody"' in home.run("serve", "view", "drop", "shop", "nobody", "--yes").stderr
        assert (
            'no project "other" that takes pushes' in home.run("serve", "view", "drop", "other", "base", "--yes").stderr
        )
        assert find(server, "close_heron", ann) == ["heron.py"]

        dropped = home.run("serve", "view", "drop", "shop", ann_id, "--yes")
        assert dropped.stdout == f"dropped: the view of {ann_id} in shop, 2 files\n", dropped.stderr
        assert list_views(home) == {"base": ("", 1)}
        assert find(server, "close_heron", ann) == []
        assert find(server, "open_pelican", ann) == ["pelican.py"]
        assert push(home, server, repository, ann)["view"] == "own"  # and it can be pushed again

        dropped = home.run("serve", "view", "drop", "shop", "base", "--yes")
        assert dropped.returncode == 0, dropped.stderr
        assert list_views(home) == {ann_id: ("Ann", 2)}
        assert find(server, "open_pelican", ann) == ["pelican.py"]  # of Ann's own view, which stays
        home.run("serve", "view", "drop", "shop", ann_id, "--yes")
        found = server.call("/p/shop/mcp", "aurora_search", {"query": "tide twice"}, ann)["hits"]
        assert [hit["id"] for hit in found] == [added["id"]]  # the fact stays
    with home.start() as server:
        assert list_views(home) == {}
        assert push(home, server, repository, ann)["view"] == "own"
