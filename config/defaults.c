/* SPDX-License-Identifier: BSD-3-Clause */
/* defaults.c -- the table of defaults, see defaults.h. */
#include "config/defaults.h"
#include "config/nic.h"
#include "config/config.h"
#include "config/fabric.h"
#include "weir/units.h"
#include <stdio.h>
#include <string.h>

#define GBPS (UINT64_C(1000) * 1000 * 1000)
#define ANY 0, 0
#define AT(gbps) (gbps) * GBPS, (gbps)*GBPS
#define BETWEEN(least, most) (least) * GBPS, (most)*GBPS
#define FROM(least) (least) * GBPS, 0

static const char by_rtt[] = "0us: by the network's base round-trip time";
static const char by_rate[] = "0bps: by the line rate";

const struct default_entry default_all[] = {
	/* --- [switch] --- */
	{ "switch", NULL, NULL, "buffer", "chosen here", BETWEEN(1, 100),
	  "not scaled: 1.2 ms of a link of 10Gbps, 0.12 ms of one of 100Gbps; HPCC's study has 1 "
	  "MB for each "
	  "port of 100Gbps" },
	{ "switch", NULL, NULL, "pfc-reserved xon-offset",
	  "authors' simulator of HPCC, SIGCOMM 2019", ANY, "a few packets" },
	{ "switch", NULL, NULL, "pfc-headroom", "IEEE 802.1Qbb", ANY,
	  "0B: by rate, delay and frame size of each link" },
	{ "switch", NULL, NULL, "tune-interval", "the agent's or tuner's source", ANY,
	  "0us: by the agent, or five base round-trip times" },
	{ "switch", NULL, NULL, "tune-read-delay tune-write-delay", "chosen here", ANY,
	  "no delay; real switches have one" },
	/* --- [host] --- */
	{ "host", NULL, NULL, "mss header", "Ethernet with frames of 1514 B", ANY, NULL },
	{ "host", NULL, NULL, "initial-window", "RFC 6928", ANY,
	  "not scaled: less than a bandwidth-delay product on fast links, and slow start fills "
	  "them" },
	{ "host", NULL, NULL, "max-window", "chosen here", ANY, "no receiver limits" },
	{ "host", NULL, NULL, "ack-delay", "chosen here", ANY,
	  "matters with packets-per-ack "
	  "above 1" },
	{ "host", NULL, NULL, "rto-min", "TCN, CoNEXT 2016, its simulations", ANY,
	  "should exceed the longest round trip with full queues; Linux has 200 ms" },
	{ "host", NULL, NULL, "rto-initial rto-max", "chosen here", ANY,
	  "RFC 6298 has 1 s and at least 60 s, for the Internet" },
	{ "host", NULL, NULL, "processing-delay", "chosen here", ANY, "ideal hosts" },
	{ "host", NULL, NULL, "jitter",
	  "Floyd and Jacobson's remedy for phase effects; the size is chosen here", ANY,
	  "auto: by the rate of the hosts' links" },
	{ "host", NULL, NULL, "tso", "chosen here", ANY, "off; Linux has 64 KB" },
	/* --- [rdma] --- */
	{ "rdma", NULL, NULL, "mtu header int-header",
	  "HPCC, SIGCOMM 2019, and its authors' simulator", ANY, NULL },
	{ "rdma", NULL, NULL, "ack-size", "chosen here", ANY, "0B: as header" },
	{ "rdma", NULL, NULL, "max-window", "chosen here", ANY,
	  "congestion controls limit "
	  "themselves" },
	{ "rdma", NULL, NULL, "reordering-window", "IRN, SIGCOMM 2018; RFC 8985", ANY,
	  "0us: by round trip and buffer" },
	{ "rdma", NULL, NULL, "cnp-interval", "DCQCN, SIGCOMM 2015", ANY,
	  "the paper has links of 40Gbps; with dcqcn's default two flows fill 93 % of 10 to "
	  "400Gbps" },
	{ "rdma", NULL, NULL, "min-rate", "HPCC, SIGCOMM 2019, its simulations", FROM(25),
	  "on slower links a few flows at this rate fill the link, and no control can slow them" },
	{ "rdma", NULL, NULL, "rto", "chosen here", ANY, "should exceed the longest round trip" },
	/* --- marking --- */
	{ "marking", "ecn", NULL, "k", "DCTCP, SIGCOMM 2010: 65 packets", AT(10),
	  "K grows with rate x round trip; HPCC's study has 30 KB for each 10Gbps" },
	{ "marking", "red", NULL, "min max", "DCQCN, SIGCOMM 2015", AT(40),
	  "HPCC's study has 100 KB and 400 KB for each 25Gbps" },
	{ "marking", "red", NULL, "drop-min drop-max", "chosen here", ANY, "off" },
	{ "marking", "tcn", "t-max=0us", "threshold", "DCTCP's 65 packets, as time", AT(10),
	  "part of a round trip, which is shorter where links are faster" },
	{ "marking", "tcn", NULL, "t-min t-max", "chosen here", ANY, "off" },
	{ "marking", "codel", NULL, "target interval",
	  "TCN, CoNEXT 2016, section 6.1: found by experiment at 1Gbps and round trips of 250us",
	  ANY, "by the round trip, whatever the rate: interval is about the longest" },
	{ "marking", "mq-ecn", NULL, "k", "DCTCP, SIGCOMM 2010: 65 packets", AT(10),
	  "K grows with rate x round trip" },
	{ "marking", "mq-ecn", NULL, "idle", "authors' code of MQ-ECN, NSDI 2016", ANY,
	  "0us: a frame's time on the link" },
	{ "marking", "ideal-ecn", NULL, "k", "DCTCP, SIGCOMM 2010: 65 packets", AT(10),
	  "K grows with rate x round trip" },
	{ "marking", "ideal-ecn", NULL, "dq-thresh", "TCN, CoNEXT 2016, section 3.3", ANY, NULL },
	{ "marking", "ecn-sharp", NULL, "threshold pst-target pst-interval",
	  "PRED, NSDI 2025, section 6.3.1", AT(10), "parts of a round trip" },
	{ "marking", "bcc", NULL, "k pool-min pool-max",
	  "example of BCC, INFOCOM 2020, for 100Gbps, with a tenth of rate and buffer", AT(10),
	  "they grow with rate x round trip, and with the buffer" },
	{ "marking", "ared", NULL, "min max", "chosen here: half-way is DCTCP's 65 packets", AT(10),
	  "they grow with rate x round trip" },
	{ "marking", "ared", NULL, "interval average-over",
	  "chosen here: Adaptive RED's five and ten round trips, of 100us", ANY,
	  "by the round trip" },
	{ "marking", "pie", NULL, "target t-update max-burst",
	  "chosen here: RFC 8033's times by a thousand, as round trips of 100us for 100 ms", ANY,
	  "by the round trip" },
	{ "marking", "diffecn", NULL, "pass-limit quantum", "DiffECN, ToN 2024", ANY, NULL },
	{ "marking", "diffecn", NULL, "rtt t-period", "DiffECN, ToN 2024", ANY, by_rtt },
	{ "marking", "pftcn", NULL, "pass-limit quantum", "DiffECN, ToN 2024", ANY, NULL },
	{ "marking", "pftcn", NULL, "threshold rtt t-period", "DiffECN, ToN 2024, section VI-C6",
	  ANY, by_rtt },
	{ "marking", "pred", NULL, "min max q-left q-right min-step",
	  "PRED, NSDI 2025, section 4.3", BETWEEN(10, 100),
	  "the paper's simulations have both rates" },
	{ "marking", "pred", NULL, "t-fcs t-qla rtt", "PRED, NSDI 2025, section 4.3", ANY, by_rtt },
	{ "marking", "pred", NULL, "read-delay write-delay", "chosen here", ANY, "no delay" },
	/* --- schedulers, NICs, flow control between switches --- */
	{ "scheduler", "dwrr", NULL, "quantum", "chosen here", ANY, "a full packet" },
	{ "scheduler", "sp-dwrr", NULL, "quantum", "chosen here", ANY, "a full packet" },
	{ "nic", "fifo", NULL, "limit", "Linux's queue of a network device", ANY,
	  "congestion windows limit the NIC queue" },
	{ "nic", "fq", NULL, "limit", "Linux's fq", ANY, "congestion windows limit the NIC queue" },
	{ "fabric", "bfc", NULL, "hop-rtt", "BFC, NSDI 2022", ANY,
	  "0us: by the delays of each link" },
	{ "fabric", "floodgate", NULL, "credit credit-timer",
	  "authors' simulator of Floodgate, CoNEXT 2021", ANY, "windows grow with the timer" },
	/* --- tuners and agents --- */
	{ "tuner", "qla", NULL, "q-left q-right min-step", "PRED, NSDI 2025, section 4.3",
	  BETWEEN(10, 100), "the paper's simulations have both rates" },
	{ "agent", "acc", NULL, "queue-max", "ACC, SIGCOMM 2021; 4MB chosen here", ANY,
	  "used with reward=linear; 0B: 10MB, 4MB in fct" },
	{ "agent", "acc", "preset=paper", "thresholds", "ACC, SIGCOMM 2021", BETWEEN(25, 100),
	  "thresholds=rate makes the table of settings grow with the rate" },
	{ "agent", "acc", "preset=weir", "thresholds", "chosen here, by experiment",
	  BETWEEN(10, 100), "thresholds=rate makes the table of settings grow with the rate" },
	{ "agent", "acc", "policy=trained", "thresholds", "chosen here, by experiment",
	  BETWEEN(10, 100), "thresholds=rate makes the table of settings grow with the rate" },
	{ "agent", "acc", NULL, "q-left q-right", "PRED, NSDI 2025, section 4.3", ANY,
	  "used with reward=pred" },
	{ "agent", "fixed", NULL, "min max", "DCQCN, SIGCOMM 2015", AT(40),
	  "HPCC's study has 100 KB and 400 KB for each 25Gbps" },
	{ "agent", "patience", NULL, "lax-min lax-max tight-min tight-max queue",
	  "chosen here, by experiment", AT(25), "a yardstick for learners, not advice" },
	{ "agent", "patience", NULL, "wait wait-min wait-max average marks",
	  "chosen here, by experiment", AT(25), "a yardstick for learners, not advice" },
	/* --- congestion controls --- */
	{ "cc", "dctcp", NULL, "min-window", "chosen here", ANY,
	  "RFC 5681 and Linux have two segments" },
	{ "cc", "ecn-star", NULL, "min-window", "chosen here", ANY,
	  "RFC 5681 and Linux have two segments" },
	{ "cc", "reno", NULL, "min-window", "RFC 5681", ANY, NULL },
	{ "cc", "cubic", NULL, "min-window", "Linux", ANY, NULL },
	{ "cc", "cubic", NULL, "hystart-min-rise", "chosen here", ANY,
	  "by the round trip; RFC 9406 has 4 ms, longer than a datacenter's queues" },
	{ "cc", "cubic", NULL, "hystart-max-rise", "RFC 9406", ANY, NULL },
	{ "cc", "dcqcn", "preset=hpcc", "alpha-timer decrease-interval increase-timer byte-counter",
	  "HPCC, SIGCOMM 2019: a NIC vendor's recommendation", BETWEEN(10, 400),
	  "0us: 1us, 4us and 300us, no byte counter; 10 to 400Gbps were measured here" },
	{ "cc", "dcqcn", "preset=paper",
	  "alpha-timer decrease-interval increase-timer byte-counter", "DCQCN, SIGCOMM 2015",
	  AT(40),
	  "0us: 55us, 50us and 55us, 0B: 10 MB; the default preset=hpcc is for 10 to 400Gbps" },
	{ "cc", "dcqcn", NULL, "additive hyper", "DCQCN, SIGCOMM 2015; HPCC, SIGCOMM 2019", ANY,
	  by_rate },
	{ "cc", "dctcp-rdma", NULL, "ai", "HPCC, SIGCOMM 2019, its simulations", ANY,
	  "0bps: a full packet a round trip" },
	{ "cc", "hpcc", NULL, "ai", "HPCC, SIGCOMM 2019, its simulations", ANY, by_rate },
	{ "cc", "hpcc", NULL, "rtt", "HPCC, SIGCOMM 2019", ANY, by_rtt },
	{ "cc", "timely", NULL, "t-low t-high", "TIMELY, SIGCOMM 2015", AT(10),
	  "round trips with queues, which are shorter where links are faster" },
	{ "cc", "timely", NULL, "delta hai-delta", "TIMELY, SIGCOMM 2015: 10 Mb/s at 10Gbps", ANY,
	  by_rate },
	{ "cc", "timely", NULL, "segment", "HPCC, SIGCOMM 2019, its simulations", ANY,
	  "0B: what a round trip carries" },
	{ "cc", "timely", NULL, "rtt", "TIMELY, SIGCOMM 2015", ANY, by_rtt },
	{ "cc", "swift", NULL, "target", "Swift, SIGCOMM 2020, sections 5.1 and 5.2", ANY,
	  "a delay, whatever the rate" },
	{ "cc", "swift", NULL, "per-hop flow-range", "csg-htsim", FROM(10),
	  "on slower links one packet takes more time than per-hop allows for a switch" },
	{ "cc", "powertcp", NULL, "ai", "authors' simulator of PowerTCP, NSDI 2022", ANY, by_rate },
	{ "cc", "powertcp", NULL, "rtt", "PowerTCP, NSDI 2022", ANY, by_rtt },
	{ "cc", "fdcc", NULL, "min-rate", "chosen here", ANY, "0bps: rdma.min-rate" },
	{ "cc", "fdcc", NULL, "rtt", "FDCC, thesis, chapter 4", ANY, by_rtt },
	{ "cc", "rl-cc", NULL, "base rtt",
	  "chosen here; RL-CC's authors have 8192 ns (preset=nvlabs)", ANY, by_rtt },
	{ .owner = NULL },
};

