# The files of workloads/ arrive in the program byte by byte, whatever characters are in them.
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
printf '# A "quoted" help \\ with\ttab\n0 0\n\\n %%d ??/ 1\n' >"$dir/odd-name.txt"
printf '# Second\n1 1\n' >"$dir/two.txt"
awk -f tools/embed.awk "$dir/odd-name.txt" "$dir/two.txt" /dev/null >"$dir/workloads.c"
cat >"$dir/main.c" <<'END'
#include "sim/traffic/workload.h"
#include <stdio.h>

int main(void)
{
	for (const struct workload_file *w = workload_files; w->name; w++)
		printf("%s|%s|%s", w->name, w->help, w->text);
}
END
gcc -std=c11 -Werror -Iinclude -I. -o "$dir/main" "$dir/main.c" "$dir/workloads.c"
{
	printf 'odd-name|A "quoted" help \\ with\ttab|'
	cat "$dir/odd-name.txt"
	printf 'two|Second|'
	cat "$dir/two.txt"
} >"$dir/expected"
"$dir/main" | diff "$dir/expected" -
