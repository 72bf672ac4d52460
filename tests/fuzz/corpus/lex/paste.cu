#define C(a, b) a##b
#define S(x) #x
#define X(a, ...) f(a, ##__VA_ARGS__) S(__VA_ARGS__)
#define Y(a...) g(a)
C(x, 1) C(, y) C(z,) C(,) C(+, +) C(1, e) S("a\n" '"') X(1) X(1, 2, (3, 4)) Y() Y(1, 2) C(L, "s") C("a","b")
#define P ## a
#define Q a ##
P Q
#define H # x
H
#define BAD(x #x
BAD(1)
#define DUP(a, a) a
DUP(1,2)
