# SPDX-License-Identifier: BSD-3-Clause
# "make dist": a tarball that is the same bytes twice, builds where git is not and says which commit it is of,
# even inside a repository of somebody else's; a compiler that warns of something does not stop it. A
# tarball made from its files holds the same files.
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
version=$(sed -n 's/.*WEIR_VERSION "\(.*\)"/\1/p' base/version.h)

fail() {
	echo "$0: $*" >&2
	exit 1
}

# make_it TARGET...: as a user would; what CI asks of us it does not ask of users.
make_it() {
	env -u MAKEFLAGS -u MAKELEVEL -u CI make "$@" >"$dir/log" 2>&1 || fail "make $*: $(tail -n 20 "$dir/log")"
}

# sources PROGRAM: what "weir version" says of the sources.
sources() {
	"$1" version | cut -d ' ' -f 2
}

make_it weir dist
cp "build/weir-$version.tar.gz" "$dir/first.tar.gz"
tools/dist.sh "$version" "$dir/again.tar.gz" >/dev/null
cmp "$dir/first.tar.gz" "$dir/again.tar.gz" || fail "another tarball of the same files"
commit=$(tools/commit.sh)
sources=$(sources ./weir)

cd "$dir"
git init -q . 2>/dev/null || :
tar -xzf first.tar.gz
cd "weir-$version"
[ ! -e build ] && [ ! -e weir ] || fail "holds what was built"
tools/dist.sh "$version" "$dir/second.tar.gz" >/dev/null
tar -tzf "$dir/first.tar.gz" >"$dir/first"
tar -tzf "$dir/second.tar.gz" | diff "$dir/first" - || fail "a tarball of a tarball's files holds others"
echo 'static int nobody_asks;' >>cli/main.c
make_it weir CFLAGS=-O0
grep -q 'nobody_asks.*defined but not used' "$dir/log" || fail "there was no warning"
[ "$(sources ./weir)" = "$sources" ] || fail "its sources are others: $(./weir version)"
./weir version | grep -qF "($commit)" || fail "its commit is another: $(./weir version)"
# In a checkout the same warning is an error.
touch .git
if env -u MAKEFLAGS -u MAKELEVEL -u CI make build/asan/cli/main.o >"$dir/log" 2>&1; then
	fail "a warning passes in a checkout"
fi
