/* SPDX-License-Identifier: BSD-3-Clause */
/* compare_label.c -- short labels for values: the scheme's name, plus only those options in which
 * schemes of that name differ. */
#include "lab/analysis/compare.h"
#include "base/memory.h"
#include <stdlib.h>
#include <string.h>

enum { LABEL_SIZE = 1024 };

static size_t name_length(const char *value)
{
	return strcspn(value, "(");
}

static int same_name(const char *a, const char *b)
{
	size_t length = name_length(a);

	return length == name_length(b) && strncmp(a, b, length) == 0;
}

/* Parses the option at *at, "k=65pkts", and advances. 0: no more options. */
static int next_option(const char **at, const char **option, size_t *length)
{
	const char *c = *at;
	int depth = 0;

	c += strspn(c, ", ");
	if (*c == '\0' || *c == ')')
		return 0;
	*option = c;
	for (; *c && (depth > 0 || (*c != ',' && *c != ')')); c++)
		depth += (*c == '(') - (*c == ')');
	*length = (size_t)(c - *option);
	*at = c;
	return 1;
}

static int has_option(const char *value, const char *option, size_t length)
{
	const char *at = value + name_length(value), *found;
	size_t found_length;

	at += *at == '(';
	while (next_option(&at, &found, &found_length))
		if (found_length == length && strncmp(found, option, length) == 0)
			return 1;
	return 0;
}

/* Do all schemes with the value's name have the same option? */
static int is_shared(const struct compare_axis *a, const char *value, const char *option,
		     size_t length)
{
	for (uint32_t i = 0; i < a->value_count; i++)
		if (same_name(a->values[i], value) && !has_option(a->values[i], option, length))
			return 0;
	return 1;
}

static int is_alone(const struct compare_axis *a, const char *value)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < a->value_count; i++)
		count += (uint32_t)same_name(a->values[i], value);
	return count == 1;
}

static char *make_label(const struct compare_axis *a, const char *value)
{
	char text[LABEL_SIZE];
	size_t used = name_length(value), length;
	const char *at = value + used, *option;
	const char *between = "(";

	if (*at != '(' || used >= sizeof(text) / 2) {
		snprintf(text, sizeof(text), "%s", value);
	} else {
		snprintf(text, sizeof(text), "%.*s", (int)used, value);
		at++;
		while (!is_alone(a, value) && next_option(&at, &option, &length)) {
			if (is_shared(a, value, option, length) || used + length + 8 > sizeof(text))
				continue;
			used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%.*s",
						 between, (int)length, option);
			between = ", ";
		}
		if (*between == ',')
			snprintf(text + used, sizeof(text) - used, ")");
	}
	return memory_text(text, strlen(text));
}

void axis_labels(struct compare_axis *a)
{
	a->labels = memory_zeroed(a->value_count, sizeof(*a->labels));
	for (uint32_t i = 0; i < a->value_count; i++)
		a->labels[i] = make_label(a, a->values[i]);
}
