/* SPDX-License-Identifier: BSD-3-Clause */
/* figure_claims.c -- the claims of a figure in its page: what the paper says, what was measured,
 * and by which rule the verdict is what it is. */
#include "lab/report/figure_report.h"
#include <math.h>

/* --- verdicts --- */

void verdict_html(FILE *out, enum verdict_kind kind, const char *word)
{
	static const char *const classes[VERDICTS] = {
		[VERDICT_AGREES] = "agrees",       [VERDICT_SAME_DIRECTION] = "direction",
		[VERDICT_DISAGREES] = "disagrees", [VERDICT_TOO_FEW] = "few",
		[VERDICT_CONTRADICTS] = "paper",   [VERDICT_FITTED] = "fitted",
		[VERDICT_OTHER_SIZE] = "open",     [VERDICT_NOT_MEASURED] = "open",
	};

	fprintf(out, "<span class=\"verdict %s\">%s</span>", classes[kind], word);
}

static void write_counts(FILE *out, const struct verdict_counts *counts)
{
	const char *between = "";

	for (int i = 0; i < VERDICTS; i++) {
		enum verdict_kind kind = (enum verdict_kind)i;

		if (!counts->of[kind])
			continue;
		fprintf(out, "%s%u ", between, counts->of[kind]);
		verdict_html(out, kind, verdict_word(kind, counts->of[kind]));
		between = ", ";
	}
}

/* --- claims --- */

struct claim_text claim_place(const struct claim *c)
{
	struct claim_text t;

	snprintf(t.text, sizeof(t.text), "%s%.*s",
		 c->section[0] >= '0' && c->section[0] <= '9' ? "section " : "", 140, c->section);
	return t;
}

static void write_remark(FILE *out, const char *what, const char *text)
{
	fputs("<p class=\"note\">", out);
	fputs(what, out);
	html_write_text(out, text);
	fputs("</p>", out);
}

static void write_says(FILE *out, const struct claim *c, const struct verdict *v)
{
	fputs("<td>", out);
	html_write_text(out, c->says);
	if (c->section[0]) {
		fputs(" <small>(", out);
		html_write_text(out, claim_place(c).text);
		if (c->sentence) {
			fputs("; a part of the sentence ", out);
			page_element(out, "i", c->sentence);
		}
		fputs(")</small>", out);
	}
	if (c->contradicts)
		write_remark(out, "The paper says otherwise: ", c->contradicts);
	if (c->fitted)
		write_remark(out, "Fitted, and not counted: ", c->fitted);
	if (c->note[0] && v->by_number != VERDICT_AGREES && v->kind != VERDICT_OTHER_SIZE)
		write_remark(out, why_begin(c->why), c->note);
	fputs("</td>", out);
}

/* "5 Gb/s (4.75 Gb/s..5.25 Gb/s)" may be broken before the bracket only. */
static void write_expected(FILE *out, const struct claim *c)
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
	fputs("<td data-head=\"expected\">", out);
	html_write_text(out, text);
	fputs("<br><small>", out);
	fputs(isnan(c->against) ? "no direction" : "direction: ", out);
	html_write_text(out, claim_direction(c).text);
	fputs("</small></td>", out);
}

/* The mean with its interval; below it, what it was made of. */
static void write_measured(FILE *out, const struct claim *c, const struct verdict *v)
{
	fputs("<td data-head=\"measured\">", out);
	if (v->kind == VERDICT_OTHER_SIZE || v->kind == VERDICT_NOT_MEASURED) {
		page_element(out, "small", v->why[0] ? v->why : "–");
		fputs("</td>", out);
		return;
	}
	html_write_text(out, measured_text(&v->value, v->unit).text);
	fprintf(out, "<br><small>%u seed%s%s", v->value.count, v->value.count == 1 ? "" : "s",
		v->value.is_alike ? ", all alike" : "");
	if (c->best) {
		fputs("; at ", out);
		html_write_text(out, c->best);
		fputs(" = ", out);
		html_write_text(out, v->best);
		fputs(", where it is best", out);
	}
	if (v->over.count) {
		fputs("; ", out);
		html_write_text(out, measured_text(&v->of, v->metric_unit).text);
		fputs(" over ", out);
		html_write_text(out, measured_text(&v->over, v->metric_unit).text);
	}
	if (v->why[0]) {
		fputs("; ", out);
		html_write_text(out, v->why);
	} else if (v->value.count > 1 && !v->is_firm)
		fputs("; the interval reaches into another verdict", out);
	if (v->is_doubtful) {
		fputs("; <span class=\"warning\">", out);
		html_write_text(out, health_text(&v->health).text);
		fputs("</span>", out);
	}
	fputs("</small></td>", out);
}

