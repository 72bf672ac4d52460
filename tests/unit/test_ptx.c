/* PTX text to data: declarations, bodies, scopes, initialisers, source lines, and what is refused. */
#include "tests/unit/unit.h"

#include "gpu-runner/ptx/ptx.h"

static const char head[] = ".version 9.0\n.target sm_80\n.address_size 64\n";

static struct cmpd_ptx_module *parse(const char *body)
{
    char *text = NULL;
    struct cmpd_ptx_module *m = NULL;
    struct cmpd_err err = {.msg = ""};
    assert_true(asprintf(&text, "%s%s", head, body) > 0);
    if (cmpd_ptx_parse(text, strlen(text), &m, &err) != CMPD_OK)
        fail_msg("%s", err.msg);
    free(text);
    return m;
}

/* The text is refused with that code, and the message holds `what`. */
static void refused(const char *body, cmpd_rc rc, const char *what)
{
    char *text = NULL;
    struct cmpd_ptx_module *m = NULL;
    struct cmpd_err err = {.msg = ""};
    assert_true(asprintf(&text, "%s%s", head, body) > 0);
    assert_int_equal(cmpd_ptx_parse(text, strlen(text), &m, &err), rc);
    assert_null(m);
    if (!strstr(err.msg, what))
        fail_msg("`%s` is not in: %s", what, err.msg);
    free(text);
}

static struct cmpd_ptx_module *parse_body(const char *body)
{
    char *text = NULL;
    assert_true(asprintf(&text, ".visible .entry k(.param .u64 a) {\n%s\n}\n", body) > 0);
    struct cmpd_ptx_module *m = parse(text);
    free(text);
    return m;
}

static const struct cmpd_ptx_operand *operand(const struct cmpd_ptx_module *m, uint32_t ins,
                                              unsigned index)
{
    assert_true(ins < m->ins_count && index < m->ins[ins].operand_count);
    return &m->operands[m->ins[ins].operands + index];
}

static const struct cmpd_ptx_operand *part(const struct cmpd_ptx_module *m,
                                           const struct cmpd_ptx_operand *o, unsigned index)
{
    assert_true(index < o->count);
    return &m->operands[o->index + index];
}

static void is_int(const struct cmpd_ptx_operand *o, int64_t value)
{
    assert_int_equal(o->kind, CMPD_PTX_O_INT);
    assert_true(o->value == value);
}

static void tables_are_sorted(void **state)
{
    (void)state;
    for (int i = 2; i < CMPD_PTX_OP_COUNT; i++)
        assert_true(strcmp(cmpd_ptx_op_name((enum cmpd_ptx_op)(i - 1)),
                           cmpd_ptx_op_name((enum cmpd_ptx_op)i)) < 0);
    for (int i = 2; i < CMPD_PTX_MOD_COUNT; i++)
        assert_true(strcmp(cmpd_ptx_mod_name((enum cmpd_ptx_mod)(i - 1)),
                           cmpd_ptx_mod_name((enum cmpd_ptx_mod)i)) < 0);
    for (int i = 1; i < CMPD_PTX_SPECIAL_COUNT; i++)
        assert_true(strcmp(cmpd_ptx_special_name((enum cmpd_ptx_special)(i - 1)),
                           cmpd_ptx_special_name((enum cmpd_ptx_special)i)) < 0);
    assert_int_equal(cmpd_ptx_special_type(CMPD_PTX_SPECIAL_clock64), CMPD_PTX_U64);
    assert_int_equal(cmpd_ptx_type_size(CMPD_PTX_B128), 16);
    assert_string_equal(cmpd_ptx_type_name(CMPD_PTX_BF16X2), "bf16x2");
}

