/// A parser for HTTP messages in both roles: requests for an accessory, responses and events for a controller.
///
/// SwiftNIO's decoder rejects the start line `EVENT/1.0`, and one small parser is easier to bound and to fuzz than two.
/// ``HTTPLimits`` limits every buffer, and each byte is examined a bounded number of times for any input.
package struct HTTPParser: Equatable, Sendable {
    private enum State: Equatable, Sendable {
        /// Waiting for a head.
        ///
        /// This many of its bytes have been searched for its end.
        case head(searched: Int)
        /// Waiting for a body of this length.
        case body(HTTPHead, length: Int)
        /// Waiting for chunks; the content is that of the received ones.
        case chunks(HTTPHead, content: [UInt8])
    }

    private let requests: Bool
    private let inSession: Bool
    private var state = State.head(searched: 0)
    /// The number of empty lines before the start line.
    private var emptyLines = 0
    var buffer = ByteQueue()

    /// Creates a parser of requests or, for a controller, of responses and events.
    ///
    /// Limits are lower outside a session.
    package init(requests: Bool, inSession: Bool = false) {
        self.requests = requests
        self.inSession = inSession
    }

    /// A Boolean value that indicates whether a message has started and not ended.
    ///
    /// One empty line may follow a message. A second one counts as the start of the next message.
    package var isMidMessage: Bool {
        if case .head = state { buffer.count > 0 || emptyLines > 1 } else { true }
    }

    package mutating func append(_ bytes: some Collection<UInt8>) { buffer.append(bytes) }

    /// Returns the next complete message, if there is one.
    ///
    /// - Throws: A violation. The parser is unusable afterwards.
    package mutating func next() throws(ProtocolViolation) -> HTTPMessage? {
        // An incomplete message lacks at least a byte.
        guard buffer.count > 0 else { return nil }
        switch state {
        case .head(let searched):
            guard let head = try nextHead(searched) else { return nil }
            // Most messages arrive complete and need no state.
            guard head.isChunked else { return message(head, try bodyLength(head)) }
            var content: [UInt8] = []
            return try chunked(head, &content)
        case .body(let head, let length): return message(head, length)
        case .chunks(let head, var content):
            // Releases the state's copy of the content, because otherwise each chunk would copy all earlier ones.
            state = .head(searched: 0)
            return try chunked(head, &content)
        }
    }

    /// Returns a message with a body of this length, if it is complete.
    private mutating func message(_ head: HTTPHead, _ length: Int) -> HTTPMessage? {
        guard buffer.count >= length else {
            state = .body(head, length: length)
            return nil
        }
        let body = Array(buffer.bytes[buffer.start..<(buffer.start + length)])
        buffer.consume(length)
        state = .head(searched: 0)
        return Self.message(head, body)
    }

    /// Returns a chunked message after adding to the content of the received chunks, if the last chunk has arrived.
    private mutating func chunked(
        _ head: HTTPHead, _ content: inout [UInt8]
    ) throws(ProtocolViolation) -> HTTPMessage? {
        guard try nextChunk(&content) else {
            state = .chunks(head, content: content)
            return nil
        }
        state = .head(searched: 0)
        return Self.message(head, content)
    }

    private mutating func nextHead(_ searched: Int) throws(ProtocolViolation) -> HTTPHead? {
        // A few empty lines before a start line are skipped (RFC 9112, 2.2).
        var searched = searched
        while searched == 0, buffer.count >= 2, buffer.bytes[buffer.start] == 0x0D,
            buffer.bytes[buffer.start + 1] == 0x0A
        {
            emptyLines += 1
            guard emptyLines <= HTTPLimits.emptyLines else { throw .malformedHTTP(.startLine) }
            buffer.consume(2)
        }
        let bytes = buffer.bytes
        let start = buffer.start
        let end = min(bytes.count, start + HTTPLimits.head)
        var position = start + searched
        while position + 3 < end {
            if bytes[position + 3] > 0x0D {
                // No CR or LF near this byte, so skip it.
                position += 4
            } else if bytes[position] == 0x0D, bytes[position + 1] == 0x0A, bytes[position + 2] == 0x0D,
                bytes[position + 3] == 0x0A
            {
                let head = try HTTPHead(bytes.span.extracting(start..<position), requests: requests)
                buffer.consume(position + 4 - start)
                emptyLines = 0
                return head
            } else {
                position += 1
            }
        }
        guard buffer.count < HTTPLimits.head else { throw .malformedHTTP(.headTooLong) }
        searched = position - start
        state = .head(searched: searched)
        return nil
    }

    private func bodyLength(_ head: HTTPHead) throws(ProtocolViolation) -> Int {
        switch head.startLine {
        case .request(_, let path, _):
            let length = head.contentLength ?? 0
            guard length <= HTTPLimits.body(of: path, inSession: inSession) else { throw .bodyTooLong }
            return length
        case .response(let status):
            if status == 204 || status == 304 || status < 200 { return 0 }
            fallthrough
        case .event:
            let length = head.contentLength ?? 0
            guard length <= HTTPLimits.responseBody else { throw .bodyTooLong }
            return length
        }
    }

    /// Removes chunks from the buffer.
    ///
    /// Returns whether the last one has arrived.
    private mutating func nextChunk(_ content: inout [UInt8]) throws(ProtocolViolation) -> Bool {
        while true {
            guard let end = try endOfLine(within: HTTPLimits.chunkLine) else { return false }
            let line = buffer.bytes[buffer.start..<end]
            let digits = line.prefix { $0 != UInt8(ascii: ";") && $0 != UInt8(ascii: " ") }
            // `Int` alone would accept a sign.
            guard (1...8).contains(digits.count), digits.allSatisfy({ Character(Unicode.Scalar($0)).isHexDigit }),
                let length = Int(String(decoding: digits, as: UTF8.self), radix: 16)
            else { throw .malformedHTTP(.chunk) }
            guard content.count + length <= HTTPLimits.responseBody else { throw .bodyTooLong }
            // The chunk and its line end. Trailers after the last one are not supported.
            let whole = end + 2 - buffer.start + length + 2
            guard buffer.count >= whole else { return false }
            let data = (end + 2)..<(end + 2 + length)
            guard buffer.bytes[data.upperBound] == 0x0D, buffer.bytes[data.upperBound + 1] == 0x0A else {
                throw .malformedHTTP(.chunk)
            }
            content += buffer.bytes[data]
            buffer.consume(whole)
            if length == 0 { return true }
        }
    }

    private func endOfLine(within limit: Int) throws(ProtocolViolation) -> Int? {
        let end = min(buffer.bytes.count, buffer.start + limit)
        var position = buffer.start
        while position + 1 < end {
            if buffer.bytes[position] == 0x0D, buffer.bytes[position + 1] == 0x0A { return position }
            position += 1
        }
        guard buffer.count < limit else { throw .malformedHTTP(.chunk) }
        return nil
    }

    private static func message(_ head: HTTPHead, _ body: [UInt8]) -> HTTPMessage {
        switch head.startLine {
        case .request(let method, let path, let query):
            .request(
                HTTPRequest(
                    method, path, query: query, body: body, contentType: head.contentType,
                    wantsClose: head.wantsClose, isFromBrowser: head.isFromBrowser,
                    publicHost: head.publicHost))
        case .response(let status): .response(HTTPResponse(status, head.contentType, body: body))
        case .event: .event(body: body)
        }
    }
}
