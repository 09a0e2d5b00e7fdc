/* SPDX-License-Identifier: BSD-3-Clause */
/* test_pcap.c -- captures, read back byte by byte. */
#include "tests/capture.h"

#define STAR "[network]\ntopology = star\nhosts = %d\nrate = 10Gbps\ndelay = 5us\n"

static const char incast[] = STAR "[switch]\nmarking = ecn(k=5pkts)\nbuffer = 30pkts\n"
				  "[host]\nmss = 1000B\nhandshake = yes\n"
				  "[traffic bulk]\npattern = many-to-one\nsenders = 2\n"
				  "size = 200KB\n[measure]\nto = 5ms\n";

/* 0 where the ones' complement sum, checksum included, is right. */
static uint32_t checksum_error(const unsigned char *at, size_t count, uint32_t sum)
{
	for (size_t i = 0; i < count; i++)
		sum += i % 2 ? at[i] : (uint32_t)at[i] << 8;
	while (sum >> 16)
		sum = (sum & 0xffff) + (sum >> 16);
	return sum ^ 0xffff;
}

static uint32_t address(const unsigned char *at)
{
	return capture_big(at, 4) - (UINT32_C(10) << 24) - 1;
}

/* --- TCP --- */

struct totals {
	uint64_t packets, ce, syn, data_bytes, frame_bytes, last_ns;
};

static void total_tcp(void *context, const struct captured *c)
{
	struct totals *t = context;
	uint32_t ip_bytes = capture_big(c->ip + 2, 2), header = (uint32_t)(c->rest[12] >> 4) * 4;

	CHECK(c->time_ns >= t->last_ns);
	t->last_ns = c->time_ns;
	CHECK_INT(capture_big(c->frame + 12, 2), 0x0800);
	CHECK_INT(c->ip[0], 0x45);
	CHECK_INT(c->whole, 14 + ip_bytes);
	CHECK(c->kept == 14 + 20 + header || c->kept == c->whole);
	CHECK_INT(checksum_error(c->ip, 20, 0), 0);
	CHECK_INT(checksum_error(c->rest, c->kept - 14 - 20,
				 capture_big(c->ip + 12, 2) + capture_big(c->ip + 14, 2) +
					 capture_big(c->ip + 16, 2) + capture_big(c->ip + 18, 2) +
					 6 + ip_bytes - 20),
		  0);
	t->packets++;
	t->ce += (c->ip[1] & 3) == 3;
	t->syn += (c->rest[13] & 2) != 0;
	t->data_bytes += ip_bytes - 20 - header;
	t->frame_bytes += c->whole;
}

TEST(test_capture_holds_every_packet_of_the_port_with_its_marks)
{
	static const char *const ports[] = { "sw->h0", NULL };
	struct folder f = folder_make();
	struct sim s;

	sim_read(&s, incast, 3);
	for (enum frame_extent extent = FRAME_HEADERS; extent <= FRAME_WHOLE; extent++) {
		struct totals t = { 0 };

		capture_run(&s, &f, ports, extent, 2);
		capture_read(&f, 0, total_tcp, &t);

		const struct port_result *port = sim_port(&s, "sw->h0");

		CHECK_INT(t.packets, port->tx_pkts);
		CHECK(port->marks > 0);
		CHECK_INT(t.ce, port->marks);
		CHECK_INT(t.syn, 2);
		CHECK(t.data_bytes >= 400000);
		/* A SYN has 12 bytes of options that the simulation does not count. */
		CHECK_INT(t.frame_bytes, port->tx_bytes + 2 * 12);
	}
	folder_remove(&f);
	sim_end(&s);
}

/* The bytes of one direction of one connection, as sequence numbers say. */
struct stream_seen {
	uint32_t next, acked, segments;
};

