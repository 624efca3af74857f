// Kernels for the runtime's tests, as a package's host blob has them. Built as a shared
// object without a C library, so that any test process can load it.
#include <stdatomic.h>
#include <stdint.h>

/// y[r, c] = factor * x[r, c] for the rows of one workgroup.
/// args: x, y, rows, cols, stride of x, stride of y, rows per workgroup, factor.
void scale_rows(const int64_t *args, int64_t workgroup) {
  const float *x = (const float *)args[0];
  float *y = (float *)args[1];
  const int64_t rows = args[2], cols = args[3], tile = args[6];
  const int64_t begin = workgroup * tile;
  const int64_t end = begin + tile < rows ? begin + tile : rows;
  for (int64_t r = begin; r < end; ++r)
    for (int64_t c = 0; c < cols; ++c)
      y[r * args[5] + c] = (float)args[7] * x[r * args[4] + c];
}

/// partials[w, c] = sum of x[r, c] over the rows of workgroup w.
/// args: x, partials, rows, cols, stride of x, rows per workgroup.
void sum_partials(const int64_t *args, int64_t workgroup) {
  const float *x = (const float *)args[0];
  float *partials = (float *)args[1];
  const int64_t rows = args[2], cols = args[3], tile = args[5];
  const int64_t begin = workgroup * tile;
  const int64_t end = begin + tile < rows ? begin + tile : rows;
  for (int64_t c = 0; c < cols; ++c) {
    float sum = 0;
    for (int64_t r = begin; r < end; ++r)
      sum += x[r * args[4] + c];
    partials[workgroup * cols + c] = sum;
  }
}

/// out[c] = sum of partials[p, c] over p. args: partials, out, count of p, cols.
void sum_finalize(const int64_t *args, int64_t workgroup) {
  const float *partials = (const float *)args[0];
  float *out = (float *)args[1];
  for (int64_t c = 0; c < args[3]; ++c) {
    float sum = 0;
    for (int64_t p = 0; p < args[2]; ++p)
      sum += partials[p * args[3] + c];
    out[c] = sum;
  }
}

/// counts[w] += 1. args: counts (f64 storage used as integers).
void count_workgroups(const int64_t *args, int64_t workgroup) {
  atomic_fetch_add((_Atomic int64_t *)args[0] + workgroup, 1);
}

/// Waits until all workgroups of the launch are running, so on threads of their own,
/// then met[1 + w] = 1; gives up after a while. args: met (met[0] counts), workgroups.
void meet(const int64_t *args, int64_t workgroup) {
  _Atomic int64_t *met = (_Atomic int64_t *)args[0];
  atomic_fetch_add(met, 1);
  for (int64_t spins = 0; spins < 20000000000; ++spins)
    if (atomic_load(met) == args[1]) {
      atomic_store(met + 1 + workgroup, 1);
      return;
    }
}

/// out[i] = args[1 + i] for the arguments after the first, as f64.
/// args: out, count, values...
void record_args(const int64_t *args, int64_t workgroup) {
  double *out = (double *)args[0];
  for (int64_t i = 0; i < args[1]; ++i)
    out[i] = (double)args[2 + i];
}
