/* A driver of one device: CAPABILITY is its compute capability ("90"), INIT what cuInit
 * answers. */
#include <stdlib.h>

static int number(const char *name, int otherwise) {
  const char *text = getenv(name);
  return text ? atoi(text) : otherwise;
}

int cuInit(unsigned flags) { return flags == 0 ? number("INIT", 0) : 1; }

int cuDeviceGet(int *device, int ordinal) {
  *device = ordinal;
  return ordinal == 0 ? 0 : 101;
}

int cuDeviceGetAttribute(int *value, int attribute, int device) {
  int capability = number("CAPABILITY", 0);
  if (device != 0 || (attribute != 75 && attribute != 76))
    return 1;
  *value = attribute == 75 ? capability / 10 : capability % 10;
  return 0;
}
