#include "CVersion.h"

const char *lamplighter_version(void) { return LAMPLIGHTER_VERSION; }
