/* SPDX-License-Identifier: BSD-3-Clause */
/* pcap.c -- writes pcapng (draft-ietf-opsawg-pcapng): a section header, one interface, and an
 * enhanced packet block per packet, all little endian. */
#define _POSIX_C_SOURCE 200809L
#include "lab/capture/pcap.h"
#include "lab/capture/capture.h"
#include "base/version.h"
#include "base/memory.h"
#include "weir/rng.h"
#include "weir/units.h"
#include <stdlib.h>
#include <string.h>

enum { TIME_DIGITS = 9 /* nanoseconds */, NO_FCS = 0, PACKET_BLOCK_BYTES = 32 };

/* --- bytes --- */

/* Little endian. Errors of the stream are detected by pcap_publish. */
static void pcap_put(FILE *f, uint64_t value, int width)
{
	for (int i = 0; i < width; i++)
		putc_unlocked((int)(value >> (8 * i) & 0xff), f);
}

static void pcap_put_zeros(FILE *f, size_t count)
{
	while (count--)
		putc_unlocked(0, f);
}

static uint32_t pcap_padding(uint32_t bytes)
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

static struct block_option pcap_text_option(uint16_t code, const char *text)
{
	size_t length = strlen(text);

	return (struct block_option){ code, (uint16_t)(length < UINT16_MAX ? length : UINT16_MAX),
				      text };
}

/* Size of the options and of the end-of-options marker. */
static uint32_t pcap_options_bytes(const struct block_option *options, size_t count)
{
	uint32_t bytes = 4;

	for (size_t i = 0; i < count; i++)
		bytes += 4 + options[i].bytes + pcap_padding(options[i].bytes);
	return bytes;
}

static void pcap_put_options(FILE *f, const struct block_option *options, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		pcap_put(f, options[i].code, 2);
		pcap_put(f, options[i].bytes, 2);
		fwrite(options[i].data, 1, options[i].bytes, f);
		pcap_put_zeros(f, pcap_padding(options[i].bytes));
	}
	pcap_put(f, PCAPNG_OPTION_END, 4);
}

static void pcap_put_section(FILE *f, const char *title)
{
	const struct block_option options[] = {
		pcap_text_option(PCAPNG_OPTION_PROGRAM, "Weir " WEIR_VERSION),
		pcap_text_option(PCAPNG_OPTION_COMMENT, title),
	};
	size_t count = *title ? 2 : 1;
	uint32_t bytes = 28 + pcap_options_bytes(options, count);

	pcap_put(f, PCAPNG_SECTION, 4);
	pcap_put(f, bytes, 4);
	pcap_put(f, PCAPNG_BYTE_ORDER, 4);
	pcap_put(f, 1, 2); /* version 1.0 */
	pcap_put(f, 0, 2);
	pcap_put(f, UINT64_MAX, 8); /* section length: not specified */
	pcap_put_options(f, options, count);
	pcap_put(f, bytes, 4);
}

static void pcap_put_interface(FILE *f, const char *port)
{
	static const unsigned char digits = TIME_DIGITS, fcs_bytes = NO_FCS;
	const struct block_option options[] = {
		pcap_text_option(PCAPNG_OPTION_NAME, port),
		{ PCAPNG_OPTION_TIME_UNIT, 1, &digits },
		{ PCAPNG_OPTION_FCS_BYTES, 1, &fcs_bytes },
	};
	size_t count = sizeof(options) / sizeof(options[0]);
	uint32_t bytes = 20 + pcap_options_bytes(options, count);

	pcap_put(f, PCAPNG_INTERFACE, 4);
	pcap_put(f, bytes, 4);
	pcap_put(f, CAPTURE_ETHERNET, 2);
	pcap_put(f, 0, 2);
	pcap_put(f, 0, 4); /* snapshot length: no limit */
	pcap_put_options(f, options, count);
	pcap_put(f, bytes, 4);
}

static void pcap_put_frame(FILE *f, const struct frame *frame)
{
	fwrite(frame->head, 1, frame->head_bytes, f);
	if (frame->extent == FRAME_WHOLE)
		pcap_put_zeros(f, frame->payload_bytes);
	if (frame->extent == FRAME_WHOLE || frame->payload_bytes == 0)
		fwrite(frame->tail, 1, frame->tail_bytes, f);
	if (frame->extent == FRAME_WHOLE)
		pcap_put_zeros(f, frame->trailer_bytes);
}

static void pcap_put_packet_head(FILE *f, uint32_t block_bytes, uint64_t time_ns, uint32_t kept,
				 uint32_t bytes)
{
	pcap_put(f, PCAPNG_PACKET, 4);
	pcap_put(f, block_bytes, 4);
	pcap_put(f, 0, 4); /* interface number */
	pcap_put(f, time_ns >> 32, 4);
	pcap_put(f, time_ns, 4);
	pcap_put(f, kept, 4);
	pcap_put(f, bytes, 4);
}

static void pcap_put_packet(struct pcap *p, const struct tapped_packet *tapped)
{
	FILE *f = p->output.stream;
	struct frame frame = { .extent = p->extent };
	uint64_t time_ns = (uint64_t)weir_ps_to_ns(tapped->start_ps);

	frame_build(&frame, &p->streams, tapped);

	uint32_t kept = frame_captured_bytes(&frame);
	uint32_t bytes = PACKET_BLOCK_BYTES + kept + pcap_padding(kept);

	pcap_put_packet_head(f, bytes, time_ns, kept, frame_bytes(&frame));
	pcap_put_frame(f, &frame);
	pcap_put_zeros(f, pcap_padding(kept));
	pcap_put(f, bytes, 4);
	p->packets++;
}

void pcap_frame(struct pcap *p, uint64_t time_ns, const uint8_t *frame, uint32_t bytes)
{
	FILE *f = p->output.stream;
	int is_cut = p->extent == FRAME_HEADERS && bytes > PCAP_HEADERS_BYTES;
	uint32_t kept = is_cut ? PCAP_HEADERS_BYTES : bytes;
	uint32_t block = PACKET_BLOCK_BYTES + kept + pcap_padding(kept);

	pcap_put_packet_head(f, block, time_ns, kept, bytes);
	fwrite(frame, 1, kept, f);
	pcap_put_zeros(f, pcap_padding(kept));
	pcap_put(f, block, 4);
	p->packets++;
}

static void pcap_on_packet(void *context, int64_t start_ps, const struct weir_packet *packet,
			   const struct flow *flow)
{
	struct pcap *p = context;
	struct tapped_packet tapped = { .start_ps = start_ps,
					.packet = packet,
					.port_hash = p->port_hash };

	if (flow)
		tapped.flows = flow - tapped_segment(&tapped).connection;
	pcap_put_packet(p, &tapped);
}

/* --- files --- */

static uint32_t pcap_hash_port(const char *port)
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
	p->port_hash = pcap_hash_port(p->port);
	pcap_put_section(p->output.stream, config->title);
	pcap_put_interface(p->output.stream, p->port);
	return 0;
}

struct tap pcap_tap(struct pcap *p)
{
	return (struct tap){ p->port, pcap_on_packet, p };
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
