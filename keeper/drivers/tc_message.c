/* SPDX-License-Identifier: BSD-3-Clause */
/* tc_message.c -- encoding and decoding of qdisc messages, with the constants of linux/pkt_sched.h
 * and linux/rtnetlink.h. Contract in tc_message.h. */
#define _POSIX_C_SOURCE 200809L
#include "keeper/drivers/tc_message.h"
#include <linux/gen_stats.h>
#include <linux/pkt_sched.h>
#include <linux/rtnetlink.h>
#include <math.h>
#include <string.h>

enum { STAB_SIZE = 256, STAB_MOST = 31 };

static const char *const kind_names[] = {
	[TC_KIND_OTHER] = "",
	[TC_KIND_RED] = "red",
	[TC_KIND_CODEL] = "codel",
	[TC_KIND_FQ_CODEL] = "fq_codel",
};

/* --- encoding --- */

static struct nlmsghdr *message_head(unsigned char *buffer)
{
	return (struct nlmsghdr *)(void *)buffer;
}

static unsigned char *message_begin(unsigned char *buffer, uint16_t type, uint16_t flags,
				    uint32_t sequence)
{
	struct nlmsghdr *head = message_head(buffer);

	memset(buffer, 0, TC_MESSAGE_SIZE);
	head->nlmsg_len = NLMSG_LENGTH(sizeof(struct tcmsg));
	head->nlmsg_type = type;
	head->nlmsg_flags = flags;
	head->nlmsg_seq = sequence;
	return buffer + NLMSG_HDRLEN;
}

/* Appends an attribute and returns its offset. All attributes together are far smaller than the
 * buffer. */
static size_t message_put(unsigned char *buffer, uint16_t type, const void *data, size_t length)
{
	struct nlmsghdr *head = message_head(buffer);
	const size_t at = NLMSG_ALIGN(head->nlmsg_len);
	const struct rtattr attribute = { (uint16_t)RTA_LENGTH(length), type };

	memcpy(buffer + at, &attribute, sizeof(attribute));
	if (length)
		memcpy(buffer + at + RTA_LENGTH(0), data, length);
	head->nlmsg_len = (uint32_t)(at + RTA_ALIGN(RTA_LENGTH(length)));
	return at;
}

/* Ends a nested attribute that began at offset at. */
static void message_close_nest(unsigned char *buffer, size_t at)
{
	struct rtattr attribute;

	memcpy(&attribute, buffer + at, sizeof(attribute));
	attribute.rta_len = (uint16_t)(message_head(buffer)->nlmsg_len - at);
	memcpy(buffer + at, &attribute, sizeof(attribute));
}

size_t tc_message_dump(unsigned char buffer[TC_MESSAGE_SIZE], uint32_t sequence)
{
	message_begin(buffer, RTM_GETQDISC, NLM_F_REQUEST | NLM_F_DUMP, sequence);
	return message_head(buffer)->nlmsg_len;
}

/* Decay of the average while the link is idle: every packet that could have been sent multiplies it
 * by 1 - w, w = 2^-weight_log, so after some microseconds it is shifted right by -log2(1 - w) per
 * packet. The table has one entry per 2^cell_log us. */
static void message_fill_stab(unsigned char stab[STAB_SIZE], const struct tc_qdisc *q,
			      uint64_t rate_bps, uint32_t packet_bytes)
{
	const double packet_us = 8e6 * (double)packet_bytes / (double)rate_bps;
	const double shift_each = -log2(1 - ldexp(1, -q->weight_log));

	for (int i = 0; i < STAB_SIZE; i++) {
		double shift = i ? ldexp(i, q->cell_log) / packet_us * shift_each : 0;

		stab[i] = (unsigned char)(shift < STAB_MOST ? shift : STAB_MOST);
	}
}

/* limit = 0: with any other value the kernel replaces the queue by an empty one. Flags are given
 * here and not in an attribute of their own, so that flags without a bit here, such as nodrop, stay
 * as they are. */
static void message_put_red(unsigned char *buffer, const struct tc_qdisc *q, uint64_t rate_bps,
			    uint32_t packet_bytes)
{
	const struct tc_red_qopt parms = {
		.limit = 0,
		.qth_min = q->min_bytes,
		.qth_max = q->max_bytes,
		.Wlog = q->weight_log,
		.Plog = q->p_log,
		.Scell_log = q->cell_log,
		.flags = q->flags,
	};
	unsigned char stab[STAB_SIZE];

	message_fill_stab(stab, q, rate_bps, packet_bytes);
	message_put(buffer, TCA_RED_PARMS, &parms, sizeof(parms));
	message_put(buffer, TCA_RED_STAB, stab, sizeof(stab));
	message_put(buffer, TCA_RED_MAX_P, &q->max_p, sizeof(q->max_p));
}

