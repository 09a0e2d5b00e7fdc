#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# verdict-table.sh FILE -- prints the tables over all papers of docs/results/reproduction.md (by sentences, by
# claims, and why claims are not reproduced), for docs/results/five-papers.md.
set -eu
awk 'BEGIN { title[2] = "By claims:\n"; title[3] = "Why claims are not reproduced here:\n" }
	/^\| paper / { open = 1; n++; print ""; if (title[n]) print title[n] }
	!/^\|/ { open = 0 }
	open
	END { print "" }' "$1"
