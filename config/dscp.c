/* SPDX-License-Identifier: BSD-3-Clause */
/* dscp.c -- the DSCP of packets and the class that switches give it, see config.h. */
#include "config/config.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { EXPEDITED = 46, CLASS_SELECTORS = 8 };

/* --- code points --- */

static const struct weir_option number_option = { "dscp", WEIR_OPT_COUNT, 0,  NULL,
						  0,      DSCP_COUNT - 1, "", NULL };

/* csN is 8 N; afXY, a class from 1 to 4 and a precedence from 1 to 3, is 8 X + 2 Y. */
static int dscp_read_name(const char *text, uint8_t *dscp)
{
	if (strcmp(text, "ef") == 0) {
		*dscp = EXPEDITED;
		return 1;
	}
	if (strncmp(text, "cs", 2) == 0 && text[2] >= '0' && text[2] <= '7' && !text[3]) {
		*dscp = (uint8_t)(CLASS_SELECTORS * (text[2] - '0'));
		return 1;
	}
	if (strncmp(text, "af", 2) == 0 && text[2] >= '1' && text[2] <= '4' && text[3] >= '1' &&
	    text[3] <= '3' && !text[4]) {
		*dscp = (uint8_t)(CLASS_SELECTORS * (text[2] - '0') + 2 * (text[3] - '0'));
		return 1;
	}
	return 0;
}

int dscp_read(const char *text, uint8_t *dscp, struct weir_error *e)
{
	struct weir_error unheard;
	uint64_t number;

	if (dscp_read_name(text, dscp))
		return 0;
	if (weir_option_parse(&number, &number_option, text, &unheard))
		return weir_error_set(e, "%s; a DSCP, 0 to %d, or cs0 to cs7, af11 to af43, ef",
				      weir_quote(text).text, DSCP_COUNT - 1);
	*dscp = (uint8_t)number;
	return 0;
}

/* --- the map --- */

static int dscp_read_class(const struct config *c, const char *text, uint8_t *class_id,
			   struct weir_error *e)
{
	static const struct weir_option option = { "class", WEIR_OPT_COUNT,      0,  NULL,
						   0,       WEIR_QUEUES_MAX - 1, "", NULL };
	struct weir_error unheard;
	uint64_t number;

	if (weir_option_parse(&number, &option, text, &unheard))
		return weir_error_set(e,
				      "%s is no class; classes are numbers, 0 to %" PRIu64
				      " with switch.queues = %" PRIu64,
				      weir_quote(text).text, c->switches.queues - 1,
				      c->switches.queues);
	if (number >= c->switches.queues)
		return weir_error_set(e,
				      "class %" PRIu64 ", but a port has switch.queues = %" PRIu64
				      "; classes count from 0",
				      number, c->switches.queues);
	*class_id = (uint8_t)number;
	return 0;
}

/* "26", or "24-31". */
static int dscp_read_range(char *text, uint8_t *first, uint8_t *last, struct weir_error *e)
{
	char *dash = strchr(text, '-');

	if (dash)
		*dash = '\0';
	if (dscp_read(text, first, e) || dscp_read(dash ? dash + 1 : text, last, e))
		return -1;
	return *first <= *last ? 0 : weir_error_set(e, "%u-%u goes down", *first, *last);
}

/* One of the words: "26:3", "24-31:3", "default:0". */
static int dscp_read_word(struct config *c, char *word, uint8_t *otherwise, struct weir_error *e)
{
	char *colon = strchr(word, ':');
	uint8_t first = 0, last = 0, class_id = 0;

	if (!colon)
		return weir_error_set(e,
				      "%s; a word is DSCP:CLASS, as in 26:3, 24-31:3 or default:0, "
				      "with blanks between them",
				      weir_quote(word).text);
	*colon = '\0';
	if (dscp_read_class(c, colon + 1, &class_id, e))
		return -1;
	if (strcmp(word, "default") == 0) {
		*otherwise = class_id;
		return 0;
	}
	if (dscp_read_range(word, &first, &last, e))
		return -1;
	for (uint32_t i = first; i <= last; i++) {
		if (dscp_is_mapped(c, (uint8_t)i))
			return weir_error_set(e, "DSCP %u stands there twice", i);
		c->dscp.mapped |= UINT64_C(1) << i;
		c->dscp.class_of[i] = class_id;
	}
	return 0;
}