/* --- codel times --- */

#define CODEL_UNIT_NS UINT64_C(1024)
#define NS_PER_US UINT64_C(1000)

uint32_t tc_codel_nearest_us(uint64_t time_us)
{
	const uint64_t most = UINT32_MAX / 2, us = time_us < most ? time_us : most;
	const uint64_t units = (us * NS_PER_US + CODEL_UNIT_NS / 2) / CODEL_UNIT_NS;

	return (uint32_t)((units ? units : 1) * CODEL_UNIT_NS / NS_PER_US);
}

/* The value to request so that the kernel reports this time afterwards. */
static uint32_t message_threshold_us(uint32_t said_us)
{
	const uint64_t units = (said_us * NS_PER_US + CODEL_UNIT_NS - 1) / CODEL_UNIT_NS;

	return (uint32_t)((units * CODEL_UNIT_NS + NS_PER_US - 1) / NS_PER_US);
}

static void message_put_ce_threshold(unsigned char *buffer, const struct tc_qdisc *q)
{
	const uint32_t us = message_threshold_us(q->ce_threshold_us);

	message_put(buffer,
		    q->kind == TC_KIND_CODEL ? TCA_CODEL_CE_THRESHOLD : TCA_FQ_CODEL_CE_THRESHOLD,
		    &us, sizeof(us));
}

size_t tc_message_change(unsigned char buffer[TC_MESSAGE_SIZE], const struct tc_qdisc *q,
			 uint64_t rate_bps, uint32_t packet_bytes, uint32_t sequence)
{
	const struct tcmsg tcm = {
		.tcm_ifindex = q->ifindex,
		.tcm_handle = q->handle,
		.tcm_parent = q->parent,
	};
	const char *name = kind_names[q->kind];
	size_t options;

	memcpy(message_begin(buffer, RTM_NEWQDISC, NLM_F_REQUEST | NLM_F_ACK, sequence), &tcm,
	       sizeof(tcm));
	message_put(buffer, TCA_KIND, name, strlen(name) + 1);
	options = message_put(buffer, TCA_OPTIONS, NULL, 0);
	if (q->kind == TC_KIND_RED)
		message_put_red(buffer, q, rate_bps, packet_bytes);
	else
		message_put_ce_threshold(buffer, q);
	message_close_nest(buffer, options);
	return message_head(buffer)->nlmsg_len;
}

int tc_red_can_hold(const struct tc_qdisc *q, uint64_t bytes)
{
	return q->weight_log < 32 && bytes < (UINT64_C(1) << (32 - q->weight_log)) / 2;
}

/* --- decoding --- */

struct attribute {
	uint16_t type;
	size_t length;
	const unsigned char *data;
};

/* Reads the next attribute of a list; 0: there are no more. */
static int message_next_attribute(const unsigned char **bytes, size_t *length, struct attribute *a)
{
	struct rtattr head;
	size_t whole;

	if (*length < sizeof(head))
		return 0;
	memcpy(&head, *bytes, sizeof(head));
	if (head.rta_len < sizeof(head) || head.rta_len > *length)
		return 0;
	a->type = (uint16_t)(head.rta_type & (uint16_t)NLA_TYPE_MASK);
	a->data = *bytes + RTA_LENGTH(0);
	a->length = head.rta_len - RTA_LENGTH(0);
	whole = RTA_ALIGN(head.rta_len);
	whole = whole < *length ? whole : *length;
	*bytes += whole;
	*length -= whole;
	return 1;
}

static uint32_t message_u32(const struct attribute *a, size_t offset)
{
	uint32_t value = 0;

	if (a->length >= offset + sizeof(value))
		memcpy(&value, a->data + offset, sizeof(value));
	return value;
}

static void message_read_red(const struct attribute *a, struct tc_qdisc *q)
{
	struct tc_red_qopt parms;

	if (a->type == TCA_RED_MAX_P)
		q->max_p = message_u32(a, 0);
	if (a->type != TCA_RED_PARMS || a->length < sizeof(parms))
		return;
	memcpy(&parms, a->data, sizeof(parms));
	q->min_bytes = parms.qth_min;
	q->max_bytes = parms.qth_max;
	q->weight_log = parms.Wlog;
	q->p_log = parms.Plog;
	q->cell_log = parms.Scell_log;
	q->flags = parms.flags;
	q->marks = (parms.flags & TC_RED_ECN) != 0;
}

