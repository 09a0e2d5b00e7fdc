/* digest.h -- the content of a file in 16 hexadecimal digits: where a setting names a file, what is in
 * it belongs to the identity of a run. Not for secrets: a hash of 64 bits. */
#ifndef LAB_BASE_DIGEST_H
#define LAB_BASE_DIGEST_H
#include "weir/error.h"

struct digest {
	char text[17];
};

int file_digest(const char *file, struct digest *d, struct weir_error *e);
#endif
