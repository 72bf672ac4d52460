#define f(x) f(f(x)) g
#define g g f
#define A B
#define B A
int a = f(f(f(1))) + A + g(2) f;
