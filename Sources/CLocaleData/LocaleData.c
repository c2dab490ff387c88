#ifdef WITHOUT_LOCALE_DATA

#include "CLocaleData.h"

// The format is that of ICU's udata.h and ucmndef.h: a header, and a table of contents, which is empty here.
#define EMPTY { \
    .headerSize = 32, \
    .magic = {0xda, 0x27}, \
    .infoSize = 20, \
    .isBigEndian = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__, \
    .sizeOfUnit = 2, \
    .format = "CmnD", \
    .formatVersion = {1}, \
}

const struct CommonData icudt74_dat = EMPTY;  // Swift 6.2
const struct CommonData icudt76_dat = EMPTY;  // Swift 6.3

#endif
