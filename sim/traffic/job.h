/* SPDX-License-Identifier: BSD-3-Clause */
/* job.h -- jobs: operation graphs that the ranks of a training job work through, as sections with
 * messages of their own (sim/core/job_run.h executes them).
 *
 * Each rank is a host and has operations: send, receive, compute, collective. An operation starts
 * when those that it depends on are complete, all of them of the same rank: between ranks there are
 * only messages. A graph may be repeated; a rank begins its next iteration when all its operations
 * are complete.
 *
 * A receive names its send, and the other way round, so that a message finds its receive without a
 * search: the k-th send of a rank to another with a tag is for the k-th such receive there. The
 * k-th collective of a rank in a communicator belongs to the k-th of the others.
 *
 * Built before the run, at one thread, then read by all threads. What changes during the run is in
 * struct job_rank, which only the worker of the rank's host touches. */
#ifndef SIM_TRAFFIC_JOB_H
#define SIM_TRAFFIC_JOB_H
#include "sim/traffic/collective.h"
#include "weir/error.h"
#include "weir/option.h"
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

enum job_op_kind { JOB_SEND, JOB_RECEIVE, JOB_COMPUTE, JOB_COLLECTIVE };

/* Computations of a rank with the same stream run one after the other. */
enum { JOB_STREAMS = 16 };

/* Limits, by which a message's label fits 64 bits. */
enum { GRAPH_JOBS_MAX = 255, JOB_COMMS_MAX = 2047 };

#define JOB_NONE UINT32_MAX

struct job_op {
	uint64_t amount; /* bytes of a message; picoseconds of computing */
	uint64_t spread; /* a computation takes up to so many picoseconds longer, uniformly */
	uint32_t match;  /* of a send its receive, and the reverse: number in job.ops */
	uint32_t peer;   /* rank that sends or receives; of a collective: place in job.kinds */
	uint32_t needs;  /* operations it depends on and, for a receive, its message */
	uint32_t next;   /* first of its successors in job.next; they end where the next op's begin
			  */
	uint32_t tag;    /* of a message; of a collective: its number in the communicator */
	uint16_t comm;   /* of a collective */
	uint8_t kind;    /* enum job_op_kind */
	uint8_t stream;
	uint32_t line; /* of the job's file, or number of its record; 0: none */
};

/* In job.next: the successor starts when the operation starts, not when it is complete. */
#define JOB_AT_START (UINT32_C(1) << 31)

/* Ranks that take part in collectives together. In a grid, ranks r, r + stride ... are one of
 * several such groups. */
struct job_comm {
	uint32_t size;
	uint32_t stride;   /* of a grid; 0: members */
	uint32_t *members; /* ranks, of a single group */
	uint32_t count;    /* collectives that each rank has in an iteration */
};

/* An iteration of a rank. Communication begins with its first operation that is no computation. */
struct job_iteration {
	int64_t begin_ps, end_ps; /* WEIR_TIME_NEVER_PS: not (yet) */
	int64_t start_ps;         /* the computing before it included */
	int64_t compute_ps;       /* in which the rank computes */
};

/* A collective that is under way at a rank. */
struct job_run {
	struct job_run *next;
	uint32_t op;       /* number in job.ops */
	uint32_t sequence; /* of the communicator's collectives */
	uint64_t left;     /* messages to send, to arrive and, where they count, acknowledgements */
	struct job_lane {
		uint64_t progress; /* collective_arrive */
		uint32_t step, steps;
	} lanes[];
};

struct job_rank {
	uint32_t host;
	uint32_t first_op, op_count;
	uint32_t is_straggler;
	/* While it runs: */
	uint32_t iteration, left;                /* operations of the iteration that remain */
	uint32_t *needs;                         /* by operation: what it still waits for */
	uint32_t *ready, ready_head, ready_tail; /* operations that start now; room for all */
	uint64_t *early; /* labels of messages that arrived before their operation began */
	uint32_t early_count, early_room;
	struct job_run *runs, *spare;
	int64_t stream_free_ps[JOB_STREAMS], compute_end_ps;
	struct job_iteration *iterations;
	uint32_t iteration_room;
	uint64_t received_bytes;
};