static void follow(void *context, const struct captured *c)
{
	struct stream_seen *s = context;
	uint32_t header = (uint32_t)(c->rest[12] >> 4) * 4;
	uint32_t payload = capture_big(c->ip + 2, 2) - 20 - header;

	if (payload) {
		CHECK_INT(capture_big(c->rest + 4, 4), s->next);
		s->next += payload;
		s->segments++;
	} else {
		CHECK(capture_big(c->rest + 8, 4) >= s->acked);
		s->acked = capture_big(c->rest + 8, 4);
	}
}

/* Segments of 1000, 1; 500; 1000, 1000, 999 bytes: six segments, but 4500 bytes. */
TEST(test_capture_numbers_count_bytes_where_messages_end_short)
{
	static const char *const ports[] = { "h1->sw", "h0->sw", NULL };
	struct folder f = folder_make();
	struct stream_seen data = { .next = 1 }, acks = { 0 };
	struct sim s;

	sim_read(&s,
		 STAR "[host]\nmss = 1000B\n[traffic m]\npattern = list\nconnections = persistent\n"
		      "flow = 1 0 1001B 0us\nflow = 1 0 500B 50us\nflow = 1 0 2999B 51us\n",
		 2);
	capture_run(&s, &f, ports, FRAME_HEADERS, 2);
	capture_read(&f, 0, follow, &data);
	capture_read(&f, 1, follow, &acks);
	CHECK_INT(data.segments, 6);
	CHECK_INT(data.next, 4501);
	CHECK_INT(acks.acked, 4501);
	folder_remove(&f);
	sim_end(&s);
}

/* Every edge of a block is where some data begins or ends. */
struct edges {
	uint8_t is_edge[65536];
	uint32_t blocks;
};

static void note_edges(void *context, const struct captured *c)
{
	struct edges *at = context;
	uint32_t first = capture_big(c->rest + 4, 4);
	uint32_t payload = capture_big(c->ip + 2, 2) - 20 - (uint32_t)(c->rest[12] >> 4) * 4;

	CHECK(first + payload < sizeof(at->is_edge));
	at->is_edge[first] = at->is_edge[first + payload] = 1;
}

static void check_blocks(void *context, const struct captured *c)
{
	struct edges *at = context;

	if (c->rest[12] >> 4 == 5 || c->rest[13] & 2)
		return;
	CHECK_INT(capture_big(c->rest + 20, 3), 0x010105);
	for (int i = 4; i < 2 + c->rest[23]; i += 4) {
		uint32_t edge = capture_big(c->rest + 20 + i, 4);

		CHECK(edge > capture_big(c->rest + 8, 4) && edge < sizeof(at->is_edge));
		CHECK(at->is_edge[edge]);
		at->blocks++;
	}
}

/* Many messages of 2,500 bytes on one connection, in a buffer too small for them. */
TEST(test_capture_sack_blocks_are_bytes_that_were_sent)
{
	static const char *const ports[] = { "h1->sw", "sw->h1", NULL };
	struct folder f = folder_make();
	static struct edges edges;
	char lines[2048];
	size_t length = 0;
	struct sim s;

	for (int i = 0; i < 25; i++)
		length += (size_t)snprintf(lines + length, sizeof(lines) - length,
					   "flow = 1 0 2500B 0us\n");
	sim_read(&s,
		 STAR "[switch]\nbuffer = 8pkts\nmarking = none\n"
		      "[host]\nmss = 1000B\ncc = reno\ninitial-window = 40\n"
		      "[traffic x]\npattern = list\nflow = 2 0 60KB 0us\n"
		      "[traffic m]\npattern = list\nconnections = persistent\n%s",
		 3, lines);
	capture_run(&s, &f, ports, FRAME_HEADERS, 1);
	capture_read(&f, 0, note_edges, &edges);
	capture_read(&f, 1, check_blocks, &edges);
	CHECK(edges.blocks > 0);
	folder_remove(&f);
	sim_end(&s);
}

/* --- queue pairs --- */

/* Two-byte fields and the rest of a RoCEv2 packet. */
struct pairs {
	uint32_t opcode[256];
	uint64_t packets, frame_bytes, announced_bytes, payload_bytes;
	uint32_t next_psn[16]; /* by sending host */
	uint32_t refusals, ce;
};

