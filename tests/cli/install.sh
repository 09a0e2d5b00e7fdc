# SPDX-License-Identifier: BSD-3-Clause
# "make install" puts the program, the library in both forms, its headers, documents, examples, scenarios, the keeper's unit and
# completion where it is told, and nothing else; "make uninstall" takes all of it away again. The installed
# program works where it is, and the shared library shows what the headers declare, and nothing else.
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

fail() {
	echo "$0: $*" >&2
	exit 1
}

# make_it TARGET...: as a user would, not as a part of "make test".
make_it() {
	env -u MAKEFLAGS -u MAKELEVEL make "$@" DESTDIR="$dir" PREFIX=/opt/weir >"$dir/log" 2>&1 || {
		cat "$dir/log"
		exit 1
	}
}

make_it install
root=$dir/opt/weir
"$root/bin/weir" list marking | grep -q tcn
for header in include/weir/*.h; do
	cmp "$header" "$root/include/weir/${header##*/}"
done
for file in scenarios/papers/*/*; do
	cmp "$file" "$root/share/weir/papers/${file#scenarios/papers/}"
done
strangers=$(cd "$root" && find . ! -type d | grep -v -x -e ./bin/weir -e './lib/libweir\(-sim\|-lab\)\?\.\(a\|so\|so\.0\|so\.[0-9.]*\)' \
	-e './lib/python3/dist-packages/weir/[a-z_]*\.py' -e ./lib/python3/dist-packages/weir/py.typed \
	-e ./lib/pkgconfig/weir.pc -e './include/weir/[a-z_]*\.h' -e ./share/man/man1/weir.1 -e './share/weir/papers/.*' -e './share/weir/models/[a-z0-9-]*\.model' \
	-e './share/weir/scenarios/[a-z-]*\.ini' -e './share/doc/weir/.*' -e ./share/bash-completion/completions/weir \
	-e ./share/zsh/site-functions/_weir -e ./share/fish/vendor_completions.d/weir.fish -e ./lib/systemd/system/weir-keeper@.service \
	-e ./lib/sysusers.d/weir.conf) || :
[ -z "$strangers" ] || fail "also installed: $strangers"
for file in bin/weir lib/libweir.a lib/libweir.so.2 lib/pkgconfig/weir.pc share/man/man1/weir.1 \
	share/weir/scenarios/demo.ini share/doc/weir/examples/plugin/mine.c share/doc/weir/docs/manual/13-extending.md \
	share/bash-completion/completions/weir share/zsh/site-functions/_weir share/fish/vendor_completions.d/weir.fish \
	lib/systemd/system/weir-keeper@.service lib/sysusers.d/weir.conf lib/python3/dist-packages/weir/__init__.py; do
	[ -s "$root/$file" ] || fail "$file is missing or empty"
done
# It is hardened as a package of Debian is: relocations are read-only once it runs, and stack and buffers are watched.
for file in bin/weir lib/libweir.so lib/libweir-sim.so lib/libweir-lab.so; do
	readelf -lW "$root/$file" | grep -q GNU_RELRO && readelf -dW "$root/$file" | grep -q BIND_NOW ||
		fail "$file: not linked with -z relro -z now"
	readelf --dyn-syms -W "$root/$file" | grep -q ' __stack_chk_fail' || fail "$file: no stack protector"
	readelf --dyn-syms -W "$root/$file" | grep -q ' __[a-z]*printf_chk' || fail "$file: not built with FORTIFY"
done
readelf -hW "$root/bin/weir" | grep -q 'Type: *DYN' || fail "bin/weir: not position-independent"
# The unit runs as a user that the package makes.
user=$(sed -n 's/^User=//p' "$root/lib/systemd/system/weir-keeper@.service")
grep -q "^u $user " "$root/lib/sysusers.d/weir.conf" || fail "nothing makes the user $user"
if command -v systemd-sysusers >/dev/null; then
	mkdir -p "$dir/etc"
	systemd-sysusers --root="$dir" - <"$root/lib/sysusers.d/weir.conf" 2>"$dir/log" && grep -q "^$user:" "$dir/etc/passwd" "$dir/etc/group" ||
		fail "systemd-sysusers: $(cat "$dir/log")"
fi

# The installed program finds the figures by itself.
(cd "$dir" && "$root/bin/weir" reproduce >"$dir/figures")
[ "$(grep -c / "$dir/figures")" -ge "$(ls scenarios/papers/*/*.ini | wc -l)" ]

# A program that was linked with the shared library asks for it by a name without a minor version.
[ "$(objdump -p "$root/lib/libweir.so" | awk '$1 == "SONAME" { print $2 }')" = libweir.so.2 ] || fail SONAME
[ "$(readlink "$root/lib/libweir.so.2")" = "libweir.so.$(sed -n 's/.*WEIR_VERSION "\(.*\)"/\1/p' base/version.h)" ]
for symbol in $(nm -D --defined-only "$root/lib/libweir.so" "$root/lib/libweir-sim.so" "$root/lib/libweir-lab.so" | awk 'NF == 3 && $3 !~ /[.]resolver$/ { print $3 }'); do
	grep -q "\<$symbol\>" include/weir/*.h || fail "a shared library shows $symbol, which no header declares"
done

# Debian's packages take every library.
for file in "$root"/lib/lib*; do
	taken=
	for pattern in $(sed -n 's|^usr/lib/\*/\(lib[^/ ]*\)$|\1|p' packaging/debian/*.install); do
		# shellcheck disable=SC2254
		case ${file##*/} in $pattern) taken=1 ;; esac
	done
	[ "$taken" ] || fail "no package takes lib/${file##*/}"
done

make_it uninstall
[ -z "$(find "$root" ! -type d)" ] || fail "left behind: $(find "$root" ! -type d)"
[ ! -e "$root/share/weir" ] && [ ! -e "$root/share/doc/weir" ] && [ ! -e "$root/include/weir" ] || fail "folders of ours"
