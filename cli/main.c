/* main.c -- the program: finds the command, reads its arguments, runs it. */
#include "cli/commands.h"
#include "cli/crash.h"
#include "cli/ranks.h"
#include "lab/campaign/farm.h"
#include "lab/campaign/farm_task.h"
#include "mpi/world.h"
#include "sim/base/memory.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAMES_MAX = 32 };

static const struct cli_option run_options[] = {
	{ "--set", "SECTION.KEY=VALUE",
	  "replaces or adds a setting, in all cases; may be given several times", OFFER_SETTING },
	{ "--marking", "SPEC", "short for --set switch.marking=SPEC", OFFER_MARKING },
	{ "--scheduler", "SPEC", "short for --set switch.scheduler=SPEC", OFFER_SCHEDULER },
	{ "--cc", "SPEC", "short for --set host.cc=SPEC", OFFER_CC },
	{ "--seed", "N", "start of every random number, in place of the file's", OFFER_NOTHING },
	{ "--full", NULL,
	  "with the settings of [full]; a [sweep] goes to FILE's name and .full.results",
	  OFFER_NOTHING },
	{ "--threads", "N",
	  "threads of the run; results do not depend on it; auto, the default of a single run: as "
	  "many as are "
	  "faster; 1 for each run of a sweep",
	  OFFER_NOTHING },
	{ "--ranks", "N",
	  "processes that share the network of one run, each with its threads; mpi: those that "
	  "mpirun has started; results do not depend on it",
	  OFFER_NOTHING },
	{ "--json", "FILE", "writes all of the run in one file; - is standard output", OFFER_FILE },
	{ "--csv", "FOLDER",
	  "writes runs.csv, reasons.csv, flows.csv, ports.csv, pauses.csv and series.csv",
	  OFFER_FOLDER },
	{ "--pcap", "PORT=FILE",
	  "writes what starts on a port, as leaf0->h3, for Wireshark; "
	  "may be given several times",
	  OFFER_NOTHING },
	{ "--pcap-whole", NULL,
	  "captures hold payload too, in zeros, and every checksum; headers only unless given",
	  OFFER_NOTHING },
	{ "--out", "FOLDER",
	  "keeps the runs in this folder; a [sweep] goes to FILE's name and .results",
	  OFFER_FOLDER },
	{ "--again", NULL, "does also the runs that are in the folder", OFFER_NOTHING },
	{ "--shard", "I/N",
	  "does every N-th run of a sweep, from the I-th on, into FILE's name and .I-of-N.results; "
	  "'weir merge' makes one folder of all",
	  OFFER_NOTHING },
	{ "--jobs", "N", "runs of a sweep at a time; as many as there are cores unless given",
	  OFFER_NOTHING },
	{ "--by", "PART",
	  "the table of a sweep has rows for parts of its runs: traffic, traffic-class or "
	  "flow-size, see 'weir help table'",
	  OFFER_NOTHING },
	{ "--sort", "NAME",
	  "the table of a sweep has rows with the least of this metric first; -NAME: with the most",
	  OFFER_METRIC },
	{ "--quiet", NULL, "prints no table and no progress", OFFER_NOTHING },
	{ .name = NULL },
};

static const struct cli_option check_options[] = {
	{ "--set", "SECTION.KEY=VALUE",
	  "replaces or adds a setting, in all cases; may be given several times", OFFER_SETTING },
	{ "--marking", "SPEC", "short for --set switch.marking=SPEC", OFFER_MARKING },
	{ "--scheduler", "SPEC", "short for --set switch.scheduler=SPEC", OFFER_SCHEDULER },
	{ "--cc", "SPEC", "short for --set host.cc=SPEC", OFFER_CC },
	{ "--seed", "N", "start of every random number, in place of the file's", OFFER_NOTHING },
	{ "--full", NULL, "with the settings of [full]", OFFER_NOTHING },
	{ .name = NULL },
};

static const struct cli_option choose_options[] = {
	{ "--goal", "METRIC",
	  "what is to be least, one of 'weir table': fct_small_p99, or of a traffic section: "
	  "'fct_p99 of storage'; -METRIC: most",
	  OFFER_METRIC },
	{ "--keep", "RULE",
	  "what must hold, as in 'goodput >= 0.98 of best' or 'drops <= 0'; may be given several "
	  "times",
	  OFFER_METRIC },
	{ "--over", "SETTING=LOW..HIGH",
	  "where to look, as in switch.marking.min=5KB..500KB (by ratios, where there is a unit), "
	  "or "
	  "SETTING=A, B; may be given several times",
	  OFFER_SETTING },
	{ "--budget", "RUNS", "runs in all; 80 unless given", OFFER_NOTHING },
	{ "--seeds", "N", "runs of each setting at first; 2 unless given", OFFER_NOTHING },
	{ "--seed", "N", "first seed of the runs, and of what is drawn", OFFER_NOTHING },
	{ "--set", "SECTION.KEY=VALUE",
	  "replaces a setting of the file; may be given several times", OFFER_SETTING },
	{ "--full", NULL, "with the settings of [full]", OFFER_NOTHING },
	{ "--out", "DIR", "where results go; FILE.choose.results here unless given", OFFER_FOLDER },
	{ "--jobs", "N", "runs at a time; as many as there are cores unless given", OFFER_NOTHING },
	{ .name = NULL },
};

