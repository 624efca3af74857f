// The test kernels as the fake driver loads them: host functions, and beside each what
// a cubin says of a kernel. Built as a shared object without a C library.
#include "../TestKernels.c"

const int scale_rows_params = 8;
const int sum_partials_params = 6;
const int sum_finalize_params = 4;
const int count_workgroups_params = 1;
const int record_args_params = 6;
const int meet_params = 2;

/// A kernel with limits: few threads, and shared memory of its own.
void limited(const int64_t *args, int64_t workgroup) { (void)args, (void)workgroup; }
const int limited_params = 0;
const int limited_max_threads = 256;
const int limited_static_shared_bytes = 1024;
