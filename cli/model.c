/* SPDX-License-Identifier: BSD-3-Clause */
/* model.c -- weir model FILE|NAME: what is in a trained network, all its texts and its size. */
#include "base/memory.h"
#include "config/model.h"
#include "cli/commands.h"
#include "base/text.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { LABEL_WIDTH = 10 };

/* Its texts one after the other; of a model that was found sound, so each can be read. */
typedef void text_visitor(int number, const char *key, const char *text);

static int each_text(const struct model *m, text_visitor *visit, struct weir_error *e)
{
	char keys[WEIR_LEARN_TEXTS_MAX][WEIR_LEARN_KEY_SIZE];
	int count = weir_learn_model_keys(m->bytes, keys, e), failed = count < 0;
	char *text = memory_grow(NULL, m->bytes.size, 1); /* no text is as long as its file */

	for (int i = 0; i < count && !failed; i++) {
		failed = weir_learn_model_text(m->bytes, keys[i], text, m->bytes.size, e);
		if (!failed)
			visit(i, keys[i], text);
	}
	free(text);
	return failed;
}

/* A file may hold anything; a terminal must not obey it. */
static void print_plain(const char *text)
{
	for (; *text; text++)
		putchar((unsigned char)*text < ' ' || *text == 0x7f ? '?' : *text);
}

static void show_line(const char *key, const char *text)
{
	fputs("  ", stdout);
	print_plain(key);
	printf("%*s ", (int)strlen(key) < LABEL_WIDTH ? LABEL_WIDTH - (int)strlen(key) : 0, "");
	print_plain(text);
	putchar('\n');
}

static void show_text(int number, const char *key, const char *text)
{
	(void)number;
	show_line(key, text);
}

static void show_number(const char *what, uint64_t number)
{
	char text[32];

	snprintf(text, sizeof(text), "%" PRIu64, number);
	show_line(what, text);
}

/* Numbers in the file: those of a net are padded, and the file's are not. */
static uint64_t weight_count(const struct weir_learn_net *net)
{
	uint64_t count = 0;

	for (uint32_t i = 0; i < net->plan.layer_count; i++) {
		const struct weir_learn_layer *l = &net->plan.layers[i];
		const struct weir_learn_place *p = &net->places[i];
		uint64_t bias = l->bias == WEIR_LEARN_WITH_BIAS;

		if (l->kind == WEIR_LEARN_DENSE)
			count += (uint64_t)p->units * (p->inputs + bias);
		if (l->kind == WEIR_LEARN_LSTM)
			count += UINT64_C(4) * p->units * (p->inputs + p->units + bias);
	}
	return count;
}

static int show(const struct model *m, struct weir_error *e)
{
	print_plain(m->policy.name);
	putchar('\n');
	if (each_text(m, show_text, e))
		return -1;
	show_number("weights", weight_count(m->policy.net));
	show_number("bytes", m->bytes.size);
	show_line("content", m->digest.text);
	return 0;
}

static void show_json_text(int number, const char *key, const char *text)
{
	fputs(number ? ", " : " ", stdout);
	json_text(stdout, key);
	fputs(": ", stdout);
	json_text(stdout, text);
}

static int show_json(const struct model *m, struct weir_error *e)
{
	fputs("{ \"name\": ", stdout);
	json_text(stdout, m->policy.name);
	printf(", \"weights\": %" PRIu64 ", \"bytes\": %zu, \"content\": \"%s\", \"texts\": {",
	       weight_count(m->policy.net), m->bytes.size, m->digest.text);
	if (each_text(m, show_json_text, e))
		return -1;
	puts(" } }");
	return 0;
}

int command_model(const struct arguments *a)
{
	struct weir_error e;
	const struct model *m = model_load(model_files, arguments_word(a, 0), &e);
	int failed;

	if (!m)
		return complain(EXIT_MISTAKE, &e);
	failed = arguments_option(a, "--json") ? show_json(m, &e) : show(m, &e);
	return failed ? complain(EXIT_WORLD, &e) : EXIT_FINE;
}