static const struct cli_option import_options[] = {
	{ "-o", "FILE", "where the scenario goes; standard output unless given", OFFER_FILE },
	{ "--topology", "NAME",
	  "the network of a connection matrix or a capture; "
	  "a capture's is a star unless given",
	  OFFER_TOPOLOGY },
	{ "--set", "SECTION.KEY=VALUE", "adds a setting; may be given several times",
	  OFFER_SETTING },
	{ .name = NULL },
};

static const struct cli_option help_options[] = {
	{ "--markdown", NULL, "writes the reference of everything that a scenario may hold",
	  OFFER_NOTHING },
	{ "--man", NULL, "writes the commands and their options as a part of a man page",
	  OFFER_NOTHING },
	{ "--results", NULL, "writes every column of results as a part of docs/results.md",
	  OFFER_NOTHING },
	{ "--completion", "SHELL", "writes completion of command lines for bash, zsh or fish",
	  OFFER_SHELL },
	{ .name = NULL },
};

static const struct cli_option model_options[] = {
	{ "--json", NULL, "the same for other programs", OFFER_NOTHING },
	{ .name = NULL },
};

static const struct cli_option report_options[] = {
	{ "-o", "FILE", "where the HTML goes, in place of report.html in the folder", OFFER_FILE },
	{ "--svg", "DIR", "writes every chart as an SVG file instead, or with -o as well",
	  OFFER_FOLDER },
	{ "--all", NULL, "also runs that are not of the latest sweep", OFFER_NOTHING },
	{ .name = NULL },
};

static const struct cli_option view_options[] = {
	{ "--port", "N",
	  "listens on this port, 0: any; unless given on 8347, or the next that is free",
	  OFFER_NOTHING },
	{ "--papers", "DIR",
	  "where the figures are, for a folder of 'weir reproduce'; as that finds them unless "
	  "given",
	  OFFER_FOLDER },
	{ .name = NULL },
};

static const struct cli_option table_options[] = {
	{ "--by", "SETTING",
	  "a row for each value of it, as in switch.marking; may be given several times; "
	  "unless given, every setting but the seed that differs. Or of parts of each run: traffic "
	  "(its sections), traffic-class, flow-size",
	  OFFER_SETTING },
	{ "--sizes", "LIST",
	  "with --by flow-size, where sizes are divided: 10KB, 1MB; tenths of the flows unless "
	  "given",
	  OFFER_NOTHING },
	{ "--metric", "NAME",
	  "a column; may be given several times. Besides those of 'weir list metric' "
	  "there are fct_ and slowdown_ of small_, medium_, large_, over_1mb_ flows, or of all, "
	  "by mean, p50, p95, p99, p999, and _ns after fct: fct_over_1mb_p99_ns, "
	  "slowdown_small_mean",
	  OFFER_METRIC },
	{ "--wide", NULL, "every usual column, in several tables", OFFER_NOTHING },
	{ "--normalize-to", "VALUE",
	  "relative to the row with this value, written as in [sweep]: ecn, 20%; a ~ says that the "
	  "interval holds 1",
	  OFFER_NOTHING },
	{ "--sort", "NAME", "rows with the least of this metric first; -NAME: with the most",
	  OFFER_METRIC },
	{ "--csv", "FILE", "writes the table as CSV instead, - is standard output", OFFER_FILE },
	{ "--all", NULL, "also runs that are not of the latest sweep", OFFER_NOTHING },
	{ .name = NULL },
};

static const struct cli_option export_options[] = {
	{ "--csv", "DIR",
	  "writes runs.csv, reasons.csv, flows.csv, ports.csv, pauses.csv and series.csv",
	  OFFER_FOLDER },
	{ "--json", "FILE", "writes all in one file; - is standard output", OFFER_FILE },
	{ "--plots", "DIR",
	  "writes the charts of the report for gnuplot (NAME.dat, NAME.gp) and matplotlib "
	  "(plots.py)",
	  OFFER_FOLDER },
	{ "--all", NULL, "also runs that are not of the latest sweep", OFFER_NOTHING },
	{ .name = NULL },
};

static const struct cli_option prune_options[] = {
	{ "--dry-run", NULL, "deletes nothing; says how many runs it would be", OFFER_NOTHING },
	{ .name = NULL },
};

static const struct cli_option merge_options[] = {
	{ "--out", "FOLDER", "where the runs go; may hold some of the same sweep", OFFER_FOLDER },
	{ .name = NULL },
};

