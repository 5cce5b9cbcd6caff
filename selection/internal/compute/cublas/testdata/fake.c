// A libcudart and a libcublas in one, of plain C on the memory of the host, with
// the entry points that the backend uses. It is as strict as a device may be:
//
//   - what is queued in a stream is done when that stream is waited for, not sooner;
//   - new memory is full of NaN;
//   - only pinned memory travels, and operands must lie in living arrays whole;
//   - a thread has no device until it sets one, and loses it after each call but
//     those that start and stop, as if the next came on another thread.
//
// FAKE_LOG names a file that gets a line for each event: "+ kind" and "- kind" for
// what is taken and given back, "upload BYTES", "download BYTES", "sgemm", and
// "misuse: WHAT". FAKE_FAULT=NAME:N:CODE lets the N-th call of NAME and all later
// ones fail; after code 700 all calls fail, as on a device with a broken context.
// FAKE_DEVICES is their number, 1 if not set.

#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { invalid_value = 1, invalid_device = 101, illegal_address = 700, blas_internal = 14 };

static void record(const char *format, ...) {
	const char *path = getenv("FAKE_LOG");
	int file = path == NULL ? -1 : open(path, O_WRONLY | O_CREAT | O_APPEND, 0644);
	if (file < 0)
		return;
	char line[256];
	va_list arguments;
	va_start(arguments, format);
	int n = vsnprintf(line, sizeof line - 1, format, arguments);
	va_end(arguments);
	line[n++] = '\n';
	if (write(file, line, n) != n)
		abort();
	close(file);
}

static __thread int current = -1;
static int broken, seen;

// Returns the code that FAKE_FAULT has for this call, or 0.
static int planned(const char *name) {
	const char *plan = getenv("FAKE_FAULT");
	char faulty[64];
	int nth, code;
	if (plan == NULL || sscanf(plan, "%63[^:]:%d:%d", faulty, &nth, &code) != 3)
		return 0;
	if (strcmp(faulty, name) != 0 || ++seen < nth)
		return 0;
	broken |= code == illegal_address;
	return code;
}

static int forget(int code) {
	current = -1;
	return code;
}

static int misuse(const char *name, const char *what) {
	record("misuse: %s: %s", name, what);
	return invalid_value;
}

#define ENTER_CUDA                                             \
	do {                                                       \
		int code = broken ? illegal_address : planned(__func__); \
		if (code != 0)                                         \
			return code;                                       \
		if (current != 0)                                      \
			return misuse(__func__, "no device is set");       \
	} while (0)
#define ENTER_BLAS                                             \
	do {                                                       \
		int code = broken ? blas_internal : planned(__func__); \
		if (code != 0)                                         \
			return code;                                       \
		if (current != 0)                                      \
			return misuse(__func__, "no device is set");       \
	} while (0)

// Memory.

struct array {
	char *at;
	size_t bytes;
	const char *kind;
};

static struct array arrays[4096]; // at is NULL in a free place

static int take(void **to, size_t bytes, const char *kind) {
	for (int i = 0; i < 4096; i++) {
		if (arrays[i].at != NULL)
			continue;
		arrays[i] = (struct array){malloc(bytes), bytes, kind};
		memset(arrays[i].at, 0xff, bytes); // a NaN, whether it is read as float or double
		*to = arrays[i].at;
		record("+ %s %zu", kind, bytes);
		return 0;
	}
	return 2;
}

static int give(void *at, const char *kind) {
	for (int i = 0; i < 4096; i++) {
		if (at == NULL || arrays[i].at != at || strcmp(arrays[i].kind, kind) != 0)
			continue;
		free(at);
		arrays[i].at = NULL;
		record("- %s", kind);
		return 0;
	}
	return misuse(kind, "given back, but not taken");
}

static int lies_in(const void *at, size_t bytes, const char *kind) {
	for (int i = 0; i < 4096; i++) {
		const struct array *a = &arrays[i];
		if (a->at != NULL && strcmp(a->kind, kind) == 0 && (const char *)at >= a->at &&
		    (const char *)at + bytes <= a->at + a->bytes)
			return 1;
	}
	return 0;
}

// Streams.

struct operation {
	void *to;
	const void *from;
	size_t bytes; // of a copy; 0 for a product
	const char *to_kind, *from_kind;
	int ta, tb, m, n, k, lda, ldb, ldc;
	float alpha, beta;
	const float *a, *b;
};

struct stream {
	int count;
	struct operation queue[64];
};

struct handle {
	struct stream *stream;
};

static int enqueue(struct stream *s, struct operation o) {
	if (s->count == 64)
		return misuse("stream", "full");
	s->queue[s->count++] = o;
	return 0;
}

static int copy(const struct operation *o) {
	if (!lies_in(o->to, o->bytes, o->to_kind) || !lies_in(o->from, o->bytes, o->from_kind))
		return misuse("copy", "outside of the arrays");
	memcpy(o->to, o->from, o->bytes);
	return 0;
}

