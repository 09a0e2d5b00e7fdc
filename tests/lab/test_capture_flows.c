/* SPDX-License-Identifier: BSD-3-Clause */
/* test_capture_flows.c -- flows of captures: files that are made here byte by byte, captures of the
 * simulator's own, and files that are damaged in every way. */
#include "tests/capture.h"
#include "lab/capture/capture.h"
#include "weir/rng.h"

/* --- captures made by hand --- */

enum { MADE_MAX = 8192 };

struct made {
	unsigned char data[MADE_MAX];
	size_t count;
	int is_big_endian;
};

/* As the file has its numbers; and as the wire has. */
static void put_file(struct made *m, uint64_t value, int width)
{
	CHECK(m->count + (size_t)width <= MADE_MAX);
	for (int i = 0; i < width; i++)
		m->data[m->count++] =
			(unsigned char)(value >> 8 * (m->is_big_endian ? width - 1 - i : i));
}

static void put_wire(struct made *m, uint64_t value, int width)
{
	int before = m->is_big_endian;

	m->is_big_endian = 1;
	put_file(m, value, width);
	m->is_big_endian = before;
}

/* pcap's head, for times in units of 10^-6 or 10^-9 s. */
static void begin_pcap(struct made *m, uint32_t magic)
{
	put_file(m, magic, 4);
	put_file(m, 2, 2);
	put_file(m, 4, 2);
	put_file(m, 0, 8);
	put_file(m, 65535, 4);
	put_file(m, 1, 4);
}

#define MICRO UINT32_C(0xa1b2c3d4)
#define NANO UINT32_C(0xa1b23c4d)

/* What a packet is made of. */
struct recipe {
	uint32_t time; /* in the unit of the file, in the second second */
	int is_ipv6, vlans;
	uint8_t from, to; /* last byte of the address */
	uint16_t from_port, to_port;
	uint8_t protocol; /* 6 or 17 */
	uint32_t sequence;
	uint8_t flags;
	uint32_t payload;
};

enum { SYN = 2, FIN = 1, PUSH = 8 };

static void put_ip(struct made *m, const struct recipe *r, uint32_t bytes)
{
	put_wire(m, r->is_ipv6 ? 0x86dd : 0x0800, 2);
	if (r->is_ipv6) {
		put_wire(m, 6u << 28, 4);
		put_wire(m, bytes + 8, 2);
		put_wire(m, 60, 1); /* options for the destination come first */
		put_wire(m, 64, 1);
		put_wire(m, UINT64_C(0xfe80) << 48, 8);
		put_wire(m, r->from, 8);
		put_wire(m, UINT64_C(0xfe80) << 48, 8);
		put_wire(m, r->to, 8);
		put_wire(m, r->protocol, 1);
		put_wire(m, 0, 1);
		put_wire(m, 0x010400000000, 6);
		return;
	}
	put_wire(m, 0x4500, 2);
	put_wire(m, bytes + 20, 2);
	put_wire(m, 0, 4);
	put_wire(m, 64, 1);
	put_wire(m, r->protocol, 1);
	put_wire(m, 0, 2);
	put_wire(m, 0x0a000000u | r->from, 4);
	put_wire(m, 0x0a000000u | r->to, 4);
}

/* A record of pcap, without payload but with 6 bytes of padding that count for nothing. */
static void put_packet(struct made *m, const struct recipe *r)
{
	uint32_t header = r->protocol == 6 ? 24 : 8, bytes = header + r->payload;
	uint32_t front = 14 + 4 * (uint32_t)r->vlans + (r->is_ipv6 ? 48 : 20);

	put_file(m, 1, 4);
	put_file(m, r->time, 4);
	put_file(m, front + header, 4);
	put_file(m, front + bytes + 6, 4);
	put_wire(m, 0, 6);
	put_wire(m, 0, 6);
	for (int i = 0; i < r->vlans; i++)
		put_wire(m, (i ? 0x81000007u : 0x88a80003u), 4);
	put_ip(m, r, bytes);
	put_wire(m, r->from_port, 2);
	put_wire(m, r->to_port, 2);
	if (r->protocol == 17) {
		put_wire(m, bytes, 2);
		put_wire(m, 0, 2);
		return;
	}
	put_wire(m, r->sequence, 4);
	put_wire(m, 0, 4);
	put_wire(m, 0x60, 1); /* six words */
	put_wire(m, r->flags, 1);
	put_wire(m, 0, 6);
	put_wire(m, 0x01010101, 4);
}

