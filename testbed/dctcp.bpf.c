/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/* dctcp.bpf.c -- DCTCP (RFC 8257) for kernels without it, as a BPF struct_ops program.
 *
 * Both ends need it: the sender estimates which fraction of the delivered packets was marked and
 * reduces its window accordingly, once per window of data; the receiver ensures that each ACK
 * reports CE for exactly the packets that it acknowledges (section 3.2), which requires the event
 * of each arrival.
 *
 * Only the fields that are used are declared; their offsets in the running kernel are resolved at
 * load time (CO-RE). */
typedef unsigned char u8;
typedef unsigned int u32;
typedef unsigned long long u64;

#define SECTION(name) __attribute__((section(name), used))
#define FOUND_WHEN_LOADED __attribute__((preserve_access_index))

struct sock {
	int nothing;
} FOUND_WHEN_LOADED;

struct inet_connection_sock {
	struct {
		u8 pending;
	} icsk_ack;
	u64 icsk_ca_priv[13];
} FOUND_WHEN_LOADED;

struct tcp_sock {
	struct inet_connection_sock inet_conn;
	u32 rcv_nxt, snd_nxt, snd_una, snd_cwnd, snd_ssthresh;
	u32 delivered, delivered_ce;
	u8 ecn_flags;
} FOUND_WHEN_LOADED;

enum tcp_ca_event {
	CA_EVENT_TX_START,
	CA_EVENT_CWND_RESTART,
	CA_EVENT_COMPLETE_CWR,
	CA_EVENT_LOSS,
	CA_EVENT_ECN_NO_CE,
	CA_EVENT_ECN_IS_CE,
};

struct tcp_congestion_ops {
	u32 (*ssthresh)(struct sock *sk);
	void (*cong_avoid)(struct sock *sk, u32 ack, u32 acked);
	void (*cwnd_event)(struct sock *sk, enum tcp_ca_event ev);
	void (*in_ack_event)(struct sock *sk, u32 flags);
	void (*init)(struct sock *sk);
	u32 (*undo_cwnd)(struct sock *sk);
	u32 flags;
	char name[16];
} FOUND_WHEN_LOADED;

/* The kernel's Reno window growth and undo. */
extern void tcp_reno_cong_avoid(struct sock *sk, u32 ack, u32 acked) SECTION(".ksyms");

/* bpf_tcp_send_ack, helper 116: sends an ACK up to that byte now. */
static long (*const send_ack)(void *tp, u32 rcv_nxt) = (void *)116;

enum {
	ALPHA_ONE = 1024,     /* 1 in units of alpha */
	ALPHA_GAIN_SHIFT = 4, /* g = 1/16 */
	WINDOW_MIN_PKTS = 2,
	ACK_TIMER = 2, /* a delayed ACK is pending */
	ACK_NOW = 16,
	DEMAND_CWR = 4, /* ACKs carry ECE */
	NEEDS_ECN = 2,
};

struct dctcp {
	u32 alpha;
	u32 window_end; /* the current window of data ends when this byte is acknowledged */
	u32 delivered, delivered_ce; /* counters at its start */
	u32 uncut;         /* remainder of the last reduction, in 1 / (2 ALPHA_ONE) packets */
	u32 grown;         /* bytes acknowledged towards the next increase */
	u32 before_pkts;   /* window before the last reduction */
	u32 prior_rcv_nxt; /* receiver: rcv_nxt before the last arrival */
	u32 was_marked;
};

/* Initial alpha of new connections, patched by the loader. The only constant of the read-only
 * section. */
const volatile u32 alpha_start = ALPHA_ONE;

#define STRUCT_OPS(name) SECTION("struct_ops/" #name)

static inline struct dctcp *state_of(const struct tcp_sock *tp)
{
	return (struct dctcp *)tp->inet_conn.icsk_ca_priv;
}

static inline void begin_window(const struct tcp_sock *tp, struct dctcp *d)
{
	d->window_end = tp->snd_nxt;
	d->delivered = tp->delivered;
	d->delivered_ce = tp->delivered_ce;
}

/* BPF programs receive their arguments in an array. */
STRUCT_OPS(dctcp_init) void dctcp_init(u64 *ctx)
{
	struct tcp_sock *tp = (struct tcp_sock *)ctx[0];
	struct dctcp *d = state_of(tp);

	d->alpha = alpha_start;
	d->prior_rcv_nxt = tp->rcv_nxt;
	d->was_marked = 0;
	d->before_pkts = 0;
	d->uncut = 0;
	d->grown = 0;
	begin_window(tp, d);
}

/* Section 3.3, step 8: cwnd (1 - alpha / 2). The RFC counts bytes, the kernel packets: the
 * remainder of a reduction in whole packets is carried to the next, otherwise windows of a few
 * packets would never shrink. */
