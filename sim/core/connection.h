/* SPDX-License-Identifier: BSD-3-Clause */
/* connection.h -- state of the two ends of an open connection, and of what is out of order on it.
 *
 * scoreboard.c: the sender's SACK scoreboard: which segments have arrived, are lost, or were
 * retransmitted (RFC 6675). rack.c: loss detection by time (RFC 8985), where
 * configured. arrivals.c: the segments that a receiver has beyond a missing one.
 *
 * Segments are numbered from 0 on each connection, modulo 2^32. Each end lies in a slab of the
 * worker that owns its host, which alone uses it; it is created when the connection opens at that
 * host and freed when it closes there. */
#ifndef SIM_CORE_CONNECTION_H
#define SIM_CORE_CONNECTION_H
#include "base/compiler.h"
#include "sim/core/engine.h"
#include "sim/core/transport.h"

enum sender_state {
	SENDER_SYN, /* waits for the SYN-ACK */
	SENDER_OPEN,
	SENDER_CWR,      /* reduces its window for an ECN echo */
	SENDER_RECOVERY, /* fast recovery */
	SENDER_LOSS,     /* recovery after an RTO */
	SENDER_DONE,     /* closed; freed when it leaves its ready list */
};

/* Segments [first, end). */
struct segment_range {
	uint32_t first, end;
};

/* SACK scoreboard of the segments [una, next); see scoreboard.c. Exists while something is out of
 * order, and under RACK always. */
struct scoreboard {
	uint32_t words_log2;                        /* marks[] has 2^words_log2 entries */
	uint32_t lost_edge;                         /* all below were examined for losses */
	uint32_t retransmit_from;                   /* none below waits for retransmission */
	uint32_t highest_sacked;                    /* first segment above all that are sacked */
	struct segment_range reported[SACK_BLOCKS]; /* by the last ACK with SACK blocks */
	struct rack *rack;     /* NULL: losses are detected by RFC 6675 alone */
	struct segment_marks { /* bits of 64 segments: sacked; lost and not retransmitted */
		uint64_t sacked, lost;
	} marks[];
};

enum tail_probe { PROBE_NONE, PROBE_NEW, PROBE_RETRANSMIT };

/* RACK-TLP state of a sender, part of its scoreboard; see rack.c. RFC 8985's name comes last. */
struct rack {
	uint32_t words_log2;        /* sent_ps[] has 64 x 2^words_log2 entries */
	uint32_t retransmitted_end; /* no segment from here on was retransmitted */
	uint32_t is_reordered;      /* 1: a packet was overtaken; RACK.reordering_seen */
	uint32_t recoveries_left;   /* until late_ps is reset; RACK.reo_wnd_persist */
	uint32_t probe;             /* enum tail_probe: in flight */
	uint32_t probe_end;         /* first segment above the probe; TLP.end_seq */
	int64_t newest_ps;          /* latest send time of all that arrived; RACK.xmit_ts */
	int64_t rtt_ps;             /* of that segment; RACK.rtt */
	int64_t min_rtt_ps;         /* RACK.min_RTT */
	int64_t late_ps;            /* largest extra delay of an overtaken packet */
	int64_t probe_sent_ps;      /* WEIR_TIME_NEVER_PS: not yet */
	/* Least reordering window; 0: RFC 8985's own. With one, no segment in flight was sent
	 * before oldest_ps. */
	int64_t least_window_ps, oldest_ps;
	/* When losses are examined again, and when the host's timers for that and for the next
	 * probe fire; WEIR_TIME_NEVER_PS: not set. */
	int64_t reorder_ps;
	int64_t reorder_timer_ps, probe_timer_ps;
	int64_t sent_ps[]; /* ring: last transmission of each segment in flight */
};

