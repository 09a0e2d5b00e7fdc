#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# source.sh FOLDER -- ns-3 from Debian's source package, as fast as it compiles: -O3 -march=native, without assertions, logging and
# hardening, and only the modules that main.cc needs. About eight minutes of one core. FOLDER/include and FOLDER/lib hold what came of it.
#
# Debian's own libraries are of ns-3's profile "release" (-O3, no assertions), with logging compiled in and Debian's hardening, for any x86-64.
set -eu
mkdir -p "$1"
cd "$1"
folder=$(pwd)

# A list of sources of its own: the system's is left as it is.
mkdir -p apt/lists/partial
suite=$(sed -n 's/^VERSION_CODENAME=//p' /etc/os-release)
echo "deb-src http://deb.debian.org/debian $suite main" >apt/sources.list
apt() {
	apt-get -qq -o Dir::Etc::sourcelist="$folder/apt/sources.list" -o Dir::Etc::sourceparts=- \
		-o Dir::State::lists="$folder/apt/lists" "$@"
}
if [ ! -d tree ]; then
	apt update
	apt source --download-only ns3
	dpkg-source --no-check -x ns3_*.dsc tree.part >/dev/null
	mv tree.part tree
fi
tree=$(echo tree/ns-3.*)
cmake -G Ninja -S "$tree" -B objects -DCMAKE_BUILD_TYPE=release -DNS3_NATIVE_OPTIMIZATIONS=ON \
	-DNS3_ASSERT=OFF -DNS3_LOG=OFF -DNS3_WARNINGS=OFF -DNS3_GTK3=OFF -DNS3_GSL=OFF -DNS3_SQLITE=OFF \
	-DNS3_ENABLED_MODULES="applications;point-to-point;internet;traffic-control;network;core" \
	-DNS3_OUTPUT_DIRECTORY="$folder" >cmake.log
nice ninja -C objects libapplications libpoint-to-point libinternet libtraffic-control >ninja.log || {
	tail -n 20 ninja.log
	exit 1
}
