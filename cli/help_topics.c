/* SPDX-License-Identifier: BSD-3-Clause */
/* help_topics.c -- topics of 'weir help': words of the field that name no setting or scheme, each
 * explained in about ten lines with the settings and metrics that concern it. */
#include "cli/help.h"
#include <stddef.h>
#include <string.h>

const struct topic topic_all[] = {
	{ "aqm", "active-queue-management queue-management",
	  "Active queue management: a switch marks (ECN) or drops packets before its\n"
	  "buffer is full, so that senders slow down while the queue is short.\n"
	  "    [switch]\n"
	  "    marking = red(min=30KB, max=150KB, p=10%)\n"
	  "By queue length: ecn, red, ared, mq-ecn, ideal-ecn, bcc, pred. By sojourn time:\n"
	  "tcn, codel, pie, ecn-sharp. By flow: pftcn, diffecn. none is drop-tail. Marking\n"
	  "may differ by class, link rate or switch tier: marking.PART. Thresholds can be\n"
	  "tuned while a run goes on: switch.tune = acc or qla. See also: weir list\n"
	  "marking, weir help ecn, kmin, buffer.\n" },
	{ "buffer", "buffers shared-buffer dynamic-threshold dt",
	  "Switch memory for queued packets, in bytes or packets, without the packet being\n"
	  "serialised. buffer-per says what has a buffer of that size: each queue, each\n"
	  "port (the default), or the whole switch. In a shared buffer a queue may hold\n"
	  "dt-alpha times what is free (dynamic threshold, Choudhury and Hahne 1998).\n"
	  "    [switch]\n"
	  "    buffer = 12MB\n"
	  "    buffer-per = switch\n"
	  "    dt-alpha = 1\n"
	  "Packets beyond that are dropped; lossless classes are paused before: 'weir help\n"
	  "pfc'. Metrics: drops, queue_max_pkts, network_queue_max_pkts.\n" },
	{ "cdf", "percentile percentiles p50 p95 p99 tail tails",
	  "Every completion time is stored, so any percentile can be asked for: p50, p95,\n"
	  "p99, p999 of all flows or of small, medium and large ones.\n"
	  "    weir table mine.results --metric fct_small_p99_ns --metric slowdown_p95\n"
	  "A percentile is shown if at least one flow lies beyond it: p99 needs 100 flows.\n"
	  "'weir report' draws the CDF and its tail on logarithmic axes, 'weir export\n"
	  "--plots' writes them for gnuplot and matplotlib. The CDF from which flow sizes\n"
	  "are drawn is another matter: 'weir help sizes'.\n" },
	{ "classes", "class priority priorities prio dscp queues qos traffic-class",
	  "A packet's traffic class is the number of its queue at every port, from 0. A\n"
	  "[traffic] section sets the class of its packets, [switch] the number of queues\n"
	  "and their scheduler.\n"
	  "    [switch]\n"
	  "    queues = 2\n"
	  "    scheduler = sp              # or dwrr(weights=3:1), wfq, sp-dwrr ...\n"
	  "    [traffic storage]\n"
	  "    class = 1\n"
	  "Or by DSCP: dscp-map = 26:1 default:0 in [switch], dscp = 26 in the section.\n"
	  "ACKs have the class of their data unless ack-class differs. classes = 4 spreads\n"
	  "the flows of a section; first-bytes puts the start of each flow into another\n"
	  "class (PIAS).\n" },
	{ "cluster", "mpi mpirun slurm shards machines",
	  "A sweep on many machines gives the same results as on one, and resumes where it\n"
	  "was interrupted.\n"
	  "    mpirun -n 64 weir run mine.ini     Open MPI: rank 0 stores the results;\n"
	  "                                       also choose, reproduce, train\n"
	  "    weir submit mine.ini --slurm       a Slurm array job of shards ...\n"
	  "    weir status                        ... its progress; merged when done\n"
	  "    weir run mine.ini --shard 3/16     by hand, anywhere ...\n"
	  "    weir merge mine.*-of-16.results --out mine.results\n"
	  "All machines must run the same build. Missing and foreign runs are named. See\n"
	  "also: weir help submit, merge; docs/manual/11-clusters.md.\n" },
	{ "cnp", "cnps congestion-notification notification-point",
	  "Congestion notification packet (RoCEv2): a receiver that gets packets marked\n"
	  "with CE sends one to the sender, at most one per flow and cnp-interval, and\n"
	  "DCQCN cuts its rate on each.\n"
	  "    [rdma]\n"
	  "    cnp-interval = 50us         # DCQCN, SIGCOMM 2015\n"
	  "    cnp-dscp = 48               # their class, with switch.dscp-map\n"
	  "    [host]\n"
	  "    cc = dcqcn\n"
	  "Without dscp-map CNPs have the class of ACKs (ack-class). A class served first\n"
	  "shortens the control loop: CNPs then do not queue behind data. --pcap captures\n"
	  "show them. See also: weir help dcqcn, rdma, classes.\n" },
	{ "collectives", "allreduce all-reduce nccl training ai ml busbw gpu llm astra-sim",
	  "Traffic of distributed training, in rounds: a rank goes on when the messages\n"
	  "that it depends on have arrived, and it has computed.\n"
	  "    [traffic ai]\n"
	  "    pattern = collective        # 'weir help collective' lists its keys\n"
	  "    collective = all-reduce     # all-to-all, all-gather, broadcast ...\n"
	  "    algorithm = ring            # halving-doubling, tree, direct, hierarchical\n"
	  "    size = 16MiB\n"
	  "Metrics: round_mean_ns, busbw_bps, exposed_fraction, rank_lag_ns; one slow\n"
	  "message delays the whole round. Patterns transformer, goal, simai and chakra\n"
	  "are whole jobs; ring and training (a parameter server) are rounds of flows,\n"
	  "all in the results. docs/manual/05-traffic.md; scenarios/collectives.ini.\n" },
	{ "ecmp", "paths path hash load-balancing multipath",
	  "With network.ecmp = flow a flow takes one of the shortest paths, chosen at each\n"
	  "switch by a hash of the flow and the seed; with packet each packet takes its\n"
	  "own: 'weir help spray'. 'weir check' prints how many equal-cost paths there are\n"
	  "between racks. A flow of a list may name its path:\n"
	  "    flow = 0 5 2MB 10us path=3\n"
	  "When a link fails (fail = leaf0 spine1 10ms in [network]), senders use other\n"
	  "paths after reroute-delay. Hash collisions show as links of unequal utilisation\n"
	  "in ports.csv of 'weir export'.\n" },
	{ "ecn", "marks mark threshold k ce",
	  "Explicit Congestion Notification (RFC 3168): a switch marks packets with CE in\n"
	  "place of dropping them, and the sender slows down. switch.marking decides when:\n"
	  "ecn(k=65pkts) above a fixed length, red(min, max, p) with a probability that\n"
	  "rises between two lengths, tcn(threshold=100us) by sojourn time. The reaction is\n"
	  "host.cc: dctcp cuts by the fraction of marked bytes, dcqcn by CNPs, reno and\n"
	  "cubic only with ecn=yes. marking.PART sets another scheme for a class, a link\n"
	  "rate or a switch tier.\n"
	  "Metrics: mark_fraction (of data packets that arrive), marks, marks_up ... See\n"
	  "also: weir help aqm, kmin; weir list marking; weir choose.\n" },
	{ "failures", "failure fail link-down cut",
	  "    [network]\n"
	  "    fail = leaf0 spine1 10ms    # link down, both directions; may be repeated\n"
	  "    reroute-delay = 1ms         # until senders stop using it\n"
	  "Packets in flight on the link are lost. Flows left without a path are counted\n"
	  "(flows_without_path) and named after the run. The second of two parallel links\n"
	  "is spine1#1.\n" },
	{ "fct", "completion flow-completion-time",
	  "Flow completion time: from a flow's start until its last byte is at the receiver\n"
	  "(measure.completion = sender: until the last ACK). Flows that start between\n"
	  "measure.from and measure.to count. Small flows have up to measure.small (100KB),\n"
	  "large ones more than measure.large (10MB).\n"
	  "    weir run mine.ini                            # all flows, and by section\n"
	  "    weir table mine.results --by flow-size       # by tenths of the flows\n"
	  "Metrics: fct_mean_ns, fct_p99_ns, fct_small_p99_ns ... ('weir list metric').\n"
	  "Divided by the completion time in an idle network it is the slowdown: 'weir help\n"
	  "slowdown'.\n" },
	{ "goodput", "throughput bandwidth utilisation utilization",
	  "Payload that receivers get for the first time, per second: without headers,\n"
	  "retransmissions and ACKs.\n"
	  "    goodput_bps          all receivers, from measure.from to measure.to; without\n"
	  "                         measure.to, while flows arrive (goodput_span_ns)\n"
	  "    bulk_goodput_bps     flows of unlimited size\n"
	  "    utilisation          of the measured port's rate, headers included;\n"
	  "                         utilisation_up, _down, _to_hosts by direction\n"
	  "    weir table mine.results --by traffic --metric goodput_bps\n"
	  "Over time: probe = throughput leaf0->h3 every 1ms, or of traffic:web, flow:12.\n" },
	{ "incast", "fan-in many-to-one",
	  "Many senders answer one receiver at the same time, and the queue at its port\n"
	  "overflows.\n"
	  "    [traffic requests]\n"
	  "    pattern = incast\n"
	  "    senders = 40\n"
	  "    receiver = 0                # random: another one for each request\n"
	  "    size = 20KB\n"
	  "    period = 1ms                # or load = 20%, arrivals = poisson\n"
	  "Metrics: fct_small_p99_ns, timeouts, drops, queue_max_pkts. Long flows that\n"
	  "share a receiver are pattern = many-to-one. scenarios/incast.ini is an example.\n" },
	{ "int", "telemetry in-band-telemetry inband",
	  "In-band network telemetry: each switch writes queue length, transmitted bytes,\n"
	  "time and link rate into the packet, and the ACK returns them to the sender.\n"
	  "hpcc, powertcp and fdcc use it; their data packets carry int-header more bytes.\n"
	  "    [host]\n"
	  "    cc = hpcc\n"
	  "    [rdma]\n"
	  "    int-header = 42B            # five hops of 8 B, and 2 B\n"
	  "    int-flows = no              # yes, exact: also the number of flows (FDCC)\n"
	  "Queues, throughput and marks over time are probes of the simulator and cost no\n"
	  "bytes on the wire: probe = queue leaf0->h3 every 10us in [measure]. The keeper\n"
	  "reads the counters of real switches: 'weir help keeper'.\n" },
	{ "kmin", "kmax pmax wred red-thresholds",
	  "Kmin, Kmax and Pmax of a switch's WRED/ECN profile are min, max and p of red: no\n"
	  "packet is marked below min, every packet from max on, and in between with a\n"
	  "probability that rises to p. Operators set them per link rate and per class:\n"
	  "    [switch]\n"
	  "    marking = red(min=100KB, max=400KB, p=20%)\n"
	  "    marking.100Gbps = red(min=400KB, max=1600KB, p=20%)\n"
	  "    marking.storage = red(min=40KB, max=200KB, p=1%)\n"
	  "Sweep them with switch.marking.min = 10KB, 40KB, 160KB in [sweep], or let 'weir\n"
	  "choose' search. KMIN_MAP, KMAX_MAP and PMAX_MAP of an HPCC config.txt are\n"
	  "converted by 'weir import config.txt'.\n" },
	{ "load", "offered-load utilization-target",
	  "Offered load: payload per second over the capacity of the links.\n"
	  "    pattern = all-to-all\n"
	  "    load = 60%\n"
	  "    sizes = websearch\n"
	  "    flows = 10000\n"
	  "load-of = access counts the hosts' links, bisection those to the top tier.\n"
	  "Arrivals are Poisson; sizes are drawn so that their sum meets the load. 'weir\n"
	  "check' prints what each section offers. The delivered rate is goodput_bps:\n"
	  "'weir help goodput'.\n" },
	{ "losses", "loss-detection reordering out-of-order rack go-back-n selective-repeat sack",
	  "How a sender detects a lost packet, and what it retransmits:\n"
	  "    [host]\n"
	  "    loss-detection = auto       # TCP: dupack (order) or rack (time)\n"
	  "    [rdma]\n"
	  "    loss-detection = auto       # queue pairs: order or time\n"
	  "    recovery = auto             # go-back-n or selective\n"
	  "    reordering-window = 0us     # with time: tolerated lateness; 0us: computed\n"
	  "auto is by time where network.ecmp = packet, because packets then overtake each\n"
	  "other without a loss. Go-back-N receivers discard such packets, so it is refused\n"
	  "there. A lost packet is retransmitted one round trip and the reordering window\n"
	  "after it was sent, the last packets of a flow after rdma.rto or host.rto-min.\n"
	  "Metrics: drops, retransmits, timeouts, flows_affected.\n" },
	{ "lossless", "roce rocev2 no-drop",
	  "A lossless class: switches pause its senders (PFC) before a packet is dropped.\n"
	  "RDMA over Ethernet (RoCEv2) with go-back-N asks for it.\n"
	  "    [switch]\n"
	  "    queues = 2\n"
	  "    scheduler = dwrr\n"
	  "    lossless = 1                # classes: none, all, or as in 0:3\n"
	  "    buffer = 12MB\n"
	  "    buffer-per = switch         # PFC needs the shared buffer\n"
	  "    [traffic storage]\n"
	  "    class = 1\n"
	  "    cc = dcqcn\n"
	  "Lossy classes share the buffer without the headroom. See also: weir help pfc,\n"
	  "xoff, dcqcn, rdma.\n" },
	{ "memory", "ram rss",
	  "'weir check FILE' estimates what a run needs: memory for flows (about 200 bytes\n"
	  "each), ports and packets in flight, and time. All flows of a scenario are in\n"
	  "memory.\n"
	  "    needs: about 1.2 GB of memory; 340 million packet-hops, 34 s ...\n"
	  "A sweep runs one run per core at the same time (--jobs). The largest resident\n"
	  "set of a run is peak_rss_bytes.\n" },
	{ "nic", "card cards adapter host-queue",
	  "The network interface card of a host: how packets that the transport may send\n"
	  "reach the link.\n"
	  "    [host]\n"
	  "    nic = fair                  # connections in turn, ACKs first, no queue\n"
	  "    nic = fifo                  # one queue, ACKs behind data\n"
	  "    nic = fq                    # a queue per flow, deficit round robin\n"
	  "    arbitration = arrival       # of fair: which ready connection is next\n"
	  "    tso = 64KB                  # back to back from one connection\n"
	  "fifo and fq may mark as a switch does: nic = fifo(marking=ecn). Metrics:\n"
	  "marks_from_hosts, queue_p99_from_hosts_pkts, utilisation_from_hosts. With\n"
	  "network.nic-rate (leaf-spine) the queue is behind a faster host link.\n" },
	{ "pfc", "pause pauses 802.1qbb hol head-of-line",
	  "Priority flow control (IEEE 802.1Qbb): a switch whose ingress port holds too\n"
	  "much of a class pauses that class at the neighbour. Enabled by switch.lossless\n"
	  "('weir help lossless').\n"
	  "    pfc-alpha = 1/8      # XOFF threshold: this share of the free shared buffer\n"
	  "    xon-offset = 3KB     # XON = XOFF - xon-offset\n"
	  "    pfc-headroom = 0B    # for packets in flight after XOFF; 0B: computed\n"
	  "    pfc-reserved = 4KB   # of each class of each ingress port, never shared\n"
	  "Pauses spread upstream and block flows that share no congested port\n"
	  "(head-of-line blocking). Metrics: pause_fraction (_up, _down, _from_hosts),\n"
	  "pause_ns, pfc_deadlocks; probe = pauses leaf0->h3 every 10us. scenarios/pfc.ini\n"
	  "is an example. See also: weir help xoff, watchdog.\n" },
	{ "python", "gymnasium gym pandas matplotlib jupyter notebook dataframe parquet",
	  "The package weir: apt install python3-weir, or pip install ./python.\n"
	  "    import weir\n"
	  "    r = weir.sweep(\"mine.ini\", {\"switch.marking\": [\"none\", \"tcn\"]})\n"
	  "    print(r.table()); r.flows; r.plot_metric(\"fct_p99_ns\")   # DataFrames, axes\n"
	  "    sim = weir.Sim(text); sim.run_until(\"5ms\"); sim.observe(\"queue sw->h0\")\n"
	  "Without the package:\n"
	  "    weir export mine.results --csv figures      # runs, flows, ports, series\n"
	  "    weir export mine.results --plots figures    # with plots.py\n"
	  "Environments of Gymnasium and PettingZoo: weir.envs; in C: weir/env.h.\n"
	  "See docs/manual/15-python.md, 12-learning.md and docs/reference/results.md.\n" },
	{ "rtt", "base-rtt bdp round-trip latency",
	  "The base round-trip time: a full packet and its ACK in an idle network.\n"
	  "Serialisation, propagation and processing delays count, queueing does not. 'weir\n"
	  "check' prints the shortest, typical and longest. Times the rate it is the\n"
	  "bandwidth-delay product (BDP), what a sender must have in flight to fill the\n"
	  "link. Thresholds follow from it: DCTCP needs K of about BDP / 7, TCN that share\n"
	  "of the round trip. Queue pairs take their windows from the longest round trip of\n"
	  "the network, or with rdma.base-rtt = pair from their own. host.processing-delay\n"
	  "lengthens it.\n" },
	{ "seeds", "repetitions confidence significance interval statistics",
	  "Runs that differ only in their seed are repetitions; tables show their mean with\n"
	  "the 95 % confidence interval (Student's t), as +-.\n"
	  "    [sweep]\n"
	  "    switch.marking = none, ecn, tcn\n"
	  "    seed = 1..5\n"
	  "With the same seed all schemes get the same flows, so ratios are paired:\n"
	  "    weir table mine.results --normalize-to none\n"
	  "~ beside a ratio: not significant, the 95 % confidence interval includes 1.\n" },
	{ "sizes", "size size-file size-files distribution distributions",
	  "sizes = NAME in a [traffic] section: a workload ('weir list workload'), a\n"
	  "formula, fixed(size=1MB), exponential(mean=1MB), uniform(min=1KB, max=1MB), or a\n"
	  "file. The name of a file has a slash or a dot; each line holds a size and the\n"
	  "cumulative share of flows up to it:\n"
	  "    # mine.txt\n"
	  "    unit 1KB             # of the sizes; bytes unless given\n"
	  "    0    0\n"
	  "    10   0.5             # half of the flows have up to 10 KB\n"
	  "    1000 1\n"
	  "Sizes are interpolated linearly between two points. Equal sizes are a step; a\n"
	  "first share above 0 is of flows of exactly that size. Files that end with 100\n"
	  "are in percent, as those of HPCC's traffic generator. More in\n"
	  "docs/manual/05-traffic.md.\n" },
	{ "slowdown", "normalized-fct stretch",
	  "A flow's completion time divided by its completion time in an idle network: 1 is\n"
	  "optimal, 3 is three times as long. It makes flows of different sizes comparable.\n"
	  "    weir table mine.results --metric slowdown_p99 --by flow-size\n"
	  "The idle time has no window limit and counts store-and-forward over the path,\n"
	  "headers included. Metrics: slowdown_mean, slowdown_p50, slowdown_p99,\n"
	  "slowdown_small_p99 ...\n" },
	{ "spray", "spraying packet-spraying per-packet",
	  "Packet spraying: every packet takes its own of the shortest paths.\n"
	  "    [network]\n"
	  "    ecmp = packet\n"
	  "Packets then overtake each other: receivers place data out of order, and TCP and\n"
	  "RDMA senders detect losses by time (RACK) in place of duplicate ACKs: 'weir help\n"
	  "losses'. Queue pairs use selective repeat; go-back-N is refused. Compared\n"
	  "with per-flow ECMP in one sweep:\n"
	  "    [sweep]\n"
	  "    network.ecmp = flow, packet\n" },
	{ "trace", "traces capture pcap wireshark replay",
	  "Flows from a file, and packets to a file.\n"
	  "    weir import capture.pcapng -o mine.ini     # flows of a packet capture\n"
	  "    weir import topology.txt flow.txt          # of HPCC's ns-3; or htsim's .cm\n"
	  "    weir run mine.ini --pcap 'leaf0->h3=a.pcapng'\n"
	  "In a scenario: pattern = list reads a flow per line (source, destination, size,\n"
	  "start), hpcc-flows and htsim read the files of these simulators. Captures have\n"
	  "headers, ECN field, CNPs and pause frames, for Wireshark. Time series are probes\n"
	  "in [measure] and go to series.csv: probe = queue leaf0->h3 every 10us.\n" },
	{ "units", "unit quantities",
	  "A quantity has its unit in files and on the command line:\n"
	  "    sizes   1460B 64KB 12MB 4KiB      k = 1000, Ki = 1024\n"
	  "    times   500ns 10us 5ms 2s\n"
	  "    rates   25Gbps 100Mbps\n"
	  "    queues  70pkts or 100KB\n"
	  "    shares  20% 0.2 1/5\n"
	  "Only counts have none. A mistake is reported with file and line.\n" },
	{ "watchdog", "deadlock deadlocks pfc-watchdog pfcwd pause-storm",
	  "A PFC watchdog of a switch drops the packets of a queue that has been paused for\n"
	  "too long, to end a pause storm or a deadlock. Weir models none: a run shows what\n"
	  "a watchdog would act on.\n"
	  "    pfc_deadlocks          cycles of paused links at the end of the run\n"
	  "    pause_fraction         share of time that links are paused; _up, _down\n"
	  "    probe = pauses spine0->leaf1 every 100us\n"
	  "Such a run has a ! in tables and is not ranked; its ports and flows are named.\n"
	  "Cyclic buffer dependencies need a path that goes down and up again: after 'fail'\n"
	  "or with topology = explicit. The keeper rolls a change back that raises pauses.\n" },
	{ "workloads", "workload traffic-matrix",
	  "A [traffic] section's pattern decides who sends to whom and when, its sizes how\n"
	  "much.\n"
	  "    pattern = all-to-all        # 'weir list traffic' has all patterns\n"
	  "    sizes = websearch           # 'weir list workload' has the distributions\n"
	  "    load = 50%\n"
	  "    flows = 5000\n"
	  "Applications: storage (reads and writes), training and ring (rounds), incast.\n"
	  "Flows of your own: pattern = list, or files of HPCC's simulator and htsim ('weir\n"
	  "help import'). See also: weir help sizes, load, collective, trace.\n" },
	{ "xoff", "xon headroom pause-threshold hysteresis",
	  "PFC thresholds of a class at an ingress port: above XOFF the sender is paused,\n"
	  "at XON it resumes; the gap is the hysteresis that keeps pauses from flapping.\n"
	  "    [switch]\n"
	  "    lossless = 3\n"
	  "    pfc-alpha = 1/8      # XOFF = alpha x free shared buffer (dynamic)\n"
	  "    xon-offset = 3KB     # XON = XOFF - xon-offset; SONiC: xon_offset\n"
	  "    pfc-headroom = 0B    # what arrives after XOFF; 0B: 2 x delay x rate and\n"
	  "                         # two frames, computed for each link\n"
	  "    pfc-reserved = 4KB\n"
	  "Too little headroom drops packets of a lossless class (drops); too small an\n"
	  "alpha pauses early (pause_fraction). See also: weir help pfc, lossless.\n" },
	{ .name = NULL },
};

static int topic_has_word(const char *words, const char *word)
{
	size_t length = strlen(word);

	while (*words) {
		size_t next = strcspn(words, " ");

		if (next == length && strncmp(words, word, length) == 0)
			return 1;
		words += next;
		words += strspn(words, " ");
	}
	return 0;
}

const struct topic *topic_find(const char *word)
{
	for (const struct topic *t = topic_all; t->name; t++)
		if (strcmp(t->name, word) == 0 || topic_has_word(t->also, word))
			return t;
	return NULL;
}
