/* SPDX-License-Identifier: BSD-3-Clause */
/* test_frame.c -- frame parsing: valid headers are recognised, and malformed ones never cause a
 * read out of bounds. */
#include "tests/frames.h"
#include "weir/rng.h"
#include <stdlib.h>

static const struct made_ip usual = {
	.to = 2, .from = 1, .ecn = FRAME_ECT_0, .dscp = 46, .ports = 0x12345678, .whole = 100
};

static struct frame_facts facts_of(const struct made_frame *f)
{
	struct frame_facts facts;

	CHECK_INT(frame_read(f->data, f->length, &facts), FRAME_GOOD);
	return facts;
}

static enum frame_fault fault_of(const struct made_frame *f)
{
	struct frame_facts facts;

	return frame_read(f->data, f->length, &facts);
}

TEST(test_frame_facts_are_those_of_the_headers)
{
	struct made_frame f;
	struct frame_facts facts;

	frames_ipv4(&f, &usual);
	facts = facts_of(&f);
	CHECK_INT(facts.kind, FRAME_IPV4);
	CHECK_INT(facts.to, FRAMES_HOST(2));
	CHECK_INT(facts.from, FRAMES_HOST(1));
	CHECK_INT(facts.ecn, FRAME_ECT_0);
	CHECK_INT(facts.dscp, 46);
	CHECK_INT(facts.ip_at, 14);

	frames_ipv6(&f, &usual, 0);
	facts = facts_of(&f);
	CHECK_INT(facts.kind, FRAME_IPV6);
	CHECK_INT(facts.ecn, FRAME_ECT_0);
	CHECK_INT(facts.dscp, 46);
}

TEST(test_frame_is_found_behind_two_tags_and_not_behind_three)
{
	struct made_frame f;

	frames_ipv4(&f, &usual);
	frames_tag(&f, 0x8100, 7);
	CHECK_INT(facts_of(&f).kind, FRAME_IPV4);
	CHECK_INT(facts_of(&f).ip_at, 18);
	frames_tag(&f, 0x88a8, 8);
	CHECK_INT(facts_of(&f).kind, FRAME_IPV4);
	CHECK_INT(facts_of(&f).ip_at, 22);
	frames_tag(&f, 0x88a8, 9);
	CHECK_INT(facts_of(&f).kind, FRAME_OTHER);
	f.length = 17; /* ends inside its VLAN tag */
	CHECK_INT(fault_of(&f), FRAME_SHORT);
}

TEST(test_frame_whose_ip_header_contradicts_itself_is_bad)
{
	struct made_frame f;

	frames_ipv4(&f, &usual);
	f.data[14] = 0x44; /* an IP header of 16 bytes */
	CHECK_INT(fault_of(&f), FRAME_BAD_IP);
	f.data[14] = 0x65; /* version 6 in an IPv4 frame */
	CHECK_INT(fault_of(&f), FRAME_BAD_IP);
	frames_ipv4(&f, &usual);
	frames_put(f.data + 16, f.length - 14 + 1, 2); /* longer than the frame */
	CHECK_INT(fault_of(&f), FRAME_BAD_IP);
	frames_put(f.data + 16, 19, 2); /* shorter than its header */
	CHECK_INT(fault_of(&f), FRAME_BAD_IP);
	frames_ipv4(&f, &usual);
	f.length = 33;
	CHECK_INT(fault_of(&f), FRAME_BAD_IP);
	f.length = 13;
	CHECK_INT(fault_of(&f), FRAME_SHORT);
	frames_ipv6(&f, &usual, 0);
	frames_put(f.data + 18, f.length - 14 - 40 + 1, 2);
	CHECK_INT(fault_of(&f), FRAME_BAD_IP);
}

/* A short frame is padded to 60 bytes: what follows the IP packet is ignored. */
TEST(test_frame_may_be_longer_than_its_packet)
{
	struct made_frame f;

	frames_ipv4(&f, &usual);
	f.length += 6;
	CHECK_INT(facts_of(&f).kind, FRAME_IPV4);
}

TEST(test_frame_mark_sets_ce_and_updates_the_checksum)
{
	struct made_ip p = usual;
	struct made_frame f;

	/* All values of the first word, so that the checksum wraps, too. */
	for (p.dscp = 0; p.dscp < 64; p.dscp++)
		for (p.ecn = FRAME_ECT_1; p.ecn <= FRAME_ECT_0; p.ecn++) {
			struct frame_facts facts;

			frames_ipv4(&f, &p);
			facts = facts_of(&f);
			frame_mark(f.data, &facts);
			CHECK_INT(facts_of(&f).ecn, FRAME_CE);
			CHECK_INT(facts_of(&f).dscp, p.dscp);
			CHECK_INT(frames_sum_error(f.data + 14, 20), 0);
			frames_ipv6(&f, &p, 0);
			facts = facts_of(&f);
			frame_mark(f.data, &facts);
			CHECK_INT(facts_of(&f).ecn, FRAME_CE);
			CHECK_INT(facts_of(&f).dscp, p.dscp);
			CHECK_INT(facts_of(&f).flow_hash, facts.flow_hash);
		}
}

/* RFC 1624, section 4: with checksum 0xdd2f, 0x5555 changed to 0x3285 yields 0x0000. Here the first
 * word 0x4502 becomes 0x4503, and a checksum of 0x0001 becomes the next lower value, 0x0000. */
