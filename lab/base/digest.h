/* digest.h -- the digest of a file (sim/base/digest.h): where a setting names a file, what is in it belongs
 * to the identity of a run. */
#ifndef LAB_BASE_DIGEST_H
#define LAB_BASE_DIGEST_H
#include "sim/base/digest.h"
#include "weir/error.h"

int file_digest(const char *file, struct digest *d, struct weir_error *e);
#endif