enum { WRITE_FIRST = 6, WRITE_MIDDLE = 7, WRITE_LAST = 8, WRITE_ONLY = 10, ANSWER = 17, CNP = 129 };

static void check_icrc(const struct captured *c, uint32_t ip_bytes)
{
	const unsigned char *at = c->ip + ip_bytes - 4;

	if (c->kept < 14 + ip_bytes)
		return;
	CHECK_INT(capture_little(at, 4), roce_icrc(c->frame, 14 + ip_bytes - 4, 0));
}

static void total_roce(void *context, const struct captured *c)
{
	struct pairs *p = context;
	const unsigned char *bth = c->rest + 8;
	uint32_t ip_bytes = capture_big(c->ip + 2, 2), opcode = bth[0], from = address(c->ip + 12);
	uint32_t reth = opcode == WRITE_FIRST || opcode == WRITE_ONLY ? 16 : 0;

	if (capture_big(c->frame + 12, 2) == 0x8808)
		return;
	CHECK_INT(c->ip[9], 17);
	CHECK_INT(capture_big(c->rest + 2, 2), 4791);
	CHECK_INT(capture_big(c->rest + 4, 2), ip_bytes - 20);
	CHECK(c->whole >= 14 + ip_bytes && ip_bytes % 4 == 0);
	check_icrc(c, ip_bytes);
	p->packets++;
	p->opcode[opcode]++;
	p->frame_bytes += c->whole;
	p->ce += (c->ip[1] & 3) == 3;
	if (opcode == ANSWER)
		p->refusals += bth[12] == 0x60;
	if (opcode > WRITE_ONLY)
		return;
	CHECK(from < 16);
	if (capture_big(bth + 9, 3) == p->next_psn[from]) {
		p->next_psn[from]++;
		p->payload_bytes += ip_bytes - 20 - 8 - 12 - 4 - reth - (bth[1] >> 4 & 3);
		if (reth)
			p->announced_bytes += capture_big(bth + 24, 4);
	}
}

#define PAIRS "[host]\ncc = %s\n[rdma]\nmtu = 1000B\n%s[traffic m]\npattern = many-to-one\n"

/* Messages of 100,001 bytes: a first packet, 99 in the middle and a last one of 1 byte. The
 * simulation's 48 bytes of header are 10 less than RoCE's, 26 in the first packet; frames are as
 * long as in the simulation, but the last, of 49 bytes, of which headers alone take 58. */
TEST(test_capture_of_queue_pairs_is_roce)
{
	static const char *const ports[] = { "sw->h0", "h0->sw", NULL };
	struct folder f = folder_make();
	struct sim s;

	sim_read(&s,
		 STAR "[switch]\nbuffer = 1MB\nbuffer-per = switch\nlossless = all\n"
		      "marking = ecn(k=10pkts)\n" PAIRS "senders = 3\nsize = 100001B\n",
		 4, "dcqcn", "");
	for (enum frame_extent extent = FRAME_HEADERS; extent <= FRAME_WHOLE; extent++) {
		struct pairs data = { .packets = 0 }, answers = { .packets = 0 };

		capture_run(&s, &f, ports, extent, 2);
		capture_read(&f, 0, total_roce, &data);
		capture_read(&f, 1, total_roce, &answers);

		const struct port_result *port = sim_port(&s, "sw->h0");

		CHECK_INT(data.opcode[WRITE_FIRST], 3);
		CHECK_INT(data.opcode[WRITE_MIDDLE], 3 * 99);
		CHECK_INT(data.opcode[WRITE_LAST], 3);
		CHECK_INT(data.announced_bytes, 3 * 100001);
		for (int i = 1; i <= 3; i++)
			CHECK_INT(data.next_psn[i], 101);
		CHECK_INT(data.ce, port->marks);
		CHECK_INT(data.packets, port->tx_pkts);
		CHECK_INT(data.frame_bytes, port->tx_bytes + 3 * (58 - 49));
		CHECK_INT(answers.opcode[ANSWER], 3 * 101);
		CHECK(answers.opcode[CNP] > 0);
		CHECK_INT(answers.packets, answers.opcode[ANSWER] + answers.opcode[CNP]);
	}
	folder_remove(&f);
	sim_end(&s);
}