static void module_lines(void **state)
{
    (void)state;
    struct cmpd_ptx_module *m = parse("\t.file\t1 \"a \\\"b\\\".cu\", 12, 99\n");
    assert_int_equal(m->version, 90);
    assert_int_equal(m->target, 80);
    assert_int_equal(m->file_count, 2);
    assert_null(m->files[0]);
    assert_string_equal(m->files[1], "a \"b\".cu");
    cmpd_ptx_free(m);
}

static void opcodes(void **state)
{
    (void)state;
    struct cmpd_ptx_module *m = parse_body(
        ".reg .f32 %f<9>; .reg .b32 %r<9>; .reg .b64 %rd<3>;\n"
        "ld.global.L1::no_allocate.v2.f32 {%f1, %f2}, [%rd1+-8];\n"
        "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%f1,%f2,%f3,%f4}, {%r1,%r2,%r3,%r4}, "
        "{%r5,%r6}, {%f1,%f2,%f3,%f4};\n"
        "add.nosuchthing.s32 %r1, %r2, %r3;\nnosuch.s32 %r1;\nmov.u32 %r1, %r2 * 3;\n"
        "add.u8.u8.u8.u8.u8 %r1, %r1, %r1;\n");
    const struct cmpd_ptx_ins *ld = &m->ins[0], *mma = &m->ins[1];
    assert_int_equal(ld->op, CMPD_PTX_OP_ld);
    assert_int_equal(ld->mod_count, 3);
    assert_int_equal(ld->mods[0], CMPD_PTX_MOD_global);
    assert_int_equal(ld->mods[1], CMPD_PTX_MOD_L1_no_allocate);
    assert_int_equal(ld->mods[2], CMPD_PTX_MOD_v2);
    assert_int_equal(ld->type_count, 1);
    assert_int_equal(ld->types[0], CMPD_PTX_F32);
    assert_int_equal(ld->text_len, strlen("ld.global.L1::no_allocate.v2.f32"));
    assert_memory_equal(m->text + ld->text, "ld.global.L1", 12);
    assert_int_equal(mma->type_count, 4);
    assert_int_equal(mma->types[1], CMPD_PTX_BF16);
    assert_int_equal(mma->operand_count, 4);
    assert_int_equal(m->ins[2].op, CMPD_PTX_OP_add);
    assert_int_equal(m->ins[2].mods[0], CMPD_PTX_MOD_UNKNOWN);
    for (unsigned i = 3; i < 6; i++)
        assert_int_equal(m->ins[i].op, CMPD_PTX_OP_UNKNOWN);
    assert_int_equal(m->ins[6].op, CMPD_PTX_OP_ret);
    assert_int_equal(m->ins_count, 7);
    assert_int_equal(ld->line, 6);
    cmpd_ptx_free(m);
}

