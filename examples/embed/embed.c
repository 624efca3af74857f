/* Compiles a norm and launches it, in one process. */
#include <normc-c/normc.h>
#include <normrt.h>
#include <stdio.h>

static int compiled(normc_error *error) {
  if (error)
    fprintf(stderr, "%s\n", normc_error_get_message(error));
  normc_error_release(error);
  return !error;
}

int main(void) {
  normc_norm_descriptor norm = {sizeof norm, NORMC_OP_RMS_NORM};
  norm.x = norm.y = NORMC_TYPE_F32;
  const char *targets[] = {"host"};
  normc_compiler *compiler = NULL;
  normc_package *package = NULL;
  normrt_device *device = NULL;
  normrt_package *loaded = NULL;
  normrt_entry *entry = NULL;
  float x[] = {3, 4}, y[2] = {0};
  int64_t shape[] = {1, 2};
  DLTensor in = {x, {kDLCPU, 0}, 2, {kDLFloat, 32, 1}, shape, NULL, 0}, out = in;
  out.data = y;
  const DLTensor *tensors[] = {&in, &out};
  if (!compiled(normc_compiler_create(NULL, &compiler)) ||
      !compiled(normc_compiler_compile_norm(compiler, &norm, targets, 1, &package)))
    return 1;
  if (normrt_device_open("host", &device) ||
      normrt_package_load_memory(device, normc_package_get_data(package),
                                 normc_package_get_size(package), &loaded) ||
      normrt_package_entry(loaded, 0, &entry) ||
      normrt_entry_launch(entry, tensors, 2, NULL))
    return fprintf(stderr, "%s\n", normrt_last_error_message()), 1;
  printf("%.6f %.6f\n", y[0], y[1]); /* 0.848528 1.131371 */
  return 0; /* normrt_package_release and the like free what a longer life leaves */
}
