/* SPDX-License-Identifier: BSD-3-Clause */
/* check.c -- weir check FILE: reads a scenario, builds its network and traffic, and prints a
 * summary of both, without a run. */
#include "cli/options.h"
#include "lab/store/results.h"
#include "lab/scenario/sweep.h"
#include "base/memory.h"
#include "sim/measure/preview.h"
#include "config/config.h"
#include "sim/core/switch_pfc.h"
#include "config/plugin.h"
#include "config/schemes.h"
#include "sim/traffic/traffic.h"
#include "weir/units.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const struct cli_option check_arguments[] = {
	OPTIONS_OF_SCENARIO,
	OPTION_FULL,
	{ ALLOW_PLUGINS, NULL,
	  "loads plug-ins, to check them and what depends on them; without it their code is not "
	  "run",
	  OFFER_NOTHING },
	{ .name = NULL },
};

static const char check_more[] =
	"A line 'note:' names a default in use that is meant for other link rates than the\n"
	"scenario's; 'weir help defaults' lists them all.\n";

/* The first run of a scenario, built: its flows grouped by traffic section. */
struct check_built {
	const struct config *c;
	const struct run_result *r;
	uint32_t *flows;   /* flow numbers, grouped by section */
	uint64_t *first;   /* index of each section's first entry in flows, and the end */
	uint32_t *section; /* by host: the last section counted in receivers_bps, plus 1 */
};

static void check_built_group(struct check_built *b)
{
	uint32_t sections = b->c->traffic_count;

	b->flows = memory_grow(NULL, b->r->flow_count, sizeof(*b->flows));
	b->first = memory_zeroed(sections + UINT64_C(2), sizeof(*b->first));
	b->section = memory_zeroed(b->r->network.host_count, sizeof(*b->section));
	/* Counting sort: counts are stored two places ahead, so that filling leaves each index
	 * at its section's start. */
	for (uint32_t i = 0; i < b->r->flow_count; i++)
		b->first[b->r->flows[i].traffic + 2]++;
	for (uint32_t i = 2; i < sections + 2; i++)
		b->first[i] += b->first[i - 1];
	for (uint32_t i = 0; i < b->r->flow_count; i++)
		b->flows[b->first[b->r->flows[i].traffic + 1]++] = i;
}

/* --- offered load of a [traffic] section --- */

struct check_demand {
	uint64_t flows, unlimited, waiting, bytes;
	int64_t first_ps, last_ps; /* starts */
	double receivers_bps;      /* sum of the access link rates of all receivers */
};

static struct check_demand check_demand(const struct check_built *b, uint32_t traffic)
{
	struct check_demand d = { .first_ps = WEIR_TIME_NEVER_PS };

	for (uint64_t i = b->first[traffic]; i < b->first[traffic + 1]; i++) {
		const struct flow *f = &b->r->flows[b->flows[i]];

		d.flows++;
		if (f->size_bytes == FLOW_UNLIMITED)
			d.unlimited++;
		else
			d.bytes += f->size_bytes;
		if (f->flags & FLOW_WAITS)
			d.waiting++;
		else if (f->start_ps > d.last_ps)
			d.last_ps = f->start_ps;
		if (f->start_ps < d.first_ps)
			d.first_ps = f->start_ps;
		if (b->section[f->dst] != traffic + 1)
			d.receivers_bps += host_access_bps(&b->r->network, f->dst);
		b->section[f->dst] = traffic + 1;
	}
	return d;
}

/* Prints congestion control and classes of a section, if the scenario has several. */
static void check_print_own(const struct config *c, const struct traffic_config *t)
{
	uint64_t last = t->class_id + t->classes - 1;
	int some = 0, all = 1;

	for (uint64_t k = t->class_id; k <= last; k++) {
		some |= class_is_lossless(c->lossless, (uint32_t)k);
		all &= class_is_lossless(c->lossless, (uint32_t)k) != 0;
	}
	if (!t->cc_ops && c->switches.queues == 1 && !some)
		return;
	printf("  cc %s, class %" PRIu64, t->cc_ops ? t->cc : c->host.cc, t->class_id);
	if (last > t->class_id)
		printf(" to %" PRIu64, last);
	puts(all ? ", lossless" : some ? ", in part lossless" : "");
}

