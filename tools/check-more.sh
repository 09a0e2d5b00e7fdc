#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# check-more.sh [STEP...] -- checks beyond "make test", each of which needs a tool of its own or a long
# time: clang threads coverage tidy cppcheck big-endian deb, or the named ones. A step whose tool is missing
# is left out and names it ("make build/have-more" installs them). Findings are in build/more/STEP.log.
# 32-bit machines are not among the steps: the headers need __int128.
set -u
logs=build/more
mkdir -p "$logs"
failed=0

# wants COMMAND...: fails if one is not installed, and names it.
wants() {
	for tool; do
		command -v "$tool" >/dev/null && continue
		echo "$step: left out, there is no $tool"
		return 1
	done
}

# same_results PROGRAM: compares its output with that of ./weir, except for the costs of a run.
same_results() {
	for file in scenarios/incast.ini scenarios/priority.ini bench/lossy-32.ini bench/fabric-128.ini; do
		for program in ./weir "$1"; do
			# shellcheck disable=SC2086 # it may be an emulator and a program
			$program run "$file" --quiet --json - | grep -v '"cpu_seconds"\|_per_cpu_second"\|"peak_rss_bytes"' \
				>"$logs/$step.${program##*/}.json" || return 1
			[ "$program" = ./weir ] && mv "$logs/$step.weir.json" "$logs/$step.ours.json"
		done
		cmp "$logs/$step.ours.json" "$logs/$step.${1##*/}.json" || return 1
	done
}

# clang: no warnings, all tests pass, equal results.
step_clang() {
	make CC=clang WERROR=-Werror build/clang/weir build/clang/weir-test && build/clang/weir-test &&
		same_results build/clang/weir
}

step_threads() {
	for name in test_threads test_switch_threads; do
		make build/tsan/only/$name && TSAN_OPTIONS=halt_on_error=1 build/tsan/only/$name || return 1
	done
}

# Coverage of the C tests only, without the shell tests.
step_coverage() {
	find build/coverage -name '*.gcda' -delete 2>/dev/null
	make build/coverage/weir-test && build/coverage/weir-test &&
		lcov -q -c -d build/coverage -b "$PWD" --no-external -o "$logs/all.info" 2>/dev/null &&
		lcov -q -r "$logs/all.info" '*/tests/*' '*/build/*' -o "$logs/coverage.info" &&
		lcov --list "$logs/coverage.info" 2>/dev/null && lcov --summary "$logs/coverage.info" 2>&1 | grep lines
}

# All sources that CC compiles, with optional parts. BPF programs are left out.
step_tidy() {
	flags="-std=c11 -pthread -Iinclude -I."
	pkg-config --exists hiredis && flags="$flags -DWEIR_HAVE_HIREDIS"
	pkg-config --exists libbpf && flags="$flags -DWEIR_HAS_BPF"
	mpi=$(pkg-config --cflags ompi-c 2>/dev/null || mpicc --showme:compile 2>/dev/null) && flags="$flags $mpi -DWEIR_HAVE_MPI"
	export flags
	find lib sim lab mpi train keeper switch cli bench examples tests -name '*.c' ! -name '*.bpf.c' -print0 |
		xargs -0 -n 8 -P "$(nproc)" sh -c 'clang-tidy --quiet "$@" -- $flags' tidy >"$logs/tidy.all" ||
		return 1
	# A header is read once for each file that includes it.
	grep 'warning:' "$logs/tidy.all" | sed "s|$PWD/||" | sort -u
	! grep -q 'warning:' "$logs/tidy.all"
}

step_cppcheck() {
	# It neither reads __extension__ nor sees that weir_option_format fills what it is given, that a text is made of an episode and
	# does not point into it, and that a divisor was compared with 1. Tests are left to clang-tidy: it cannot follow their macros.
	cppcheck -q -j "$(nproc)" --std=c11 --enable=warning,performance,portability --suppress=missingIncludeSystem \
		--suppress=internalAstError:include/weir/port_inline.h \
		--suppress=returnDanglingLifetime:train/training.c --suppress=zerodiv:bench/minds.c \
		--error-exitcode=1 -Iinclude -I. lib sim lab mpi train keeper switch cli bench examples
}

# s390x under qemu: all tests pass and results are the same bytes. Its libraries are unpacked from Debian
# packages into a directory of their own, without changing apt's configuration.
step_big_endian() {
	foreign=$PWD/$logs/s390x
	if [ ! -e "$foreign/usr/include/ini.h" ]; then
		mkdir -p "$foreign/apt/lists/partial" "$foreign/apt/archives/partial"
		: >"$foreign/apt/status"
		apt="-o APT::Architecture=s390x -o APT::Architectures=s390x -o Dir::State=$foreign/apt \
			-o Dir::State::status=$foreign/apt/status -o Dir::Cache=$foreign/apt"
		# shellcheck disable=SC2086 # several words
		apt-get -q $apt update && (cd "$foreign" &&
			apt-get -q $apt download libsqlite3-0 libsqlite3-dev) || return 1
		for package in "$foreign"/*.deb; do
			dpkg -x "$package" "$foreign"
		done
	fi
	export QEMU_LD_PREFIX=/usr/s390x-linux-gnu QEMU_SET_ENV="LD_LIBRARY_PATH=$foreign/usr/lib/s390x-linux-gnu"
	make CC=s390x-linux-gnu-gcc BPF= HIREDIS= MPI=no FOREIGN="$foreign" build/big-endian/weir build/big-endian/weir-test &&
		qemu-s390x build/big-endian/weir-test tests/lib tests/lab && same_results "qemu-s390x build/big-endian/weir"
}

step_deb() {
	make deb
}

# try STEP TOOL...
try() {
	step=$1
	shift
	wants "$@" || return
	if "step_${step//-/_}" >"$logs/$step.log" 2>&1; then
		echo "$step: nothing to complain about; $(tail -n 1 "$logs/$step.log")"
	else
		failed=$((failed + 1))
		echo "$step: see $logs/$step.log, $(wc -l <"$logs/$step.log") lines, of which the last are"
		tail -n 5 "$logs/$step.log"
	fi
}

unset MAKEFLAGS MAKELEVEL
for name in ${*:-clang threads coverage tidy cppcheck big-endian deb}; do
	case $name in
	clang) try clang clang ;;
	threads) try threads gcc ;;
	coverage) try coverage gcov lcov ;;
	tidy) try tidy clang-tidy ;;
	cppcheck) try cppcheck cppcheck ;;
	big-endian) try big-endian s390x-linux-gnu-gcc qemu-s390x apt-get ;;
	deb) try deb dpkg-buildpackage dh lintian ;;
	*)
		echo "check-more: no step $name; there are clang threads coverage tidy cppcheck big-endian deb" >&2
		exit 2
		;;
	esac
done
[ $failed = 0 ]
