"""An answer about a small shop, checked: what is wrong is named with what is right, and what is right is left alone."""

from __future__ import annotations

import json
import os
import subprocess
import time
from typing import TYPE_CHECKING, Any

import pytest

from aurora.errors import Fault
from aurora.tools.runtime.dispatch import call_tool
from aurora.tools.runtime.workspace import Workspace

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

CART = '''"""The cart."""

from shop.prices import round_price

LIMIT = 20


class Cart(Basket):
    """What a customer buys."""

    def __init__(self):
        self.items = []

    def add_item(self, item, count=1):
        """Add an item."""
        if item in self.items:
            raise ValueError("each item once")
        self.items.append((item, count))

    @property
    def total(self):
        return round_price(sum(price for price, _ in self.items))


def empty_cart(cart):
    cart.items.clear()
    return cart
'''

PRICES = '''"""Prices."""


def round_price(price):
    return round(price, 2)


def format_price(price, currency="EUR"):
    text = f"{round_price(price)}"
    return f"{text} {currency}"
'''

FILES = {
    "shop/cart.py": CART,
    "shop/basket.py": "class Basket:\n    def remove_item(self, item):\n        self.items.remove(item)\n",
    "shop/prices.py": PRICES,
    "pyproject.toml": '[project]\nname = "shop"\nversion = "1.4.2"\n',
    "web/index.ts": "export const render = (cart: Cart) => {\n  return `${cart.total}`\n}\n",
    "admin/index.ts": "export const audit = () => 1\n",
    "web/query.ts": (
        "export class Query {\n  #readValue(key: string) {\n    const all = this.raw\n    return all[key]\n  }\n}\n"
    ),
}


def fill(workspace: Workspace) -> Workspace:
    for path, text in FILES.items():
        (workspace.root / path).parent.mkdir(exist_ok=True)
        (workspace.root / path).write_text(text, encoding="utf-8")
    call_tool(workspace, "mem.index", {})
    return workspace


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workspace]:
    """The indexed shop, which no test changes."""
    with Workspace(tmp_path_factory.mktemp("shop")) as workspace:
        yield fill(workspace)


@pytest.fixture
def own_shop(workspace: Workspace) -> Workspace:
    """An indexed shop of the test's own."""
    return fill(workspace)


def check(shop: Workspace, text: str, **more: str) -> dict[str, Any]:
    return call_tool(shop, "answer.check", {"text": text, **more})


def messages(shop: Workspace, text: str, **more: str) -> list[str]:
    found = check(shop, text, **more).get("wrong", [])
    return [f"{one['message']} {one.get('text', '')}".strip() for one in found]


@pytest.mark.parametrize(
    "text",
    [
        "`Cart.add_item` (shop/cart.py:14-18) refuses an item twice.",
        "`add_item` is defined at `shop/cart.py:14`.",
        "See [`empty_cart`](shop/cart.py#L25-L27).",
        "shop/cart.py lines 14-18, and lines 25\u201327 for `empty_cart`.",
        "In cart.py:16 the check is `if item in self.items:`.",
        "| `round_price` | prices.py:4 | rounds |",
        "`Cart.remove_item` is inherited from `Basket` (shop/basket.py:1-3).",
        "`total` (cart.py:20-22) is a property; `render` in index.ts:1 shows it.",
        "`audit` (index.ts:1) is in the second file of that name.",
        "shop/cart.py:25-27 Cart.add_item / empty_cart: one of the two is there.",
        "`readValue` (web/query.ts:3) and `#readValue` (web/query.ts:4) are private.",
        "The project's version is 1.4.2 (pyproject.toml).",
        "```python\n# shop/cart.py:16-17\nif item in self.items:\n    ...\n```",
        "```python shop/prices.py:8\ndef format_price(price, ...):\n```",
        "```\n4  def round_price(price):\n5      return round(price, 2)\n```\n(shop/prices.py:4-5)",
        "I propose a method `Cart.clear_items` in shop/cart.py, next to `add_item`.",
        "Create shop/discounts.py with a function `apply_discount()`.",
        "There is no `find_item` in shop/cart.py.",
        "Use `itertools.pairwise` or `asyncio.run_coroutine_threadsafe` of the standard library.",
        "Change `round(price, 2)` to `round(price, 3)` in shop/prices.py:5:\n\n```python\nreturn round(price, 3)\n```",
        "```diff\n+++ b/shop/prices.py\n-    return round(price, 2)\n+    return round(price, 3)\n```",
        "It sends `Content-Type: text/html`, either and/or `502/503`, to Node.js; see https://example.org/a/b.py:3.",
        "`shop/…/cart.py` has `LIMIT` (line 5).",
        "The regular expression `/^[a-z]+/x.py$/` is not a path.",
    ],
)
def test_right_answers_are_left_alone(shop: Workspace, text: str) -> None:
    found = check(shop, text)
    assert found["ok"]
    assert "wrong" not in found


