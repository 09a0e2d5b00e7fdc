#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# embed-models.sh FILE... -- writes the files of models/ as the C table that config/model.h declares, each
# under its name without the extension.
set -eu
echo '#include "config/model.h"'
echo
echo 'const struct model_file model_files[] = {'
for file; do
	name=${file##*/}
	printf '\t{ "%s",\n\t  { (const uint8_t *)""\n' "${name%.model}"
	od -An -v -to1 "$file" | sed -e 's/ /\\/g' -e 's/.*/\t\t"&"/'
	printf '\t\t, %s } },\n' "$(($(wc -c <"$file")))"
done
printf '\t{ 0, { 0, 0 } },\n};\n'
