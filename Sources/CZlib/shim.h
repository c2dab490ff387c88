#include <zlib.h>

// Starts a deflate stream in gzip format. zlib's deflateInit2 is a macro, which Swift can't import.
static inline int lamplighter_gzip_init(z_stream *stream, int level) {
    return deflateInit2(stream, level, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY);
}