def test_lines_without_a_name_come_with_the_definition_that_they_lie_in(shop: Workspace) -> None:
    found = check(shop, "`add_item` (shop/cart.py:16) refuses it; see also shop/cart.py:22 and `shop/prices.py:1`.")
    assert found["lie_in"] == {"shop/cart.py:22": "Cart.total", "shop/prices.py:1": "no definition"}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("`add_item` (shop/cart.py:25-27)", "`add_item` is at shop/cart.py:14-18, not 25-27"),
        ("`add_item` is defined at shop/cart.py:15.", "`add_item` begins at line 14, not 15"),
        ("`add_item` (shop/cart.py:15-19)", "`add_item` is at shop/cart.py:14-18, not 15-19"),
        ("shop/cart.py:20-22 Cart.add_item / empty_cart: items", "`Cart.add_item` is at shop/cart.py:14-18, not 20-22"),
        ('{"file": "shop/cart.py", "lines": "20", "function": "add_item"}', "`add_item` is at shop/cart.py:14-18"),
        ("`round_price` (shop/cart.py:12)", "not in shop/cart.py:12; the nearest line with it is 3"),
        ("`format_price` is in shop/cart.py:14.", "it is at shop/prices.py:8-10"),
        ("See shop/cart.py:40-50.", "shop/cart.py has 27 lines: correct the lines"),
        ("See shop/cart.py:18-14.", "the first line is after the last"),
        ("`total` (shop/cart.py:30-32)", "`Cart.total` is at shop/cart.py:20-22"),
        ("See shop/carts.py:3.", "there is no shop/carts.py in the project; did you mean shop/cart.py?"),
        ("The file `store/prices.py` rounds; see `shop/nothing/prices.py`.", "did you mean shop/prices.py?"),
        ("`emty_cart` clears it.", "did you mean `empty_cart` (shop/cart.py:25-27)?"),
        ("The method `recount_stock` in shop/cart.py counts.", "there is no `recount_stock` in the project"),
        ("`Cart.recount()` in shop/cart.py counts.", "`Cart` has no `recount`"),
        ("`Cart.format_price` formats.", "has no `format_price`, nor do its bases; `format_price` is at"),
        (
            "shop/cart.py:16 has `if item in self.baskets:`.",
            "shop/cart.py:16 has other code: quote it as it is if item in self.items:",
        ),
        ("`if item in self.items:` (shop/cart.py:18)", "`if item in self.items:` is at shop/cart.py:16, not 18"),
        (
            "```\n# shop/cart.py\ndef empty_cart(cart):\n    cart.items.reset()\n    return cart\n```",
            "other code: quote it as it is cart.items.clear()",
        ),
        (
            "```python\n# shop/cart.py:10-12\ndef empty_cart(cart):\n    cart.items.clear()\n```",
            "this code is at shop/cart.py:25-26",
        ),
        ("```\n5  def round_price(price):\n```\n(shop/prices.py:4)", "this line is shop/prices.py:4, not 5"),
        ("pyproject.toml says version 1.5.0.", "pyproject.toml does not have 1.5.0"),
    ],
)
def test_each_wrong_claim_comes_with_what_is_right(shop: Workspace, text: str, said: str) -> None:
    found = messages(shop, text)
    assert len(found) == 1
    assert said in found[0]


