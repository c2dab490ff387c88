import CZlib
import HTTPTypes
import Hummingbird
import HummingbirdCore
import NIOCore

/// Compresses pages for browsers that support it.
struct Gzip: RouterMiddleware {
    typealias Context = WebContext

    /// The minimum size of a body to compress, in bytes.
    private static let least = 1024

    @concurrent func handle(
        _ request: Request, context: WebContext, next: @concurrent (Request, WebContext) async throws -> Response
    ) async throws -> Response {
        var response = try await next(request, context)
        guard request.headers[.acceptEncoding]?.contains("gzip") == true, let length = response.body.contentLength,
            length >= Self.least, response.headers[.contentType] != "image/png"
        else { return response }
        guard let packed = Self.packed(try await response.body.collected()) else { return response }
        response.headers[.contentEncoding] = "gzip"
        response.vary(by: "Accept-Encoding")
        response.body = ResponseBody(byteBuffer: packed)
        return response
    }

    /// Compresses bytes.
    ///
    /// Returns `nil` if zlib fails.
    static func packed(_ buffer: ByteBuffer) -> ByteBuffer? {
        var stream = z_stream()
        guard lamplighter_gzip_init(&stream, 5) == Z_OK else { return nil }
        defer { deflateEnd(&stream) }
        var input = Array(buffer.readableBytesView)
        var output = [UInt8](repeating: 0, count: Int(deflateBound(&stream, UInt(input.count))) + 32)
        let isDone = input.withUnsafeMutableBufferPointer { input in
            output.withUnsafeMutableBufferPointer { output in
                stream.next_in = input.baseAddress
                stream.avail_in = UInt32(input.count)
                stream.next_out = output.baseAddress
                stream.avail_out = UInt32(output.count)
                return deflate(&stream, Z_FINISH) == Z_STREAM_END
            }
        }
        guard isDone else { return nil }
        return ByteBuffer(bytes: output.prefix(Int(stream.total_out)))
    }
}

extension ResponseBody {
    /// The complete body.
    func collected() async throws -> ByteBuffer {
        let whole = Whole()
        try await write(Collector(whole: whole))
        return whole.buffer
    }

    private final class Whole {
        var buffer = ByteBuffer()
    }

    private struct Collector: ResponseBodyWriter {
        let whole: Whole

        func write(_ buffer: ByteBuffer) async throws {
            var buffer = buffer
            whole.buffer.writeBuffer(&buffer)
        }

        func finish(_ trailingHeaders: HTTPFields?) async throws {}
    }
}
