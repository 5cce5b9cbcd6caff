//go:build cgo && linux

#include "shim.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// The entry points with their prototypes, which are the same in CUDA 11, 12 and
// 13. Enumerations are int, and streams and handles pointers.
#define CUDART(X)                                                           \
	X(const char *, cudaGetErrorString, (int))                              \
	X(int, cudaGetDeviceCount, (int *))                                     \
	X(int, cudaSetDevice, (int))                                            \
	X(int, cudaGetDeviceProperties, (void *, int))                          \
	X(int, cudaStreamCreate, (void **))                                     \
	X(int, cudaStreamDestroy, (void *))                                     \
	X(int, cudaStreamSynchronize, (void *))                                 \
	X(int, cudaMalloc, (void **, size_t))                                   \
	X(int, cudaFree, (void *))                                              \
	X(int, cudaHostAlloc, (void **, size_t, unsigned))                      \
	X(int, cudaFreeHost, (void *))                                          \
	X(int, cudaMemcpyAsync, (void *, const void *, size_t, int, void *))

#define CUBLAS(X)                                                           \
	X(int, cublasCreate_v2, (void **))                                      \
	X(int, cublasDestroy_v2, (void *))                                      \
	X(int, cublasSetStream_v2, (void *, void *))                            \
	X(int, cublasSgemm_v2, (void *, int, int, int, int, int, const float *, \
	                        const float *, int, const float *, int,         \
	                        const float *, float *, int))

enum { device = 0, host_to_device = 1, device_to_host = 2 };

struct trawl_gpu {
#define FIELD(result, name, arguments) result(*name) arguments;
	CUDART(FIELD)
	CUBLAS(FIELD)
	void *stream[trawl_lanes], *handle[trawl_lanes];
};