static int dscp_read_map(struct config *c, struct weir_error *e)
{
	char text[WEIR_OPT_TEXT_SIZE], *rest = text;
	uint8_t otherwise = 0;

	snprintf(text, sizeof(text), "%s", c->switches.dscp_map);
	for (char *word; (word = strtok_r(rest, ", ", &rest));)
		if (dscp_read_word(c, word, &otherwise, e))
			return weir_error_prefix(e, "switch.dscp-map: ");
	for (uint32_t i = 0; i < DSCP_COUNT; i++)
		if (!dscp_is_mapped(c, (uint8_t)i))
			c->dscp.class_of[i] = otherwise;
	return 0;
}

int dscp_is_mapped(const struct config *c, uint8_t dscp)
{
	return (int)(c->dscp.mapped >> dscp & 1);
}

int dscp_map_check(struct config *c, struct weir_error *e)
{
	memset(&c->dscp, 0, sizeof(c->dscp));
	c->dscp.has_map = c->switches.dscp_map[0] != '\0';
	if (dscp_read(c->rdma.cnp_dscp, &c->dscp.cnp, e))
		return weir_error_prefix(e, "rdma.cnp-dscp: ");
	if (!c->dscp.has_map)
		return 0;
	if (c->mark->layout)
		return weir_error_set(e,
				      "switch.dscp-map: %s chooses queues itself, so there are no "
				      "classes to choose",
				      c->mark->scheme.name);
	return dscp_read_map(c, e);
}

/* --- a section --- */

static int dscp_read_key(const struct traffic_config *t, const char *key, const char *text,
			 uint8_t *dscp, struct weir_error *e)
{
	return dscp_read(text, dscp, e) ? weir_error_prefix(e, "traffic.%s.%s: ", t->name, key) : 0;
}

/* A key that names a class says nothing else than the map does. */
static int dscp_set_class(const struct config *c, const struct traffic_config *t, const char *key,
			  uint64_t *class_id, uint8_t dscp, struct weir_error *e)
{
	uint64_t mapped = c->dscp.class_of[dscp];

	if (*class_id != 0 && *class_id != mapped)
		return weir_error_set(e,
				      "traffic.%s.%s: %" PRIu64
				      ", but switch.dscp-map gives DSCP %u "
				      "class %" PRIu64 "; leave %s out",
				      t->name, key, *class_id, dscp, mapped, key);
	*class_id = mapped;
	return 0;
}

static int dscp_use_map(const struct config *c, struct traffic_config *t, struct weir_error *e)
{
	if (t->classes != 1)
		return weir_error_set(
			e,
			"traffic.%s.classes: %" PRIu64 ", but with switch.dscp-map a "
			"section has the class of its DSCP; take sections of their own",
			t->name, t->classes);
	if (strcmp(t->ack_class, ACK_CLASS_DATA) != 0)
		return weir_error_set(
			e,
			"traffic.%s.ack-class: %s, but with switch.dscp-map ACKs have "
			"the class of their DSCP; give ack-dscp",
			t->name, weir_quote(t->ack_class).text);
	return dscp_set_class(c, t, "class", &t->class_id, t->code.data, e) ||
			       (t->first_bytes && dscp_set_class(c, t, "first-class",
								 &t->first_class, t->code.first, e))
		       ? -1
		       : 0;
}

/* What is not given is as the data, or as the first bytes of it, are. */
static int dscp_read_codes(struct traffic_config *t, struct weir_error *e)
{
	if (dscp_read_key(t, "dscp", t->dscp, &t->code.data, e))
		return -1;
	t->code.first = t->code.data;
	if (t->first_dscp[0] && !t->first_bytes)
		return weir_error_set(e, "traffic.%s.first-dscp: goes with first-bytes", t->name);
	if (t->first_dscp[0] && dscp_read_key(t, "first-dscp", t->first_dscp, &t->code.first, e))
		return -1;
	t->code.ack = t->code.first;
	return t->ack_dscp[0] ? dscp_read_key(t, "ack-dscp", t->ack_dscp, &t->code.ack, e) : 0;
}

int dscp_check(const struct config *c, struct traffic_config *t, struct weir_error *e)
{
	memset(&t->code, 0, sizeof(t->code));
	t->code.is_given = t->dscp[0] != '\0';
	if (!t->code.is_given && (t->first_dscp[0] || t->ack_dscp[0]))
		return weir_error_set(e, "traffic.%s.%s: goes with dscp, which is not given",
				      t->name, t->first_dscp[0] ? "first-dscp" : "ack-dscp");
	if (!t->code.is_given)
		return c->dscp.has_map
			       ? weir_error_set(e,
						"traffic.%s.dscp: not given, but switch.dscp-map "
						"gives packets their classes; write dscp = 0 where "
						"nothing is asked for",
						t->name)
			       : 0;
	if (dscp_read_codes(t, e))
		return -1;
	return c->dscp.has_map ? dscp_use_map(c, t, e) : 0;
}
