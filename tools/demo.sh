#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# demo.sh -- a first look: the flagship comparison, who wins, and a report to open in a browser.
set -eu
./weir run scenarios/demo.ini --sort fct_small_p99_ns
printf '\nThe same, each run over that of ecn with the same seed:\n\n'
./weir table demo.results --normalize-to ecn --sort fct_small_p99_ns \
	--metric fct_small_p99_ns --metric slowdown_p99 --metric fct_large_mean_ns --metric goodput_bps
echo "ecn, ideal-ecn and mq-ecn are the same here: what tells them apart is a port with several queues."
./weir report demo.results >/dev/null
echo "open $PWD/demo.results/report.html in a browser"
