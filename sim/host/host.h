/* host.h -- a host: one link, a network card that asks its connections for packets, TCP.
 *
 * The card takes one packet at a time when its line is free: control packets (ACKs, SYNs) first,
 * then one segment from each connection that may send, in turn. So a host never drops its own
 * packets, connections share the card fairly, and data waits in the application, not in a queue.
 * Other cards have a queue into which connections put what their windows allow, at once (card.h).
 *
 * host.c runs the clock and the card; tcp_send.c and tcp_receive.c are the two ends of a
 * connection; scoreboard.c knows which segments in flight have arrived, are lost, were sent again;
 * rack.c finds losses by time, where asked for; arrivals.c which have arrived beyond one that is missing; message.c what the packets of a message
 * carry. */
#ifndef SIM_HOST_HOST_H
#define SIM_HOST_HOST_H
#include "sim/engine/engine.h"
#include "sim/traffic/flow.h"
#include "weir/rng.h"

/* Turns at the card, and queues of control packets: one for each lossless class, one for all others. */
enum { HOST_QUEUES = WEIR_PFC_CLASSES + 1 };

struct host {
	struct egress *out; /* its card */
	uint32_t number, node, line;
	int64_t now_ps;   /* of the event being worked on, or the last one */
	int64_t timer_ps; /* earliest of its timers; WEIR_TIME_NEVER_PS: none */
	int64_t due_ps;   /* a far wake-up is set for this time; WEIR_TIME_NEVER_PS: none */
	uint32_t work;    /* senders in turn and control packets that wait: 0: the card rests */
	uint32_t
		lossless; /* bit per class, and HOST_HOLDS where flows may be stopped, or HOST_QUEUED */
	uint32_t others; /* turn of all classes that are not: the first that is no lossless one's */
	uint32_t
		paused; /* bit per class that the switch has stopped, and HOST_HOLDS or HOST_QUEUED */
	uint32_t tso_bytes; /* payload that a connection may send in its turn; 0: one packet */
	uint32_t waiting, last_turn; /* bit per turn that is not empty; the turn served last */
	/* Senders that may send; those of a lossless class in a turn of their own. FLOW_NONE: none. */
	struct turn {
		uint32_t first, last;
		uint32_t burst_bytes; /* that the first has sent in its turn so far */
	} turns[HOST_QUEUES];
	uint32_t next_start, start_end; /* its flows to come, in engine.start_order */
	struct heap timers;
	/* Where a fabric scheme stops flows (bfc): a bit for each queue of the card that must wait, and how
	 * many do; senders that found theirs to be one of them. */
	uint64_t *held;
	uint32_t card_queues, held_count;
	struct turn parked;
	/* counters */
	uint64_t made_pkts, received_pkts;
	uint64_t data_pkts, marked_pkts; /* data received; of these with CE */
	uint64_t goodput_bytes;          /* payload received for the first time */
	uint64_t retransmits, timeouts, small_flow_timeouts;
};

/* In host.paused: some of its flows must wait now. */
#define HOST_HOLDS (UINT32_C(1) << 31)

/* In host.paused and host.lossless: packets wait in a queue of the card, and work counts them; there are
 * no turns. So whoever wants to send at once is held up, and what is usual need not ask for this. */
#define HOST_QUEUED (UINT32_C(1) << 30)

/* What a host's timers are for, in their order at equal times. */
enum timer_kind {
	TIMER_ACK,
	TIMER_RETRANSMIT,
	TIMER_REORDER,
	TIMER_PROBE,
	TIMER_APPLICATION,
	TIMER_PACE,
	TIMER_CONTROL,
	TIMER_START,
	TIMER_MAIL
};

static inline void host_timer(struct host *h, int64_t time_ps, enum timer_kind kind, uint32_t flow)
{
	heap_push(&h->timers, time_ps, (uint64_t)kind << 32 | flow);
	if (time_ps < h->timer_ps)
		h->timer_ps = time_ps;
}

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

/* What a sender knows of the segments in flight while something is out of order; see scoreboard.c. */
struct scoreboard {
	uint32_t words_log2;                        /* so many words of marks */
	uint32_t lost_edge;                         /* below it every segment has been judged */
	uint32_t resend_from;                       /* no segment below it waits to be sent again */
	uint32_t highest_sacked;                    /* first segment above all sacked ones */
	struct segment_range reported[SACK_BLOCKS]; /* by the last ACK with blocks */
	struct rack *rack; /* NULL: losses are found by three segments above them alone */
	uint32_t
		is_reordered; /* with rack: 1: a segment arrived after later ones, sent only once */
	struct segment_marks { /* of 64 segments: arrived; lost, and not sent again */
		uint64_t sacked, lost;
	} marks[];
};

enum tail_probe { PROBE_NONE, PROBE_NEW, PROBE_AGAIN };

/* What a sender knows of time, where that tells it of losses; see rack.c. RFC 8985's name for it behind. */
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
	int64_t reorder_ps;    /* then losses are looked for again; WEIR_TIME_NEVER_PS: not */
	int64_t reorder_timer_ps, probe_timer_ps; /* the host's heap asks then; likewise */
	int64_t sent_ps[]; /* ring: when each segment in flight was sent last */
};