/* "traffic ai: collective, 8 ranks, 5 iterations of 112 messages and 234.9 MB" */
static void check_print_job(const struct check_built *b, const struct job_demand *d)
{
	const struct traffic_config *t = &b->c->traffic[d->traffic];

	printf("traffic %s: %s, %u ranks, ", t->name, t->pattern, d->ranks);
	if (d->iterations)
		printf("%u iteration%s of ", d->iterations, d->iterations == 1 ? "" : "s");
	else
		fputs("until measure.to iterations of ", stdout);
	printf("%s messages and %s\n", format_count(d->messages).text, format_bytes(d->bytes).text);
	check_print_own(b->c, t);
}

static void check_print_demand(const struct check_built *b, uint32_t traffic)
{
	const struct traffic_config *t = &b->c->traffic[traffic];
	struct check_demand d = check_demand(b, traffic);
	double seconds = weir_ps_to_s(d.last_ps - d.first_ps);
	/* n flows have n - 1 gaps between the first start and the last. */
	double bps = weir_bytes_to_bits((double)d.bytes) * (double)(d.flows - 1) / (double)d.flows /
		     seconds;

	for (uint32_t i = 0; i < b->r->job_count; i++)
		if (b->r->jobs[i].traffic == traffic) {
			check_print_job(b, &b->r->jobs[i]);
			return;
		}

	printf("traffic %s: %s, %" PRIu64 " flow%s", t->name, t->pattern, d.flows,
	       d.flows == 1 ? "" : "s");
	if (d.flows == 0) {
		putchar('\n');
		return;
	}
	if (traffic_is_persistent(b->c, t))
		fputs(" on persistent connections", stdout);
	if (d.unlimited > 0)
		printf(", %" PRIu64 " unlimited", d.unlimited);
	if (d.bytes > 0)
		printf(", %s", format_bytes((double)d.bytes).text);
	printf(", starting %s", format_time((double)d.first_ps / WEIR_PS_PER_NS).text);
	if (d.last_ps > d.first_ps)
		printf(" to %s", format_time((double)d.last_ps / WEIR_PS_PER_NS).text);
	if (d.waiting > 0)
		printf(", %" PRIu64 " when others end", d.waiting);
	else if (d.flows > 1 && d.bytes > 0 && seconds > 0)
		printf("; offers %s, %s of the receivers' links", format_rate(bps).text,
		       format_percent(bps / d.receivers_bps).text);
	if (d.waiting == 0 && b->c->measure.to_ps && d.first_ps >= (int64_t)b->c->measure.to_ps)
		fputs("; none starts before measure.to", stdout);
	putchar('\n');
	check_print_own(b->c, t);
}

/* "4", "2 to 6" */
static void check_print_range(const struct path_range *r)
{
	printf("%.0f", r->least);
	if (r->most > r->least)
		printf(" to %.0f", r->most);
}

static void check_print_ways(const struct path_survey *s)
{
	fputs("paths: ", stdout);
	if (s->paths.most > 0) {
		fputs("between racks ", stdout);
		check_print_range(&s->paths);
		fputs(s->paths.most > 1 ? " equal-cost, over " : " of ", stdout);
		check_print_range(&s->links_between);
		fputs(" links", stdout);
	}
	if (s->links_within.most > 0) {
		fputs(s->paths.most > 0 ? ", within a rack " : "", stdout);
		check_print_range(&s->links_within);
		fputs(s->paths.most > 0 ? "" : " links", stdout);
	}
	printf("; base round trip %s", format_time(s->rtt_ps.least / WEIR_PS_PER_NS).text);
	if (s->rtt_ps.most > s->rtt_ps.least) {
		printf(" to %s", format_time(s->rtt_ps.most / WEIR_PS_PER_NS).text);
		printf(", typically %s", format_time(s->rtt_typical_ps / WEIR_PS_PER_NS).text);
	}
	putchar('\n');
}

/* "DSCP 26, class 3", or that the class is the map's default. */
static void check_print_code(const struct config *c, const char *who, uint8_t dscp)
{
	printf("%s DSCP %u", who, dscp);
	if (c->dscp.has_map)
		printf(", class %u%s", c->dscp.class_of[dscp],
		       dscp_is_mapped(c, dscp) ? "" : " by default: dscp-map does not name it");
}