/* The sending end; the state of its congestion control follows. */
struct sender {
	uint64_t path;         /* path register, route.h */
	int64_t path_until_ps; /* the path is renewed from then on */
	uint32_t connection;   /* flow that opened it */
	uint32_t flow_hash;
	/* Segments: first not acknowledged, first never sent, first not available yet. */
	uint32_t una, next, end;
	uint32_t sacked, lost; /* of [una, next): arrived; lost and not retransmitted */
	uint32_t left_out;     /* sacked + lost: sent, but not in flight */
	uint32_t rtt_end;      /* the next RTT sample is of this segment or a later one */
	uint32_t recover;      /* the reduction or recovery ends when una reaches this */
	uint8_t state;         /* enum sender_state */
	uint8_t in_ready;      /* 1: on a ready list, or host.returning */
	uint8_t send_cwr;      /* 1: the next new segment carries CWR */
	uint8_t backoff;       /* the RTO is doubled this often */
	uint8_t class_id;      /* of segments [next, send_end) */
	uint8_t timer_on;      /* 1: the retransmission timer runs */
	uint16_t transport;    /* index of its transport */
	uint32_t ready_next;   /* handle of the next sender on the ready list; FLOW_NONE: last */
	uint32_t send_message; /* flow of segment next, or of the one before it */
	uint32_t send_end;     /* where that flow ends, or its class changes */
	uint32_t una_message;  /* flow of segment una, or an earlier one */
	uint32_t last_message; /* newest flow of the connection */
	uint32_t allowed_pkts; /* limit on packets in flight; 0: not open, or closed */
	int64_t srtt_ns, rttvar_ns; /* RFC 6298, scaled by 8 and 4; srtt 0: no sample yet */
	/* The RTO expires at progress_ps + RTO. A host timer fires at timer_ps (WEIR_TIME_NEVER_PS:
	 * none), in time for any RTO of armed_ns or longer. */
	int64_t progress_ps, timer_ps, armed_ns;
	int64_t slack_ps; /* of packets of send_message */
	union {
		struct { /* TCP: proportional rate reduction, RFC 6937, in bytes */
			uint64_t prr_delivered, prr_out, prr_flight;
		};
		struct {                 /* RDMA: pacing */
			int64_t last_ps; /* start of the last packet; -1: none yet */
			int64_t pace_ps; /* pacing timer; WEIR_TIME_NEVER_PS: none */
			int64_t wake_ps; /* timer of the congestion control; WEIR_TIME_NEVER_PS:
					    none */
		};
	};
	struct scoreboard *board;   /* NULL: nothing is out of order */
	uint32_t spray_count;       /* packets sprayed so far */
	uint32_t last_bytes;        /* RDMA: frame size of the last packet */
	uint32_t retransmitted_end; /* end of the newest message with a retransmission */
};

_Static_assert(sizeof(struct sender) <= 192, "three cache lines");

/* State of the congestion control, for TCP and for RDMA. */
static inline struct weir_cc_window *sender_cc(struct sender *s)
{
	return (struct weir_cc_window *)(s + 1);
}

static inline struct weir_cc_pace *sender_pace(struct sender *s)
{
	return (struct weir_cc_pace *)(s + 1);
}

static inline const struct transport *sender_transport(const struct engine *e,
						       const struct sender *s)
{
	return &e->transports[s->transport];
}

/* Segments that a receiver has beyond a missing one; see arrivals.c. */
struct arrivals {
	uint32_t words_log2; /* words[] has 2^words_log2 entries */
	uint32_t recent_count;
	struct recent_arrival { /* newest first, each with the SACK block it lies in (RFC 2018) */
		uint32_t segment;
		struct segment_range block;
	} recent[SACK_BLOCKS];
	uint64_t words[]; /* ring: bit per segment */
};

/* The receiving end; the transport's own state follows. */
struct receiver {
	uint64_t path;         /* path register of ACKs, route.h */
	int64_t path_until_ps; /* the path is renewed from then on */
	uint32_t connection;   /* flow that opened it */
	uint32_t flow_hash;
	uint32_t next;            /* first segment not received */
	uint32_t message;         /* flow of segment next, or the last one */
	uint32_t message_end;     /* first segment after it */
	uint32_t unacked_pkts;    /* data packets without an ACK */
	uint8_t echo;             /* SEGMENT_ECE or 0: the last packet was marked (RFC 8257), or one
				     since CWR (RFC 3168) */
	uint8_t timer_set;        /* 1: a host timer for the delayed ACK is set */
	uint8_t class_id;         /* of ACKs */
	uint16_t transport;       /* index of its transport */
	int64_t echo_ps;          /* sent_ps that the next ACK echoes */
	int64_t deadline_ps;      /* of the delayed ACK */
	uint64_t bytes;           /* payload received for the first time */
	uint64_t message_bytes;   /* payload of complete messages */
	uint64_t measured_bytes;  /* value of bytes when measuring began */
	struct arrivals *arrived; /* NULL: no segment is missing */
	uint32_t arrived_count;   /* segments received beyond next */
	uint32_t highest;         /* first segment above all received; with arrived_count */
	uint32_t marked_pkts;     /* data packets that arrived marked, for probes */
	uint32_t spray_count;     /* ACKs sprayed so far */
};

/* Follows struct receiver in a queue pair. */
struct rdma_receiver {
	int64_t cnp_ps;     /* last CNP; 0: none yet */
	uint32_t nacked;    /* segment of the last NACK, plus 1 */
	uint32_t is_marked; /* 1: data was marked since the last CNP */
};

static inline struct rdma_receiver *receiver_rdma(struct receiver *r)
{
	return (struct rdma_receiver *)(r + 1);
}

/* A path register: the destination is unreachable. The NIC drops the packet. */
#define PATH_NONE UINT64_MAX

_Static_assert(sizeof(struct receiver) <= 128, "two cache lines");

/* Order of segment numbers modulo 2^32. */
static inline int segment_before(uint32_t a, uint32_t b)
{
	return (int32_t)(a - b) < 0;
}

