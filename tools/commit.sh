#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# commit.sh -- prints the commit of the source: from git in a checkout of Weir (not in a directory of
# another repository), from .commit in an unpacked tarball, or "no commit".
cd "$(dirname "$0")/.." || exit 1
if [ -e .git ]; then
	git describe --always --tags --dirty=+changes 2>/dev/null || echo "no commit"
else
	cat .commit 2>/dev/null || echo "no commit"
fi
