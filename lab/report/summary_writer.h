/* SPDX-License-Identifier: BSD-3-Clause */
/* summary_writer.h -- a summary of all papers while its document is built. Private to
 * summary_page.c and summary_claims.c. */
#ifndef LAB_REPORT_SUMMARY_WRITER_H
#define LAB_REPORT_SUMMARY_WRITER_H
#include "lab/report/document.h"
#include "lab/report/reproduce.h"

enum summary_form { SUMMARY_HTML, SUMMARY_MARKDOWN };

/* A summary while its document is built. */
struct summary_writer {
	struct document d;
	const struct summary *summary;
	enum summary_form form;
};

/* Source of the verdicts that a row counts. */
enum summary_source { SOURCE_RUN_HERE, SOURCE_SHIPPED, SOURCE_CERTAIN };

const struct findings *summary_findings(enum summary_source source, const struct summary_entry *y,
					int size);
enum summary_source summary_source_of(const struct summary_writer *w, const struct summary_entry *y,
				      int size);

/* summary_claims.c: every claim that is not as the paper says, by verdict; the claims that a
 * setting was fitted to; other readings; claims whose runs are incomplete. */
void summary_add_all_claims(struct summary_writer *w);
#endif
