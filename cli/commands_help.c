/* SPDX-License-Identifier: BSD-3-Clause */
/* commands_help.c -- the commands that say what there is, with their options. */
#include "cli/commands.h"

const struct command list_command = {
	.name = "list",
	.usage = "[KIND]",
	.help = "names what there is: marking, scheduler, cc, topology, traffic, workload, model, "
		"metric",
	.words_max = 1,
	.run = command_list,
	.offer = OFFER_SHELF,
};

static const struct cli_option model_options[] = {
	{ "--json", NULL, "the same for other programs", OFFER_NOTHING },
	{ .name = NULL },
};

const struct command model_command = {
	.name = "model",
	.usage = "FILE|NAME",
	.help = "says what a trained network is: its scheme, layers, and how it was trained",
	.options = model_options,
	.words_min = 1,
	.words_max = 1,
	.run = command_model,
	.offer = OFFER_MODEL,
};

static const struct cli_option help_options[] = {
	{ "--markdown", NULL, "writes the reference of everything that a scenario may hold",
	  OFFER_NOTHING },
	{ "--man", NULL, "writes the commands and their options as a part of a man page",
	  OFFER_NOTHING },
	{ "--results", NULL,
	  "writes every column of results as a part of docs/reference/results.md", OFFER_NOTHING },
	{ "--completion", "SHELL", "writes completion of command lines for bash, zsh or fish",
	  OFFER_SHELL },
	{ .name = NULL },
};

const struct command help_command = {
	.name = "help",
	.usage = "[NAME]",
	.help = "explains a command, a section or key, a scheme or plug-in, a workload, a metric "
		"or a topic",
	.options = help_options,
	.words_max = 1,
	.run = command_help,
	.offer = OFFER_NAME,
};

const struct command version_command = {
	.name = "version",
	.usage = "",
	.help = "says which Weir this is",
	.run = command_version,
};
