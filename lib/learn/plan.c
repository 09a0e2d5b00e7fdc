/* SPDX-License-Identifier: BSD-3-Clause */
/* plan.c -- standard architectures, and the text form of plans, see weir/learn.h. */
#include "weir/error.h"
#include "weir/learn.h"
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define LENGTH(array) (sizeof(array) / sizeof(array)[0])

/* --- standard architectures --- */

static int32_t plan_add(struct weir_learn_plan *plan, struct weir_learn_layer layer)
{
	plan->layers[plan->layer_count] = layer;
	return (int32_t)plan->layer_count++;
}

struct weir_learn_plan weir_learn_plan_stack(const struct weir_learn_stack *s)
{
	struct weir_learn_plan plan = { 0 };
	int32_t from = s->lstm_units ? WEIR_LEARN_SEQUENCE : WEIR_LEARN_CURRENT;

	*(s->lstm_units ? &plan.sequence_size : &plan.current_size) = s->inputs;
	for (uint32_t i = 0; i < LENGTH(s->hidden) && s->hidden[i]; i++)
		from = plan_add(&plan, (struct weir_learn_layer){ .kind = WEIR_LEARN_DENSE,
								  .activation = WEIR_LEARN_RELU,
								  .bias = s->bias,
								  .units = s->hidden[i],
								  .from = { from } });
	if (s->lstm_units)
		from = plan_add(&plan, (struct weir_learn_layer){ .kind = WEIR_LEARN_LSTM,
								  .bias = s->bias,
								  .units = s->lstm_units,
								  .from = { from } });
	plan_add(&plan, (struct weir_learn_layer){ .kind = WEIR_LEARN_DENSE,
						   .activation = s->output,
						   .bias = s->bias,
						   .units = s->outputs,
						   .from = { from },
						   .gain = s->output_gain });
	return plan;
}

static int32_t plan_add_relu(struct weir_learn_plan *plan, uint32_t units, int32_t from)
{
	return plan_add(plan, (struct weir_learn_layer){ .kind = WEIR_LEARN_DENSE,
							 .activation = WEIR_LEARN_RELU,
							 .units = units,
							 .from = { from } });
}

struct weir_learn_plan weir_learn_plan_recurrent(const struct weir_learn_recurrent *r)
{
	struct weir_learn_plan plan = {
		.sequence_size = r->observation_size,
		.current_size = r->observation_size + r->action_size,
	};
	int32_t past = plan_add_relu(&plan, r->hidden, WEIR_LEARN_SEQUENCE), now;

	past = plan_add(&plan, (struct weir_learn_layer){ .kind = WEIR_LEARN_LSTM,
							  .units = r->hidden,
							  .from = { past } });
	past = plan_add(&plan,
			(struct weir_learn_layer){ .kind = WEIR_LEARN_LAST, .from = { past } });
	now = plan_add_relu(&plan, r->hidden, WEIR_LEARN_CURRENT);
	now = plan_add(&plan, (struct weir_learn_layer){ .kind = WEIR_LEARN_CONCAT,
							 .from = { past, now } });
	now = plan_add_relu(&plan, r->hidden, now);
	plan_add(&plan, (struct weir_learn_layer){ .kind = WEIR_LEARN_DENSE,
						   .activation = r->output,
						   .units = r->outputs,
						   .from = { now },
						   .gain = r->output_gain });
	return plan;
}

/* --- as text --- */

static const char *const kinds[] = { "dense", "lstm", "last", "concat" };
static const char *const activations[] = { "linear", "relu", "tanh" };

/* Appends to a buffer of fixed size; used counts what would have been written. */
struct plan_writer {
	char *text;
	size_t size, used;
};

__attribute__((format(printf, 2, 3))) static void plan_write(struct plan_writer *w,
							     const char *format, ...)
{
	size_t left = w->used < w->size ? w->size - w->used : 0;
	va_list args;

	va_start(args, format);
	w->used += (size_t)vsnprintf(left ? w->text + w->used : NULL, left, format, args);
	va_end(args);
}

static void plan_write_source(struct plan_writer *w, const char *before, int32_t from)
{
	if (from == WEIR_LEARN_SEQUENCE)
		plan_write(w, "%ssequence", before);
	else if (from == WEIR_LEARN_CURRENT)
		plan_write(w, "%scurrent", before);
	else
		plan_write(w, "%s%d", before, from);
}

