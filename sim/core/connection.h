/* SPDX-License-Identifier: BSD-3-Clause */
/* connection.h -- the two ends of a running connection: what each remembers, and what it knows of
 * segments that are out of order.
 *
 * scoreboard.c knows which segments in flight have arrived, are lost, were sent again; rack.c finds
 * losses by time, where asked for; arrivals.c knows which have arrived beyond one that is
 * missing. */
#ifndef SIM_CORE_CONNECTION_H
#define SIM_CORE_CONNECTION_H
#include "base/compiler.h"
#include "sim/core/engine.h"
#include "sim/core/transport.h"

enum sender_state {
	SENDER_SYN, /* waits for the SYN-ACK */
	SENDER_OPEN,
	SENDER_CWR,      /* carries out a cut for an ECN echo */
	SENDER_RECOVERY, /* repairs losses that SACK showed */
	SENDER_LOSS,     /* after a timeout */
	SENDER_DONE,     /* only waits to leave the card's turn */
};

/* Segments from first up to end, without it. */
struct segment_range {
	uint32_t first, end;
};

/* What a sender knows of the segments in flight while something is out of order; see
 * scoreboard.c. */
struct scoreboard {
	uint32_t words_log2;                        /* so many words of marks */
	uint32_t lost_edge;                         /* below it every segment has been judged */
	uint32_t resend_from;                       /* no segment below it waits to be sent again */
	uint32_t highest_sacked;                    /* first segment above all sacked ones */
	struct segment_range reported[SACK_BLOCKS]; /* by the last ACK with blocks */
	struct rack *rack;     /* NULL: losses are found by three segments above them alone */
	uint32_t is_reordered; /* with rack: 1: one sent only once arrived after later ones */
	struct segment_marks { /* of 64 segments: arrived; lost, and not sent again */
		uint64_t sacked, lost;
	} marks[];
};

enum tail_probe { PROBE_NONE, PROBE_NEW, PROBE_RETRANSMIT };

/* What a sender knows of time, where that tells it of losses; see rack.c. RFC 8985's name for it
 * behind. */
struct rack {
	uint32_t words_log2;      /* room for 64 segments, so many times doubled */
	uint32_t resent_end;      /* no segment from here on was sent more than once */
	uint32_t is_reordered;    /* 1: a packet was overtaken; reordering_seen */
	uint32_t recoveries_left; /* until late_ps is forgotten; reo_wnd_persist */
	uint32_t probe;           /* enum tail_probe: what is under way */
	uint32_t probe_end;       /* first segment above it; TLP.end_seq */
	int64_t newest_ps; /* of all that arrived, what was sent last was sent then; xmit_ts */
	int64_t rtt_ps;    /* of that one */
	int64_t min_rtt_ps;
	int64_t late_ps;       /* so much longer took one that was overtaken, at most */
	int64_t probe_sent_ps; /* WEIR_TIME_NEVER_PS: not yet */
	/* Least reordering window; 0: RFC 8985's own. With it: none in flight was sent before
	 * oldest_ps. */
	int64_t least_window_ps, oldest_ps;
	int64_t reorder_ps; /* then losses are looked for again; WEIR_TIME_NEVER_PS: not */
	int64_t reorder_timer_ps, probe_timer_ps; /* the host's heap asks then; likewise */
	int64_t sent_ps[]; /* ring: when each segment in flight was sent last */
};

