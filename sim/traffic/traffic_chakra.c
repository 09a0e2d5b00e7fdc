/* SPDX-License-Identifier: BSD-3-Clause */
/* traffic_chakra.c -- pattern chakra: execution traces of MLCommons Chakra, one file for each rank:
 * NAME.0.et, NAME.1.et and so on. A file is protobuf messages (schema/protobuf/et_def.proto), each
 * behind its length: a GlobalMetadata, then Nodes. The wire format is read here: fields are a key
 * (number << 3 | type) and a value; unknown fields are skipped.
 *
 * What nodes are for:
 *
 *	COMP_NODE       computes for duration_micros, on the CPU (is_cpu_op) or the
 *	                accelerator, which both do one thing at a time
 *	MEM_*_NODE      takes duration_micros, beside both
 *	COMM_SEND_NODE  comm_size bytes to comm_dst, comm_tag; complete when acknowledged
 *	COMM_RECV_NODE  from comm_src
 *	COMM_COLL_NODE  comm_type, comm_size, and pg_name, the process group (without it
 *	                all ranks)
 *
 * All other nodes take no time. ctrl_deps and data_deps have to be complete before.
 *
 * comm_size is, as in ASTRA-sim, each rank's share for all-gather, its input for reduce-scatter and
 * all-to-all, its buffer otherwise. Groups are in a file of ASTRA-sim's form (groups =):
 * {"NAME": [0, 1, 2, 3], ...}. Refused: reduce, gather, scatter and barrier; gzip. */
#include "base/input.h"
#include "base/json.h"
#include "base/memory.h"
#include "base/text.h"
#include "sim/traffic/flow_builder.h"
#include "sim/traffic/job.h"
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct chakra_params {
	struct job_params job;
	struct job_algorithms algorithms;
	char file[WEIR_OPT_TEXT_SIZE], groups[WEIR_OPT_TEXT_SIZE];
};

#define AT(member) offsetof(struct chakra_params, member)
static const struct weir_option chakra_options[] = {
	{ "file", WEIR_OPT_FILE, AT(file), NULL, 0, 0,
	  "execution trace of rank 0, as in NAME.0.et; NAME.1.et and so on are of the others",
	  NULL },
	{ "groups", WEIR_OPT_FILE, AT(groups), NULL, 0, 0,
	  "process groups in JSON, as ASTRA-sim has them: {\"NAME\": [0, 1, 2, 3]}", NULL },
	JOB_ALGORITHM_OPTIONS,
	JOB_PLACEMENT_OPTION,
	JOB_REPEATS_OPTION,
	JOB_WARM_UP_OPTION,
	JOB_STRAGGLERS_OPTION,
	JOB_STRAGGLER_DELAY_OPTION,
	{ .name = NULL },
};
#undef AT

enum { RECORD_MAX = 1 << 24, GROUPS_MAX_BYTES = 1 << 24, NAME_SIZE = 64 };

#define DURATION_MAX_US (UINT64_C(1000) * 1000 * 1000)

enum chakra_type {
	CHAKRA_MEM_LOAD = 2,
	CHAKRA_MEM_STORE = 3,
	CHAKRA_COMPUTE = 4,
	CHAKRA_SEND = 5,
	CHAKRA_RECEIVE = 6,
	CHAKRA_COLLECTIVE = 7
};

/* Streams of a rank's computations. */
enum { STREAM_CPU, STREAM_ACCELERATOR, STREAM_MEMORY, STREAM_NOTHING };

/* A node, or what is known of it so far. */
struct chakra_node {
	uint64_t id, type, duration_us;
	uint64_t is_cpu_op, comm_type, comm_size, comm_src, comm_dst, comm_tag;
	char group[NAME_SIZE];
};

struct chakra_id {
	uint64_t id;
	uint32_t op;
};

struct chakra_group {
	char name[NAME_SIZE];
	int comm;
};