TEST(test_frame_mark_updates_the_checksum_as_rfc_1624)
{
	struct frame_facts facts = { .kind = FRAME_IPV4 };
	uint8_t ip[20] = { 0x45, 0x02 };

	ip[11] = 1;
	frame_mark(ip, &facts);
	CHECK_INT(ip[10] << 8 | ip[11], 0x0000);
	CHECK_INT(ip[1], 0x03);
}

TEST(test_frame_flows_differ_by_ports_and_fragments_stay_together)
{
	struct made_ip p = usual;
	struct made_frame f, g;
	uint32_t whole, other;

	frames_ipv4(&f, &p);
	whole = facts_of(&f).flow_hash;
	p.ports++;
	frames_ipv4(&g, &p);
	CHECK(facts_of(&g).flow_hash != whole);
	frames_put(f.data + 20, 0x2000, 2); /* first fragment */
	other = facts_of(&f).flow_hash;
	CHECK(other != whole);
	frames_put(g.data + 20, 0x00b9, 2); /* later fragment, whose "ports" are payload */
	CHECK_INT(facts_of(&g).flow_hash, other);
}

TEST(test_frame_ports_are_found_behind_ipv6_extensions)
{
	struct made_frame plain, f;
	uint8_t *ip = f.data + 14;

	frames_ipv6(&plain, &usual, 0);
	frames_ipv6(&f, &usual, 24);
	ip[6] = 0; /* hop-by-hop options of 8 bytes, then routing of 16, then TCP */
	ip[40] = 43;
	ip[48] = 6;
	ip[49] = 1;
	CHECK_INT(facts_of(&f).flow_hash, facts_of(&plain).flow_hash);
	ip[49] = 255; /* claims to be longer than the packet */
	CHECK(facts_of(&f).flow_hash != facts_of(&plain).flow_hash);
	ip[40] = 0; /* options without end inside the packet */
	memset(ip + 40, 0, 40);
	CHECK_INT(fault_of(&f), FRAME_GOOD);
}

TEST(test_frame_that_is_not_ip_is_unchanged)
{
	struct made_frame f, before;
	struct frame_facts facts;

	frames_begin(&f, UINT64_C(0xffffffffffff), FRAMES_HOST(1), 0x0806); /* ARP */
	f.length = 60;
	before = f;
	facts = facts_of(&f);
	CHECK_INT(facts.kind, FRAME_OTHER);
	CHECK_INT(facts.ecn, FRAME_NOT_ECT);
	CHECK(!frame_is_for_one(facts.to));
	frame_mark(f.data, &facts);
	CHECK(memcmp(&f, &before, sizeof(f)) == 0);
}

/* As a kernel leaves it to NIC offload: the field holds the pseudo-header sum. */
TEST(test_frame_offloaded_checksum_is_completed)
{
	for (uint32_t whole = 100; whole <= 101; whole++) {
		struct made_ip p = usual;
		struct made_frame f;
		struct frame_facts facts;
		uint8_t pseudo[12 + 100] = { 0 };
		uint32_t bytes = whole - 34;

		p.whole = whole;
		frames_ipv4(&f, &p);
		for (uint32_t i = 4; i < bytes; i++)
			f.data[34 + i] = (uint8_t)(i * 7);
		memcpy(pseudo, f.data + 26, 8);
		pseudo[9] = 6;
		frames_put(pseudo + 10, bytes, 2);
		frames_put(f.data + 34 + 16, ~frames_sum_error(pseudo, 12) & 0xffff, 2);
		facts = facts_of(&f);
		CHECK_INT(facts.transport_at, 34);
		frame_complete_checksum(f.data, &facts);
		memcpy(pseudo + 12, f.data + 34, bytes);
		CHECK_INT(frames_sum_error(pseudo, 12 + bytes), 0);
	}
}

/* Under the sanitizers a read beyond the frame fails the test. */
TEST(test_frame_reader_stays_inside_any_bytes)
{
	struct weir_rng r = weir_rng_make(1, 0, WEIR_RNG_TEST);
	struct made_frame seeds[2];

	frames_ipv4(&seeds[0], &usual);
	frames_ipv6(&seeds[1], &usual, 0);
	for (uint32_t i = 0; i < 200000; i++) {
		uint32_t length = (uint32_t)weir_rng_below(&r, 90);
		uint8_t *frame = malloc(length ? length : 1);
		struct frame_facts facts;

		memcpy(frame, seeds[i % 2].data, length);
		for (uint32_t n = (uint32_t)weir_rng_below(&r, 6); n-- > 0 && length;)
			frame[weir_rng_below(&r, length)] = (uint8_t)weir_rng_u32(&r);
		if (length > 13 && i % 3 == 0)
			frames_put(frame + 12, i % 2 ? 0x8100 : 0x88a8, 2);
		if (frame_read(frame, length, &facts) == FRAME_GOOD) {
			CHECK(facts.ip_at <= length);
			frame_mark(frame, &facts);
			frame_complete_checksum(frame, &facts);
		}
		free(frame);
	}
}

TEST(test_frame_address_is_read_whole_or_not_at_all)
{
	uint64_t address;

	CHECK_INT(frame_address("02:00:00:00:00:1a", &address), 0);
	CHECK_INT(address, FRAMES_HOST(0x1a));
	CHECK_INT(frame_address("02:00:00:00:00", &address), -1);
	CHECK_INT(frame_address("02:00:00:00:00:1", &address), -1);
	CHECK_INT(frame_address("02:00:00:00:00:1g", &address), -1);
	CHECK_INT(frame_address("02:00:00:00:00:1a:", &address), -1);
	CHECK_INT(frame_address("", &address), -1);
}