static const struct cli_option submit_options[] = {
	{ "--slurm", NULL, "to Slurm, as an array job", OFFER_NOTHING },
	{ "--dry-run", NULL, "submits nothing; prints the script", OFFER_NOTHING },
	{ "--shards", "N",
	  "into how many; unless given, of about ten minutes each, 16 to 1000 of them",
	  OFFER_NOTHING },
	{ "--jobs", "N", "runs at a time in each shard; 1 unless given", OFFER_NOTHING },
	{ "--threads", "N", "threads of a run; 1 unless given", OFFER_NOTHING },
	{ "--sbatch", "OPTION",
	  "a further option of sbatch, as in --sbatch=--partition=long; what is given here comes "
	  "before the estimates; may be given several times",
	  OFFER_NOTHING },
	{ "--set", "SECTION.KEY=VALUE",
	  "replaces or adds a setting, in all cases; may be given several times", OFFER_SETTING },
	{ "--marking", "SPEC", "short for --set switch.marking=SPEC", OFFER_MARKING },
	{ "--scheduler", "SPEC", "short for --set switch.scheduler=SPEC", OFFER_SCHEDULER },
	{ "--cc", "SPEC", "short for --set host.cc=SPEC", OFFER_CC },
	{ "--seed", "N", "start of every random number, in place of the file's", OFFER_NOTHING },
	{ "--full", NULL, "with the settings of [full]", OFFER_NOTHING },
	{ "--out", "FOLDER",
	  "where results are merged; shards go to FOLDER.shards; FILE's name and .results unless "
	  "given",
	  OFFER_FOLDER },
	{ .name = NULL },
};

static const struct cli_option status_options[] = {
	{ "--wait", NULL, "until nothing of it is in the queue", OFFER_NOTHING },
	{ .name = NULL },
};

static const struct cli_option reproduce_options[] = {
	{ "--full", NULL, "in the size of the paper; it may take hours, and can be interrupted",
	  OFFER_NOTHING },
	{ "--jobs", "N", "runs at a time; as many as there are cores unless given", OFFER_NOTHING },
	{ "--out", "DIR",
	  "where results go, DIR/PAPER/FIGURE and DIR/PAPER/FIGURE.full; "
	  "./reproduction unless given",
	  OFFER_FOLDER },
	{ "--papers", "DIR",
	  "where the figures are, DIR/PAPER/FIGURE.ini and FIGURE.claims; "
	  "scenarios/papers here, or those that were installed, unless given",
	  OFFER_FOLDER },
	{ "--check", NULL, "runs nothing; says whether the figures' files are right, in both sizes",
	  OFFER_NOTHING },
	{ "--summary", NULL, "runs nothing; writes index.html over the results of all papers",
	  OFFER_NOTHING },
	{ "--markdown", "FILE", "with --summary: writes it as Markdown, too", OFFER_FILE },
	{ "--ship", NULL,
	  "with --summary: writes the verdicts into the papers' folders, PAPER/paper.verdicts, "
	  "which "
	  "are shown as shipped where nothing was run",
	  OFFER_NOTHING },
	{ .name = NULL },
};

static const struct cli_option train_options[] = {
	{ "-o", "FILE",
	  "where the model goes; FILE.csv, FILE.html and FILE.checkpoint lie beside it",
	  OFFER_FILE },
	{ "--scenario", "FILE",
	  "to train on; may be given several times; the trainer draws its own unless given",
	  OFFER_FILE },
	{ "--steps", "N", "to learn from, in all", OFFER_NOTHING },
	{ "--seed", "N", "start of every random number; 1 unless given", OFFER_NOTHING },
	{ "--threads", "N",
	  "episodes at a time; the model does not depend on it; all cores unless given",
	  OFFER_NOTHING },
	{ "--preset", "NAME", "short for --set preset=NAME", OFFER_NOTHING },
	{ "--set", "KEY=VALUE", "an option of the trainer, see below; may be given several times",
	  OFFER_NOTHING },
	{ "--episodes", "N", "of a round, in which the policy stays the same; 16 unless given",
	  OFFER_NOTHING },
	{ "--judge", "N", "episodes that judge a policy, the same for every seed; 24 unless given",
	  OFFER_NOTHING },
	{ "--judge-every", "N", "rounds between judgements; 8 unless given", OFFER_NOTHING },
	{ "--show", "N",
	  "trains nothing; prints the scenario of the N-th episode that judges, from 1",
	  OFFER_NOTHING },
	{ "--quiet", NULL, "prints no progress", OFFER_NOTHING },
	{ .name = NULL },
};

