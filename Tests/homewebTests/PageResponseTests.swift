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

    @Test("shows the navigation bar before the content is rendered") func beginning() async throws {
        let (rendering, rendered) = AsyncStream.makeStream(of: Void.self)
        let frame = Layout(title: "Villa", visitor: .local, place: "/")
        let response = Response.page(frame) {
            for await _ in rendering {}
            var whole = frame
            whole.content = "<p>Tiles</p>"
            return whole
        }
        let (parts, continuation) = AsyncStream.makeStream(of: String.self)
        async let sent: Void = response.body.write(Parts(continuation: continuation))
        var received = parts.makeAsyncIterator()
        let beginning = try #require(await received.next())
        #expect(beginning.contains("/assets/style.css") && beginning.contains("/assets/script.js"))
        #expect(beginning.contains("<title>Villa</title>") && beginning.contains("<nav class=\"bar\""))
        rendered.finish()
        let rest = try #require(await received.next())
        #expect(!rest.contains("<nav class=\"bar\"") && rest.contains("<p>Tiles</p>") && rest.contains("</html>"))
        #expect(await received.next() == nil)
        try await sent
    }
}
