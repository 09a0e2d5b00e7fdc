#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# install.sh install|uninstall -- installs the built files below DESTDIR, PREFIX, LIBDIR and PYTHONDIR, or removes
# them: one list for both. Documents keep their relative places, so that their links hold.
set -eu
root=$DESTDIR
share=$PREFIX/share
doc=$share/doc/weir

# place MODE FILE TARGET, link TEXT TARGET
case $1 in
install)
	place() {
		install -D -m "$1" "$2" "$root$3"
	}
	link() {
		ln -sf "$1" "$root$2"
	}
	;;
uninstall)
	place() {
		rm -f "$root$3"
	}
	link() {
		rm -f "$root$2"
	}
	;;
*)
	echo "install.sh: 'install' or 'uninstall'" >&2
	exit 2
	;;
esac

place 755 weir "$PREFIX/bin/weir"
place 644 docs/reference/weir.1 "$share/man/man1/weir.1"
place 644 build/weir.bash "$share/bash-completion/completions/weir"
place 644 build/weir.zsh "$share/zsh/site-functions/_weir"
place 644 build/weir.fish "$share/fish/vendor_completions.d/weir.fish"

[ "$1" = uninstall ] ||
	sed "s|/usr/bin/weir|$PREFIX/bin/weir|" packaging/weir-keeper@.service >build/weir-keeper@.service
place 644 build/weir-keeper@.service "$PREFIX/lib/systemd/system/weir-keeper@.service"
place 644 packaging/weir.sysusers "$PREFIX/lib/sysusers.d/weir.conf"

place 644 build/release/libweir.a "$LIBDIR/libweir.a"
place 644 build/libweir-sim.a "$LIBDIR/libweir-sim.a"
place 644 "build/$SONAME" "$LIBDIR/libweir.so.$VERSION"
link "libweir.so.$VERSION" "$LIBDIR/$SONAME"
link "$SONAME" "$LIBDIR/libweir.so"
place 644 "build/$SIM_SONAME" "$LIBDIR/libweir-sim.so.$VERSION"
link "libweir-sim.so.$VERSION" "$LIBDIR/$SIM_SONAME"
link "$SIM_SONAME" "$LIBDIR/libweir-sim.so"
place 644 "build/$LAB_SONAME" "$LIBDIR/libweir-lab.so.$VERSION"
link "libweir-lab.so.$VERSION" "$LIBDIR/$LAB_SONAME"
link "$LAB_SONAME" "$LIBDIR/libweir-lab.so"
[ "$1" = uninstall ] ||
	sed -e "s|@PREFIX@|$PREFIX|" -e "s|@LIBDIR@|$LIBDIR|" -e "s|@VERSION@|$VERSION|" packaging/weir.pc.in >build/weir.pc
place 644 build/weir.pc "$LIBDIR/pkgconfig/weir.pc"
for file in include/weir/*.h; do
	place 644 "$file" "$PREFIX/$file"
done

for file in scenarios/*.ini; do
	place 644 "$file" "$share/weir/$file"
done
for file in models/*.model; do
	[ ! -e "$file" ] || place 644 "$file" "$share/weir/$file"
done
for file in scenarios/papers/*/*; do
	place 644 "$file" "$share/weir/${file#scenarios/}"
done
for file in python/weir/*.py python/weir/py.typed; do
	place 644 "$file" "$PYTHONDIR/${file#python/}"
done
examples=$(find examples -type f ! -name '*.so' ! -name '*.o' ! -path '*/__pycache__/*')
for file in README.md SECURITY.md CHANGELOG.md LICENSE models/README.md docs/*.md docs/*/*.md docs/*/*.png python/notebooks/*.ipynb $examples; do
	place 644 "$file" "$doc/$file"
done

if [ "$1" = uninstall ]; then
	rm -rf "$root$PYTHONDIR/weir/__pycache__"
	rmdir "$root$PYTHONDIR/weir" 2>/dev/null || :
	find "$root$share/weir" "$root$doc" "$root$PREFIX/include/weir" -depth -type d -empty -delete 2>/dev/null || :
fi