struct graph_job {
	uint16_t traffic;  /* its section */
	uint8_t is_shared; /* 1: ops are those of every rank; there are no sends and receives */
	uint8_t waits_for_acks; /* 1: sends are complete when they are acknowledged, not when they
				 * are handed to the transport */
	uint8_t has_records;    /* 1: job_op.line counts records of a file for each rank */
	int64_t start_first_ps, start_last_ps; /* each rank starts in this span */
	int64_t closes_ps;      /* no iteration begins from then on; WEIR_TIME_NEVER_PS: no limit */
	uint32_t iterations;    /* 0: until closes_ps */
	uint32_t warm_up;       /* the first of these are not measured */
	uint64_t straggler_q32; /* a straggler's computations take longer by this fraction */
	uint64_t messages, peers; /* most of a host at a time */
	uint32_t rank_count;
	struct job_rank *ranks;
	uint32_t *rank_of_host; /* JOB_NONE: none */
	uint32_t host_count;
	uint32_t op_count, op_room;
	struct job_op *ops; /* by rank, or of all ranks */
	uint32_t next_count, next_room;
	uint32_t *next;
	uint32_t kind_count;
	struct collective *kinds;
	uint32_t comm_count;
	struct job_comm *comms;
	uint64_t *matrix; /* owned: of kinds[0] */
};

struct job_list {
	uint32_t count;
	struct graph_job *jobs;
	/* Why a message could not be sent: the run has no result. Any worker sets it. */
	atomic_int failed;
	pthread_mutex_t lock;
	struct weir_error error;
};

/* --- options that several patterns share --- */

struct job_params {
	uint64_t members; /* 0: all hosts */
	char placement[WEIR_OPT_TEXT_SIZE];
	uint64_t rounds, warm_up;
	uint64_t stragglers, straggler_q32; /* straggler: a fraction that is added */
};

/* The pattern's params have a member job, and AT(member) is an offset in them. */
#define JOB_MEMBERS_OPTION(help_) \
	{ \
		"members", WEIR_OPT_COUNT, AT(job.members), NULL, 2, UINT32_MAX, help_, NULL \
	}
#define JOB_PLACEMENT_OPTION \
	{ \
		"placement", WEIR_OPT_TEXT, AT(job.placement), "in-order", 0, 0, \
			"hosts of the ranks: in-order (rank 0 is host 0), random, or their " \
			"numbers, as in 0-7,16-23", \
			NULL \
	}
#define JOB_ROUNDS_OPTION \
	{ \
		"rounds", WEIR_OPT_COUNT, AT(job.rounds), NULL, 1, UINT32_MAX, \
			"number of iterations; not given: one, or with measure.to as many as " \
			"begin until then", \
			NULL \
	}
#define JOB_REPEATS_OPTION \
	{ \
		"rounds", WEIR_OPT_COUNT, AT(job.rounds), "1", 1, UINT32_MAX, \
			"how often the whole job is repeated", NULL \
	}
#define JOB_WARM_UP_OPTION \
	{ \
		"warm-up", WEIR_OPT_COUNT, AT(job.warm_up), "0", 0, UINT32_MAX, \
			"iterations at the beginning that are not measured", NULL \
	}
#define JOB_STRAGGLERS_OPTION \
	{ \
		"stragglers", WEIR_OPT_COUNT, AT(job.stragglers), "0", 0, UINT32_MAX, \
			"ranks, chosen at random, that compute more slowly", NULL \
	}
#define JOB_STRAGGLER_DELAY_OPTION \
	{ \
		"straggler-delay", WEIR_OPT_FRACTION_Q32, AT(job.straggler_q32), "50%", 0, \
			UINT64_C(100) << 32, \
			"by how much more slowly: 50% takes 1.5 times as long", NULL \
	}

