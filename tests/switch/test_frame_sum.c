/* SPDX-License-Identifier: BSD-3-Clause */
/* test_frame_sum.c -- checksums whose value is 0, which UDP and TCP treat differently. */
#include "tests/frames.h"

enum { IP_AT = 14, TRANSPORT_AT = 34, TCP = 6, UDP = 17 };

/* Builds a frame with checksum offload whose transport words are 0 except the checksum field, which
 * holds their sum; returns the completed checksum. */
static uint32_t completed(uint32_t protocol, uint32_t sum_at, uint32_t partial)
{
	const struct made_ip p = { .to = 2, .from = 1, .whole = 100 };
	struct made_frame f;
	struct frame_facts facts;

	frames_ipv4(&f, &p);
	f.data[IP_AT + 9] = (uint8_t)protocol;
	memset(f.data + TRANSPORT_AT, 0, 100 - TRANSPORT_AT);
	frames_put(f.data + TRANSPORT_AT + sum_at, partial, 2);
	CHECK_INT(frame_read(f.data, f.length, &facts), FRAME_GOOD);
	CHECK_INT(facts.transport_at, TRANSPORT_AT);
	frame_complete_checksum(f.data, &facts);
	return (uint32_t)f.data[TRANSPORT_AT + sum_at] << 8 | f.data[TRANSPORT_AT + sum_at + 1];
}

/* RFC 768: a checksum of 0 is sent as all ones, because 0 means that there is none. TCP has no such
 * rule (RFC 9293). */
TEST(test_frame_checksum_of_zero_is_all_ones_in_udp_only)
{
	CHECK_INT(completed(UDP, 6, 0xffff), 0xffff);
	CHECK_INT(completed(TCP, 16, 0xffff), 0);
	CHECK_INT(completed(UDP, 6, 0xfffe), 1);
	CHECK_INT(completed(TCP, 16, 0xfffe), 1);
}

/* RFC 1624, equation 3: checksum 1 minus 2 is -1, in ones' complement 0xfffe, with two carries. */
TEST(test_frame_mark_folds_both_carries)
{
	const struct made_ip p = { .to = 2, .from = 1, .ecn = FRAME_ECT_1, .whole = 100 };
	struct made_frame f;
	struct frame_facts facts;

	frames_ipv4(&f, &p);
	frames_put(f.data + IP_AT + 10, 1, 2);
	CHECK_INT(frame_read(f.data, f.length, &facts), FRAME_GOOD);
	frame_mark(f.data, &facts);
	CHECK_INT(f.data[IP_AT + 10] << 8 | f.data[IP_AT + 11], 0xfffe);
}

/* All zeros except for the last two bytes: the checksum is their complement. */
TEST(test_frame_ipv6_checksum_covers_the_whole_packet)
{
	const struct made_ip p = { .to = 2, .from = 1, .whole = 100 };
	struct made_frame f;
	struct frame_facts facts;

	frames_ipv6(&f, &p, 0);
	memset(f.data + IP_AT + 40, 0, 100 - IP_AT - 40);
	frames_put(f.data + 98, 0x1234, 2);
	CHECK_INT(frame_read(f.data, f.length, &facts), FRAME_GOOD);
	CHECK_INT(facts.transport_at, IP_AT + 40);
	frame_complete_checksum(f.data, &facts);
	CHECK_INT(f.data[IP_AT + 40 + 16] << 8 | f.data[IP_AT + 40 + 17], 0xffff - 0x1234);
}