def test_lines_are_those_of_the_files_as_they_are_now(own_shop: Workspace) -> None:
    (own_shop.root / "shop/prices.py").write_text("\n" * 10 + PRICES, encoding="utf-8")
    assert messages(own_shop, "`round_price` (shop/prices.py:4-5)") == [
        "`round_price` is at shop/prices.py:14-15, not 4-5"
    ]


def test_an_answer_in_json_is_read_with_its_places(shop: Workspace) -> None:
    answer = {"findings": [{"path": "shop/cart.py", "line": 90, "text": "`add_item` is slow."}]}
    assert messages(shop, json.dumps(answer)) == ["shop/cart.py has 27 lines: correct the lines"]


def test_names_of_the_question_need_not_exist(shop: Workspace) -> None:
    text = "`frobnicate_cart` in shop/cart.py is what you want."
    assert messages(shop, text)
    assert not messages(shop, text, question="Where is frobnicate_cart?")


def test_a_name_that_may_be_a_librarys_is_only_doubted(shop: Workspace) -> None:
    found = check(shop, "It ends in `run_in_executor_pool`.")
    assert found["ok"]
    assert "right if a library has it" in found["unsure"][0]["message"]


@pytest.mark.parametrize("path", ["../secret.py", "/etc/passwd", "shop/out.py", "shop/pipe.py", ".git/config"])
def test_nothing_outside_the_project_is_read(own_shop: Workspace, tmp_path: Path, path: str) -> None:
    outside = tmp_path / "elsewhere.py"
    outside.write_text("def hidden_thing():\n    pass\n", encoding="utf-8")
    (own_shop.root / "shop/out.py").symlink_to(outside)
    os.mkfifo(own_shop.root / "shop/pipe.py")
    found = check(own_shop, f"`hidden_thing` ({path}:1-2) is `def hidden_thong():` ({path}:1).")
    assert "hidden_thing():" not in json.dumps(found)


def test_secrets_are_masked_in_what_is_quoted_back(own_shop: Workspace) -> None:
    key = "AKIA" + "Q4ZL7M2XW5RT8NPB"
    (own_shop.root / "shop/keys.py").write_text(f'KEY = load("{key}", retries=3, region="eu")\n', encoding="utf-8")
    found = check(own_shop, f'shop/keys.py:1 has `KEY = load("{key}", retries=4, region="eu")`.')
    assert key not in json.dumps(found)


@pytest.mark.parametrize(
    "text",
    [
        "`add_item` (shop/cart.py:14-18). " * 10_000,
        "\n".join(f"- `name_{n}` (shop/cart.py:{n})" for n in range(1, 10_000)),
        "`" * 900_000,
        "a/" * 400_000,
        "shop/cart.py:1, " * 60_000,
        "```python shop/cart.py\n" + "cart.items.clear()\n" * 40_000 + "```",
        "[" * 100_000,
        "`x_y.z` " * 100_000,
    ],
    ids=["repeated", "citations", "backticks", "slashes", "ranges", "block", "json", "names"],
)
def test_the_largest_answers_take_a_bounded_time(shop: Workspace, text: str) -> None:
    check(shop, "`add_item` (shop/cart.py:14-18)")
    began = time.process_time()
    check(shop, text[:1_000_000])
    assert time.process_time() - began < 6  # two seconds, on a machine that is three times slower


def test_an_answer_without_text_is_refused(shop: Workspace) -> None:
    with pytest.raises(Fault, match="there is no answer to check"):
        check(shop, " ")


MORE_FILES = {
    "stock/queue.py": """class Queues:
    def select_add(self, name):
        self.names.append(name)

    def deselect(self, name):
        if self.consumer is not None and name in self.names:
            self.names.remove(name)


class Store:
    def write_row(self, row):
        raise NotImplementedError


class DiskStore(Store):
    def write_row(self, row):
        return self.file.append(row)


class TapeStore(Store):
    def write_row(self, row):
        return self.tape.append(row)


class MemoryStore(Store):
    def write_row(self, row):
        return self.rows.append(row)


def add_task_queue(queues, name, hub):
    if queues.consumer is not None and name in queues.names:
        return hub.call_soon(ensure_ready, name)
    queues.select_add(name)


def cancel_task_queue(queues, name):
    queues.deselect(name)
    return ensure_ready(name)


def ensure_ready(name):
    return name


def report_state(name):
    return ensure_ready(name)
""",
    "tests/test_queue.py": """from stock.queue import add_task_queue


def test_add_task_queue():
    add_task_queue(None, "mail", None)
""",
}


