/// Turns bytes into whole HTTP messages, for both roles: requests for an accessory, responses and events for a
/// controller.
///
/// SwiftNIO's decoder refuses the start line `EVENT/1.0`, and one small parser is easier to bound and to fuzz than two.
/// Every buffer has a limit of ``HTTPLimits``; whatever comes, each byte is looked at a bounded number of times.
package struct HTTPParser: Equatable, Sendable {
    private enum State: Equatable, Sendable {
        /// A head is awaited; so many of its bytes have been searched for its end.
        case head(searched: Int)
        /// A body of this length is awaited.
        case body(HTTPHead, length: Int)
        /// Chunks are awaited; the content of those that came is kept.
        case chunks(HTTPHead, content: [UInt8])
    }

    private let requests: Bool
    private let inSession: Bool
    private var state = State.head(searched: 0)
    /// Empty lines that came before the start line.
    private var emptyLines = 0
    var buffer = ByteQueue()

    /// Creates a parser of requests or, for a controller, of responses and events; peers outside a session may send
    /// less.
    package init(requests: Bool, inSession: Bool = false) {
        self.requests = requests
        self.inSession = inSession
    }

    /// A Boolean value that indicates whether a message has begun and not ended.
    ///
    /// One empty line may follow a message; a second one counts as the beginning of the next.
    package var isMidMessage: Bool {
        if case .head = state { buffer.count > 0 || emptyLines > 1 } else { true }
    }

    package mutating func append(_ bytes: some Collection<UInt8>) { buffer.append(bytes) }

    /// The next whole message.
    ///
    /// - Throws: a violation; the parser is of no use after that.
    package mutating func next() throws(ProtocolViolation) -> HTTPMessage? {
        // A message that has not ended lacks at least a byte.
        guard buffer.count > 0 else { return nil }
        switch state {
        case .head(let searched):
            guard let head = try nextHead(searched) else { return nil }
            // Most messages come whole, and nothing of them has to be kept.
            guard head.isChunked else { return message(head, try bodyLength(head)) }
            var content: [UInt8] = []
            return try chunked(head, &content)
        case .body(let head, let length): return message(head, length)
        case .chunks(let head, var content):
            // The state lets go of the content, or each chunk would copy all that came before it.
            state = .head(searched: 0)
            return try chunked(head, &content)
        }
    }

    /// A message whose body has this length, if it is there.
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

    /// A message whose body comes in chunks, the first of which have this content, if the last one is there.
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
                // No CR or LF within reach of this byte: jump over it.
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

    /// Takes chunks off the buffer; returns whether the last one has come.
    private mutating func nextChunk(_ content: inout [UInt8]) throws(ProtocolViolation) -> Bool {
        while true {
            guard let end = try endOfLine(within: HTTPLimits.chunkLine) else { return false }
            let line = buffer.bytes[buffer.start..<end]
            let digits = line.prefix { $0 != UInt8(ascii: ";") && $0 != UInt8(ascii: " ") }
            // `Int` alone would take a sign.
            guard (1...8).contains(digits.count), digits.allSatisfy({ Character(Unicode.Scalar($0)).isHexDigit }),
                let length = Int(String(decoding: digits, as: UTF8.self), radix: 16)
            else { throw .malformedHTTP(.chunk) }
            guard content.count + length <= HTTPLimits.responseBody else { throw .bodyTooLong }
            // The chunk and the line end behind it; after the last one, no trailers are taken.
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