static int read_made(const struct made *m, struct capture_flows *found, struct weir_error *e)
{
	FILE *f = fmemopen((void *)(uintptr_t)m->data, m->count ? m->count : 1, "rb");

	CHECK(f);
	if (m->count == 0)
		getc(f);

	int failed = capture_flows_read_stream(found, f, "made", e);

	fclose(f);
	return failed;
}

static void check_flow(const struct capture_flows *found, uint32_t number,
		       struct captured_flow expected)
{
	CHECK(number < found->flow_count);
	CHECK_INT(found->flows[number].start_ns, expected.start_ns);
	CHECK_INT(found->flows[number].bytes, expected.bytes);
	CHECK_INT(found->flows[number].src, expected.src);
	CHECK_INT(found->flows[number].dst, expected.dst);
}

/* A request of 100 bytes, of which 60 come twice and 40 out of order, and an answer of 3000; UDP of
 * 50 and 70 bytes. SYN and FIN count for nothing. */
static void put_conversation(struct made *m, int is_ipv6, int vlans)
{
	struct recipe c = { .time = 100,
			    .is_ipv6 = is_ipv6,
			    .vlans = vlans,
			    .from = 1,
			    .to = 2,
			    .from_port = 4000,
			    .to_port = 80,
			    .protocol = 6 };
	struct recipe s = c, u = c;

	s.from = c.to;
	s.to = c.from;
	s.from_port = c.to_port;
	s.to_port = c.from_port;
	c.sequence = 0xffffffd0u;
	c.flags = SYN;
	put_packet(m, &c);
	s.time = 110;
	s.flags = SYN;
	s.sequence = 5;
	put_packet(m, &s);
	c.flags = PUSH;
	c.sequence += 1 + 60;
	c.payload = 40;
	put_packet(m, &c);
	c.sequence -= 60;
	c.payload = 60;
	put_packet(m, &c);
	put_packet(m, &c);
	u.time = 130;
	u.protocol = 17;
	u.from = 3;
	u.to = 1;
	u.payload = 50;
	put_packet(m, &u);
	u.time = 131;
	u.payload = 70;
	put_packet(m, &u);
	s.flags = FIN;
	s.sequence = 6;
	s.payload = 3000;
	put_packet(m, &s);
}

static void check_conversation(const struct made *m, int64_t unit_ns)
{
	struct capture_flows found;
	struct weir_error e = { "" };

	if (read_made(m, &found, &e))
		test_fail(__FILE__, __LINE__, "%s", e.text);
	CHECK_INT(found.packets, 8);
	CHECK_INT(found.other_packets, 0);
	CHECK_INT(found.flow_count, 3);
	CHECK_INT(found.host_count, 3);
	check_flow(&found, 0, (struct captured_flow){ 0, 100, 0, 1 });
	check_flow(&found, 1, (struct captured_flow){ 10 * unit_ns, 3000, 1, 0 });
	check_flow(&found, 2, (struct captured_flow){ 30 * unit_ns, 120, 2, 0 });
	capture_flows_free(&found);
}

TEST(test_capture_flows_of_pcap_in_both_orders_and_units)
{
	for (int i = 0; i < 4; i++) {
		struct made m = { .is_big_endian = i & 1 };

		begin_pcap(&m, i & 2 ? NANO : MICRO);
		put_conversation(&m, 0, 0);
		check_conversation(&m, i & 2 ? 1 : 1000);
	}
}

TEST(test_capture_flows_behind_vlan_tags_and_over_ipv6)
{
	for (int i = 1; i < 6; i++) {
		struct made m = { .count = 0 };
		char text[WIRE_ADDRESS_TEXT];
		struct capture_flows found;
		struct weir_error e = { "" };

		begin_pcap(&m, NANO);
		put_conversation(&m, i & 1, i / 2);
		check_conversation(&m, 1);
		CHECK_INT(read_made(&m, &found, &e), 0);
		CHECK_STR(wire_address_text(&found.hosts[2], text),
			  i & 1 ? "fe80:0:0:0:0:0:0:3" : "10.0.0.3");
		capture_flows_free(&found);
	}
}

