"""What to look for in a syntax tree, as one query a language; each match is one node, and its text says the rest.

`call` is the expression that is called, `new` the class that is made, `base` and `impl` what is inherited and
implemented, `import` a whole statement, `bind` one that gives a variable the type that it has from there on.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

_PYTHON = """
(call function: (identifier) @call)
(call function: (attribute) @call)
(decorator (identifier) @call)
(decorator (attribute) @call)
(class_definition superclasses: (argument_list [(identifier) (attribute)] @base))
(class_definition superclasses: (argument_list (subscript value: (_) @base)))
(import_statement) @import
(import_from_statement) @import
(assignment left: [(identifier) (attribute)] right: (call function: [(identifier) (attribute)])) @bind
(assignment left: [(identifier) (attribute)] type: (type)) @bind
(typed_parameter) @bind
(typed_default_parameter) @bind
(with_item value: (as_pattern)) @bind
"""

_JAVASCRIPT = """
(call_expression function: (identifier) @call)
(call_expression function: (member_expression) @call)
(new_expression constructor: (_) @new)
(jsx_opening_element name: (_) @call)
(jsx_self_closing_element name: (_) @call)
(import_statement) @import
(export_statement source: (string)) @import
(variable_declarator value: (call_expression function: (identifier) arguments: (arguments (string)))) @import
(variable_declarator name: (identifier) value: (new_expression)) @bind
(assignment_expression left: (member_expression object: (this)) right: (new_expression)) @bind
"""

_TYPESCRIPT = """
(class_heritage (extends_clause value: (_) @base))
(class_heritage (implements_clause (_) @impl))
(interface_declaration (extends_type_clause (_) @base))
(required_parameter pattern: (identifier) type: (type_annotation (type_identifier))) @bind
(variable_declarator name: (identifier) type: (type_annotation (type_identifier))) @bind
(public_field_definition type: (type_annotation (type_identifier))) @bind
"""

_GO = """
(call_expression function: (identifier) @call)
(call_expression function: (selector_expression) @call)
(composite_literal type: [(type_identifier) (qualified_type)] @new)
(type_spec type: (struct_type (field_declaration_list (field_declaration !name type: (_) @base))))
(type_spec type: (interface_type (type_elem (_) @base)))
(type_spec type: (interface_type (method_elem name: (_) @member)))
(import_declaration) @import
(parameter_declaration name: (identifier) type: [(type_identifier) (pointer_type)]) @bind
(short_var_declaration) @bind
(var_spec name: (identifier) type: [(type_identifier) (pointer_type)]) @bind
(field_declaration name: (field_identifier) type: [(type_identifier) (pointer_type)]) @bind
"""

_RUST = """
(call_expression function: (identifier) @call)
(call_expression function: (scoped_identifier) @call)
(call_expression function: (field_expression) @call)
(call_expression function: (generic_function function: (_) @call))
(macro_invocation macro: (_) @call)
(struct_expression name: (_) @new)
(impl_item trait: (_) @impl)
(trait_item bounds: (trait_bounds (_) @base))
(use_declaration) @import
(mod_item !body) @import
(let_declaration pattern: (identifier)) @bind
(parameter pattern: (identifier)) @bind
(field_declaration) @bind
"""

_JAVA = """
(method_invocation) @call
(object_creation_expression type: (_) @new)
(method_reference) @call
(superclass (_) @base)
(super_interfaces (type_list (_) @impl))
(extends_interfaces (type_list (_) @base))
(import_declaration) @import
(local_variable_declaration type: (_)) @bind
(field_declaration type: (_)) @bind
(formal_parameter type: (_)) @bind
"""

_C = """
(call_expression function: (identifier) @call)
(call_expression function: (field_expression) @call)
(preproc_include) @import
"""

_CPP = (
    _C
    + """
(call_expression function: (qualified_identifier) @call)
(call_expression function: (template_function) @call)
(new_expression type: (_) @new)
(base_class_clause [(type_identifier) (qualified_identifier) (template_type)] @base)
(declaration type: [(type_identifier) (qualified_identifier)]) @bind
(parameter_declaration type: [(type_identifier) (qualified_identifier)]) @bind
(field_declaration type: [(type_identifier) (qualified_identifier)]) @bind
"""
)

_CSHARP = """
(invocation_expression function: (_) @call)
(object_creation_expression type: (_) @new)
(base_list (_) @base)
(using_directive) @import
(variable_declaration type: [(identifier) (generic_name) (implicit_type)]) @bind
(parameter type: [(identifier) (generic_name)]) @bind
"""

_RUBY = """
(call) @call
(superclass (_) @base)
(body_statement (identifier) @call)
(assignment left: [(identifier) (instance_variable)] right: (call)) @bind
"""

QUERIES: Mapping[str, str] = {
    "c": _C,
    "cpp": _CPP,
    "csharp": _CSHARP,
    "go": _GO,
    "java": _JAVA,
    "javascript": _JAVASCRIPT + "(class_heritage (_) @base)\n",
    "python": _PYTHON,
    "ruby": _RUBY,
    "rust": _RUST,
    "tsx": _JAVASCRIPT + _TYPESCRIPT,
    "typescript": _JAVASCRIPT.replace("(jsx_opening_element name: (_) @call)\n", "").replace(
        "(jsx_self_closing_element name: (_) @call)\n", ""
    )
    + _TYPESCRIPT,
}
