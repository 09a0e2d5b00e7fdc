/* SPDX-License-Identifier: BSD-3-Clause */
/* config.h -- the configuration of a run, as plain values.
 *
 * The scenario reader (lab/scenario) fills a struct config, config_check parses its specs and
 * validates it, and the simulator builds a run from it alone; it is constant from then on and may
 * be read by all threads. Each section is a struct with an option table. Topologies and traffic
 * patterns have option tables and params of their own. */
#ifndef CONFIG_CONFIG_H
#define CONFIG_CONFIG_H
#include "weir/agent.h"
#include "weir/cc.h"
#include "weir/mark.h"
#include "weir/option.h"
#include "weir/pfc.h"
#include "weir/sched.h"
#include "weir/scheme.h"
#include "weir/traffic.h"

enum { DSCP_COUNT = 64 }; /* code points: 6 bits */

struct config_line {
	char *text;
	int line;
};

/* Lines of a repeatable key as written, each with its line number in the file. */
struct line_list {
	uint32_t count;
	struct config_line *lines;
};

/* [network] */
struct network_config {
	char topology[WEIR_OPT_TEXT_SIZE];
	const struct topology_ops *ops; /* sim/net/network.h; its own keys are params */
	uint64_t ecmp;                  /* enum ecmp_mode */
	uint64_t reroute_delay_ps;      /* from a link failure until senders use other paths */
	struct line_list links;         /* "link = a b 10Gbps 5us", topology explicit */
	struct line_list fails;         /* "fail = leaf0 spine1 10ms" */
	_Alignas(8) unsigned char params[WEIR_SPEC_PARAMS_MAX];
};

enum ecmp_mode { ECMP_PER_FLOW, ECMP_PER_PACKET };

/* [switch] */
struct switch_config {
	char marking[WEIR_OPT_TEXT_SIZE];   /* spec */
	struct line_list markings;          /* "leaf ecn(k=20KB)": of a part, config/markings.h */
	char scheduler[WEIR_OPT_TEXT_SIZE]; /* spec */
	uint64_t queues;                    /* per port */
	char dscp_map[WEIR_OPT_TEXT_SIZE];  /* "26:3 default:0"; empty: none, see dscp_read */
	uint64_t buffer;                    /* WEIR_OPT_LENGTH */
	uint64_t buffer_per;        /* enum weir_buffer_scope of weir/port.h: queue, port, switch */
	uint64_t dt_alpha_q32;      /* dynamic threshold of a shared buffer: alpha, up to 128 */
	uint64_t ethernet_overhead; /* flag: count 20 bytes more and 64 at least per frame on the
				       wire */
	char lossless[WEIR_OPT_TEXT_SIZE]; /* classes that are never dropped: "none", "all", "0:3"
					    */
	uint64_t pfc_alpha_q32, pfc_reserved_bytes, pfc_margin_bytes;
	uint64_t pfc_headroom_bytes;     /* per class and ingress port; 0: from rate and delay */
	char fabric[WEIR_OPT_TEXT_SIZE]; /* spec */
	uint64_t non_ect; /* 0: a mark on a packet that is not ECN-capable drops it, 1: passes */
	char tune[WEIR_OPT_TEXT_SIZE]; /* spec */
	uint64_t tune_interval_ns;     /* 0: the agent's own */
	struct weir_span_ps tune_read_delay, tune_write_delay;
};

/* [host] */
struct host_config {
	char cc[WEIR_OPT_TEXT_SIZE]; /* spec */
	uint64_t mss_bytes;
	uint64_t header_bytes; /* of every packet: Ethernet + IP + TCP */
	uint64_t initial_window_pkts;
	uint64_t max_window_bytes; /* WEIR_OPT_SIZE: the receiver's window */
	uint64_t acks_per;         /* data packets per ACK */
	uint64_t ack_delay_ps;     /* delayed-ACK timer */
	uint64_t rto_min_ps, rto_initial_ps, rto_max_ps;
	uint64_t jitter_ps;           /* of a packet's end on the link, or WEIR_OPT_AUTO */
	uint64_t processing_delay_ps; /* from the link to the transport, for every packet that
					 arrives */
	uint64_t recovery;            /* enum recovery_mode */
	uint64_t loss_detection;      /* enum loss_detection */
	uint64_t tail_probe;          /* flag: RFC 8985, section 7 */
	uint64_t handshake;           /* flag: SYN and SYN-ACK before data */
	uint64_t ecn_acks;            /* flag: ACKs are ECN-capable where data is */
	uint64_t idle_restart;        /* flag: the window shrinks after idle time (RFC 5681) */
	char nic[WEIR_OPT_TEXT_SIZE]; /* spec */
	uint64_t arbitration;         /* enum host_arbitration */
	uint64_t tso_bytes;           /* burst of one connection, back to back; 0: one packet */
};