static const struct cli_option switch_options_of_command[] = {
	{ "--socket", "PATH",
	  "where it is reached; that of the file, or /run/weir-NAME.sock, unless given",
	  OFFER_FILE },
	{ "--out", "FOLDER",
	  "when it ends, what it measured is a run of this folder, for 'weir table', 'report' and "
	  "'export'",
	  OFFER_FOLDER },
	{ "--every", "TIME", "with --out: writes it down that often, too, as in 60s",
	  OFFER_NOTHING },
	{ "--pcap", "PORT=FILE",
	  "writes the frames that leave a port to FILE (pcapng for Wireshark, their first 128 "
	  "bytes), "
	  "marks and all; may be given several times",
	  OFFER_FILE },
	{ "--pcap-whole", NULL, "with --pcap: all bytes of every frame", OFFER_NOTHING },
	{ .name = NULL },
};

static const struct cli_option testbed_options[] = {
	{ "--figure", "PAPER/FIGURE",
	  "in place of FILE: a figure of a paper, slower as its paper.real says, judged by its "
	  "claims "
	  "in both worlds; kept in OUT/PAPER/FIGURE.real, OUT being reproduction unless --out",
	  OFFER_NOTHING },
	{ "--papers", "FOLDER", "where figures are; those of Weir unless given", OFFER_FOLDER },
	{ "--seeds", "N",
	  "with --figure: seeds 1 to N, in place of those of paper.real; verdicts want five",
	  OFFER_NOTHING },
	{ "--both", NULL, "also runs the simulated world of the same file, and compares them",
	  OFFER_NOTHING },
	{ "--set", "SECTION.KEY=VALUE",
	  "replaces or adds a setting, in all cases; may be given several times", OFFER_SETTING },
	{ "--marking", "SPEC", "short for --set switch.marking=SPEC", OFFER_MARKING },
	{ "--scheduler", "SPEC", "short for --set switch.scheduler=SPEC", OFFER_SCHEDULER },
	{ "--cc", "SPEC", "short for --set host.cc=SPEC", OFFER_CC },
	{ "--seed", "N", "start of every random number, in place of the file's", OFFER_NOTHING },
	{ "--full", NULL, "with the settings of [full]", OFFER_NOTHING },
	{ "--out", "FOLDER",
	  "keeps the runs in this folder; FILE's name and .testbed.results unless given",
	  OFFER_FOLDER },
	{ "--quiet", NULL, "prints no table", OFFER_NOTHING },
	{ .name = NULL },
};

static const char testbed_lesson[] =
	"weir testbed mine.ini                     real hosts, real packets, the switch between\n"
	"weir testbed mine.ini --both              and the simulated world beside them\n"
	"weir testbed --figure tcn/fig1            a figure of a paper, slower, in both worlds\n"
	"weir testbed --figure tcn/fig6 --seeds 5  with as many seeds as verdicts want\n"
	"weir table mine.testbed.results           as of any other runs; world = real\n"
	"\n"
	"Every host of the scenario is a network namespace with the kernel's TCP, the switch is\n"
	"'weir switch' with the scenario's [switch], and flows are real connections. Time is real\n"
	"time: one second of the scenario takes one second. It takes\n"
	"  up to 20 hosts, any topology of up to 64 switch ports, rates up to 1Gbps (50 to 500 "
	"Mb/s\n"
	"  on a small machine)\n"
	"  cc = dctcp, cubic or reno; ecn=yes with the latter two\n"
	"  patterns whose flows start at known times: not storage, training, ring\n"
	"and root or a user's own namespaces, ip (iproute2), and for dctcp, where the kernel has\n"
	"none, root and a build with clang and libbpf. Nothing is left behind, however it ends.\n"
	"docs/testbed.md tells the rest.\n";

static const char switch_lesson[] =
	"weir switch sw.ini                                   runs it, until Ctrl-C or 'stop'\n"
	"weir switch status sw.ini                            everything it counts, as JSON\n"
	"weir switch measure sw.ini                           lengths of queues count from now on\n"
	"weir switch set sw.ini port.b.rate=50Mbps            or delay, or marking's settings\n"
	"weir switch probe sw.ini 'queue b every 10ms'        a line each time, until Ctrl-C\n"
	"weir switch stop sw.ini\n"
	"\n"
	"A small one:\n"
	"  [switch]                     keys as in scenarios: 'weir help switch'\n"
	"  marking = ecn(k=20pkts)\n"
	"  [port a]                     a network interface; any key of [switch] for it alone\n"
	"  interface = veth-a\n"
	"  [port b]\n"
	"  interface = veth-b\n"
	"  rate = 100Mbps\n"
	"  delay = 100us\n"
	"'weir help port' and 'weir help real' name all keys, docs/switch.md tells the rest.\n";

static const struct cli_option keeper_options_of_command[] = {
	{ "--dry-run", NULL, "writes nothing; prints what it would do", OFFER_NOTHING },
	{ .name = NULL },
};

