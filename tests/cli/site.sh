# SPDX-License-Identifier: BSD-3-Clause
# site.sh -- the documentation builds as a site whose pages load nothing from elsewhere, with every page
# of the manual, the reference and the results in its contents and in its search index.
set -u
top=$(pwd)
. tests/ask.sh
command -v mkdocs >/dev/null || skip "mkdocs is not installed"
(cd "$top" && tools/site.sh "$dir/site") >out 2>err || fail "tools/site.sh"
index=$dir/site/docs/manual/index.html
for page in "$top"/docs/manual/[0-9]*.md "$top"/docs/results/*.md "$top"/docs/reference/*.md; do
	page=${page#"$top"/}
	html=${page%.md}.html
	[ -e "$dir/site/$html" ] || fail "$html is missing"
	grep -q "href=\"[^\"]*$(basename "$html")\"" "$index" || fail "the contents do not name $html"
	grep -qF "\"$html\"" "$dir/site/search/search_index.json" || fail "the search does not know $html"
done
find "$dir/site" -name '*.html' -exec grep -lE '(src|<link[^>]*href)="(https?:)?//' {} + >out
[ ! -s out ] || fail "these pages load something from elsewhere"