static void operands(void **state)
{
    (void)state;
    struct cmpd_ptx_module *m = parse_body(
        ".reg .pred p, q, %p<3>; .reg .b32 %r<12>; .reg .b64 %rd<3>; .reg .v4 .f32 %v;\n"
        ".reg .f32 %f<5>; .local .align 8 .b8 depot[16];\n"
        "setp.lt.and.s32 p|q, %r11, -5, !%p2;\n"
        "mov.b64 {%r6, _}, %rd1;\n"
        "add.f32 %f1, %v.y, 0f3F800000;\nmov.f64 %rd1, -1.5;\nmov.u32 %r1, %tid.x;\n"
        "mov.u32 %r1, 0xffffffffU;\nld.param.u64 %rd1, [a+4];\nmov.u64 %rd1, depot+4;\n"
        "@!p bra L;\nL: mov.f64 %rd2, 0d3FF0000000000000;\nmov.v4.f32 {%f1,%f2,%f3,%f4}, %v;\n"
        "mov.u32 %r1, 0b101; mov.u32 %r1, 017; mov.u32 %r1, WARP_SZ; st.u32 [1024], %r0;\n");
    const struct cmpd_ptx_operand *pair = operand(m, 0, 0);
    assert_int_equal(pair->kind, CMPD_PTX_O_PAIR);
    assert_int_equal(part(m, pair, 0)->index, 0);
    assert_int_equal(part(m, pair, 1)->index, 1);
    assert_int_equal(operand(m, 0, 1)->index, 5 + 11);
    is_int(operand(m, 0, 2), -5);
    assert_true(operand(m, 0, 3)->negated);
    assert_int_equal(part(m, operand(m, 1, 0), 1)->kind, CMPD_PTX_O_SINK);
    assert_int_equal(m->functions[0].registers[operand(m, 2, 1)->index].type, CMPD_PTX_F32);
    assert_int_equal(operand(m, 2, 1)->index, 21);
    assert_int_equal(operand(m, 2, 2)->kind, CMPD_PTX_O_F32);
    assert_int_equal(operand(m, 2, 2)->value, 0x3f800000);
    double d = 0;
    memcpy(&d, &operand(m, 3, 1)->value, sizeof d);
    assert_true(d == -1.5);
    assert_int_equal(operand(m, 4, 1)->kind, CMPD_PTX_O_SPECIAL);
    assert_int_equal(operand(m, 4, 1)->index, CMPD_PTX_SPECIAL_tid_x);
    is_int(operand(m, 5, 1), 0xffffffffll);
    assert_int_equal(operand(m, 6, 1)->kind, CMPD_PTX_O_ADDRESS);
    assert_int_equal(operand(m, 6, 1)->value, 4);
    assert_int_equal(part(m, operand(m, 6, 1), 0)->kind, CMPD_PTX_O_VARIABLE);
    assert_int_equal(operand(m, 7, 1)->kind, CMPD_PTX_O_VARIABLE);
    assert_int_equal(operand(m, 7, 1)->value, 4);
    assert_int_equal(m->ins[8].guard, 0);
    assert_true(m->ins[8].guard_negated);
    assert_int_equal(operand(m, 8, 0)->kind, CMPD_PTX_O_LABEL);
    assert_int_equal(operand(m, 8, 0)->index, 9);
    assert_int_equal(operand(m, 10, 1)->count, 4);
    is_int(operand(m, 11, 1), 5);
    is_int(operand(m, 12, 1), 15);
    assert_int_equal(operand(m, 13, 1)->index, CMPD_PTX_SPECIAL_WARP_SZ);
    is_int(part(m, operand(m, 14, 0), 0), 1024);
    cmpd_ptx_free(m);
}

/* An inner name hides an outer one, both ways round between single names and ranges, and labels too. */
static void scopes(void **state)
{
    (void)state;
    struct cmpd_ptx_module *m = parse_body(
        ".reg .b32 %r<10>; .reg .b32 x;\n"
        "mov.u32 x, %r5;\n"
        "{ .reg .b32 %r5, x; mov.u32 x, %r5; bra L; L: }\n"
        "{ .reg .b32 %r<3>; mov.u32 x, %r2; mov.u32 x, %r9; bra L; }\n"
        "L: mov.u32 x, %r0; bra M;\n");
    assert_int_equal(operand(m, 0, 0)->index, 10);
    assert_int_equal(operand(m, 0, 1)->index, 5);
    assert_int_equal(operand(m, 1, 0)->index, 12);
    assert_int_equal(operand(m, 1, 1)->index, 11);
    assert_int_equal(operand(m, 2, 0)->index, 3);
    assert_int_equal(operand(m, 3, 1)->index, 13 + 2);
    assert_int_equal(operand(m, 4, 1)->index, 9);
    assert_int_equal(operand(m, 5, 0)->index, 6);
    assert_int_equal(operand(m, 7, 0)->kind, CMPD_PTX_O_UNKNOWN);
    cmpd_ptx_free(m);
}