/* A port that is used again: a SYN with another number. What has no payload is counted, and so are
 * packets of other kinds. */
TEST(test_capture_flows_without_payload_are_left_out_and_counted)
{
	struct made m = { .count = 0 };
	struct recipe r = { .from = 1, .to = 2, .from_port = 9, .to_port = 9, .protocol = 6 };
	struct capture_flows found;
	struct weir_error e = { "" };

	begin_pcap(&m, NANO);
	for (uint32_t i = 0; i < 2; i++) {
		r.flags = SYN;
		r.payload = 0;
		r.sequence = 1000000 * i;
		put_packet(&m, &r);
		r.flags = 0;
		r.payload = 500;
		r.sequence++;
		put_packet(&m, &r);
	}
	r.payload = 0;
	r.to = 3;
	put_packet(&m, &r);
	r.to = r.from;
	r.payload = 10;
	put_packet(&m, &r);
	m.data[m.count - 24 - 20 - 1] = 0x99; /* the type: not IP */
	put_packet(&m, &r);
	CHECK_INT(read_made(&m, &found, &e), 0);
	CHECK_INT(found.flow_count, 1);
	check_flow(&found, 0, (struct captured_flow){ 0, 1000, 0, 1 });
	CHECK_INT(found.empty_flows, 1);
	CHECK_INT(found.own_flows, 1);
	CHECK_INT(found.other_packets, 1);
	capture_flows_free(&found);
}

enum { SEND_ONLY = 4, WRITE_FIRST = 6, WRITE_LAST = 8 };

/* A packet of a queue pair with so much payload; of a WRITE's first, the length that it
 * announces. */
static void put_roce(struct made *m, uint8_t opcode, uint32_t psn, uint32_t payload,
		     uint32_t announced)
{
	uint32_t extended = opcode == WRITE_FIRST ? 16 : 0, pad = -payload % 4;
	struct recipe r = { .from = 1,
			    .to = 2,
			    .from_port = (uint16_t)(0xc000 + psn % 7),
			    .to_port = 4791,
			    .protocol = 17,
			    .payload = 12 + extended + payload + pad + 4 };
	size_t record = m->count, end;

	put_packet(m, &r);
	put_wire(m, opcode, 1);
	put_wire(m, pad << 4, 1);
	put_wire(m, 0xffff, 2);
	put_wire(m, 0x11, 4);
	put_wire(m, psn & 0xffffff, 4);
	for (uint32_t i = 0; i < extended; i += 4)
		put_wire(m, i == 12 ? announced : 0, 4);
	end = m->count;
	m->count = record + 8;
	put_file(m, end - record - 16, 4);
	m->count = end;
}

/* SENDs of 10, 11 and 12 bytes across the end of the numbers, each twice and the second one late; a
 * WRITE of 5000 bytes whose first packet comes again, also 4000 packets later. Source ports
 * differ. */
TEST(test_capture_flows_of_a_queue_pair_count_each_packet_once)
{
	static const uint32_t order[] = { 0, 2, 2, 1, 0, 1 };
	struct made m = { .count = 0 };
	struct capture_flows found;
	struct weir_error e = { "" };

	begin_pcap(&m, NANO);
	for (int i = 0; i < 6; i++)
		put_roce(&m, SEND_ONLY, 0xffffff + order[i], 10 + order[i], 0);
	for (int i = 0; i < 2; i++) {
		put_roce(&m, WRITE_FIRST, 2, 1000, 5000);
		put_roce(&m, WRITE_LAST, 6, 1000, 0);
	}
	put_roce(&m, SEND_ONLY, 4002, 100, 0);
	put_roce(&m, WRITE_FIRST, 2, 1000, 5000);
	CHECK_INT(read_made(&m, &found, &e), 0);
	CHECK_INT(found.flow_count, 1);
	check_flow(&found, 0, (struct captured_flow){ 0, 10 + 11 + 12 + 5000 + 100, 0, 1 });
	capture_flows_free(&found);
}

