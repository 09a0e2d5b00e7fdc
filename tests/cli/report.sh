# SPDX-License-Identifier: BSD-3-Clause
# weir report: where its files go, what it says, and what it refuses; and that the files which travel in
# the program arrive byte by byte.
set -eu
weir=${WEIR:-./weir}
case $weir in /*) ;; *) weir=$PWD/$weir ;; esac
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

fail() {
	echo "$*"
	exit 1
}

# refused MESSAGE STATUS ARGUMENT...: ends with the status and one line that contains the message.
refused() {
	message=$1 status=$2 got=0
	shift 2
	"$weir" report "$@" >"$dir/out" 2>"$dir/err" || got=$?
	[ $got = "$status" ] || fail "report $*: status $got, not $status"
	[ "$(wc -l <"$dir/err")" = 1 ] || fail "report $*: not one line: $(cat "$dir/err")"
	grep -qF -- "$message" "$dir/err" || fail "report $*: $(cat "$dir/err")"
}

cat >"$dir/mine.ini" <<'END'
# Short or long?
[network]
topology = star
hosts = 4
rate = 10Gbps
delay = 2us

[traffic requests]
pattern = incast
senders = 3
size = 20KB
period = 200us

[measure]
to = 1ms

[sweep]
switch.marking = none, ecn(k=20pkts)
seed = 1..2
END
"$weir" run "$dir/mine.ini" --out "$dir/runs" --quiet

"$weir" report "$dir/runs" >"$dir/out"
grep -q "^$dir/runs/report.html: 4 runs, [0-9]* charts$" "$dir/out" || fail "$(cat "$dir/out")"
grep -q '<h1>Short or long?</h1>' "$dir/runs/report.html"
"$weir" report "$dir/runs" -o "$dir/other.html" >/dev/null
cmp "$dir/runs/report.html" "$dir/other.html"
rm "$dir/runs/report.html"
"$weir" report "$dir/runs" --svg "$dir/svg" >/dev/null
[ ! -e "$dir/runs/report.html" ] || fail '--svg alone wrote HTML'
[ -s "$dir/svg/flow-completion-time-mean.svg" ] || fail "$(ls "$dir/svg")"

# The same charts for gnuplot and matplotlib.
"$weir" export "$dir/runs" --plots "$dir/plots"
for svg in "$dir"/svg/*.svg; do
	name=$(basename "$svg" .svg)
	grep -q "^# line: " "$dir/plots/$name.dat" || fail "no numbers of $name"
	grep -q "\"$name.dat\" index 0 using" "$dir/plots/$name.gp" || fail "no script of $name"
done
sed -n 1p "$dir/plots/flow-completion-time-mean.dat" | grep -qx '# title: Flow completion time, mean'
[ -s "$dir/plots/plots.py" ] || fail 'no plots.py'
# Bars have names on their axis, and error bars where the numbers have intervals; no two lines look the same.
"$weir" run "$dir/mine.ini" --set 'sweep.switch.marking=none, tcn, red, ecn(k=5pkts), ecn(k=10pkts), ecn(k=15pkts), ecn(k=20pkts), ecn(k=30pkts)' \
	--set 'sweep.traffic.requests.size=20KB, 40KB' --out "$dir/more" --quiet
"$weir" export "$dir/more" --plots "$dir/lines"
gp=$dir/plots/flow-completion-time-mean.gp
grep -q '^set xtics .*("none" 0, "ecn" 1)' "$gp" || fail "no names on the axis: $(cat "$gp")"
[ "$(grep -c 'using 1:2:3:4 with yerrorlines' "$gp")" = 2 ] || fail "no error bars: $(cat "$gp")"
sed -n 's/.*with linespoints \(.*\) title.*/\1/p' "$dir/lines/flow-completion-time-mean.gp" >"$dir/looks"
[ "$(wc -l <"$dir/looks")" = 8 ] || fail "no line for each scheme: $(cat "$dir/lines/flow-completion-time-mean.gp")"
sort "$dir/looks" | uniq -d >"$dir/twins"
[ ! -s "$dir/twins" ] || fail "lines that look the same: $(cat "$dir/twins")"
if command -v gnuplot >/dev/null; then
	(for script in "$dir"/plots/*.gp "$dir"/lines/*.gp; do
		cd "$(dirname "$script")"
		gnuplot -e 'own_terminal = 1; set terminal svg; set output "drawn.svg"' "$script" >log 2>&1 && grep -q '<path' drawn.svg && [ ! -s log ] ||
			{ cat "$script" log; exit 1; }
	done
	cd "$dir/plots" && gnuplot "$gp" && [ "$(head -c 5 flow-completion-time-mean.pdf)" = %PDF- ]) || fail 'gnuplot does not draw them'
else
	echo "left out: the scripts of charts: gnuplot is not installed"
fi
if command -v python3 >/dev/null; then
	(cd "$dir/plots" && python3 - <<-'END'
	import glob, plots
	for path in glob.glob("*.dat") + glob.glob("../lines/*.dat"):
	    head, lines = plots.read(path)
	    assert head["kind"] in ("curves", "steps", "means", "bars") and head["title"], path
	    assert lines and all(len(row) == 4 for name, rows in lines for row in rows), path
	    assert len(head["styles"]) == len(lines) == len(set(head["styles"])), path
	below, above = plots.interval((2, 3), (1, float("nan")), (4, float("nan")))
	assert (below, above) == ([1, 0], [2, 0]), (below, above)
	END
	) || fail 'plots.py does not read them'
else
	echo "left out: plots.py: python3 is not installed"
fi
# What matplotlib is told, and what it draws.
python=python3
command -v python3 >/dev/null && python3 -c 'import matplotlib' 2>/dev/null || python=/usr/bin/python3
if "$python" -c 'import matplotlib' 2>/dev/null; then
	(cd "$dir/plots" && rm -f ./*.pdf && "$python" - <<-'END'
	import matplotlib
	matplotlib.use("pdf")
	import matplotlib.pyplot as plt
	import plots
	axes = plt.subplots()[1]
	plots.draw(axes, *plots.read("flow-completion-time-mean.dat"))
	assert [t.get_text() for t in axes.get_xticklabels()] == ["none", "ecn"]
	bars = [c for c in axes.containers if "Errorbar" in type(c).__name__]
	assert len(bars) == 2 and all(len(c[1]) == 2 for c in bars), axes.containers
	END
	"$python" plots.py && for dat in *.dat; do [ -s "${dat%.dat}.pdf" ] || exit 1; done) || fail 'plots.py does not draw them'
else
	echo "left out: what plots.py draws: matplotlib is not installed"
fi

mkdir "$dir/nothing"
refused "$dir/nothing" 1 "$dir/nothing"
refused "$dir/absent" 1 "$dir/absent" -o "$dir/never.html"
[ ! -e "$dir/never.html" ] && [ ! -e "$dir/absent" ] || fail 'something was written'
refused "/proc/report.html" 1 "$dir/runs" -o /proc/report.html
refused "$dir/other.html" 1 "$dir/runs" --svg "$dir/other.html/svg"
refused "unknown option '--pdf'" 2 "$dir/runs" --pdf

# A tab, a carriage return, quotes, backslashes, trigraphs; the source map is left out.
printf 'a "b" \\n %%d ??/ \t|\r\n//# sourceMappingURL=a.map\n</script>\n' >"$dir/odd.js"
printf 'second' >"$dir/two.css"
awk -f tools/embed-assets.awk "$dir/odd.js" "$dir/two.css" >"$dir/assets.c"
cat >"$dir/main.c" <<'END'
#include "lab/report/report.h"

int main(void)
{
	for (const struct asset *a = asset_all; a->name; a++)
		printf("%s|%s", a->name, a->text);
}
END
gcc -std=c11 -Werror -Iinclude -I. -o "$dir/main" "$dir/main.c" "$dir/assets.c"
printf 'odd.js|a "b" \\n %%d ??/ \t|\r\n</script>\ntwo.css|second\n' >"$dir/expected"
"$dir/main" | cmp - "$dir/expected"