int weir_learn_plan_format(const struct weir_learn_plan *plan, char *text, size_t size)
{
	struct plan_writer w = { .text = text, .size = size };

	plan_write(&w, "sequence %u; current %u", plan->sequence_size, plan->current_size);
	for (uint32_t i = 0; i < plan->layer_count; i++) {
		const struct weir_learn_layer *l = &plan->layers[i];

		plan_write(&w, "; %s", kinds[l->kind]);
		if (l->kind == WEIR_LEARN_DENSE)
			plan_write(&w, " %u %s", l->units, activations[l->activation]);
		if (l->kind == WEIR_LEARN_LSTM)
			plan_write(&w, " %u", l->units);
		if (l->bias == WEIR_LEARN_NO_BIAS)
			plan_write(&w, " unbiased");
		plan_write_source(&w, " < ", l->from[0]);
		if (l->kind == WEIR_LEARN_CONCAT)
			plan_write_source(&w, " + ", l->from[1]);
	}
	return w.used < size ? 0 : -1;
}

enum { WORD_MAX = 16 };

/* Consumes the next word: letters and digits, or one other character; empty at the end. */
static void plan_next_word(const char **text, char word[WORD_MAX])
{
	static const char of_words[] = "abcdefghijklmnopqrstuvwxyz0123456789";
	size_t length;

	*text += strspn(*text, " ");
	length = strspn(*text, of_words);
	if (length == 0 && **text)
		length = 1;
	snprintf(word, WORD_MAX, "%.*s", (int)(length < WORD_MAX ? length : WORD_MAX), *text);
	*text += length;
}

/* Index of the word among the names; -1: none. */
static int plan_index_of(const char *word, const char *const *names, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (strcmp(word, names[i]) == 0)
			return (int)i;
	return -1;
}

/* At most five digits: the largest size of a net has four. */
static int plan_read_number(const char **text, uint32_t *number)
{
	char word[WORD_MAX];

	plan_next_word(text, word);
	*number = 0;
	if (!word[0] || strlen(word) > 5 || strspn(word, "0123456789") != strlen(word))
		return -1;
	for (const char *digit = word; *digit; digit++)
		*number = *number * 10 + (uint32_t)(*digit - '0');
	return 0;
}

static int plan_read_source(const char **text, int32_t *from)
{
	const char *at = *text;
	char word[WORD_MAX];
	uint32_t number;

	plan_next_word(&at, word);
	if (strcmp(word, "sequence") == 0)
		*from = WEIR_LEARN_SEQUENCE;
	else if (strcmp(word, "current") == 0)
		*from = WEIR_LEARN_CURRENT;
	else if (plan_read_number(text, &number) == 0)
		*from = (int32_t)number;
	else
		return -1;
	*text = *from < 0 ? at : *text;
	return 0;
}

/* Consumes the word and returns 1 if it is next. */
static int plan_accept(const char **text, const char *expected)
{
	const char *at = *text;
	char word[WORD_MAX];

	plan_next_word(&at, word);
	if (strcmp(word, expected) != 0)
		return 0;
	*text = at;
	return 1;
}

static int plan_read_layer(const char **text, struct weir_learn_layer *l)
{
	char word[WORD_MAX];
	int kind, activation = 0;

	plan_next_word(text, word);
	kind = plan_index_of(word, kinds, LENGTH(kinds));
	if (kind < 0)
		return -1;
	l->kind = (enum weir_learn_kind)kind;
	if (kind <= WEIR_LEARN_LSTM && plan_read_number(text, &l->units))
		return -1;
	if (kind == WEIR_LEARN_DENSE) {
		plan_next_word(text, word);
		activation = plan_index_of(word, activations, LENGTH(activations));
	}
	if (activation < 0)
		return -1;
	l->activation = (enum weir_learn_activation)activation;
	if (plan_accept(text, "unbiased"))
		l->bias = WEIR_LEARN_NO_BIAS;
	if (!plan_accept(text, "<") || plan_read_source(text, &l->from[0]))
		return -1;
	if (kind == WEIR_LEARN_CONCAT)
		return plan_accept(text, "+") ? plan_read_source(text, &l->from[1]) : -1;
	return 0;
}

int weir_learn_plan_parse(struct weir_learn_plan *plan, const char *text, struct weir_error *e)
{
	const char *at = text;

	memset(plan, 0, sizeof(*plan));
	if (!plan_accept(&at, "sequence") || plan_read_number(&at, &plan->sequence_size) ||
	    !plan_accept(&at, ";") || !plan_accept(&at, "current") ||
	    plan_read_number(&at, &plan->current_size))
		return weir_error_set(e, "a net begins with 'sequence N; current N;', not with %s",
				      weir_quote(text).text);
	while (plan_accept(&at, ";")) {
		const char *begin = at + strspn(at, " ");

		if (plan->layer_count == WEIR_LEARN_LAYERS_MAX)
			return weir_error_set(e, "a net of more than %d layers",
					      WEIR_LEARN_LAYERS_MAX);
		if (plan_read_layer(&at, &plan->layers[plan->layer_count++]))
			return weir_error_set(e, "%s is no layer of a net", weir_quote(begin).text);
	}
	if (*at)
		return weir_error_set(e, "%s after the layers of a net", weir_quote(at).text);
	return 0;
}
