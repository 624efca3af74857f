/* Launches kernels that are compiled into the program, through CUDA's driver alone:
 *
 *   normc compile layer_norm.mlir --target=cuda:sm_90 --emit=header -o norms.h
 *   cc layer_norm.c norms.c -I$CUDA_HOME/include -lcuda -lm -o layer_norm
 *
 * x is bf16 [rows, 1024], weight and bias f32 [1024]. Exits 0 when the statistics of
 * every row are right. */
#include "norms.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 1000, COLS = 1024 };

static void check(CUresult result, const char *what) {
  const char *name = "unknown";
  if (result == CUDA_SUCCESS)
    return;
  cuGetErrorName(result, &name);
  fprintf(stderr, "%s: %s\n", what, name);
  exit(1);
}

/* bf16 is the upper half of an f32; the values here fit, so nothing is rounded. */
static uint16_t bf16_of(float value) {
  uint32_t bits;
  memcpy(&bits, &value, sizeof bits);
  return (uint16_t)(bits >> 16);
}

static void *upload(const void *data, size_t bytes) {
  CUdeviceptr pointer;
  check(cuMemAlloc(&pointer, bytes), "cuMemAlloc");
  if (data)
    check(cuMemcpyHtoD(pointer, data, bytes), "cuMemcpyHtoD");
  return (void *)(uintptr_t)pointer;
}

int main(void) {
  static uint16_t x[ROWS * COLS];
  static float weight[COLS], bias[COLS], mean[ROWS], rstd[ROWS];
  static double values[ROWS * COLS];
  for (int i = 0; i < ROWS * COLS; ++i) {
    values[i] = ((i * 37) % 129 - 64) / 16.0;
    x[i] = bf16_of((float)values[i]);
  }
  for (int col = 0; col < COLS; ++col)
    weight[col] = 1;

  CUdevice device;
  CUcontext context;
  norms_kernels *kernels;
  check(cuInit(0), "cuInit");
  check(cuDeviceGet(&device, 0), "cuDeviceGet");
  check(cuDevicePrimaryCtxRetain(&context, device), "cuDevicePrimaryCtxRetain");
  check(cuCtxSetCurrent(context), "cuCtxSetCurrent");
  check(norms_load(&kernels), "norms_load");

  size_t bytes;
  check(norms_layer_norm_workspace_bytes(kernels, ROWS, &bytes), "workspace");
  void *workspace = bytes ? upload(NULL, bytes) : NULL;
  float *device_mean = upload(NULL, sizeof mean),
        *device_rstd = upload(NULL, sizeof rstd);
  check(norms_layer_norm(kernels, ROWS, upload(x, sizeof x),
                         upload(weight, sizeof weight), upload(bias, sizeof bias),
                         upload(NULL, sizeof x), device_mean, device_rstd, workspace,
                         bytes, NULL),
        "norms_layer_norm");
  check(cuMemcpyDtoH(mean, (CUdeviceptr)(uintptr_t)device_mean, sizeof mean), "mean");
  check(cuMemcpyDtoH(rstd, (CUdeviceptr)(uintptr_t)device_rstd, sizeof rstd), "rstd");
  norms_unload(kernels);

  double worst = 0;
  for (int row = 0; row < ROWS; ++row) {
    const double *v = values + row * COLS;
    double sum = 0, squares = 0;
    for (int col = 0; col < COLS; ++col)
      sum += v[col];
    for (int col = 0; col < COLS; ++col)
      squares += (v[col] - sum / COLS) * (v[col] - sum / COLS);
    worst = fmax(worst, fabs(mean[row] - sum / COLS));
    worst = fmax(worst, fabs(rstd[row] * sqrt(squares / COLS + 1e-5) - 1));
  }
  printf("largest error of mean and rstd: %.1e\n", worst);
  return worst < 1e-5 ? 0 : 1;
}
