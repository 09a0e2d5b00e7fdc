/* cc.h -- how does a sender react?
 *
 * The host's transport owns sequence numbers, loss recovery, timers and pacing. It shows a
 * congestion control each ACK that acknowledges something and each congestion event, at most one a
 * window of data; the control answers by changing its window. While a cut is being carried out
 * (until everything sent before it is acknowledged) may_grow is 0. */
#ifndef WEIR_CC_H
#define WEIR_CC_H
#include "weir/option.h"

/* Every control's state begins with this; the transport reads it after each call. */
struct cc_window {
	uint64_t window_bytes;   /* may be in flight; a multiple of a byte, not of a segment */
	uint64_t ssthresh_bytes; /* below it the window is in slow start */
};

#define CC_SSTHRESH_START (UINT64_MAX / 4)

struct cc_env {
	uint32_t mss_bytes;
	uint64_t initial_window_bytes;
};

struct cc_ack {
	int64_t now_ns;
	int64_t rtt_ns;       /* sample of this ACK; 0: none */
	uint64_t acked_bytes; /* newly acknowledged, cumulatively or selectively */
	uint64_t una_bytes;   /* first byte not acknowledged, after this ACK */
	uint64_t next_bytes;  /* first byte never sent */
	uint32_t echo;        /* 1: this ACK says that what it acknowledges was marked */
	uint32_t may_grow;    /* 1: no cut is being carried out and the window was in use */
};

enum cc_event {
	CC_ECN,     /* first echo since the last cut was carried out */
	CC_LOSS,    /* recovery begins */
	CC_TIMEOUT, /* everything in flight is taken for lost */
};

/* How an ECN-capable receiver answers. */
enum cc_echo {
	CC_ECHO_NONE,    /* packets are not ECN-capable */
	CC_ECHO_CLASSIC, /* ECE on every ACK until CWR (RFC 3168) */
	CC_ECHO_EXACT,   /* each ACK says whether its packets were marked (RFC 8257) */
};

enum { CC_STATE_MAX = 96 };

struct cc_ops {
	const char *name; /* "dctcp" */
	const char *help;
	const char *cite;
	enum cc_echo echo;
	size_t params_size,
		state_size; /* state_size <= CC_STATE_MAX, begins with struct cc_window */
	const struct option *options;
	int (*check)(const void *params, struct error *e);
	/* State is zeroed before; must set both fields of the window. */
	void (*init)(void *state, const void *params, const struct cc_env *env);
	void (*ack)(void *state, const void *params, const struct cc_env *env,
		    const struct cc_ack *a);
	/* Sets ssthresh_bytes and window_bytes to what they are after the cut. */
	void (*congestion)(void *state, const void *params, const struct cc_env *env,
			   enum cc_event event, const struct cc_ack *a);
};

extern const struct cc_ops *const cc_all[];

const struct cc_ops *cc_find(const char *name);
int cc_parse(const char *spec, const struct cc_ops **ops, void *params, struct error *e);
#endif