static void check_print_codes(const struct config *c, uint32_t traffic)
{
	const struct traffic_config *t = &c->traffic[traffic];

	if (!t->code.is_given)
		return;
	check_print_code(c, "  data", t->code.data);
	if (t->first_bytes)
		check_print_code(c, "; first bytes", t->code.first);
	check_print_code(c, "; ACKs", t->code.ack);
	if (traffic_cc(c, traffic)->needs & WEIR_CC_NEEDS_CNP)
		check_print_code(c, "; CNPs", c->dscp.cnp);
	putchar('\n');
}

static void check_print_summary(const struct check_built *b)
{
	const struct config *c = b->c;
	const struct estimate *n = &b->r->estimate;
	char text[WEIR_OPT_TEXT_SIZE], per[WEIR_OPT_TEXT_SIZE];

	if (c->title[0] != '\0')
		printf("%s\n", c->title);
	printf("network: %s, %" PRIu32 " hosts, %" PRIu32 " switch%s, %" PRIu32
	       " unidirectional links\n",
	       c->network.topology, b->r->network.host_count, b->r->network.switch_count,
	       b->r->network.switch_count == 1 ? "" : "es", b->r->network.link_count);
	weir_option_format(text, sizeof(text), weir_option_find(switch_options, "buffer"),
			   &c->switches);
	weir_option_format(per, sizeof(per), weir_option_find(switch_options, "buffer-per"),
			   &c->switches);
	printf("switch: marking %s%s%s, scheduler %s, queues %" PRIu64 ", buffer %s per %s\n",
	       c->switches.marking, tune_is_on(c) ? " turned by " : "",
	       tune_is_on(c) ? c->switches.tune : "", c->switches.scheduler, c->switches.queues,
	       text, per);
	for (uint32_t i = 0; i < c->switches.markings.count; i++) {
		const char *line = c->switches.markings.lines[i].text;

		printf("  marking.%.*s %s\n", (int)strcspn(line, " "), line, strchr(line, ' ') + 1);
	}
	if (c->lossless)
		printf("  lossless classes %s, paused above %s of the free buffer\n",
		       c->switches.lossless,
		       weir_option_format(text, sizeof(text),
					  weir_option_find(switch_options, "pfc-alpha"),
					  &c->switches));
	printf("host: cc %s\n", c->host.cc);
	check_print_ways(&b->r->paths);
	for (uint32_t i = 0; i < c->traffic_count; i++) {
		check_print_demand(b, i);
		check_print_codes(c, i);
	}
	printf("measure: from %s",
	       weir_option_format(text, sizeof(text), weir_option_find(measure_options, "from"),
				  &c->measure));
	if (c->measure.to_ps > 0)
		printf(" to %s\n",
		       weir_option_format(text, sizeof(text),
					  weir_option_find(measure_options, "to"), &c->measure));
	else
		printf(" until all flows have ended\n");
	printf("needs: about %s of memory; %s%s packet-hops, %s at %.0f million a second\n",
	       format_bytes(n->memory_bytes).text,
	       format_count(n->packet_hops < 1e5 ? n->packet_hops : n->packet_hops / 1e6).text,
	       n->packet_hops < 1e5 ? "" : " million", format_duration(n->cpu_seconds).text,
	       ESTIMATE_HOPS_PER_S / 1e6);
}

/* "6 runs: case (3) x seed (2)". */
static void check_print_runs(const struct sweep *w)
{
	printf("%" PRIu64 " run%s", w->run_count, w->run_count == 1 ? "" : "s");
	for (uint32_t i = 0; i < w->axis_count; i++)
		printf("%s %s (%" PRIu32 ")", i ? " x" : ":", w->axes[i].path,
		       w->axes[i].values.count);
}

static void check_print_sweep(const struct sweep *w)
{
	if (w->axis_count == 0)
		return;
	fputs("sweep: ", stdout);
	check_print_runs(w);
	puts("; shown above is the first run");
}

static void check_print_first(const struct config *c, const struct run_result *first)
{
	struct check_built b = { .c = c, .r = first };

	check_built_group(&b);
	check_print_summary(&b);
	free(b.flows);
	free(b.first);
	free(b.section);
}

/* Builds every run of the sweep, and prints the first. */
static int check_runs(struct scenario *s, const struct sweep *w, struct weir_error *e)
{
	char(*keys)[RUN_KEY_SIZE] = memory_zeroed(w->run_count, sizeof(*keys));
	struct run_result first = { .flow_count = 0 };
	int failed = sweep_check_first(w, s, keys, &first, e);
	struct config c;

	free(keys);
	if (!failed && !sweep_apply(w, 0, s, e) && !scenario_config(s, &c, e)) {
		check_print_first(&c, &first);
		config_free(&c);
	} else {
		failed = -1;
	}
	run_result_free(&first);
	return failed;
}

