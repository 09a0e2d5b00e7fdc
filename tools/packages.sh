#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# packages.sh GROUP -- installs the Debian packages of a group in packages.txt that are missing. Silent if none
# is. On other systems it only names them.
set -u
group=$1
wanted=$(awk -v group="$group" '$1 !~ /^#/ && $2 == group { printf "%s ", $1 }' packages.txt)

if ! command -v dpkg >/dev/null; then
	echo "not a Debian system; needed here ($group): $wanted"
	exit 0
fi
missing=
for package in $wanted; do
	case $(dpkg -s "$package" 2>/dev/null) in
	*"Status: install ok installed"*) ;;
	*) missing="$missing $package" ;;
	esac
done
[ -n "$missing" ] || exit 0

as_root=
[ "$(id -u)" = 0 ] || as_root=sudo
install="$as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends"
# apt-get does not wait for another apt-get: a lock serialises groups that make installs in parallel.
mkdir -p build
exec 9>build/packages.lock
flock 9
echo "installing Debian packages ($group):$missing"
# Package lists may be empty or out of date: try, update, try again.
log=$(mktemp)
trap 'rm -f "$log"' EXIT
if $install $missing >"$log" 2>&1; then
	exit 0
fi
if $as_root apt-get update >>"$log" 2>&1 && $install $missing >>"$log" 2>&1; then
	exit 0
fi
tail -n 15 "$log" >&2
echo "apt-get could not install:$missing" >&2
exit 1
