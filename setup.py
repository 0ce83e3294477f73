"""Find the packages of the distribution: the checkout itself is the package `aurora`.

Everything else about the build is in `pyproject.toml`; setuptools' own finder cannot prefix the names that it finds.
"""

from setuptools import find_namespace_packages, find_packages, setup

NOT_SHIPPED = ["bench*", "build*", "dist*", "docs*", "examples*", "snapshots*", "tests*", "workflows*"]
DATA = ["docs.reference.problems", "workflows*"]

found = [*find_packages(exclude=NOT_SHIPPED), *find_namespace_packages(include=DATA)]

setup(
    package_dir={"aurora": "."},
    packages=["aurora", *(f"aurora.{name}" for name in found)],
    package_data={"": ["*.json", "*.md", "*.tsv", "*.yaml", "py.typed"], "aurora.ui": ["static/*", "templates/*"]},
)
