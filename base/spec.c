/* SPDX-License-Identifier: BSD-3-Clause */
/* spec.c -- a scheme with its options, "red(min=5KB, max=200KB, p=1%)". */
#include "weir/option.h"
#include <assert.h>
#include <stdio.h>
#include <string.h>

/* Longest value: weights of WEIR_WEIGHTS_MAX numbers, each with its colon. */
enum { VALUE_SIZE = 12 * WEIR_WEIGHTS_MAX };

struct slice {
	const char *start;
	size_t length;
};

static int is_blank(char c)
{
	return c == ' ' || c == '\t';
}

static struct slice trimmed(const char *start, const char *end)
{
	while (start < end && is_blank(*start))
		start++;
	while (start < end && is_blank(end[-1]))
		end--;
	return (struct slice){ start, (size_t)(end - start) };
}

/* Copies a slice as a string; -1 where it does not fit. */
static int slice_copy(struct slice s, char *buffer, size_t size)
{
	if (s.length >= size)
		return -1;
	memcpy(buffer, s.start, s.length);
	buffer[s.length] = '\0';
	return 0;
}

static int has_control(const char *text)
{
	while (*text && (unsigned char)*text >= ' ' && *text != 0x7f)
		text++;
	return *text != '\0';
}

int weir_spec_name(const char *text, char *name, size_t size, struct weir_error *e)
{
	struct slice s = trimmed(text, text + strcspn(text, "("));

	if (s.length == 0)
		return weir_error_set(e,
				      "%s names nothing; write a name or name(option=value, ...)",
				      weir_quote(text).text);
	if (slice_copy(s, name, size))
		return weir_error_set(e, "%s is too long a name; at most %zu bytes",
				      weir_quote(text).text, size - 1);
	if (name[strcspn(name, " ,=)")] || has_control(name))
		return weir_error_set(e, "%s is not a name; write name or name(option=value, ...)",
				      weir_quote(name).text);
	return 0;
}

/* Where the argument that starts at text ends: at a comma or at the bracket that closes the
 * list. */
static const char *argument_end(const char *text)
{
	unsigned depth = 0;

	for (; *text; text++) {
		if (depth == 0 && (*text == ',' || *text == ')'))
			break;
		if (*text == '(')
			depth++;
		if (*text == ')')
			depth--;
	}
	return text;
}

/* Splits "key = value" into its two strings. */
static int argument_split(struct slice argument, char *key, char *value, struct weir_error *e)
{
	char whole[WEIR_OPT_TEXT_SIZE + VALUE_SIZE];
	const char *equals;

	if (slice_copy(argument, whole, sizeof(whole)))
		return weir_error_set(e, "an argument of %zu bytes is too long; at most %zu",
				      argument.length, sizeof(whole) - 1);
	equals = strchr(whole, '=');
	if (!equals)
		return weir_error_set(e, "%s is not option=value", weir_quote(whole).text);
	if (slice_copy(trimmed(whole, equals), key, WEIR_OPT_TEXT_SIZE) ||
	    slice_copy(trimmed(equals + 1, whole + strlen(whole)), value, VALUE_SIZE))
		return weir_error_set(e, "%s is too long; at most %d bytes before = and %d after",
				      weir_quote(whole).text, WEIR_OPT_TEXT_SIZE - 1,
				      VALUE_SIZE - 1);
	return 0;
}

/* Every argument after the opening bracket; *end is where the closing one is. */
static int arguments_read(const char **end, const char *name, void *params,
			  const struct weir_option *table, struct weir_error *e)
{
	enum { OPTIONS_MAX = 64 };
	char key[WEIR_OPT_TEXT_SIZE], value[VALUE_SIZE];
	const char *at = *end;
	uint64_t given = 0;

	for (;; at = *end + 1) {
		const struct weir_option *o;

		*end = argument_end(at);
		if (argument_split(trimmed(at, *end), key, value, e))
			return weir_error_prefix(e, "%s: ", name);
		o = weir_option_find(table, key);
		if (!o)
			return weir_option_unknown(name, key, table, e);
		assert(o - table < OPTIONS_MAX);
		if (given >> (o - table) & 1)
			return weir_error_set(e, "%s: %s is given twice", name, o->name);
		given |= UINT64_C(1) << (o - table);
		if (weir_option_parse(params, o, value, e))
			return weir_error_prefix(e, "%s: ", name);
		if (**end != ',')
			return 0;
	}
}

int weir_spec_params(const char *text, void *params, const struct weir_option *table,
		     struct weir_error *e)
{
	char name[WEIR_OPT_TEXT_SIZE];
	const char *end = text + strcspn(text, "(");

	weir_options_default(params, table);
	if (weir_spec_name(text, name, sizeof(name), e))
		return -1;
	if (*end == '\0')
		return 0;
	end++;
	end += strspn(end, " \t");
	if (*end != ')' && *end != '\0' && arguments_read(&end, name, params, table, e))
		return -1;
	if (*end == '\0')
		return weir_error_set(e, "%s lacks the closing bracket", weir_quote(text).text);
	end++;
	end += strspn(end, " \t");
	if (*end != '\0')
		return weir_error_set(e, "%s goes on after the closing bracket with %s",
				      weir_quote(text).text, weir_quote(end).text);
	return 0;
}

const char *weir_spec_format(char *buffer, size_t size, const char *name,
			     const struct weir_option *table, const void *params)
{
	size_t used = (size_t)snprintf(buffer, size, "%s", name);
	char value[VALUE_SIZE];

	if (!table || !table->name)
		return buffer;
	for (const struct weir_option *o = table; o->name && used < size; o++) {
		weir_option_format(value, sizeof(value), o, params);
		used += (size_t)snprintf(buffer + used, size - used, "%s%s=%s",
					 o == table ? "(" : ", ", o->name, value);
	}
	if (used < size)
		snprintf(buffer + used, size - used, ")");
	return buffer;
}