STRUCT_OPS(dctcp_ssthresh) u32 dctcp_ssthresh(u64 *ctx)
{
	struct tcp_sock *tp = (struct tcp_sock *)ctx[0];
	struct dctcp *d = state_of(tp);
	u32 pkts = tp->snd_cwnd, cut = pkts * d->alpha + d->uncut, cut_pkts = cut / (2 * ALPHA_ONE);

	d->uncut = cut % (2 * ALPHA_ONE);
	d->before_pkts = pkts;
	return pkts > WINDOW_MIN_PKTS + cut_pkts ? pkts - cut_pkts : WINDOW_MIN_PKTS;
}

/* Section 3.3, steps 3 to 7: alpha = alpha (1 - g) + g M, once per window. */
STRUCT_OPS(dctcp_in_ack) void dctcp_in_ack(u64 *ctx)
{
	struct tcp_sock *tp = (struct tcp_sock *)ctx[0];
	struct dctcp *d = state_of(tp);
	u32 delivered, marked, fraction;

	if ((int)(tp->snd_una - d->window_end) < 0)
		return;
	delivered = tp->delivered - d->delivered;
	marked = tp->delivered_ce - d->delivered_ce;
	fraction = delivered ? (u32)(((u64)marked * ALPHA_ONE) / delivered) : 0;
	if (fraction > ALPHA_ONE)
		fraction = ALPHA_ONE;
	/* Rounded down, so that small values decay to 0. */
	d->alpha -= d->alpha >> ALPHA_GAIN_SHIFT ? d->alpha >> ALPHA_GAIN_SHIFT : d->alpha;
	d->alpha += fraction >> ALPHA_GAIN_SHIFT;
	if (d->alpha > ALPHA_ONE)
		d->alpha = ALPHA_ONE;
	begin_window(tp, d);
}

/* Slow start as in the kernel. In congestion avoidance, one packet per acknowledged window (RFC
 * 5681, section 3.1); the remainder is kept across a reduction, where the kernel would reset it. */
STRUCT_OPS(dctcp_cong_avoid) void dctcp_cong_avoid(u64 *ctx)
{
	struct tcp_sock *tp = (struct tcp_sock *)ctx[0];
	struct dctcp *d = state_of(tp);

	if (tp->snd_cwnd < tp->snd_ssthresh) {
		tcp_reno_cong_avoid((struct sock *)ctx[0], (u32)ctx[1], (u32)ctx[2]);
		return;
	}
	d->grown += (u32)ctx[2];
	if (d->grown >= tp->snd_cwnd) {
		d->grown -= tp->snd_cwnd;
		tp->snd_cwnd++;
	}
}

static inline void echo(struct tcp_sock *tp, u32 is_marked)
{
	if (is_marked)
		tp->ecn_flags |= DEMAND_CWR;
	else
		tp->ecn_flags &= (u8)~DEMAND_CWR;
}

/* Section 3.2: when CE changes between packets, those before the change are acknowledged first. */
STRUCT_OPS(dctcp_event) void dctcp_event(u64 *ctx)
{
	struct tcp_sock *tp = (struct tcp_sock *)ctx[0];
	struct dctcp *d = state_of(tp);
	u32 event = (u32)ctx[1], is_marked = event == CA_EVENT_ECN_IS_CE;

	if (event != CA_EVENT_ECN_IS_CE && event != CA_EVENT_ECN_NO_CE)
		return;
	if (d->was_marked != is_marked) {
		if (tp->inet_conn.icsk_ack.pending & ACK_TIMER) {
			echo(tp, d->was_marked);
			send_ack(tp, d->prior_rcv_nxt);
		}
		tp->inet_conn.icsk_ack.pending |= ACK_NOW;
	}
	d->prior_rcv_nxt = tp->rcv_nxt;
	d->was_marked = is_marked;
	echo(tp, is_marked);
}

STRUCT_OPS(dctcp_undo) u32 dctcp_undo(u64 *ctx)
{
	struct tcp_sock *tp = (struct tcp_sock *)ctx[0];
	u32 before = state_of(tp)->before_pkts;

	return before > tp->snd_cwnd ? before : tp->snd_cwnd;
}

SECTION(".struct_ops")
struct tcp_congestion_ops weir_dctcp = {
	.init = (void *)dctcp_init,
	.ssthresh = (void *)dctcp_ssthresh,
	.in_ack_event = (void *)dctcp_in_ack,
	.cong_avoid = (void *)dctcp_cong_avoid,
	.cwnd_event = (void *)dctcp_event,
	.undo_cwnd = (void *)dctcp_undo,
	.flags = NEEDS_ECN,
	.name = "weir_dctcp",
};

/* The kernel lets only GPL-compatible programs call these helpers. */
char terms[] SECTION("license") = "Dual BSD/GPL";