@pytest.fixture(scope="module")
def stock(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workspace]:
    """An indexed project with callers, overrides and counterparts."""
    with Workspace(tmp_path_factory.mktemp("stock")) as workspace:
        for path, text in MORE_FILES.items():
            (workspace.root / path).parent.mkdir(exist_ok=True)
            (workspace.root / path).write_text(text, encoding="utf-8")
        call_tool(workspace, "mem.index", {})
        yield workspace


def hints(stock: Workspace, text: str, question: str = "") -> dict[str, str]:
    found = check(stock, text, question=question)
    assert found["ok"]
    return {one["place"]: one["why"] for one in found.get("not_mentioned", [])}


def test_a_counterpart_and_a_test_of_what_changes_are_named(stock: Workspace) -> None:
    found = hints(stock, "The bug is in `add_task_queue` (stock/queue.py:30-33), which forgets the options.")
    assert found["stock/queue.py:36-38"] == "the counterpart of `add_task_queue`"
    assert found["tests/test_queue.py:5"] == "tests `add_task_queue`"


def test_a_call_site_that_a_list_leaves_out_is_named_also_without_a_call(stock: Workspace) -> None:
    text = "`ensure_ready` is called in `cancel_task_queue` (stock/queue.py:38) and `report_state` (stock/queue.py:46)."
    assert hints(stock, text) == {"stock/queue.py:32": "`ensure_ready` is used here too"}


def test_overrides_of_what_changes_are_named(stock: Workspace) -> None:
    found = hints(stock, "Fix `DiskStore.write_row` (stock/queue.py:16-17): it should flush.")
    assert set(found) == {"stock/queue.py:11-12", "stock/queue.py:21-22", "stock/queue.py:26-27"}


def test_a_line_of_the_same_form_is_named_with_its_function(stock: Workspace) -> None:
    text = "The bug: `return self.file.append(row)` (stock/queue.py:17) is wrong."
    assert not any("has the form" in why for why in hints(stock, text).values())  # of another attribute
    found = hints(stock, "The bug: `return ensure_ready(name)` (stock/queue.py:38) is wrong.")
    assert found["stock/queue.py:46"] == "has the form of stock/queue.py:38"


def test_the_other_classes_of_a_kind_are_named_where_all_are_asked_for(stock: Workspace) -> None:
    text = "`DiskStore` (stock/queue.py:15) and `TapeStore` (stock/queue.py:20)."
    assert hints(stock, text, "Which stores are there?") == {"stock/queue.py:25-27": "is a `Store` too"}
    assert not hints(stock, text)


def test_an_explanation_gets_no_hints(stock: Workspace) -> None:
    assert not hints(stock, "`add_task_queue` (stock/queue.py:30-33) selects the queue and adds its name.")


def test_a_part_of_the_question_without_a_word_in_the_answer_is_open(stock: Workspace) -> None:
    question = "How are task queues selected? Does encryption protect stored passwords?"
    found = check(stock, "`add_task_queue` (stock/queue.py:30) selects a task queue.", question=question)
    assert found["open"] == ["Does encryption protect stored passwords?"]


def test_a_finding_of_a_review_is_in_or_next_to_a_changed_line(own_shop: Workspace) -> None:
    git = ["git", "-C", str(own_shop.root), "-c", "user.name=Ada", "-c", "user.email=ada@example.org"]
    for words in (["init", "-q"], ["add", "."], ["commit", "-q", "-m", "The shop"]):
        subprocess.run([*git, *words], check=True)
    cart = own_shop.root / "shop/cart.py"
    cart.write_text(cart.read_text(encoding="utf-8").replace("each item once", "once"), encoding="utf-8")
    text = "- shop/cart.py:16 raises.\n- shop/cart.py:25 clears it.\n- shop/prices.py:5 rounds.\n"
    assert messages(own_shop, text, base="HEAD") == [
        "shop/cart.py:25 is not changed since HEAD; shop/cart.py is at 17",
        "shop/prices.py is not changed since HEAD: name the changed line that causes it",
    ]