// Column-major c = alpha·op(a)·op(b) + beta·c. c is not read if beta is 0.
static int multiply(const struct operation *o) {
	size_t a = (size_t)o->lda * ((o->ta ? o->m : o->k) - 1) + (o->ta ? o->k : o->m);
	size_t b = (size_t)o->ldb * ((o->tb ? o->k : o->n) - 1) + (o->tb ? o->n : o->k);
	size_t c = (size_t)o->ldc * (o->n - 1) + o->m;
	if (!lies_in(o->a, 4 * a, "device") || !lies_in(o->b, 4 * b, "device") || !lies_in(o->to, 4 * c, "device"))
		return misuse("sgemm", "outside of the arrays");
	for (int j = 0; j < o->n; j++) {
		for (int i = 0; i < o->m; i++) {
			float sum = 0, *to = (float *)o->to + i + (size_t)j * o->ldc;
			for (int l = 0; l < o->k; l++)
				sum += o->a[o->ta ? l + (size_t)i * o->lda : i + (size_t)l * o->lda] *
				       o->b[o->tb ? j + (size_t)l * o->ldb : l + (size_t)j * o->ldb];
			*to = o->alpha * sum + (o->beta == 0 ? 0 : o->beta * *to);
		}
	}
	return 0;
}

// libcudart.

const char *cudaGetErrorString(int code) {
	switch (code) {
	case 1: return "invalid argument";
	case 2: return "out of memory";
	case 35: return "CUDA driver version is insufficient for CUDA runtime version";
	case 100: return "no CUDA-capable device is detected";
	case 700: return "an illegal memory access was encountered";
	}
	return "unrecognized error code";
}

int cudaGetDeviceCount(int *count) {
#ifdef DRIVER_TOO_OLD
	return 35;
#endif
	const char *devices = getenv("FAKE_DEVICES");
	*count = devices == NULL ? 1 : atoi(devices);
	return planned(__func__);
}

int cudaSetDevice(int device) {
	if (broken)
		return illegal_address;
	current = device;
	return device == 0 ? 0 : invalid_device;
}

// The real structure is about 1 KB and grows; all of it is written.
int cudaGetDeviceProperties(void *properties, int device) {
	ENTER_CUDA;
	memset(properties, 0xff, 2048);
	strcpy(properties, "Fake H200");
	return device;
}

int cudaStreamCreate(void **stream) {
	ENTER_CUDA;
	*stream = calloc(1, sizeof(struct stream));
	record("+ stream");
	return 0;
}

int cudaStreamDestroy(void *stream) {
	ENTER_CUDA;
	if (((struct stream *)stream)->count != 0)
		misuse(__func__, "work is queued");
	free(stream);
	record("- stream");
	return 0;
}

int cudaStreamSynchronize(void *stream) {
	ENTER_CUDA;
	struct stream *s = stream;
	int code = 0;
	for (int i = 0; i < s->count && code == 0; i++)
		code = s->queue[i].bytes > 0 ? copy(&s->queue[i]) : multiply(&s->queue[i]);
	s->count = 0;
	return forget(code);
}

int cudaMalloc(void **to, size_t bytes) {
	ENTER_CUDA;
	return forget(take(to, bytes, "device"));
}

int cudaFree(void *at) {
	ENTER_CUDA;
	return forget(give(at, "device"));
}

int cudaHostAlloc(void **to, size_t bytes, unsigned flags) {
	ENTER_CUDA;
	return forget(flags != 0 ? invalid_value : take(to, bytes, "pinned"));
}

int cudaFreeHost(void *at) {
	ENTER_CUDA;
	return forget(give(at, "pinned"));
}

int cudaMemcpyAsync(void *to, const void *from, size_t bytes, int direction, void *stream) {
	ENTER_CUDA;
	struct operation o = {.to = to, .from = from, .bytes = bytes};
	o.to_kind = direction == 1 ? "device" : "pinned";
	o.from_kind = direction == 1 ? "pinned" : "device";
	if (direction < 1 || direction > 2 || bytes == 0)
		return misuse(__func__, "direction or size");
	record("%s %zu", direction == 1 ? "upload" : "download", bytes);
	return forget(enqueue(stream, o));
}

// libcublas.

int cublasCreate_v2(void **handle) {
	ENTER_BLAS;
	*handle = calloc(1, sizeof(struct handle));
	record("+ handle");
	return 0;
}

int cublasDestroy_v2(void *handle) {
	ENTER_BLAS;
	free(handle);
	record("- handle");
	return 0;
}

int cublasSetStream_v2(void *handle, void *stream) {
	ENTER_BLAS;
	((struct handle *)handle)->stream = stream;
	return 0;
}

#ifndef WITHOUT_SGEMM
int cublasSgemm_v2(void *handle, int ta, int tb, int m, int n, int k, const float *alpha, const float *a, int lda,
                   const float *b, int ldb, const float *beta, float *c, int ldc) {
	ENTER_BLAS;
	if (m < 1 || n < 1 || k < 1 || lda < (ta ? k : m) || ldb < (tb ? n : k) || ldc < m)
		return 7;
	record("sgemm");
	struct operation o = {.to = c, .a = a, .b = b, .ta = ta, .tb = tb, .m = m, .n = n, .k = k,
	                      .lda = lda, .ldb = ldb, .ldc = ldc, .alpha = *alpha, .beta = *beta};
	return forget(enqueue(((struct handle *)handle)->stream, o));
}
#endif
