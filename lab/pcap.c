/* pcap.c -- see pcap.h. The format is the IETF's PCAP Next Generation (draft-ietf-opsawg-pcapng):
 * a section header, one interface, an enhanced packet block per packet, all little endian. */
#define _POSIX_C_SOURCE 200809L
#include "lab/pcap.h"
#include "sim/segment.h"
#include "weir/units.h"
#include <stdlib.h>
#include <string.h>

enum {
	BLOCK_SECTION = 0x0a0d0d0a,
	BLOCK_INTERFACE = 1,
	BLOCK_PACKET = 6,
	BYTE_ORDER_MAGIC = 0x1a2b3c4d,
	LINK_ETHERNET = 1,
	OPTION_TIME_RESOLUTION = 9,
	NANOSECONDS = 9, /* 10^-9 */
	ETHERNET_BYTES = 14,
	IP_BYTES = 20,
	TCP_BYTES = 20,
	TCP_OPTIONS_MAX = 28,
	FRAME_MAX = ETHERNET_BYTES + IP_BYTES + TCP_BYTES + TCP_OPTIONS_MAX,
	TCP_SYN = 0x02,
	TCP_ACK = 0x10,
	TCP_ECE = 0x40,
	TCP_CWR = 0x80,
};

/* --- bytes --- */

struct bytes {
	unsigned char data[FRAME_MAX + 64];
	size_t count;
};

static void put_bytes(struct bytes *b, const void *data, size_t count)
{
	memcpy(b->data + b->count, data, count);
	b->count += count;
}

/* Most significant byte first, as on the wire. */
static void put_net(struct bytes *b, uint64_t value, int width)
{
	for (int i = width - 1; i >= 0; i--)
		b->data[b->count++] = (unsigned char)(value >> (8 * i));
}

/* Least significant byte first, as in the file. */
static void put_file(struct bytes *b, uint64_t value, int width)
{
	for (int i = 0; i < width; i++)
		b->data[b->count++] = (unsigned char)(value >> (8 * i));
}

/* RFC 1071: the sum of 16-bit words in ones' complement. */
static uint32_t sum16(const unsigned char *data, size_t count, uint32_t sum)
{
	for (size_t i = 0; i < count; i += 2)
		sum += (uint32_t)data[i] << 8 | (i + 1 < count ? data[i + 1] : 0);
	return sum;
}

static uint16_t fold16(uint32_t sum)
{
	while (sum >> 16)
		sum = (sum & 0xffff) + (sum >> 16);
	return (uint16_t)~sum;
}

static void set_net16(unsigned char *at, uint16_t value)
{
	at[0] = (unsigned char)(value >> 8);
	at[1] = (unsigned char)value;
}

/* --- headers --- */

static void put_mac(struct bytes *b, uint32_t host)
{
	put_net(b, UINT64_C(0x02) << 40 | (host & 0xffffff), 6);
}

static uint32_t address_of(uint32_t host)
{
	return UINT32_C(10) << 24 | ((host + 1) & 0xffffff);
}

/* SACK blocks as RFC 2018 writes them, after two that mean nothing. Returns their bytes. */
static size_t put_options(struct bytes *b, const struct segment *segment, uint32_t mss_bytes)
{
	size_t blocks = 0, before = b->count;

	while (blocks < SACK_BLOCKS && segment->sack[blocks].count)
		blocks++;
	if (!blocks)
		return 0;
	put_net(b, 0x0101, 2);
	put_net(b, 5, 1);
	put_net(b, 2 + 8 * blocks, 1);
	for (size_t i = 0; i < blocks; i++) {
		uint32_t first = segment->number + segment->sack[i].offset;

		put_net(b, ((uint64_t)first * mss_bytes + 1) & UINT32_MAX, 4);
		put_net(b,
			((uint64_t)(first + segment->sack[i].count) * mss_bytes + 1) & UINT32_MAX,
			4);
	}
	return b->count - before;
}

/* All but the first SYN acknowledge something. */
static uint8_t tcp_flags(uint8_t flags)
{
	int first = (flags & SEGMENT_SYN) && !(flags & SEGMENT_ACK);

	return (uint8_t)((flags & SEGMENT_SYN ? TCP_SYN : 0) | (first ? 0 : TCP_ACK) |
			 (flags & SEGMENT_ECE ? TCP_ECE : 0) | (flags & SEGMENT_CWR ? TCP_CWR : 0));
}

/* Ports of a connection: the sender's from its number, the receiver's always the same. */
static uint16_t sender_port(uint32_t connection)
{
	return (uint16_t)(1024 + connection % (65536 - 1024));
}

enum { RECEIVER_PORT = 5001 };

static void put_tcp(struct bytes *b, const struct packet *packet, const struct segment *segment,
		    uint32_t mss_bytes)
{
	int is_ack = (packet->flags & SEGMENT_ACK) != 0,
	    is_syn = (packet->flags & SEGMENT_SYN) != 0;
	uint32_t position =
		(uint32_t)((uint64_t)segment->number * mss_bytes) + 1; /* 0 is the SYN */
	size_t at = b->count, options;

	put_net(b, is_ack ? RECEIVER_PORT : sender_port(segment->connection), 2);
	put_net(b, is_ack ? sender_port(segment->connection) : RECEIVER_PORT, 2);
	put_net(b, is_syn ? 0 : is_ack ? 1 : position, 4);
	put_net(b, is_ack ? position : is_syn ? 0 : 1, 4);
	put_net(b, 0, 1);
	put_net(b, tcp_flags(packet->flags), 1);
	put_net(b, 0xffff, 2); /* window: the simulator's is not carried in packets */
	put_net(b, 0, 4);      /* checksum, urgent */
	options = put_options(b, segment, mss_bytes);
	b->data[at + 12] = (unsigned char)((TCP_BYTES + options) / 4 << 4);
}