const struct default_kind default_kinds[] = {
	{ "marking", &weir_mark_registry }, { "scheduler", &weir_sched_registry },
	{ "nic", &nic_registry },           { "fabric", &fabric_registry },
	{ "tuner", &weir_tune_registry },   { "agent", &weir_agent_registry },
	{ "cc", &weir_cc_registry },        { .name = NULL },
};

int default_is_bound(const struct weir_option *o)
{
	switch (o->type) {
	case WEIR_OPT_TIME_NS:
	case WEIR_OPT_TIME_PS:
	case WEIR_OPT_TIME_AUTO_PS:
	case WEIR_OPT_SPAN_PS:
	case WEIR_OPT_BYTES:
	case WEIR_OPT_LENGTH:
	case WEIR_OPT_SIZE:
	case WEIR_OPT_RATE_BPS:
		return o->def != NULL;
	default:
		return 0;
	}
}

const struct weir_option *default_options(const struct default_entry *d)
{
	const struct weir_scheme *s;

	if (!d->scheme)
		return strcmp(d->owner, "switch") == 0 ? switch_options
		       : strcmp(d->owner, "host") == 0 ? host_options
		       : strcmp(d->owner, "rdma") == 0 ? rdma_options
						       : NULL;
	for (const struct default_kind *k = default_kinds; k->name; k++)
		if (strcmp(k->name, d->owner) == 0) {
			s = weir_registry_find(k->schemes, d->scheme);
			return s ? s->options : NULL;
		}
	return NULL;
}

