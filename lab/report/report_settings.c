/* SPDX-License-Identifier: BSD-3-Clause */
/* report_settings.c -- which settings somebody chose: those that are not at their defaults. */
#include "lab/analysis/selection.h"
#include "lab/report/report.h"
#include "lab/scenario/sections.h"
#include <string.h>

static int is_default_in(const struct weir_option *options, const char *key, const char *value)
{
	const struct weir_option *o = options ? weir_option_find(options, key) : NULL;

	return o && (o->def ? setting_is(value, o->def) : value[0] == '\0');
}

int report_is_default(const struct report_setting *s)
{
	char section[64];
	size_t length = strcspn(s->path, ".");
	const char *key = strrchr(s->path, '.'), *value = s->values[0];
	const struct section *found;
	struct kind k;

	if (s->value_count != 1 || !key || length >= sizeof(section))
		return 0;
	memcpy(section, s->path, length);
	section[length] = '\0';
	found = section_find(section);
	if (!found)
		return 0;
	if (is_default_in(found->options, key + 1, value))
		return 1;
	for (size_t i = 0; found->kind && found->kind(i, &k); i++)
		if (is_default_in(k.options, key + 1, value))
			return 1;
	return 0;
}
