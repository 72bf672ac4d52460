/*
 * The parser's tree laid out flat, for the lowering alone: one array in
 * preorder with our own node kinds, made in one pass of a cursor. Punctuation
 * and comments are left out. Node 0 is the root, so 0 also means "none".
 */
#ifndef CMPD_ANALYSIS_IR_TREE_H
#define CMPD_ANALYSIS_IR_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <tree_sitter/api.h>

/* kind, name in the grammar, 1 if a named node */
#define IR_NODE_KINDS(X)                                                     \
    X(ABSTRACT_ARRAY, "abstract_array_declarator", 1)                        \
    X(ABSTRACT_FUNCTION, "abstract_function_declarator", 1)                  \
    X(ABSTRACT_PAREN, "abstract_parenthesized_declarator", 1)                \
    X(ABSTRACT_POINTER, "abstract_pointer_declarator", 1)                    \
    X(ABSTRACT_REFERENCE, "abstract_reference_declarator", 1)                \
    X(ALIAS_DECL, "alias_declaration", 1)                                    \
    X(ALIGNAS, "alignas_qualifier", 1)                                       \
    X(ALIGNOF, "alignof_expression", 1)                                      \
    X(ARG_LIST, "argument_list", 1)                                          \
    X(ARRAY_DECLARATOR, "array_declarator", 1)                               \
    X(ASSIGNMENT, "assignment_expression", 1)                                \
    X(ATTRIBUTED_DECLARATOR, "attributed_declarator", 1)                     \
    X(ATTRIBUTED_STMT, "attributed_statement", 1)                            \
    X(ATTRIBUTE_DECL, "attribute_declaration", 1)                            \
    X(AUTO, "auto", 1)                                                       \
    X(BASE_CLAUSE, "base_class_clause", 1)                                   \
    X(BINARY, "binary_expression", 1)                                        \
    X(BITFIELD, "bitfield_clause", 1)                                        \
    X(BREAK, "break_statement", 1)                                           \
    X(CALL, "call_expression", 1)                                            \
    X(CASE, "case_statement", 1)                                             \
    X(CAST, "cast_expression", 1)                                            \
    X(CATCH, "catch_clause", 1)                                              \
    X(CHAR, "char_literal", 1)                                               \
    X(CLASS, "class_specifier", 1)                                           \
    X(COMMA, "comma_expression", 1)                                          \
    X(COMPOUND_LITERAL, "compound_literal_expression", 1)                    \
    X(COMPOUND, "compound_statement", 1)                                     \
    X(CONCAT_STRING, "concatenated_string", 1)                               \
    X(CONDITION, "condition_clause", 1)                                      \
    X(CONDITIONAL, "conditional_expression", 1)                              \
    X(CONTINUE, "continue_statement", 1)                                     \
    X(CO_RETURN, "co_return_statement", 1)                                   \
    X(CO_YIELD, "co_yield_statement", 1)                                     \
    X(CO_AWAIT, "co_await_expression", 1)                                    \
    X(DECL, "declaration", 1)                                                \
    X(DECL_LIST, "declaration_list", 1)                                      \
    X(DECLTYPE, "decltype", 1)                                               \
    X(DEFAULT_METHOD, "default_method_clause", 1)                            \
    X(DELETE, "delete_expression", 1)                                        \
    X(DELETE_METHOD, "delete_method_clause", 1)                              \
    X(DEPENDENT_NAME, "dependent_name", 1)                                   \
    X(DEPENDENT_TYPE, "dependent_type", 1)                                   \
    X(DESTRUCTOR_NAME, "destructor_name", 1)                                 \
    X(DO, "do_statement", 1)                                                 \
    X(ELSE, "else_clause", 1)                                                \
    X(ENUM, "enum_specifier", 1)                                             \
    X(ENUMERATOR, "enumerator", 1)                                           \
    X(ENUM_LIST, "enumerator_list", 1)                                       \
    X(EXPR_STMT, "expression_statement", 1)                                  \
    X(EXTENSION, "extension_expression", 1)                                  \
    X(FALSE, "false", 1)                                                     \
    X(FIELD_DECL, "field_declaration", 1)                                    \
    X(FIELD_LIST, "field_declaration_list", 1)                               \
    X(FIELD_DESIGNATOR, "field_designator", 1)                               \
    X(FIELD_EXPR, "field_expression", 1)                                     \
    X(FIELD_ID, "field_identifier", 1)                                       \
    X(FIELD_INIT, "field_initializer", 1)                                    \
    X(FIELD_INIT_LIST, "field_initializer_list", 1)                          \
    X(FOLD, "fold_expression", 1)                                            \
    X(FOR_RANGE, "for_range_loop", 1)                                        \
    X(FOR, "for_statement", 1)                                               \
    X(FRIEND, "friend_declaration", 1)                                       \
    X(FUNCTION_DECLARATOR, "function_declarator", 1)                         \
    X(FUNCTION, "function_definition", 1)                                    \
    X(GENERIC, "generic_expression", 1)                                      \
    X(ASM, "gnu_asm_expression", 1)                                          \
    X(ASM_INPUT, "gnu_asm_input_operand", 1)                                 \
    X(ASM_INPUTS, "gnu_asm_input_operand_list", 1)                           \
    X(ASM_OUTPUT, "gnu_asm_output_operand", 1)                               \
    X(ASM_OUTPUTS, "gnu_asm_output_operand_list", 1)                         \
    X(ASM_QUALIFIER, "gnu_asm_qualifier", 1)                                 \
    X(GOTO, "goto_statement", 1)                                             \
    X(IDENT, "identifier", 1)                                                \
    X(IF, "if_statement", 1)                                                 \
    X(INIT_DECLARATOR, "init_declarator", 1)                                 \
    X(INIT_STMT, "init_statement", 1)                                        \
    X(INIT_LIST, "initializer_list", 1)                                      \
    X(INIT_PAIR, "initializer_pair", 1)                                      \
    X(KERNEL_CALL, "kernel_call_syntax", 1)                                  \
    X(LABELED, "labeled_statement", 1)                                       \
    X(LAMBDA_CAPTURES, "lambda_capture_specifier", 1)                        \
    X(LAMBDA_CAPTURE_INIT, "lambda_capture_initializer", 1)                  \
    X(LAMBDA_DEFAULT, "lambda_default_capture", 1)                           \
    X(LAMBDA, "lambda_expression", 1)                                        \
    X(LAUNCH_BOUNDS, "launch_bounds", 1)                                     \
    X(LINKAGE, "linkage_specification", 1)                                   \
    X(NAMESPACE_ALIAS, "namespace_alias_definition", 1)                      \
    X(NAMESPACE, "namespace_definition", 1)                                  \
    X(NAMESPACE_ID, "namespace_identifier", 1)                               \
    X(NESTED_NAMESPACE, "nested_namespace_specifier", 1)                     \
    X(NEW_DECLARATOR, "new_declarator", 1)                                   \
    X(NEW, "new_expression", 1)                                              \
    X(NULL_LITERAL, "null", 1)                                               \
    X(NUMBER, "number_literal", 1)                                           \
    X(OFFSETOF, "offsetof_expression", 1)                                    \
    X(OPERATOR_CAST, "operator_cast", 1)                                     \
    X(OPERATOR_NAME, "operator_name", 1)                                     \
    X(OPTIONAL_PARAM, "optional_parameter_declaration", 1)                   \
    X(OPTIONAL_TYPE_PARAM, "optional_type_parameter_declaration", 1)         \
    X(PARAM, "parameter_declaration", 1)                                     \
    X(PARAM_LIST, "parameter_list", 1)                                       \
    X(PACK_EXPANSION, "parameter_pack_expansion", 1)                         \
    X(PAREN_DECLARATOR, "parenthesized_declarator", 1)                       \
    X(PAREN, "parenthesized_expression", 1)                                  \
    X(PLACEHOLDER_TYPE, "placeholder_type_specifier", 1)                     \
    X(POINTER_DECLARATOR, "pointer_declarator", 1)                           \
    X(POINTER_TYPE_DECLARATOR, "pointer_type_declarator", 1)                 \
    X(POINTER_EXPR, "pointer_expression", 1)                                 \
    X(PRIMITIVE_TYPE, "primitive_type", 1)                                   \
    X(QUALIFIED_ID, "qualified_identifier", 1)                               \
    X(RAW_STRING, "raw_string_literal", 1)                                   \
    X(REFERENCE_DECLARATOR, "reference_declarator", 1)                       \
    X(REQUIRES_EXPR, "requires_expression", 1)                               \
    X(REQUIRES, "requires_clause", 1)                                        \
    X(RETURN, "return_statement", 1)                                         \
    X(SEH_LEAVE, "seh_leave_statement", 1)                                   \
    X(SEH_TRY, "seh_try_statement", 1)                                       \
    X(SIZED_TYPE, "sized_type_specifier", 1)                                 \
    X(SIZEOF, "sizeof_expression", 1)                                        \
    X(STATEMENT_ID, "statement_identifier", 1)                               \
    X(STATIC_ASSERT, "static_assert_declaration", 1)                         \
    X(STORAGE_CLASS, "storage_class_specifier", 1)                           \
    X(STRING, "string_literal", 1)                                           \
    X(STRUCT, "struct_specifier", 1)                                         \
    X(STRUCTURED_BINDING, "structured_binding_declarator", 1)                \
    X(SUBSCRIPT_ARGS, "subscript_argument_list", 1)                          \
    X(SUBSCRIPT_DESIGNATOR, "subscript_designator", 1)                       \
    X(SUBSCRIPT_RANGE_DESIGNATOR, "subscript_range_designator", 1)           \
    X(SUBSCRIPT, "subscript_expression", 1)                                  \
    X(SWITCH, "switch_statement", 1)                                         \
    X(TEMPLATE_ARGS, "template_argument_list", 1)                            \
    X(TEMPLATE_DECL, "template_declaration", 1)                              \
    X(TEMPLATE_FUNCTION, "template_function", 1)                             \
    X(TEMPLATE_INSTANTIATION, "template_instantiation", 1)                   \
    X(TEMPLATE_METHOD, "template_method", 1)                                 \
    X(TEMPLATE_PARAMS, "template_parameter_list", 1)                         \
    X(TEMPLATE_TEMPLATE_PARAM, "template_template_parameter_declaration", 1) \
    X(TEMPLATE_TYPE, "template_type", 1)                                     \
    X(THIS, "this", 1)                                                       \
    X(THROW, "throw_statement", 1)                                           \
    X(TRAILING_RETURN, "trailing_return_type", 1)                            \
    X(TRANSLATION_UNIT, "translation_unit", 1)                               \
    X(TRUE, "true", 1)                                                       \
    X(TRY, "try_statement", 1)                                               \
    X(TYPE_DEF, "type_definition", 1)                                        \
    X(TYPE_DESCRIPTOR, "type_descriptor", 1)                                 \
    X(TYPE_ID, "type_identifier", 1)                                         \
    X(TYPE_PARAM, "type_parameter_declaration", 1)                           \
    X(TYPE_QUALIFIER, "type_qualifier", 1)                                   \
    X(UNARY, "unary_expression", 1)                                          \
    X(UNION, "union_specifier", 1)                                           \
    X(UPDATE, "update_expression", 1)                                        \
    X(USER_LITERAL, "user_defined_literal", 1)                               \
    X(USING, "using_declaration", 1)                                         \
    X(VARIADIC_DECLARATOR, "variadic_declarator", 1)                         \
    X(VARIADIC_PARAM, "variadic_parameter_declaration", 1)                   \
    X(VARIADIC_TYPE_PARAM, "variadic_type_parameter_declaration", 1)         \
    X(VIRTUAL, "virtual", 0)                                                 \
    X(VIRTUAL_FUNCTION, "virtual_function_specifier", 1)                     \
    X(WHILE, "while_statement", 1)                                           \
    X(EXPLICIT, "explicit_function_specifier", 1)                            \
    X(T_CONSTEXPR, "constexpr", 0)                                           \
    X(T_DEVICE, "__device__", 0)                                             \
    X(T_HOST, "__host__", 0)                                                 \
    X(T_GLOBAL, "__global__", 0)                                             \
    X(T_ELLIPSIS, "...", 0)