/* --- damage --- */

static void check_refused(const struct made *m, const char *message)
{
	struct capture_flows found;
	struct weir_error e = { "" };

	CHECK_INT(read_made(m, &found, &e), -1);
	CHECK_STR(e.text, message);
}

TEST(test_capture_damage_is_named_with_its_byte)
{
	struct made m = { .count = 0 }, cut;

	begin_pcap(&m, NANO);
	put_conversation(&m, 0, 0);
	cut = m;
	cut.count = 20;
	check_refused(&cut, "made: the file ends at byte 20, inside what begins at byte 0");
	cut.count = 24 + 16 + 3;
	check_refused(&cut, "made: the file ends at byte 43, inside what begins at byte 24");
	cut = m;
	cut.data[24 + 10] = 0xff; /* bytes of the first packet that are here */
	check_refused(&cut, "made: byte 24: a packet of more than 256 KiB");
	cut = m;
	cut.data[20] = 113;
	check_refused(&cut, "made: byte 0: packets have link type 113; only those of Ethernet, 1, "
			    "can be read");
	memcpy(cut.data, "hello", 5);
	check_refused(&cut, "made: byte 0: neither pcapng nor pcap begins like this");
}

/* The simulator's own capture of a small run, whole: TCP, RoCE and pauses in one would take two
 * runs. */
static void capture_small(const struct folder *f, const char *cc, struct made *m)
{
	static const char *const ports[] = { "sw->h0", NULL };
	size_t size;
	struct sim s;

	sim_read(&s,
		 "[network]\ntopology = star\nhosts = 3\n[switch]\nmarking = none\n"
		 "[host]\ncc = %s\nhandshake = yes\n"
		 "[traffic m]\npattern = many-to-one\nsenders = 2\nsize = 12345B\n",
		 cc);
	capture_run(&s, f, ports, FRAME_HEADERS, 1);
	sim_end(&s);

	char *bytes = folder_read(f, "0.pcapng", &size);

	CHECK(size <= MADE_MAX);
	memcpy(m->data, bytes, size);
	m->count = size;
	free(bytes);
}

TEST(test_capture_damage_of_pcapng_is_named_with_its_byte)
{
	struct folder f = folder_make();
	struct made m = { .count = 0 }, bad;
	size_t interface, packet;
	char expected[200];

	capture_small(&f, "dctcp", &m);
	interface = (size_t)capture_little(m.data + 4, 4);
	packet = interface + (size_t)capture_little(m.data + interface + 4, 4);
	bad = m;
	bad.count = packet + 33;
	snprintf(expected, sizeof(expected),
		 "made: the file ends at byte %zu, inside what begins at byte %zu", packet + 33,
		 packet);
	check_refused(&bad, expected);
	bad = m;
	bad.data[packet + 4]++;
	snprintf(expected, sizeof(expected), "made: byte %zu: no block has this length",
		 packet + 4);
	check_refused(&bad, expected);
	bad = m;
	bad.data[packet + 8] = 1;
	snprintf(expected, sizeof(expected),
		 "made: byte %zu: a packet of an interface that is not there", packet);
	check_refused(&bad, expected);
	bad = m;
	bad.data[packet - 4] += 4;
	snprintf(expected, sizeof(expected),
		 "made: byte %zu: a block's length here is not that at its beginning", packet - 4);
	check_refused(&bad, expected);
	bad = m;
	bad.data[8] = 0;
	check_refused(&bad, "made: byte 0: a section with no byte order");
	folder_remove(&f);
}

/* Cuts it short, or changes a few bytes to others, often extreme ones. */
static void mutate(struct made *m, struct weir_rng *r)
{
	static const unsigned char extremes[] = { 0, 1, 4, 0x7f, 0x80, 0xff };
	uint64_t changes = 1 + weir_rng_below(r, 8);

	if (weir_rng_below(r, 4) == 0)
		m->count = weir_rng_below(r, m->count + 1);
	for (uint64_t i = 0; m->count && i < changes; i++) {
		unsigned char *at = &m->data[weir_rng_below(r, m->count)];

		*at = weir_rng_below(r, 2) ? extremes[weir_rng_below(r, sizeof(extremes))]
					   : (unsigned char)weir_rng_below(r, 256);
	}
}

