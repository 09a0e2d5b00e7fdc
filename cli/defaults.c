/* SPDX-License-Identifier: BSD-3-Clause */
/* defaults.c -- weir help defaults: where each default comes from and which link rates it is meant
 * for.
 *
 * The values come from the option tables, all else from config/defaults.c. */
#include "cli/commands.h"
#include "config/defaults.h"
#include <string.h>

enum { SOURCE_INDENT = 6 };

/* What a reader must know before the table, in both forms. */
static const char lead[] = "Every default with a unit, its source, and the link rates that the "
			   "source is about. 'weir check' and "
			   "'weir run' say where a default is in use and a link is more than twice "
			   "as fast or as slow. Times and "
			   "rates of 0 stand for a computed value, as the remark says.";

/* "cc timely", "cc dcqcn(preset=paper)", "host". */
static const char *entry_subject(const struct default_entry *d, char *buffer, size_t size)
{
	const char *when = d->when ? d->when : "";

	snprintf(buffer, size, "%s%s%s%s%s%s", d->owner, d->scheme ? " " : "",
		 d->scheme ? d->scheme : "", *when ? "(" : "", when, *when ? ")" : "");
	return buffer;
}

/* "t-low = 50us, t-high = 500us" */
static const char *entry_values(const struct default_entry *d, char *buffer, size_t size)
{
	const struct weir_option *table = default_options(d);
	size_t used = 0;
	char name[64];

	*buffer = '\0';
	for (const char *at = d->options; (at = default_next_option(at, name, sizeof(name)));) {
		const struct weir_option *o = weir_option_find(table, name);

		if (o && used < size)
			used += (size_t)snprintf(buffer + used, size - used, "%s%s = %s",
						 used ? ", " : "", name, o->def);
	}
	return buffer;
}

void print_defaults(void)
{
	char subject[128], last[128] = "", values[512], rates[128], text[1024];

	print_wrapped(lead, 0);
	for (const struct default_entry *d = default_all; d->owner; d++) {
		if (strcmp(entry_subject(d, subject, sizeof(subject)), last) != 0)
			printf("\n%s\n", subject);
		snprintf(last, sizeof(last), "%s", subject);
		printf("  ");
		print_wrapped(entry_values(d, values, sizeof(values)), 2);
		snprintf(text, sizeof(text), "for %s; source: %s%s%s",
			 default_rates(d, rates, sizeof(rates)), d->source, d->note ? "; " : "",
			 d->note ? d->note : "");
		printf("%*s", SOURCE_INDENT, "");
		print_wrapped(text, SOURCE_INDENT);
	}
}

void print_defaults_markdown(void)
{
	char subject[128], values[512], rates[128];

	printf("\n## defaults\n\n%s\n\n", lead);
	puts("| of | default | for links of | source | remark |\n|---|---|---|---|---|");
	for (const struct default_entry *d = default_all; d->owner; d++)
		printf("| %s | `%s` | %s | %s | %s |\n", entry_subject(d, subject, sizeof(subject)),
		       entry_values(d, values, sizeof(values)),
		       default_rates(d, rates, sizeof(rates)), d->source, d->note ? d->note : "");
}
