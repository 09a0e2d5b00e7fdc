/* SPDX-License-Identifier: BSD-3-Clause */
/* train_output.c -- what weir train writes: the model, the curve with a row a round, and a page
 * with charts. */
#define _POSIX_C_SOURCE 200809L
#include "cli/train.h"
#include "base/memory.h"
#include "base/output.h"
#include "base/text.h"
#include "base/version.h"
#include "lab/report/report.h"
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- the model --- */

/* What to type for the same model, without what is the default anyway: -o and a name are the
 * user's. */
static char *train_command_text(const struct train_request *q)
{
	const struct weir_option *settings = q->trainer->scheme.options;
	char value[WEIR_OPT_TEXT_SIZE + 64], *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	if (!f)
		memory_refused(BUFSIZ);
	fprintf(f, "weir train %s", q->trainer->scheme.name);
	for (const struct weir_option *o = settings; o && o->name; o++)
		if (!weir_option_is_default(o, q->params))
			fprintf(f, " --set '%s=%s'", o->name,
				weir_option_format(value, sizeof(value), o, q->params));
	for (uint32_t i = 0; i < q->scenario_count; i++)
		fprintf(f, " --scenario %s", q->files[i]);
	fprintf(f,
		" --steps %" PRIu64 " --seed %" PRIu64 " --episodes %" PRIu64 " --judge %" PRIu64
		" --judge-every %" PRIu64,
		q->steps, q->seed, q->episodes, q->judge, q->judge_every);
	if (fclose(f))
		memory_refused(size);
	return text;
}

static int train_write_model(const struct train_request *q, const struct training *t,
			     struct weir_error *e)
{
	enum { TEXTS = 12 };
	struct weir_learn_text texts[TEXTS];
	struct weir_learn_model model;
	char seed[32], digest[17];
	char *command = train_command_text(q);
	uint64_t sum = 0;
	uint8_t *bytes;
	size_t size;
	struct output o;
	int failed;

	training_best(t, &model);
	memcpy(texts, model.texts, model.text_count * sizeof(*texts));
	for (const char *c = q->identity; *c; c++)
		sum = weir_hash64(sum, (unsigned char)*c);
	snprintf(digest, sizeof(digest), "%016" PRIx64, sum);
	snprintf(seed, sizeof(seed), "%" PRIu64, q->seed);
	texts[model.text_count++] =
		(struct weir_learn_text){ WEIR_LEARN_SCHEME, q->trainer->scheme.name };
	texts[model.text_count++] = (struct weir_learn_text){ WEIR_LEARN_COMMAND, command };
	texts[model.text_count++] = (struct weir_learn_text){ WEIR_LEARN_SEED, seed };
	texts[model.text_count++] =
		(struct weir_learn_text){ WEIR_LEARN_VERSION, version_of_training().text };
	texts[model.text_count++] = (struct weir_learn_text){ WEIR_LEARN_DIGEST, digest };
	model.texts = texts;
	size = weir_learn_model_size(&model);
	bytes = memory_new(1, size);
	failed = weir_learn_model_encode(&model, bytes, e) || output_open(&o, q->out, e);
	if (!failed) {
		fwrite(bytes, 1, size, o.stream);
		failed = output_finish(&o, e) || output_publish(&o, e);
	}
	memory_free(bytes, 1, size);
	free(command);
	return failed ? -1 : 0;
}

/* --- the curve --- */

static void train_csv(FILE *f, const struct train_request *q, const struct training *t)
{
	const struct train_figure *figures = q->trainer->figures;

	fputs("episodes,steps,score,judged", f);
	for (const struct train_figure *at = figures; at->name; at++)
		fprintf(f, ",%s%s%s", at->name, *at->unit ? "_" : "", at->unit);
	fputc('\n', f);
	for (uint64_t i = 0; i < training_points(t); i++) {
		const struct train_point *p = training_point(t, i);

		fprintf(f, "%" PRIu64 ",%" PRIu64, p->episodes, p->steps);
		csv_write_number(f, p->score);
		csv_write_number(f, p->judged);
		for (const struct train_figure *at = figures; at->name; at++)
			csv_write_number(f, p->figures[at - figures]);
		fputc('\n', f);
	}
}

/* --- charts --- */

enum { CHART_COLUMNS = 500 };

/* Rounds and judgements in one chart: what exploring costs is between the lines. */
static void train_chart_score(struct chart_list *list, const struct training *t)
{
	struct chart *c = chart_add(list, "Score", "");
	struct chart_line *exploring = chart_line_add(c, "of a round, which explores");
	struct chart_line *judged;

	for (uint64_t i = 0; i < training_points(t); i++)
		chart_point_add(exploring, (double)training_point(t, i)->steps,
				training_point(t, i)->score);
	judged = chart_line_add(c, "judged, on the same episodes each time");
	for (uint64_t i = 0; i < training_points(t); i++)
		if (!isnan(training_point(t, i)->judged))
			chart_point_add(judged, (double)training_point(t, i)->steps,
					training_point(t, i)->judged);
	text_print(&c->x_label, "steps");
	text_print(&c->y_label, "score");
}

