#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# verdict-table.sh FILE -- prints what docs/results/five-papers.md has from docs/results/reproduction.md: the
# tables over all papers (by sentences, by claims, and why claims are not reproduced), an index of all figures
# with their outcome, and what was fitted.
set -eu
awk 'BEGIN { title[2] = "By claims:\n"; title[3] = "Why claims are not reproduced here:\n" }
	/^\| paper / { open = 1; n++; print ""; if (title[n]) print title[n] }
	!/^\|/ { open = 0 }
	open' "$1"
awk -F ' *[|] *' '/^## / { paper = substr($0, 4); in_table = 0 }
	/^\| figure \|  \| size \| outcome / {
		in_table = 1
		if (!started++) print "\nEvery figure, with its sentences that agree:\n\n| paper | figure | | quick | full |\n|---|---|---|---|---|"
		next
	}
	!/^\|/ { if (in_table) flush_row(); in_table = 0 }
	in_table && $2 != "---" {
		if ($2 != figure || paper != of) flush_row()
		of = paper; figure = $2; name = $3
		text = $5 == "" ? $4 : $5 ", " $8 " of " $7
		sub(/^(quick|full), /, "", text)
		if ($4 ~ /^full/) full = text; else quick = text
	}
	function flush_row() {
		if (figure != "") printf "| %s | %s | %s | %s | %s |\n", of, figure, name, quick, full
		figure = quick = full = ""
	}' "$1"
awk '/^## / { here = $0 == "## What settings were fitted to" }
	here && /^### / { label = substr($0, 5); sub(/: .*/, "", label) }
	here && /^- / {
		if (!n++) print "\nFitted, and not counted:\n\n| figure | claims | what was chosen by them |\n|---|---|---|"
		colon = index($0, ": ")
		printf "| %s | %s | %s |\n", label, substr($0, 3, colon - 3), substr($0, colon + 2)
	}
	END { if (!n) print "\nNothing was fitted."; print "" }' "$1"
