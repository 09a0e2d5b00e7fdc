#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# embed-binary.sh NAME FILE -- writes a file as a C array NAME with its size, NAME_size.
set -eu
printf '#include <stddef.h>\n\nextern const unsigned char %s[];\nextern const size_t %s_size;\n\n' "$1" "$1"
printf '_Alignas(8) const unsigned char %s[] =\n' "$1"
od -An -v -to1 "$2" | sed -e 's/ /\\/g' -e 's/.*/\t"&"/'
printf '\t;\nconst size_t %s_size = %s;\n' "$1" "$(($(wc -c <"$2")))"
