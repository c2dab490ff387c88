/// A parser for HTTP messages in both roles: requests to an accessory, or responses and events for a controller.
///
/// SwiftNIO's decoder rejects the start line `EVENT/1.0`, and one small parser is easier to limit and to fuzz than two
/// parsers. ``HTTPLimits`` limits every buffer, and for any input, each byte is examined a bounded number of times.
package struct HTTPParser: Equatable, Sendable {
    private enum State: Equatable, Sendable {
        /// The parser waits for the end of a head, which isn't in the first `searched` bytes.
        case head(searched: Int)
        /// The parser waits for the end of a body with the given length.
        case body(HTTPHead, length: Int)
        /// The parser waits for more chunks; `content` is the content of the received chunks.
        case chunks(HTTPHead, content: [UInt8])
    }

    private let requests: Bool
    private let inSession: Bool
    private var state = State.head(searched: 0)
    /// The number of empty lines since the last message.
    private var emptyLines = 0
    var buffer = ByteQueue()

    /// Creates a parser of requests or, for a controller, of responses and events.
    ///
    /// The limits are lower outside a session.
    package init(requests: Bool, inSession: Bool = false) {
        self.requests = requests
        self.inSession = inSession
    }

    /// A Boolean value that indicates whether a message has started, but not ended.
    ///
    /// One empty line may follow a message. A second empty line counts as the start of the next message.
    package var isMidMessage: Bool {
        if case .head = state { buffer.count > 0 || emptyLines > 1 } else { true }
    }

    package mutating func append(_ bytes: some Collection<UInt8>) { buffer.append(bytes) }

    /// Returns the next complete message, if there is one.
    ///
    /// - Throws: ``ProtocolViolation``; the parser is then unusable.
    package mutating func next() throws(ProtocolViolation) -> HTTPMessage? {
        // An incomplete message needs at least one more byte.
        guard buffer.count > 0 else { return nil }
        switch state {
        case .head(let searched):
            guard let head = try nextHead(searched) else { return nil }
            // Most messages arrive complete, so the parser needs no state for them.
            guard head.isChunked else { return message(head, try bodyLength(head)) }
            var content: [UInt8] = []
            return try chunked(head, &content)
        case .body(let head, let length): return message(head, length)
        case .chunks(let head, var content):
            // Release the state's reference to the content; otherwise, each append would copy all earlier chunks.
            state = .head(searched: 0)
            return try chunked(head, &content)
        }
    }

    /// Returns a message whose body has the given length, or `nil` if the body isn't complete yet.
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

    /// Appends the received chunks to the content, and returns the message if the last chunk has arrived.
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
                // This byte is neither CR nor LF, so the end of the head doesn't begin in the three bytes before it.
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

    /// Moves complete chunks from the buffer to the content.
    ///
    /// Returns whether the last chunk has arrived.
    private mutating func nextChunk(_ content: inout [UInt8]) throws(ProtocolViolation) -> Bool {
        while true {
            guard let end = try endOfLine(within: HTTPLimits.chunkLine) else { return false }
            let line = buffer.bytes[buffer.start..<end]
            let digits = line.prefix { $0 != UInt8(ascii: ";") && $0 != UInt8(ascii: " ") }
            // `Int.init` would also accept a sign.
            guard (1...8).contains(digits.count), digits.allSatisfy({ Character(Unicode.Scalar($0)).isHexDigit }),
                let length = Int(String(decoding: digits, as: UTF8.self), radix: 16)
            else { throw .malformedHTTP(.chunk) }
            guard content.count + length <= HTTPLimits.responseBody else { throw .bodyTooLong }
            // The length of the chunk including both line ends. Trailers after the last chunk aren't supported.
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