static const char keeper_lesson[] =
	"weir keeper leaf3.ini --dry-run       watches, and says what it would do\n"
	"weir keeper leaf3.ini                 turns the knobs, until Ctrl-C, a signal or 'stop'\n"
	"weir keeper status leaf3.ini          how it is, as JSON\n"
	"weir keeper explain leaf3.ini PROFILE why its setting is what it is\n"
	"weir keeper pause leaf3.ini           changes nothing until 'resume'\n"
	"weir keeper resume leaf3.ini PROFILE  takes a profile again that an operator changed\n"
	"weir keeper reload leaf3.ini          reads the plan again; what is known stays\n"
	"weir keeper stop leaf3.ini            puts the originals back, and ends\n"
	"weir keeper restore leaf3.ini         puts the originals back after a crash\n"
	"weir keeper mimic switch.ini          a simulated or real switch behind SONiC's tables, "
	"to try it on\n"
	"\n"
	"A small one:\n"
	"  [keeper]\n"
	"  driver = sonic               or tc, weir(...), sim(...); 'weir list driver'\n"
	"  tune = qla                   or acc, fixed(...), ./mine.so; 'weir list tuner'\n"
	"  [limits]                     of every profile that has none of its own\n"
	"  min-from = 100KB\n"
	"  [profile AZURE_LOSSLESS]\n"
	"It ends by putting back what it found. docs/keeper.md tells the rest.\n";

static const char reproduce_lesson[] =
	"weir reproduce                     which figures there are, and what is known of them\n"
	"weir reproduce pred/fig13          one figure in quick size\n"
	"weir reproduce pred                every figure of a paper\n"
	"weir reproduce all --full          everything in the size of the papers\n"
	"weir reproduce --summary           a page over all results that are there\n"
	"\n"
	"Only runs that are missing are done, on all cores; interrupt it, and the same command\n"
	"goes on. Then every claim of the paper has its verdict:\n"
	"  agrees            the mean over seeds is within the tolerance of what the paper says, "
	"and\n"
	"                    so is half of its 95 % interval at least\n"
	"  same direction    it is not, but with its interval on the same side of 1"
	" (or 'against')\n"
	"  disagrees         neither\n"
	"  too few           seeds: five are needed, or two that are alike in everything; or the\n"
	"                    interval is too long for any of these\n"
	"  paper contradicts itself, and fitted (a setting was chosen by it; it is not counted)\n"
	"  not at this size  the claim needs --full\n"
	"  not measured      its runs are not there\n"
	"The figure, drawn as in the paper, is in DIR/PAPER/FIGURE/figure.html. A verdict is a\n"
	"result and no failure: the exit status is 0 whatever it is.\n"
	"\n"
	"A figure is a scenario, FIGURE.ini, and FIGURE.claims, an INI file with these sections:\n"
	"  [figure]      title, paper; about; time, full-time (of all runs, on one core)\n"
	"  [panel NAME]  kind (lines, bars, cdf, time, sizes), y (a metric of 'weir table'; fct\n"
	"                or slowdown; series); x, x-scale (lines); sizes (where these are\n"
	"                divided); title, by, normalize, where, x-label, y-label\n"
	"  [claim NAME]  says, section, metric, of, value or range; over, tolerance, against, "
	"best\n"
	"                (a swept setting), sentence (of which it is a part), contradicts, "
	"fitted,\n"
	"                size (full), note. A metric is one of 'weir table', or fct_small_within\n"
	"                1ms, fct_small_p97_ns and the like, or is taken from a probe:\n"
	"                series \"queue sw->h0\" mean 10ms..20ms (also min, max, p50, p95, p99,\n"
	"                std, sum, last), reaches 30 after 10ms, falls-to 5 after 10ms\n";

static const char view_lesson[] =
	"weir run mine.ini & weir view mine.results      prints an address; open it in a browser\n"
	"weir view reproduction/pred/fig13               the same, with the figure's page\n"
	"\n"
	"The first page says how far the sweep is, which runs go on and when it will be done;\n"
	"below are the answer and the table so far, and what the probes of a run see while it\n"
	"goes on. It changes by itself. /report has the whole report of the runs so far, and\n"
	"/figure the page of a paper's figure. The folder need not be there yet, and a sweep\n"
	"that was interrupted and continued is followed on.\n"
	"\n"
	"Only programs on this machine can reach it, at 127.0.0.1, and nothing is loaded from\n"
	"elsewhere. To look from another machine, forward the port:\n"
	"  ssh -L 8347:127.0.0.1:8347 that-machine\n"
	"It only reads; Ctrl-C ends it.\n";

