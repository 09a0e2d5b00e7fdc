#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# deb.sh VERSION FOLDER -- builds Debian packages of FOLDER/weir-VERSION.tar.gz in a copy, and leaves them in
# FOLDER. Errors of lintian fail it.
set -eu
version=$1
folder=$2
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

case $(head -n 1 packaging/debian/changelog) in
"weir ($version-"*) ;;
*)
	echo "packaging/debian/changelog is not of version $version" >&2
	exit 1
	;;
esac
cp "$folder/weir-$version.tar.gz" "$dir/weir_$version.orig.tar.gz"
tar -xzf "$dir/weir_$version.orig.tar.gz" -C "$dir"
cp -r packaging/debian "$dir/weir-$version/debian"
(cd "$dir/weir-$version" && env -u MAKEFLAGS -u MAKELEVEL dpkg-buildpackage -us -uc -b) >"$folder/deb.log" 2>&1 || {
	tail -n 30 "$folder/deb.log" >&2
	exit 1
}
cp "$dir"/*.deb "$dir"/*.changes "$dir"/*.buildinfo "$folder"
lintian --fail-on error --tag-display-limit 0 "$dir"/*.changes
ls "$folder"/*.deb
