#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# demo.sh -- compares every marking scheme under web search traffic, and writes an HTML report.
set -eu
./weir run scenarios/demo.ini --sort fct_small_p99_ns
printf '\nRatios to ecn, paired by seed:\n\n'
./weir table demo.results --normalize-to ecn --sort fct_small_p99_ns \
	--metric fct_small_p99_ns --metric slowdown_p99 --metric fct_large_mean_ns --metric goodput_bps
./weir report demo.results >/dev/null
echo "open $PWD/demo.results/report.html in a browser"
