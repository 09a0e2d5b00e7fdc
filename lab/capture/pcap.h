/* SPDX-License-Identifier: BSD-3-Clause */
/* pcap.h -- captures the packets of a port into a pcapng file with nanosecond timestamps.
 *
 * TCP is written as TCP, queue pairs as RoCEv2, pauses as PFC frames (frame.h). The timestamp is
 * the start of transmission; ECN bits are those after the port's marking. The interface has the
 * port's name, and the file's comment is the title of the scenario. A pcap is used by one thread:
 * that of its port. */
#ifndef LAB_CAPTURE_PCAP_H
#define LAB_CAPTURE_PCAP_H
#include "lab/capture/frame.h"
#include "base/output.h"
#include "sim/run/run.h"

struct pcap {
	struct output output;
	char *port;
	uint32_t port_hash; /* hash of the port's name, for its MAC address */
	struct streams streams;
	enum frame_extent extent;
	uint64_t packets;
};

/* Parses "PORT=FILE" and opens the file. config is that of the run and must outlive p. The caller
 * ends it with pcap_publish or pcap_abandon. */
int pcap_open(struct pcap *p, const char *port_and_file, const struct config *config,
	      enum frame_extent extent, struct weir_error *e);

/* Writes a frame of a real port: the whole frame or, for FRAME_HEADERS, its first
 * PCAP_HEADERS_BYTES. time_ns: since 1970. */
enum { PCAP_HEADERS_BYTES = 128 };
void pcap_frame(struct pcap *p, uint64_t time_ns, const uint8_t *frame, uint32_t bytes);

/* The tap for run_control, which needs taps_see_frames. */
struct tap pcap_tap(struct pcap *p);

/* The file appears complete, or not at all. */
int pcap_publish(struct pcap *p, struct weir_error *e);
void pcap_abandon(struct pcap *p);
#endif
