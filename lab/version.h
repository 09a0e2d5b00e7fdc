/* version.h -- which Weir this is. The build may define another. */
#ifndef LAB_VERSION_H
#define LAB_VERSION_H

#ifndef WEIR_VERSION
#define WEIR_VERSION "0.1.0"
#endif

#endif
