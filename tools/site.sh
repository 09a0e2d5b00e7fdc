#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# site.sh FOLDER -- the manual, reference and results as a static site with a search, made by MkDocs.
# Every file of the tree that a page links to is part of it, so that no link leaves the site; fonts,
# scripts and the search index are in FOLDER, and nothing is fetched when it is read.
set -eu
site=$(realpath -m "$1")
source=$(mktemp -d)
trap 'rm -rf "$source"' EXIT

# Pages, and after them the pages elsewhere in the tree that they link to.
pages="README.md CHANGELOG.md CONTRIBUTING.md SECURITY.md $(find docs -name '*.md' ! -path 'docs/templates/*')"
for page in $(cat $pages | grep -o '](\([^)]*\.md\)' | sed 's/.*(//; s|^\(\.\./\)*||' | sort -u); do
	[ ! -f "$page" ] || pages="$pages $page"
done
for page in $pages; do
	for link in "$(basename "$page")" $(grep -o '](\([^)]*\))' "$page" | sed 's/](\(.*\))/\1/; s/#.*//'); do
		file=$(realpath -m --relative-to=. "$(dirname "$page")/$link")
		if [ -f "$file" ]; then
			mkdir -p "$source/pages/$(dirname "$file")"
			cp "$file" "$source/pages/$file"
		fi
	done
done

# Links to folders of the source are names on the site.
find "$source/pages" -name '*.md' -exec sed -i -E 's#\[([^]]*)\]\((\.\./)*(scenarios|scenarios/papers|lib|examples/[a-z]+)/?\)#`\1`#g' {} +
nav() { # TITLE FOLDER: its pages in the order of their names
	echo "  - $1:"
	for page in "docs/$2"/*.md; do
		case $page in
		*/README.md) ;;
		*) echo "    - '$page'" ;;
		esac
	done
}
{
	cat <<-END
		site_name: Weir
		site_url: ''
		docs_dir: $source/pages
		site_dir: $site
		use_directory_urls: false
		theme:
		  name: readthedocs
		  highlightjs: false
		  navigation_depth: 2
		extra_css: [site.css]
		nav:
		  - Weir: README.md
		  - Manual:
		    - Contents: docs/manual/README.md
	END
	nav Manual manual | sed 1d
	nav Reference reference
	nav Results results
	echo "  - Internals: docs/internals.md"
	echo "  - Changes: CHANGELOG.md"
	echo "  - Contributing: CONTRIBUTING.md"
} >"$source/mkdocs.yml"
cat >"$source/pages/site.css" <<'END'
.wy-nav-content { max-width: 1000px; }
.rst-content table { display: block; overflow-x: auto; margin-bottom: 24px; }
.rst-content table.docutils td, .rst-content table.docutils th { white-space: normal; padding: 5px 10px; }
END
mkdocs build --quiet --strict --clean -f "$source/mkdocs.yml"
rm -f "$site/sitemap.xml" "$site/sitemap.xml.gz" # of a site with an address
# Debian's MkDocs 1.4 lacks two scripts that its pages name: jQuery under that name, without which there
# is no search, and the one that makes tables look like tables.
jquery=$(sed -n 's/.*src="[^"]*\(js\/jquery[^"]*\)".*/\1/p' "$site/index.html")
[ -e "$site/$jquery" ] || cp /usr/share/javascript/jquery/jquery.min.js "$site/$jquery"
[ -e "$site/js/theme_extra.js" ] ||
	echo 'for (const t of document.querySelectorAll("table")) t.classList.add("docutils");' >"$site/js/theme_extra.js"
[ -e "$site/css/theme_extra.css" ] || : >"$site/css/theme_extra.css"
echo "$site/index.html"
