"""The remedy of a failed write fits its cause."""

from __future__ import annotations

import errno
import os

import pytest

from aurora.system.files import choose_write_remedy, is_disk_full


@pytest.mark.parametrize(
    ("number", "remedy"),
    [
        (errno.ENOSPC, "Free space on the disk."),
        (errno.EDQUOT, "Free space on the disk."),
        (errno.EACCES, "Allow it."),
        (errno.EROFS, "Allow it."),
        (errno.EEXIST, 'Move the file ".aurora" away, so that the folder can take its place.'),
        (errno.ENOTDIR, 'Move the file ".aurora" away, so that the folder can take its place.'),
    ],
)
def test_a_remedy_fits_the_cause(number: int, remedy: str) -> None:
    error = OSError(number, os.strerror(number))

    assert choose_write_remedy(error, "Allow it.", ".aurora") == remedy
    assert is_disk_full(error) == (number in {errno.ENOSPC, errno.EDQUOT})


def test_another_error_is_no_full_disk() -> None:
    assert choose_write_remedy(ValueError("no"), "Allow it.") == "Allow it."
    assert choose_write_remedy(FileExistsError(errno.EEXIST, "x"), "Allow it.") == "Allow it."
