#ifndef LAMPLIGHTER_QR_READING_H
#define LAMPLIGHTER_QR_READING_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Reads the first QR code of a picture.
///
/// - Parameters:
///   - pixels: the brightness of each pixel, row by row: width times height bytes.
///   - text: takes the code's content as it stands in the code, ended by a zero.
///   - capacity: the bytes that `text` has room for.
/// - Returns: the length of the content; 0 if there is no code, or no room for its content.
size_t qr_reading_first(const uint8_t *pixels, int width, int height, char *text, size_t capacity);

#ifdef __cplusplus
}
#endif

#endif
