/* traffic_staggered.c -- flows to one receiver that join one by one and leave one by one.
 *
 * The pattern of convergence studies (HPCC, SIGCOMM 2019, section 5.2; TIMELY, SIGCOMM 2015): of n
 * senders the k-th, counted from 0, joins at start + k intervals; one interval after the last has
 * joined the first leaves, then another at each interval, so that every number of flows from 1 to n
 * and back shares the link for one interval. */
#include "sim/traffic/traffic_make.h"

enum { LEAVE_FIRST, LEAVE_LAST, LEAVE_NEVER };

static const char *const leave_choices[] = { "first", "last", "never", NULL };

static const struct weir_option staggered_options[] = {
	SENDERS_OPTION("hosts that send, those with the lowest numbers; all others unless given"),
	RECEIVER_OPTION,
	{ "interval", WEIR_OPT_TIME_PS, TRAFFIC_AT(interval_ps), "10ms", 1, (uint64_t)START_MAX_PS,
	  "time from one flow's joining or leaving to the next", NULL },
	{ "leave", WEIR_OPT_CHOICE, TRAFFIC_AT(leave), "first", 0, 2,
	  "who leaves first: who joined first, or last; or none ever leaves", leave_choices },
	APP_RATE_OPTION,
	{ .name = NULL },
};

static int staggered_generate(struct flow_list *list, const struct traffic_config *t,
			      const struct config *c, const struct network *net,
			      struct weir_error *e)
{
	struct maker m = maker_make(list, t, c, net, e);
	uint32_t receiver = (uint32_t)t->receiver, senders;

	if (maker_check_receiver(&m, t->receiver) || maker_senders(&m, &senders) ||
	    maker_reserve(&m, senders))
		return -1;
	if (t->start.first_ps != t->start.last_ps)
		return maker_error(&m, "start",
				   "a span, but interval says when each flow starts; give one time "
				   "to count from");
	if (2 * (double)senders * (double)t->interval_ps > (double)START_MAX_PS)
		return maker_error(
			&m, "interval",
			"too long: %u flows would take %.6g s to join and leave; allowed "
			"are %.6g",
			senders, 2 * (double)senders * weir_ps_to_s((int64_t)t->interval_ps),
			weir_ps_to_s(START_MAX_PS));
	for (uint32_t i = 0; i < senders; i++) {
		uint32_t leaves = senders + (t->leave == LEAVE_FIRST ? i : senders - 1 - i);
		struct flow_plan p = {
			.src = i + (i >= receiver),
			.dst = receiver,
			.size_bytes = FLOW_UNLIMITED,
			.start_ps = t->start.first_ps + (int64_t)(i * t->interval_ps),
		};

		maker_add(&m, &p);
		if (t->leave != LEAVE_NEVER)
			list->flows[list->count - 1].stop_ps =
				t->start.first_ps + (int64_t)(leaves * t->interval_ps);
	}
	return 0;
}

const struct traffic_ops traffic_staggered = {
	.scheme = {
		.name = "staggered",
		.help = "flows to one receiver that join one by one and leave one by one",
		.options = staggered_options,
	},
	.generate = staggered_generate,
};