enum ir_node_kind {
    TK_OTHER, /* a named node that has no kind of its own here */
    TK_ERROR,
#define X(kind, name, named) TK_##kind,
    IR_NODE_KINDS(X)
#undef X
        TK_COUNT
};

#define IR_NODE_FIELDS(X)                         \
    X(ALTERNATIVE, "alternative")                 \
    X(ARGUMENT, "argument")                       \
    X(ARGUMENTS, "arguments")                     \
    X(ASSEMBLY_CODE, "assembly_code")             \
    X(BASE, "base")                               \
    X(BODY, "body")                               \
    X(CAPTURES, "captures")                       \
    X(CLOBBERS, "clobbers")                       \
    X(CONDITION, "condition")                     \
    X(CONSEQUENCE, "consequence")                 \
    X(DECLARATOR, "declarator")                   \
    X(DEFAULT_TYPE, "default_type")               \
    X(DEFAULT_VALUE, "default_value")             \
    X(DESIGNATOR, "designator")                   \
    X(FIELD, "field")                             \
    X(FUNCTION, "function")                       \
    X(INDICES, "indices")                         \
    X(INITIALIZER, "initializer")                 \
    X(INPUT_OPERANDS, "input_operands")           \
    X(LABEL, "label")                             \
    X(LEFT, "left")                               \
    X(LENGTH, "length")                           \
    X(MEMBER, "member")                           \
    X(NAME, "name")                               \
    X(OPERATOR, "operator")                       \
    X(OUTPUT_OPERANDS, "output_operands")         \
    X(PARAMETERS, "parameters")                   \
    X(PLACEMENT, "placement")                     \
    X(RIGHT, "right")                             \
    X(SCOPE, "scope")                             \
    X(SIZE, "size")                               \
    X(TEMPLATE_PARAMETERS, "template_parameters") \
    X(TYPE, "type")                               \
    X(UPDATE, "update")                           \
    X(VALUE, "value")

enum ir_node_field {
    TF_NONE,
#define X(field, name) TF_##field,
    IR_NODE_FIELDS(X)
#undef X
        TF_COUNT
};

enum {
    TN_NAMED = 1,
    TN_MISSING = 2,
    TN_HAS_ERROR = 4 /* an ERROR or MISSING node at or below it */
};

struct ir_tnode {
    uint32_t start, end; /* bytes of the unit's text */
    uint32_t skip;       /* index behind the subtree: the next sibling's, if there is one */
    uint16_t kind;       /* enum ir_node_kind */
    uint8_t field;       /* enum ir_node_field */
    uint8_t flags;
};

struct ir_tree {
    struct ir_tnode *nodes; /* owned */
    uint32_t count;
    uint32_t errors; /* ERROR and MISSING nodes */
};

void ir_tree_flatten(TSTree *tree, struct ir_tree *out);
void ir_tree_clear(struct ir_tree *tree);

#endif
