/* SPDX-License-Identifier: BSD-3-Clause */
/* commands_results.c -- the commands about results, of sweeps and of papers' figures, with their
 * options. */
#include "cli/commands.h"

static const struct cli_option report_options[] = {
	{ "-o", "FILE", "where the HTML goes, in place of report.html in the folder", OFFER_FILE },
	{ "--svg", "DIR", "writes every chart as an SVG file instead, or with -o as well",
	  OFFER_FOLDER },
	{ "--all", NULL, "also runs that are not of the latest sweep", OFFER_NOTHING },
	{ .name = NULL },
};

const struct command report_command = {
	.name = "report",
	.usage = "[FOLDER]",
	.help = "writes the runs of a result folder (default: the only *.results here) as one "
		"HTML file with charts",
	.options = report_options,
	.words_max = 1,
	.run = command_report,
	.offer = OFFER_FOLDER,
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

const struct command view_command = {
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

const struct command table_command = {
	.name = "table",
	.usage = "[FOLDER]",
	.help = "compares the runs in a result folder (default: the only *.results here)",
	.options = table_options,
	.words_max = 1,
	.run = command_table,
	.offer = OFFER_FOLDER,
};

static const struct cli_option export_options[] = {
	{ "--csv", "DIR",
	  "writes runs.csv, reasons.csv, flows.csv, ports.csv, pauses.csv and series.csv",
	  OFFER_FOLDER },
	{ "--json", "FILE", "writes all in one file; - is standard output", OFFER_FILE },
	{ "--plots", "DIR",
	  "writes the charts of the report for gnuplot (NAME.dat, NAME.gp) and matplotlib "
	  "(plots.py); both write NAME.pdf",
	  OFFER_FOLDER },
	{ "--all", NULL, "also runs that are not of the latest sweep", OFFER_NOTHING },
	{ .name = NULL },
};

const struct command export_command = {
	.name = "export",
	.usage = "[FOLDER]",
	.help = "writes the runs, flows, ports and series in a result folder for other programs",
	.options = export_options,
	.words_max = 1,
	.run = command_export,
	.offer = OFFER_FOLDER,
};

static const struct cli_option prune_options[] = {
	{ "--dry-run", NULL, "deletes nothing; says how many runs it would be", OFFER_NOTHING },
	{ .name = NULL },
};

const struct command prune_command = {
	.name = "prune",
	.usage = "[FOLDER]",
	.help = "deletes the runs of a result folder that are not of its latest sweep",
	.options = prune_options,
	.words_max = 1,
	.run = command_prune,
	.offer = OFFER_FOLDER,
};

static const struct cli_option merge_options[] = {
	{ "--out", "FOLDER", "where the runs go; may hold some of the same sweep", OFFER_FOLDER },
	{ .name = NULL },
};

const struct command merge_command = {
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
	ALLOW_PLUGINS_OPTION,
	{ .name = NULL },
};

const struct command submit_command = {
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
		"The same command again does what is missing. docs/manual/11-clusters.md tells the "
		"rest.\n",
	.offer = OFFER_FILE,
};

static const struct cli_option status_options[] = {
	{ "--wait", NULL, "until nothing of it is in the queue", OFFER_NOTHING },
	{ .name = NULL },
};

const struct command status_command = {
	.name = "status",
	.usage = "[FOLDER]",
	.help = "says how a sweep that was submitted gets on (default: the only *.shards here), "
		"and merges what is done",
	.options = status_options,
	.words_max = 1,
	.run = command_status,
	.offer = OFFER_FOLDER,
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
	ALLOW_PLUGINS_OPTION,
	{ .name = NULL },
};

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

const struct command reproduce_command = {
	.name = "reproduce",
	.usage = "[PAPER/FIGURE]",
	.help = "re-runs a paper's figure, a PAPER or all, and says which of its claims it "
		"reproduces; "
		"without a word, lists the figures",
	.options = reproduce_options,
	.words_max = 1,
	.run = command_reproduce,
	.world = COMMAND_EXECUTES,
	.more = reproduce_lesson,
};