static const struct command run_command = {
	.name = "run",
	.usage = "FILE",
	.help = "runs a scenario and prints what came out",
	.options = run_options,
	.words_min = 1,
	.words_max = 1,
	.run = command_run,
	.world = COMMAND_FARMS,
	.offer = OFFER_FILE,
};
static const struct command check_command = {
	.name = "check",
	.usage = "FILE",
	.help = "reads a scenario, builds its network and traffic, and says what it found",
	.options = check_options,
	.words_min = 1,
	.words_max = 1,
	.run = command_check,
	.offer = OFFER_FILE,
};
static const struct command choose_command = {
	.name = "choose",
	.usage = "FILE",
	.help = "finds a good setting for a goal, within a budget of runs, and judges it on other "
		"seeds",
	.options = choose_options,
	.words_min = 1,
	.words_max = 1,
	.run = command_choose,
	.world = COMMAND_FARMS,
	.offer = OFFER_FILE,
};
static const struct command import_command = {
	.name = "import",
	.usage = "FILE [FLOWS]",
	.help = "turns a capture, or files of HPCC's simulator or of htsim, into a scenario",
	.options = import_options,
	.words_min = 1,
	.words_max = 2,
	.run = command_import,
	.offer = OFFER_FILE,
};
static const struct command report_command = {
	.name = "report",
	.usage = "[FOLDER]",
	.help = "writes the runs of a result folder (default: the only *.results here) as one "
		"HTML file with charts",
	.options = report_options,
	.words_max = 1,
	.run = command_report,
	.offer = OFFER_FOLDER,
};
static const struct command view_command = {
	.name = "view",
	.usage = "[FOLDER]",
	.help = "shows a result folder (default: the only *.results here) in a browser, and "
		"follows a "
		"sweep that goes on",
	.options = view_options,
	.words_max = 1,
	.run = command_view,
	.more = view_lesson,
	.offer = OFFER_FOLDER,
};
static const struct command table_command = {
	.name = "table",
	.usage = "[FOLDER]",
	.help = "compares the runs in a result folder (default: the only *.results here)",
	.options = table_options,
	.words_max = 1,
	.run = command_table,
	.offer = OFFER_FOLDER,
};
static const struct command export_command = {
	.name = "export",
	.usage = "[FOLDER]",
	.help = "writes the runs, flows, ports and series in a result folder for other programs",
	.options = export_options,
	.words_max = 1,
	.run = command_export,
	.offer = OFFER_FOLDER,
};
static const struct command prune_command = {
	.name = "prune",
	.usage = "[FOLDER]",
	.help = "deletes the runs of a result folder that are not of its latest sweep",
	.options = prune_options,
	.words_max = 1,
	.run = command_prune,
	.offer = OFFER_FOLDER,
};
static const struct command merge_command = {
	.name = "merge",
	.usage = "FOLDER... --out FOLDER",
	.help = "makes one result folder of the shards of a sweep, and says what is missing",
	.options = merge_options,
	.words_min = 1,
	.words_max = SIZE_MAX,
	.run = command_merge,
	.more = "weir run mine.ini --shard 1/2     on one machine\n"
		"weir run mine.ini --shard 2/2     on another, with the same program\n"
		"weir merge mine.*-of-2.results --out mine.results\n"
		"\n"
		"Folders may overlap: what several have must be the same. Those of another "
		"scenario, "
		"other\n"
		"settings or another version are refused, and nothing is written. Where runs are "
		"missing\n"
		"the shards that lack them are named, and the exit status is 1.\n",
	.offer = OFFER_FOLDER,
};
static const struct command submit_command = {
	.name = "submit",
	.usage = "FILE",
	.help = "gives the runs of a sweep that are missing to a cluster, with memory and time "
		"from 'weir check'",
	.options = submit_options,
	.words_min = 1,
	.words_max = 1,
	.run = command_submit,
	.more = "weir submit mine.ini --slurm --dry-run    the script, for a look\n"
		"weir submit mine.ini --slurm              mine.results.shards has it, and all "
		"that "
		"comes of it\n"
		"weir status                               how far it is; what is done is merged "
		"into "
		"mine.results\n"
		"\n"
		"The same command again does what is missing. docs/cluster.md tells the rest.\n",
	.offer = OFFER_FILE,
};
static const struct command status_command = {
	.name = "status",
	.usage = "[FOLDER]",
	.help = "says how a sweep that was submitted gets on (default: the only *.shards here), "
		"and merges what is done",
	.options = status_options,
	.words_max = 1,
	.run = command_status,
	.offer = OFFER_FOLDER,
};
static const struct command reproduce_command = {
	.name = "reproduce",
	.usage = "[PAPER/FIGURE]",
	.help = "re-runs a paper's figure, a PAPER or all, and says which of its claims hold; "
		"without a word, lists the figures",
	.options = reproduce_options,
	.words_max = 1,
	.run = command_reproduce,
	.world = COMMAND_FARMS,
	.more = reproduce_lesson,
};
static const struct command train_command = {
	.name = "train",
	.usage = "NAME",
	.help = "learns a network on simulated episodes, and writes it as a model",
	.options = train_options,
	.words_min = 1,
	.words_max = 1,
	.run = command_train,
	.world = COMMAND_TOGETHER,
	.more = "Interrupt it, or kill it: the same command goes on from the last checkpoint, and "
		"gives the\n"
		"same model. 'weir list trainer' names what can be trained, 'weir help NAME' its "
		"options.\n",
	.offer = OFFER_TRAINER,
};
static const struct command testbed_command = {
	.name = "testbed",
	.usage = "FILE",
	.help = "runs a scenario with real packets: hosts in namespaces, a real switch between "
		"them",
	.options = testbed_options,
	.words_min = 0,
	.words_max = 1,
	.run = command_testbed,
	.more = testbed_lesson,
	.offer = OFFER_FILE,
};
static const struct command switch_command = {
	.name = "switch",
	.usage = "FILE",
	.help = "forwards real packets between network interfaces, with the ports of scenarios",
	.options = switch_options_of_command,
	.words_min = 1,
	.words_max = 3,
	.run = command_switch,
	.more = switch_lesson,
	.offer = OFFER_FILE,
};
static const struct command keeper_command = {
	.name = "keeper",
	.usage = "FILE",
	.help = "tunes the ECN settings of a real switch, within limits and with a way back",
	.options = keeper_options_of_command,
	.words_min = 1,
	.words_max = 3,
	.run = command_keeper,
	.more = keeper_lesson,
	.offer = OFFER_FILE,
};
static const struct command list_command = {
	.name = "list",
	.usage = "[KIND]",
	.help = "names what there is: marking, scheduler, cc, topology, traffic, workload, model, "
		"metric",
	.words_max = 1,
	.run = command_list,
	.offer = OFFER_SHELF,
};
static const struct command model_command = {
	.name = "model",
	.usage = "FILE|NAME",
	.help = "says what a trained network is: its scheme, layers, and how it was trained",
	.options = model_options,
	.words_min = 1,
	.words_max = 1,
	.run = command_model,
	.offer = OFFER_MODEL,
};
static const struct command help_command = {
	.name = "help",
	.usage = "[NAME]",
	.help = "explains a command, a section or key, a scheme or plug-in, a workload, a metric "
		"or a topic",
	.options = help_options,
	.words_max = 1,
	.run = command_help,
	.offer = OFFER_NAME,
};
static const struct command version_command = {
	.name = "version",
	.usage = "",
	.help = "says which Weir this is",
	.run = command_version,
};