struct chakra_reader {
	struct flow_builder *b;
	struct graph_job *job;
	struct job_ties ties;
	char name[INPUT_NAME_SIZE];
	FILE *f;
	uint32_t rank, record; /* record: of the file, from 1: the metadata */
	uint8_t *bytes;        /* of the record */
	size_t room;
	/* Of the rank: ids of its nodes, and dependencies by id, whose op is the later node. */
	uint32_t id_count, id_room;
	struct chakra_id *ids;
	uint64_t need_count, need_room;
	struct chakra_id *needs;
	uint32_t group_count;
	struct chakra_group *groups;
};

static int chakra_error(struct chakra_reader *c, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

static int chakra_error(struct chakra_reader *c, const char *format, ...)
{
	char text[256];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	return weir_error_set(c->b->e, "%s: record %u: %s", c->name, c->record, text);
}

/* --- the wire format --- */

struct wire {
	const uint8_t *at, *end;
};

enum wire_type { WIRE_VARINT = 0, WIRE_FIXED64 = 1, WIRE_BYTES = 2, WIRE_FIXED32 = 5 };

struct wire_field {
	uint64_t number, value; /* of varint and fixed types */
	enum wire_type type;
	struct wire bytes;
};

static int wire_varint(struct wire *w, uint64_t *value)
{
	*value = 0;
	for (unsigned shift = 0; shift < 64 && w->at < w->end; shift += 7) {
		uint8_t byte = *w->at++;

		*value |= (uint64_t)(byte & 0x7f) << shift;
		if (!(byte & 0x80))
			return 0;
	}
	return -1;
}

static int wire_fixed(struct wire *w, unsigned size, uint64_t *value)
{
	*value = 0;
	if (w->end - w->at < (ptrdiff_t)size)
		return -1;
	for (unsigned i = 0; i < size; i++)
		*value |= (uint64_t)*w->at++ << 8 * i;
	return 0;
}

/* 1: a field, 0: the end of the message, -1: it is damaged. */
static int wire_next(struct wire *w, struct wire_field *f)
{
	uint64_t key;

	if (w->at == w->end)
		return 0;
	if (wire_varint(w, &key))
		return -1;
	f->number = key >> 3;
	f->type = (enum wire_type)(key & 7);
	switch (f->type) {
	case WIRE_VARINT:
		return wire_varint(w, &f->value) ? -1 : 1;
	case WIRE_FIXED64:
		return wire_fixed(w, sizeof(uint64_t), &f->value) ? -1 : 1;
	case WIRE_FIXED32:
		return wire_fixed(w, sizeof(uint32_t), &f->value) ? -1 : 1;
	case WIRE_BYTES:
		if (wire_varint(w, &f->value) || f->value > (uint64_t)(w->end - w->at))
			return -1;
		f->bytes = (struct wire){ w->at, w->at + f->value };
		w->at += f->value;
		return 1;
	}
	return -1;
}

/* --- nodes --- */

/* Copies a string, cut to its room. */
static void wire_text(const struct wire *w, char text[NAME_SIZE])
{
	size_t length = (size_t)(w->end - w->at);

	length = length < NAME_SIZE ? length : NAME_SIZE - 1;
	memcpy(text, w->at, length);
	text[length] = '\0';
}

/* An AttributeProto: a name, and a value whose field number says its type. */
static int chakra_read_attribute(struct chakra_reader *c, struct wire w, struct chakra_node *n)
{
	enum { FIELD_NAME = 1, FIELD_SINT32 = 15, FIELD_SINT64 = 17, FIELD_STRING = 29 };
	const struct {
		const char *name;
		uint64_t *to;
	} known[] = {
		{ "is_cpu_op", &n->is_cpu_op }, { "comm_type", &n->comm_type },
		{ "comm_size", &n->comm_size }, { "comm_src", &n->comm_src },
		{ "comm_dst", &n->comm_dst },   { "comm_tag", &n->comm_tag },
	};
	char name[NAME_SIZE] = "", text[NAME_SIZE] = "";
	struct wire_field f;
	uint64_t value = 0;
	int got;

	while ((got = wire_next(&w, &f)) > 0) {
		if (f.number == FIELD_NAME && f.type == WIRE_BYTES)
			wire_text(&f.bytes, name);
		else if (f.number == FIELD_STRING && f.type == WIRE_BYTES)
			wire_text(&f.bytes, text);
		else if (f.type != WIRE_BYTES)
			value = f.number == FIELD_SINT32 || f.number == FIELD_SINT64
					? f.value >> 1 ^ (~(f.value & 1) + 1)
					: f.value;
	}
	if (got < 0)
		return chakra_error(c, "an attribute is damaged");
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (strcmp(name, known[i].name) == 0)
			*known[i].to = value;
	if (strcmp(name, "pg_name") == 0)
		memcpy(n->group, text, sizeof(text));
	return 0;
}

static void chakra_add_need(struct chakra_reader *c, uint64_t id)
{
	if (c->need_count == c->need_room) {
		c->need_room = c->need_room ? 2 * c->need_room : 64;
		c->needs = memory_grow(c->needs, c->need_room, sizeof(*c->needs));
	}
	c->needs[c->need_count++] = (struct chakra_id){ id, c->job->op_count };
}

/* Dependencies are packed, or one by one. */
static int chakra_read_needs(struct chakra_reader *c, struct wire_field *f)
{
	uint64_t id;

	if (f->type == WIRE_VARINT)
		chakra_add_need(c, f->value);
	while (f->type == WIRE_BYTES && f->bytes.at < f->bytes.end) {
		if (wire_varint(&f->bytes, &id))
			return chakra_error(c, "a list of dependencies is damaged");
		chakra_add_need(c, id);
	}
	return 0;
}

static int chakra_read_node(struct chakra_reader *c, struct wire w, struct chakra_node *n)
{
	enum {
		FIELD_ID = 1,
		FIELD_TYPE = 3,
		FIELD_CTRL = 4,
		FIELD_DATA = 5,
		FIELD_DURATION = 7,
		FIELD_ATTRIBUTE = 10
	};
	struct wire_field f;
	int got;

	*n = (struct chakra_node){ .is_cpu_op = 1 };
	while ((got = wire_next(&w, &f)) > 0) {
		if (f.number == FIELD_ID && f.type == WIRE_VARINT)
			n->id = f.value;
		else if (f.number == FIELD_TYPE && f.type == WIRE_VARINT)
			n->type = f.value;
		else if (f.number == FIELD_DURATION && f.type == WIRE_VARINT)
			n->duration_us = f.value;
		else if ((f.number == FIELD_CTRL || f.number == FIELD_DATA) &&
			 chakra_read_needs(c, &f))
			return -1;
		else if (f.number == FIELD_ATTRIBUTE && f.type == WIRE_BYTES &&
			 chakra_read_attribute(c, f.bytes, n))
			return -1;
	}
	if (got < 0)
		return chakra_error(c, "the node is damaged");
	return 0;
}

/* --- operations --- */

static int chakra_read_message(struct chakra_reader *c, const struct chakra_node *n,
			       struct job_op *op)
{
	uint64_t peer = n->type == CHAKRA_SEND ? n->comm_dst : n->comm_src;

	op->kind = n->type == CHAKRA_SEND ? JOB_SEND : JOB_RECEIVE;
	if (peer >= c->job->rank_count || peer == c->rank)
		return chakra_error(c, "node %" PRIu64 ": %s %" PRIu64 "; another of %u ranks",
				    n->id, n->type == CHAKRA_SEND ? "comm_dst" : "comm_src", peer,
				    c->job->rank_count);
	if (n->comm_size > FLOW_SIZE_MAX_BYTES || n->comm_tag > UINT32_MAX)
		return chakra_error(c,
				    "node %" PRIu64 ": comm_size %" PRIu64 ", comm_tag %" PRIu64
				    "; too large",
				    n->id, n->comm_size, n->comm_tag);
	op->amount = n->comm_size ? n->comm_size : 1;
	op->peer = (uint32_t)peer;
	op->tag = (uint32_t)n->comm_tag;
	return 0;
}

static int chakra_find_comm(struct chakra_reader *c, const struct chakra_node *n)
{
	const struct chakra_params *p = c->b->params;

	if (!n->group[0])
		return 0;
	for (uint32_t i = 0; i < c->group_count; i++)
		if (strcmp(c->groups[i].name, n->group) == 0)
			return c->groups[i].comm;
	return chakra_error(c, "node %" PRIu64 ": pg_name %s; %s", n->id, weir_quote(n->group).text,
			    p->groups[0] ? "it is not in the file of groups"
					 : "give the file of process groups by groups");
}

static int chakra_read_collective(struct chakra_reader *c, const struct chakra_node *n,
				  struct job_op *op)
{
	static const enum collective_kind kinds[] = {
		COLLECTIVE_ALL_REDUCE, COLLECTIVE_KINDS,          COLLECTIVE_ALL_GATHER,
		COLLECTIVE_KINDS,      COLLECTIVE_KINDS,          COLLECTIVE_BROADCAST,
		COLLECTIVE_ALL_TO_ALL, COLLECTIVE_REDUCE_SCATTER, COLLECTIVE_REDUCE_SCATTER,
	};
	const struct chakra_params *p = c->b->params;
	struct collective all = { .bytes = n->comm_size };
	int comm = chakra_find_comm(c, n);
	int64_t kind;

	if (comm < 0)
		return -1;
	if (n->comm_type >= sizeof(kinds) / sizeof(kinds[0]) ||
	    kinds[n->comm_type] == COLLECTIVE_KINDS)
		return chakra_error(c,
				    "node %" PRIu64 ": comm_type %" PRIu64
				    "; allowed are all-reduce (0), all-gather (2), broadcast (5), "
				    "all-to-all (6), reduce-scatter (7, 8)",
				    n->id, n->comm_type);
	if (!job_comm_has(&c->job->comms[comm], c->rank))
		return chakra_error(c, "node %" PRIu64 ": rank %u is not in group %s", n->id,
				    c->rank, weir_quote(n->group).text);
	all.kind = kinds[n->comm_type];
	all.ranks = c->job->comms[comm].size;
	if (all.bytes > FLOW_SIZE_MAX_BYTES / all.ranks)
		return chakra_error(c, "node %" PRIu64 ": comm_size %" PRIu64 "; too large", n->id,
				    n->comm_size);
	if (all.kind == COLLECTIVE_ALL_GATHER)
		all.bytes *= all.ranks;
	/* A group of one rank has nothing to do. */
	op->kind = JOB_COMPUTE;
	op->stream = STREAM_NOTHING;
	if (all.ranks < 2)
		return 0;
	kind = job_add_file_kind(c->job, &p->algorithms, &all, c->b->e);
	if (kind < 0)
		return weir_error_prefix(c->b->e, "%s: record %u: ", c->name, c->record);
	op->kind = JOB_COLLECTIVE;
	op->peer = (uint32_t)kind;
	op->comm = (uint16_t)comm;
	return 0;
}

static int chakra_make_op(struct chakra_reader *c, const struct chakra_node *n, struct job_op *op)
{
	*op = (struct job_op){ .kind = JOB_COMPUTE, .stream = STREAM_NOTHING, .line = c->record };
	if (n->type == CHAKRA_SEND || n->type == CHAKRA_RECEIVE)
		return chakra_read_message(c, n, op);
	if (n->type == CHAKRA_COLLECTIVE)
		return chakra_read_collective(c, n, op);
	if (n->type < CHAKRA_MEM_LOAD || n->type > CHAKRA_COMPUTE)
		return 0;
	if (n->duration_us > DURATION_MAX_US)
		return chakra_error(c,
				    "node %" PRIu64 ": duration_micros %" PRIu64 "; at most "
				    "%" PRIu64,
				    n->id, n->duration_us, DURATION_MAX_US);
	op->amount = n->duration_us * WEIR_NS_PER_US * WEIR_PS_PER_NS;
	op->stream = n->type != CHAKRA_COMPUTE ? STREAM_MEMORY
		     : n->is_cpu_op            ? STREAM_CPU
					       : STREAM_ACCELERATOR;
	return 0;
}

static int chakra_add_node(struct chakra_reader *c, struct wire w)
{
	struct chakra_node n;
	struct job_op op;

	if (chakra_read_node(c, w, &n) || chakra_make_op(c, &n, &op))
		return -1;
	if (c->id_count == c->id_room) {
		c->id_room = c->id_room ? 2 * c->id_room : 64;
		c->ids = memory_grow(c->ids, c->id_room, sizeof(*c->ids));
	}
	c->ids[c->id_count++] = (struct chakra_id){ n.id, c->job->op_count };
	return job_add_op(c->job, &op, c->b->e) < 0 ? -1 : 0;
}

/* --- a rank's file --- */

static int chakra_id_compare(const void *a, const void *b)
{
	const struct chakra_id *x = a, *y = b;

	return (x->id > y->id) - (x->id < y->id);
}

static int chakra_resolve(struct chakra_reader *c)
{
	if (c->id_count)
		qsort(c->ids, c->id_count, sizeof(*c->ids), chakra_id_compare);
	for (uint32_t i = 1; i < c->id_count; i++)
		if (c->ids[i].id == c->ids[i - 1].id)
			return weir_error_set(c->b->e, "%s: two nodes have the id %" PRIu64,
					      c->name, c->ids[i].id);
	for (uint64_t i = 0; i < c->need_count; i++) {
		const struct chakra_id *found =
			c->id_count ? bsearch(&c->needs[i], c->ids, c->id_count, sizeof(*c->ids),
					      chakra_id_compare)
				    : NULL;

		c->record = c->job->ops[c->needs[i].op].line;
		if (!found)
			return chakra_error(c,
					    "depends on node %" PRIu64 ", which is not in the file",
					    c->needs[i].id);
		job_ties_add(&c->ties, (struct job_tie){ found->op, c->needs[i].op, 0 });
	}
	return 0;
}

/* Reads a record behind its length. 1: one was read, 0: the end of the file, -1: message. */
static int chakra_next_record(struct chakra_reader *c, struct wire *w)
{
	uint64_t length = 0;
	int byte = getc(c->f);

	if (byte == EOF)
		return 0;
	c->record++;
	for (unsigned shift = 0; byte != EOF; shift += 7, byte = getc(c->f)) {
		length |= (uint64_t)(byte & 0x7f) << shift;
		if (!(byte & 0x80))
			break;
		if (length > RECORD_MAX || shift > 28)
			break;
	}
	if (byte == EOF || length > RECORD_MAX)
		return chakra_error(c,
				    "no length of a record of at most %d bytes; a trace is of "
				    "protobuf messages behind their lengths, and not compressed",
				    RECORD_MAX);
	if (length > c->room) {
		c->room = length;
		c->bytes = memory_grow(c->bytes, c->room, 1);
	}
	if (length && fread(c->bytes, 1, length, c->f) != length)
		return chakra_error(c, "the file ends inside the record");
	*w = (struct wire){ c->bytes, c->bytes + length };
	return 1;
}

static int chakra_read_file(struct chakra_reader *c)
{
	struct wire w = { NULL, NULL };
	int got;

	got = chakra_next_record(c, &w); /* the metadata */
	if (got == 0)
		return weir_error_set(c->b->e, "%s: the file is empty", c->name);
	while (got > 0 && (got = chakra_next_record(c, &w)) > 0)
		if (chakra_add_node(c, w))
			return -1;
	return got < 0 ? -1 : chakra_resolve(c);
}

static int chakra_read_rank(struct chakra_reader *c)
{
	const struct chakra_params *p = c->b->params;
	const char *why;
	int failed;

	input_name_in_set(p->file, c->rank, c->name);
	c->f = input_open(c->name, &why);
	if (!c->f)
		return weir_error_set(c->b->e, "%s: cannot be read: %s", c->name, why);
	c->record = c->id_count = 0;
	c->need_count = 0;
	job_begin_rank(c->job, c->rank);
	failed = chakra_read_file(c);
	fclose(c->f);
	return failed;
}

/* --- process groups --- */

static int chakra_rank_compare(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

/* The ranks of a group, in ascending order. */
static int chakra_read_members(struct chakra_reader *c, struct weir_json *json,
			       const struct chakra_group *group)
{
	uint32_t count = 0, *members = memory_grow(NULL, c->job->rank_count, sizeof(*members));
	int failed = weir_json_expect(json, '[');

	while (!failed && !(count == 0 && weir_json_accept(json, ']'))) {
		uint64_t rank;

		failed = weir_json_number(json, &rank);
		if (!failed && (rank >= c->job->rank_count || count == c->job->rank_count))
			failed = weir_error_set(c->b->e, "group %s: rank %" PRIu64 "; there are %u",
						group->name, rank, c->job->rank_count);
		if (!failed)
			members[count++] = (uint32_t)rank;
		if (!failed && weir_json_accept(json, ']'))
			break;
		failed = failed || weir_json_expect(json, ',');
	}
	if (!failed && count)
		qsort(members, count, sizeof(*members), chakra_rank_compare);
	for (uint32_t i = 1; !failed && i < count; i++)
		if (members[i] == members[i - 1])
			failed = weir_error_set(c->b->e, "group %s has rank %u twice", group->name,
						members[i]);
	if (!failed && (!count || job_add_comm(c->job, count, 0, members) < 0))
		failed = weir_error_set(c->b->e, "group %s: %s", group->name,
					count ? "there are too many groups" : "it is empty");
	if (failed)
		free(members);
	return failed;
}

static int chakra_read_groups_text(struct chakra_reader *c, const char *text, size_t length)
{
	struct weir_json json = weir_json_begin(text, length, "the file", c->b->e);

	if (weir_json_expect(&json, '{'))
		return -1;
	for (int is_first = 1; !weir_json_accept(&json, '}'); is_first = 0) {
		struct chakra_group *g;

		c->groups = memory_grow(c->groups, c->group_count + UINT64_C(1), sizeof(*g));
		g = &c->groups[c->group_count];
		g->comm = (int)c->job->comm_count;
		if ((!is_first && weir_json_expect(&json, ',')) ||
		    weir_json_string(&json, g->name, sizeof(g->name)) ||
		    weir_json_expect(&json, ':') || chakra_read_members(c, &json, g))
			return -1;
		c->group_count++;
	}
	return weir_json_end(&json);
}

static int chakra_read_groups(struct chakra_reader *c)
{
	const struct chakra_params *p = c->b->params;
	const char *why;
	FILE *f = input_open(p->groups, &why);
	char *text;
	size_t length;
	int failed;

	if (!f)
		return flow_builder_error(c->b, "groups", "%s: cannot be read: %s",
					  weir_quote(p->groups).text, why);
	text = memory_grow(NULL, GROUPS_MAX_BYTES, 1);
	length = fread(text, 1, GROUPS_MAX_BYTES, f);
	fclose(f);
	if (length == GROUPS_MAX_BYTES)
		failed = weir_error_set(c->b->e, "the file is larger than %d bytes",
					GROUPS_MAX_BYTES - 1);
	else
		failed = chakra_read_groups_text(c, text, length);
	free(text);
	if (failed)
		weir_error_prefix(c->b->e, "traffic.%s.groups: %s: ", c->b->t->name, p->groups);
	return failed;
}

/* --- all ranks --- */

/* The collectives of a rank in a communicator, by their number in job.kinds; returns how many. */
static uint32_t chakra_list_collectives(const struct graph_job *j, uint32_t rank, uint32_t comm,
					const struct job_op **list)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < j->ranks[rank].op_count; i++) {
		const struct job_op *o = &j->ops[j->ranks[rank].first_op + i];

		if (o->kind == JOB_COLLECTIVE && o->comm == comm)
			list[count++] = o;
	}
	return count;
}

