/* SPDX-License-Identifier: BSD-3-Clause */
/* bed.h -- the hosts of a testbed, and the board that all of its processes share.
 *
 * Each host is a process and a network namespace, with a veth pair to the switch. Namespaces have
 * no name and veth pairs end in them, so everything is removed with the processes; and these end
 * with the process that made them, also if that one is killed. The caller itself moves into a
 * namespace of its own, which is the switch's: the other ends of the veth pairs are there,
 * "weir-h0" and so on. It stays there. */
#ifndef TESTBED_BED_H
#define TESTBED_BED_H
#include "weir/error.h"
#include <stdatomic.h>
#include <stdint.h>
#include <sys/types.h>

/* --- the board: the flows of the plan, and what became of them ---
 *
 * It lies in memory that every process of the testbed shares. The plan is written before hosts are
 * made and does not change; each of the other fields has one writer, which is named beside it.
 * Times are in nanoseconds of CLOCK_MONOTONIC, those of the plan since epoch_ns. */

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
	uint32_t connection, next; /* the flow that opens its connection; the next on it */
	uint16_t section;
	uint8_t tos, ack_tos;
	uint8_t first_tos;             /* of its first first_bytes */
	uint32_t first_bytes;          /* 0: it has one class */
	int64_t began_ns;              /* sender: its first byte was handed to the kernel */
	int64_t finish_ns;             /* receiver: its last byte is there; -1: not yet */
	uint64_t received_bytes;       /* receiver */
	uint64_t from_bytes, to_bytes; /* receiver: what that was when measuring began and ended */
};

/* Everything that is counted since the start, when measuring began and when it ended. */
struct bed_counts {
	int64_t time_ns; /* when it was counted: a busy machine is late */
	uint64_t data_segments, retransmits, timeouts;
};

struct bed_host {
	uint64_t line_Bps;            /* payload per second that its line carries */
	struct bed_counts from, to;   /* the host */
	_Atomic uint32_t is_ready;    /* the host: 1: it is; 2: it failed, and says why */
	_Atomic uint32_t has_counted; /* the host: to, and what its flows had then, is there */
	_Atomic uint32_t connections; /* the host: it could not open or keep */
	char message[BED_MESSAGE];
	_Atomic uint32_t
		flow_of_port[BED_SOURCE_PORTS]; /* the host: of connections that it opens */
};

/* What the connections of a section have in common. */
struct bed_section {
	char cc[BED_NAME];   /* the kernel's name */
	uint64_t pacing_Bps; /* bytes per second that an application makes; 0: all at once */
};

/* What the flows of a section receive over time, in bins of equal length from the epoch on. */
struct bed_probe {
	uint32_t section;
	uint32_t first_bin, bins;
	int64_t every_ns;
};

struct bed_board {
	uint32_t host_count, flow_count, section_count, probe_count;
	int64_t lead_ns; /* connections are opened so long before their flow starts */
	int64_t from_ns;
	_Atomic int64_t to_ns;     /* main may say later; BED_NEVER_NS: it will */
	_Atomic int64_t epoch_ns;  /* main: 0: not yet known */
	_Atomic uint32_t finished; /* hosts: flows with a size that are done */
	struct bed_section sections[BED_SECTIONS_MAX];
	struct bed_probe probes[BED_PROBES_MAX];
	struct bed_host hosts[BED_HOSTS_MAX];
	struct bed_flow flows[]; /* and behind them the bins */
};

/* Bytes; of the hosts that receive. */
static inline _Atomic uint64_t *bed_bins(const struct bed_board *b)
{
	return (_Atomic uint64_t *)&b->flows[b->flow_count];
}

/* --- hosts --- */

/* How the hosts' kernels are set. */
struct bed_plan {
	uint32_t mtu_bytes;
	uint32_t initial_window_pkts;
	uint32_t rto_min_ms;
	int has_ecn;   /* where a congestion control does not ask for it itself */
	int acks_each; /* a packet each is answered at once */
	int has_timestamps;
	int has_tail_probe;
	int has_idle_restart;
};

struct bed {
	struct bed_board *board;
	size_t board_bytes;
	pid_t processes[BED_HOSTS_MAX];
};

/* A board for so many flows and bins, all zero. */
int bed_new(struct bed *bed, uint32_t flows, uint32_t bins, struct weir_error *e);
void bed_free(struct bed *bed); /* and every host */

/* Moves into a namespace; what is missing where that is not allowed is in the message. */
int bed_enter(struct weir_error *e);

/* Makes the hosts of the board, which wait for its epoch when this returns. */
int bed_start(struct bed *bed, const struct bed_plan *plan, struct weir_error *e);

/* 1: every host is still there. */
int bed_is_whole(const struct bed *bed, struct weir_error *e);

#define BED_INTERFACE "weir-h"

/* "02:00:00:00:00:07" of host 6; returns buffer. */
enum { BED_ADDRESS = 18 };
const char *bed_address(uint32_t host, char buffer[BED_ADDRESS]);
#endif
