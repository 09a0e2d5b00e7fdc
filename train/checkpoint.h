/* SPDX-License-Identifier: BSD-3-Clause */
/* checkpoint.h -- a training in a file, to go on from: blocks of memory as they are, whose training
 * it is, and a sum by which damage is known. For the same version of the program on the same kind
 * of machine. */
#ifndef TRAIN_CHECKPOINT_H
#define TRAIN_CHECKPOINT_H
#include "weir/error.h"
#include <stddef.h>
#include <stdint.h>

enum { CHECKPOINT_BLOCKS = 4 };

struct checkpoint_block {
	const void *bytes;
	size_t size;
};

/* What was read: blocks lie in memory, which begins at a multiple of 8. */
struct checkpoint {
	char *memory;
	struct checkpoint_block blocks[CHECKPOINT_BLOCKS];
};

/* Appears whole or not at all. identity is one line. */
int checkpoint_write(const char *file, const char *identity,
		     const struct checkpoint_block blocks[CHECKPOINT_BLOCKS], struct weir_error *e);

/* 1: there is no such file. -1: it is damaged, another version's or another training's, or cannot
 * be read; nothing is left to free on both. */
int checkpoint_read(struct checkpoint *c, const char *file, const char *identity,
		    struct weir_error *e);
void checkpoint_free(struct checkpoint *c);
#endif
