/* SPDX-License-Identifier: BSD-3-Clause */
/* papers.c -- the figures of papers and the verdicts of their claims as frames (weir/lab.h), from
 * what weir reproduce knows of them (lab/report/reproduce.h). */
#include "lab/api/frame.h"
#include "lab/report/reproduce.h"

/* --- figures --- */

enum figure_column {
	FIGURE_LABEL,
	FIGURE_TITLE,
	FIGURE_PAPER,
	FIGURE_ABOUT,
	FIGURE_SCENARIO,
	FIGURE_CLAIMS,
};

static void frame_add_figure(struct weir_frame *frame, const struct figure_files *files,
			     const struct figure *f)
{
	frame_add_row(frame);
	frame_set_text(frame, FIGURE_LABEL, files->label);
	frame_set_text(frame, FIGURE_TITLE, f->title);
	frame_set_text(frame, FIGURE_PAPER, f->paper);
	frame_set_text(frame, FIGURE_ABOUT, f->about);
	frame_set_text(frame, FIGURE_SCENARIO, files->scenario);
	frame_set_integer(frame, FIGURE_CLAIMS, f->claim_count);
}

static int frame_add_figures(struct weir_frame *frame, const struct figure_list *l,
			     struct weir_error *e)
{
	for (uint32_t i = 0; i < l->count; i++) {
		struct figure f;

		if (figure_read(&f, l->all[i].claims, e))
			return -1;
		frame_add_figure(frame, &l->all[i], &f);
		figure_free(&f);
	}
	return 0;
}

int weir_papers_read(const char *papers, struct weir_frame **frame, struct weir_error *e)
{
	static const char *const texts[] = { "figure", "title", "paper", "about", "scenario" };
	struct figure_list l;
	int failed;

	if (figures_find(&l, papers, e))
		return -1;
	*frame = frame_new();
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		frame_add_column(*frame, texts[i], "", WEIR_COLUMN_TEXT);
	frame_add_column(*frame, "claims", "", WEIR_COLUMN_INTEGER);
	failed = frame_add_figures(*frame, &l, e);
	figures_free(&l);
	if (failed)
		weir_frame_free(*frame);
	return failed;
}

/* --- claims --- */

enum claim_column {
	CLAIM_NAME,
	CLAIM_SIZE,
	CLAIM_SAYS,
	CLAIM_SECTION,
	CLAIM_METRIC,
	CLAIM_EXPECTED,
	CLAIM_VERDICT,
	CLAIM_MEASURED,
	CLAIM_SOURCE,
	CLAIM_VERSION,
	CLAIM_DOUBT,
	CLAIM_NOTE,
	CLAIM_COLUMNS,
};

static const char *const claim_columns[CLAIM_COLUMNS] = {
	[CLAIM_NAME] = "claim",      [CLAIM_SIZE] = "size",         [CLAIM_SAYS] = "says",
	[CLAIM_SECTION] = "section", [CLAIM_METRIC] = "metric",     [CLAIM_EXPECTED] = "expected",
	[CLAIM_VERDICT] = "verdict", [CLAIM_MEASURED] = "measured", [CLAIM_SOURCE] = "source",
	[CLAIM_VERSION] = "version", [CLAIM_DOUBT] = "doubt",       [CLAIM_NOTE] = "note",
};

/* Where the verdicts of a size come from. */
struct claim_source {
	const struct findings *findings; /* NULL: not judged */
	const char *words;
};

static struct claim_source claim_source(const struct summary_entry *y, int size)
{
	if (summary_is_run(y, size))
		return (struct claim_source){ &y->run[size], "run" };
	if (summary_is_shipped(y, size))
		return (struct claim_source){ &y->shipped[size], "shipped" };
	if (summary_is_outdated(y, size))
		return (struct claim_source){ &y->shipped[size], "out of date" };
	return (struct claim_source){ NULL, "" };
}

static void frame_add_claim(struct weir_frame *frame, const struct claim *c, int size,
			    struct claim_source from)
{
	const struct finding *f = from.findings ? findings_find(from.findings, c->name) : NULL;

	frame_add_row(frame);
	frame_set_text(frame, CLAIM_NAME, c->name);
	frame_set_text(frame, CLAIM_SIZE, figure_size_names[size]);
	frame_set_text(frame, CLAIM_SAYS, c->says);
	frame_set_text(frame, CLAIM_SECTION, c->section);
	frame_set_text(frame, CLAIM_METRIC, c->metric);
	frame_set_text(frame, CLAIM_EXPECTED, claim_expected(c).text);
	frame_set_text(frame, CLAIM_VERDICT, verdict_name(f ? f->kind : VERDICT_NOT_MEASURED));
	frame_set_text(frame, CLAIM_MEASURED, f ? f->measured : "");
	frame_set_text(frame, CLAIM_SOURCE, f ? from.words : "");
	frame_set_text(frame, CLAIM_VERSION, f ? from.findings->version : "");
	frame_set_text(frame, CLAIM_DOUBT, f ? f->doubt : "");
	frame_set_text(frame, CLAIM_NOTE, c->note);
}

static struct weir_frame *claims_frame(const struct summary_entry *y)
{
	struct weir_frame *frame = frame_new();

	for (int i = 0; i < CLAIM_COLUMNS; i++)
		frame_add_column(frame, claim_columns[i], "", WEIR_COLUMN_TEXT);
	for (int size = 0; size < FIGURE_SIZES; size++)
		for (uint32_t i = 0; i < y->figure.claim_count; i++)
			frame_add_claim(frame, &y->figure.claims[i], size, claim_source(y, size));
	return frame;
}

int weir_paper_claims(const char *papers, const char *figure, const char *out,
		      struct weir_frame **frame, struct weir_error *e)
{
	struct figure_range range;
	struct summary_entry y;
	struct figure_list l;
	int failed;

	if (figures_find(&l, papers, e))
		return -1;
	failed = figures_choose(&l, figure, &range, e);
	if (!failed && range.count != 1)
		failed = weir_error_set(e, "%s has %u figures; name one, such as %s",
					weir_quote(figure).text, range.count,
					l.all[range.first].label);
	if (!failed)
		failed = summary_entry_read(&y, &l.all[range.first], out ? out : "reproduction", e);
	if (!failed) {
		*frame = claims_frame(&y);
		summary_entry_free(&y);
	}
	figures_free(&l);
	return failed;
}