/* Collectives of a communicator must be the same at all its ranks, in the same order. `lists` has
 * room for all operations of two ranks. */
static int chakra_check_comm(struct chakra_reader *c, uint32_t comm, const struct job_op **lists)
{
	const struct graph_job *j = c->job;
	struct job_comm *group = &j->comms[comm];
	uint32_t lead = job_comm_rank(group, group->members ? group->members[0] : 0, 0);
	uint32_t count = chakra_list_collectives(j, lead, comm, lists);
	const struct job_op **others = lists + count;

	group->count = count;
	for (uint32_t place = 1; place < group->size; place++) {
		uint32_t rank = job_comm_rank(group, lead, place);
		uint32_t other = chakra_list_collectives(j, rank, comm, others);

		if (other != count)
			return weir_error_set(c->b->e,
					      "rank %u has %u collectives of a group of ranks, "
					      "rank %u has %u",
					      lead, count, rank, other);
		for (uint32_t i = 0; i < count; i++)
			if (others[i]->peer != lists[i]->peer)
				return weir_error_set(c->b->e,
						      "rank %u, record %u: its group's collective "
						      "%u is another one at rank %u, record %u",
						      rank, others[i]->line, i, lead,
						      lists[i]->line);
	}
	return 0;
}

static int chakra_check_collectives(struct chakra_reader *c)
{
	const struct job_op **lists = memory_grow(NULL, c->job->op_count, sizeof(*lists));
	int failed = 0;

	for (uint32_t comm = 0; comm < c->job->comm_count && !failed; comm++)
		failed = chakra_check_comm(c, comm, lists);
	free(lists);
	return failed;
}

