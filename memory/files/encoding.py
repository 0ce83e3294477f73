"""Detection of the encoding of a text that is not UTF-8.

No library: charset-normalizer 3.5 names windows-1250 for French, German and Spanish comments, and big5 or cp949 for
short Chinese ones, since a comment is too short for its statistics. Source files need few encodings, and the byte
ranges of the common characters tell these apart.
"""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass
from typing import NamedTuple

_SAMPLE_BYTES = 64 << 10
"""Bytes of lines with other than ASCII that are compared; bounds the time for a file of any size."""
_HEAD_BYTES = 1 << 10
"""Bytes at the start where a file may declare its encoding."""
_MIN_SCORE = 0.7
"""Share of common characters from which a multi-byte encoding is taken."""
_MIN_KOREAN = 8
"""Characters from which Korean is told from Chinese; a text of fewer may use the same byte ranges."""
_MAX_WESTERN = 0.3
"""Share of bytes other than ASCII up to which a text is Western; English, French and German have at most 0.1."""
_MIN_PARITY = 4
"""Times that NUL bytes are as frequent in the high bytes of UTF-16 as in its low ones, which few characters have."""
_WESTERN_RUN = 2
"""Letters other than ASCII in a row up to which a word is Western."""
_MIN_ASCII = 0.02
"""Share of ASCII in UTF-16 without a byte order mark: line ends and blanks at least."""

_DECLARATION = re.compile(rb"(?:coding|charset)[ \t]*[:=][ \t]*[\"']?([-\w.:]{2,40})")
_DECLARED = re.compile(
    r"iso8859-([1-57-9]|1[0356])|cp125[0-8]|cp437|cp85[02]|cp866|koi8-[ru]|mac-roman|cp932|shift_jis|euc_jp|iso2022_jp"
    r"|gb2312|gbk|gb18030|big5|big5hkscs|euc_kr|cp949"
)
"""Encodings that a declaration may name: of text, and with a decoder in the standard library."""
_CONTROLS = re.compile(
    "[\x00-\x08\x0e-\x1a\x1c-\x1f\x7f-\x84\x86-\x9f\ufdd0-\ufdef\ufff0-\ufff8\ufffe\uffff\ue000-\uf8ff]"
)
"""Characters that no text contains; escape (0x1b), form feed and next line (0x85) are found in some."""
_CONTROL_BYTES = re.compile(rb"[\x00-\x08\x0e-\x1a\x1c-\x1f\x7f]")
_HIGH = re.compile(rb"[\x80-\xff]+")
_LETTERS = re.compile(rb"[\xc0-\xd6\xd8-\xf6\xf8-\xff\x8a\x8c\x8e\x9a\x9c\x9e\x9f]")
_SIGNS = re.compile(rb"[\x80\x82-\x87\x89\x8b\x91-\x99\x9b\xa0-\xbf\xd7\xf7]{1,2}")


class DecodedText(NamedTuple):
    """Text, and its encoding as Python names it; the encoding is empty for UTF-8."""

    text: str
    encoding: str


@dataclass(frozen=True, slots=True)
class _MultiByte:
    """Encoding with characters of two bytes.

    Attributes:
        name: as Python names it.
        character: one that is not ASCII; group 1 matches those of everyday texts.
    """

    name: str
    character: re.Pattern[bytes]


def _define(name: str, common: bytes, other: bytes) -> _MultiByte:
    return _MultiByte(name, re.compile(rb"(" + common + rb")|" + other))


_PAIR = rb"[\x81-\xfe][\x40-\xfe]|[\x80-\xff]"
# The rows of each table, by their lead bytes: kana, punctuation, and the level 1 kanji or hanzi, which are the frequent
# ones (JIS X 0208 rows 1-5 and 16-47, GB 2312 rows 1, 3 and 16-55, Big5 A1 and A4-C6, KS X 1001 rows 1 and 16-40).
_SHIFT_JIS = _define(
    "cp932",
    rb"\x81[\x40-\x9a]|\x82[\x4f-\xf1]|\x83[\x40-\x96]|[\x89-\x97][\x40-\x7e\x80-\xfc]|\x88[\x9f-\xfc]|\x98[\x40-\x72]",
    rb"[\x81-\x9f\xe0-\xfc][\x40-\xfc]|[\x80-\xff]",
)
_GBK = _define("gb18030", rb"[\xa1\xa3][\xa1-\xfe]|[\xb0-\xd7][\xa1-\xfe]", _PAIR)
_EUC_JP = _define("euc_jp", rb"[\xa1\xa4\xa5][\xa1-\xfe]|[\xb0-\xcf][\xa1-\xfe]", _PAIR)
_BIG5 = _define("big5", rb"[\xa1\xa4-\xc6][\x40-\x7e\xa1-\xfe]", _PAIR)
_EUC_KR = _define("euc_kr", rb"\xa1[\xa1-\xfe]|[\xb0-\xc8][\xa1-\xfe]", _PAIR)
_MULTI_BYTE = (_GBK, _SHIFT_JIS, _EUC_JP, _BIG5)
_KANA = re.compile(rb"[\xa4\xa5][\xa1-\xfe]")


