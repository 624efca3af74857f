// The kernels of TestKernels.c in OpenCL C. A workgroup is one lane.

__kernel void scale_rows(__global const float *x, __global float *y, long rows,
                         long cols, long strideX, long strideY, long tile,
                         long factor) {
  long begin = (long)get_group_id(0) * tile;
  long end = begin + tile < rows ? begin + tile : rows;
  for (long r = begin; r < end; ++r)
    for (long c = 0; c < cols; ++c)
      y[r * strideY + c] = (float)factor * x[r * strideX + c];
}

__kernel void sum_partials(__global const float *x, __global float *partials, long rows,
                           long cols, long stride, long tile) {
  long begin = (long)get_group_id(0) * tile;
  long end = begin + tile < rows ? begin + tile : rows;
  for (long c = 0; c < cols; ++c) {
    float sum = 0;
    for (long r = begin; r < end; ++r)
      sum += x[r * stride + c];
    partials[(long)get_group_id(0) * cols + c] = sum;
  }
}

__kernel void sum_finalize(__global const float *partials, __global float *out,
                           long count, long cols) {
  for (long c = 0; c < cols; ++c) {
    float sum = 0;
    for (long p = 0; p < count; ++p)
      sum += partials[p * cols + c];
    out[c] = sum;
  }
}

/// Each workgroup runs once a launch, and launches follow each other.
__kernel void count_workgroups(__global long *counts) { counts[get_group_id(0)] += 1; }

__kernel void record_args(__global double *out, long count, long a, long b, long c,
                          long d) {
  long values[4] = {a, b, c, d};
  for (long i = 0; i < count && i < 4; ++i)
    out[i] = (double)values[i];
}

/// Never launched: threads of a host meet, workgroups of a GPU need not.
__kernel void meet(__global long *met, long workgroups) {}

/// Made of subgroups of 16.
__kernel __attribute__((intel_reqd_sub_group_size(16))) void
subgroups_of_16(__global double *out) {
  out[get_global_id(0)] = 16;
}

/// Negates before a barrier what it stores behind one.
__kernel __attribute__((intel_reqd_sub_group_size(16))) void
negate_before_barrier(__global const float *x, __global float *y, long times,
                      __local float *shared) {
  unsigned lane = get_local_id(0);
  float negated = -x[lane];
  for (long i = 0; i < times; ++i) {
    shared[lane] = (float)(i + 1);
    barrier(CLK_LOCAL_MEM_FENCE);
    y[i * get_local_size(0) + lane] =
        negated * shared[get_local_size(0) - 1 - lane];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
}

/// Its sum goes through workgroup memory of the launch.
__kernel void sum_shared(__global double *out, __local double *shared) {
  shared[get_local_id(0)] = (double)get_local_id(0);
  barrier(CLK_LOCAL_MEM_FENCE);
  if (get_local_id(0) == 0) {
    double sum = 0;
    for (unsigned i = 0; i < get_local_size(0); ++i)
      sum += shared[i];
    out[get_group_id(0)] = sum;
  }
}
