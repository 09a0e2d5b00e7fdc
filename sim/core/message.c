/* SPDX-License-Identifier: BSD-3-Clause */
/* message.c -- what the segments of a message carry: payload, class, slack.
 *
 * A message is cut into segments of one MSS, the last one shorter. Its first bytes may have a class
 * of their own: PIAS with two priorities (Bai et al., "Information-Agnostic Flow Scheduling for
 * Commodity Data Centers", NSDI 2015), as the TCN study uses it (CoNEXT 2016, section 6.1.3). A
 * segment has the class of its first byte, in retransmissions too.
 *
 * Differs: their kernel module gives a retransmission the class of the flow's newest byte, because
 * it counts only bytes sent. Here a segment has the same class each time.
 *
 * Called by transports on the sending host's worker; all functions read only. */
#include "weir/compiler.h"
#include "sim/core/host.h"

/* A month: longer than any run. */
#define SLACK_MAX_PS (WEIR_PS_PER_S * 3600 * 24 * 30)

enum { BYTES_PER_KB = 1000 };

static uint64_t message_mss(const struct engine *e, const struct flow *message)
{
	return flow_transport(e, message)->env.mss_bytes;
}

uint32_t message_segments(const struct engine *e, const struct flow *message)
{
	uint64_t mss = message_mss(e, message);

	return (uint32_t)((message->size_bytes + mss - 1) / mss);
}

uint32_t message_payload(const struct engine *e, const struct flow *message, uint32_t segment)
{
	uint64_t mss = message_mss(e, message);

	if (segment + 1 != message->end_segment || message->size_bytes == FLOW_UNLIMITED)
		return (uint32_t)mss;
	return (uint32_t)(message->size_bytes - (message_segments(e, message) - UINT64_C(1)) * mss);
}

/* The first segment after the first-bytes of the message, which may be beyond its end; 0:
 * first-bytes is not set. A message of unlimited size is alone on its connection. */
static uint64_t message_first_end(const struct engine *e, const struct flow *message)
{
	uint64_t mss = message_mss(e, message), bytes = flow_traffic(e, message)->first_bytes;
	uint64_t begin = 0;

	if (!bytes)
		return 0;
	if (message->size_bytes != FLOW_UNLIMITED)
		begin = message->end_segment - message_segments(e, message);
	return begin + (bytes + mss - 1) / mss;
}

uint8_t message_class(const struct engine *e, const struct flow *message, uint32_t segment)
{
	return segment < message_first_end(e, message)
		       ? (uint8_t)flow_traffic(e, message)->first_class
		       : message->class_id;
}

uint32_t message_same_until(const struct engine *e, const struct flow *message, uint32_t segment)
{
	uint64_t first_end = message_first_end(e, message);

	if (segment < first_end && first_end < message->end_segment)
		return (uint32_t)first_end;
	return message->end_segment;
}

uint8_t message_first_class(const struct engine *e, const struct flow *message)
{
	const struct traffic_config *t = flow_traffic(e, message);

	return t->first_bytes ? (uint8_t)t->first_class : message->class_id;
}

uint8_t message_ack_class(const struct engine *e, const struct flow *message)
{
	uint64_t given = flow_traffic(e, message)->ack_class_plus_one;

	return given ? (uint8_t)(given - 1) : message_first_class(e, message);
}

/* slack + slack-per-kb * size; the product is below 2^40 bytes * 2^50 (1000 s in ps). Messages of
 * unlimited size have the longest slack, to which any time of a run can be added without
 * overflow. */
int64_t message_slack_ps(const struct engine *e, const struct flow *message)
{
	const struct traffic_config *t = flow_traffic(e, message);
	weir_u128 slack_ps = t->slack_per_kb_ps;

	if (e->config->telemetry)
		return 0; /* int_stack_index has its place in the packet: telemetry.h */
	if (!t->slack_per_kb_ps)
		return (int64_t)t->slack_ps;
	if (message->size_bytes == FLOW_UNLIMITED)
		return SLACK_MAX_PS;
	slack_ps = slack_ps * message->size_bytes / BYTES_PER_KB + t->slack_ps;
	return slack_ps < (uint64_t)SLACK_MAX_PS ? (int64_t)slack_ps : SLACK_MAX_PS;
}
