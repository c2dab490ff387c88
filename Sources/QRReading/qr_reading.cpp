// zxing-cpp has only a C++ API. This file wraps the only function that the web page needs.
#include "qr_reading.h"

#define ZX_USE_UTF8 1
#include <ZXing/ReadBarcode.h>

#include <cstring>
#include <exception>

size_t qr_reading_first(const uint8_t *pixels, int width, int height, char *text, size_t capacity) {
    try {
        ZXing::DecodeHints hints;
        hints.setFormats(ZXing::BarcodeFormat::QRCode);
        hints.setTryHarder(true);
        const auto result = ZXing::ReadBarcode({pixels, width, height, ZXing::ImageFormat::Lum}, hints);
        const auto &bytes = result.bytes();
        if (!result.isValid() || bytes.size() == 0 || bytes.size() >= capacity) return 0;
        std::memcpy(text, bytes.data(), bytes.size());
        text[bytes.size()] = 0;
        return bytes.size();
    } catch (const std::exception &) {
        return 0;
    }
}
