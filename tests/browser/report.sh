#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# report.sh -- opens reports in headless Chromium: every chart must be drawn, in every variant, light and
# dark, on a wide page and a narrow one, and nothing may be logged as an error.
set -eu
weir=${WEIR:-./weir}
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

browse() {
	timeout 120 chromium --headless --no-sandbox --disable-gpu --no-first-run \
		--disable-background-networking --disable-dev-shm-usage --user-data-dir="$dir/profile" \
		--virtual-time-budget=20000 --enable-logging=stderr "$@" 2>"$dir/log"
}

# look NAME PAGE FIGURES OPTION...: at least so many figures, all drawn, no complaints.
look() {
	name=$1 page=$2 wanted=$3
	shift 3
	browse "$@" --dump-dom "file://$page" >"$dir/dom" || {
		echo "$name: the browser failed"
		cat "$dir/log"
		exit 1
	}
	sed -n '/<pre id="verdict">/,/<\/pre>/p' "$dir/dom" >"$dir/verdict"
	figures=$(sed -n 's/^figures \([0-9]*\)$/\1/p' "$dir/verdict")
	if [ -z "$figures" ] || [ "$figures" -lt "$wanted" ] ||
		grep -E '^(EMPTY|COMPLAINT|WIDE)' "$dir/verdict" || grep -E 'CONSOLE.*(Error|Refused)' "$dir/log"; then
		echo "$name: ${figures:-no} figures, at least $wanted were expected, all of them drawn"
		cat "$dir/verdict"
		exit 1
	fi
	echo "$name: $(grep -c '^drawn' "$dir/verdict") drawings of $figures figures"
}

# check_page REPORT PAGE: the report with the checks in it.
check_page() {
	awk -v script=tests/browser/check.js '
		{ print }
		/^<head>$/ {
			print "<script>"
			while ((getline line < script) > 0)
				print line
			print "</script>"
		}' "$1" >"$2"
	grep -q 'window.complaints' "$2"
}

cat >"$dir/mine.ini" <<'END'
# Do <b>names</b> & numbers reach the page?
[network]
topology = star
hosts = 6
rate = 10Gbps
delay = 5us

[switch]
buffer = 300pkts

[host]
cc = dctcp

[traffic bulk]
pattern = many-to-one
senders = 2
size = 2MB

[traffic requests]
pattern = incast
senders = 4
receiver = 0
size = 20KB
period = 500us

[measure]
to = 5ms
probe = queue sw->h0
probe = throughput flow:0 every 50us
probe = throughput flow:1 every 50us
probe = window flow:0 every 50us
probe = scheme sw->h0 every 20us
END
{
	cat "$dir/mine.ini"
	printf '[sweep]\nswitch.marking = codel(target=50us, interval=1ms), red(min=10pkts, max=100pkts, p=10%%, weight=0.5)\n'
	printf 'seed = 1..2\n'
} >"$dir/bars.ini"
{
	cat "$dir/bars.ini"
	printf 'traffic.requests.size = 10KB, 20KB, 40KB\n'
} >"$dir/lines.ini"
for kind in bars lines; do
	"$weir" run "$dir/$kind.ini" --out "$dir/$kind" --quiet
	"$weir" report "$dir/$kind" -o "$dir/$kind.html" >/dev/null
	check_page "$dir/$kind.html" "$dir/$kind-checked.html"
done
look 'bars' "$dir/bars-checked.html" 8 --window-size=1200,900
look 'lines' "$dir/lines-checked.html" 8 --window-size=1200,900
look 'lines, dark' "$dir/lines-checked.html" 8 --window-size=1200,900 --blink-settings=preferredColorScheme=0
# Headless Chromium makes no window narrower than 500 pixels: a phone is a frame in one.
# phone PAGE FRAME: a page that shows the other in 360 pixels, and says what that says of itself.
phone() {
	cat >"$2" <<-END
	<!DOCTYPE html><iframe src="file://$1" width="360" height="700"></iframe>
	<script>
	setInterval(() => {
		const said = document.querySelector('iframe').contentDocument.getElementById('verdict');
		if (said && !document.getElementById('verdict'))
			document.body.append(said.cloneNode(true));
	}, 50);
	</script>
	END
}
phone "$dir/lines-checked.html" "$dir/lines-phone.html"
look 'lines, on a phone' "$dir/lines-phone.html" 8 --window-size=500,800 --allow-file-access-from-files