static void calls_and_tables(void **state)
{
    (void)state;
    struct cmpd_ptx_module *m = parse(
        ".func (.param .b32 r) g(.param .b32 a);\n"
        ".func (.param .b32 r) other(.param .b32 a);\n"
        ".func (.reg .f32 %out) h(.reg .f32 %in) { add.f32 %out, %in, %in; ret; }\n"
        ".func (.param .b32 r) g(.param .b32 a) { ret; }\n.alias other, g;\n"
        ".entry k() .maxntid 128 .minnctapersm 2 {\n"
        ".reg .b64 %rd<2>; .reg .b32 %r<2>; .param .b32 p0, r0;\n"
        "proto : .callprototype (.param .b32 _) _ (.param .b32 _);\n"
        "call (r0), %rd1, (p0), proto;\ncall.uni (r0), other, (p0);\ncall later, ();\n"
        "T: .branchtargets A, B;\nA: brx.idx %r1, T;\nB:\n"
        "C: .calltargets g, later;\n}\n.func later() { ret; }\n");
    uint32_t k = cmpd_ptx_find_function(m, "k"), g = cmpd_ptx_find_function(m, "g");
    const struct cmpd_ptx_function *f = &m->functions[k];
    uint32_t at = f->first;
    assert_true(f->entry && f->defined);
    assert_int_equal(f->max_threads[0], 128);
    assert_int_equal(f->max_threads[1], 1);
    assert_int_equal(f->required_threads[0], 0);
    assert_int_equal(operand(m, at, 0)->kind, CMPD_PTX_O_LIST);
    assert_int_equal(operand(m, at, 1)->kind, CMPD_PTX_O_REG);
    assert_int_equal(operand(m, at, 3)->kind, CMPD_PTX_O_TABLE);
    assert_true(m->tables[operand(m, at, 3)->index].functions);
    assert_int_equal(m->tables[operand(m, at, 3)->index].count, 0);
    assert_int_equal(operand(m, at + 1, 1)->kind, CMPD_PTX_O_FUNCTION);
    assert_int_equal(operand(m, at + 1, 1)->index, g);
    assert_int_equal(operand(m, at + 2, 0)->index, cmpd_ptx_find_function(m, "later"));
    const struct cmpd_ptx_table *t = &m->tables[operand(m, at + 3, 1)->index];
    assert_int_equal(t->count, 2);
    assert_int_equal(t->targets[0], at + 3);
    assert_int_equal(t->targets[1], at + 4);
    assert_int_equal(m->ins[at + 4].op, CMPD_PTX_OP_ret);
    const struct cmpd_ptx_table *c = &m->tables[2];
    assert_true(c->functions && c->targets[0] == g);
    assert_int_equal(c->targets[1], cmpd_ptx_find_function(m, "later"));
    const struct cmpd_ptx_function *h = &m->functions[cmpd_ptx_find_function(m, "h")];
    assert_int_equal(m->variables[h->returns[0]].space, CMPD_PTX_SPACE_REG);
    assert_int_equal(operand(m, h->first, 0)->index, m->variables[h->returns[0]].offset);
    assert_int_equal(operand(m, h->first, 1)->index, m->variables[h->params[0]].offset);
    cmpd_ptx_free(m);
}

static void parameters(void **state)
{
    (void)state;
    struct cmpd_ptx_module *m = parse(
        ".entry k(.param .u32 a, .param .u64 .ptr .global .align 8 b,\n"
        ".param .align 16 .b8 c[20], .param .u8 d, .param .align 4 .v2 .f32 e) { ret; }\n"
        ".extern .func f(.param .b64 x, .param .b8 rest[]);\n");
    static const uint64_t offsets[] = {0, 8, 16, 36, 40}, sizes[] = {4, 8, 20, 1, 8};
    const struct cmpd_ptx_function *f = &m->functions[0];
    assert_int_equal(f->param_count, 5);
    for (unsigned i = 0; i < 5; i++) {
        assert_int_equal(m->variables[f->params[i]].offset, offsets[i]);
        assert_int_equal(m->variables[f->params[i]].size, sizes[i]);
        assert_int_equal(m->variables[f->params[i]].function, 0);
    }
    assert_int_equal(f->param_bytes, 48);
    assert_true(m->functions[1].is_extern && !m->functions[1].defined);
    cmpd_ptx_free(m);
}