static void message_read_options(struct attribute nest, struct tc_qdisc *q)
{
	const uint16_t ce =
		q->kind == TC_KIND_CODEL ? TCA_CODEL_CE_THRESHOLD : TCA_FQ_CODEL_CE_THRESHOLD;
	struct attribute a;

	while (message_next_attribute(&nest.data, &nest.length, &a)) {
		if (q->kind == TC_KIND_RED) {
			message_read_red(&a, q);
		} else if (a.type == ce && a.length >= sizeof(uint32_t)) {
			q->ce_threshold_us = message_u32(&a, 0);
			q->has_ce_threshold = 1;
		}
	}
}

/* Each kind reports its marks in another field. */
static uint32_t message_read_marked(const struct attribute *a, enum tc_kind kind)
{
	switch (kind) {
	case TC_KIND_RED:
		return message_u32(a, offsetof(struct tc_red_xstats, marked));
	case TC_KIND_CODEL:
		return message_u32(a, offsetof(struct tc_codel_xstats, ce_mark));
	case TC_KIND_FQ_CODEL:
		return message_u32(a, offsetof(struct tc_fq_codel_xstats, qdisc_stats.ce_mark));
	case TC_KIND_OTHER:
		break;
	}
	return 0;
}

static void message_read_counters(struct attribute nest, struct tc_qdisc *q)
{
	struct attribute a;

	while (message_next_attribute(&nest.data, &nest.length, &a)) {
		if (a.type == TCA_STATS_BASIC && a.length >= sizeof(q->sent_bytes))
			memcpy(&q->sent_bytes, a.data, sizeof(q->sent_bytes));
		if (a.type == TCA_STATS_QUEUE) {
			q->backlog_bytes =
				message_u32(&a, offsetof(struct gnet_stats_queue, backlog));
			q->drops = message_u32(&a, offsetof(struct gnet_stats_queue, drops));
		}
		if (a.type == TCA_STATS_APP)
			q->marked_pkts = message_read_marked(&a, q->kind);
	}
}

static void message_read_kind(const struct attribute *a, struct tc_qdisc *q)
{
	size_t length = strnlen((const char *)a->data, a->length);

	length = length < sizeof(q->name) ? length : sizeof(q->name) - 1;
	memcpy(q->name, a->data, length);
	q->name[length] = '\0';
	for (int k = TC_KIND_RED; k <= TC_KIND_FQ_CODEL; k++)
		if (strcmp(q->name, kind_names[k]) == 0)
			q->kind = (enum tc_kind)k;
}

/* The kernel writes the kind as the first attribute. */
static void message_read_qdisc(const unsigned char *bytes, size_t length, struct tc_qdisc *q)
{
	struct tcmsg tcm;
	struct attribute a;

	memset(q, 0, sizeof(*q));
	memcpy(&tcm, bytes, sizeof(tcm));
	q->ifindex = tcm.tcm_ifindex;
	q->handle = tcm.tcm_handle;
	q->parent = tcm.tcm_parent;
	bytes += NLMSG_ALIGN(sizeof(tcm));
	length -= NLMSG_ALIGN(sizeof(tcm));
	while (message_next_attribute(&bytes, &length, &a)) {
		if (a.type == TCA_KIND)
			message_read_kind(&a, q);
		if (a.type == TCA_OPTIONS)
			message_read_options(a, q);
		if (a.type == TCA_STATS2)
			message_read_counters(a, q);
	}
}

enum tc_said tc_message_read(const unsigned char **bytes, size_t *length, struct tc_qdisc *q,
			     int *error)
{
	const unsigned char *data = *bytes + NLMSG_HDRLEN;
	struct nlmsghdr head;
	size_t inside, whole;

	if (*length < sizeof(head))
		return TC_SAID_GARBAGE;
	memcpy(&head, *bytes, sizeof(head));
	if (head.nlmsg_len < sizeof(head) || head.nlmsg_len > *length)
		return TC_SAID_GARBAGE;
	inside = head.nlmsg_len - NLMSG_HDRLEN;
	whole = NLMSG_ALIGN(head.nlmsg_len);
	whole = whole < *length ? whole : *length;
	*bytes += whole;
	*length -= whole;
	if (head.nlmsg_type == NLMSG_DONE)
		return TC_SAID_DONE;
	if (head.nlmsg_type == NLMSG_ERROR) {
		int32_t code;

		if (inside < sizeof(code))
			return TC_SAID_GARBAGE;
		memcpy(&code, data, sizeof(code));
		*error = code > 0 || code == INT32_MIN ? 0 : -code;
		return TC_SAID_ERROR;
	}
	if (head.nlmsg_type != RTM_NEWQDISC || inside < sizeof(struct tcmsg))
		return TC_SAID_OTHER;
	message_read_qdisc(data, inside, q);
	return TC_SAID_QDISC;
}
