/* SPDX-License-Identifier: BSD-3-Clause */
/* capture_flows.h -- the flows of a capture: who sent how many bytes to whom, from when on.
 *
 * A flow is one direction of a TCP connection, of a pair of UDP ports, or of a RoCE queue pair,
 * however long it pauses: messages of a persistent connection are not told apart. It starts with
 * its first packet. Bytes are payload: of TCP what lies between the lowest and the highest sequence
 * number, of UDP the sum, of RoCE the sum over packets without those sent again, where an RDMA
 * WRITE counts as long as its first packet says. Memory grows with the number of flows only. */
#ifndef LAB_CAPTURE_CAPTURE_FLOWS_H
#define LAB_CAPTURE_CAPTURE_FLOWS_H
#include "lab/capture/capture_packet.h"

struct captured_flow {
	int64_t start_ns; /* relative to the first packet of any flow */
	uint64_t bytes;
	uint32_t src, dst; /* host numbers */
};

/* Flows are sorted by start time; hosts are numbered in the order of their first flow, source
 * before destination. */
struct capture_flows {
	uint32_t flow_count, host_count;
	struct captured_flow *flows;
	struct wire_address *hosts;
	uint64_t packets;
	uint64_t other_packets; /* neither TCP nor UDP over IP, or truncated */
	uint32_t empty_flows;   /* number omitted: without payload */
	uint32_t own_flows;     /* number omitted: from an address to itself */
};

/* Reads a file, or a stream, which stays open. The caller frees the flows; on -1 there is nothing
 * to free. */
int capture_flows_read(struct capture_flows *c, const char *path, struct weir_error *e);
int capture_flows_read_stream(struct capture_flows *c, FILE *f, const char *name,
			      struct weir_error *e);
void capture_flows_free(struct capture_flows *c);
#endif
