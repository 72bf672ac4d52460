/*
 * __dso_handle, by which destructors of static objects are registered: each shared library has its own. The compiler
 * driver takes it from its start files; candidates are linked without the driver, which is faster.
 */
extern void *__dso_handle;
__attribute__((visibility("hidden"))) void *__dso_handle = &__dso_handle;
