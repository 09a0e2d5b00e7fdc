/* SPDX-License-Identifier: BSD-3-Clause */
/* input.h -- files that a scenario names: opened only where reading them comes to an end. */
#ifndef BASE_INPUT_H
#define BASE_INPUT_H
#include <stdint.h>
#include <stdio.h>

/* A list of a hundred million flows. */
#define INPUT_MAX_BYTES (UINT64_C(4) << 30)

/* For reading. NULL: *why says why not, as in "No such file or directory"; devices, pipes and files
 * larger than that are refused. */
FILE *input_open(const char *path, const char **why);
#endif
