/* SPDX-License-Identifier: BSD-3-Clause */
/* hpcc_config.c -- reads the configuration file of the HPCC simulator. */
#include "lab/scenario/import.h"
#include "base/input.h"
#include "weir/units.h"
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum value_kind {
	VALUE_FLAG,   /* 0 or 1 */
	VALUE_WHOLE,  /* 0, 1, 2, ... */
	VALUE_NUMBER, /* not below 0 */
	VALUE_RATE,   /* 50Mb/s */
	VALUE_TEXT,
	VALUE_MAP,
	VALUE_LINK,
};

/* def: the simulator's default; NULL: it has no usable one. EWMA_GAIN has none, because the
 * simulator computes 1 / 16 in integers. */
struct key {
	const char *name;
	enum value_kind kind;
	const char *def;
};

static const struct key keys[HPCC_KEYS] = {
	[HPCC_CC_MODE] = { "CC_MODE", VALUE_WHOLE, "1" },
	[HPCC_ENABLE_QCN] = { "ENABLE_QCN", VALUE_FLAG, "1" },
	[HPCC_USE_DYNAMIC_PFC_THRESHOLD] = { "USE_DYNAMIC_PFC_THRESHOLD", VALUE_FLAG, "1" },
	[HPCC_PACKET_PAYLOAD_SIZE] = { "PACKET_PAYLOAD_SIZE", VALUE_WHOLE, "1000" },
	[HPCC_TOPOLOGY_FILE] = { "TOPOLOGY_FILE", VALUE_TEXT, NULL },
	[HPCC_FLOW_FILE] = { "FLOW_FILE", VALUE_TEXT, NULL },
	[HPCC_SIMULATOR_STOP_TIME] = { "SIMULATOR_STOP_TIME", VALUE_NUMBER, "3.01" },
	[HPCC_ALPHA_RESUME_INTERVAL] = { "ALPHA_RESUME_INTERVAL", VALUE_NUMBER, "55" },
	[HPCC_RATE_DECREASE_INTERVAL] = { "RATE_DECREASE_INTERVAL", VALUE_NUMBER, "4" },
	[HPCC_CLAMP_TARGET_RATE] = { "CLAMP_TARGET_RATE", VALUE_FLAG, "0" },
	[HPCC_RP_TIMER] = { "RP_TIMER", VALUE_NUMBER, NULL },
	[HPCC_EWMA_GAIN] = { "EWMA_GAIN", VALUE_NUMBER, NULL },
	[HPCC_FAST_RECOVERY_TIMES] = { "FAST_RECOVERY_TIMES", VALUE_WHOLE, "5" },
	[HPCC_RATE_AI] = { "RATE_AI", VALUE_RATE, NULL },
	[HPCC_RATE_HAI] = { "RATE_HAI", VALUE_RATE, NULL },
	[HPCC_MIN_RATE] = { "MIN_RATE", VALUE_RATE, "100Mb/s" },
	[HPCC_DCTCP_RATE_AI] = { "DCTCP_RATE_AI", VALUE_RATE, "1000Mb/s" },
	[HPCC_ERROR_RATE_PER_LINK] = { "ERROR_RATE_PER_LINK", VALUE_NUMBER, "0" },
	[HPCC_L2_CHUNK_SIZE] = { "L2_CHUNK_SIZE", VALUE_WHOLE, "0" },
	[HPCC_L2_ACK_INTERVAL] = { "L2_ACK_INTERVAL", VALUE_WHOLE, NULL },
	[HPCC_L2_BACK_TO_ZERO] = { "L2_BACK_TO_ZERO", VALUE_FLAG, "0" },
	[HPCC_HAS_WIN] = { "HAS_WIN", VALUE_FLAG, "1" },
	[HPCC_GLOBAL_T] = { "GLOBAL_T", VALUE_FLAG, "1" },
	[HPCC_VAR_WIN] = { "VAR_WIN", VALUE_FLAG, "0" },
	[HPCC_FAST_REACT] = { "FAST_REACT", VALUE_FLAG, "1" },
	[HPCC_U_TARGET] = { "U_TARGET", VALUE_NUMBER, "0.95" },
	[HPCC_MI_THRESH] = { "MI_THRESH", VALUE_WHOLE, "5" },
	[HPCC_INT_MULTI] = { "INT_MULTI", VALUE_NUMBER, "1" },
	[HPCC_MULTI_RATE] = { "MULTI_RATE", VALUE_FLAG, "1" },
	[HPCC_SAMPLE_FEEDBACK] = { "SAMPLE_FEEDBACK", VALUE_FLAG, "0" },
	[HPCC_PINT_LOG_BASE] = { "PINT_LOG_BASE", VALUE_NUMBER, "1.05" },
	[HPCC_PINT_PROB] = { "PINT_PROB", VALUE_NUMBER, "1" },
	[HPCC_RATE_BOUND] = { "RATE_BOUND", VALUE_FLAG, "1" },
	[HPCC_ACK_HIGH_PRIO] = { "ACK_HIGH_PRIO", VALUE_FLAG, "0" },
	[HPCC_LINK_DOWN] = { "LINK_DOWN", VALUE_LINK, "0 0 0" },
	[HPCC_KMAX_MAP] = { "KMAX_MAP", VALUE_MAP, NULL },
	[HPCC_KMIN_MAP] = { "KMIN_MAP", VALUE_MAP, NULL },
	[HPCC_PMAX_MAP] = { "PMAX_MAP", VALUE_MAP, NULL },
	[HPCC_BUFFER_SIZE] = { "BUFFER_SIZE", VALUE_NUMBER, "16" },
	[HPCC_TRACE_FILE] = { "TRACE_FILE", VALUE_TEXT, NULL },
	[HPCC_TRACE_OUTPUT_FILE] = { "TRACE_OUTPUT_FILE", VALUE_TEXT, NULL },
	[HPCC_FCT_OUTPUT_FILE] = { "FCT_OUTPUT_FILE", VALUE_TEXT, NULL },
	[HPCC_PFC_OUTPUT_FILE] = { "PFC_OUTPUT_FILE", VALUE_TEXT, NULL },
	[HPCC_ENABLE_TRACE] = { "ENABLE_TRACE", VALUE_FLAG, NULL },
	[HPCC_QLEN_MON_FILE] = { "QLEN_MON_FILE", VALUE_TEXT, NULL },
	[HPCC_QLEN_MON_START] = { "QLEN_MON_START", VALUE_WHOLE, NULL },
	[HPCC_QLEN_MON_END] = { "QLEN_MON_END", VALUE_WHOLE, NULL },
	[HPCC_PAUSE_TIME] = { "PAUSE_TIME", VALUE_NUMBER, NULL },
	[HPCC_DATA_RATE] = { "DATA_RATE", VALUE_TEXT, NULL },
	[HPCC_LINK_DELAY] = { "LINK_DELAY", VALUE_TEXT, NULL },
};

