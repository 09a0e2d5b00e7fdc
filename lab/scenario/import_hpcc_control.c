/* SPDX-License-Identifier: BSD-3-Clause */
/* import_hpcc_control.c -- converts the congestion control and the transport of hosts from a
 * configuration of the HPCC simulator. */
#include "lab/scenario/import.h"
#include "weir/units.h"
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* The option window of a control, from HAS_WIN and VAR_WIN. */
static const char *window_text(const struct import_hpcc *h)
{
	return hpcc_number_of(h, HPCC_HAS_WIN) == 0   ? "none"
	       : hpcc_number_of(h, HPCC_VAR_WIN) != 0 ? "scaled"
						      : "bdp";
}

static int import_hpcc_add_dcqcn(struct import_hpcc *h, struct scenario *s, struct weir_error *e)
{
	char ai[64], hai[64];

	if (CHECK_GIVEN(h, e, HPCC_ALPHA_RESUME_INTERVAL, HPCC_RATE_DECREASE_INTERVAL,
			HPCC_RP_TIMER, HPCC_EWMA_GAIN, HPCC_FAST_RECOVERY_TIMES, HPCC_RATE_AI,
			HPCC_RATE_HAI))
		return -1;
	import_hpcc_add(h, s, HPCC_CC_MODE, "host.cc",
			"dcqcn(preset=hpcc, alpha-timer=%sus, decrease-interval=%sus, "
			"increase-timer=%sus, fast-recovery=%.0f, g=%s, additive=%s, hyper=%s, "
			"clamp-target=%s, window=%s)",
			hpcc_plain(hpcc_number_of(h, HPCC_ALPHA_RESUME_INTERVAL)).text,
			hpcc_plain(hpcc_number_of(h, HPCC_RATE_DECREASE_INTERVAL)).text,
			hpcc_plain(hpcc_number_of(h, HPCC_RP_TIMER)).text,
			hpcc_number_of(h, HPCC_FAST_RECOVERY_TIMES),
			hpcc_plain(hpcc_number_of(h, HPCC_EWMA_GAIN)).text,
			hpcc_rate_text(ai, sizeof(ai), hpcc_number_of(h, HPCC_RATE_AI)),
			hpcc_rate_text(hai, sizeof(hai), hpcc_number_of(h, HPCC_RATE_HAI)),
			hpcc_number_of(h, HPCC_CLAMP_TARGET_RATE) != 0 ? "yes" : "no",
			window_text(h));
	/* The simulator treats every ACK of a marked packet as a CNP. */
	import_hpcc_add(h, s, HPCC_CC_MODE, "rdma.cnp-interval", "0us");
	return 0;
}

static int import_hpcc_add_hpcc(struct import_hpcc *h, struct scenario *s, struct weir_error *e)
{
	char ai[64];

	if (CHECK_GIVEN(h, e, HPCC_RATE_AI, HPCC_U_TARGET))
		return -1;
	if (hpcc_number_of(h, HPCC_HAS_WIN) == 0)
		import_hpcc_note(h, HPCC_HAS_WIN,
				 "hpcc without a window: HPCC's simulator divides by the window, "
				 "so its rates are undefined");
	else if (hpcc_number_of(h, HPCC_VAR_WIN) == 0)
		import_hpcc_note(h, HPCC_VAR_WIN,
				 "the window scales with the rate, as with VAR_WIN 1");
	import_hpcc_add(h, s, HPCC_CC_MODE, "host.cc",
			"hpcc(eta=%s, max-stage=%.0f, ai=%s, react=%s, window=%s)",
			hpcc_plain(hpcc_number_of(h, HPCC_U_TARGET)).text,
			hpcc_number_of(h, HPCC_MI_THRESH),
			hpcc_rate_text(ai, sizeof(ai), hpcc_number_of(h, HPCC_RATE_AI)),
			hpcc_number_of(h, HPCC_FAST_REACT) != 0 || hpcc_mode_of(h) == HPCC_PINT
				? "ack"
				: "round",
			hpcc_number_of(h, HPCC_HAS_WIN) == 0 ? "none" : "scaled");
	if (hpcc_mode_of(h) == HPCC_PINT)
		import_hpcc_add(h, s, HPCC_CC_MODE, "rdma.int-header", "2B");
	return 0;
}

static int import_hpcc_add_timely(struct import_hpcc *h, struct scenario *s, struct weir_error *e)
{
	char ai[64], hai[64];

	if (CHECK_GIVEN(h, e, HPCC_RATE_AI, HPCC_RATE_HAI))
		return -1;
	/* The simulator normalises RTT gradients by 20 us in every network; its packets carry a
	 * timestamp of 8 B. */
	import_hpcc_add(
		h, s, HPCC_CC_MODE, "host.cc",
		"timely(t-low=50us, t-high=500us, alpha=0.875, beta=0.8, delta=%s, hai-delta=%s, "
		"hai-after=5, rtt=20us, window=%s)",
		hpcc_rate_text(ai, sizeof(ai), hpcc_number_of(h, HPCC_RATE_AI)),
		hpcc_rate_text(hai, sizeof(hai), hpcc_number_of(h, HPCC_RATE_HAI)), window_text(h));
	import_hpcc_add(h, s, HPCC_CC_MODE, "rdma.header", "56B");
	return 0;
}

