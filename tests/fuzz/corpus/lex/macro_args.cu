#define F(x, y) x y
#define G() 1
#define V(...) __VA_ARGS__
int a = F(1, (2, 3)) F(,) G() G( ) V() V(,) F(F(1,2), V(3, 4)); F(1 F(1,2,3) F G F(
#define Z F(1
Z, 2)