/* A header as long as that of a WRITE: every byte of every frame is where it would be. */
TEST(test_capture_payload_of_queue_pairs_is_whole_where_the_header_has_room)
{
	static const char *const ports[] = { "sw->h0", "h0->sw", NULL };
	struct folder f = folder_make();
	struct pairs data = { .packets = 0 }, answers = { .packets = 0 };
	struct sim s;

	sim_read(&s, STAR PAIRS "senders = 3\nsize = 100003B\n", 4, "dcqcn", "header = 75B\n");
	capture_run(&s, &f, ports, FRAME_HEADERS, 1);
	capture_read(&f, 0, total_roce, &data);
	capture_read(&f, 1, total_roce, &answers);
	CHECK_INT(data.payload_bytes, 3 * 100003);
	CHECK_INT(data.frame_bytes, sim_port(&s, "sw->h0")->tx_bytes);
	CHECK_INT(answers.frame_bytes, 75 * answers.packets);
	folder_remove(&f);
	sim_end(&s);
}

/* HPCC's telemetry counts in every frame, behind the IP packet. */
TEST(test_capture_frames_with_telemetry_are_as_long_as_in_the_simulation)
{
	static const char *const ports[] = { "sw->h0", "h0->sw", NULL };
	struct folder f = folder_make();
	struct pairs data = { .packets = 0 }, answers = { .packets = 0 };
	struct sim s;

	sim_read(&s, STAR PAIRS "senders = 3\nsize = 100000B\n", 4, "hpcc", "");
	capture_run(&s, &f, ports, FRAME_WHOLE, 2);
	capture_read(&f, 0, total_roce, &data);
	capture_read(&f, 1, total_roce, &answers);
	CHECK_INT(data.payload_bytes, 3 * 100000);
	CHECK_INT(data.frame_bytes, sim_port(&s, "sw->h0")->tx_bytes);
	CHECK_INT(answers.frame_bytes, (48 + 42) * answers.packets);
	folder_remove(&f);
	sim_end(&s);
}

/* Who goes back is told so by NAKs of the packet that is missing. */
TEST(test_capture_refusals_of_queue_pairs_are_naks)
{
	static const char *const ports[] = { "sw->h0", "h0->sw", NULL };
	struct folder f = folder_make();
	struct pairs data = { .packets = 0 }, answers = { .packets = 0 };
	struct sim s;

	sim_read(&s,
		 STAR "[switch]\nbuffer = 20pkts\nmarking = none\n" PAIRS
		      "senders = 3\nsize = 100000B\n",
		 4, "dcqcn", "");
	capture_run(&s, &f, ports, FRAME_HEADERS, 1);
	capture_read(&f, 0, total_roce, &data);
	capture_read(&f, 1, total_roce, &answers);
	CHECK(sim_port(&s, "sw->h0")->drops > 0);
	CHECK(answers.refusals > 0);
	CHECK_INT(data.announced_bytes, 3 * 100000);
	folder_remove(&f);
	sim_end(&s);
}

/* A notification that a ConnectX-4 card sent. */
TEST(test_capture_icrc_is_that_of_a_real_card)
{
	static const unsigned char frame[] = {
		0xe4, 0x1d, 0x2d, 0xab, 0x2b, 0xc2, 0x7c, 0xfe, 0x90, 0x64, 0x3b, 0x32, 0x08,
		0x00, 0x45, 0xc2, 0x00, 0x3c, 0x71, 0x8c, 0x40, 0x00, 0x40, 0x11, 0x91, 0x61,
		0x0a, 0x00, 0x11, 0x01, 0x0a, 0x00, 0x12, 0x01, 0x00, 0x00, 0x12, 0xb7, 0x00,
		0x28, 0x00, 0x00, 0x81, 0x00, 0xff, 0xff, 0x40, 0x00, 0x01, 0x18,
	};
	static const unsigned char sent[] = { 0x82, 0xfd, 0x00, 0x2a };

	CHECK_INT(roce_icrc(frame, sizeof(frame), 20), capture_little(sent, 4));
}

