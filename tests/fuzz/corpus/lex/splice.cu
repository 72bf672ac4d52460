#def\
ine A(x) \
  (x) \
 + 1
int b = A(\
2); // comment \
 goes on
"str\
ing" \
int c\