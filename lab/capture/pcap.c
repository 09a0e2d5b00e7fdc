/* SPDX-License-Identifier: BSD-3-Clause */
/* pcap.c -- see pcap.h. The format is the IETF's PCAP Next Generation (draft-ietf-opsawg-pcapng):
 * a section header, one interface, an enhanced packet block per packet, all little endian. */
#define _POSIX_C_SOURCE 200809L
#include "lab/capture/pcap.h"
#include "lab/capture/pcapng.h"
#include "base/version.h"
#include "base/memory.h"
#include "weir/rng.h"
#include "weir/units.h"
#include <stdlib.h>
#include <string.h>

enum { TIME_DIGITS = 9 /* nanoseconds */, NO_FCS = 0, PACKET_BLOCK_BYTES = 32 };

/* --- bytes --- */

/* Little endian. Errors of the stream are detected by pcap_publish. */
static void put(FILE *f, uint64_t value, int width)
{
	for (int i = 0; i < width; i++)
		putc_unlocked((int)(value >> (8 * i) & 0xff), f);
}

static void put_zeros(FILE *f, size_t count)
{
	while (count--)
		putc_unlocked(0, f);
}

static uint32_t padding_of(uint32_t bytes)
{
	return -bytes % 4;
}

/* --- blocks --- */

/* An option of a block; values beyond the 16-bit length are truncated. */
struct block_option {
	uint16_t code;
	uint16_t bytes;
	const void *data;
};

static struct block_option text_option(uint16_t code, const char *text)
{
	size_t length = strlen(text);

	return (struct block_option){ code, (uint16_t)(length < UINT16_MAX ? length : UINT16_MAX),
				      text };
}

/* Size of the options and of the end-of-options marker. */
static uint32_t options_bytes(const struct block_option *options, size_t count)
{
	uint32_t bytes = 4;

	for (size_t i = 0; i < count; i++)
		bytes += 4 + options[i].bytes + padding_of(options[i].bytes);
	return bytes;
}

static void put_options(FILE *f, const struct block_option *options, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		put(f, options[i].code, 2);
		put(f, options[i].bytes, 2);
		fwrite(options[i].data, 1, options[i].bytes, f);
		put_zeros(f, padding_of(options[i].bytes));
	}
	put(f, PCAPNG_OPTION_END, 4);
}

static void put_section(FILE *f, const char *title)
{
	const struct block_option options[] = {
		text_option(PCAPNG_OPTION_PROGRAM, "Weir " WEIR_VERSION),
		text_option(PCAPNG_OPTION_COMMENT, title),
	};
	size_t count = *title ? 2 : 1;
	uint32_t bytes = 28 + options_bytes(options, count);

	put(f, PCAPNG_SECTION, 4);
	put(f, bytes, 4);
	put(f, PCAPNG_BYTE_ORDER, 4);
	put(f, 1, 2); /* version 1.0 */
	put(f, 0, 2);
	put(f, UINT64_MAX, 8); /* section length: not specified */
	put_options(f, options, count);
	put(f, bytes, 4);
}

static void put_interface(FILE *f, const char *port)
{
	static const unsigned char digits = TIME_DIGITS, fcs_bytes = NO_FCS;
	const struct block_option options[] = {
		text_option(PCAPNG_OPTION_NAME, port),
		{ PCAPNG_OPTION_TIME_UNIT, 1, &digits },
		{ PCAPNG_OPTION_FCS_BYTES, 1, &fcs_bytes },
	};
	size_t count = sizeof(options) / sizeof(options[0]);
	uint32_t bytes = 20 + options_bytes(options, count);

	put(f, PCAPNG_INTERFACE, 4);
	put(f, bytes, 4);
	put(f, CAPTURE_ETHERNET, 2);
	put(f, 0, 2);
	put(f, 0, 4); /* snapshot length: no limit */
	put_options(f, options, count);
	put(f, bytes, 4);
}