static uint32_t chakra_count_files(const struct chakra_params *p)
{
	char name[INPUT_NAME_SIZE];
	uint32_t count = 0;

	while (count < UINT32_MAX && input_name_in_set(p->file, count, name) &&
	       access(name, F_OK) == 0)
		count++;
	return count;
}

static int chakra_read(struct chakra_reader *c)
{
	const struct chakra_params *p = c->b->params;
	uint32_t ranks = chakra_count_files(p);

	if (ranks < 2 || ranks > c->b->net->host_count || ranks > COLLECTIVE_RANKS_MAX)
		return weir_error_set(c->b->e,
				      "%s: %u files of ranks, with 1.et and so on behind 0.et; "
				      "from 2 to %u, the hosts",
				      p->file, ranks, c->b->net->host_count);
	c->job = job_new(c->b, &p->job, ranks);
	if (!c->job)
		return -1;
	c->job->waits_for_acks = 1;
	c->job->has_records = 1;
	job_add_comm(c->job, ranks, 1, NULL);
	if (p->groups[0] && chakra_read_groups(c))
		return -1;
	for (c->rank = 0; c->rank < ranks; c->rank++)
		if (chakra_read_rank(c))
			return -1;
	if (!c->job->op_count)
		return weir_error_set(c->b->e, "%s: the files have no node", p->file);
	if (job_finish(c->job, &c->ties, c->b->e))
		return weir_error_prefix(c->b->e, "%s: ", p->file);
	return chakra_check_collectives(c);
}

