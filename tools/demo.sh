#!/bin/sh
# demo.sh -- a first look: the flagship comparison, its table, and a report to open in a browser.
set -eu
./weir run scenarios/demo.ini
./weir report demo.results >/dev/null
echo "open $PWD/demo.results/report.html in a browser"
