#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# identity.sh FILE -- writes FILE, a C source with the identity of the program (base/version.h), if it changed.
# A digest of the sources that decide results (library, simulator, distributions, scenario reader) is part
# of a run's key, so a result of other code is never taken for one of this. Reports and commands are not
# in it: a new chart must not repeat a night of runs. Training also depends on train/, which has a digest
# of its own.
set -eu
export LC_ALL=C
cd "$(dirname "$0")/.."
digest=$(find include base config lib sim workloads lab/scenario -type f -name '*.[cht]*' -print | sort | xargs sha256sum | sha256sum | cut -c 1-12)
trainers=$(find train -type f -name '*.[ch]' -print | sort | xargs sha256sum | sha256sum | cut -c 1-12)
commit=$(tools/commit.sh)
cat >"$1.part" <<END
#include "base/version.h"
const char version_sources[] = "$digest";
const char version_trainers[] = "$trainers";
const char version_commit[] = "$commit";
END
if cmp -s "$1.part" "$1"; then
	rm "$1.part"
else
	mv "$1.part" "$1"
fi
