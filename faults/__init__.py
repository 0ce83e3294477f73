"""What can go wrong, in nine codes; every room may raise these."""

from .fault import Code, Fault

__all__ = ["Code", "Fault"]
