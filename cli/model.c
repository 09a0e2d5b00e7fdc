/* SPDX-License-Identifier: BSD-3-Clause */
/* model.c -- weir model FILE|NAME: prints the metadata, layers and size of a trained model. */
#include "base/memory.h"
#include "config/model.h"
#include "cli/commands.h"
#include "base/text.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const struct cli_option model_arguments[] = {
	{ "--json", NULL, "prints it as JSON", OFFER_NOTHING },
	{ .name = NULL },
};

enum { LABEL_WIDTH = 10 };

/* Visits the metadata of a model that was validated before. */
typedef void text_visitor(int number, const char *key, const char *text);

static int model_visit_texts(const struct model *m, text_visitor *visit, struct weir_error *e)
{
	char keys[WEIR_LEARN_TEXTS_MAX][WEIR_LEARN_KEY_SIZE];
	int count = weir_learn_model_keys(m->bytes, keys, e), failed = count < 0;
	char *text = memory_grow(NULL, m->bytes.size, 1); /* upper bound of a text's length */

	for (int i = 0; i < count && !failed; i++) {
		failed = weir_learn_model_text(m->bytes, keys[i], text, m->bytes.size, e);
		if (!failed)
			visit(i, keys[i], text);
	}
	free(text);
	return failed;
}

/* Replaces control characters, which a terminal would interpret. */
static void model_print_plain(const char *text)
{
	for (; *text; text++)
		putchar((unsigned char)*text < ' ' || *text == 0x7f ? '?' : *text);
}

static void model_print_line(const char *key, const char *text)
{
	fputs("  ", stdout);
	model_print_plain(key);
	printf("%*s ", (int)strlen(key) < LABEL_WIDTH ? LABEL_WIDTH - (int)strlen(key) : 0, "");
	model_print_plain(text);
	putchar('\n');
}

static void model_print_text(int number, const char *key, const char *text)
{
	(void)number;
	model_print_line(key, text);
}

static void model_print_number(const char *what, uint64_t number)
{
	char text[32];

	snprintf(text, sizeof(text), "%" PRIu64, number);
	model_print_line(what, text);
}

/* Number of weights in the file, without the padding that the network has in memory. */
static uint64_t model_weight_count(const struct weir_learn_net *net)
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

static int model_print(const struct model *m, struct weir_error *e)
{
	model_print_plain(m->policy.name);
	putchar('\n');
	if (model_visit_texts(m, model_print_text, e))
		return -1;
	model_print_number("weights", model_weight_count(m->policy.net));
	model_print_number("bytes", m->bytes.size);
	model_print_line("content", m->digest.text);
	return 0;
}

static void model_print_json_text(int number, const char *key, const char *text)
{
	fputs(number ? ", " : " ", stdout);
	json_write_string(stdout, key);
	fputs(": ", stdout);
	json_write_string(stdout, text);
}

static int model_print_json(const struct model *m, struct weir_error *e)
{
	fputs("{ \"name\": ", stdout);
	json_write_string(stdout, m->policy.name);
	printf(", \"weights\": %" PRIu64 ", \"bytes\": %zu, \"content\": \"%s\", \"texts\": {",
	       model_weight_count(m->policy.net), m->bytes.size, m->digest.text);
	if (model_visit_texts(m, model_print_json_text, e))
		return -1;
	puts(" } }");
	return 0;
}

static int model_main(const struct arguments *a)
{
	struct weir_error e;
	const struct model *m = model_load(model_files, arguments_word(a, 0), &e);
	int failed;

	if (!m)
		return cli_error(EXIT_MISTAKE, &e);
	failed = arguments_option(a, "--json") ? model_print_json(m, &e) : model_print(m, &e);
	return failed ? cli_error(EXIT_WORLD, &e) : EXIT_FINE;
}

const struct command command_model = {
	.name = "model",
	.usage = "FILE|NAME",
	.help = "describes a trained model: its scheme, layers, and how it was trained",
	.options = model_arguments,
	.words_min = 1,
	.words_max = 1,
	.run = model_main,
	.offer = OFFER_MODEL,
};