/* The sending end of a running connection; its congestion control's state follows. */
struct sender {
	uint64_t path;
	int64_t path_until_ps;
	uint32_t connection; /* flow that opened it */
	uint32_t flow_hash;
	/* Segments: first not acknowledged, first never sent, first not there. */
	uint32_t una, next, end;
	uint32_t sacked, lost; /* of [una, next): arrived out of order; lost and not sent again */
	uint32_t gone;         /* both: sent, but not in the network */
	uint32_t rtt_end;      /* the next sample of the round trip is of this segment, or later */
	uint32_t recover;      /* the cut or repair is over when una gets here */
	uint8_t state;         /* enum sender_state */
	uint8_t in_ready, send_cwr, backoff;
	uint8_t class_id;   /* of segment next and all below send_end */
	uint8_t timer_on;   /* something is in flight */
	uint16_t transport; /* number of its transport */
	uint32_t ready_next;
	uint32_t send_message;      /* flow that segment next belongs to, or the one before it */
	uint32_t send_end;          /* where that flow ends, or the class of its packets changes */
	uint32_t una_message;       /* a flow that ends above una, or an earlier one */
	uint32_t last_message;      /* newest flow of the connection */
	uint32_t allowed_pkts;      /* may be in flight now; 0 before and after the connection */
	int64_t srtt_ns, rttvar_ns; /* scaled by 8 and 4, RFC 6298; srtt 0: no sample yet */
	/* The retransmission timer runs out timeout after progress_ps. The host's heap asks at
	 * timer_ps (WEIR_TIME_NEVER_PS: not at all), no later than that for a timeout down to
	 * armed_ns. */
	int64_t progress_ps, timer_ps, armed_ns;
	int64_t slack_ps; /* of packets of send_message */
	union {
		struct { /* TCP: proportional rate reduction, RFC 6937, in bytes */
			uint64_t prr_delivered, prr_out, prr_flight;
		};
		struct {                 /* RDMA: pacing */
			int64_t last_ps; /* the last packet left then; -1: none has */
			int64_t pace_ps; /* a timer for the next is set; WEIR_TIME_NEVER_PS: none */
			int64_t wake_ps; /* one for the control is set; likewise */
		};
	};
	struct scoreboard *board; /* only while something is out of order */
	uint32_t sprayed;         /* packets sent, where each takes its own way */
	uint32_t last_bytes;      /* RDMA: frame bytes of the packet sent last */
	uint32_t resent_end;      /* end of the newest message of which a segment was sent again */
};

_Static_assert(sizeof(struct sender) <= 192, "a running connection costs three cache lines here");

/* The state of an RDMA control begins otherwise. */
static inline struct weir_cc_pace *sender_pace(struct sender *s)
{
	return (struct weir_cc_pace *)(s + 1);
}

static inline const struct transport *sender_transport(const struct engine *e,
						       const struct sender *s)
{
	return &e->transports[s->transport];
}

static inline struct weir_cc_window *sender_cc(struct sender *s)
{
	return (struct weir_cc_window *)(s + 1);
}

/* What a receiver knows of segments beyond one that is missing; see arrivals.c. */
struct arrivals {
	uint32_t words_log2; /* so many words of bits */
	uint32_t recent_count;
	struct recent_arrival { /* the newest first, each with the block it lies in */
		uint32_t segment;
		struct segment_range block;
	} recent[SACK_BLOCKS];
	uint64_t words[]; /* bit per segment */
};

/* The receiving end of a running connection. */
struct receiver {
	uint64_t path;
	int64_t path_until_ps;
	uint32_t connection;
	uint32_t flow_hash;
	uint32_t next;        /* first segment not received */
	uint32_t message;     /* flow that segment next belongs to, or the last one */
	uint32_t message_end; /* its end */
	uint32_t held;        /* data packets not acknowledged yet */
	uint8_t echo; /* SEGMENT_ECE or 0: the last packet was marked (RFC 8257), or one since CWR
			 (RFC 3168) */
	uint8_t timer_set;
	uint8_t class_id;         /* of its ACKs */
	uint16_t transport;       /* number of its transport */
	int64_t echo_ps;          /* sent_ps of the first held packet */
	int64_t deadline_ps;      /* of the held ACK */
	uint64_t bytes;           /* payload received for the first time */
	uint64_t message_bytes;   /* of these, of messages that are complete */
	uint64_t measured_bytes;  /* value of bytes when measuring began */
	struct arrivals *arrived; /* beyond next, only while something is missing */
	uint32_t arrived_count;   /* how many */
	uint32_t highest;         /* first segment above all received, while there are some */
	uint32_t marked_pkts;     /* data packets that arrived marked, for probes */
	uint32_t sprayed;
};

/* What the receiving end of a queue pair has more. */
struct rdma_receiver {
	int64_t notified_ps; /* last notification; 0: none yet */
	uint32_t refused;    /* segment that was asked for again, plus 1 */
	uint32_t marked;     /* 1: data was marked since then */
};

static inline struct rdma_receiver *receiver_rdma(struct receiver *r)
{
	return (struct rdma_receiver *)(r + 1);
}

/* No way to the other host: the packet is lost at the card. */
#define PATH_NONE UINT64_MAX

_Static_assert(sizeof(struct receiver) <= 128, "a running connection costs two cache lines here");