const struct command *const command_all[] = {
	&run_command,       &check_command, &choose_command, &import_command,
	&report_command,    &view_command,  &table_command,  &export_command,
	&prune_command,     &merge_command, &submit_command, &status_command,
	&reproduce_command, &train_command, &switch_command, &testbed_command,
	&keeper_command,    &list_command,  &model_command,  &help_command,
	&version_command,   NULL,
};

/* --- reading the arguments --- */

static int unknown_option(const struct command *c, const char *word, struct weir_error *e)
{
	const char *names[NAMES_MAX];
	size_t count = 0;

	for (const struct cli_option *o = c->options; o && o->name; o++)
		names[count++] = o->name;
	names[count++] = "--help";
	weir_error_unknown(e, "option", word, names, count);
	return weir_error_prefix(e, "%s: ", c->name);
}

/* "--name", "--name value" or "--name=value". Returns how many words it took, -1: a mistake. */
static int read_option(const struct command *c, char **words, struct argument *a,
		       struct weir_error *e)
{
	size_t length = strcspn(words[0], "=");

	for (const struct cli_option *o = c->options; o && o->name; o++) {
		if (strlen(o->name) != length || strncmp(o->name, words[0], length) != 0)
			continue;
		a->option = o;
		if (words[0][length] == '=') {
			a->value = words[0] + length + 1;
			if (!o->value)
				return weir_error_set(e, "%s: takes no value, got %s", o->name,
						      weir_quote(a->value).text);
			return 1;
		}
		if (!o->value)
			return 1;
		a->value = words[1];
		if (!a->value)
			return weir_error_set(e, "%s: a value is missing; write %s %s", o->name,
					      o->name, o->value);
		return 2;
	}
	return unknown_option(c, words[0], e);
}

static int is_option(const char *word)
{
	return word[0] == '-' && word[1] != '\0';
}

/* Fills all with at most as many arguments as there are words. */
static int read_arguments(const struct command *c, char **words, struct argument *all,
			  struct arguments *a, struct weir_error *e)
{
	size_t plain = 0;
	int only_words = 0;