/* The order in which a fair NIC serves ready connections. */
enum host_arbitration { ARBITRATION_ARRIVAL, ARBITRATION_ROUND_ROBIN };

enum loss_detection { LOSS_AUTO, LOSS_DUPACK, LOSS_RACK };

enum recovery_mode { RECOVERY_PRR, RECOVERY_IMMEDIATE };

/* [rdma] */
struct rdma_config {
	uint64_t mtu_bytes; /* payload of a full packet */
	uint64_t header_bytes, int_bytes;
	uint64_t ack_bytes; /* of an ACK or notification, without int_bytes; 0: header_bytes */
	uint64_t int_flows; /* enum int_flows: INT carries the number of flows, too */
	uint64_t acks_per;
	uint64_t max_window_bytes;
	uint64_t recovery;       /* enum rdma_recovery; read it by config_rdma_recovery */
	uint64_t loss_detection; /* enum rdma_loss_detection */
	uint64_t reordering_window_ps;
	uint64_t cnp_interval_ps;
	char cnp_dscp[WEIR_OPT_TEXT_SIZE];
	uint64_t min_rate_bps;
	uint64_t rto_ps;
	uint64_t window_of; /* enum window_scope */
};

enum int_flows { INT_FLOWS_NO, INT_FLOWS_SEEN, INT_FLOWS_EXACT };

enum window_scope { WINDOW_OF_NETWORK, WINDOW_OF_PAIR };

enum rdma_recovery { RDMA_RECOVERY_AUTO, RDMA_GO_BACK_N, RDMA_SELECTIVE };

enum rdma_loss_detection { RDMA_LOSS_AUTO, RDMA_LOSS_BY_ORDER, RDMA_LOSS_BY_TIME };

static inline uint64_t rdma_ack_bytes(const struct rdma_config *c)
{
	return c->ack_bytes ? c->ack_bytes : c->header_bytes;
}

/* [traffic NAME] */
struct traffic_config {
	char name[64];
	int line; /* of the section's header, for messages */
	char pattern[WEIR_OPT_TEXT_SIZE];
	const struct weir_traffic_ops *ops; /* of the pattern, whose own keys are params */
	uint64_t app_rate_bps;     /* rate of application writes, by config_check; 0: all at once */
	struct weir_span_ps start; /* each flow starts somewhere in here */
	uint64_t class_id,
		classes;   /* flows are spread over `classes` classes from class_id on ... */
	uint64_t class_by; /* ... by enum class_rule */
	char ack_class[WEIR_OPT_TEXT_SIZE]; /* a number, or "data" */
	uint64_t ack_class_plus_one;        /* that number plus 1, by config_check; 0: "data" */
	uint64_t first_bytes, first_class;  /* the first bytes of each flow use first_class */
	char dscp[WEIR_OPT_TEXT_SIZE];      /* empty: none */
	char first_dscp[WEIR_OPT_TEXT_SIZE], ack_dscp[WEIR_OPT_TEXT_SIZE]; /* empty: as that */
	struct {
		uint8_t is_given, data, first, ack;
	} code; /* the code points as numbers, by config_check */
	uint64_t slack_ps, slack_per_kb_ps;
	uint64_t connections;             /* enum connection_mode */
	uint64_t connections_each;        /* persistent connections per pair */
	char cc[WEIR_OPT_TEXT_SIZE];      /* spec; empty: host.cc */
	const struct weir_cc_ops *cc_ops; /* parsed by config_check; NULL: host.cc */
	_Alignas(8) unsigned char cc_params[WEIR_SPEC_PARAMS_MAX];
	struct line_list flow_lines; /* "flow = 0 5 2MB 10us", pattern list */
	_Alignas(8) unsigned char params[WEIR_SPEC_PARAMS_MAX];
};

enum class_rule { CLASS_BY_FLOW, CLASS_BY_SENDER, CLASS_BY_RECEIVER, CLASS_BY_PAIR };

enum connection_mode { CONNECTIONS_AUTO, CONNECTIONS_PER_FLOW, CONNECTIONS_PERSISTENT };
enum { CONNECTIONS_EACH_MAX = 1000 };

enum kept_flows { FLOWS_ALL, FLOWS_NONE };

/* [measure] */
/* measure.unfinished. */
enum { MEASURE_UNFINISHED_SKIP, MEASURE_UNFINISHED_COUNT };

