#include "analysis/text/words.h"

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

struct word {
    const char *text;
    uint8_t len, class;
};

#define W(text, class)                \
    {                                 \
        text, sizeof(text) - 1, class \
    }

static const struct word words[] = {
    W("void", WORD_TYPE),
    W("int", WORD_TYPE),
    W("float", WORD_TYPE),
    W("double", WORD_TYPE),
    W("char", WORD_TYPE),
    W("bool", WORD_TYPE),
    W("unsigned", WORD_TYPE),
    W("signed", WORD_TYPE),
    W("long", WORD_TYPE),
    W("short", WORD_TYPE),
    W("auto", WORD_TYPE),
    W("wchar_t", WORD_TYPE),
    /* The grammar takes these for built-in types too. */
    W("size_t", WORD_TYPE),
    W("ssize_t", WORD_TYPE),
    W("ptrdiff_t", WORD_TYPE),
    W("intptr_t", WORD_TYPE),
    W("uintptr_t", WORD_TYPE),
    W("nullptr_t", WORD_TYPE),
    W("int8_t", WORD_TYPE),
    W("int16_t", WORD_TYPE),
    W("int32_t", WORD_TYPE),
    W("int64_t", WORD_TYPE),
    W("uint8_t", WORD_TYPE),
    W("uint16_t", WORD_TYPE),
    W("uint32_t", WORD_TYPE),
    W("uint64_t", WORD_TYPE),
    W("char8_t", WORD_TYPE),
    W("char16_t", WORD_TYPE),
    W("char32_t", WORD_TYPE),
    W("static", WORD_SPECIFIER),
    W("inline", WORD_SPECIFIER),
    W("extern", WORD_SPECIFIER),
    W("constexpr", WORD_SPECIFIER),
    W("consteval", WORD_SPECIFIER),
    W("constinit", WORD_SPECIFIER),
    W("virtual", WORD_SPECIFIER),
    W("explicit", WORD_SPECIFIER),
    W("friend", WORD_SPECIFIER),
    W("register", WORD_SPECIFIER),
    W("thread_local", WORD_SPECIFIER),
    W("mutable", WORD_SPECIFIER),
    W("typedef", WORD_SPECIFIER),
    W("__global__", WORD_SPECIFIER),
    W("__device__", WORD_SPECIFIER),
    W("__host__", WORD_SPECIFIER),
    W("__shared__", WORD_SPECIFIER),
    W("__constant__", WORD_SPECIFIER),
    W("__managed__", WORD_SPECIFIER),
    W("const", WORD_CV),
    W("volatile", WORD_CV),
    W("struct", WORD_CLASS_KEY),
    W("class", WORD_CLASS_KEY),
    W("union", WORD_CLASS_KEY),
    W("enum", WORD_CLASS_KEY),
    W("if", WORD_STATEMENT),
    W("else", WORD_STATEMENT),
    W("for", WORD_STATEMENT),
    W("while", WORD_STATEMENT),
    W("do", WORD_STATEMENT),
    W("switch", WORD_STATEMENT),
    W("return", WORD_STATEMENT),
    W("break", WORD_STATEMENT),
    W("continue", WORD_STATEMENT),
    W("goto", WORD_STATEMENT),
    W("default", WORD_STATEMENT),
    W("try", WORD_STATEMENT),
    W("catch", WORD_STATEMENT),
    W("template", WORD_STATEMENT),
    W("namespace", WORD_STATEMENT),
    W("using", WORD_STATEMENT),
    W("static_assert", WORD_STATEMENT),
    W("asm", WORD_STATEMENT),
    W("__asm__", WORD_STATEMENT),
    W("__asm", WORD_STATEMENT),
    W("sizeof", WORD_OPERATOR),
    W("new", WORD_OPERATOR),
    W("delete", WORD_OPERATOR),
    W("throw", WORD_OPERATOR),
    W("case", WORD_OPERATOR),
    W("operator", WORD_OPERATOR),
    W("typename", WORD_OPERATOR),
    W("decltype", WORD_OPERATOR),
    W("alignof", WORD_OPERATOR),
    W("alignas", WORD_OPERATOR),
    W("requires", WORD_OPERATOR),
    W("concept", WORD_OPERATOR),
    W("co_return", WORD_OPERATOR),
    W("co_await", WORD_OPERATOR),
    W("co_yield", WORD_OPERATOR),
    W("and", WORD_OPERATOR),
    W("or", WORD_OPERATOR),
    W("not", WORD_OPERATOR),
    W("public", WORD_OPERATOR),
    W("private", WORD_OPERATOR),
    W("protected", WORD_OPERATOR),
    W("this", WORD_OPERATOR),
    W("typeof", WORD_OPERATOR),
    W("__typeof__", WORD_OPERATOR),
    W("noexcept", WORD_TAIL),
    W("override", WORD_TAIL),
    W("final", WORD_TAIL),
    W("__launch_bounds__", WORD_WITH_ARGS),
    W("__align__", WORD_WITH_ARGS),
    W("__maxnreg__", WORD_WITH_ARGS),
    W("__cluster_dims__", WORD_WITH_ARGS),
    W("__block_size__", WORD_WITH_ARGS),
    W("__attribute__", WORD_WITH_ARGS),
    W("__attribute", WORD_WITH_ARGS),
    W("__declspec", WORD_WITH_ARGS),
    W("_Pragma", WORD_WITH_ARGS),
    W("__pragma", WORD_WITH_ARGS),
    W("__builtin_align__", WORD_WITH_ARGS),
    W("__nv_tex_surf_handler", WORD_WITH_ARGS),
    W("__forceinline__", WORD_BARE),
    W("__noinline__", WORD_BARE),
    W("__inline__", WORD_BARE),
    W("__inline", WORD_BARE),
    W("__forceinline", WORD_BARE),
    W("__grid_constant__", WORD_BARE),
    W("__extension__", WORD_BARE),
    W("__nv_pure__", WORD_BARE),
    W("__inline_hint__", WORD_BARE),
    W("RESTRICT", WORD_BARE),
    W("__cdecl", WORD_BARE),
    W("__stdcall", WORD_BARE),
    W("__tile_global__", WORD_BARE),
};

