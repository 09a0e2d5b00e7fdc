/* SPDX-License-Identifier: BSD-3-Clause */
/* figure_claims.c -- the claims of a figure in its page: what the paper says, what is expected and
 * what was measured, and the verdict that follows. */
#include "lab/report/figure_report.h"
#include <math.h>

const char *verdict_class(enum verdict_kind kind)
{
	static const char *const classes[VERDICTS] = {
		[VERDICT_AGREES] = "agrees",       [VERDICT_SAME_DIRECTION] = "direction",
		[VERDICT_UNDECIDED] = "undecided", [VERDICT_NOT_REPRODUCED] = "not",
		[VERDICT_TOO_FEW] = "few",         [VERDICT_CONTRADICTS] = "paper",
		[VERDICT_FITTED] = "fitted",       [VERDICT_OTHER_SIZE] = "open",
		[VERDICT_NOT_MEASURED] = "open",
	};

	return classes[kind];
}

struct claim_text claim_place(const struct claim *c)
{
	struct claim_text t;

	snprintf(t.text, sizeof(t.text), "%s%.*s",
		 c->section[0] >= '0' && c->section[0] <= '9' ? "section " : "", 140, c->section);
	return t;
}

const char *claim_note_begin(const struct claim *c, enum verdict_kind kind)
{
	return c->why == WHY_FAILS && kind != VERDICT_NOT_REPRODUCED ? "Note: " : why_begin(c->why);
}

/* --- cells --- */

static void claim_add_verdict(struct document *d, const struct claim *c, const struct verdict *v)
{
	document_add(d, DOCUMENT_CELL, NULL, "<b class=\"verdict %s\">%s</b>",
		     verdict_class(v->kind), verdict_name(v->kind));
	if (v->kind == VERDICT_CONTRADICTS || v->kind == VERDICT_FITTED)
		document_append(d, "<br><small>by number: %s</small>", verdict_name(v->by_number));
	if (v->kind == VERDICT_NOT_REPRODUCED && c->why != WHY_NOT_SAID)
		document_append(d, "<br><small>%s</small>", why_name(c->why));
}

static void claim_add_remark(struct document *d, const char *what, const char *text)
{
	document_append(d, "<br><span class=\"note\">%s%s</span>", what, text);
}

static void claim_add_says(struct document *d, const struct claim *c, const struct verdict *v)
{
	document_add(d, DOCUMENT_CELL, NULL, "%s", c->says);
	if (c->section[0] && c->sentence)
		document_append(d, " <small>(%s; a part of the sentence <i>%s</i>)</small>",
				claim_place(c).text, c->sentence);
	else if (c->section[0])
		document_append(d, " <small>(%s)</small>", claim_place(c).text);
	if (c->contradicts)
		claim_add_remark(d, "The paper contradicts itself: ", c->contradicts);
	if (c->fitted)
		claim_add_remark(d, "Fitted, and not counted: ", c->fitted);
	if (c->note[0] && v->by_number != VERDICT_AGREES && v->kind != VERDICT_OTHER_SIZE)
		claim_add_remark(d, claim_note_begin(c, v->by_number), c->note);
}

/* "5 Gb/s (4.75 Gb/s..5.25 Gb/s)" may be broken before the bracket only. */
static void claim_add_expected(struct document *d, const struct claim *c)
{
	struct claim_text expected = claim_expected(c);
	char text[3 * sizeof(expected.text)];
	size_t used = 0;

	for (const char *at = expected.text; *at; at++) {
		if (*at == ' ' && at[1] != '(') {
			text[used++] = '\xc2'; /* a no-break space, U+00A0 */
			text[used++] = '\xa0';
		} else {
			text[used++] = *at;
		}
	}
	text[used] = '\0';
	document_add(d, DOCUMENT_CELL, NULL, "%s<br><small>%s%s</small>", text,
		     isnan(c->against) ? "no direction" : "direction: ", claim_direction(c).text);
	document_label(d, "expected");
}

/* The mean with its interval, and below it where it comes from. */
static void claim_add_measured(struct document *d, const struct claim *c, const struct verdict *v)
{
	if (v->kind == VERDICT_OTHER_SIZE || v->kind == VERDICT_NOT_MEASURED) {
		document_add(d, DOCUMENT_CELL, NULL, "<small>%s</small>", v->why[0] ? v->why : "–");
		document_label(d, "measured");
		return;
	}
	document_add(d, DOCUMENT_CELL, NULL, "%s<br><small>%u seed%s%s",
		     measured_text(&v->value, v->unit).text, v->value.count,
		     v->value.count == 1 ? "" : "s", v->value.is_alike ? ", all alike" : "");
	if (c->best)
		document_append(d, "; at %s = %s, where it is best", c->best, v->best);
	if (v->over.count)
		document_append(d, "; %s over %s", measured_text(&v->of, v->metric_unit).text,
				measured_text(&v->over, v->metric_unit).text);
	if (v->why[0])
		document_append(d, "; %s", v->why);
	else if (v->value.count > 1 && !v->is_firm)
		document_append(d, "; more seeds may give another verdict");
	if (v->is_doubtful)
		document_append(d, "; <span class=\"warning\">%s</span>",
				health_text(&v->health).text);
	document_append(d, "</small>");
	document_label(d, "measured");
}

