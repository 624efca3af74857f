/* Launches the entry `layer_norm` of a compiled examples/layer_norm.mlir from C:
 *
 *   normc compile layer_norm.mlir --target=host -o layer_norm.nrmk
 *   layer_norm layer_norm.nrmk
 *
 * x is bf16 [rows, 1024], weight and bias f32 [1024]; y is bf16, mean and rstd are f32
 * [rows]. Exits 0 when the statistics of every row are right. */
#include <normrt.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 8, COLS = 1024, PARAMS = 6 };

static void check(normrt_status status, const char *what) {
  if (status == NORMRT_STATUS_OK)
    return;
  fprintf(stderr, "%s: %s: %s\n", what, normrt_status_name(status),
          normrt_last_error_message());
  exit(1);
}

/* bf16 is the upper half of an f32; the values here fit, so nothing is rounded. */
static uint16_t bf16_of(float value) {
  uint32_t bits;
  memcpy(&bits, &value, sizeof bits);
  return (uint16_t)(bits >> 16);
}

static float float_of(uint16_t value) {
  const uint32_t bits = (uint32_t)value << 16;
  float result;
  memcpy(&result, &bits, sizeof result);
  return result;
}

static DLTensor tensor_of(void *data, DLDataTypeCode code, uint8_t bits, int64_t *shape,
                          int rank) {
  DLTensor tensor = {0};
  tensor.data = data;
  tensor.device.device_type = kDLCPU;
  tensor.ndim = rank;
  tensor.dtype.code = (uint8_t)code;
  tensor.dtype.bits = bits;
  tensor.dtype.lanes = 1;
  tensor.shape = shape; /* strides stay null: compact and row major */
  return tensor;
}

/* The largest distance of mean and rstd from their definition, over all rows. */
static double worst_statistic(const uint16_t *x, const float *mean, const float *rstd) {
  double worst = 0;
  for (int row = 0; row < ROWS; ++row) {
    double sum = 0, squares = 0;
    for (int col = 0; col < COLS; ++col)
      sum += float_of(x[row * COLS + col]);
    for (int col = 0; col < COLS; ++col)
      squares += pow(float_of(x[row * COLS + col]) - sum / COLS, 2);
    worst = fmax(worst, fabs(mean[row] - sum / COLS));
    worst = fmax(worst, fabs(rstd[row] * sqrt(squares / COLS + 1e-5) - 1));
  }
  return worst;
}

int main(int argc, char **argv) {
  if (argc != 2) {
    fprintf(stderr, "usage: %s layer_norm.nrmk\n", argv[0]);
    return 2;
  }
  static uint16_t x[ROWS * COLS], y[ROWS * COLS];
  static float weight[COLS], bias[COLS], mean[ROWS], rstd[ROWS];
  for (int i = 0; i < ROWS * COLS; ++i)
    x[i] = bf16_of((float)((i * 37) % 129 - 64) / 16);
  for (int col = 0; col < COLS; ++col) {
    weight[col] = 1;
    bias[col] = 0;
  }

  normrt_device *device = NULL;
  normrt_package *package = NULL;
  normrt_entry *entry = NULL;
  check(normrt_device_open("host", &device), "device");
  check(normrt_package_load_file(device, argv[1], &package), "package");
  check(normrt_package_find_entry(package, "layer_norm", &entry), "entry");

  int64_t matrix[] = {ROWS, COLS}, cols[] = {COLS}, rows[] = {ROWS};
  DLTensor values[PARAMS] = {
      tensor_of(x, kDLBfloat, 16, matrix, 2), tensor_of(weight, kDLFloat, 32, cols, 1),
      tensor_of(bias, kDLFloat, 32, cols, 1), tensor_of(y, kDLBfloat, 16, matrix, 2),
      tensor_of(mean, kDLFloat, 32, rows, 1), tensor_of(rstd, kDLFloat, 32, rows, 1)};
  const DLTensor *tensors[PARAMS];
  for (int i = 0; i < PARAMS; ++i)
    tensors[i] = &values[i];
  check(normrt_entry_launch(entry, tensors, PARAMS, NULL), "launch");

  printf("%s\n", normrt_device_description(device));
  printf("row 0: mean %.6f, rstd %.6f, y %.4f %.4f %.4f ...\n", mean[0], rstd[0],
         float_of(y[0]), float_of(y[1]), float_of(y[2]));
  const double worst = worst_statistic(x, mean, rstd);
  printf("largest error of mean and rstd: %.2g\n", worst);
  normrt_package_release(package);
  normrt_device_release(device);
  /* An f32 sum of 1024 values of at most 4: pairwise, some units of 4 * 2^-24. */
  return worst <= 1e-5 ? 0 : 1;
}
