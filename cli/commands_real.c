/* SPDX-License-Identifier: BSD-3-Clause */
/* commands_real.c -- the commands about real packets and real switches, with their options. */
#include "cli/commands.h"

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
	ALLOW_PLUGINS_OPTION,
	{ .name = NULL },
};

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
	"'weir help port' and 'weir help real' name all keys, docs/manual/09a-switch.md tells the "
	"rest.\n";

const struct command switch_command = {
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
	{ "--tries", "N",
	  "how often a run is done at most, 1 to 20: again while the machine holds it up; 3 unless "
	  "given. What was held up to the last is marked with a !",
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
	ALLOW_PLUGINS_OPTION,
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
	"docs/manual/09b-testbed.md tells the rest.\n";

const struct command testbed_command = {
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

static const struct cli_option keeper_options_of_command[] = {
	{ "--dry-run", NULL, "writes nothing; prints what it would do", OFFER_NOTHING },
	ALLOW_PLUGINS_OPTION,
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
	"weir keeper stop leaf3.ini            puts the originals back, and ends; status 0: all "
	"are\n"
	"weir keeper restore leaf3.ini         puts back the originals that the journal still "
	"holds\n"
	"weir keeper restore leaf3.ini PROFILE also where an operator changed the profile\n"
	"weir keeper release leaf3.ini PROFILE gives an original up: the switch keeps what it has\n"
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
	"It ends by putting back what it found. docs/manual/10-keeper.md tells the rest.\n";

const struct command keeper_command = {
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
