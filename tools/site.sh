#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# site.sh FOLDER -- builds the manual, reference and results as a static, searchable site with MkDocs.
#
# The contents and their order are those of docs/manual/README.md. Every file of the tree that a page
# links to is copied into the site, so no link leaves it; fonts, scripts and the search index are in
# FOLDER, and the pages load nothing from elsewhere.
set -eu
site=$(realpath -m "$1")
source=$(mktemp -d)
trap 'rm -rf "$source"' EXIT

# Pages, then the pages elsewhere in the tree that they link to.
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

# Links to directories of the source become names on the site.
find "$source/pages" -name '*.md' -exec sed -i -E 's#\[([^]]*)\]\((\.\./)*(scenarios|scenarios/papers|lib|lib/[a-z]+|models|docs/templates|python/weir|examples/[a-z]+|tests/mutants)/?\)#`\1`#g' {} +

# nav TITLE PREFIX: the pages in docs/manual/README.md whose links begin with PREFIX.
nav() {
	echo "  - $1:"
	grep -o '\([0-9]* *\)\[[^]]*\]('"$2"'[^)/]*\.md)' docs/manual/README.md |
		sed -E 's|^ *([0-9]* ?)\[(.*)\]\((.*)\)$|    - "\1\u\2": "docs/manual/\3"|; s|docs/manual/\.\./|docs/|'
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
	nav Manual '' | sed 1d
	nav Reference ../reference/
	nav Results ../results/
	echo "  - Development:"
	echo "    - Internals: docs/internals.md"
	echo "    - Contributing: CONTRIBUTING.md"
	echo "    - Security: SECURITY.md"
	echo "    - Changes: CHANGELOG.md"
} >"$source/mkdocs.yml"
cat >"$source/pages/site.css" <<'END'
.wy-nav-content { max-width: 1000px; }
.rst-content table { display: block; overflow-x: auto; margin-bottom: 24px; }
.rst-content table.docutils td, .rst-content table.docutils th { white-space: normal; padding: 5px 10px; }
.rst-content code { color: #333; background: #f4f4f4; border-color: #ddd; padding: 1px 4px; white-space: normal; overflow-wrap: break-word; }
.rst-content pre code { white-space: pre; overflow-wrap: normal; background: none; padding: 12px; }
END
mkdocs build --quiet --strict --clean -f "$source/mkdocs.yml"
rm -f "$site/sitemap.xml" "$site/sitemap.xml.gz" # need the address of a site
# Debian's MkDocs 1.4 lacks two scripts that its pages load: jQuery under that name, which the search
# needs, and the one that gives tables their class.
jquery=$(sed -n 's/.*src="[^"]*\(js\/jquery[^"]*\)".*/\1/p' "$site/index.html")
[ -e "$site/$jquery" ] || cp /usr/share/javascript/jquery/jquery.min.js "$site/$jquery"
[ -e "$site/js/theme_extra.js" ] ||
	echo 'for (const t of document.querySelectorAll("table")) t.classList.add("docutils");' >"$site/js/theme_extra.js"
[ -e "$site/css/theme_extra.css" ] || : >"$site/css/theme_extra.css"
echo "$site/index.html"
