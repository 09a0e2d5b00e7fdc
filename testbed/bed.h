/* SPDX-License-Identifier: BSD-3-Clause */
/* bed.h -- the hosts of a testbed, and the shared memory through which its processes communicate.
 *
 * Each host is a process in its own network namespace with a veth pair to the switch. Namespaces
 * have no name, and veth pairs end in them, so the kernel removes everything when the processes
 * end; and they end with the process that created them, even if it is killed. The caller itself
 * enters a namespace, the switch's, which holds the other ends of the veth pairs ("weir-h0" and so
 * on), and stays there. */
#ifndef TESTBED_BED_H
#define TESTBED_BED_H
#include "weir/error.h"
#include <stdatomic.h>
#include <stdint.h>
#include <sys/types.h>

/* --- the board: shared memory with the planned flows and their outcome ---
 *
 * The plan is written before the hosts start and does not change. Every other field has exactly one
 * writer, named beside it. Times are in nanoseconds of CLOCK_MONOTONIC, those of the plan relative
 * to epoch_ns. */

#define BED_NONE UINT32_MAX
#define BED_UNLIMITED UINT64_MAX
#define BED_NEVER_NS INT64_MAX

enum {
	BED_HOSTS_MAX = 20,
	BED_SECTIONS_MAX = 16,
	BED_PROBES_MAX = 16,
	BED_MESSAGE = 768,
	BED_NAME = 32
};
enum { BED_SOURCE_PORTS = 65536 };

struct bed_flow {
	int64_t start_ns, stop_ns;
	uint64_t size_bytes; /* BED_UNLIMITED: sends until stop_ns */
	uint32_t src, dst;
	uint32_t connection,
		next; /* the flow that opens its connection; the next flow on that connection */
	uint16_t section;
	uint8_t tos, ack_tos;
	uint8_t first_tos;       /* IP TOS of the first first_bytes */
	uint32_t first_bytes;    /* 0: one class for the whole flow */
	int64_t began_ns;        /* sender: when the first byte was passed to the kernel */
	int64_t finish_ns;       /* receiver: when the last byte arrived; -1: not yet */
	uint64_t received_bytes; /* receiver */
	uint64_t from_bytes,
		to_bytes; /* receiver: received_bytes at the start and end of the measurement */
};

/* Counters at the start and at the end of the measurement interval. */
struct bed_counts {
	int64_t time_ns; /* when they were read: late on a busy machine */
	uint64_t data_segments, retransmits, timeouts;
};

struct bed_host {
	uint64_t line_Bps;            /* payload bytes per second at link rate */
	struct bed_counts from, to;   /* host */
	_Atomic uint32_t is_ready;    /* host: 1: ready; 2: failed, with a message */
	_Atomic uint32_t has_counted; /* host: 1: to, and the counters of its flows, are written */
	_Atomic uint32_t connections; /* host: connections that failed to open or broke */
	char message[BED_MESSAGE];
	_Atomic uint32_t flow_of_port[BED_SOURCE_PORTS]; /* host: by source port, of connections
							    that it opens */
};

/* Settings that the connections of a traffic section share. */
struct bed_section {
	char cc[BED_NAME];   /* name of the kernel's congestion control */
	uint64_t pacing_Bps; /* bytes per second that the application produces; 0: unlimited */
};

/* Received bytes of a section over time, in bins of equal length from the epoch. */
struct bed_probe {
	uint32_t section;
	uint32_t first_bin, bins;
	int64_t every_ns;
};

struct bed_board {
	uint32_t host_count, flow_count, section_count, probe_count;
	int64_t lead_ns; /* connections are opened this long before their flow starts */
	int64_t from_ns;
	_Atomic int64_t to_ns;     /* main, may be set late; BED_NEVER_NS: not yet known */
	_Atomic int64_t epoch_ns;  /* main: 0: not yet known */
	_Atomic uint32_t finished; /* hosts: flows of finite size that have completed */
	struct bed_section sections[BED_SECTIONS_MAX];
	struct bed_probe probes[BED_PROBES_MAX];
	struct bed_host hosts[BED_HOSTS_MAX];
	struct bed_flow flows[]; /* followed by the bins */
};

/* Bytes per bin, added by the receiving hosts. */
static inline _Atomic uint64_t *bed_bins(const struct bed_board *b)
{
	return (_Atomic uint64_t *)&b->flows[b->flow_count];
}

/* --- hosts --- */

/* Settings of the hosts' kernels. */
struct bed_plan {
	uint32_t mtu_bytes;
	uint32_t initial_window_pkts;
	uint32_t rto_min_ms;
	int has_ecn;   /* also for congestion controls that do not request ECN themselves */
	int acks_each; /* acknowledge every packet at once */
	int has_timestamps;
	int has_tail_probe;
	int has_idle_restart;
};

struct bed {
	struct bed_board *board;
	size_t board_bytes;
	pid_t processes[BED_HOSTS_MAX];
};

/* Creates a zeroed board for this many flows and bins. */
int bed_new(struct bed *bed, uint32_t flows, uint32_t bins, struct weir_error *e);
void bed_free(struct bed *bed); /* and ends every host */

/* Enters a network namespace; where that is not permitted, the message says what is missing. */
int bed_enter(struct weir_error *e);

/* Starts the hosts of the board; when this returns they wait for the epoch. */
int bed_start(struct bed *bed, const struct bed_plan *plan, struct weir_error *e);

/* 1: every host process is alive. */
int bed_is_whole(const struct bed *bed, struct weir_error *e);

#define BED_INTERFACE "weir-h"

/* MAC address of a host, "02:00:00:00:00:07" for host 6; returns buffer. */
enum { BED_ADDRESS = 18 };
const char *bed_address(uint32_t host, char buffer[BED_ADDRESS]);
#endif
