#include "norms.h"
#include <stdio.h>

#define AT(type, address) ((type *)(uintptr_t)(address))

int main(void) {
  norms_kernels *kernels = NULL;
  size_t bytes = 0;
  printf("load %d\n", norms_load(&kernels));
  for (int64_t rows = 0; rows <= 100000; rows += 50000) {
    printf("workspace %d", norms_f_workspace_bytes(kernels, rows, &bytes));
    printf(" %zu bytes\n", bytes);
    /* Aligned, off by one element, and a workspace that is a byte short. */
    for (int off = 0; off < 3; ++off)
      printf("result %d\n",
             norms_f(kernels, rows, AT(uint16_t, 0x100000000),
                     AT(uint16_t, 0x200000000 + (off == 1) * 2), AT(float, 0x300000000),
                     AT(uint16_t, 0x400000000), AT(float, 0x500000000),
                     AT(void, 0x600000000), bytes - (off == 2), NULL));
  }
  /* Sizes, alignment to elements, overlap, null. */
  printf("negative %d\n", norms_f_workspace_bytes(kernels, -1, &bytes));
  printf("huge %d\n", norms_f_workspace_bytes(kernels, INT64_MAX / 8, &bytes));
  printf("odd %d\n",
         norms_f(kernels, 1, AT(uint16_t, 0x100000001), AT(uint16_t, 0x200000000),
                 AT(float, 0x300000000), AT(uint16_t, 0x400000000),
                 AT(float, 0x500000000), AT(void, 0x600000000), 1 << 20, NULL));
  printf("overlap %d\n",
         norms_f(kernels, 10, AT(uint16_t, 0x100000000), AT(uint16_t, 0x200000000),
                 AT(float, 0x300000000), AT(uint16_t, 0x100000100),
                 AT(float, 0x500000000), AT(void, 0x600000000), 1 << 20, NULL));
  printf("null %d\n", norms_f_workspace_bytes(NULL, 1, &bytes));
  norms_unload(kernels);
  return 0;
}