static int chakra_generate(struct weir_flow_builder *pub, const void *params)
{
	struct flow_builder *b = flow_builder_of(pub, params);
	struct chakra_reader c = { .b = b };
	const struct chakra_params *p = params;
	int failed;

	if (!p->file[0] || !input_name_in_set(p->file, 0, c.name))
		return flow_builder_error(b, "file",
					  "%s; the trace of rank 0, as in file = ./trace.0.et",
					  p->file[0] ? weir_quote(p->file).text : "not given");
	failed = chakra_read(&c);
	job_ties_free(&c.ties);
	free(c.bytes);
	free(c.ids);
	free(c.needs);
	free(c.groups);
	if (failed && strncmp(b->e->text, "traffic.", strlen("traffic.")) != 0)
		weir_error_prefix(b->e, "traffic.%s.file: ", b->t->name);
	return failed ? -1 : 0;
}

const struct weir_traffic_ops traffic_chakra = {
	.scheme = {
		.name = "chakra",
		.help = "execution traces of MLCommons Chakra, a file for each rank, as ASTRA-sim "
			"reads them",
		.params_size = sizeof(struct chakra_params),
		.options = chakra_options,
	},
	.generate = chakra_generate,
	.messages = WEIR_MESSAGES_OF_JOB,
	.unit = WEIR_TRAFFIC_ROUNDS,
};
