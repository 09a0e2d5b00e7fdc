/* SPDX-License-Identifier: BSD-3-Clause */
/* sweep_list.c -- parses a list of values: separated by commas, or a range with a step. */
#include "lab/scenario/sweep.h"
#include "base/memory.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { VALUES_MAX = 10000, DIGITS_MAX = 15, ITEM_SIZE = 512 };

void list_free(struct text_list *list)
{
	for (uint32_t i = 0; i < list->count; i++)
		free(list->items[i]);
	free(list->items);
	memset(list, 0, sizeof(*list));
}

static int list_add_item(struct text_list *list, const char *text, struct weir_error *e)
{
	if (list->count == VALUES_MAX)
		return weir_error_set(e, "more than %d values", VALUES_MAX);
	for (uint32_t i = 0; i < list->count; i++)
		if (strcmp(list->items[i], text) == 0)
			return weir_error_set(e, "%s is listed twice", weir_quote(text).text);
	if ((list->count & (list->count - 1)) == 0) /* capacity is the next power of two */
		list->items = memory_grow(list->items, 2 * (list->count + UINT64_C(1)),
					  sizeof(*list->items));
	list->items[list->count++] = text_copy(text);
	return 0;
}

/* --- ranges --- */

/* A decimal number with unit, exact: "0.25us" is 25 with 2 decimals and unit "us". */
struct number {
	int64_t digits;
	int decimals;
	const char *unit;
};

static int is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* -1: the text does not start with a number. */
static int number_read(const char *text, struct number *n)
{
	int digits = 0, point = 0;

	*n = (struct number){ 0 };
	for (; is_digit(*text) || (*text == '.' && !point && is_digit(text[1])); text++) {
		if (*text == '.') {
			point = 1;
			continue;
		}
		if (++digits > DIGITS_MAX)
			return -1;
		n->digits = 10 * n->digits + (*text - '0');
		n->decimals += point;
	}
	n->unit = text;
	return digits > 0 ? 0 : -1;
}

/* Scales the number to that many decimals. -1: too many digits. */
static int number_align(struct number *n, int decimals)
{
	for (; n->decimals < decimals; n->decimals++) {
		if (n->digits > INT64_MAX / 1000)
			return -1;
		n->digits *= 10;
	}
	return 0;
}

static int list_add_number(struct text_list *list, struct number n, struct weir_error *e)
{
	char text[ITEM_SIZE];
	int64_t scale = 1;

	while (n.decimals > 0 && n.digits % 10 == 0) {
		n.digits /= 10;
		n.decimals--;
	}
	for (int i = 0; i < n.decimals; i++)
		scale *= 10;
	if (n.decimals == 0)
		snprintf(text, sizeof(text), "%" PRId64 "%s", n.digits, n.unit);
	else
		snprintf(text, sizeof(text), "%" PRId64 ".%0*" PRId64 "%s", n.digits / scale,
			 n.decimals, n.digits % scale, n.unit);
	return list_add_item(list, text, e);
}

struct range {
	struct number first, last, step;
};

/* Adds first, first + step, ... up to last. */
static int list_add_range(struct text_list *list, const char *text, struct range r,
			  struct weir_error *e)
{
	int decimals = r.first.decimals;

	if (strcmp(r.first.unit, r.last.unit) != 0 || strcmp(r.first.unit, r.step.unit) != 0)
		return weir_error_set(e,
				      "%s: from, to and step are written "
				      "in the same unit, as in 1us..5us/2us",
				      weir_quote(text).text);
	if (r.last.decimals > decimals)
		decimals = r.last.decimals;
	if (r.step.decimals > decimals)
		decimals = r.step.decimals;
	if (number_align(&r.first, decimals) || number_align(&r.last, decimals) ||
	    number_align(&r.step, decimals))
		return weir_error_set(e, "%s: too many digits", weir_quote(text).text);
	if (r.step.digits == 0)
		return weir_error_set(e, "%s: the step is zero", weir_quote(text).text);
	if (r.last.digits < r.first.digits)
		return weir_error_set(e, "%s is empty: it ends before it starts",
				      weir_quote(text).text);
	for (; r.first.digits <= r.last.digits; r.first.digits += r.step.digits)
		if (list_add_number(list, r.first, e))
			return -1;
	return 0;
}

/* 1: the text is a range and its values were added; 0: it is not a range; -1: message. */
static int list_add_if_range(struct text_list *list, const char *text, struct weir_error *e)
{
	char parts[ITEM_SIZE], *dots, *slash;
	struct range r = { .step = { 1, 0, "" } };

	snprintf(parts, sizeof(parts), "%s", text);
	dots = strstr(parts, "..");
	if (!dots || !is_digit(parts[0]) || !is_digit(dots[2]))
		return 0;
	*dots = '\0';
	slash = strchr(dots + 2, '/');
	if (slash)
		*slash = '\0';
	if (number_read(parts, &r.first) || number_read(dots + 2, &r.last))
		return 0;
	if (slash && number_read(slash + 1, &r.step))
		return weir_error_set(e, "%s: after / stands the step, as in 0.1..0.9/0.2",
				      weir_quote(text).text);
	if (!slash && (r.first.unit[0] || r.last.unit[0]))
		return 0; /* "0us..100us" is one value, an interval */
	if (!slash && r.first.decimals + r.last.decimals > 0)
		return weir_error_set(e, "%s has no step; write %s/STEP", weir_quote(text).text,
				      text);
	return list_add_range(list, text, r, e) ? -1 : 1;
}

/* --- lists --- */

size_t list_item_length(const char *text)
{
	int depth = 0;
	size_t i;

	for (i = 0; text[i] && (text[i] != ',' || depth > 0); i++) {
		depth += text[i] == '(';
		depth -= text[i] == ')' && depth > 0;
	}
	return i;
}

static int list_add_trimmed(struct text_list *list, const char *text, size_t length,
			    struct weir_error *e)
{
	char item[ITEM_SIZE];
	int taken;

	while (length > 0 && (*text == ' ' || *text == '\t')) {
		text++;
		length--;
	}
	while (length > 0 && (text[length - 1] == ' ' || text[length - 1] == '\t'))
		length--;
	if (length == 0)
		return weir_error_set(e, "a value of the list is empty; write a, b, c or 1..5");
	if (length >= sizeof(item))
		return weir_error_set(e, "a value of the list has %zu characters; allowed are %zu",
				      length, sizeof(item) - 1);
	snprintf(item, sizeof(item), "%.*s", (int)length, text);
	taken = list_add_if_range(list, item, e);
	return taken ? (taken < 0 ? -1 : 0) : list_add_item(list, item, e);
}

int list_split(struct text_list *list, const char *text, struct weir_error *e)
{
	memset(list, 0, sizeof(*list));
	for (;; text++) {
		size_t length = list_item_length(text);

		if (list_add_trimmed(list, text, length, e)) {
			list_free(list);
			return -1;
		}
		text += length;
		if (*text == '\0')
			return 0;
	}
}
