/*
 * A runtime of CUDA, ROCm or Level Zero, as far as the library asks one: it has one device, whose
 * memory is at fake_device.
 */
#include <stddef.h>
#include <stdint.h>

const void *fake_device;

/* The types of memory of a device, and what is returned for memory that is not known. */
enum { DEVICE = 2, UNKNOWN = 1, ATTRIBUTE_MEMORY_TYPE = 2 };

#if defined CUDA
int cuPointerGetAttribute(void *value, int attribute, uintptr_t address);
int cuPointerGetAttribute(void *value, int attribute, uintptr_t address) {
	if (attribute != ATTRIBUTE_MEMORY_TYPE || address != (uintptr_t)fake_device)
		return UNKNOWN;
	*(int *)value = DEVICE;
	return 0;
}
#elif defined ROCM
int hipRuntimeGetVersion(int *version);
int hipPointerGetAttribute(void *value, int attribute, void *address);
int hipRuntimeGetVersion(int *version) { return *version = 50422803, 0; }
int hipPointerGetAttribute(void *value, int attribute, void *address) {
	*(int *)value = address == fake_device; /* before version 6 a device is 1, and a host 0 */
	return attribute != ATTRIBUTE_MEMORY_TYPE;
}
#else
struct properties {
	int structure;
	void *next;
	int type;
};
int zeInit(uint32_t flags);
int zeDriverGet(uint32_t *count, void **drivers);
int zeContextCreate(void *driver, const void *description, void **context);
int zeMemGetAllocProperties(void *context, const void *address, void *properties, void **device);
static int driver, made;
int zeInit(uint32_t flags) { return flags != 0; }
int zeDriverGet(uint32_t *count, void **drivers) { return *drivers = &driver, *count != 1; }
int zeContextCreate(void *from, const void *description, void **context) {
	*context = &made;
	return from != &driver || *(const int *)description != 0xd;
}
int zeMemGetAllocProperties(void *context, const void *address, void *properties, void **device) {
	struct properties *p = properties;
	*device = NULL;
	p->type = address == fake_device ? DEVICE : 0;
	return context != &made || p->structure != 0x17;
}
#endif
