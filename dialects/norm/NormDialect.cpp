#include "dialects/norm/Norm.h"
