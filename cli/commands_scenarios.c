/* SPDX-License-Identifier: BSD-3-Clause */
/* commands_scenarios.c -- the commands that run scenarios, make them or learn from them, with their
 * options. */
#include "cli/commands.h"

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
	  "threads of a run; results do not depend on it; auto, the default without --jobs: as "
	  "many as are faster where the machine has more processors than there are runs to do, "
	  "else 1",
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
	ALLOW_PLUGINS_OPTION,
	{ .name = NULL },
};

const struct command run_command = {
	.name = "run",
	.usage = "FILE",
	.help = "runs a scenario and prints what came out",
	.options = run_options,
	.words_min = 1,
	.words_max = 1,
	.run = command_run,
	.world = COMMAND_EXECUTES,
	.offer = OFFER_FILE,
};

static const struct cli_option check_options[] = {
	{ "--set", "SECTION.KEY=VALUE",
	  "replaces or adds a setting, in all cases; may be given several times", OFFER_SETTING },
	{ "--marking", "SPEC", "short for --set switch.marking=SPEC", OFFER_MARKING },
	{ "--scheduler", "SPEC", "short for --set switch.scheduler=SPEC", OFFER_SCHEDULER },
	{ "--cc", "SPEC", "short for --set host.cc=SPEC", OFFER_CC },
	{ "--seed", "N", "start of every random number, in place of the file's", OFFER_NOTHING },
	{ "--full", NULL, "with the settings of [full]", OFFER_NOTHING },
	{ ALLOW_PLUGINS, NULL,
	  "loads plug-ins, to check them and what goes with them too; without it their code is not "
	  "run",
	  OFFER_NOTHING },
	{ .name = NULL },
};

const struct command check_command = {
	.name = "check",
	.usage = "FILE",
	.help = "reads a scenario, builds its network and traffic, and says what it found",
	.options = check_options,
	.words_min = 1,
	.words_max = 1,
	.run = command_check,
	.more = "A line 'note:' names a default that is meant for other link rates than the "
		"scenario's, where\n"
		"the scenario leaves the value to it; 'weir help defaults' lists them all.\n",
	.offer = OFFER_FILE,
};

static const struct cli_option choose_options[] = {
	{ "--goal", "METRIC",
	  "the metric to minimise, one of 'weir table': fct_small_p99, or of a traffic section: "
	  "'fct_p99 of storage', 'round_mean of ai'; -METRIC: to maximise",
	  OFFER_METRIC },
	{ "--keep", "RULE",
	  "a constraint, as in 'goodput >= 0.98 of best' or 'drops <= 0'; may be given several "
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
	{ "--quiet", NULL, "prints no progress", OFFER_NOTHING },
	ALLOW_PLUGINS_OPTION,
	{ .name = NULL },
};

const struct command choose_command = {
	.name = "choose",
	.usage = "FILE",
	.help = "finds a good setting for a goal, within a budget of runs, and judges it on other "
		"seeds",
	.options = choose_options,
	.words_min = 1,
	.words_max = 1,
	.run = command_choose,
	.world = COMMAND_EXECUTES,
	.offer = OFFER_FILE,
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

const struct command import_command = {
	.name = "import",
	.usage = "FILE [FLOWS]",
	.help = "turns a capture, or files of HPCC's simulator or of htsim, into a scenario",
	.options = import_options,
	.words_min = 1,
	.words_max = 2,
	.run = command_import,
	.offer = OFFER_FILE,
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
	ALLOW_PLUGINS_OPTION,
	{ .name = NULL },
};

const struct command train_command = {
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