static const struct cmpd_ptx_variable *variable(const struct cmpd_ptx_module *m, const char *name)
{
    uint32_t i = cmpd_ptx_find_variable(m, name);
    assert_int_not_equal(i, CMPD_PTX_NONE);
    return &m->variables[i];
}

static void variables(void **state)
{
    (void)state;
    struct cmpd_ptx_module *m = parse(
        ".extern .shared .align 16 .b8 dyn[];\n.global .f32 a, b[3];\n"
        ".shared .align 8 .b8 s[4][5];\n.const .align 4 .v4 .f32 v = {1.0, 2, 0f40400000};\n"
        ".extern .global .u32 later;\n.visible .global .u32 later = 7;\n"
        ".global .texref t;\n.global .attribute(.managed) .u32 m = -1;\n");
    assert_true(variable(m, "dyn")->unsized && variable(m, "dyn")->is_extern);
    assert_int_equal(variable(m, "b")->size, 12);
    assert_int_equal(variable(m, "s")->size, 20);
    assert_int_equal(variable(m, "s")->align, 8);
    static const float want[4] = {1, 2, 3, 0};
    assert_int_equal(variable(m, "v")->size, 16);
    assert_memory_equal(variable(m, "v")->init, want, sizeof want);
    assert_false(variable(m, "later")->is_extern);
    assert_true(variable(m, "later")->visible);
    assert_int_equal(variable(m, "later")->init[0], 7);
    assert_int_equal(variable(m, "t")->size, 8);
    assert_int_equal(variable(m, "m")->init[3], 255);
    cmpd_ptx_free(m);
}

static void initialisers(void **state)
{
    (void)state;
    struct cmpd_ptx_module *m = parse(
        ".global .u32 c; .func f();\n.global .s16 o[][2] = {{-1, 2}, {3}, {}, {4, 5}};\n"
        ".global .f64 d[2] = {0d3FF0000000000000, 1e1};\n"
        ".global .align 8 .u64 p[4] = {generic(c)+8, f, c-4, 5};\n"
        ".global .b8 m[6] = {1, 0xff(c+2), 0xff00(c+2), 0xFF0000(c+2), 9};\n"
        ".global .b8 flat[2][3] = {1, 2, 3, 4};\n");
    static const int16_t o[8] = {-1, 2, 3, 0, 0, 0, 4, 5};
    assert_int_equal(variable(m, "o")->size, sizeof o);
    assert_memory_equal(variable(m, "o")->init, o, sizeof o);
    static const double d[2] = {1, 10};
    assert_memory_equal(variable(m, "d")->init, d, sizeof d);
    const struct cmpd_ptx_variable *p = variable(m, "p");
    assert_int_equal(p->relocation_count, 3);
    assert_true(p->relocations[0].generic && !p->relocations[0].function);
    assert_int_equal(p->relocations[0].addend, 8);
    assert_int_equal(p->relocations[0].size, 8);
    assert_int_equal(p->relocations[0].target, cmpd_ptx_find_variable(m, "c"));
    assert_true(p->relocations[1].function && p->relocations[1].offset == 8);
    assert_int_equal(p->relocations[2].addend, -4);
    assert_int_equal(p->init[24], 5);
    const struct cmpd_ptx_variable *masked = variable(m, "m");
    assert_int_equal(masked->relocation_count, 1);
    assert_int_equal(masked->relocations[0].offset, 1);
    assert_int_equal(masked->relocations[0].size, 3);
    assert_int_equal(masked->relocations[0].addend, 2);
    assert_int_equal(masked->init[4], 9);
    assert_memory_equal(variable(m, "flat")->init, "\1\2\3\4\0\0", 6);
    cmpd_ptx_free(m);
}

