#include "analysis/ir/tree.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/base/alloc.h"

#define SYMBOL_CEILING 2048
#define FIELD_CEILING  128
#define KIND_SKIP      UINT16_MAX

static const struct {
    const char *name;
    uint16_t kind;
    bool named;
} kind_names[] = {
#define X(kind, name, named) {name, TK_##kind, named},
    IR_NODE_KINDS(X)
#undef X
};

static const struct {
    const char *name;
    uint8_t field;
} field_names[] = {
#define X(field, name) {name, TF_##field},
    IR_NODE_FIELDS(X)
#undef X
};

/* Filled once a process from the first language seen; there is only one. */
static uint16_t symbol_kind[SYMBOL_CEILING];
static uint8_t field_map[FIELD_CEILING];
const TSLanguage *tree_sitter_cuda(void);
static pthread_once_t tables_once = PTHREAD_ONCE_INIT;

static uint16_t kind_of_name(const char *name, bool named)
{
    for (size_t i = 0; i < sizeof kind_names / sizeof *kind_names; i++)
        if (kind_names[i].named == named && strcmp(kind_names[i].name, name) == 0)
            return kind_names[i].kind;
    if (named && strcmp(name, "comment") != 0)
        return TK_OTHER;
    return KIND_SKIP;
}

static void build_tables(void)
{
    const TSLanguage *language = tree_sitter_cuda();
    uint32_t symbols = ts_language_symbol_count(language);
    for (uint32_t s = 0; s < symbols && s < SYMBOL_CEILING; s++) {
        TSSymbolType type = ts_language_symbol_type(language, (TSSymbol)s);
        const char *name = ts_language_symbol_name(language, (TSSymbol)s);
        symbol_kind[s] = kind_of_name(name, type == TSSymbolTypeRegular);
    }
    for (size_t i = 0; i < sizeof field_names / sizeof *field_names; i++) {
        const char *name = field_names[i].name;
        TSFieldId id = ts_language_field_id_for_name(language, name, (uint32_t)strlen(name));
        if (id && id < FIELD_CEILING)
            field_map[id] = field_names[i].field;
    }
}

struct flattener {
    struct ir_tree *out;
    size_t cap;
    uint32_t *open; /* indices of the nodes that are open; UINT32_MAX: left out */
    size_t depth, open_cap;
};

static void mark_error(struct flattener *f)
{
    f->out->errors++;
    for (size_t i = f->depth; i-- > 0;) {
        if (f->open[i] == UINT32_MAX)
            continue;
        struct ir_tnode *n = &f->out->nodes[f->open[i]];
        if (n->flags & TN_HAS_ERROR)
            break; /* and so have all above it */
        n->flags |= TN_HAS_ERROR;
    }
}

/* Adds the cursor's node unless it is punctuation; its index or UINT32_MAX. */
static uint32_t add_node(struct flattener *f, TSTreeCursor *cursor)
{
    TSNode node = ts_tree_cursor_current_node(cursor);
    TSSymbol symbol = ts_node_symbol(node);
    uint16_t kind = symbol < SYMBOL_CEILING ? symbol_kind[symbol] : TK_ERROR;
    uint32_t start = ts_node_start_byte(node), end = ts_node_end_byte(node);
    bool missing = start == end && ts_node_is_missing(node);
    uint8_t field = TF_NONE;
    if (kind != KIND_SKIP || !missing) {
        TSFieldId id = ts_tree_cursor_current_field_id(cursor);
        if (id && id < FIELD_CEILING)
            field = field_map[id];
    }
    if (kind == KIND_SKIP && field != TF_OPERATOR && !missing)
        return UINT32_MAX;
    CMPD_GROW(f->out->nodes, (size_t)f->out->count + 1, f->cap);
    struct ir_tnode *n = &f->out->nodes[f->out->count];
    *n = (struct ir_tnode){start, end, 0, kind == KIND_SKIP ? TK_OTHER : kind, field, 0};
    if (kind != KIND_SKIP && ts_node_is_named(node))
        n->flags |= TN_NAMED;
    if (missing)
        n->flags |= TN_MISSING;
    return f->out->count++;
}

static void open_node(struct flattener *f, TSTreeCursor *cursor)
{
    uint32_t index = add_node(f, cursor);
    CMPD_GROW(f->open, f->depth + 1, f->open_cap);
    f->open[f->depth++] = index;
    if (index == UINT32_MAX)
        return;
    const struct ir_tnode *n = &f->out->nodes[index];
    if (n->kind == TK_ERROR || (n->flags & TN_MISSING))
        mark_error(f);
}

static void close_node(struct flattener *f)
{
    uint32_t index = f->open[--f->depth];
    if (index != UINT32_MAX)
        f->out->nodes[index].skip = f->out->count;
}

void ir_tree_flatten(TSTree *tree, struct ir_tree *out)
{
    memset(out, 0, sizeof *out);
    TSNode root = ts_tree_root_node(tree);
    pthread_once(&tables_once, build_tables);
    struct flattener f = {.out = out};
    TSTreeCursor cursor = ts_tree_cursor_new(root);
    open_node(&f, &cursor);
    while (f.depth) {
        if (ts_tree_cursor_goto_first_child(&cursor)) {
            open_node(&f, &cursor);
            continue;
        }
        for (;;) {
            close_node(&f);
            if (!f.depth)
                break;
            if (ts_tree_cursor_goto_next_sibling(&cursor)) {
                open_node(&f, &cursor);
                break;
            }
            ts_tree_cursor_goto_parent(&cursor);
        }
    }
    ts_tree_cursor_delete(&cursor);
    free(f.open);
}

void ir_tree_clear(struct ir_tree *tree)
{
    free(tree->nodes);
    memset(tree, 0, sizeof *tree);
}