def decode_text(data: bytes) -> DecodedText | None:
    """Decode a text, guessing its encoding unless it is UTF-8; return None for a binary file.

    A byte order mark decides, then UTF-8, then what the text declares about itself, then the bytes.
    """
    if b"\0" in data or data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return _decode_wide(data)
    try:
        return DecodedText(data.decode("utf-8-sig"), "")
    except UnicodeDecodeError:
        pass
    # A PDF begins with lines of text and may have no NUL byte: it would pass for Latin-1.
    if data.startswith(b"%PDF-") or _CONTROL_BYTES.search(data):
        return None
    declared = _find_declared(data)
    return (declared and _decode(data, declared)) or _decode(data, _guess_encoding(data))


def may_be_wide(head: bytes) -> bool:
    """Return True if a file may be UTF-16: a byte order mark, or NUL bytes by parity."""
    if head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return True
    even, odd = head[::2].count(0), head[1::2].count(0)
    return max(even, odd) > _MIN_PARITY * min(even, odd)


def _decode_wide(data: bytes) -> DecodedText | None:
    """Decode UTF-16 with or without a byte order mark; UTF-32 has the same mark and is not read."""
    # NUL bytes alone are no sign: binary files have them in even and odd places alike.
    if not may_be_wide(data) or len(data) % 2:
        return None
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        big, data, share = data.startswith(codecs.BOM_UTF16_BE), data[2:], 0.0
    else:
        big, share = data[::2].count(0) > data[1::2].count(0), _MIN_ASCII
    found = _decode(data, "utf-16-be" if big else "utf-16-le")
    if found is None or sum(map(str.isascii, found.text)) < share * len(found.text):
        return None
    return found


def _decode(data: bytes, encoding: str) -> DecodedText | None:
    """Decode bytes; return None where they do not fit, or where a character is none of a text's."""
    try:
        text = data.decode(encoding)
    except (LookupError, UnicodeDecodeError):
        return None
    return None if _CONTROLS.search(text) else DecodedText(text, encoding)


def _find_declared(data: bytes) -> str:
    """Find the encoding that a coding line, an XML declaration or a charset names; empty without one."""
    match = _DECLARATION.search(data[:_HEAD_BYTES])
    try:
        name = codecs.lookup(match[1].decode("ascii")).name if match else ""
    except (LookupError, UnicodeDecodeError):
        return ""
    name = "cp1252" if name == "iso8859-1" and re.search(rb"[\x80-\x9f]", data) else name  # as browsers read it
    return name if _DECLARED.fullmatch(name) else ""


def _guess_encoding(data: bytes) -> str:
    """Guess the encoding of a text from its bytes; empty for data that is none."""
    sample = _sample_lines(data)
    best = max(_MULTI_BYTE, key=lambda one: _score_pairs(sample, one))
    score = _score_pairs(sample, best)
    if score >= _MIN_SCORE and score > _score_western(sample) and _decode(data, best.name):
        return _EUC_KR.name if best is _GBK and _is_korean(data, sample) else best.name
    return _choose_single_byte(data, sample)


def _sample_lines(data: bytes) -> bytes:
    """Take the lines with other than ASCII, each from the first such byte, which begins a character."""
    lines, size = [], 0
    for line in data.split(b"\n"):
        if (match := _HIGH.search(line)) is not None:
            lines.append(line[match.start() :][: _SAMPLE_BYTES - size])
            size += len(lines[-1])
            if size >= _SAMPLE_BYTES:
                break
    return b"\n".join(lines)


def _score_pairs(sample: bytes, encoding: _MultiByte) -> float:
    """Compute the share of common characters among those that are not ASCII."""
    if encoding is _EUC_JP and not _KANA.search(sample):
        return 0.0  # without kana it looks as Chinese does
    common = [match[1] is not None for match in encoding.character.finditer(sample)]
    return sum(common) / len(common) if common else 0.0


def _score_western(sample: bytes) -> float:
    """Compute the share of runs that Western texts have: one or two accented letters, or signs."""
    runs = _HIGH.findall(sample)
    good = sum(bool(_SIGNS.fullmatch(run)) or (len(run) <= _WESTERN_RUN and bool(_LETTERS.search(run))) for run in runs)
    return good / len(runs) if runs else 0.0


def _is_korean(data: bytes, sample: bytes) -> bool:
    """Tell Korean from Chinese: its syllables are in the first rows only of those that Chinese uses."""
    count = sum(len(run) for run in _HIGH.findall(sample)) // 2
    return count >= _MIN_KOREAN and _score_pairs(sample, _EUC_KR) == 1.0 and _decode(data, _EUC_KR.name) is not None


def _choose_single_byte(data: bytes, sample: bytes) -> str:
    """Choose among the encodings of one byte per character; empty for data that is none of them."""
    runs = _HIGH.findall(sample)
    size, small = sum(map(len, runs)), len(re.findall(rb"[\xe0-\xff]", sample))
    # Cyrillic words are long runs of bytes above ASCII, and cp1251 has their small letters from 0xE0 on.
    if size > _WESTERN_RUN * len(runs) and small * 2 > size and _decode(data, "cp1251"):
        return "cp1251"
    high = sum(map(len, _HIGH.findall(data)))
    if high > _MAX_WESTERN * len(data):
        return ""
    # Latin-1 has control characters at 0x80 to 0x9F, where cp1252 has quotation marks and dashes.
    return "cp1252" if re.search(rb"[\x80-\x9f]", data) else "iso8859-1"
