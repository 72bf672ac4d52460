#define A 1
#if A
int x = A;
#elseint y;
#endif