static void source_lines(void **state)
{
    (void)state;
    struct cmpd_ptx_module *m = parse(
        ".entry k() { .reg .b32 %r<3>;\n.loc 1 6 0\nmov.u32 %r1, 0;\n"
        ".loc 1 5 3, function_name $L_s, inlined_at 1 7 7\n"
        "mov.u32 %r1, 1;\n"
        ".loc 2 2 9, function_name $L_s+31, inlined_at 1 5 3\n"
        "mov.u32 %r1, 2;\n.loc 1 0 0\nmov.u32 %r1, 3; }\n"
        ".file 1 \"x.cu\"\n.section .debug_str\n{\n$L_s:\n.b8 1,2\n}\n");
    const struct cmpd_ptx_loc *l = &m->locs[m->ins[0].loc];
    assert_int_equal(l->line, 6);
    assert_int_equal(l->inlined_at, CMPD_PTX_NONE);
    l = &m->locs[m->ins[2].loc];
    assert_int_equal(l->file, CMPD_PTX_NONE);
    assert_int_equal(l->line, 2);
    l = &m->locs[l->inlined_at];
    assert_int_equal(l->line, 5);
    assert_int_equal(l->file, 1);
    l = &m->locs[l->inlined_at];
    assert_int_equal(l->line, 7);
    assert_int_equal(l->inlined_at, CMPD_PTX_NONE);
    assert_int_equal(m->ins[3].loc, m->ins[2].loc);
    cmpd_ptx_free(m);
}

static void refusals(void **state)
{
    (void)state;
    struct cmpd_ptx_module *m = NULL;
    struct cmpd_err err;
    assert_int_equal(cmpd_ptx_parse("int main", 8, &m, &err), CMPD_EINPUT);
    assert_non_null(strstr(err.msg, "line 1: expected .version before `int`"));
    assert_int_equal(cmpd_ptx_parse("", 0, &m, &err), CMPD_EINPUT);
    refused(".nosuch 5;", CMPD_EINPUT, "line 4");
    refused(".entry k() { add.s32", CMPD_EINPUT, "end of the text");
    refused(".entry k() {", CMPD_EINPUT, "expected `}`");
    refused(".entry k() { ret; } .entry k() { ret; }", CMPD_EINPUT, "second time");
    refused(".global .u8 a[2] = {1, 2, 3};", CMPD_EINPUT, "more values");
    refused(".global .u8 a[2] = {{{1}}};", CMPD_EINPUT, "deeper");
    refused(".global .u8 a = 0xff00(a);", CMPD_EINPUT, "declared");
    refused(".global .align 3 .u8 a;", CMPD_EINPUT, "alignment");
    refused(".global .b64 a[100000][100000];", CMPD_ELIMIT, "bytes");
    refused(".entry k() { .reg .b32 %r<200001>; }", CMPD_ELIMIT, "registers");
    refused(".entry k() { .reg .b32 %r<0x1ffffffff>; }", CMPD_EINPUT, "32 bits");
    refused(".file 70000 \"x\"", CMPD_ELIMIT, "files");
}

static void nesting_has_a_ceiling(void **state)
{
    (void)state;
    char text[4096] = ".entry k() {";
    size_t n = strlen(text);
    memset(text + n, '{', 2000);
    refused(text, CMPD_ELIMIT, "braces");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tables_are_sorted),
        cmocka_unit_test(module_lines),
        cmocka_unit_test(opcodes),
        cmocka_unit_test(operands),
        cmocka_unit_test(scopes),
        cmocka_unit_test(calls_and_tables),
        cmocka_unit_test(parameters),
        cmocka_unit_test(variables),
        cmocka_unit_test(initialisers),
        cmocka_unit_test(source_lines),
        cmocka_unit_test(refusals),
        cmocka_unit_test(nesting_has_a_ceiling),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