// dlsym's result goes into a function pointer by way of its bytes: ISO C has no
// conversion between the two kinds of pointer.
#define LOAD(result, name, arguments)                                       \
	if ((symbol = dlsym(library, #name)) == NULL) {                         \
		snprintf(why, trawl_text, "%s has no %s", path, #name);             \
		return 0;                                                           \
	}                                                                       \
	memcpy(&g->name, &symbol, sizeof symbol);

static int load_cudart(trawl_gpu *g, const char *path, void *library, char *why) {
	void *symbol;
	CUDART(LOAD)
	return 1;
}

static int load_cublas(trawl_gpu *g, const char *path, void *library, char *why) {
	void *symbol;
	CUBLAS(LOAD)
	return 1;
}

// Libraries are never closed: CUDA's keep threads and handlers of their own.
static void *open_library(const char *path, char *why) {
	void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	if (library == NULL)
		snprintf(why, trawl_text, "%s", dlerror());
	return library;
}

trawl_gpu *trawl_load(const char *cudart, char why[trawl_text]) {
	void *library = open_library(cudart, why);
	if (library == NULL)
		return NULL;
	trawl_gpu *g = calloc(1, sizeof *g);
	if (g == NULL) {
		snprintf(why, trawl_text, "no memory");
		return NULL;
	}
	if (!load_cudart(g, cudart, library, why)) {
		free(g);
		return NULL;
	}
	return g;
}

// libcublas needs libcublasLt, which it would not find in a folder that the
// loader does not know. If it cannot be loaded, the error of libcublas says so.
int trawl_load_cublas(trawl_gpu *g, const char *lt, const char *cublas, char why[trawl_text]) {
	if (lt != NULL)
		dlopen(lt, RTLD_NOW | RTLD_GLOBAL);
	void *library = open_library(cublas, why);
	return library != NULL && load_cublas(g, cublas, library, why);
}

// Call an entry point; if it fails, that is the result of this function.
#define CUDA(name, ...)                                                     \
	do {                                                                    \
		int code = g->name(__VA_ARGS__);                                    \
		if (code != 0)                                                      \
			return (trawl_status){#name, code, 0};                          \
	} while (0)
#define BLAS(name, ...)                                                     \
	do {                                                                    \
		int code = g->name(__VA_ARGS__);                                    \
		if (code != 0)                                                      \
			return (trawl_status){#name, 0, code};                          \
	} while (0)

static const trawl_status well = {NULL, 0, 0};

trawl_status trawl_count(trawl_gpu *g, int *devices) {
	CUDA(cudaGetDeviceCount, devices);
	return well;
}

// A handle starts in host pointer mode and in the default math mode, which is
// float32 without TF32.
trawl_status trawl_start(trawl_gpu *g, char name[trawl_text]) {
	// The properties differ between versions, about 1 KB in all of them; the name,
	// 256 bytes, is always first.
	size_t properties[2048] = {0};
	CUDA(cudaSetDevice, device);
	CUDA(cudaGetDeviceProperties, properties, device);
	snprintf(name, trawl_text, "%.255s", (char *)properties);
	for (int lane = 0; lane < trawl_lanes; lane++) {
		CUDA(cudaStreamCreate, &g->stream[lane]);
		BLAS(cublasCreate_v2, &g->handle[lane]);
		BLAS(cublasSetStream_v2, g->handle[lane], g->stream[lane]);
	}
	return well;
}

static trawl_status stop_lane(trawl_gpu *g, int lane) {
	CUDA(cudaSetDevice, device);
	if (g->handle[lane] != NULL)
		BLAS(cublasDestroy_v2, g->handle[lane]);
	if (g->stream[lane] != NULL)
		CUDA(cudaStreamDestroy, g->stream[lane]);
	return well;
}

trawl_status trawl_stop(trawl_gpu *g) {
	trawl_status first = well;
	for (int lane = 0; lane < trawl_lanes; lane++) {
		trawl_status s = stop_lane(g, lane);
		if (first.call == NULL)
			first = s;
	}
	return first;
}

const char *trawl_words(trawl_gpu *g, int cuda) { return g->cudaGetErrorString(cuda); }

trawl_status trawl_alloc(trawl_gpu *g, void **to, size_t bytes) {
	CUDA(cudaSetDevice, device);
	CUDA(cudaMalloc, to, bytes);
	return well;
}

trawl_status trawl_alloc_pinned(trawl_gpu *g, void **to, size_t bytes) {
	CUDA(cudaSetDevice, device);
	CUDA(cudaHostAlloc, to, bytes, 0);
	return well;
}

trawl_status trawl_free(trawl_gpu *g, void *p) {
	CUDA(cudaSetDevice, device);
	CUDA(cudaFree, p);
	return well;
}

trawl_status trawl_free_pinned(trawl_gpu *g, void *p) {
	CUDA(cudaSetDevice, device);
	CUDA(cudaFreeHost, p);
	return well;
}

trawl_status trawl_upload(trawl_gpu *g, int lane, void *to, void *from, size_t bytes) {
	CUDA(cudaSetDevice, device);
	CUDA(cudaMemcpyAsync, to, from, bytes, host_to_device, g->stream[lane]);
	return well;
}

trawl_status trawl_download(trawl_gpu *g, int lane, void *to, void *from, size_t bytes) {
	CUDA(cudaSetDevice, device);
	CUDA(cudaMemcpyAsync, to, from, bytes, device_to_host, g->stream[lane]);
	return well;
}

// cuBLAS is column-major and reads each row-major matrix as its transpose, so it
// is asked for cᵀ = op(b)ᵀ·op(a)ᵀ: the operands change places.
trawl_status trawl_multiply(trawl_gpu *g, int lane, trawl_product p) {
	const float one = 1;
	CUDA(cudaSetDevice, device);
	BLAS(cublasSgemm_v2, g->handle[lane], p.transpose_b, p.transpose_a, p.cols, p.rows, p.inner,
	     &one, p.b, p.transpose_b ? p.inner : p.cols, p.a, p.transpose_a ? p.rows : p.inner,
	     &p.beta, p.c, p.cols);
	return well;
}

trawl_status trawl_wait(trawl_gpu *g, int lane) {
	CUDA(cudaSetDevice, device);
	CUDA(cudaStreamSynchronize, g->stream[lane]);
	return well;
}