	*a = (struct arguments){ all, 0 };
	while (*words) {
		struct argument *at = &all[a->count];
		int taken = 1;

		*at = (struct argument){ NULL, *words };
		if (!only_words && strcmp(*words, "--") == 0) {
			only_words = 1;
			words++;
			continue;
		}
		if (!only_words && is_option(*words))
			taken = read_option(c, words, at, e);
		else if (++plain > c->words_max)
			return weir_error_set(e, "%s: %s is one word too many; usage: weir %s %s",
					      c->name, weir_quote(*words).text, c->name, c->usage);
		if (taken < 0)
			return -1;
		words += taken;
		a->count++;
	}
	if (plain < c->words_min)
		return weir_error_set(e, "%s: %s is missing; usage: weir %s %s", c->name, c->usage,
				      c->name, c->usage);
	return 0;
}

const char *arguments_word(const struct arguments *a, size_t i)
{
	for (size_t n = 0; n < a->count; n++)
		if (!a->all[n].option && i-- == 0)
			return a->all[n].value;
	return NULL;
}

uint32_t arguments_values(const struct arguments *a, const char *name, const char **values)
{
	uint32_t count = 0;

	for (size_t i = 0; i < a->count; i++)
		if (a->all[i].option && strcmp(a->all[i].option->name, name) == 0)
			values[count++] = a->all[i].value;
	return count;
}

const char *arguments_option(const struct arguments *a, const char *name)
{
	for (size_t n = a->count; n-- > 0;)
		if (a->all[n].option && strcmp(a->all[n].option->name, name) == 0)
			return a->all[n].value ? a->all[n].value : "";
	return NULL;
}

/* --- endings --- */

int complain(enum exit_status status, const struct weir_error *e)
{
	fputs("weir: ", stderr);
	/* What users wrote may hold anything; a terminal must not obey it. */
	for (const char *c = e->text; *c; c++)
		fputc((unsigned char)*c < ' ' || *c == 0x7f ? '?' : *c, stderr);
	fputc('\n', stderr);
	return (int)status;
}

int finish_output(int status)
{
	struct weir_error e;

	if (fflush(stdout) == 0 && !ferror(stdout))
		return status;
	weir_error_set(&e, "standard output: cannot be written: %s", strerror(errno));
	return complain(EXIT_WORLD, &e);
}

/* --- the command --- */

static const struct command *command_find(const char *name)
{
	for (size_t i = 0; command_all[i]; i++)
		if (strcmp(command_all[i]->name, name) == 0)
			return command_all[i];
	return NULL;
}

static int unknown_command(const char *name)
{
	const char *names[NAMES_MAX];
	struct weir_error e;
	size_t count = 0;

	while (command_all[count]) {
		names[count] = command_all[count]->name;
		count++;
	}
	weir_error_unknown(&e, "command", name, names, count);
	return complain(EXIT_MISTAKE, &e);
}

static int asks_for_help(const char *word)
{
	return strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0;
}

/* A mistake of all processes is said by one of them. The others end well: mpirun would end whoever has not
 * spoken yet as soon as one does not, and its own status is that of the one that spoke. */
static int complain_once(const struct weir_error *e)
{
	return world_notice().rank == 0 ? complain(EXIT_MISTAKE, e) : EXIT_FINE;
}

static int refuse_world(const struct command *c)
{
	struct weir_error e;

	weir_error_set(&e, "%s: is done by one process, but %d were started; leave mpirun out",
		       c->name, world_notice().size);
	return complain_once(&e);
}

static int do_command(const struct command *c, const struct arguments *a)
{
	enum command_world world = ranks_share_one(a) ? COMMAND_TOGETHER : c->world;
	struct weir_error e;
	int status;

	if (world_notice().size == 1)
		return c->run(a);
	if (world == COMMAND_ALONE)
		return refuse_world(c);
	if (world_begin(&e))
		return complain_once(&e);
	if (world == COMMAND_FARMS && world_rank() > 0) {
		farm_serve(farm_serve_run);
		status = EXIT_FINE;
	} else {
		status = finish_output(c->run(a));
	}
	if (world == COMMAND_FARMS && world_rank() == 0)
		farm_dismiss();
	world_end(status);
	return status;
}

static int start(const struct command *c, char **words)
{
	struct argument *all;
	struct arguments a;
	struct weir_error e;
	size_t count = 0;
	int status;

	while (words[count])
		if (asks_for_help(words[count++])) {
			print_command(stdout, c);
			return EXIT_FINE;
		}
	all = memory_zeroed(count, sizeof(*all));
	if (read_arguments(c, words, all, &a, &e))
		status = complain_once(&e);
	else
		status = do_command(c, &a);
	free(all);
	return status;
}

int main(int argc, char **argv)
{
	const struct command *c;

	crash_watch();
	if (argc < 2) {
		print_usage(stderr);
		return EXIT_MISTAKE;
	}
	if (asks_for_help(argv[1])) {
		print_usage(stdout);
		return finish_output(EXIT_FINE);
	}
	if (strcmp(argv[1], "--version") == 0)
		argv[1] += strlen("--");
	c = command_find(argv[1]);
	if (!c)
		return unknown_command(argv[1]);
	return finish_output(start(c, argv + 2));
}
