import AsyncKit
import NIOCore

/// What came first on a connection.
enum FirstAnswer: Equatable, Sendable {
    case bytes([UInt8])
    /// The other side hung up without a word.
    case end
    /// Time ran out.
    case nothing
}

extension NIOAsyncChannel where Inbound == ByteBuffer, Outbound == ByteBuffer {
    /// Says something, takes the first bytes of the answer, and hangs up.
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
