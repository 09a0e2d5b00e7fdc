#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# dist.sh VERSION FILE -- writes the source as FILE, a reproducible tarball of weir-VERSION/. In a git checkout
# it holds the tracked files in their present state, elsewhere everything but build outputs. Either way
# .commit names its commit.
set -eu
export LC_ALL=C
version=$1
target=$2
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
top=$dir/weir-$version

if [ -e .git ]; then
	git ls-files >"$dir/list"
	date=$(git log -1 --format=%ct)
else
	find . -type f ! -path './build/*' ! -path './weir' ! -path '*.results/*' ! -path './reproduction/*' >"$dir/list"
	date=$(stat -c %Y Makefile)
fi
mkdir -p "$top" "$(dirname "$target")"
tar -cf - --verbatim-files-from -T "$dir/list" | tar -xf - -C "$top"
tools/commit.sh >"$top/.commit"
tar --sort=name --owner=0 --group=0 --numeric-owner --mode=go=rX,u+rw --mtime="@${SOURCE_DATE_EPOCH:-$date}" \
	-C "$dir" -cf - "weir-$version" | gzip -9n >"$target.part"
mv "$target.part" "$target"
echo "$target"
