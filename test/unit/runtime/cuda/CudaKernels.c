// The kernels of TestKernels.c for a GPU. A workgroup is one thread; arguments are
// 64-bit values, one parameter each.
#include <stdint.h>

#define KERNEL __attribute__((nvptx_kernel))

static int64_t workgroupId(void) { return __nvvm_read_ptx_sreg_ctaid_x(); }

KERNEL void scale_rows(const float *x, float *y, int64_t rows, int64_t cols,
                       int64_t strideX, int64_t strideY, int64_t tile, int64_t factor) {
  const int64_t begin = workgroupId() * tile;
  const int64_t end = begin + tile < rows ? begin + tile : rows;
  for (int64_t r = begin; r < end; ++r)
    for (int64_t c = 0; c < cols; ++c)
      y[r * strideY + c] = (float)factor * x[r * strideX + c];
}

KERNEL void sum_partials(const float *x, float *partials, int64_t rows, int64_t cols,
                         int64_t stride, int64_t tile) {
  const int64_t begin = workgroupId() * tile;
  const int64_t end = begin + tile < rows ? begin + tile : rows;
  for (int64_t c = 0; c < cols; ++c) {
    float sum = 0;
    for (int64_t r = begin; r < end; ++r)
      sum += x[r * stride + c];
    partials[workgroupId() * cols + c] = sum;
  }
}

KERNEL void sum_finalize(const float *partials, float *out, int64_t count,
                         int64_t cols) {
  for (int64_t c = 0; c < cols; ++c) {
    float sum = 0;
    for (int64_t p = 0; p < count; ++p)
      sum += partials[p * cols + c];
    out[c] = sum;
  }
}

KERNEL void count_workgroups(int64_t *counts) {
  __atomic_fetch_add(counts + workgroupId(), 1, __ATOMIC_RELAXED);
}

KERNEL void record_args(double *out, int64_t count, int64_t a, int64_t b, int64_t c,
                        int64_t d) {
  const int64_t values[] = {a, b, c, d};
  for (int64_t i = 0; i < count && i < 4; ++i)
    out[i] = (double)values[i];
}

/// Never launched: threads of a host meet, workgroups of a GPU need not.
KERNEL void meet(int64_t *met, int64_t workgroups) {}
