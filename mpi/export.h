#ifndef JITTERFLY_EXPORT_H
#define JITTERFLY_EXPORT_H

/* EXPORT makes a function visible to programs, as others of the library are not. */
#define EXPORT __attribute__((visibility("default")))

#endif
