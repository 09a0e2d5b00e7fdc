# SPDX-License-Identifier: BSD-3-Clause
# The door of lib/learn, weir/learn.h, opens from C++17 and beside other headers, and a program can be built
# with it and the library alone.
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cat >"$dir/door.cc" <<'END'
#include <getopt.h>
#include <weir/learn.h>

int main()
{
	weir_learn_stack stack{};

	stack.inputs = 2;
	stack.outputs = 1;
	return weir_learn_plan_stack(&stack).layer_count == 1 ? 0 : 1;
}
END
${CLANG:-clang} -x c++ -std=c++17 -Wall -Wextra -Werror -Iinclude -c -o "$dir/door.o" "$dir/door.cc"
gcc -o "$dir/door" "$dir/door.o" build/release/libweir.a -lm
"$dir/door"
# Whatever its objects define begins with weir_learn_, so that nobody's names are taken.
taken=$(nm -g --defined-only build/release/lib/learn/*.o | awk 'NF == 3 { print $3 }' | grep -v -e '^weir_learn_') || true
[ -z "$taken" ] || {
	echo "lib/learn defines:" $taken
	exit 1
}