const char *default_next_option(const char *list, char *name, size_t size)
{
	size_t length = strcspn(list, " ");

	if (length == 0)
		return NULL;
	snprintf(name, size, "%.*s", (int)length, list);
	return list + length + strspn(list + length, " ");
}

int default_holds(const struct default_entry *d, const void *params)
{
	_Alignas(8) unsigned char wanted[WEIR_SPEC_PARAMS_MAX];
	char name[64], is[WEIR_OPT_TEXT_SIZE], must[WEIR_OPT_TEXT_SIZE];
	const struct weir_option *o;
	struct weir_error e;

	if (!d->when)
		return 1;
	snprintf(name, sizeof(name), "%.*s", (int)strcspn(d->when, "="), d->when);
	o = weir_option_find(default_options(d), name);
	if (!o || weir_option_parse(wanted, o, d->when + strlen(name) + 1, &e))
		return 0;
	return strcmp(weir_option_format(is, sizeof(is), o, params),
		      weir_option_format(must, sizeof(must), o, wanted)) == 0;
}

int default_is_outside(const struct default_entry *d, uint64_t rate_bps)
{
	return rate_bps < d->rate_min_bps / DEFAULT_RATE_FACTOR ||
	       (d->rate_max_bps && rate_bps / DEFAULT_RATE_FACTOR > d->rate_max_bps);
}

const char *default_rate(uint64_t rate_bps, char *buffer, size_t size)
{
	static const struct weir_option rate = { "rate", WEIR_OPT_RATE_BPS, 0,  NULL,
						 0,      UINT64_MAX,        "", NULL };

	return weir_option_format(buffer, size, &rate, &rate_bps);
}

const char *default_rates(const struct default_entry *d, char *buffer, size_t size)
{
	char least[64], most[64];

	default_rate(d->rate_min_bps, least, sizeof(least));
	default_rate(d->rate_max_bps, most, sizeof(most));
	if (!d->rate_min_bps && !d->rate_max_bps)
		snprintf(buffer, size, "any rate");
	else if (!d->rate_max_bps)
		snprintf(buffer, size, "%s and more", least);
	else if (d->rate_min_bps == d->rate_max_bps)
		snprintf(buffer, size, "%s", least);
	else
		snprintf(buffer, size, "%s to %s", least, most);
	return buffer;
}
