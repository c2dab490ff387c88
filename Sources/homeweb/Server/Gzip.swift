import CZlib
import HTTPTypes
import Hummingbird
import HummingbirdCore
import NIOCore

/// Compresses pages for browsers that support it.
struct Gzip: RouterMiddleware {
    typealias Context = WebContext

    /// The minimum size of a complete body to compress, in bytes.
    private static let least = 1024

    @concurrent func handle(
        _ request: Request, context: WebContext, next: @concurrent (Request, WebContext) async throws -> Response
    ) async throws -> Response {
        var response = try await next(request, context)
        guard request.headers[.acceptEncoding]?.contains("gzip") == true, let type = response.headers[.contentType]
        else { return response }
        let body = response.body
        if let length = body.contentLength {
            guard length >= Self.least, type != "image/png" else { return response }
            response.body = ResponseBody(byteBuffer: Deflater().compress(try await body.collected(), Z_FINISH))
        } else {
            guard type.hasPrefix("text/html") else { return response }
            response.body = ResponseBody { writer in try await body.write(Compressor(output: writer)) }
        }
        response.headers[.contentEncoding] = "gzip"
        response.vary(by: "Accept-Encoding")
        return response
    }

    /// Compresses a body in parts, each of which a browser can use at once.
    private struct Compressor: ResponseBodyWriter {
        var output: any ResponseBodyWriter
        private let deflater = Deflater()

        init(output: any ResponseBodyWriter) { self.output = output }

        @concurrent mutating func write(_ buffer: ByteBuffer) async throws {
            try await output.write(deflater.compress(buffer, Z_SYNC_FLUSH))
        }

        @concurrent consuming func finish(_ trailingHeaders: HTTPFields?) async throws {
            try await output.write(deflater.compress(ByteBuffer(), Z_FINISH))
            try await output.finish(trailingHeaders)
        }
    }
}

/// A gzip stream of zlib.
private final class Deflater {
    /// The state, which may not move in memory.
    private let stream = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)

    init() {
        stream.initialize(to: z_stream())
        // It fails only without memory.
        precondition(lamplighter_gzip_init(stream, 5) == Z_OK)
    }

    deinit {
        deflateEnd(stream)
        stream.deallocate()
    }

    /// Compresses the next bytes: with `Z_SYNC_FLUSH` if more follow, or with `Z_FINISH` at the end.
    func compress(_ buffer: ByteBuffer, _ flush: CInt) -> ByteBuffer {
        var input = Array(buffer.readableBytesView)
        var result = ByteBuffer()
        input.withUnsafeMutableBufferPointer { input in
            stream.pointee.next_in = input.baseAddress
            stream.pointee.avail_in = UInt32(input.count)
            repeat {
                // Each call fills this space, unless it has reached the end.
                result.writeWithUnsafeMutableBytes(minimumWritableBytes: input.count / 4 + 1024) { space in
                    stream.pointee.next_out = space.bindMemory(to: UInt8.self).baseAddress
                    stream.pointee.avail_out = UInt32(space.count)
                    deflate(stream, flush)
                    return space.count - Int(stream.pointee.avail_out)
                }
            } while stream.pointee.avail_out == 0
        }
        return result
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
