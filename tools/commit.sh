#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# commit.sh -- which commit the source is of: as git says, where this is a checkout and not merely a folder
# inside somebody else's; as the tarball says that it was unpacked from (.commit); or "no commit".
cd "$(dirname "$0")/.." || exit 1
if [ -e .git ]; then
	git describe --always --tags --dirty=+changes 2>/dev/null || echo "no commit"
else
	cat .commit 2>/dev/null || echo "no commit"
fi