static void write_verdict(FILE *out, const struct claim *c, const struct verdict *v)
{
	fputs("<td>", out);
	verdict_html(out, v->kind, verdict_name(v->kind));
	if (v->kind == VERDICT_CONTRADICTS || v->kind == VERDICT_FITTED) {
		fputs("<br><small>by number: ", out);
		fputs(verdict_name(v->by_number), out);
		fputs("</small>", out);
	}
	if (v->kind == VERDICT_DISAGREES && c->why != WHY_NOT_SAID)
		fprintf(out, "<br><small>%s</small>", why_name(c->why));
	fputs("</td>", out);
}

static void write_table(FILE *out, const struct figure *f, const struct verdict *verdicts)
{
	fputs("<table class=\"claims\">\n<thead><tr><th>verdict</th><th>the paper says</th>"
	      "<th>expected</th><th>measured</th></tr></thead>\n<tbody>\n",
	      out);
	for (uint32_t i = 0; i < f->claim_count; i++) {
		fputs("<tr id=\"claim-", out);
		html_write_text(out, f->claims[i].name);
		fputs("\">", out);
		write_verdict(out, &f->claims[i], &verdicts[i]);
		write_says(out, &f->claims[i], &verdicts[i]);
		write_expected(out, &f->claims[i]);
		write_measured(out, &f->claims[i], &verdicts[i]);
		fputs("</tr>\n", out);
	}
	fputs("</tbody></table>\n", out);
}

static const char rule[] =
	"Measured: the mean over seeds ± half the width of its 95 % confidence interval. "
	"Expected: what the paper says and, in brackets, what agrees with it; below, its "
	"direction, "
	"where it has one. Agrees: the mean lies within that, and at least half of the interval. "
	"Same direction: it does not, but the whole interval has the paper's direction, which is "
	"away from 1 where the claim is about a ratio; a claim that two are alike has none. "
	"Disagrees: else. Too few: fewer than five seeds, unless these are alike in everything; or "
	"the mean agrees, but the interval is too long for any of these verdicts. A sentence of "
	"the "
	"paper agrees where all of its parts do, and disagrees where one does.";

/* "9 claims: 8 agree, 1 disagrees." */
static void write_sum(FILE *out, const char *what, const struct verdict_counts *counts)
{
	uint32_t total = verdict_total(counts);

	fprintf(out, "<p>%u %s%s: ", total, what, total == 1 ? "" : "s");
	write_counts(out, counts);
	fputs(".</p>\n", out);
}

void figure_claims(FILE *out, const struct figure_report *fr)
{
	struct verdict_counts claims = verdict_count(fr->figure, fr->verdicts);
	struct verdict_counts sentences = verdict_count_sentences(fr->figure, fr->verdicts);

	fputs("<section id=\"claims\">\n<h2>What the paper says</h2>\n", out);
	if (fr->figure->claim_count == 0) {
		fputs("<p class=\"empty\">No claim is written down for this figure.</p>\n"
		      "</section>\n",
		      out);
		return;
	}
	write_sum(out, "claim", &claims);
	if (verdict_total(&sentences) != verdict_total(&claims))
		write_sum(out, "sentence", &sentences);
	write_table(out, fr->figure, fr->verdicts);
	fputs("<p class=\"note\">", out);
	html_write_text(out, rule);
	fputs("</p>\n</section>\n", out);
}