/* Ethernet, IPv4 and TCP as if the payload were zeros. Returns the length of the whole frame. */
static uint32_t put_frame(struct bytes *b, const struct packet *packet, const struct flow *flow,
			  uint32_t mss_bytes)
{
	struct segment segment;
	int is_ack = (packet->flags & SEGMENT_ACK) != 0;
	uint32_t from = is_ack ? flow->dst : flow->src, to = is_ack ? flow->src : flow->dst;
	uint32_t ecn = packet->flags & PACKET_CE ? 3 : packet->flags & PACKET_ECT ? 2 : 0;
	unsigned char *ip = b->data + ETHERNET_BYTES, *tcp = ip + IP_BYTES;

	memcpy(&segment, packet->owner, sizeof(segment));
	put_mac(b, to);
	put_mac(b, from);
	put_net(b, 0x0800, 2);
	put_net(b, 0x45, 1);
	put_net(b, (uint32_t)packet->class_id << 2 | ecn, 1);
	put_net(b, 0, 2);          /* total length, below */
	put_net(b, 0x00004000, 4); /* no identification, do not fragment */
	put_net(b, 64, 1);
	put_net(b, 6, 1); /* TCP */
	put_net(b, 0, 2);
	put_net(b, address_of(from), 4);
	put_net(b, address_of(to), 4);
	put_tcp(b, packet, &segment, mss_bytes);

	size_t tcp_bytes = b->count - ETHERNET_BYTES - IP_BYTES;
	size_t ip_bytes = IP_BYTES + tcp_bytes + segment.payload_bytes;

	set_net16(ip + 2, (uint16_t)ip_bytes);
	set_net16(ip + 10, fold16(sum16(ip, IP_BYTES, 0)));
	set_net16(tcp + 16, fold16(sum16(tcp, tcp_bytes,
					 sum16(ip + 12, 8, 6 + (uint32_t)(ip_bytes - IP_BYTES)))));
	return (uint32_t)(ETHERNET_BYTES + ip_bytes);
}

/* --- blocks --- */

static void begin_file(FILE *f)
{
	struct bytes b = { .count = 0 };

	put_file(&b, BLOCK_SECTION, 4);
	put_file(&b, 28, 4);
	put_file(&b, BYTE_ORDER_MAGIC, 4);
	put_file(&b, 1, 2); /* version 1.0 */
	put_file(&b, 0, 2);
	put_file(&b, UINT64_MAX, 8); /* length not given */
	put_file(&b, 28, 4);

	put_file(&b, BLOCK_INTERFACE, 4);
	put_file(&b, 32, 4);
	put_file(&b, LINK_ETHERNET, 2);
	put_file(&b, 0, 2);
	put_file(&b, FRAME_MAX, 4);
	put_file(&b, OPTION_TIME_RESOLUTION, 2);
	put_file(&b, 1, 2);
	put_file(&b, NANOSECONDS, 4); /* one byte and padding */
	put_file(&b, 0, 4);           /* end of options */
	put_file(&b, 32, 4);
	fwrite(b.data, 1, b.count, f);
}

static void see(void *context, int64_t start_ps, const struct packet *packet,
		const struct flow *flow)
{
	static const unsigned char padding[4];
	struct pcap *p = context;
	struct bytes frame = { .count = 0 }, block = { .count = 0 };
	uint32_t whole = put_frame(&frame, packet, flow, p->mss_bytes);
	uint64_t time_ns = (uint64_t)ps_to_ns(start_ps);
	size_t padded = (frame.count + 3) & ~(size_t)3;

	put_file(&block, BLOCK_PACKET, 4);
	put_file(&block, 32 + padded, 4);
	put_file(&block, 0, 4); /* interface */
	put_file(&block, time_ns >> 32, 4);
	put_file(&block, time_ns & UINT32_MAX, 4);
	put_file(&block, frame.count, 4);
	put_file(&block, whole, 4);
	put_bytes(&block, frame.data, frame.count);
	put_bytes(&block, padding, padded - frame.count);
	put_file(&block, 32 + padded, 4);
	fwrite(block.data, 1, block.count,
	       p->output.stream); /* errors are seen when it is published */
	p->packets++;
}

/* --- files --- */

int pcap_open(struct pcap *p, const char *port_and_file, struct error *e)
{
	const char *equals = strchr(port_and_file, '=');

	*p = (struct pcap){ 0 };
	if (!equals || equals == port_and_file || !equals[1])
		return error_set(e, "'%.200s' is not PORT=FILE, as in: leaf0->h3=leaf0.pcapng",
				 port_and_file);
	p->port = strndup(port_and_file, (size_t)(equals - port_and_file));
	if (!p->port)
		return error_set(e, "out of memory");
	if (output_open(&p->output, equals + 1, e)) {
		free(p->port);
		return -1;
	}
	begin_file(p->output.stream);
	return 0;
}

struct tap pcap_tap(struct pcap *p)
{
	return (struct tap){ p->port, see, p };
}

int pcap_publish(struct pcap *p, struct error *e)
{
	int failed = output_finish(&p->output, e) || output_publish(&p->output, e);

	free(p->port);
	return failed ? -1 : 0;
}

void pcap_abandon(struct pcap *p)
{
	output_abandon(&p->output);
	free(p->port);
}
