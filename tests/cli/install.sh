# "make install" puts a working program, the library, its headers, the man page and the figures of papers
# where it is told, and nothing else; a program and a plug-in outside the source tree can be built with them.
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
env -u MAKEFLAGS -u MAKELEVEL make install DESTDIR="$dir" PREFIX=/opt/weir >"$dir/log" 2>&1 || {
	cat "$dir/log"
	exit 1
}
root=$dir/opt/weir
"$root/bin/weir" list marking | grep -q tcn
for header in include/weir/*.h; do
	cmp "$header" "$root/include/weir/${header##*/}"
done
[ -z "$(find "$root" -type f ! -path "$root/bin/weir" ! -path "$root/lib/libweir.a" \
	! -path "$root/include/weir/*.h" ! -path "$root/share/man/man1/weir.1" \
	! -path "$root/share/weir/papers/*")" ] || exit 1
[ -s "$root/share/man/man1/weir.1" ]
for file in scenarios/papers/*/*; do
	[ ! -f "$file" ] || cmp "$file" "$root/share/weir/papers/${file#scenarios/papers/}"
done
# The installed program finds them by itself.
if [ -d "$root/share/weir/papers" ]; then
	(cd "$dir" && "$root/bin/weir" reproduce >"$dir/figures")
	[ "$(grep -c / "$dir/figures")" -ge "$(ls scenarios/papers/*/*.ini | wc -l)" ]
fi
cat >"$dir/user.c" <<'END'
#include <stdio.h>
#include <weir/mark.h>

int main(void)
{
	_Alignas(8) unsigned char params[WEIR_SPEC_PARAMS_MAX];
	const struct weir_mark_ops *ops;
	struct weir_error e;

	if (weir_mark_parse("tcn(threshold=78us)", &ops, params, &e))
		return 1;
	puts(ops->scheme.name);
}
END
gcc -std=c11 -I"$root/include" -o "$dir/user" "$dir/user.c" -L"$root/lib" -lweir -lm
[ "$("$dir/user")" = tcn ]
# A plug-in needs the headers and no library.
gcc -shared -fPIC -I"$root/include" examples/plugin/mine.c -o "$dir/mine.so"
"$root/bin/weir" help "$dir/mine.so" | grep -q '^mine (marking)$'