/* --- pauses --- */

struct pauses {
	uint32_t stops, goes, others;
};

static void count_pauses(void *context, const struct captured *c)
{
	struct pauses *p = context;

	if (capture_big(c->frame + 12, 2) != 0x8808) {
		p->others++;
		return;
	}
	CHECK_INT(c->whole, 64);
	CHECK_INT(capture_big(c->frame, 3), 0x0180c2);
	CHECK_INT(capture_big(c->frame + 3, 3), 0x000001);
	CHECK_INT(capture_big(c->frame + 14, 2), 0x0101);
	CHECK_INT(capture_big(c->frame + 16, 2), 1 << 0);
	p->stops += capture_big(c->frame + 18, 2) == 0xffff;
	p->goes += capture_big(c->frame + 18, 2) == 0;
	for (int i = 1; i < 8; i++)
		CHECK_INT(capture_big(c->frame + 18 + 2 * i, 2), 0);
}

TEST(test_capture_holds_the_pause_frames_that_a_port_sends)
{
	static const char *const ports[] = { "sw->h1", NULL };
	struct folder f = folder_make();
	struct pauses p = { 0 };
	uint64_t paused = 0;
	struct weir_error e = { "" };
	struct sim s;

	sim_read(&s,
		 STAR "[switch]\nbuffer = 500KB\nbuffer-per = switch\nlossless = all\n"
		      "marking = none\n" PAIRS "senders = 8\nsize = 100KB\n",
		 9, "line-rate", "");
	capture_run(&s, &f, ports, FRAME_HEADERS, 2);
	capture_read(&f, 0, count_pauses, &p);
	for (uint32_t i = 0; i < s.r.pause_count; i++)
		if (s.r.pauses[i].link == link_find(&s.r.network, "h1->sw", &e))
			paused += s.r.pauses[i].pauses;
	CHECK(paused > 0);
	CHECK_INT(p.stops, paused);
	CHECK_INT(p.goes, p.stops);
	CHECK(p.others > 0);
	folder_remove(&f);
	sim_end(&s);
}

/* --- files --- */

TEST(test_capture_is_the_same_for_any_number_of_threads)
{
	static const char *const ports[] = { "sw->h0", "sw->h2", NULL };
	struct folder f = folder_make(), g = folder_make();
	size_t size, again;
	struct sim s;

	sim_read(&s, incast, 3);
	capture_run(&s, &f, ports, FRAME_HEADERS, 1);
	capture_run(&s, &g, ports, FRAME_HEADERS, 3);
	for (int i = 0; i < 2; i++) {
		const char *name = i ? "1.pcapng" : "0.pcapng";
		char *one = folder_read(&f, name, &size), *three = folder_read(&g, name, &again);

		CHECK_INT(size, again);
		CHECK(memcmp(one, three, size) == 0);
		free(one);
		free(three);
	}
	folder_remove(&f);
	folder_remove(&g);
	sim_end(&s);
}

TEST(test_capture_of_a_port_that_is_not_there_is_refused)
{
	struct sim s;
	struct pcap p;
	struct weir_error e = { "" };

	sim_read(&s, incast, 3);
	CHECK_INT(pcap_open(&p, "sw->h7=/dev/null", &s.c, FRAME_HEADERS, &e), 0);

	struct tap tap = pcap_tap(&p);
	struct run_control control = { .threads = 1, .tap_count = 1, .taps = &tap };

	CHECK_INT(run(&s.c, &control, &s.r, &e), -1);
	CHECK_CONTAINS(e.text, "sw->h7");
	pcap_abandon(&p);
	CHECK_INT(pcap_open(&p, "sw->h0", &s.c, FRAME_HEADERS, &e), -1);
	CHECK_CONTAINS(e.text, "PORT=FILE");
	config_free(&s.c);
}
