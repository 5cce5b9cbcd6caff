// What the backend asks of libcudart and libcublas. Only shim.c knows their
// prototypes. Every function that touches the device first makes it current, as
// the Go scheduler may bring each call on another thread.

#include <stddef.h>

enum { trawl_lanes = 2, trawl_text = 512 };

// The loaded libraries, and a stream and a cuBLAS handle for each lane.
typedef struct trawl_gpu trawl_gpu;

// How a call went. call is NULL if all is well; otherwise it names the entry
// point that failed, and one of the two codes is not zero.
typedef struct {
	const char *call;
	int cuda, cublas;
} trawl_status;

// Row-major c = op(a)·op(b) + beta·c on packed matrices of the device. op(a) is
// rows×inner, op(b) inner×cols; transpose_a says that a itself is inner×rows.
typedef struct {
	void *c, *a, *b;
	int rows, cols, inner;
	int transpose_a, transpose_b;
	float beta;
} trawl_product;

// Load the runtime, then cuBLAS (lt may be NULL: the loader finds it). They fail
// with NULL, or 0, and the reason in why. free gives g back; the libraries stay.
trawl_gpu *trawl_load(const char *cudart, char why[trawl_text]);
int trawl_load_cublas(trawl_gpu *g, const char *lt, const char *cublas, char why[trawl_text]);

trawl_status trawl_count(trawl_gpu *g, int *devices);
// Readies device 0 and writes its name.
trawl_status trawl_start(trawl_gpu *g, char name[trawl_text]);
// Gives back what trawl_start took, as far as it got.
trawl_status trawl_stop(trawl_gpu *g);
// CUDA's words for one of its codes.
const char *trawl_words(trawl_gpu *g, int cuda);

trawl_status trawl_alloc(trawl_gpu *g, void **device, size_t bytes);
trawl_status trawl_alloc_pinned(trawl_gpu *g, void **host, size_t bytes);
trawl_status trawl_free(trawl_gpu *g, void *device);
trawl_status trawl_free_pinned(trawl_gpu *g, void *host);

// These three are queued in a lane and return before they are done.
trawl_status trawl_upload(trawl_gpu *g, int lane, void *device, void *host, size_t bytes);
trawl_status trawl_download(trawl_gpu *g, int lane, void *host, void *device, size_t bytes);
trawl_status trawl_multiply(trawl_gpu *g, int lane, trawl_product p);
// Returns when what is queued in a lane is done.
trawl_status trawl_wait(trawl_gpu *g, int lane);