static void put_frame(FILE *f, const struct frame *frame)
{
	fwrite(frame->head, 1, frame->head_bytes, f);
	if (frame->extent == FRAME_WHOLE)
		put_zeros(f, frame->payload_bytes);
	if (frame->extent == FRAME_WHOLE || frame->payload_bytes == 0)
		fwrite(frame->tail, 1, frame->tail_bytes, f);
	if (frame->extent == FRAME_WHOLE)
		put_zeros(f, frame->trailer_bytes);
}

static void put_packet_head(FILE *f, uint32_t block_bytes, uint64_t time_ns, uint32_t kept,
			    uint32_t bytes)
{
	put(f, PCAPNG_PACKET, 4);
	put(f, block_bytes, 4);
	put(f, 0, 4); /* interface number */
	put(f, time_ns >> 32, 4);
	put(f, time_ns, 4);
	put(f, kept, 4);
	put(f, bytes, 4);
}

static void put_packet(struct pcap *p, const struct sighting *seen)
{
	FILE *f = p->output.stream;
	struct frame frame = { .extent = p->extent };
	uint64_t time_ns = (uint64_t)weir_ps_to_ns(seen->start_ps);

	frame_build(&frame, &p->streams, seen);

	uint32_t kept = frame_kept_bytes(&frame);
	uint32_t bytes = PACKET_BLOCK_BYTES + kept + padding_of(kept);

	put_packet_head(f, bytes, time_ns, kept, frame_bytes(&frame));
	put_frame(f, &frame);
	put_zeros(f, padding_of(kept));
	put(f, bytes, 4);
	p->packets++;
}

void pcap_frame(struct pcap *p, uint64_t time_ns, const uint8_t *frame, uint32_t bytes)
{
	FILE *f = p->output.stream;
	int is_cut = p->extent == FRAME_HEADERS && bytes > PCAP_HEADERS_BYTES;
	uint32_t kept = is_cut ? PCAP_HEADERS_BYTES : bytes;
	uint32_t block = PACKET_BLOCK_BYTES + kept + padding_of(kept);

	put_packet_head(f, block, time_ns, kept, bytes);
	fwrite(frame, 1, kept, f);
	put_zeros(f, padding_of(kept));
	put(f, block, 4);
	p->packets++;
}

static void see(void *context, int64_t start_ps, const struct weir_packet *packet,
		const struct flow *flow)
{
	struct pcap *p = context;
	struct sighting seen = { .start_ps = start_ps, .packet = packet, .card = p->card };

	if (flow)
		seen.flows = flow - seen_segment(&seen).connection;
	put_packet(p, &seen);
}

/* --- files --- */

static uint32_t number_of(const char *port)
{
	uint64_t hash = 0;

	while (*port)
		hash = weir_hash64(hash, (unsigned char)*port++);
	return (uint32_t)hash;
}

int pcap_open(struct pcap *p, const char *port_and_file, const struct config *config,
	      enum frame_extent extent, struct weir_error *e)
{
	const char *equals = strchr(port_and_file, '=');

	*p = (struct pcap){ .streams = { .config = config }, .extent = extent };
	if (!equals || equals == port_and_file || !equals[1])
		return weir_error_set(e, "'%.200s' is not PORT=FILE, as in: leaf0->h3=leaf0.pcapng",
				      port_and_file);
	p->port = memory_text(port_and_file, (size_t)(equals - port_and_file));
	if (output_open(&p->output, equals + 1, e)) {
		free(p->port);
		return -1;
	}
	p->card = number_of(p->port);
	put_section(p->output.stream, config->title);
	put_interface(p->output.stream, p->port);
	return 0;
}

struct tap pcap_tap(struct pcap *p)
{
	return (struct tap){ p->port, see, p };
}

int pcap_publish(struct pcap *p, struct weir_error *e)
{
	int failed = output_finish(&p->output, e) || output_publish(&p->output, e);

	streams_free(&p->streams);
	free(p->port);
	return failed ? -1 : 0;
}

void pcap_abandon(struct pcap *p)
{
	output_abandon(&p->output);
	streams_free(&p->streams);
	free(p->port);
}
