/* SPDX-License-Identifier: BSD-3-Clause */
/* help_topics.c -- words that users type although they are no name of the catalogue: what they
 * mean, in about ten lines, and which settings and metrics they are about. */
#include "cli/help.h"
#include <stddef.h>
#include <string.h>

const struct topic topic_all[] = {
	{ "buffer", "buffers shared-buffer dynamic-threshold dt",
	  "What may wait in a switch. switch.buffer is a length, bytes or packets, and\n"
	  "buffer-per says whose: each queue's, each port's (the default), or one pool of\n"
	  "the whole switch. In a pool a queue may hold dt-alpha times what is still free,\n"
	  "so that a busy port leaves room for others (Choudhury and Hahne 1998).\n"
	  "    [switch]\n"
	  "    buffer = 12MB\n"
	  "    buffer-per = switch\n"
	  "    dt-alpha = 1\n"
	  "The packet on the wire does not count. Metrics: drops, queue_max_pkts.\n" },
	{ "cdf", "percentile percentiles p50 p95 p99 tail tails",
	  "Every completion time is kept, so any percentile can be asked for: p50, p95,\n"
	  "p99, p999 of all flows or of the small, medium and large ones.\n"
	  "    weir table mine.results --metric fct_small_p99_ns --metric slowdown_p95\n"
	  "A percentile is shown where at least one flow lies beyond it: p99 needs a\n"
	  "hundred flows. 'weir report' draws the whole distribution and its tail on log\n"
	  "axes, 'weir export --plots' writes them for gnuplot and matplotlib. The CDF that\n"
	  "flow sizes are drawn from is another thing: 'weir help sizes'.\n" },
	{ "classes", "class priority priorities prio dscp queues",
	  "A packet's class is the number of its queue in every port, 0 first. A [traffic]\n"
	  "section says which class its packets have, [switch] how many queues there are\n"
	  "and who serves them.\n"
	  "    [switch]\n"
	  "    queues = 2\n"
	  "    scheduler = sp              # or dwrr(weights=3:1), wfq, sp-dwrr ...\n"
	  "    [traffic storage]\n"
	  "    class = 1\n"
	  "Or by DSCP: dscp-map = 26:1 default:0 in [switch], dscp = 26 in the section.\n"
	  "ACKs go with their data unless ack-class says otherwise. classes = 4 spreads the\n"
	  "flows of a section; first-bytes gives the beginning of each flow another class.\n" },
	{ "cluster", "mpi mpirun slurm shards machines",
	  "A sweep on many machines leaves what one leaves, and goes on where it stopped.\n"
	  "    mpirun -n 64 weir run mine.ini     Open MPI: one process keeps what comes\n"
	  "                                       back; also choose, reproduce, train\n"
	  "    weir submit mine.ini --slurm       an array job of shards ...\n"
	  "    weir status                        ... followed, and merged when done\n"
	  "    weir run mine.ini --shard 3/16     by hand, anywhere ...\n"
	  "    weir merge mine.*-of-16.results --out mine.results\n"
	  "All must run the same program. What is missing or foreign is named. See also:\n"
	  "weir help submit, merge; docs/manual/11-clusters.md.\n" },
	{ "ecmp", "paths path spray spraying load-balancing",
	  "Of all shortest paths a flow takes one, chosen switch by switch by a hash of the\n"
	  "flow and the seed (network.ecmp = flow), or every packet its own (= packet).\n"
	  "Then packets overtake each other, receivers place data out of order, and senders\n"
	  "detect losses by time, TCP and RDMA alike: 'weir help losses'. 'weir\n"
	  "check' says how many equally short paths there are between racks. A flow of a\n"
	  "list may name its path: flow = 0 5 2MB 10us path=3. When a cable is cut (fail =\n"
	  "leaf0 spine1 10ms in [network]), senders use other paths after reroute-delay.\n" },
	{ "ecn", "marks mark threshold k",
	  "A switch marks packets (Explicit Congestion Notification) in place of dropping\n"
	  "them, and the sender slows down. switch.marking says when: ecn(k=65pkts) above a\n"
	  "fixed length, red(min, max, p) by chance between two, tcn(threshold=100us) by\n"
	  "time in queue. What the sender does with marks is host.cc: dctcp cuts by their\n"
	  "share, dcqcn by notification, reno and cubic only with ecn=yes. marking.PART is\n"
	  "another scheme for a class, a link rate or a tier of switches. Metrics:\n"
	  "mark_fraction (data that arrives marked), marks, marks_up, ... See also: weir\n"
	  "help kmin, weir list marking, weir choose.\n" },
	{ "failures", "failure fail link-down cut",
	  "    [network]\n"
	  "    fail = leaf0 spine1 10ms    # a cable is cut, both ways; may be repeated\n"
	  "    reroute-delay = 1ms         # until then senders go on using it\n"
	  "What is on the cable is lost. Flows that are left without a path are counted\n"
	  "(flows_without_path) and named after the run. The second of two parallel cables\n"
	  "is spine1#1.\n" },
	{ "fct", "completion flow-completion-time",
	  "A flow's completion time runs from its start until its last byte is at the\n"
	  "receiver. Flows count that start in the measured interval (measure.from, to).\n"
	  "Small is up to measure.small (100KB), large above measure.large (10MB).\n"
	  "    weir run mine.ini                            # all of them, and by section\n"
	  "    weir table mine.results --by flow-size       # by tenths of the flows\n"
	  "Metrics: fct_mean_ns, fct_p99_ns, fct_small_p99_ns, ... ('weir list metric').\n"
	  "Beside how long a flow alone would take it is its slowdown: weir help slowdown.\n" },
	{ "incast", "fan-in many-to-one",
	  "Many senders answer one receiver at once, and the port to it overflows.\n"
	  "    [traffic requests]\n"
	  "    pattern = incast\n"
	  "    senders = 40\n"
	  "    receiver = 0                # another each time unless given\n"
	  "    size = 20KB\n"
	  "    period = 1ms                # or load = 20%, arrivals = poisson\n"
	  "Look at fct_small_p99_ns, timeouts, drops and queue_max_pkts. Flows that go on\n"
	  "together for long are pattern = many-to-one. scenarios/incast.ini is a\n"
	  "beginning.\n" },
	{ "kmin", "kmax pmax wred red-thresholds",
	  "Kmin, Kmax and Pmax of a switch's WRED/ECN profile are min, max and p of red:\n"
	  "below min nothing is marked, from max on everything, between them by a chance\n"
	  "that rises to p. Operators set them per link rate and per class:\n"
	  "    [switch]\n"
	  "    marking = red(min=100KB, max=400KB, p=20%)\n"
	  "    marking.100Gbps = red(min=400KB, max=1600KB, p=20%)\n"
	  "    marking.storage = red(min=40KB, max=200KB, p=1%)\n"
	  "Try several with switch.marking.min = 10KB, 40KB, 160KB in [sweep], or let 'weir\n"
	  "choose' find them. KMIN_MAP and its like of an HPCC config.txt come over by\n"
	  "'weir import config.txt'.\n" },
	{ "load", "offered-load utilization",
	  "The share of the links' capacity that a section offers, in payload:\n"
	  "    pattern = all-to-all\n"
	  "    load = 60%\n"
	  "    sizes = websearch\n"
	  "    flows = 10000\n"
	  "load-of = access counts the hosts' links, bisection those to the top tier.\n"
	  "Arrivals are Poisson; sizes are drawn so that all of them together meet the\n"
	  "load. 'weir check' says what each section offers. What came through while flows\n"
	  "arrived is goodput_bps; goodput_span_ns is how long that was.\n" },
	{ "losses", "loss-detection reordering out-of-order rack go-back-n selective-repeat",
	  "How a sender knows that a packet is lost, and what it sends again:\n"
	  "    [host]\n"
	  "    loss-detection = auto       # TCP: dupack (order of arrival) or rack (time)\n"
	  "    [rdma]\n"
	  "    loss-detection = auto       # queue pairs: order or time\n"
	  "    recovery = auto             # go-back-n or selective\n"
	  "    reordering-window = 0us     # with time: so late is not lost; 0us: computed\n"
	  "auto is time where network.ecmp = packet: there a packet that another one\n"
	  "overtakes is not lost. Go-back-n discards such packets, so it is refused. What\n"
	  "is lost is sent again a round trip and the reordering window after it was sent,\n"
	  "the last packets of a flow after rdma.rto or host.rto-min. Metrics: drops,\n"
	  "retransmits, timeouts. docs/internals.md, Transport, says why.\n" },
	{ "lossless", "roce rocev2 no-drop",
	  "A class is lossless where switches pause its senders before a packet is lost\n"
	  "(PFC). RDMA over Ethernet (RoCE) wants that: after a loss it sends all again.\n"
	  "    [switch]\n"
	  "    queues = 2\n"
	  "    scheduler = dwrr\n"
	  "    lossless = 1                # classes: none, all, or as in 0:3\n"
	  "    buffer = 12MB\n"
	  "    buffer-per = switch         # pauses need a shared memory\n"
	  "    [traffic storage]\n"
	  "    class = 1\n"
	  "    cc = dcqcn\n"
	  "Other classes share what headroom leaves. See also: weir help pfc, dcqcn, rdma.\n" },
	{ "memory", "ram rss",
	  "'weir check FILE' says what a run needs: memory for flows (about 200 bytes\n"
	  "each), ports and packets under way, and time. A run holds all flows of its\n"
	  "scenario.\n"
	  "    needs: about 1.2 GB of memory; 340 million packet-hops, 34 s ...\n"
	  "A sweep runs as many runs at once as there are cores (--jobs). What a run took\n"
	  "is peak_rss_bytes.\n" },
	{ "pfc", "pause pauses 802.1qbb xoff xon headroom",
	  "Priority flow control: a switch whose input holds too much of a class tells the\n"
	  "neighbour to stop that class. Set with switch.lossless ('weir help lossless').\n"
	  "    pfc-alpha = 1/8      # paused above this share of the free shared buffer\n"
	  "    pfc-headroom = 0B    # room for what is under way; 0B: what the link needs\n"
	  "    pfc-margin = 3KB     # so far below the threshold a class goes on\n"
	  "    pfc-reserved = 4KB   # of each class of each input, never shared\n"
	  "Pauses spread to ports that have done nothing. Metrics: pause_fraction (_up,\n"
	  "_down, _from_hosts), pause_ns, pfc_deadlocks; probe = pauses leaf0->h3 every\n"
	  "10us. scenarios/pfc.ini shows it.\n" },
	{ "rtt", "base-rtt bdp round-trip",
	  "The base round trip is that of a full packet and its ACK in an empty network.\n"
	  "'weir check' shows it: least, typical and most. Times rate it is the\n"
	  "bandwidth-delay product (BDP), what a sender must have in flight to fill the\n"
	  "line. Thresholds follow from it: DCTCP wants K of about BDP / 7, TCN about the\n"
	  "round trip times the same. Queue pairs take windows from the longest of the\n"
	  "network, or with rdma.window-of = pair from their own. host.processing-delay\n"
	  "makes it longer.\n" },
	{ "seeds", "repetitions confidence significance interval",
	  "Runs that differ in their seed alone are repetitions; tables show their mean and\n"
	  "how far it may be off (Student's 95 % interval, +-).\n"
	  "    [sweep]\n"
	  "    switch.marking = none, ecn, tcn\n"
	  "    seed = 1..5\n"
	  "With the same seed all schemes get the same flows, so differences are paired:\n"
	  "    weir table mine.results --normalize-to none\n"
	  "A ~ beside a ratio says that its interval holds 1: the runs show no difference.\n" },
	{ "sizes", "size size-file size-files distribution distributions",
	  "sizes = NAME in a [traffic] section: a workload ('weir list workload'), a\n"
	  "formula, fixed(size=1MB), exponential(mean=1MB), uniform(min=1KB, max=1MB), or a\n"
	  "file. Its name has a slash or a dot; a line is a size and the share of flows up\n"
	  "to it:\n"
	  "    # mine.txt\n"
	  "    unit 1KB             # of the sizes; bytes unless given\n"
	  "    0    0\n"
	  "    10   0.5             # half of the flows have up to 10 KB\n"
	  "    1000 1\n"
	  "Sizes lie evenly between two points. Equal sizes make a step; a first share\n"
	  "above 0 is of flows of just that size. Files that end with 100 are in percent,\n"
	  "as those of HPCC's traffic generator. docs/manual/05-traffic.md has more.\n" },
	{ "slowdown", "normalized-fct stretch",
	  "A flow's completion time over what it would take alone in the network: 1 is as\n"
	  "fast as can be, 3 is three times as long. It compares flows of all sizes, which\n"
	  "their times do not.\n"
	  "    weir table mine.results --metric slowdown_p99 --by flow-size\n"
	  "Alone means without any window, store and forward over its path, headers\n"
	  "included. Metrics: slowdown_mean, slowdown_p50, slowdown_p99,\n"
	  "slowdown_small_p99, ...\n" },
	{ "units", "unit quantities",
	  "A quantity has its unit in files and on the command line:\n"
	  "    sizes   1460B 64KB 12MB 4KiB      k = 1000, Ki = 1024\n"
	  "    times   500ns 10us 5ms 2s\n"
	  "    rates   25Gbps 100Mbps\n"
	  "    queues  70pkts or 100KB\n"
	  "    shares  20% 0.2 1/5\n"
	  "Only counts go without. What is written wrongly is named with file and line.\n" },
	{ "workloads", "workload traces",
	  "What flows there are: a [traffic] section's pattern says who sends to whom and\n"
	  "when, its sizes how much.\n"
	  "    pattern = all-to-all        # 'weir list traffic' has all\n"
	  "    sizes = websearch           # 'weir list workload' has those from papers\n"
	  "    load = 50%\n"
	  "    flows = 5000\n"
	  "Applications: storage (reads and writes), training and ring (rounds), incast.\n"
	  "Flows of your own: list, or files of HPCC's simulator and htsim ('weir help\n"
	  "import'). See also: weir help sizes, load.\n" },
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