#define SLOTS 512u

static uint8_t slots[SLOTS]; /* index + 1 into words */
static pthread_once_t once = PTHREAD_ONCE_INIT;

static inline unsigned hash(const char *s, uint32_t len)
{
    return ((unsigned char)s[0] * 31u + (unsigned char)s[len - 1] * 7u +
            (unsigned char)s[len / 2] * 3u + len * 61u) &
           (SLOTS - 1);
}

static void fill(void)
{
    _Static_assert(sizeof words / sizeof words[0] < 255, "an index fits into a byte");
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        unsigned h = hash(words[i].text, words[i].len);
        while (slots[h])
            h = (h + 1) & (SLOTS - 1);
        slots[h] = (uint8_t)(i + 1);
    }
}

static bool is_caps(const char *s, uint32_t len)
{
    unsigned capitals = 0;
    for (uint32_t k = 0; k < len; k++) {
        if (s[k] >= 'A' && s[k] <= 'Z')
            capitals++;
        else if (s[k] != '_' && !(s[k] >= '0' && s[k] <= '9'))
            return false;
    }
    return capitals >= 2;
}

/* The many spellings of restrict that projects bring along; __restrict__ itself the grammar reads. */
static bool is_restrict(const char *s, uint32_t len)
{
    return len > 9 && memcmp(s + len - 9, "_RESTRICT", 9) == 0;
}

enum word_class cmpd_word_class(const char *s, uint32_t len)
{
    pthread_once(&once, fill);
    for (unsigned h = hash(s, len); slots[h]; h = (h + 1) & (SLOTS - 1)) {
        const struct word *w = &words[slots[h] - 1];
        if (w->len == len && memcmp(w->text, s, len) == 0)
            return (enum word_class)w->class;
    }
    if (s[0] == '_' || (s[0] >= 'A' && s[0] <= 'Z'))
        return is_restrict(s, len) ? WORD_BARE : is_caps(s, len) ? WORD_CAPS : WORD_PLAIN;
    return WORD_PLAIN;
}
