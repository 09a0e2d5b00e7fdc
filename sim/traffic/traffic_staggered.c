/* SPDX-License-Identifier: BSD-3-Clause */
/* traffic_staggered.c -- flows to one receiver that join and leave one by one.
 *
 * The pattern of convergence studies (HPCC, SIGCOMM 2019, section 5.2; TIMELY, SIGCOMM 2015): of n
 * senders the k-th, counted from 0, joins at start + k intervals; one interval after the last has
 * joined the first leaves, then another at each interval, so that every number of flows from 1 to n
 * and back shares the link for one interval. */
#include "sim/traffic/flow_builder.h"

enum { LEAVE_FIRST, LEAVE_LAST, LEAVE_NEVER };

static const char *const leave_choices[] = { "first", "last", "never", NULL };

struct staggered_params {
	uint64_t senders, receiver;
	uint64_t interval_ps, leave;
	uint64_t app_rate_bps;
};

#define AT(member) offsetof(struct staggered_params, member)
static const struct weir_option staggered_options[] = {
	SENDERS_OPTION("hosts that send, those with the lowest numbers; all others unless given"),
	RECEIVER_OPTION,
	{ "interval", WEIR_OPT_TIME_PS, AT(interval_ps), "10ms", 1, (uint64_t)START_MAX_PS,
	  "time from one flow's joining or leaving to the next", NULL },
	{ "leave", WEIR_OPT_CHOICE, AT(leave), "first", 0, 2,
	  "who leaves first: who joined first, or last; or none ever leaves", leave_choices },
	APP_RATE_OPTION,
	{ .name = NULL },
};
#undef AT

static uint64_t staggered_app_rate_bps(const void *params)
{
	const struct staggered_params *p = params;

	return p->app_rate_bps;
}

static int staggered_generate(struct weir_flow_builder *pub, const void *params)
{
	struct flow_builder *b = flow_builder_of(pub, params);
	const struct staggered_params *own = params;
	const struct weir_span_ps *start = &b->t->start;
	uint32_t receiver = (uint32_t)own->receiver, senders;

	if (flow_builder_check_receiver(b, own->receiver) ||
	    flow_builder_count_senders(b, own->senders, &senders) ||
	    flow_builder_reserve(b, senders))
		return -1;
	if (start->first_ps != start->last_ps)
		return flow_builder_error(
			b, "start",
			"a span, but interval says when each flow starts; give one time "
			"to count from");
	if (2 * (double)senders * (double)own->interval_ps > (double)START_MAX_PS)
		return flow_builder_error(
			b, "interval",
			"too long: %u flows would take %.6g s to join and leave; allowed "
			"are %.6g",
			senders, 2 * (double)senders * weir_ps_to_s((int64_t)own->interval_ps),
			weir_ps_to_s(START_MAX_PS));
	for (uint32_t i = 0; i < senders; i++) {
		uint32_t leaves = senders + (own->leave == LEAVE_FIRST ? i : senders - 1 - i);
		struct flow_plan p = {
			.src = i + (i >= receiver),
			.dst = receiver,
			.size_bytes = FLOW_UNLIMITED,
			.start_ps = start->first_ps + (int64_t)(i * own->interval_ps),
		};

		flow_builder_add(b, &p);
		if (own->leave != LEAVE_NEVER)
			b->list->flows[b->list->count - 1].stop_ps =
				start->first_ps + (int64_t)(leaves * own->interval_ps);
	}
	return 0;
}

const struct weir_traffic_ops traffic_staggered = {
	.scheme = {
		.name = "staggered",
		.help = "flows to one receiver that join one by one and leave one by one",
		.params_size = sizeof(struct staggered_params),
		.options = staggered_options,
	},
	.generate = staggered_generate,
	.app_rate_bps = staggered_app_rate_bps,
};