static int import_hpcc_add_dctcp(struct import_hpcc *h, struct scenario *s, struct weir_error *e)
{
	char ai[64];

	if (CHECK_GIVEN(h, e, HPCC_DCTCP_RATE_AI, HPCC_EWMA_GAIN))
		return -1;
	if (strcmp(window_text(h), "scaled") != 0)
		import_hpcc_note(
			h, hpcc_number_of(h, HPCC_HAS_WIN) == 0 ? HPCC_HAS_WIN : HPCC_VAR_WIN,
			"the window scales with the rate, as with HAS_WIN 1 and VAR_WIN 1");
	import_hpcc_add(h, s, HPCC_CC_MODE, "host.cc", "dctcp-rdma(g=%s, ai=%s)",
			hpcc_plain(hpcc_number_of(h, HPCC_EWMA_GAIN)).text,
			hpcc_rate_text(ai, sizeof(ai), hpcc_number_of(h, HPCC_DCTCP_RATE_AI)));
	return 0;
}

int import_hpcc_control(struct import_hpcc *h, struct scenario *s, struct weir_error *e)
{
	static const struct {
		double mode;
		int (*add)(struct import_hpcc *h, struct scenario *s, struct weir_error *e);
	} controls[] = {
		{ HPCC_DCQCN, import_hpcc_add_dcqcn },   { HPCC_HPCC, import_hpcc_add_hpcc },
		{ HPCC_TIMELY, import_hpcc_add_timely }, { HPCC_DCTCP, import_hpcc_add_dctcp },
		{ HPCC_PINT, import_hpcc_add_hpcc },
	};

	for (size_t i = 0; i < sizeof(controls) / sizeof(controls[0]); i++)
		if (controls[i].mode == hpcc_number_of(h, HPCC_CC_MODE))
			return controls[i].add(h, s, e);
	return import_hpcc_mistake(
		h, HPCC_CC_MODE,
		"no such mode; there are 1 (DCQCN), 3 (HPCC), 7 (TIMELY), 8 (DCTCP) and 10 "
		"(HPCC with PINT)",
		e);
}

/* The simulator's switches enqueue ACKs with the data; a host's NIC sends them first. An ACK has 20
 * B of IP, 14 B of PPP and 12 B of its own, padded to 60 B, plus the telemetry of the data
 * packet. */
static void import_hpcc_add_acks(struct import_hpcc *h, struct scenario *s)
{
	enum { PADDED_BYTES = 60, HEADER_BYTES = 46, PINT_BYTES = 2 };
	int bytes = PADDED_BYTES;

	if (hpcc_mode_of(h) == HPCC_HPCC) /* with rdma.int-header it exceeds 60 */
		bytes = HEADER_BYTES;
	if (hpcc_mode_of(h) == HPCC_PINT)
		bytes = PADDED_BYTES - PINT_BYTES;
	import_hpcc_add(h, s, HPCC_L2_ACK_INTERVAL, "rdma.ack-size", "%dB", bytes);
	import_hpcc_add(h, s, HPCC_L2_ACK_INTERVAL, "traffic.flows.ack-class", "data");
}

/* The simulator acknowledges every packet once L2_ACK_INTERVAL bytes have arrived: it does not
 * count from the last ACK. */
int import_hpcc_transport(struct import_hpcc *h, struct scenario *s, struct weir_error *e)
{
	char rate[64];

	if (CHECK_GIVEN(h, e, HPCC_PACKET_PAYLOAD_SIZE, HPCC_L2_ACK_INTERVAL, HPCC_MIN_RATE))
		return -1;
	if (hpcc_number_of(h, HPCC_L2_ACK_INTERVAL) > hpcc_number_of(h, HPCC_PACKET_PAYLOAD_SIZE))
		import_hpcc_note(h, HPCC_L2_ACK_INTERVAL,
				 "every packet is acknowledged; HPCC's simulator does not "
				 "acknowledge the first bytes, as many as this says");
	import_hpcc_add_acks(h, s);
	import_hpcc_add(h, s, HPCC_RATE_BOUND, "host.jitter", "0ns");
	import_hpcc_add(h, s, HPCC_RATE_BOUND, "host.arbitration", "round-robin");
	import_hpcc_add(h, s, HPCC_PACKET_PAYLOAD_SIZE, "rdma.mtu", "%.0fB",
			hpcc_number_of(h, HPCC_PACKET_PAYLOAD_SIZE));
	import_hpcc_add(h, s, HPCC_MIN_RATE, "rdma.min-rate", "%s",
			hpcc_rate_text(rate, sizeof(rate), hpcc_number_of(h, HPCC_MIN_RATE)));
	if (hpcc_number_of(h, HPCC_GLOBAL_T) == 0)
		import_hpcc_add(h, s, HPCC_GLOBAL_T, "rdma.window-of", "pair");
	return 0;
}
