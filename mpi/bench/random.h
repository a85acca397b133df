/*
 * Random numbers that are a function of what names them, so that all ranks have the same ones, and
 * one rank those of any other.
 */
#ifndef JITTERFLY_RANDOM_H
#define JITTERFLY_RANDOM_H

#include <stdint.h>

/* mix is the finaliser of SplitMix64 (Steele, Lea and Flood, OOPSLA 2014, fig. 15). */
static inline uint64_t mix(uint64_t z) {
	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
	z = (z ^ z >> 27) * 0x94d049bb133111eb;
	return z ^ z >> 31;
}

/* word returns 64 random bits of that name. */
static inline uint64_t word(uint64_t seed, uint64_t a, uint64_t b) {
	return mix(mix(mix(seed + 0x9e3779b97f4a7c15) ^ a) + 0x9e3779b97f4a7c15 * (b + 1));
}

/* uniform returns a number from [0, 1) of that name. */
static inline double uniform(uint64_t seed, uint64_t a, uint64_t b) {
	return (double)(word(seed, a, b) >> 11) * 0x1p-53;
}

#endif