static void train_chart_figure(struct chart_list *list, const struct training *t, uint32_t figure)
{
	const struct train_figure *about = &training_plan(t)->trainer->figures[figure];
	struct chart *c = chart_add(list, about->name, "");
	struct chart_line *l = chart_line_add(c, about->name);

	for (uint64_t i = 0; i < training_points(t); i++)
		chart_point_add(l, (double)training_point(t, i)->steps,
				training_point(t, i)->figures[figure]);
	text_print(&c->note, "%s", about->help);
	text_print(&c->x_label, "steps");
	report_y_unit(c, about->name, about->unit);
}

/* --- the portrait --- */

static void train_add_portrait(struct document *d, const struct training *t)
{
	const struct train_policy_table *p = training_plan(t)->trainer->policy_table;
	const void *desk = training_context(t);
	struct weir_learn_model model;
	struct train_cell cell;

	training_best(t, &model);
	document_open(d, DOCUMENT_SECTION, "portrait");
	document_add(d, DOCUMENT_HEADING_2, NULL, "What it does where");
	document_add(d, DOCUMENT_PARAGRAPH, NULL, "%s", p->about);
	document_open(d, DOCUMENT_TABLE, "");
	document_head_row(d);
	document_add(d, DOCUMENT_HEAD, NULL, "%s \\ %s", p->rows, p->columns);
	for (uint32_t k = 0; k < p->column_count; k++) {
		p->column(desk, k, &cell);
		document_add(d, DOCUMENT_HEAD, NULL, "%s", cell.text);
	}
	for (uint32_t i = 0; i < p->row_count; i++) {
		p->row(desk, i, &cell);
		document_row(d, NULL);
		document_add(d, DOCUMENT_HEAD, NULL, "%s", cell.text);
		for (uint32_t k = 0; k < p->column_count; k++) {
			p->cell(desk, &model, (const uint32_t[]){ i, k }, &cell);
			document_add(d, DOCUMENT_CELL, NULL, "%s", cell.text);
		}
	}
	document_close(d);
	document_close(d);
}

static void train_page(FILE *f, const struct train_request *q, const struct training *t)
{
	struct chart_list list = { 0, NULL };
	struct weir_learn_model model;
	struct train_best best = training_best(t, &model);
	struct version version = version_of_results();
	struct document d = { .count = 0 };
	char *title = NULL;

	text_print(&title, "Training of %s", q->trainer->scheme.name);
	train_chart_score(&list, t);
	for (uint32_t i = 0; q->trainer->figures[i].name; i++)
		train_chart_figure(&list, t, i);
	document_add(&d, DOCUMENT_HEADING_1, NULL, "%s", title);
	document_add(&d, DOCUMENT_PARAGRAPH, NULL,
		     "The best policy had a score of %.4f on %" PRIu64
		     " episodes that judge, after %" PRIu64 " of %" PRIu64 " steps.",
		     best.score, q->judge, best.steps, q->steps);
	document_add(&d, DOCUMENT_PARAGRAPH, NULL, "<code>%s</code>", q->identity);
	document_open(&d, DOCUMENT_SECTION, "curves");
	document_add(&d, DOCUMENT_HEADING_2, NULL, "Curves");
	document_open(&d, DOCUMENT_GROUP, "panels");
	for (uint32_t i = 0; i < list.count; i++) {
		for (uint32_t k = 0; k < list.all[i].line_count; k++)
			chart_line_reduce(&list.all[i].lines[k], CHART_COLUMNS, 0);
		document_chart(&d, &list, i);
	}
	document_close(&d);
	document_close(&d);
	if (q->trainer->policy_table)
		train_add_portrait(&d, t);
	document_write_page(&d, f,
			    &(struct document_page){ .title = title, .version = version.text });
	document_free(&d);
	chart_list_free(&list);
	free(title);
}

/* --- the files --- */

static int
train_write_with(const char *file,
		 void (*write)(FILE *f, const struct train_request *q, const struct training *t),
		 const struct train_request *q, const struct training *t, struct weir_error *e)
{
	struct output o;

	if (output_open(&o, file, e))
		return -1;
	write(o.stream, q, t);
	return output_finish(&o, e) ? -1 : output_publish(&o, e);
}

int train_write_all(const struct train_request *q, const struct training *t, struct weir_error *e)
{
	return train_write_with(q->csv, train_csv, q, t, e) ||
			       train_write_with(q->page, train_page, q, t, e) ||
			       train_write_model(q, t, e)
		       ? -1
		       : 0;
}
