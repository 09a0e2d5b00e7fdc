# SPDX-License-Identifier: BSD-3-Clause
# tools/packages.sh: silent when all is there, else installs what is missing and says so; a failing
# apt-get is an error with the names. Played with a dpkg and an apt-get that only pretend.
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
mkdir "$dir/bin"

# pretend NAME: reads the script of a command of that name.
pretend() {
	{
		echo '#!/bin/sh'
		cat
	} >"$dir/bin/$1"
	chmod +x "$dir/bin/$1"
}

# play: packages.sh for the group "build", with every other command real.
play() {
	: >"$dir/did"
	DIR=$dir PATH=$dir/bin:$PATH tools/packages.sh build >"$dir/out" 2>&1
}

fail() {
	echo "$1"
	cat "$dir/out" "$dir/did"
	exit 1
}

pretend id <<'END'
echo 0
END
pretend apt-get <<'END'
echo "apt-get $*" >>"$DIR/did"
END
pretend dpkg <<'END'
echo "Status: install ok installed"
END
play || fail "all there: must succeed"
[ ! -s "$dir/out" ] && [ ! -s "$dir/did" ] || fail "all there: must be silent and do nothing"

pretend dpkg <<'END'
[ "$2" = libsqlite3-dev ] || echo "Status: install ok installed"
END
play || fail "one missing: must succeed"
grep -qx 'installing Debian packages (build): libsqlite3-dev' "$dir/out" || fail "must say what"
grep -qx 'apt-get install -y --no-install-recommends libsqlite3-dev' "$dir/did" || fail "must install"

pretend id <<'END'
echo 1000
END
pretend sudo <<'END'
echo sudo >>"$DIR/did"
exec "$@"
END
play || fail "not root: must succeed"
grep -qx sudo "$dir/did" || fail "not root: must use sudo"

pretend apt-get <<'END'
echo "no network"
exit 100
END
if play; then fail "apt-get fails: must fail"; fi
grep -qx 'apt-get could not install: libsqlite3-dev' "$dir/out" || fail "must name what is missing"

# Where there is no dpkg at all: names the packages and goes on.
mkdir "$dir/elsewhere"
for tool in sh awk cat; do
	ln -s "$(command -v $tool)" "$dir/elsewhere/$tool"
done
PATH=$dir/elsewhere tools/packages.sh build >"$dir/out" 2>&1 || fail "no dpkg: must go on"
grep -q 'not a Debian system.*libsqlite3-dev' "$dir/out" || fail "no dpkg: must name the packages"
