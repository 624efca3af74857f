// The public header is C11 and complete on its own.
#include "normrt.h"

const char *normrtTestNameFromC(void);

_Static_assert(NORMRT_STATUS_OK == 0, "success is zero");

const char *normrtTestNameFromC(void) {
  normrt_launch_options options = {sizeof(normrt_launch_options), 0, 0, 0};
  return options.struct_size != 0 ? normrt_status_name(NORMRT_STATUS_OVERLAP) : "";
}
