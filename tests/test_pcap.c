/* test_pcap.c -- captures, read back byte by byte with a reader of their own. */
#define _GNU_SOURCE
#include "lab/pcap.h"
#include "tests/sim.h"
#include <stdlib.h>
#include <unistd.h>

static const char incast[] = "[network]\ntopology = star\nhosts = 3\nrate = 10Gbps\ndelay = 5us\n"
			     "[switch]\nmarking = ecn(k=5pkts)\nbuffer = 30pkts\n"
			     "[host]\nmss = 1000B\nhandshake = yes\n"
			     "[traffic bulk]\npattern = many-to-one\nsenders = 2\nsize = 200KB\n"
			     "[measure]\nto = 5ms\n";

struct totals {
	uint64_t packets, ce, syn, data_bytes, last_ns;
};

static uint32_t little(const unsigned char *at, int width)
{
	uint32_t value = 0;

	for (int i = width - 1; i >= 0; i--)
		value = value << 8 | at[i];
	return value;
}

static uint32_t big(const unsigned char *at, int width)
{
	uint32_t value = 0;

	for (int i = 0; i < width; i++)
		value = value << 8 | at[i];
	return value;
}

/* 0 where the ones' complement sum, checksum included, is right. */
static uint32_t checksum_error(const unsigned char *at, size_t count, uint32_t sum)
{
	for (size_t i = 0; i < count; i += 2)
		sum += big(at + i, 2);
	while (sum >> 16)
		sum = (sum & 0xffff) + (sum >> 16);
	return sum ^ 0xffff;
}

static void read_packet(const unsigned char *block, struct totals *t)
{
	const unsigned char *frame = block + 28, *ip = frame + 14, *tcp = ip + 20;
	uint64_t time_ns = (uint64_t)little(block + 12, 4) << 32 | little(block + 16, 4);
	uint32_t captured = little(block + 20, 4), whole = little(block + 24, 4);
	uint32_t ip_bytes = big(ip + 2, 2), header = (uint32_t)(tcp[12] >> 4) * 4;

	CHECK(time_ns >= t->last_ns);
	t->last_ns = time_ns;
	CHECK_INT(big(frame + 12, 2), 0x0800);
	CHECK_INT(ip[0], 0x45);
	CHECK_INT(whole, 14 + ip_bytes);
	CHECK_INT(captured, 14 + 20 + header);
	CHECK_INT(checksum_error(ip, 20, 0), 0);
	CHECK_INT(checksum_error(tcp, header,
				 big(ip + 12, 2) + big(ip + 14, 2) + big(ip + 16, 2) +
					 big(ip + 18, 2) + 6 + ip_bytes - 20),
		  0);
	t->packets++;
	t->ce += (ip[1] & 3) == 3;
	t->syn += (tcp[13] & 2) != 0;
	t->data_bytes += ip_bytes - 20 - header;
}

static struct totals read_capture(const char *path)
{
	struct totals t = { 0 };
	unsigned char block[512];
	FILE *f = fopen(path, "rb");

	CHECK(f);
	while (fread(block, 1, 8, f) == 8) {
		uint32_t kind = little(block, 4), length = little(block + 4, 4);

		CHECK(length >= 12 && length <= sizeof(block) && length % 4 == 0);
		CHECK_INT(fread(block + 8, 1, length - 8, f), length - 8);
		CHECK_INT(little(block + length - 4, 4), length);
		if (kind == 6)
			read_packet(block, &t);
		else
			CHECK(t.packets == 0);
	}
	fclose(f);
	return t;
}

TEST(test_capture_holds_every_packet_of_the_port_with_its_marks)
{
	char path[] = "/tmp/weir-pcap-XXXXXX", argument[64];
	struct sim s;
	struct pcap p;
	struct error e = { "" };
	int descriptor = mkstemp(path);

	CHECK(descriptor >= 0);
	close(descriptor);
	snprintf(argument, sizeof(argument), "sw->h0=%s", path);
	sim_read(&s, "%s", incast);
	CHECK_INT(pcap_open(&p, argument, &e), 0);
	p.mss_bytes = (uint32_t)s.c.host.mss_bytes;

	struct tap tap = pcap_tap(&p);
	struct run_control control = { .threads = 2, .tap_count = 1, .taps = &tap };

	CHECK_INT(run(&s.c, &control, &s.r, &e), 0);
	CHECK_INT(pcap_publish(&p, &e), 0);

	struct totals t = read_capture(path);
	const struct port_result *port = sim_port(&s, "sw->h0");

	CHECK_INT(t.packets, port->tx_pkts);
	CHECK(port->marks > 0);
	CHECK_INT(t.ce, port->marks);
	CHECK_INT(t.syn, 2);
	CHECK(t.data_bytes >= 400000);
	CHECK_INT(t.data_bytes + 54 * t.packets, port->tx_bytes);
	unlink(path);
	sim_end(&s);
}

TEST(test_capture_of_a_port_that_is_not_there_is_refused)
{
	struct sim s;
	struct pcap p;
	struct error e = { "" };

	sim_read(&s, "%s", incast);
	CHECK_INT(pcap_open(&p, "sw->h7=/dev/null", &e), 0);

	struct tap tap = pcap_tap(&p);
	struct run_control control = { .threads = 1, .tap_count = 1, .taps = &tap };

	CHECK_INT(run(&s.c, &control, &s.r, &e), -1);
	CHECK_CONTAINS(e.text, "sw->h7");
	pcap_abandon(&p);
	CHECK_INT(pcap_open(&p, "sw->h0", &e), -1);
	CHECK_CONTAINS(e.text, "PORT=FILE");
	config_free(&s.c);
}
