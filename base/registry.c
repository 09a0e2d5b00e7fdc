/* SPDX-License-Identifier: BSD-3-Clause */
/* registry.c -- specs ("red(min=5KB, max=200KB, p=1%)") and the tables of schemes that they name,
 * see weir/option.h and registry.h. */
#include "base/registry.h"
#include <assert.h>
#include <stdio.h>
#include <string.h>

enum { REGISTRY_MAX = 64 };

/* --- specs --- */

/* Longest value: weights of WEIR_WEIGHTS_MAX numbers, each with its colon. */
enum { VALUE_SIZE = 12 * WEIR_WEIGHTS_MAX };

struct spec_slice {
	const char *start;
	size_t length;
};

static int spec_is_blank(char c)
{
	return c == ' ' || c == '\t';
}

static struct spec_slice spec_trim(const char *start, const char *end)
{
	while (start < end && spec_is_blank(*start))
		start++;
	while (start < end && spec_is_blank(end[-1]))
		end--;
	return (struct spec_slice){ start, (size_t)(end - start) };
}

/* Copies a slice NUL-terminated. -1: it does not fit. */
static int spec_copy(struct spec_slice s, char *buffer, size_t size)
{
	if (s.length >= size)
		return -1;
	memcpy(buffer, s.start, s.length);
	buffer[s.length] = '\0';
	return 0;
}

static int spec_has_control(const char *text)
{
	while (*text && (unsigned char)*text >= ' ' && *text != 0x7f)
		text++;
	return *text != '\0';
}

int weir_spec_name(const char *text, char *name, size_t size, struct weir_error *e)
{
	struct spec_slice s = spec_trim(text, text + strcspn(text, "("));

	if (s.length == 0)
		return weir_error_set(e,
				      "%s names nothing; write a name or name(option=value, ...)",
				      weir_quote(text).text);
	if (spec_copy(s, name, size))
		return weir_error_set(e, "%s is too long a name; at most %zu bytes",
				      weir_quote(text).text, size - 1);
	if (name[strcspn(name, " ,=)")] || spec_has_control(name))
		return weir_error_set(e, "%s is not a name; write name or name(option=value, ...)",
				      weir_quote(name).text);
	return 0;
}

/* End of the argument at text: the next comma or closing bracket outside nested brackets. */
static const char *spec_argument_end(const char *text)
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
static int spec_argument_split(struct spec_slice argument, char *key, char *value,
			       struct weir_error *e)
{
	char whole[WEIR_OPT_TEXT_SIZE + VALUE_SIZE];
	const char *equals;

	if (spec_copy(argument, whole, sizeof(whole)))
		return weir_error_set(e, "an argument of %zu bytes is too long; at most %zu",
				      argument.length, sizeof(whole) - 1);
	equals = strchr(whole, '=');
	if (!equals)
		return weir_error_set(e, "%s is not option=value", weir_quote(whole).text);
	if (spec_copy(spec_trim(whole, equals), key, WEIR_OPT_TEXT_SIZE) ||
	    spec_copy(spec_trim(equals + 1, whole + strlen(whole)), value, VALUE_SIZE))
		return weir_error_set(e, "%s is too long; at most %d bytes before = and %d after",
				      weir_quote(whole).text, WEIR_OPT_TEXT_SIZE - 1,
				      VALUE_SIZE - 1);
	return 0;
}

/* Reads the arguments behind the opening bracket, and moves *end to the closing one. */
static int spec_arguments_read(const char **end, const char *name, void *params,
			       const struct weir_option *table, struct weir_error *e)
{
	enum { OPTIONS_MAX = 64 };
	char key[WEIR_OPT_TEXT_SIZE], value[VALUE_SIZE];
	const char *at = *end;
	uint64_t given = 0;

	for (;; at = *end + 1) {
		const struct weir_option *o;

		*end = spec_argument_end(at);
		if (spec_argument_split(spec_trim(at, *end), key, value, e))
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

/* Is the bracket that opens at text closed? */
static int spec_has_closing_bracket(const char *text)
{
	int depth = 0;

	for (; *text; text++) {
		depth += (*text == '(') - (*text == ')');
		if (depth == 0)
			return 1;
	}
	return 0;
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
	if (!spec_has_closing_bracket(end))
		return weir_error_set(e, "%s lacks the closing bracket", weir_quote(text).text);
	end++;
	end += strspn(end, " \t");
	if (*end != ')' && spec_arguments_read(&end, name, params, table, e))
		return -1;
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

/* --- registries --- */

const struct weir_scheme *weir_registry_at(const struct registry *r, size_t i)
{
	return r->all[i];
}

const void *weir_registry_find(const struct registry *r, const char *name)
{
	for (size_t i = 0; r->all[i]; i++)
		if (strcmp(weir_registry_at(r, i)->name, name) == 0)
			return r->all[i];
	return NULL;
}

int weir_registry_unknown(const struct registry *r, const char *name, struct weir_error *e)
{
	const char *names[REGISTRY_MAX];
	size_t count = 0;

	for (; r->all[count]; count++) {
		assert(count < REGISTRY_MAX);
		names[count] = weir_registry_at(r, count)->name;
	}
	return weir_error_unknown(e, r->kind, name, names, count);
}

int weir_scheme_parse(const struct weir_scheme *s, const char *spec, void *params,
		      struct weir_error *e)
{
	/* Schemes may share a params struct without having all of its options. */
	memset(params, 0, s->params_size);
	if (weir_spec_params(spec, params, s->options, e))
		return -1;
	if (s->check && s->check(params, e))
		return weir_error_prefix(e, "%s: ", s->name);
	return 0;
}

const void *weir_registry_parse(const struct registry *r, const char *spec, void *params,
				struct weir_error *e)
{
	char name[WEIR_OPT_TEXT_SIZE];
	const void *ops;

	if (weir_spec_name(spec, name, sizeof(name), e))
		return NULL;
	ops = weir_registry_find(r, name);
	if (!ops) {
		weir_registry_unknown(r, name, e);
		return NULL;
	}
	return weir_scheme_parse(ops, spec, params, e) ? NULL : ops;
}
