"""Every error fits the output schema of every tool: a host that validates would hide it otherwise."""

from __future__ import annotations

import jsonschema
import pytest

from aurora.faults import Code, Fault
from aurora.tools.mcp.protocol_server import build_output_schema
from aurora.tools.mcp.responses import build_error_result
from aurora.tools.runtime import get_registry


@pytest.mark.parametrize("code", Code)
def test_an_error_of_any_code_fits_the_output_schema_of_every_tool(code: Code) -> None:
    fault = Fault(code, "the words are missing", help="Send words.", details={"faults": [{"path": "$.words"}]})
    content = build_error_result(fault)["structuredContent"]
    for tool in get_registry().load_all():
        jsonschema.validate(content, build_output_schema(tool.output))