/* Whatever the bytes: an answer or a message, and nothing of which memory checkers complain. */
TEST(test_capture_reader_survives_damage_of_every_kind)
{
	enum { ATTEMPTS = 20000, KINDS = 3 };
	struct folder f = folder_make();
	struct made whole[KINDS] = { { .count = 0 } };
	struct weir_rng r = weir_rng_make(7, 0, WEIR_RNG_TEST);
	uint64_t refused = 0;

	capture_small(&f, "dctcp", &whole[0]);
	capture_small(&f, "dcqcn", &whole[1]);
	begin_pcap(&whole[2], NANO);
	put_conversation(&whole[2], 1, 1);
	put_conversation(&whole[2], 0, 0);
	for (uint32_t i = 0; i < ATTEMPTS; i++) {
		struct made m = whole[i % KINDS];
		struct capture_flows found;
		struct weir_error e = { "" };

		mutate(&m, &r);
		if (read_made(&m, &found, &e)) {
			CHECK_CONTAINS(e.text, "made: ");
			CHECK_CONTAINS(e.text, "byte ");
			refused++;
			continue;
		}
		for (uint32_t k = 0; k < found.flow_count; k++)
			CHECK(found.flows[k].src < found.host_count &&
			      found.flows[k].dst < found.host_count && found.flows[k].bytes > 0 &&
			      found.flows[k].start_ns >= 0);
		capture_flows_free(&found);
	}
	CHECK(refused > ATTEMPTS / 10 && refused < ATTEMPTS);
	folder_remove(&f);
}

/* --- there and back --- */

/* Flows of the run that end at host 0, in the order of their first packets at its port, against
 * those of the capture. Each sender has one flow, so addresses say which is which. */
static void check_round_trip(const char *cc, const char *more, int is_lossy)
{
	static const char *const ports[] = { "sw->h0", NULL };
	struct folder f = folder_make();
	struct capture_flows found;
	struct weir_error e = { "" };
	char path[100];
	struct sim s;

	sim_read(&s,
		 "[network]\ntopology = star\nhosts = 5\nrate = 10Gbps\ndelay = 2us\n%s"
		 "[host]\ncc = %s\n[traffic m]\npattern = list\n"
		 "flow = 3 0 100001B 0us\nflow = 1 0 77B 9us\nflow = 4 0 54321B 20us\n"
		 "flow = 2 0 200000B 30us\n",
		 more, cc);
	capture_run(&s, &f, ports, FRAME_HEADERS, 2);
	snprintf(path, sizeof(path), "%s/0.pcapng", f.path);
	if (capture_flows_read(&found, path, &e))
		test_fail(__FILE__, __LINE__, "%s", e.text);
	CHECK_INT(sim_port(&s, "sw->h0")->drops > 0, is_lossy);
	CHECK_INT(found.flow_count, 4);
	CHECK_INT(found.host_count, 5);
	for (uint32_t i = 0; i < 4; i++) {
		const struct captured_flow *flow = &found.flows[i];

		CHECK_INT(flow->bytes, s.r.flows[i].size_bytes);
		CHECK_INT(found.hosts[flow->src].bytes[15], s.r.flows[i].src + 1);
		CHECK_INT(found.hosts[flow->dst].bytes[15], s.r.flows[i].dst + 1);
		CHECK(i == 0 || flow->start_ns > found.flows[i - 1].start_ns);
	}
	capture_flows_free(&found);
	folder_remove(&f);
	sim_end(&s);
}

#define LOSSY "[switch]\nbuffer = 10pkts\nmarking = none\n"

TEST(test_capture_and_import_give_the_flows_that_were_simulated)
{
	check_round_trip("dctcp", "", 0);
	check_round_trip("reno", LOSSY, 1);
	check_round_trip("dcqcn", "", 0);
	check_round_trip("dcqcn", LOSSY, 1);
	check_round_trip("dcqcn", LOSSY "[rdma]\nrecovery = selective\n", 1);
	check_round_trip("hpcc", "", 0);
}
