/* SPDX-License-Identifier: BSD-3-Clause */
/* renamed.c -- settings that were renamed: translation between former and current names. Contract
 * in config.h. An entry goes with the release after the one that renames the setting, except that
 * its former name stays for run keys and digests (see setting_former_path). */
#include "config/config.h"
#include <stdio.h>
#include <string.h>

static const struct renamed {
	const char *section, *former, *name;
} renamed_all[] = {
	{ "network", "card-rate", "nic-rate" },
	{ "switch", "pfc-margin", "xon-offset" },
	{ "host", "acks-per", "packets-per-ack" },
	{ "host", "card", "nic" },
	{ "rdma", "acks-per", "packets-per-ack" },
	{ "rdma", "window-of", "base-rtt" },
	{ "traffic", "connections-each", "connections-per-pair" },
	/* of switch files */
	{ "real", "age", "ageing-time" },
	{ "real", "urgent", "priority" },
	{ "port", "part", "switch" },
	{ "port", "to", "peer" },
	/* of keeper plans */
	{ "keeper", "guard-least", "guard-min" },
	{ "keeper", "guard-worse", "guard-factor" },
	{ "keeper", "hold-off", "hold-down" },
	{ "limits", "shortest", "min-interval" },
	{ "profile", "shortest", "min-interval" },
};

enum { RENAMED_COUNT = sizeof(renamed_all) / sizeof(renamed_all[0]) };

const char *setting_current_key(const char *section, const char *key)
{
	for (int i = 0; i < RENAMED_COUNT; i++)
		if (strcmp(renamed_all[i].section, section) == 0 &&
		    strcmp(renamed_all[i].former, key) == 0)
			return renamed_all[i].name;
	return key;
}

static int renamed_is(const char *name, const char *text, size_t length)
{
	return strlen(name) == length && strncmp(name, text, length) == 0;
}

/* Where a path begins behind "sweep." of a list or "digest." of a file's contents. */
static const char *renamed_skip_prefix(const char *path)
{
	static const char *const prefixes[] = { "sweep.", "digest." };

	for (size_t i = 0; i < sizeof(prefixes) / sizeof(prefixes[0]); i++)
		if (strncmp(path, prefixes[i], strlen(prefixes[i])) == 0)
			path += strlen(prefixes[i]);
	return path;
}

enum renamed_direction { TO_CURRENT, TO_FORMER };

static const char *renamed_translate(const char *path, char buffer[SETTING_PATH_SIZE],
				     enum renamed_direction direction)
{
	const char *section = renamed_skip_prefix(path), *dot = strchr(section, '.'), *key;
	size_t section_length, length;

	if (!dot || strlen(path) >= SETTING_PATH_SIZE / 2)
		return path;
	section_length = (size_t)(dot - section);
	/* [traffic NAME] is the only section of scenarios with a setting that is in a path. */
	if (renamed_is("traffic", section, section_length) && strchr(dot + 1, '.'))
		dot = strchr(dot + 1, '.');
	key = dot + 1;
	length = strcspn(key, ".");
	for (int i = 0; i < RENAMED_COUNT; i++) {
		const struct renamed *r = &renamed_all[i];
		const char *from = direction == TO_CURRENT ? r->former : r->name;
		const char *to = direction == TO_CURRENT ? r->name : r->former;

		if (!renamed_is(r->section, section, section_length) ||
		    !renamed_is(from, key, length))
			continue;
		snprintf(buffer, SETTING_PATH_SIZE, "%.*s%s%s", (int)(key - path), path, to,
			 key + length);
		return buffer;
	}
	return path;
}

void setting_note_renamed(char note[WEIR_OPT_TEXT_SIZE], const char *file, int line,
			  const char *former, const char *name)
{
	char place[80] = "--set";

	if (note[0])
		return;
	if (line)
		snprintf(place, sizeof(place), "%.64s:%d", file, line);
	snprintf(note, WEIR_OPT_TEXT_SIZE,
		 "%s: %.50s is called %.50s now; its former name will go with the next release",
		 place, former, name);
}

const char *setting_current_path(const char *path, char buffer[SETTING_PATH_SIZE])
{
	return renamed_translate(path, buffer, TO_CURRENT);
}

const char *setting_former_path(const char *path, char buffer[SETTING_PATH_SIZE])
{
	return renamed_translate(path, buffer, TO_FORMER);
}
