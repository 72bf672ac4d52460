/* A text that reaches a function which the object holds no symbol of. */
#include <string.h>

#include "gpu-runner/entry/entry.h"

static void put_callee(const struct cmpd_binding *b, struct cmpd_buf *out)
{
    cmpd_buf_printf(out, "%s%s%s", b->func->scope, b->func->scope[0] ? "::" : "", b->func->name);
    if (b->targs)
        cmpd_buf_printf(out, "<%s>", b->targs);
}

void cmpd_bind_shim(const struct cmpd_binding *b, const char *include_path, struct cmpd_buf *out)
{
    const struct cmpd_sig_func *f = b->func;
    cmpd_buf_printf(out, "#include \"%s\"\n\n", include_path);
    if (b->task == CMPD_BIND_KERNEL) { /* its address alone makes the compiler keep it */
        cmpd_buf_puts(out, "extern \"C\" const void *" CMPD_BIND_SHIM_SYMBOL "()\n{\n"
                           "    return reinterpret_cast<const void *>(&");
        put_callee(b, out);
        cmpd_buf_puts(out, ");\n}\n");
        return;
    }
    struct cmpd_sig_param ret = entry_instantiate(&f->ret, b->targs);
    cmpd_buf_puts(out, "extern \"C\" ");
    if (!entry_type_text(&ret, out))
        cmpd_buf_puts(out, "void");
    cmpd_buf_puts(out, " " CMPD_BIND_SHIM_SYMBOL "(");
    for (size_t i = 0; i < f->param_count; i++) {
        struct cmpd_sig_param p = entry_instantiate(&f->params[i], b->targs);
        cmpd_buf_puts(out, i ? ", " : "");
        entry_type_text(&p, out);
        cmpd_buf_printf(out, " a%zu", i);
    }
    cmpd_buf_puts(out, ")\n{\n    return ");
    put_callee(b, out);
    cmpd_buf_putc(out, '(');
    for (size_t i = 0; i < f->param_count; i++)
        cmpd_buf_printf(out, "%sa%zu", i ? ", " : "", i);
    cmpd_buf_puts(out, ");\n}\n");
}
