# SPDX-License-Identifier: BSD-3-Clause
# The files of workloads/ and models/ arrive in the program byte by byte, whatever is in them.
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

# Every byte there is, twice, and nothing at all.
awk 'BEGIN { for (i = 0; i < 512; i++) printf "\\%03o", i % 256 }' | xargs -0 printf >"$dir/all-bytes.model"
: >"$dir/empty.model"
tools/embed-models.sh "$dir/all-bytes.model" "$dir/empty.model" >"$dir/models.c"
cat >"$dir/main.c" <<'END'
#include "config/model.h"
#include <stdio.h>

int main(void)
{
	for (const struct model_file *m = model_files; m->name; m++) {
		fprintf(stderr, "%s %zu\n", m->name, m->bytes.size);
		fwrite(m->bytes.data, 1, m->bytes.size, stdout);
	}
}
END
gcc -std=c11 -Werror -Iinclude -I. -o "$dir/main" "$dir/main.c" "$dir/models.c"
"$dir/main" 2>"$dir/names" | cmp "$dir/all-bytes.model" -
printf 'all-bytes 512\nempty 0\n' | diff - "$dir/names"