# A figure of a paper: every kind of panel, and the page over all papers.
mkdir -p "$dir/papers/made"
{
	cat "$dir/mine.ini"
	printf '[case codel]\nswitch.marking = codel(target=50us, interval=1ms)\n'
	printf '[case none]\nswitch.marking = none\n'
	printf '[sweep]\ntraffic.requests.size = 10KB, 20KB\nseed = 1..2\n'
} >"$dir/papers/made/fig1.ini"
cat >"$dir/papers/made/fig1.claims" <<'END'
[figure]
title = Does a <i>figure</i> reach the page?
paper = Made & drawn, Figure 1
[panel a]
kind = lines
y = queue_mean_pkts
x = traffic.requests.size
normalize = none
[panel b]
kind = bars
y = fct_mean_ns
[panel c]
kind = cdf
y = fct
[panel d]
kind = time
y = throughput flow:0, throughput flow:1
where = case=none
[panel e]
kind = bars
y = fct_mean_ns
where = traffic.requests.size=10KB
[panel f]
kind = bars
y = fct_mean_ns
where = traffic.requests.size=20KB
[panel g]
kind = lines
y = fct_mean_ns
x = traffic.requests.size
where = traffic.requests.size=10KB
[claim bar]
says = a mark on a bar
section = 1
metric = fct_mean_ns
of = case=codel, traffic.requests.size=10KB
value = 1ms
[claim one]
says = marking makes the queue a hundred times longer, which is long enough a sentence for a narrow page
section = 1
metric = queue_mean_pkts
of = case=codel, traffic.requests.size=10KB
over = case=none, traffic.requests.size=10KB
value = 100
why = fails
note = It was made up to fail, 1.
END
"$weir" reproduce all --papers "$dir/papers" --out "$dir/out" >"$dir/log" 2>&1 || {
	cat "$dir/log"
	exit 1
}
check_page "$dir/out/made/fig1/figure.html" "$dir/figure-checked.html"
check_page "$dir/out/index.html" "$dir/index-checked.html"
grep -q '>size = 10KB</text>' "$dir/figure-checked.html" || { echo 'lines with one x are no bars'; exit 1; }
grep -q 'data-framed="1"' "$dir/figure-checked.html" && grep -q '<span>the paper</span>' "$dir/figure-checked.html"
look 'figure' "$dir/figure-checked.html" 7 --window-size=1200,900
phone "$dir/figure-checked.html" "$dir/figure-phone.html"
look 'figure, dark, on a phone' "$dir/figure-phone.html" 7 --window-size=500,800 --allow-file-access-from-files \
	--blink-settings=preferredColorScheme=0
look 'papers' "$dir/index-checked.html" 0 --window-size=1200,900
look 'papers, narrow' "$dir/index-checked.html" 0 --window-size=500,800

# The same pages from weir view, and its live page; at the widths of a desk and of a phone.
{
	sed -e 's/^to = 5ms/to = 15s/' -e 's/every [0-9]*us/every 10ms/' -e 's/^probe = queue sw->h0$/& every 10ms/' \
		-e 's/^size = 2MB/size = unlimited/' "$dir/mine.ini"
	printf '[sweep]\nswitch.marking = none, codel(target=50us, interval=1ms)\nseed = 1..3\n'
} >"$dir/live.ini"
if command -v python3 >/dev/null; then
	PYTHONDONTWRITEBYTECODE=1 python3 tests/browser/view.py "$weir" "$dir"
else
	echo 'python3 is not here: weir view is not looked at'
fi

# The check itself must notice charts that are not drawn, and errors.
sed 's/ d="M[^"]*"/ d=""/' "$dir/bars-checked.html" >"$dir/empty.html"
sed 's/attach(event.target)/&; attack()/; s/forEach(attach)/forEach(attack)/' "$dir/bars-checked.html" >"$dir/wrong.html"
for broken in empty wrong; do
	if (look $broken "$dir/$broken.html" 8) >/dev/null 2>&1; then
		echo "the $broken report passed"
		exit 1
	fi
done
echo 'reports draw in Chromium'
