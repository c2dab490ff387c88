#ifndef LAMPLIGHTER_QR_READING_H
#define LAMPLIGHTER_QR_READING_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Reads the first QR code in an image.
///
/// - Parameters:
///   - pixels: The brightness of each pixel, row by row: `width` times `height` bytes.
///   - width: The width of the image, in pixels.
///   - height: The height of the image, in pixels.
///   - text: A buffer for the code's unmodified content, which is terminated with a zero byte.
///   - capacity: The size of `text`, in bytes.
/// - Returns: The length of the content, or 0 if no code was found or its content doesn't fit.
size_t qr_reading_first(const uint8_t *pixels, int width, int height, char *text, size_t capacity);

#ifdef __cplusplus
}
#endif

#endif