/* --- the section --- */

static const char rule[] =
	"Measured: mean over seeds ± half the width of its 95 % confidence interval. Expected: the "
	"paper's value and, in brackets, the accepted range; below it the direction, if the claim "
	"has one. A verdict is what holds over the whole interval. Agrees: it lies in the accepted "
	"range. Same direction: it does not, but lies on the paper's side of the baseline (of 1 "
	"for a ratio); a claim of equality has no direction. Not reproduced here: neither, and it "
	"lies outside the range. Undecided: it reaches over an edge of the range. Too few: fewer "
	"than five seeds with different results. A sentence of the paper agrees if all of its "
	"claims do, and is not reproduced if one is not.";

/* "8 agree, 1 not reproduced here" */
static void claims_append_counts(struct document *d, const struct verdict_counts *counts)
{
	const char *between = "";

	for (int i = 0; i < VERDICTS; i++) {
		enum verdict_kind kind = (enum verdict_kind)i;

		if (!counts->of[kind])
			continue;
		document_append(d, "%s%u <b class=\"verdict %s\">%s</b>", between, counts->of[kind],
				verdict_class(kind), verdict_word(kind, counts->of[kind]));
		between = ", ";
	}
}

/* "9 claims: 8 agree, 1 not reproduced here." */
static void claims_add_counts(struct document *d, const char *what,
			      const struct verdict_counts *counts)
{
	uint32_t total = verdict_total(counts);

	document_add(d, DOCUMENT_PARAGRAPH, NULL, "%u %s%s: ", total, what, total == 1 ? "" : "s");
	claims_append_counts(d, counts);
	document_append(d, ".");
}

/* --- the outcome in one sentence --- */

/* "because in 2 claims a setting decides that the paper does not give, and ..." */
static void outcome_append_reasons(struct document *d, const struct figure_report *fr)
{
	static const char *const reasons[WHYS] = {
		[WHY_NOT_SAID] = "has no reason yet",
		[WHY_SILENT] = "hangs on a setting that the paper does not give",
		[WHY_FAILS] = "does not come out in an experiment",
		[WHY_SIZE] = "needs a larger size",
		[WHY_UNEXPLAINED] = "is unexplained",
	};
	static const char *const several[WHYS] = {
		[WHY_NOT_SAID] = "have no reason yet",
		[WHY_SILENT] = "hang on settings that the paper does not give",
		[WHY_FAILS] = "do not come out in an experiment",
		[WHY_SIZE] = "need a larger size",
		[WHY_UNEXPLAINED] = "are unexplained",
	};
	struct why_counts whys = why_count(fr->figure, fr->verdicts);
	struct verdict_counts claims = verdict_count(fr->figure, fr->verdicts);
	const char *between = ", because ";

	for (int i = 1; i <= WHYS; i++) { /* a reason that is not given comes last */
		uint32_t count = whys.of[i % WHYS];

		if (!count)
			continue;
		document_append(d, "%s%u claim%s %s", between, count, count == 1 ? "" : "s",
				(count == 1 ? reasons : several)[i % WHYS]);
		between = ", ";
	}
	if (claims.of[VERDICT_UNDECIDED])
		document_append(d, "%s%u claim%s more seeds", between, claims.of[VERDICT_UNDECIDED],
				claims.of[VERDICT_UNDECIDED] == 1 ? " needs" : "s need");
}

void figure_add_outcome(struct document *d, const struct figure_report *fr)
{
	static const struct {
		const char *class, *words;
	} outcomes[OUTCOMES] = {
		[OUTCOME_REPRODUCED] = { "agrees", "Reproduced" },
		[OUTCOME_PARTLY] = { "direction", "Partly reproduced" },
		[OUTCOME_NOT] = { "not", "Not reproduced here" },
		[OUTCOME_UNDECIDED] = { "undecided", "Undecided" },
		[OUTCOME_OPEN] = { "open", "Not judged" },
	};
	struct verdict_counts sentences = verdict_count_sentences(fr->figure, fr->verdicts);
	enum figure_outcome outcome = figure_outcome(&sentences);
	uint32_t judged = verdict_judged(&sentences);

	if (fr->figure->claim_count == 0)
		return;
	document_add(d, DOCUMENT_PARAGRAPH, "outcome", "<b class=\"verdict %s\">%s</b>",
		     outcomes[outcome].class, outcomes[outcome].words);
	if (judged)
		document_append(d, ": %u of %u sentence%s agree%s", sentences.of[VERDICT_AGREES],
				judged, judged == 1 ? "" : "s", judged == 1 ? "s" : "");
	if (sentences.of[VERDICT_SAME_DIRECTION])
		document_append(d, " and %u ha%s the same direction",
				sentences.of[VERDICT_SAME_DIRECTION],
				sentences.of[VERDICT_SAME_DIRECTION] == 1 ? "s" : "ve");
	if (fr->figure->because && outcome != OUTCOME_REPRODUCED)
		document_append(d, ", because %s", fr->figure->because);
	else
		outcome_append_reasons(d, fr);
	document_append(d, ".");
}

