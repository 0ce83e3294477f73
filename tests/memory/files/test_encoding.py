"""Texts in other encodings than UTF-8 are read, and binary files stay binary."""

from __future__ import annotations

import hashlib
import io
import marshal
import random
import sqlite3
import zipfile
import zlib
from typing import TYPE_CHECKING

import pytest

from aurora.memory import Memory
from aurora.memory.files.discover import SourceFile
from aurora.memory.files.encoding import decode_text
from aurora.memory.files.read import MAX_BYTES, SourceText, read_source
from aurora.memory.model.reports import SkippedFile

if TYPE_CHECKING:
    from pathlib import Path

TEXTS = [
    ("# Größe prüfen\ndef f(): pass\n", "latin-1"),
    ("/* Author: José */\nint main(void) { return 0; }\n", "latin-1"),
    ("# Vérifie la clé reçue, et renvoie une réponse\n", "latin-1"),
    ("# Año, señal, función, ¿qué?\n", "latin-1"),
    ("# © 2004 Foo\nx = 1\n", "latin-1"),
    ("// AÇÃO, VERSÃO, ÜBERGRÖSSE\n", "latin-1"),
    ("// Läs in användaren från fil, då är allt på plats\n", "latin-1"),
    ("The “first”… of many — and more\n", "cp1252"),
    ("# prix: 5 €\n", "cp1252"),
    ("# 設定ファイルを読み込む\ndef load(): pass\n", "shift_jis"),
    ("int a; // 件数\nint b; // ｶﾅと漢字の混在した説明文\n", "cp932"),
    ("# 读取配置文件\ndef load(): pass\n", "gbk"),
    ("// 测试\nint a;\n", "gbk"),
    ("/* 这个函数返回用户列表。如果出错则返回空。 */\nint f(void);\n", "gbk"),
    ("# 設定ファイルを読み込む。これは関数です\n", "euc_jp"),
    ("# 讀取設定檔案並且傳回使用者清單\n", "big5"),
    ("# 설정 파일을 읽는다 그리고 반환한다\n", "euc_kr"),
    ("# Читает файл настроек и возвращает список\n", "cp1251"),
    ("class Größe { int breite; }\r\n", "utf-16"),
    ("class Größe { int breite; }\r\n", "utf-16-le"),
    ("// 测试 一下\nint a;\n", "utf-16-be"),
    ("# -*- coding: koi8-r -*-\n# Читает файл\n", "koi8-r"),
    ('<?xml version="1.0" encoding="iso-8859-2"?>\n<a>Žluťoučký</a>\n', "iso-8859-2"),
]


@pytest.mark.parametrize(("text", "encoding"), TEXTS)
def test_a_text_in_another_encoding_is_decoded(text: str, encoding: str) -> None:
    decoded = decode_text(text.encode(encoding))
    assert decoded is not None
    assert decoded.text == text
    assert decoded.encoding


@pytest.mark.parametrize("text", ["", "x = 1\n", "# Größe\n", "\ufeff# 設定\n"])
def test_utf_8_has_no_guess(text: str) -> None:
    assert decode_text(text.encode()) == (text.removeprefix("\ufeff"), "")


def build_binaries() -> dict[str, bytes]:
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr("a.txt", "some text " * 50)
    database = sqlite3.connect(":memory:")
    database.execute("CREATE TABLE t (a)")
    noise = random.Random(7)  # noqa: S311 - the same noise each time
    squeezed = zlib.compress(noise.randbytes(3_000))
    return {
        "png": b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01\0\0\0\x01\x08\x06\0\0\0" + squeezed,
        "zip": archive.getvalue(),
        "pyc": b"\xcb\r\r\n" + bytes(12) + marshal.dumps(compile("x = 'é'", "a.py", "exec")),
        "wasm": b"\0asm\x01\0\0\0" + squeezed,
        "sqlite": database.serialize(),
        "woff": b"wOFF\0\x01\0\0" + squeezed,
        "pdf": b"%PDF-1.4\n%\xe2\xe3\xcf\xd3\n1 0 obj\n<< /Type /Catalog >>\nendobj\n",
        "compressed": squeezed,
        "pcm": b"".join(noise.randrange(-3_000, 3_000).to_bytes(2, "little", signed=True) for _ in range(2_000)),
        "noise": noise.randbytes(5_000).replace(b"\0", b"\x01"),
        "odd utf-16": b"\xff\xfea\0b",
        "utf-32": "text".encode("utf-32"),
    }


@pytest.mark.parametrize(
    ("name", "data"), build_binaries().items(), ids=lambda value: value if isinstance(value, str) else ""
)
def test_a_binary_file_stays_binary(name: str, data: bytes) -> None:
    assert decode_text(data) is None, name


def test_a_declaration_of_no_text_encoding_is_ignored() -> None:
    for name in ("zlib", "rot13", "idna", "utf-7", "unknown", "base64"):
        decoded = decode_text(f"# -*- coding: {name} -*-\n# Größe\n".encode("latin-1"))
        assert decoded is not None
        assert decoded.encoding == "iso8859-1"


def test_every_line_keeps_its_number_and_the_hash_is_of_the_bytes(tmp_path: Path) -> None:
    text = "# 一\r\n# Größe\n" * 3_000 + "def last(): pass\n"
    data = text.encode("utf-16")
    (tmp_path / "a.py").write_bytes(data)
    source = read_source(SourceFile("a.py", tmp_path / "a.py", len(data), 0), tmp_path)
    assert isinstance(source, SourceText)
    assert (source.text, source.sha256) == (text, hashlib.sha256(data).hexdigest())


def test_a_wide_file_over_the_limit_is_huge(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_bytes("x\n".encode("utf-16-le") * (10 << 18))
    skipped = read_source(SourceFile("a.py", tmp_path / "a.py", 0, 0), tmp_path)
    assert isinstance(skipped, SkippedFile)
    assert (skipped.reason, skipped.detail.split()[0]) == ("huge", f"{10 << 20:,}")
    assert MAX_BYTES < 10 << 20


def test_such_a_file_is_found_with_its_lines_and_counted_and_read_once(tmp_path: Path) -> None:
    root = tmp_path / "project"
    root.mkdir()
    (root / "a.py").write_bytes("# Umlaute\nx = 1\n\n\ndef prüfe_größe():\n    return 1\n".encode("latin-1"))
    (root / "b.cs").write_bytes("class Wide\n{\n}\n".encode("utf-16"))
    with Memory.open(root / "memory.db") as memory:
        assert memory.index(root).added == 2
        hit = memory.search("prüfe_größe").hits[0].chunk
        assert (hit.path, hit.start_line, hit.metadata["encoding"]) == ("a.py", 5, "iso8859-1")
        with memory.store.begin_read() as db:
            assert db.sizes.count_by_encoding() == {"iso8859-1": 1, "utf-16-le": 1}
        (root / "b.cs").touch()
        again = memory.index(root)
        assert (again.changed, again.unchanged) == (0, 2)
