/* SPDX-License-Identifier: BSD-3-Clause */
/* parcel.h -- numbers and texts as bytes, for another process: written here, read there, on any
 * machine. What is read is not trusted: a parcel that is torn gives zeros and empty texts, and says
 * so in the end. */
#ifndef LAB_CAMPAIGN_PARCEL_H
#define LAB_CAMPAIGN_PARCEL_H
#include <stddef.h>
#include <stdint.h>

/* Zeroed it is empty. */
struct parcel {
	unsigned char *bytes;
	size_t size, room;
};

void parcel_free(struct parcel *p);
void parcel_put_number(struct parcel *p, uint64_t number);
void parcel_put_text(struct parcel *p, const char *text);
/* All the rest, whatever it is. */
void parcel_put_rest(struct parcel *p, const void *bytes, size_t size);

struct parcel_reader {
	const unsigned char *at;
	size_t left;
	int is_torn;
};

uint64_t parcel_number(struct parcel_reader *r);
const char *parcel_text(struct parcel_reader *r); /* in the parcel itself */
#endif
