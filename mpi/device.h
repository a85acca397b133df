/*
 * Memory of graphics processors, which the library cannot read.
 */
#ifndef JITTERFLY_DEVICE_H
#define JITTERFLY_DEVICE_H

#include <stdbool.h>

/* device_owns returns whether a runtime of CUDA, ROCm or Level Zero that is in the process says
 * that one of two addresses is of memory of a device, or of memory that moves there. */
bool device_owns(const void *from, const void *to);

#endif
