/* SPDX-License-Identifier: BSD-3-Clause */
/* fuzz_import.c -- configurations of HPCC's simulator and connection matrices of htsim: whatever is
 * in them, importing ends in a scenario that can be read, built and has the same flows, or in a
 * message that says where the mistake is.
 *
 *	fuzz-import SECONDS
 *
 * Files are made by the grammar of their format: a network, flows between its hosts, and every key
 * with a value that it may have. Half of them stay so and must be accepted, but for few; the others
 * get mistakes: a value at its limit, a word, a line or a byte more or less. What was accepted is
 * counted by kind, and too little of any kind is a failure: a fuzzer of which every input is
 * refused tests nothing but the first check.
 *
 * What is tried depends on the number of the attempt alone, so a failure comes again. Attempts run
 * in a child; when it dies, its files are saved. */
#include "tests/folder.h" /* first: it says which functions there are */

#include "lab/scenario/import.h"
#include "sim/net/network.h"
#include "sim/traffic/traffic.h"
#include "tests/fuzz_loop.h"
#include "weir/rng.h"
#include <inttypes.h>
#include <sys/mman.h>
#include <sys/wait.h>

enum { TEXT_MAX = 1 << 14, HOSTS_MAX = 8, SWITCHES_MAX = 3, LEAST_ATTEMPTS = 600 };

#define CRASH_FILE "build/fuzz-crash.import"

enum file { CONFIG, TOPOLOGY, FLOWS, MATRIX, FILES };

static const char *const names[FILES] = { "config.txt", "topology.txt", "flows.txt", "m.cm" };

/* Kinds of input, each of which must reach the end of the import: the modes of CC_MODE; matrices
 * without triggers, and with each kind. */
enum kind { DCQCN, HPCC, TIMELY, DCTCP, PINT, PLAIN, ONESHOT, MULTISHOT, BARRIER, KINDS };

static const char *const kind_names[KINDS] = { "dcqcn", "hpcc",    "timely",    "dctcp",  "pint",
					       "plain", "oneshot", "multishot", "barrier" };
static const int modes[] = { 1, 3, 7, 8, 10 };

struct count {
	uint64_t made, made_accepted;       /* by the grammar alone */
	uint64_t damaged, damaged_accepted; /* with mistakes */
};

/* Seen by parent and child. */
struct shared {
	uint64_t attempt;
	struct count counts[KINDS];
	char texts[FILES][TEXT_MAX];
};

/* An attempt. */
struct maker {
	struct shared *at;
	struct folder folder;
	struct weir_rng r;
	enum kind kind;
	uint32_t hosts, switches; /* host numbers come first */
	uint32_t links;
};

static uint64_t below(struct maker *m, uint64_t n)
{
	return weir_rng_below(&m->r, n);
}

static const char *one_of(struct maker *m, const char *const *words, size_t count)
{
	return words[below(m, count)];
}
#define ONE_OF(m, ...) \
	one_of(m, (const char *const[]){ __VA_ARGS__ }, \
	       sizeof((const char *const[]){ __VA_ARGS__ }) / sizeof(const char *))

