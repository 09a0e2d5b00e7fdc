#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# verdict-table.sh FILE -- prints the tables over all papers of docs/results/reproduction.md (by claims, by
# sentences, and why claims disagree), for docs/results/five-papers.md.
set -eu
awk 'BEGIN { title[2] = "By sentences, each of which agrees only where all of it does:\n"; title[3] = "Why claims disagree:\n" }
	/^\| paper / { open = 1; n++; print ""; if (title[n]) print title[n] }
	!/^\|/ { open = 0 }
	open
	END { print "" }' "$1"
