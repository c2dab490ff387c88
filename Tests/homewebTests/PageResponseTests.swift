import HTTPTypes
import Hummingbird
import HummingbirdCore
import NIOCore
import TestTimeouts
import Testing

@testable import homeweb

@Suite("A page's response", .timeout)
struct PageResponseTests {
    private struct Parts: ResponseBodyWriter {
        let continuation: AsyncStream<String>.Continuation

        func write(_ buffer: ByteBuffer) async throws { continuation.yield(String(buffer: buffer)) }

        func finish(_ trailingHeaders: HTTPFields?) async throws { continuation.finish() }
    }

    @Test("sends the head before the content is rendered") func head() async throws {
        let (rendering, rendered) = AsyncStream.makeStream(of: Void.self)
        let response = Response.page(for: .local) {
            for await _ in rendering {}
            return Layout(title: "Villa", content: "<p>Tiles</p>")
        }
        let (parts, continuation) = AsyncStream.makeStream(of: String.self)
        async let sent: Void = response.body.write(Parts(continuation: continuation))
        var received = parts.makeAsyncIterator()
        let head = try #require(await received.next())
        #expect(head.contains("/assets/style.css") && head.contains("/assets/script.js") && !head.contains("Villa"))
        rendered.finish()
        let rest = try #require(await received.next())
        #expect(rest.contains("<title>Villa</title>") && rest.contains("<p>Tiles</p>") && rest.contains("</html>"))
        #expect(await received.next() == nil)
        try await sent
    }
}