/* The sending end of a running connection; its congestion control's state follows. */
struct sender {
	uint64_t path;
	int64_t path_until_ps;
	uint32_t connection; /* flow that opened it */
	uint32_t flow_hash;
	uint32_t una, next,
		end; /* segments: first not acknowledged, first never sent, first not there */
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
	/* The retransmission timer runs out timeout after progress_ps. The host's heap asks at timer_ps
	 * (WEIR_TIME_NEVER_PS: not at all), no later than that for a timeout down to armed_ns. */
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
	uint32_t next; /* first segment not received */
	uint32_t message,
		message_end; /* flow that segment next belongs to, or the last one; its end */
	uint32_t held;       /* data packets not acknowledged yet */
	uint8_t ce;          /* RFC 8257: was the last packet marked? */
	uint8_t latched;     /* RFC 3168: echo until CWR */
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
	uint32_t highest;         /* first segment above all received */
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

/* --- host.c --- */
void hosts_new(struct engine *e);
void hosts_free(struct engine *e);
void host_run(struct worker *w, struct host *h);

/* Where lossless classes are kept apart: the turn, or queue of control packets, of a class. */
static inline uint32_t host_queue(const struct host *h, uint32_t class_id)
{
	if (__builtin_expect(!h->lossless, 1))
		return 0;
	return class_id < WEIR_PFC_CLASSES && h->lossless >> class_id & 1 ? class_id : h->others;
}

/* --- card.c: cards that have a queue --- */

/* The marking of every card, fair ones included; and what a port with a queue is made from, whose
 * marking, rate and frames are the caller's. */
struct weir_mark_ops card_marking(const struct config *c);
void card_plan(const struct config *c, struct weir_port_plan *plan);

/* The packet in egress_place leaves at once, waits in the card, or is dropped. */
void card_offer(struct worker *w, struct host *h, struct weir_packet *packet, int64_t now_ps);

/* Everything that can start before limit_ps leaves. */
void card_drain(struct worker *w, struct host *h, int64_t limit_ps);

/* Sends a packet of header size, ahead of data unless the card has a queue. It is written where
 * host_control_place says: on the line at once where the card is free, else in *spare. */
static inline struct weir_packet *host_control_place(struct worker *w, struct host *h,
						     struct weir_packet *spare)
{
	if (h->out->port.pkts == 0 && h->out->port.free_ps <= h->now_ps && !h->paused)
		return egress_place(w, h->out);
	return spare;
}

/* The packet in the place goes now and takes the line, if there is a way for it. */
static inline __attribute__((always_inline)) void
host_transmit(struct worker *w, struct egress *out, struct weir_packet *packet, int64_t start_ps)
{
	weir_port_occupy(&out->port, packet->bytes, start_ps);
	if (__builtin_expect(packet_segment(packet)->path == PATH_NONE, 0))
		out->port.drops[WEIR_DROP_LINK_DOWN]++;
	else
		egress_commit(w, out, start_ps);
}

/* The same where it may be that the card has a queue. */
static inline __attribute__((always_inline)) void
host_send(struct worker *w, struct host *h, struct weir_packet *packet, int64_t start_ps)
{
	if (__builtin_expect(h->paused & HOST_QUEUED, 0))
		card_offer(w, h, packet, start_ps);
	else
		host_transmit(w, h->out, packet, start_ps);
}

static inline __attribute__((always_inline)) void host_control(struct worker *w, struct host *h,
							       struct weir_packet *packet,
							       const struct weir_packet *spare)
{
	h->made_pkts++;
	if (__builtin_expect(packet != spare, 1)) {
		host_transmit(w, h->out, packet, h->now_ps);
		return;
	}
	if (__builtin_expect(h->paused & HOST_QUEUED, 0)) {
		struct weir_packet *place = egress_place(w, h->out);

		*place = *packet;
		card_offer(w, h, place, h->now_ps);
		return;
	}
	weir_port_append(&h->out->port, &w->pool, packet,
			 weir_port_queues(&h->out->port) + host_queue(h, packet->class_id));
	h->work++;
}

/* A queue of the card must wait, or may go on. */
void host_hold(struct worker *w, struct host *h, uint32_t queue, enum weir_pfc_signal signal);

/* The queue of the card that a flow has, of so many: flows that meet in one are stopped together. */
static inline uint32_t host_flow_queue(uint32_t flow_hash, uint32_t queues)
{
	return (uint32_t)((weir_mix64(flow_hash) & UINT32_MAX) * queues >> 32);
}

/* The sender may send: it gets its turn at the card, or puts all that it may send into its queue. */
void host_join_turn(struct worker *w, struct host *h, struct sender *s, uint32_t handle);

/* Which way a connection's data takes. */
static inline uint32_t flow_route_hash(uint64_t seed, uint32_t connection)
{
	return (uint32_t)weir_hash64(weir_hash64(seed, connection), WEIR_RNG_ROUTE);
}

/* Fills in the path, anew where it is out of date or each packet takes its own; that which the flow
 * names, where it does. */
struct path_state {
	uint64_t *path;
	int64_t *until_ps;
	uint32_t *sprayed;
	uint64_t hash;
	uint32_t from, to;
	uint32_t connection;
};
uint64_t host_path(const struct engine *e, const struct path_state *p, int64_t now_ps);

/* --- send.c, tcp_send.c --- */
void sender_start(struct worker *w, struct host *h, uint32_t flow);
void sender_on_ack(struct worker *w, struct host *h, struct weir_packet *packet);
void sender_on_timer(struct worker *w, struct host *h, uint32_t connection, enum timer_kind kind);

/* Class of the segment that the sender would send next; sender_can_send holds. */
uint32_t sender_next_class(const struct engine *e, struct sender *s);

/* The sender's next segment takes the line, which is free at start_ps; sender_can_send holds. */
void sender_send(struct worker *w, struct host *h, struct sender *s, int64_t start_ps);

/* --- rdma_send.c --- */

/* May it take a turn at the card? Where its rate makes it wait, a timer is set. */
int rdma_is_due(struct host *h, struct sender *s);

uint64_t receiver_path(const struct engine *e, const struct host *h, struct receiver *r);

/* --- rdma_receive.c --- */

/* Data came: where it or some before it was marked, a notification, unless there was one just now. */
void rdma_notify(struct worker *w, struct host *h, struct receiver *r, int marked);

/* Data that is not the next: go back n takes none of it. Returns 0 where it is asked for again by a
 * NACK, which is due now; -1 where that was done already. */
int rdma_refuse(struct receiver *r);

/* --- tcp_receive.c --- */
void receiver_on_data(struct worker *w, struct host *h, struct weir_packet *packet);
void receiver_on_timer(struct worker *w, struct host *h, uint32_t connection);
void receiver_free(struct worker *w, uint32_t handle);

/* --- shared by both ends --- */

static inline struct flow *flow_at(const struct engine *e, uint32_t flow)
{
	return &e->flows.flows[flow];
}

static inline const struct traffic_config *flow_traffic(const struct engine *e,
							const struct flow *f)
{
	return &e->config->traffic[f->traffic];
}

/* Traffic without a control of its own shares the first transport. */
static inline uint16_t flow_transport_number(const struct engine *e, const struct flow *f)
{
	return (uint16_t)(flow_traffic(e, f)->cc_ops ? f->traffic + 1 : 0);
}

static inline const struct transport *flow_transport(const struct engine *e, const struct flow *f)
{
	return &e->transports[flow_transport_number(e, f)];
}

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

/* --- message.c --- */

/* How many segments hold so many bytes. */
uint32_t message_segments(const struct engine *e, const struct flow *message);

/* Of a segment, by its number on the connection. */
uint32_t message_payload(const struct engine *e, const struct flow *message, uint32_t segment);
uint8_t message_class(const struct engine *e, const struct flow *message, uint32_t segment);

/* The segment after this one at which the class changes or the message ends. */
uint32_t message_same_until(const struct engine *e, const struct flow *message, uint32_t segment);

uint8_t message_first_class(const struct engine *e, const struct flow *message);
uint8_t message_ack_class(const struct engine *e, const struct flow *message);
int64_t message_slack_ps(const struct engine *e, const struct flow *message);

/* --- scoreboard.c --- */

/* Segments in the network: sent, not arrived, not taken for lost. */
static inline uint32_t sender_pipe(const struct sender *s)
{
	return s->next - s->una - s->gone;
}

/* May it put another segment into the network now? */
static inline int sender_can_send(const struct sender *s)
{
	return sender_pipe(s) < s->allowed_pkts && (s->next != s->end || s->lost);
}

/* A cumulative ACK up to segment; returns how many segments it newly reports as arrived. */
uint32_t scoreboard_ack_slowly(struct sender *s, uint32_t segment);

static inline uint32_t scoreboard_ack(struct sender *s, uint32_t segment)
{
	uint32_t arrived = segment - s->una;

	if (__builtin_expect(s->board != NULL, 0))
		return scoreboard_ack_slowly(s, segment);
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
uint32_t scoreboard_resend(struct sender *s);

/* Before segment next is sent: makes room for it. Only while there is a board. */
void scoreboard_extend(struct worker *w, struct sender *s);

/* A board from the beginning to the end, with times. */
void scoreboard_open_rack(struct worker *w, struct sender *s);

/* Gives the board up when nothing is out of order any more. */
void scoreboard_tidy(struct worker *w, struct sender *s);
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

/* A segment has left, for the first time or again. */
void rack_sent(const struct engine *e, struct host *h, struct sender *s, uint32_t segment,
	       int64_t start_ps);

/* An ACK, once the scoreboard has seen it; and the end of a recovery. */
void rack_on_ack(struct host *h, struct sender *s, const struct segment *ack);
void rack_recovered(struct sender *s);

/* Judges by time. Returns how many are newly lost; others may be later, for which a timer is set. */
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
