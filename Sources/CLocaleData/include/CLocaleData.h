#pragma once

#include <stdint.h>

// Replaces the locale data of Foundation's ICU in release programs by a table without entries: 31 MB less in each program.
//
// Foundation comes with GRDB and Mustache. Neither they nor our code format dates, compare texts by locale, or use another
// function that needs the data. The linker takes this object before the library's. A toolchain with another version of ICU
// has another symbol, so its programs are larger again. Scripts/generate-bill fails if the symbol is missing here.
struct CommonData {
    uint16_t headerSize;
    uint8_t magic[2];
    uint16_t infoSize;
    uint16_t reserved;
    uint8_t isBigEndian;
    uint8_t charset;
    uint8_t sizeOfUnit;
    uint8_t padding;
    char format[4] __attribute__((nonstring));
    uint8_t formatVersion[4];
    uint8_t dataVersion[4];
    uint8_t rest[8];
    uint32_t count;
};

extern const struct CommonData icudt74_dat, icudt76_dat;
