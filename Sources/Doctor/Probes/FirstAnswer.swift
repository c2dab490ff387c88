import AsyncKit
import NIOCore

/// The first event on a connection.
enum FirstAnswer: Equatable, Sendable {
    case bytes([UInt8])
    /// The peer closed the connection without an answer.
    case end
    /// Nothing happened within the time limit.
    case nothing
}

extension NIOAsyncChannel where Inbound == ByteBuffer, Outbound == ByteBuffer {
    /// Sends a request, returns the first bytes of the answer, and closes the connection.
    func firstAnswer(to question: [UInt8], within timeout: Duration) async throws -> FirstAnswer {
        try await executeThenClose { inbound, outbound in
            try await outbound.write(ByteBuffer(bytes: question))
            let answer: FirstAnswer? = try await withTimeLimit(timeout) {
                for try await bytes in inbound { return .bytes(Array(bytes.readableBytesView.prefix(64))) }
                return .end
            }
            return answer ?? .nothing
        }
    }
}