/* A worker's free lists of scoreboards, arrivals and RACK states, by size. */
static inline void connection_rings_init(struct worker *w)
{
	w->boards = (struct ring_store){ .header_bytes = sizeof(struct scoreboard),
					 .unit_bytes = sizeof(struct segment_marks) };
	w->arrivals = (struct ring_store){ .header_bytes = sizeof(struct arrivals),
					   .unit_bytes = sizeof(uint64_t) };
	w->racks = (struct ring_store){ .header_bytes = sizeof(struct rack),
					.unit_bytes = 64 * sizeof(int64_t) };
}

static inline void connection_rings_free(struct worker *w)
{
	ring_store_free(&w->boards);
	ring_store_free(&w->arrivals);
	ring_store_free(&w->racks);
}

/* --- scoreboard.c --- */

/* Segments in flight: sent, neither acknowledged nor sacked nor lost (RFC 6675's pipe). */
static inline uint32_t sender_in_flight(const struct sender *s)
{
	return s->next - s->una - s->left_out;
}

/* Does the window allow another segment, and is there one to send? */
static inline int sender_can_send(const struct sender *s)
{
	return sender_in_flight(s) < s->allowed_pkts && (s->next != s->end || s->lost);
}

/* A cumulative ACK up to segment; returns how many segments it newly acknowledges. */
uint32_t scoreboard_ack_slow(struct sender *s, uint32_t segment);

static inline uint32_t scoreboard_ack(struct sender *s, uint32_t segment)
{
	uint32_t arrived = segment - s->una;

	if (UNLIKELY(s->board != NULL))
		return scoreboard_ack_slow(s, segment);
	s->una = segment;
	return arrived;
}

/* The SACK blocks of an ACK; returns how many segments they newly acknowledge. */
uint32_t scoreboard_sack(struct worker *w, struct sender *s, const struct segment *ack);

/* Detects losses by RFC 6675: a segment is lost once three segments above it have arrived. Returns
 * how many are newly lost. */
uint32_t scoreboard_detect(struct sender *s);

/* RTO: everything in flight is lost. */
void scoreboard_lose_all(struct worker *w, struct sender *s);

/* The first lost segment; scoreboard_retransmit marks it as retransmitted. s->lost > 0. */
uint32_t scoreboard_first_lost(const struct sender *s);
uint32_t scoreboard_retransmit(struct sender *s);

/* Makes room for segment next, which is about to be sent. s->board is not NULL. */
void scoreboard_extend(struct worker *w, struct sender *s);

/* Creates a scoreboard with RACK, for the life of the connection. */
void scoreboard_open_rack(struct worker *w, struct sender *s);

/* Frees the scoreboard once nothing is out of order, unless it has RACK. */
void scoreboard_close_if_clean(struct worker *w, struct sender *s);
void scoreboard_free(struct worker *w, struct sender *s);

static inline struct segment_marks *scoreboard_marks(struct scoreboard *b, uint32_t segment)
{
	return &b->marks[segment / 64 & ((1u << b->words_log2) - 1)];
}

/* --- rack.c: only where s->board->rack is not NULL --- */

/* A new RACK state or, given an old one, one of another size that replaces it. */
struct rack *rack_grow(struct worker *w, const struct sender *s, struct rack *old,
		       uint32_t words_log2);
void rack_free(struct worker *w, struct rack *k);

/* Packets may be reordered from the start (packet spraying). window_ps: least reordering window; 0:
 * RFC 8985's own. */
void rack_expect_reordering(struct sender *s, int64_t window_ps);

/* A segment was sent or retransmitted. */
void rack_sent(const struct engine *e, struct host *h, struct sender *s, uint32_t segment,
	       int64_t start_ps);

/* An ACK, after the scoreboard has processed it. */
void rack_on_ack(struct host *h, struct sender *s, const struct segment *ack);

/* The end of a recovery. */
void rack_recovered(struct sender *s);

/* Detects losses by time; returns how many are newly lost. Sets the reordering timer where others
 * may become so. */
uint32_t rack_detect(struct host *h, struct sender *s);

/* TIMER_REORDER fired: returns 1 where rack_detect is due. */
int rack_reorder_is_due(struct host *h, struct sender *s);

/* Sets the timer of the tail-loss probe, where one may become due. */
void rack_plan_probe(const struct engine *e, struct host *h, struct sender *s);

/* TIMER_PROBE fired: returns 1 where a probe is to be sent now. */
int rack_probe(const struct engine *e, struct host *h, struct sender *s);

/* Does the ACK show that a tail-loss probe has repaired a loss? */
int rack_probe_found_loss(struct sender *s, const struct segment *ack);

/* --- arrivals.c --- */

/* A segment beyond next has arrived; returns 0 for a duplicate. */
int arrivals_add(struct worker *w, struct receiver *r, uint32_t segment);

/* next has moved over a missing segment: moves it over all that were received behind it. */
void arrivals_close_gap(struct worker *w, struct receiver *r);

/* Fills in the SACK blocks of an ACK: distinct, newest first. arrived_count > 0. */
void arrivals_report(const struct receiver *r, struct segment *ack);
void arrivals_free(struct worker *w, struct receiver *r);
#endif
