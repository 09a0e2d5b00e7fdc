/* SPDX-License-Identifier: BSD-3-Clause */
/* parcel.c -- see parcel.h. */
#include "lab/campaign/parcel.h"
#include "base/memory.h"
#include <stdlib.h>
#include <string.h>

enum { NUMBER_BYTES = 8 };

void parcel_free(struct parcel *p)
{
	free(p->bytes);
	memset(p, 0, sizeof(*p));
}

void parcel_put_rest(struct parcel *p, const void *bytes, size_t size)
{
	if (p->size + size > p->room) {
		p->room = 2 * (p->size + size);
		p->bytes = memory_grow(p->bytes, p->room, 1);
	}
	if (size)
		memcpy(p->bytes + p->size, bytes, size);
	p->size += size;
}

void parcel_put_number(struct parcel *p, uint64_t number)
{
	unsigned char bytes[NUMBER_BYTES];

	for (int i = 0; i < NUMBER_BYTES; i++)
		bytes[i] = (unsigned char)(number >> (8 * i));
	parcel_put_rest(p, bytes, sizeof(bytes));
}

/* With its zero, so that it can be read where it lies. */
void parcel_put_text(struct parcel *p, const char *text)
{
	parcel_put_rest(p, text, strlen(text) + 1);
}

uint64_t parcel_number(struct parcel_reader *r)
{
	uint64_t number = 0;

	if (r->left < NUMBER_BYTES) {
		r->is_torn = 1;
		return 0;
	}
	for (int i = 0; i < NUMBER_BYTES; i++)
		number |= (uint64_t)r->at[i] << (8 * i);
	r->at += NUMBER_BYTES;
	r->left -= NUMBER_BYTES;
	return number;
}

const char *parcel_text(struct parcel_reader *r)
{
	const char *text = (const char *)r->at;
	const unsigned char *end = r->left ? memchr(r->at, '\0', r->left) : NULL;

	if (!end) {
		r->is_torn = 1;
		return "";
	}
	r->left -= (size_t)(end - r->at) + 1;
	r->at = end + 1;
	return text;
}