const char *hpcc_key_name(enum hpcc_key key)
{
	return keys[key].name;
}

/* --- values --- */

static int hpcc_read_number(const char *word, double *number)
{
	char *end;

	*number = strtod(word, &end);
	return end == word || *end != '\0' || !isfinite(*number) || *number < 0 ? -1 : 0;
}

/* ns-3's data rates: a number and bps or b/s (Bps or B/s for bytes), with prefix k, K, M or G. */
static int hpcc_read_rate(const char *word, double *bps)
{
	char *unit;
	double scale;

	*bps = strtod(word, &unit);
	if (unit == word || !isfinite(*bps) || *bps < 0)
		return -1;
	scale = *unit == 'k' || *unit == 'K' ? 1e3 : *unit == 'M' ? 1e6 : *unit == 'G' ? 1e9 : 1;
	unit += scale > 1;
	*bps *= scale * (*unit == 'B' ? WEIR_BITS_PER_BYTE : 1);
	return (*unit == 'b' || *unit == 'B') &&
			       (strcmp(unit + 1, "ps") == 0 || strcmp(unit + 1, "/s") == 0)
		       ? 0
		       : -1;
}

/* "2 25000000000 100 100000000000 400" */
static int hpcc_read_map(struct hpcc_map *map, char *const words[], int count, struct line_file *in)
{
	uint64_t listed;

	if (count < 2 || parse_integer(words[1], HPCC_RATES_MAX, &listed) ||
	    (uint64_t)count != 2 + 2 * listed)
		return line_file_error(in,
				       "%s is how many, at most %d, and so many times a rate in "
				       "bit/s and a value, as in %s 1 25000000000 %s",
				       words[0], HPCC_RATES_MAX, words[0],
				       words[0][0] == 'P' ? "0.2" : "100");
	map->count = (uint32_t)listed;
	for (uint32_t i = 0; i < map->count; i++) {
		char *const *pair = words + 2 + 2 * i;

		if (parse_integer(pair[0], UINT64_MAX, &map->rate_bps[i]) ||
		    hpcc_read_number(pair[1], &map->value[i]))
			return line_file_error(in, "%s: %s %s is not a rate in bit/s and a value",
					       words[0], weir_quote(pair[0]).text,
					       weir_quote(pair[1]).text);
	}
	return 0;
}

static int hpcc_read_link(struct hpcc_config *c, char *const words[], int count,
			  struct line_file *in)
{
	if (count != 4 || parse_integer(words[1], UINT32_MAX, &c->down_us) ||
	    parse_integer(words[2], UINT32_MAX, &c->down_node[0]) ||
	    parse_integer(words[3], UINT32_MAX, &c->down_node[1]))
		return line_file_error(in, "LINK_DOWN is microseconds after 2 s and two nodes, as "
					   "in LINK_DOWN 100 320 350; 0 0 0: none");
	return 0;
}