/* measure.completion: the host at which completion is observed. */
enum completion { COMPLETION_RECEIVER, COMPLETION_SENDER };

struct measure_config {
	uint64_t from_ps, to_ps; /* to 0: until the run ends */
	uint64_t drain_ps; /* time for measured flows to finish after "to" or the last start */
	char port[WEIR_OPT_TEXT_SIZE]; /* "leaf0->h3"; empty: the switch port with the largest mean
					  queue */
	uint64_t small_bytes, large_bytes;
	uint64_t completion;     /* enum completion */
	uint64_t unfinished;     /* MEASURE_UNFINISHED_SKIP or MEASURE_UNFINISHED_COUNT */
	uint64_t sojourn;        /* flag: histograms of queueing delay */
	uint64_t kept_flows;     /* enum kept_flows: which flows a store keeps */
	struct line_list probes; /* "probe = queue leaf0->h3 every 10us", see probe.h */
};

struct config {
	char title[WEIR_OPT_TEXT_SIZE]; /* first comment line of the file */
	char file[WEIR_OPT_TEXT_SIZE];  /* for messages; may be empty */
	char case_name[64];             /* of [case NAME]; empty: the scenario has none */
	uint64_t seed;
	struct network_config network;
	struct switch_config switches;
	struct host_config host;
	struct rdma_config rdma;
	uint32_t traffic_count;
	struct traffic_config *traffic;
	struct measure_config measure;
	/* For a run with real packets: "world real" and further settings outside all sections, each
	 * as "PATH VALUE". Empty: the run is simulated. */
	struct line_list real;
	/* Derived by config_check: */
	uint32_t lossless; /* bit per class */
	struct {
		uint64_t mapped; /* bit per code point that the map names */
		uint8_t class_of[DSCP_COUNT], has_map, cnp;
	} dscp;
	uint32_t frame_max_bytes, frame_min_bytes; /* over all transports in use */
	uint32_t telemetry;                        /* 1: switches write INT into packets */
	struct weir_pfc_params pfc;
	uint32_t queues; /* per port: switches.queues, or the marking scheme's layout */
	const struct weir_mark_ops *mark;
	struct markings *markings; /* parts with another marking scheme; NULL: none */
	const struct weir_sched_ops *sched;
	const struct weir_cc_ops *cc;
	const struct fabric_ops *fabric;    /* config/fabric.h */
	const struct weir_agent_ops *agent; /* switch.tune: an agent ... */
	const struct weir_tune_ops *tuner;  /* ... or a tuner per queue; both NULL: none */
	const struct nic_ops *nic; /* config/nic.h; where it has queues, their marking ... */
	const struct weir_mark_ops *nic_mark;
	const struct weir_sched_ops *nic_sched; /* ... and, of more than one, their scheduler */
	_Alignas(8) unsigned char mark_params[WEIR_SPEC_PARAMS_MAX];
	_Alignas(8) unsigned char sched_params[WEIR_SPEC_PARAMS_MAX];
	_Alignas(8) unsigned char tune_params[WEIR_SPEC_PARAMS_MAX];
	_Alignas(8) unsigned char fabric_params[WEIR_SPEC_PARAMS_MAX];
	_Alignas(8) unsigned char cc_params[WEIR_SPEC_PARAMS_MAX];
	_Alignas(8) unsigned char nic_params[WEIR_SPEC_PARAMS_MAX];
	_Alignas(8) unsigned char nic_mark_params[WEIR_SPEC_PARAMS_MAX];
	_Alignas(8) unsigned char nic_sched_params[WEIR_SPEC_PARAMS_MAX];
};

/* The congestion control of a traffic section. */
static inline const struct weir_cc_ops *traffic_cc(const struct config *c, uint32_t traffic)
{
	return c->traffic[traffic].cc_ops ? c->traffic[traffic].cc_ops : c->cc;
}

/* Are the flows of a pair messages on a persistent connection? */
static inline int traffic_is_persistent(const struct config *c, const struct traffic_config *t)
{
	const struct weir_cc_ops *cc = t->cc_ops ? t->cc_ops : c->cc;

	if (t->ops->messages)
		return 1;
	if (t->connections != CONNECTIONS_AUTO)
		return t->connections == CONNECTIONS_PERSISTENT;
	return cc && cc->transport == WEIR_CC_RDMA && t->ops->keeps_order &&
	       t->ops->keeps_order(t->params);
}

/* Packet spraying: may packets of one flow take different paths and be reordered? */
static inline int config_sprays(const struct config *c)
{
	return c->network.ecmp == ECMP_PER_PACKET;
}