/* Checks the settings of all runs without building them. *unchecked: runs that name a plug-in,
 * which is not loaded and therefore not checked. */
static int check_settings(struct scenario *s, const struct sweep *w, uint64_t *unchecked,
			  struct weir_error *e)
{
	struct config c;

	*unchecked = 0;
	for (uint64_t i = 0; i < w->run_count; i++) {
		uint64_t looks = plugin_inspections();

		if (sweep_apply(w, i, s, e))
			return -1;
		if (scenario_config(s, &c, e) == 0)
			config_free(&c);
		else if (plugin_inspections() > looks)
			++*unchecked;
		else
			return -1;
	}
	return 0;
}

/* The summary where some runs name a plug-in, so that no network was built. */
static void check_print_unchecked(const struct scenario *s, const struct sweep *w,
				  uint64_t unchecked)
{
	const char *path;

	check_print_runs(w);
	putchar('\n');
	for (uint32_t i = 0; (path = plugin_inspected_path(i)); i++)
		printf("plug-in, not loaded: %s\n", path);
	printf("%s: keys and values are fine; the plug-in of %" PRIu64
	       " run%s, and what must agree with it, was not checked, and no network was built; "
	       "--allow-plugins checks everything\n",
	       s->file, unchecked, unchecked == 1 ? "" : "s");
}

/* Prints defaults in use that are meant for other link rates. */
static void check_print_default_notes(struct scenario *s, const struct sweep *w)
{
	struct default_notes notes;

	default_notes_read(&notes, s, w);
	for (uint32_t i = 0; i < notes.count; i++)
		printf("note: %s\n", notes.lines[i]);
	default_notes_free(&notes);
}

/* The sweep of the scenario's other size, quick or full; freed by the caller. */
static int check_other_size(const struct arguments *a, struct sweep *w, struct weir_error *e)
{
	struct scenario s;
	uint64_t unchecked;
	int failed;

	if (options_scenario_of_size(a, options_size(a) == SIZE_FULL ? SIZE_QUICK : SIZE_FULL, &s,
				     e))
		return -1;
	failed = sweep_read(w, &s, e);
	if (!failed)
		sweep_add_seeds(w, &s);
	if (!failed && check_settings(&s, w, &unchecked, e)) {
		sweep_free(w);
		failed = -1;
	}
	scenario_free(&s);
	return failed;
}

static int check_scenario(const struct arguments *a, struct scenario *s, struct weir_error *e)
{
	struct sweep w, other = { .axis_count = 0 };
	uint64_t unchecked = 0;
	int failed;

	if (sweep_read(&w, s, e))
		return -1;
	sweep_add_seeds(&w, s);
	failed = (s->full.name && check_other_size(a, &other, e)) || check_runs(s, &w, e);
	if (failed && plugin_inspections() > 0) /* a plug-in that was not loaded made it fail */
		failed = check_settings(s, &w, &unchecked, e);
	if (!failed && unchecked) {
		check_print_unchecked(s, &w, unchecked);
	} else if (!failed) {
		check_print_sweep(&w);
		if (s->full.name) {
			fputs(options_size(a) == SIZE_FULL ? "without --full: " : "with --full: ",
			      stdout);
			check_print_runs(&other);
			putchar('\n');
		}
		check_print_default_notes(s, &w);
		printf("%s: fine\n", s->file);
	}
	sweep_free(&other);
	sweep_free(&w);
	return failed;
}

static int check_main(const struct arguments *a)
{
	struct scenario s;
	struct weir_error e;
	int failed;

	if (options_scenario(a, &s, &e))
		return cli_error(EXIT_MISTAKE, &e);
	failed = check_scenario(a, &s, &e);
	scenario_free(&s);
	return failed ? cli_error(EXIT_MISTAKE, &e) : EXIT_FINE;
}

const struct command command_check = {
	.name = "check",
	.usage = "FILE",
	.help = "checks a scenario: reads it, builds its network and traffic, and prints a "
		"summary, without a run",
	.options = check_arguments,
	.words_min = 1,
	.words_max = 1,
	.run = check_main,
	.more = check_more,
	.offer = OFFER_FILE,
};