static void add(struct maker *m, enum file file, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

static void add(struct maker *m, enum file file, const char *format, ...)
{
	char *text = m->at->texts[file];
	size_t used = strlen(text);
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(text + used, TEXT_MAX - used, format, arguments);
	va_end(arguments);
}

/* --- by the grammar --- */

/* One rate for all links of hosts and one for those of switches, as maps of marking have both. */
static const char *const rates[] = { "10Gbps", "25Gbps" };

static void make_topology(struct maker *m)
{
	m->hosts = 2 + (uint32_t)below(m, HOSTS_MAX - 1);
	m->switches = 1 + (uint32_t)below(m, SWITCHES_MAX);
	m->links = m->hosts + m->switches - 1;
	add(m, TOPOLOGY, "%u %u %u\n", m->hosts + m->switches, m->switches, m->links);
	for (uint32_t i = 0; i < m->switches; i++)
		add(m, TOPOLOGY, "%s%u", i ? " " : "", m->hosts + i);
	add(m, TOPOLOGY, "\n");
	for (uint32_t i = 1; i < m->switches; i++)
		add(m, TOPOLOGY, "%u %u %s 0.001ms 0\n", m->hosts + i - 1, m->hosts + i,
		    one_of(m, rates, 2));
	for (uint32_t i = 0; i < m->hosts; i++)
		add(m, TOPOLOGY, "%u %u %s %s 0.000000\n", i,
		    m->hosts + (uint32_t)below(m, m->switches), one_of(m, rates, 2),
		    ONE_OF(m, "0.001ms", "2us", "500ns"));
	add(m, TOPOLOGY, "%s", ONE_OF(m, "", "\n\nFirst line: nodes, switches, links\n"));
}

/* Two hosts, unlike each other. */
static void make_pair(struct maker *m, uint32_t pair[2])
{
	pair[0] = (uint32_t)below(m, m->hosts);
	pair[1] = (pair[0] + 1 + (uint32_t)below(m, m->hosts - 1)) % m->hosts;
}

static void make_flows(struct maker *m)
{
	uint64_t count = 1 + below(m, 12);
	uint32_t pair[2];

	add(m, FLOWS, "%" PRIu64 "\n", count);
	for (uint64_t i = 0; i < count; i++) {
		make_pair(m, pair);
		add(m, FLOWS, "%u %u %" PRIu64 " 100 %" PRIu64 " %s\n", pair[0], pair[1],
		    below(m, 8), 1 + below(m, 3000000),
		    ONE_OF(m, "2", "2.000000005", "2e0", "2.0001", "2.3"));
	}
}

/* Keys of which each may be there, with values that it may have. */
static const struct {
	const char *key, *values[4];
} keys[] = {
	{ "ENABLE_QCN", { "0", "1", "1", "1" } },
	{ "USE_DYNAMIC_PFC_THRESHOLD", { "0", "1", "0", "1" } },
	{ "PACKET_PAYLOAD_SIZE", { "1000", "1000", "500", "1400" } },
	{ "SIMULATOR_STOP_TIME", { "2.4", "3.01", "4", "2.35" } },
	{ "CLAMP_TARGET_RATE", { "0", "1", "0", "1" } },
	{ "MIN_RATE", { "100Mb/s", "1Gb/s", "10Mbps", "100000kb/s" } },
	{ "DCTCP_RATE_AI", { "1000Mb/s", "10Mb/s", "1Gbps", "125MBps" } },
	{ "ERROR_RATE_PER_LINK", { "0", "0.0", "0.001", "1e-6" } },
	{ "L2_CHUNK_SIZE", { "0", "4000", "4000", "1" } },
	{ "L2_BACK_TO_ZERO", { "0", "1", "0", "0" } },
	{ "HAS_WIN", { "1", "0", "1", "1" } },
	{ "GLOBAL_T", { "0", "1", "0", "1" } },
	{ "VAR_WIN", { "1", "0", "1", "1" } },
	{ "FAST_REACT", { "0", "1", "0", "1" } },
	{ "U_TARGET", { "0.95", "0.9", "0.5", "1" } },
	{ "MI_THRESH", { "0", "5", "1", "5" } },
	{ "INT_MULTI", { "1", "2", "1", "1" } },
	{ "MULTI_RATE", { "0", "1", "0", "1" } },
	{ "PINT_PROB", { "1", "0.5", "1.0", "0.0625" } },
	{ "RATE_BOUND", { "1", "0", "1", "1" } },
	{ "ACK_HIGH_PRIO", { "1 {hosts}", "0", "0 # no", "1" } },
	{ "BUFFER_SIZE", { "16", "12", "32", "9.5" } },
	{ "FCT_OUTPUT_FILE", { "fct.txt", "a/b", "mix/fct.txt", "x" } },
	{ "QLEN_MON_START", { "0", "1000", "2000000000", "7" } },
};

/* Numbers that controls want, whichever it is. */
static const struct {
	const char *key, *values[3];
} wanted[] = {
	{ "ALPHA_RESUME_INTERVAL", { "1", "55", "10" } },
	{ "RATE_DECREASE_INTERVAL", { "4", "50", "4.5" } },
	{ "RP_TIMER", { "300", "900", "55" } },
	{ "EWMA_GAIN", { "0.00390625", "0.0625", "0.5" } },
	{ "FAST_RECOVERY_TIMES", { "1", "5", "3" } },
	{ "RATE_AI", { "50Mb/s", "2Mb/s", "1Gb/s" } },
	{ "RATE_HAI", { "50Mb/s", "20Mb/s", "2Gbps" } },
	{ "L2_ACK_INTERVAL", { "1", "1", "4000" } },
};

static void make_config(struct maker *m)
{
	static const char *const maps[] = { "KMIN_MAP %u 10000000000 %u 25000000000 %u\n",
					    "KMAX_MAP %u 10000000000 %u 25000000000 %u\n" };
	unsigned low = 10 + (unsigned)below(m, 90), high = low + (unsigned)below(m, 400);

	add(m, CONFIG, "CC_MODE %d\nTOPOLOGY_FILE topology.txt\nFLOW_FILE flows.txt\n",
	    modes[m->kind]);
	for (size_t i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++)
		add(m, CONFIG, "%s %s\n", wanted[i].key, wanted[i].values[below(m, 3)]);
	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		if (below(m, 3) == 0)
			add(m, CONFIG, "%s %s\n", keys[i].key, keys[i].values[below(m, 4)]);
	for (int i = 0; i < 2; i++) {
		add(m, CONFIG, maps[i], 2u, i ? high : low, i ? 2 * high : 2 * low);
		add(m, CONFIG, "%s", ONE_OF(m, "", "\n", "# the next\n"));
	}
	add(m, CONFIG, "PMAX_MAP 2 10000000000 %s 25000000000 0.2\n",
	    ONE_OF(m, "0.2", "1", "0.01"));
	if (m->switches > 1 && below(m, 4) == 0)
		add(m, CONFIG, "LINK_DOWN %" PRIu64 " %u %u\n", 1 + below(m, 1000), m->hosts,
		    m->hosts + 1);
}

/* Connections that set a trigger off come first; as many wait for it as follow. */
static void make_matrix(struct maker *m)
{
	uint64_t setters = m->kind == PLAIN ? 0 : m->kind == BARRIER ? 1 + below(m, 4) : 1;
	uint64_t waiters = m->kind == PLAIN ? 0 : 1 + below(m, 3), plain = 1 + below(m, 8);
	uint64_t id = 1 + below(m, 20);
	uint32_t pair[2];

	m->hosts = 2 + (uint32_t)below(m, 15);
	if (m->kind == MULTISHOT)
		setters = waiters;
	add(m, MATRIX, "%sNodes %u\nConnections %" PRIu64 "\n", ONE_OF(m, "", "# four to one\n"),
	    m->hosts, setters + waiters + plain);
	if (m->kind != PLAIN)
		add(m, MATRIX, "Triggers 1\n");
	for (uint64_t i = 0; i < setters + waiters + plain; i++) {
		make_pair(m, pair);
		add(m, MATRIX, "%u->%u", pair[0], pair[1]);
		if (below(m, 3) == 0)
			add(m, MATRIX, " id %" PRIu64, i + 1);
		if (i >= setters && i < setters + waiters)
			add(m, MATRIX, " trigger %" PRIu64, id);
		else
			add(m, MATRIX, " start %s", ONE_OF(m, "0", "1000000", "2500000.0", "1e9"));
		add(m, MATRIX, " size %" PRIu64, 1 + below(m, 3000000));
		if (i < setters)
			add(m, MATRIX, " %s %" PRIu64,
			    ONE_OF(m, "send_done_trigger", "recv_done_trigger"), id);
		add(m, MATRIX, "%s\n", ONE_OF(m, "", " prio 0"));
	}
	if (m->kind == BARRIER)
		add(m, MATRIX, "trigger id %" PRIu64 " barrier count %" PRIu64 "\n", id, setters);
	else if (m->kind != PLAIN)
		add(m, MATRIX, "trigger id %" PRIu64 " %s\n", id,
		    m->kind == ONESHOT ? "oneshot" : "multishot");
}

/* --- mistakes --- */

/* Replaces the bytes from at to end. */
static void replace(char *text, size_t at, size_t end, const char *with)
{
	size_t length = strlen(text), more = strlen(with);

	if (length - (end - at) + more >= TEXT_MAX)
		return;
	memmove(text + at + more, text + end, length - end + 1);
	memcpy(text + at, with, more);
}

static size_t start_of(const char *text, size_t at, const char *ends)
{
	while (at > 0 && !strchr(ends, text[at - 1]))
		at--;
	return at;
}

/* One small change: another number, a value at its limit, a word, a line or a byte more or less. */
static void damage(struct maker *m, char *text)
{
	static const char *const words[] = { "0",    "-1",      "1e9",  "18446744073709551616",
					     "nan",  "0.5",     "2",    "4294967295",
					     "10Gb", "CC_MODE", "->",   "trigger",
					     "#",    "{",       "9->9", "1000000000000" };
	size_t length = strlen(text), at, end;
	char line[256], byte[2] = { (char)(1 + below(m, 255)), '\0' };

	if (length == 0)
		return;
	at = below(m, length);
	switch (below(m, 6)) {
	case 0: /* another word */
		at = start_of(text, at, " \n");
		replace(text, at, at + strcspn(text + at, " \n"),
			one_of(m, words, sizeof(words) / sizeof(words[0])));
		break;
	case 1: /* another number */
		at += strcspn(text + at, "0123456789");
		snprintf(line, sizeof(line), "%" PRIu64, below(m, 1 + below(m, 1000)));
		replace(text, at, at + strspn(text + at, "0123456789"), line);
		break;
	case 5: /* blanks and comments */
		at += strcspn(text + at, " \n");
		replace(text, at, at, ONE_OF(m, " ", "\t", "\n", "\r", "  "));
		break;
	case 2: /* a line less */
		at = start_of(text, at, "\n");
		end = at + strcspn(text + at, "\n");
		replace(text, at, end + (text[end] != '\0'), "");
		break;
	case 3: /* a line again */
		at = start_of(text, at, "\n");
		snprintf(line, sizeof(line), "%.*s\n", (int)strcspn(text + at, "\n"), text + at);
		replace(text, at, at, line);
		break;
	default:
		replace(text, at, at + below(m, 2), byte);
		break;
	}
}

/* --- what must hold --- */

static void must(int holds, const char *claim, const char *text)
{
	if (!holds)
		test_fail(__FILE__, __LINE__, "%s: %s", claim, text);
}

/* The flows of a scenario; NULL flows: it is refused. */
static int flows_of(const struct scenario *s, struct flow_list *flows, struct weir_error *e)
{
	struct network net;
	struct config c;
	int failed;

	*flows = (struct flow_list){ 0 };
	if (scenario_config(s, &c, e))
		return -1;
	failed = network_build(&net, &c.network, e);
	if (!failed) {
		failed = traffic_generate(flows, &c, &net, e);
		network_free(&net);
	}
	config_free(&c);
	return failed;
}

/* The scenario that was written can be read and built, and has the flows of the files. */
static void check_written(const char *text, const struct flow_list *flows)
{
	struct weir_error e = { "" };
	struct flow_list again;
	struct scenario s;

	must(scenario_read_text(&s, "made", text, strlen(text), &e) == 0, e.text, text);
	must(flows_of(&s, &again, &e) == 0, e.text, text);
	must(again.count == flows->count, "as many flows", text);
	for (uint32_t i = 0; i < flows->count; i++) {
		const struct flow *a = &flows->flows[i], *b = &again.flows[i];

		must(a->src == b->src && a->dst == b->dst && a->size_bytes == b->size_bytes &&
			     a->start_ps == b->start_ps,
		     "the same flows", text);
	}
	flow_list_free(&again);
	scenario_free(&s);
}

/* A message is one line; one about a file says which. */
static void check_message(const struct weir_error *e)
{
	must(e->text[0] != '\0', "a message says something", "");
	must(!strpbrk(e->text, "\n\r\033"), "a message is one line of text", e->text);
}

/* Everything that weir import does with the files. 0: it was accepted. */
static int import_files(const struct import_files *files, struct import_hpcc *hpcc,
			struct weir_error *e)
{
	struct flow_list flows = { 0 };
	char *text = NULL;
	struct scenario s;
	size_t size;
	FILE *f;
	int failed, is_list = 0;

	if (import_scenario(&s, files, e))
		return -1;
	failed = (hpcc && import_hpcc_settings(hpcc, &s, e)) || flows_of(&s, &flows, e);
	if (!failed) {
		f = open_memstream(&text, &size);
		must(f != NULL, "there is memory", "");
		is_list = import_write(f, &s, files, e) == 0;
		fclose(f);
		if (is_list)
			check_written(text, &flows);
		else if (!strstr(e->text, "run the matrix as it is")) { /* a list cannot say that */
			must(strstr(e->text, "SIMULATOR_STOP_TIME: ") != NULL, e->text, text);
			failed = -1;
		}
		free(text);
	}
	flow_list_free(&flows);
	scenario_free(&s);
	return failed;
}

static int import_config(const char *config, struct weir_error *e)
{
	struct import_hpcc hpcc;
	struct import_files files = { .hpcc = &hpcc };
	int failed = import_hpcc_read(&hpcc, config, e);

	if (!failed) {
		files.topology = hpcc.topology;
		files.flows = hpcc.flows;
		failed = import_files(&files, &hpcc, e);
	}
	import_hpcc_free(&hpcc);
	return failed;
}

/* --- attempts --- */

static void write_files(const struct maker *m)
{
	for (int i = 0; i < FILES; i++)
		if ((m->kind >= PLAIN) == (i == MATRIX))
			folder_write(&m->folder, names[i], m->at->texts[i],
				     strlen(m->at->texts[i]));
}

static void attempt(void *context)
{
	struct maker *m = context;
	struct shared *at = m->at;
	struct weir_error e = { "" };
	int is_damaged = at->attempt % 2 != 0, failed;
	struct count *count;
	char path[512];

	m->r = weir_rng_make(at->attempt, 0, WEIR_RNG_TEST);
	m->kind = (enum kind)(at->attempt / 2 % KINDS);
	for (int i = 0; i < FILES; i++)
		at->texts[i][0] = '\0';
	if (m->kind < PLAIN) {
		make_topology(m);
		make_flows(m);
		make_config(m);
	} else {
		make_matrix(m);
	}
	for (uint64_t i = is_damaged ? 1 + below(m, 2) : 0; i > 0; i--)
		damage(m, at->texts[m->kind < PLAIN ? below(m, MATRIX) : MATRIX]);
	write_files(m);
	snprintf(path, sizeof(path), "%s/%s", m->folder.path,
		 names[m->kind < PLAIN ? CONFIG : MATRIX]);
	if (m->kind < PLAIN)
		failed = import_config(path, &e);
	else
		failed = import_files(
			&(struct import_files){ .flows = path, .star_hosts = m->hosts }, NULL, &e);
	if (failed)
		check_message(&e);
	if (failed && !is_damaged && getenv("FUZZ_SHOW"))
		fprintf(stderr, "%s: %s\n", kind_names[m->kind], e.text);
	count = &at->counts[m->kind];
	*(is_damaged ? &count->damaged : &count->made) += 1;
	*(is_damaged ? &count->damaged_accepted : &count->made_accepted) += !failed;
}

/* --- the driver --- */

/* Of each kind nine tenths of what the grammar makes must be accepted, and a twentieth of what has
 * mistakes. 0: they were. */
static int check_shares(const struct shared *at)
{
	uint64_t made = 0, damaged = 0;
	int bad = 0;

	for (int k = 0; k < KINDS; k++) {
		const struct count *c = &at->counts[k];

		made += c->made_accepted;
		damaged += c->damaged_accepted;
		if (at->attempt < LEAST_ATTEMPTS || (10 * c->made_accepted >= 9 * c->made &&
						     20 * c->damaged_accepted >= c->damaged))
			continue;
		printf("fuzz-import: too few are accepted of kind %s: %" PRIu64 " of %" PRIu64
		       ", with mistakes %" PRIu64 " of %" PRIu64 "\n",
		       kind_names[k], c->made_accepted, c->made, c->damaged_accepted, c->damaged);
		bad = 1;
	}
	printf("fuzz-import: %" PRIu64 " attempts, accepted %" PRIu64 " by the grammar and %" PRIu64
	       " with mistakes%s\n",
	       at->attempt, made, damaged, bad ? "" : ", all well");
	return bad;
}

static int report(const struct shared *at, int status)
{
	FILE *f;

	if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
		return check_shares(at);
	f = fopen(CRASH_FILE, "wb");
	for (int i = 0; f && i < FILES; i++)
		if (at->texts[i][0])
			fprintf(f, "--- %s\n%s", names[i], at->texts[i]);
	if (f)
		fclose(f);
	printf("fuzz-import: attempt %" PRIu64 " failed; its files are in " CRASH_FILE "\n",
	       at->attempt);
	return 1;
}

int main(int argc, char **argv)
{
	struct maker m = { .at = mmap(NULL, sizeof(*m.at), PROT_READ | PROT_WRITE,
				      MAP_SHARED | MAP_ANONYMOUS, -1, 0) };
	int status = 0;
	pid_t child;

	if (argc != 2 || m.at == MAP_FAILED) {
		fprintf(stderr, "usage: fuzz-import SECONDS\n");
		return 2;
	}
	m.folder = folder_make();
	child = fork();
	if (child == 0) {
		fuzz_loop(atof(argv[1]), &m.at->attempt, attempt, &m);
		exit(0); /* not _exit: the leak checker runs at exit */
	}
	waitpid(child, &status, 0);
	folder_remove(&m.folder);
	return report(m.at, status);
}
