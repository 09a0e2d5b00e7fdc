/* SPDX-License-Identifier: BSD-3-Clause */
/* version.c -- see version.h. */
#include "base/version.h"
#include <stdio.h>

struct version version_of_results(void)
{
	struct version v;

	snprintf(v.text, sizeof(v.text), "%s+%s", WEIR_VERSION, version_sources);
	return v;
}

struct version version_of_training(void)
{
	struct version v;

	snprintf(v.text, sizeof(v.text), "%s+%s+%s", WEIR_VERSION, version_sources,
		 version_trainers);
	return v;
}