/* Order of segment numbers. */
static inline int segment_before(uint32_t a, uint32_t b)
{
	return (int32_t)(a - b) < 0;
}

/* What connections of the worker take and give back while something is out of order. */
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

/* Segments in the network: sent, not arrived, not taken for lost. */
static inline uint32_t sender_in_flight(const struct sender *s)
{
	return s->next - s->una - s->gone;
}

/* May it put another segment into the network now? */
static inline int sender_can_send(const struct sender *s)
{
	return sender_in_flight(s) < s->allowed_pkts && (s->next != s->end || s->lost);
}

/* A cumulative ACK up to segment; returns how many segments it newly reports as arrived. */
uint32_t scoreboard_ack_slow(struct sender *s, uint32_t segment);

static inline uint32_t scoreboard_ack(struct sender *s, uint32_t segment)
{
	uint32_t arrived = segment - s->una;

	if (UNLIKELY(s->board != NULL))
		return scoreboard_ack_slow(s, segment);
	s->una = segment;
	return arrived;
}

/* The SACK blocks of an ACK; returns how many segments they newly report as arrived. */
uint32_t scoreboard_sack(struct worker *w, struct sender *s, const struct segment *ack);

/* Judges by RFC 6675: lost once three segments above it have arrived. Returns how many are new. */
uint32_t scoreboard_detect(struct sender *s);

/* A timeout: everything in flight is lost. */
void scoreboard_lose_all(struct worker *w, struct sender *s);

/* The first lost segment to send again; and the same, marking it as sent. s->lost > 0. */
uint32_t scoreboard_first_lost(const struct sender *s);
uint32_t scoreboard_retransmit(struct sender *s);

/* Before segment next is sent: makes room for it. Only while there is a board. */
void scoreboard_extend(struct worker *w, struct sender *s);

/* A board from the beginning to the end, with times. */
void scoreboard_open_rack(struct worker *w, struct sender *s);

/* Gives the board up when nothing is out of order any more. */
void scoreboard_close_if_clean(struct worker *w, struct sender *s);
void scoreboard_free(struct worker *w, struct sender *s);

static inline struct segment_marks *scoreboard_marks(struct scoreboard *b, uint32_t segment)
{
	return &b->marks[segment / 64 & ((1u << b->words_log2) - 1)];
}

/* --- rack.c, where a board has one --- */

/* A new one, or one with more room that has the old one's place. */
struct rack *rack_grow(struct worker *w, const struct sender *s, struct rack *old,
		       uint32_t words_log2);
void rack_free(struct worker *w, struct rack *k);

/* Packets of the connection may overtake each other from the beginning. The reordering window is at
 * least so long; 0: as in RFC 8985. */
void rack_expect_reordering(struct sender *s, int64_t window_ps);

/* A segment has left, for the first time or again. */
void rack_sent(const struct engine *e, struct host *h, struct sender *s, uint32_t segment,
	       int64_t start_ps);

/* An ACK, once the scoreboard has seen it; and the end of a recovery. */
void rack_on_ack(struct host *h, struct sender *s, const struct segment *ack);
void rack_recovered(struct sender *s);

/* Judges by time. Returns how many are newly lost; others may be later, for which a timer is
 * set. */
uint32_t rack_detect(struct host *h, struct sender *s);

/* TIMER_REORDER has come: is it time to detect? */
int rack_reorder_is_due(struct host *h, struct sender *s);

/* Sets a timer for a tail loss probe, where one may be due. */
void rack_plan_probe(const struct engine *e, struct host *h, struct sender *s);

/* TIMER_PROBE has come. 1: one more segment is to be sent now. */
int rack_probe(const struct engine *e, struct host *h, struct sender *s);

/* Does the ACK tell that a probe has repaired a loss? */
int rack_probe_found_loss(struct sender *s, const struct segment *ack);

/* --- arrivals.c --- */

/* A segment beyond next has arrived. Returns 1 where it is new. */
int arrivals_add(struct worker *w, struct receiver *r, uint32_t segment);

/* next has moved over one that was missing: it moves over everything that waited behind it. */
void arrivals_close_gap(struct worker *w, struct receiver *r);

/* Distinct blocks for an ACK, those of the newest segments. arrived_count > 0. */
void arrivals_report(const struct receiver *r, struct segment *ack);
void arrivals_free(struct worker *w, struct receiver *r);
#endif