/* --- readings --- */

/* "1 of 2 agree", then a line for each: "small-mean: agrees, 0.81 ±0.05 for 0.84 (0.672..1.008)" */
static void reading_append_claims(struct document *d, const struct figure_report *fr,
				  uint32_t reading)
{
	const struct figure *f = fr->figure;
	uint32_t count = 0, agree = 0;

	for (uint32_t i = f->claim_count; i < f->judged_count; i++)
		if (f->claims[i].reading == (int)reading &&
		    fr->verdicts[i].kind != VERDICT_OTHER_SIZE) {
			agree += fr->verdicts[i].kind == VERDICT_AGREES;
			count++;
		}
	document_append(d, "%u of %u agree", agree, count);
	for (uint32_t i = f->claim_count; i < f->judged_count; i++) {
		const struct claim *c = &f->claims[i];
		const struct verdict *v = &fr->verdicts[i];

		if (c->reading != (int)reading || v->kind == VERDICT_OTHER_SIZE)
			continue;
		document_append(d, "<br>%s: <b class=\"verdict %s\">%s</b>",
				f->claims[c->original].name, verdict_class(v->kind),
				verdict_name(v->kind));
		if (v->kind < VERDICT_OTHER_SIZE)
			document_append(d, ", %s for %s", measured_text(&v->value, v->unit).text,
					claim_expected(c).text);
	}
}

static void reading_add(struct document *d, const struct figure_report *fr, uint32_t reading)
{
	const struct reading *r = &fr->figure->readings[reading];

	document_row_id(d, "reading-", r->name);
	document_add(d, DOCUMENT_CELL, NULL, "%s", r->says);
	document_add(d, DOCUMENT_CELL, NULL, "%s", r->source);
	document_label(d, "source");
	document_add(d, DOCUMENT_CELL, NULL, "%s", r->result ? r->result : "");
	document_label(d, "result");
	if (reading_is_judged(r))
		reading_append_claims(d, fr, reading);
	else if (!r->result)
		document_append(d, "the claims above are judged by it");
}

void figure_add_readings(struct document *d, const struct figure_report *fr)
{
	static const char *const heads[] = { "reading", "source", "result" };

	if (fr->figure->reading_count == 0)
		return;
	document_open(d, DOCUMENT_SECTION, "readings");
	document_add(d, DOCUMENT_HEADING_2, NULL, "Readings of what the paper leaves open");
	document_open(d, DOCUMENT_TABLE, "claims readings");
	document_head_row(d);
	for (size_t i = 0; i < sizeof(heads) / sizeof(heads[0]); i++)
		document_add(d, DOCUMENT_HEAD, NULL, "%s", heads[i]);
	for (uint32_t i = 0; i < fr->figure->reading_count; i++)
		reading_add(d, fr, i);
	document_close(d);
	document_add(d, DOCUMENT_PARAGRAPH, "note",
		     "Claims are judged again by each reading, and counted by the one that judges "
		     "them above. Panels leave out cases of other readings.");
	document_close(d);
}

/* --- claims --- */

void figure_add_claims(struct document *d, const struct figure_report *fr)
{
	static const char *const heads[] = { "verdict", "the paper says", "expected", "measured" };
	const struct figure *f = fr->figure;
	struct verdict_counts claims = verdict_count(f, fr->verdicts);
	struct verdict_counts sentences = verdict_count_sentences(f, fr->verdicts);

	document_open(d, DOCUMENT_SECTION, "claims");
	document_add(d, DOCUMENT_HEADING_2, NULL, "What the paper says");
	if (f->claim_count == 0) {
		document_add(d, DOCUMENT_PARAGRAPH, "empty", "This figure has no claims.");
		document_close(d);
		return;
	}
	if (verdict_total(&sentences) != verdict_total(&claims))
		claims_add_counts(d, "sentence", &sentences);
	claims_add_counts(d, "claim", &claims);
	document_open(d, DOCUMENT_TABLE, "claims");
	document_head_row(d);
	for (int i = 0; i < 4; i++)
		document_add(d, DOCUMENT_HEAD, NULL, "%s", heads[i]);
	for (uint32_t i = 0; i < f->claim_count; i++) {
		const struct claim *c = &f->claims[i];
		const struct verdict *v = &fr->verdicts[i];

		document_row_id(d, "claim-", c->name);
		claim_add_verdict(d, c, v);
		claim_add_says(d, c, v);
		claim_add_expected(d, c);
		claim_add_measured(d, c, v);
	}
	document_close(d);
	document_add(d, DOCUMENT_PARAGRAPH, "note", "%s", rule);
	document_close(d);
}