/* NULL: the word was read; otherwise the text for messages of what it must be. */
static const char *hpcc_read_word(enum value_kind kind, const char *word, double *number)
{
	switch (kind) {
	case VALUE_FLAG:
		return hpcc_read_number(word, number) || (*number != 0 && *number != 1) ? "0 or 1"
											: NULL;
	case VALUE_WHOLE:
		return hpcc_read_number(word, number) || *number != floor(*number)
			       ? "a whole number"
			       : NULL;
	case VALUE_NUMBER:
		return hpcc_read_number(word, number) ? "a number that is not below 0" : NULL;
	case VALUE_RATE:
		return hpcc_read_rate(word, number) ? "a rate, as in 50Mb/s" : NULL;
	default:
		return NULL;
	}
}

static int hpcc_read_value(struct hpcc_config *c, enum hpcc_key key, char *const words[], int count,
			   struct line_file *in)
{
	struct hpcc_value *v = &c->values[key];
	size_t length = 0;
	const char *wanted;

	if (v->line)
		return line_file_error(in, "%s stands in line %d already", words[0], v->line);
	v->line = in->line;
	v->text[0] = '\0';
	for (int i = 1; i < count && length < sizeof(v->text); i++)
		length += (size_t)snprintf(v->text + length, sizeof(v->text) - length, "%s%s",
					   i > 1 ? " " : "", words[i]);
	if (keys[key].kind == VALUE_MAP)
		return hpcc_read_map(key == HPCC_KMAX_MAP   ? &c->kmax_kb
				     : key == HPCC_KMIN_MAP ? &c->kmin_kb
							    : &c->pmax,
				     words, count, in);
	if (keys[key].kind == VALUE_LINK)
		return hpcc_read_link(c, words, count, in);
	if (count != 2)
		return line_file_error(in, "%s has %d values; it is one", words[0], count - 1);
	if (strlen(words[1]) >= sizeof(v->text))
		return line_file_error(in, "%s is too long", weir_quote(words[1]).text);
	wanted = hpcc_read_word(keys[key].kind, words[1], &v->number);
	return wanted ? line_file_error(in, "%s %s; it is %s", words[0], weir_quote(words[1]).text,
					wanted)
		      : 0;
}

/* --- the file --- */

static int hpcc_read_config_line(struct hpcc_config *c, struct line_file *in)
{
	const char *names[HPCC_KEYS];
	char *words[LINE_WORDS_MAX];
	const char *nearest;
	int count;

	in->text[strcspn(in->text, "#{")] = '\0';
	count = line_file_words(in, words);
	if (count == 0)
		return 0;
	if (count < 0)
		return line_file_error(in, "the line has more than %d words", LINE_WORDS_MAX);
	for (int key = 0; key < HPCC_KEYS; key++) {
		names[key] = keys[key].name;
		if (strcmp(words[0], keys[key].name) == 0)
			return hpcc_read_value(c, (enum hpcc_key)key, words, count, in);
	}
	nearest = weir_nearest_name(words[0], names, HPCC_KEYS);
	return line_file_error(in, "%s is no key of HPCC's simulator%s%s%s",
			       weir_quote(words[0]).text, nearest ? " (nearest: " : "",
			       nearest ? nearest : "", nearest ? ")" : "");
}

static void hpcc_set_defaults(struct hpcc_config *c)
{
	for (int key = 0; key < HPCC_KEYS; key++) {
		struct hpcc_value *v = &c->values[key];

		if (!keys[key].def)
			continue;
		snprintf(v->text, sizeof(v->text), "%s", keys[key].def);
		hpcc_read_word(keys[key].kind, v->text, &v->number);
	}
}

int hpcc_config_read(struct hpcc_config *c, const char *file, struct weir_error *e)
{
	struct line_file in;
	int got;

	*c = (struct hpcc_config){ .file = file };
	hpcc_set_defaults(c);
	if (line_file_open(&in, file, e))
		return -1;
	while ((got = line_file_next(&in)) == 1)
		if (hpcc_read_config_line(c, &in)) {
			got = -1;
			break;
		}
	line_file_close(&in);
	return got;
}

int hpcc_config_is(const char *file)
{
	const char *why;
	FILE *f = input_open(file, &why);
	char word[64] = "";
	size_t i = 0;
	int next;

	if (!f)
		return 0;
	do { /* find the first word outside comments */
		next = fgetc(f);
		if (next == '#')
			while (next != '\n' && next != EOF)
				next = fgetc(f);
	} while (next != EOF && isspace(next));
	for (; i + 1 < sizeof(word) && next != EOF && !isspace(next); next = fgetc(f))
		word[i++] = (char)next;
	fclose(f);
	return word[0] >= 'A' && word[0] <= 'Z' && strchr(word, '_') != NULL;
}