/* The member algorithms. */
#define JOB_ALGORITHM_OPTIONS \
	{ "algorithm", \
	  WEIR_OPT_CHOICE, \
	  AT(algorithms.algorithm), \
	  "auto", \
	  0, \
	  0, \
	  "of collectives; auto, and where the collective has no such one: direct for " \
	  "all-to-all, else ring", \
	  job_algorithm_choices }, \
		{ "local", \
		  WEIR_OPT_COUNT, \
		  AT(algorithms.local), \
		  "8", \
		  2, \
		  COLLECTIVE_RANKS_MAX, \
		  "hierarchical: ranks of a server", \
		  NULL }, \
		{ "channels", \
		  WEIR_OPT_COUNT, \
		  AT(algorithms.channels), \
		  "1", \
		  1, \
		  COLLECTIVE_CHANNELS_MAX, \
		  "parts of a collective with connections of their own", \
		  NULL }, \
	{ \
		"chunks", WEIR_OPT_COUNT, AT(algorithms.chunks), "1", 1, \
			COLLECTIVE_LANES_MAX / COLLECTIVE_CHANNELS_MAX / 2, \
			"parts of a channel's data, one behind the other", NULL \
	}

extern const char *const job_algorithm_choices[COLLECTIVE_ALGORITHMS + 2];

/* --- building: job.c --- */

struct flow_builder;

/* Appends a job of that many ranks to the section's list, with hosts, start and iterations by its
 * options; the list owns it, also where the caller fails later. The result is valid until the next
 * job is added. NULL: message. */
struct graph_job *job_new(struct flow_builder *b, const struct job_params *p, uint32_t ranks);

/* Number of ranks: as configured or, at 0, all hosts. -1: message. */
int job_count_ranks(struct flow_builder *b, const struct job_params *p, uint32_t *ranks);

/* Ranks are filled in order: operations that are added belong to this one. Not of a job that is
 * shared. */
void job_begin_rank(struct graph_job *j, uint32_t rank);

/* Returns the operation's number in job.ops. -1: there are too many, or too little memory; message.
 */
int64_t job_add_op(struct graph_job *j, const struct job_op *op, struct weir_error *e);

/* A dependency between two operations of a rank; `flags` is 0 or JOB_AT_START. Any order. */
struct job_tie {
	uint32_t before, after, flags;
};

struct job_ties {
	struct job_tie *ties;
	uint64_t count, room;
};

void job_ties_add(struct job_ties *t, struct job_tie tie);
void job_ties_free(struct job_ties *t);

/* All operations are there: adds dependencies, matches messages, and finds what the job needs of
 * the mailboxes. -1: a cycle, or a message without receive or send; the message names rank and
 * line of the operation. */
int job_finish(struct graph_job *j, struct job_ties *ties, struct weir_error *e);

uint32_t job_add_kind(struct graph_job *j, const struct collective *c);

/* How the collectives of a file are run. */
struct job_algorithms {
	uint64_t algorithm; /* 0: the usual one of the kind; else enum collective_algorithm + 1 */
	uint64_t local, channels, chunks;
};

/* The collective of a file, by these algorithms where the kind and the number of ranks have them
 * (hierarchical: more ranks than a server). Returns its number in job.kinds. -1: message. */
int64_t job_add_file_kind(struct graph_job *j, const struct job_algorithms *a,
			  const struct collective *c, struct weir_error *e);

/* members: taken over; NULL: a grid. -1: too many. */
int job_add_comm(struct graph_job *j, uint32_t size, uint32_t stride, uint32_t *members);

void job_list_free(struct job_list *l); /* NULL: nothing to do */

/* --- reading --- */

/* What an iteration of a job sends; of many ranks or parts an even sample is multiplied. */
struct job_demand {
	uint32_t traffic, ranks, iterations; /* iterations 0: until measure.to */
	double messages, bytes, segments;    /* segments of mss_bytes each */
};
struct job_demand job_estimate(const struct graph_job *j, uint32_t mss_bytes);

/* Where the successors of an operation end in job.next. */
uint32_t job_next_end(const struct graph_job *j, uint32_t op);

/* Is the rank in a group of the communicator? Its place in that; the rank at a place of it. */
int job_comm_has(const struct job_comm *c, uint32_t rank);
uint32_t job_comm_place(const struct job_comm *c, uint32_t rank);
uint32_t job_comm_rank(const struct job_comm *c, uint32_t rank, uint32_t place);
#endif
