#include "device.h"

#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

/* Functions of the runtimes, as their headers declare them, or NULL where they are not in the
 * process: cuda.h, hip_runtime_api.h and ze_api.h. Handles are pointers, enumerations int. */
static int (*_Atomic cuda_attribute)(void *value, int attribute, const void *address);
static int (*_Atomic hip_attribute)(void *value, int attribute, const void *address);
static int (*_Atomic ze_properties)(void *context, const void *address, void *properties,
                                    void **device);

enum {
	MEMORY_TYPE = 2, /* the attribute, of CUDA and of ROCm */
	CUDA_HOST = 1,   /* CU_MEMORYTYPE_HOST */
	HIP_6 = 60000000 /* the version from which unregistered memory has a type too */
};
static int hip_host;     /* the largest type that is of the host */
static void *ze_context; /* of the library's own: it knows the memory of all */

struct ze_context {
	int type; /* of the structure */
	void *next;
	uint32_t flags;
};
struct ze_memory {
	int type; /* of the structure */
	void *next;
	int memory; /* ZE_MEMORY_TYPE_UNKNOWN, HOST, DEVICE or SHARED */
	uint64_t id, page;
};
enum { ZE_CONTEXT_DESC = 0xd, ZE_MEMORY_PROPERTIES = 0x17, ZE_HOST = 1 };

/* runtime returns a handle to look up functions of the first of some libraries that is in the
 * process, whoever has loaded it, or of the program. */
static void *runtime(const char *const *names) {
	void *handle = NULL;
	for (; *names && !handle; names++)
		handle = dlopen(*names, RTLD_LAZY | RTLD_NOLOAD);
	return handle ? handle : RTLD_DEFAULT;
}

static void find_hip(void) {
	static const char *const names[] = {"libamdhip64.so.7", "libamdhip64.so.6", "libamdhip64.so.5",
	                                    "libamdhip64.so", NULL};
	void *handle = runtime(names), *found = dlsym(handle, "hipPointerGetAttribute");
	int (*version_of)(int *) = (int (*)(int *))dlsym(handle, "hipRuntimeGetVersion");
	int version = HIP_6;
	if (!found)
		return;
	if (version_of)
		version_of(&version);
	hip_host = version >= HIP_6 ? 1 : 0;
	hip_attribute = (int (*)(void *, int, const void *))found;
}

static void find_ze(void) {
	static const char *const names[] = {"libze_loader.so.1", NULL};
	void *handle = runtime(names), *driver = NULL,
	     *found = dlsym(handle, "zeMemGetAllocProperties");
	int (*init)(uint32_t) = (int (*)(uint32_t))dlsym(handle, "zeInit");
	int (*drivers)(uint32_t *, void **) =
	    (int (*)(uint32_t *, void **))dlsym(handle, "zeDriverGet");
	int (*create)(void *, const struct ze_context *, void **) =
	    (int (*)(void *, const struct ze_context *, void **))dlsym(handle, "zeContextCreate");
	uint32_t one = 1;
	if (found && init && drivers && create && init(0) == 0 && drivers(&one, &driver) == 0 &&
	    driver && create(driver, &(struct ze_context){.type = ZE_CONTEXT_DESC}, &ze_context) == 0)
		ze_properties = (int (*)(void *, const void *, void *, void **))found;
}

/* find looks for runtimes that are not found yet. */
static void find(void) {
	static const char *const names[] = {"libcuda.so.1", NULL};
	if (!cuda_attribute)
		cuda_attribute =
		    (int (*)(void *, int, const void *))dlsym(runtime(names), "cuPointerGetAttribute");
	if (!hip_attribute)
		find_hip();
	if (!ze_properties)
		find_ze();
}

/* loads returns how many libraries have been loaded until now. */
static int loads(struct dl_phdr_info *info, size_t size, void *count) {
	(void)size;
	*(unsigned long long *)count = info->dlpi_adds;
	return 1; /* the first library says it of all */
}

/* look finds runtimes that have been loaded since the last time. */
static void look(void) {
	static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
	static atomic_ullong seen;
	unsigned long long now = 0;
	dl_iterate_phdr(loads, &now);
	if (atomic_load(&seen) == now)
		return;
	pthread_mutex_lock(&mutex);
	if (atomic_load(&seen) != now)
		find();
	atomic_store(&seen, now);
	pthread_mutex_unlock(&mutex);
}

static bool owns(const void *address) {
	int type = 0;
	if (cuda_attribute && cuda_attribute(&type, MEMORY_TYPE, address) == 0 && type != CUDA_HOST)
		return true;
	if (hip_attribute && hip_attribute(&type, MEMORY_TYPE, address) == 0 && type > hip_host)
		return true;
	void *device = NULL;
	struct ze_memory memory = {.type = ZE_MEMORY_PROPERTIES};
	return ze_properties && ze_properties(ze_context, address, &memory, &device) == 0 &&
	       memory.memory > ZE_HOST;
}

bool device_owns(const void *from, const void *to) {
	look();
	return owns(from) || (to != from && owns(to));
}
