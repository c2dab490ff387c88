#include <zlib.h>

// zlib has this as a macro, which Swift does not see: a deflate stream in gzip's envelope.
static inline int lamplighter_gzip_init(z_stream *stream, int level) {
    return deflateInit2(stream, level, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY);
}