/* Do TCP senders use RACK (RFC 8985)? */
static inline int config_has_rack(const struct config *c)
{
	return c->host.loss_detection == LOSS_RACK ||
	       (c->host.loss_detection == LOSS_AUTO && (config_sprays(c) || c->host.tail_probe));
}

/* Do RDMA queue pairs detect losses by time? */
static inline int config_rdma_has_rack(const struct config *c)
{
	return c->rdma.loss_detection == RDMA_LOSS_BY_TIME ||
	       (c->rdma.loss_detection == RDMA_LOSS_AUTO && config_sprays(c));
}

/* Retransmission of queue pairs after a loss: RDMA_GO_BACK_N or RDMA_SELECTIVE. */
static inline enum rdma_recovery config_rdma_recovery(const struct config *c)
{
	if (c->rdma.recovery != RDMA_RECOVERY_AUTO)
		return (enum rdma_recovery)c->rdma.recovery;
	return config_sprays(c) || config_rdma_has_rack(c) ? RDMA_SELECTIVE : RDMA_GO_BACK_N;
}

enum { FRAME_MAX_BYTES = 9216 }; /* a jumbo frame */
#define ACK_CLASS_DATA "data"    /* an ACK has the class of the data it acknowledges */

/* Option tables of the sections, without the keys of a topology or pattern. */
extern const struct weir_option network_options[], switch_options[], host_options[], rdma_options[],
	traffic_options[], measure_options[];

/* All defaults, no traffic. */
void config_init(struct config *c);
void config_free(struct config *c);

/* Appends a [traffic NAME] section with the defaults of traffic_options; the caller adds those of
 * its pattern. Invalidates pointers into c->traffic. */
struct traffic_config *config_add_traffic(struct config *c, const char *name);

/* Copies text. */
void line_list_add(struct line_list *list, const char *text, int line);
void line_list_free(struct line_list *list);

/* Parses all specs and validates keys against each other. -1 with a message that starts with
 * section and key ("switch.marking: ..."). Topologies and traffic patterns validate themselves when
 * built. */
int config_check(struct config *c, struct weir_error *e);

/* The [switch] part of config_check, for switches without a simulation (switch/run). Requires
 * c->frame_max_bytes. */
int config_check_switch(struct config *c, struct weir_error *e);

/* --- settings that were renamed, in renamed.c ---
 *
 * Where a user writes a setting its former name is accepted, too, for one release and with a note.
 * Everywhere else, in memory, stores and output, a setting has its current name only. Keys of runs
 * and digests of figures are made from former names: a rename changes neither. */

enum { SETTING_PATH_SIZE = 512 };

/* The current name of a key of [section]; key itself if it was not renamed. */
const char *setting_current_key(const char *section, const char *key);

/* The same for a path: "host.card.marking" is "host.nic.marking" now. The result is path, or in
 * buffer. */
const char *setting_current_path(const char *path, char buffer[SETTING_PATH_SIZE]);

/* Fills in a note for the user, "mine.ini:7: host.card is called host.nic now", unless it has one
 * about another setting already. Line 0: the setting was given by --set. */
void setting_note_renamed(char note[WEIR_OPT_TEXT_SIZE], const char *file, int line,
			  const char *former, const char *name);

/* The former path of a setting, before any rename. */
const char *setting_former_path(const char *path, char buffer[SETTING_PATH_SIZE]);

/* --- DSCP, in classes.c ---
 *
 * The code point that packets carry (RFC 2474), and the class that switches map it to: "26:3 48:6
 * default:0", as SONiC's DSCP_TO_TC_MAP.
 *
 * Without a map the section decides the class, and the DSCP is only carried. With a map the DSCP
 * decides: every section then has a dscp, and keys that name classes are omitted. All switches use
 * the same map and none rewrites a DSCP, so classes are known before the run and packets carry the
 * class. */

/* "26", or a name of RFC 2474, 2597 and 3246: "cs6", "af31", "ef". */
int dscp_read(const char *text, uint8_t *dscp, struct weir_error *e);

/* Reads switch.dscp-map and rdma.cnp-dscp. */
int dscp_map_check(struct config *c, struct weir_error *e);

/* Parses the section's code points and, with a map, sets its classes. */
int dscp_check(const struct config *c, struct traffic_config *t, struct weir_error *e);

/* Is the code point named by the map? Otherwise it has the default class. */
int dscp_is_mapped(const struct config *c, uint8_t dscp);

/* The class of CNPs: by the map, else that of ACKs. */
static inline uint8_t dscp_cnp_class(const struct config *c, uint8_t ack_class)
{
	return c->dscp.has_map ? c->dscp.class_of[c->dscp.cnp] : ack_class;
}
#endif
