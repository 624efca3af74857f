// Kernels for what compute capability 9.0 adds, and for faults.
#include <stdint.h>

#define KERNEL __attribute__((nvptx_kernel))

static int64_t workgroupId(void) { return __nvvm_read_ptx_sreg_ctaid_x(); }

/// out[w] = rank of workgroup w in its cluster + 100 * the cluster's size.
KERNEL void cluster_ranks(int64_t *out) {
  uint32_t rank, size;
  __asm__ volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  __asm__ volatile("mov.u32 %0, %%cluster_nctarank;" : "=r"(size));
  out[workgroupId()] = rank + 100 * (int64_t)size;
}

/// out[w] = the sum of 0 to count - 1 by way of dynamic shared memory.
extern __attribute__((address_space(3))) int64_t shared[];
KERNEL void sum_shared(int64_t *out, int64_t count) {
  for (int64_t i = 0; i < count; ++i)
    *(volatile __attribute__((address_space(3))) int64_t *)(shared + i) = i;
  int64_t sum = 0;
  for (int64_t i = 0; i < count; ++i)
    sum += *(volatile __attribute__((address_space(3))) int64_t *)(shared + i);
  out[workgroupId()] = sum;
}

/// values[w] = value, after a while.
KERNEL void write_slowly(int64_t *values, int64_t value) {
  for (int64_t i = 0; i < 20000; ++i)
    __asm__ volatile("nanosleep.u32 1;");
  values[workgroupId()] = value;
}

/// to[w] = from[w] + 1, as a dependent launch: waits for the launches before it.
KERNEL void add_one_dependent(const int64_t *from, int64_t *to) {
  __asm__ volatile("griddepcontrol.wait;" ::: "memory");
  to[workgroupId()] = ((volatile const int64_t *)from)[workgroupId()] + 1;
}

/// Writes where nothing is.
KERNEL void fault(int64_t *out, int64_t distance) { out[distance] = 1; }
