/* Symbols as g++ and nvcc write them. */
#include "unit/unit.h"

#include "gpu-runner/entry/mangle.h"

static void readable(void **state)
{
    (void)state;
    static const struct {
        const char *symbol, *name, *targs, *params;
    } rows[] = {
        {"launch_x", "launch_x", NULL, NULL},
        {"_Z6launchPKfPfi", "launch", NULL, "float const*, float*, int"},
        {"_ZL6launchPKfPfi", "launch", NULL, "float const*, float*, int"},
        {"_Z4initv", "init", NULL, ""},
        {"_ZN4demo8add_tanhEPKfS1_Pfi", "demo::add_tanh", NULL,
         "float const*, float const*, float*, int"},
        {"_ZN12_GLOBAL__N_16launchEPKfPfi", "launch", NULL, "float const*, float*, int"},
        {"_ZN36_GLOBAL__N__c088b21f_4_k_cu_3b1f3e3f2akEPKfPfi", "ak", NULL,
         "float const*, float*, int"},
        {"_ZN2nsL2tkIfLi128EEEvPKT_PS1_i", "ns::tk", "float, 128", "float const*, float*, int"},
        {"_Z5scaleIfLi256EEvPKT_PS0_i", "scale", "float, 256", "float const*, float*, int"},
        {"_Z1kI6__halfLb1EEvPKT_i", "k", "__half, true", "__half const*, int"},
        {"_Z1kILin4EEvPf", "k", "-4", "float*"},
        {"_ZN3foo3BarIfE3runEPKfi", "foo::Bar<float>::run", NULL, "float const*, int"},
        {"_Z3addRKiPdS1_", "add", NULL, "int const&, double*, double*"},
        {"_Z1fRSt6vectorIfSaIfEES2_", "f", NULL,
         "std::vector<float, std::allocator<float>>&, std::vector<float, std::allocator<float>>&"},
        {"_Z4fillPfmP11CUstream_st", "fill", NULL, "float*, unsigned long, CUstream_st*"},
        {"_Z2hgPK6__halfS1_Pfiii", "hg", NULL,
         "__half const*, __half const*, float*, int, int, int"},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct cmpd_demangled d;
        if (!cmpd_demangle(rows[i].symbol, &d))
            fail_msg("%s can't be read", rows[i].symbol);
        assert_string_equal(d.name, rows[i].name);
        assert_int_equal(d.targs != NULL, rows[i].targs != NULL);
        if (d.targs)
            assert_string_equal(d.targs, rows[i].targs);
        assert_int_equal(d.params != NULL, rows[i].params != NULL);
        if (d.params)
            assert_string_equal(d.params, rows[i].params);
        cmpd_demangled_clear(&d);
    }
}

static void not_readable(void **state)
{
    (void)state;
    static const char *const symbols[] = {"",
                                          "_Z",
                                          "_ZN",
                                          "_ZNE",
                                          "_Z0",
                                          "_Z99abc",
                                          "_Z1",
                                          "_ZZ3foovE3bar",
                                          "_ZTV3foo",
                                          "_Z999999999999999999999x",
                                          "_ZN3fooplEii",
                                          "_Z1kIfLi"};
    for (size_t i = 0; i < COUNT(symbols); i++) {
        struct cmpd_demangled d;
        if (cmpd_demangle(symbols[i], &d))
            fail_msg("%s is read as %s", symbols[i], d.name);
        cmpd_demangled_clear(&d);
    }
}

static void hostile(void **state)
{
    (void)state;
    char text[CMPD_MANGLE_CEILING];
    static const char *const fills[] = {"P",  "K",   "S_", "N", "I",  "1a",
                                        "T_", "S0_", "RK", "J", "LiE"};
    for (size_t i = 0; i < COUNT(fills); i++) {
        struct cmpd_demangled d;
        size_t n = (size_t)snprintf(text, sizeof text, "_Z1k");
        while (n + 4 < sizeof text)
            n += (size_t)snprintf(text + n, sizeof text - n, "%s", fills[i]);
        cmpd_demangle(text, &d);
        cmpd_demangled_clear(&d);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(readable), cmocka_unit_test(not_readable),
                                       cmocka_unit_test(hostile)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
