#if A
void f() {
#else
void g() { {
#endif
}
#ifdef B
}
#endif
int x;
