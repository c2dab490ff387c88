/// The start line of a message, and the values of the headers that HAP uses.
struct HTTPHead: Equatable, Sendable {
    enum StartLine: Equatable, Sendable {
        case request(HTTPRequest.Method, path: String, query: String?)
        case response(status: Int)
        case event
    }

    var startLine: StartLine
    var contentLength: Int?
    var isChunked = false
    var wantsClose: Bool
    var contentType: HTTPContentType?
    /// A Boolean value that indicates whether a request has a header that only browsers send, `Origin` or
    /// `Sec-Fetch-*`.
    var isFromBrowser = false
    /// The value of ``HTTPRequest/publicHost``.
    var publicHost: String?

    /// Parses the head of a message, from its start line to its last header line, without the final CR LF.
    ///
    /// `requests` is `true` for a request, and `false` for a response or an event.
    ///
    /// - Throws: `malformedHTTP`.
    init(_ bytes: Span<UInt8>, requests: Bool) throws(ProtocolViolation) {
        guard !bytes.isEmpty else { throw .malformedHTTP(.startLine) }
        var end = bytes.endOfLine(from: 0)
        guard end <= HTTPLimits.startLine, bytes.count - end - 2 <= HTTPLimits.headers else {
            throw .malformedHTTP(.headTooLong)
        }
        let start = bytes.extracting(0..<end)
        (startLine, wantsClose) = requests ? try Self.requestLine(start) : try Self.statusLine(start)
        var count = 0
        while end + 2 < bytes.count {
            let line = end + 2
            end = bytes.endOfLine(from: line)
            count += 1
            guard count <= HTTPLimits.headerLines else { throw .malformedHTTP(.tooManyHeaders) }
            try header(bytes.extracting(line..<end), requests: requests)
        }
    }

    private static func requestLine(_ line: Span<UInt8>) throws(ProtocolViolation) -> (StartLine, Bool) {
        let space = UInt8(ascii: " ")
        let first = line.firstIndex(of: space, from: 0)
        let second = line.firstIndex(of: space, from: min(first + 1, line.count))
        guard second < line.count else { throw .malformedHTTP(.startLine) }
        let (name, version) = (line.extracting(0..<first), line.extracting((second + 1)...))
        guard !name.isEmpty, name.all({ $0 >= UInt8(ascii: "A") && $0 <= UInt8(ascii: "Z") }),
            line[first + 1] == UInt8(ascii: "/"), version.firstIndex(of: space, from: 0) == version.count
        else { throw .malformedHTTP(.startLine) }
        var (mark, end) = (second, second)
        for index in (first + 1)..<second {
            let byte = line[index]
            guard byte > 0x20, byte < 0x7F else { throw .malformedHTTP(.startLine) }
            if byte == UInt8(ascii: "?"), mark == second, end == second { mark = index }
            // A fragment ends the query (HAP 8.4).
            if byte == UInt8(ascii: "#"), end == second { end = index }
        }
        let isOld = version.equals("HTTP/1.0")
        guard isOld || version.equals("HTTP/1.1") else { throw .malformedHTTP(.version) }
        let query = mark < end ? line.extracting((mark + 1)..<end).text : nil
        return (.request(method(name), path: path(line.extracting((first + 1)..<min(mark, end))), query: query), isOld)
    }

    private static func method(_ name: Span<UInt8>) -> HTTPRequest.Method {
        if name.equals("GET") { return .get }
        if name.equals("PUT") { return .put }
        return name.equals("POST") ? .post : .other
    }

    /// Returns the path as a string.
    ///
    /// String literals for the most common paths avoid memory allocations.
    private static func path(_ bytes: Span<UInt8>) -> String {
        if bytes.equals("/characteristics") { return "/characteristics" }
        if bytes.equals("/accessories") { return "/accessories" }
        if bytes.equals("/pair-verify") { return "/pair-verify" }
        return bytes.text
    }

    private static func statusLine(_ line: Span<UInt8>) throws(ProtocolViolation) -> (StartLine, Bool) {
        let first = line.firstIndex(of: UInt8(ascii: " "), from: 0)
        guard first < line.count else { throw .malformedHTTP(.startLine) }
        let second = line.firstIndex(of: UInt8(ascii: " "), from: first + 1)
        let (version, code) = (line.extracting(0..<first), line.extracting((first + 1)..<second))
        guard code.count == 3, let status = code.number, (100...599).contains(status) else {
            throw .malformedHTTP(.startLine)
        }
        if version.equals("EVENT/1.0") { return (.event, false) }
        let isOld = version.equals("HTTP/1.0")
        guard isOld || version.equals("HTTP/1.1") else { throw .malformedHTTP(.version) }
        return (.response(status: status), isOld)
    }

    /// Returns the media type of a request, without its parameters.
    private static func contentType(_ value: Span<UInt8>) -> HTTPContentType? {
        let type = value.extracting(0..<value.firstIndex(of: UInt8(ascii: ";"), from: 0))
        let name = type.extracting(type.trimmed(from: 0))
        if name.isWord("application/pairing+tlv8") { return .pairingTLV8 }
        return name.isWord("application/hap+json") ? .hapJSON : nil
    }

    private static func publicHost(_ value: Span<UInt8>) -> String? {
        let host = value.extracting(0..<value.firstIndex(of: UInt8(ascii: ":"), from: 0))
        // After the last dot, an IPv4 address continues with a digit, and a name with a letter. An IPv6 address is in
        // brackets.
        var last = host.count
        while last > 0, host[last - 1] != UInt8(ascii: ".") { last -= 1 }
        let end = host.extracting(last..<host.count)
        guard last > 0, host[0] != UInt8(ascii: "["), !end.isWord("local") else { return nil }
        if end.count > 0, end[0] >= UInt8(ascii: "0"), end[0] <= UInt8(ascii: "9") { return nil }
        return host.text.lowercased()
    }

    private mutating func header(_ line: Span<UInt8>, requests: Bool) throws(ProtocolViolation) {
        var colon = 0
        while colon < line.count, line[colon] != UInt8(ascii: ":") {
            guard line[colon] > 0x20, line[colon] < 0x7F else { throw .malformedHTTP(.header) }
            colon += 1
        }
        guard colon > 0, colon < line.count else { throw .malformedHTTP(.header) }
        let name = line.extracting(0..<colon)
        let value = line.extracting(line.trimmed(from: colon + 1))
        guard value.all({ $0 >= 0x20 || $0 == 9 }) else { throw .malformedHTTP(.header) }
        if name.isWord("content-length") {
            guard contentLength == nil, !isChunked, (1...9).contains(value.count), let length = value.number else {
                throw .malformedHTTP(.contentLength)
            }
            contentLength = length
        } else if name.isWord("transfer-encoding") {
            // No controller sends chunks, but some accessories do.
            guard !requests, contentLength == nil, value.isWord("chunked") else {
                throw .malformedHTTP(.transferEncoding)
            }
            isChunked = true
        } else if name.isWord("connection") {
            if value.isWord("close") { wantsClose = true }
            if value.isWord("keep-alive") { wantsClose = false }
        } else if name.isWord("content-type") {
            contentType = requests ? Self.contentType(value) : HTTPContentType(rawValue: value.text)
        } else if requests, name.isWord("origin") || name.hasPrefix("sec-fetch-") {
            isFromBrowser = true
        } else if requests, name.isWord("host") {
            publicHost = Self.publicHost(value) ?? publicHost
        }
    }
}

/// Search functions, which return the index of the end if they find nothing.
extension Span<UInt8> {
    fileprivate func firstIndex(of byte: UInt8, from start: Int) -> Int {
        var index = start
        while index < count, self[index] != byte { index += 1 }
        return index
    }

    /// Returns the index of the CR LF that ends a line.
    fileprivate func endOfLine(from start: Int) -> Int {
        var index = start
        while index + 1 < count {
            if self[index + 1] > 0x0D {
                // The next byte is neither CR nor LF, so no line ends here or at that byte.
                index += 2
            } else if self[index] == 0x0D, self[index + 1] == 0x0A {
                return index
            } else {
                index += 1
            }
        }
        return count
    }

    fileprivate func all(_ isRight: (UInt8) -> Bool) -> Bool {
        for index in 0..<count where !isRight(self[index]) { return false }
        return true
    }

    /// Returns the range from an index to the end, without whitespace at both ends.
    fileprivate func trimmed(from start: Int) -> Range<Int> {
        var (start, end) = (start, count)
        while start < end, self[start] == 0x20 || self[start] == 0x09 { start += 1 }
        while start < end, self[end - 1] == 0x20 || self[end - 1] == 0x09 { end -= 1 }
        return start..<end
    }

    fileprivate var text: String { withUnsafeBufferPointer { String(decoding: $0, as: UTF8.self) } }

    /// The decimal number in these bytes, at most nine; `nil` if any byte isn't a digit.
    fileprivate var number: Int? {
        var number = 0
        for index in 0..<count {
            guard self[index] >= UInt8(ascii: "0"), self[index] <= UInt8(ascii: "9") else { return nil }
            number = number * 10 + Int(self[index] - UInt8(ascii: "0"))
        }
        return number
    }

    /// Returns whether the bytes are equal to the given text.
    fileprivate func equals(_ text: StaticString) -> Bool {
        guard count == text.utf8CodeUnitCount else { return false }
        return text.withUTF8Buffer { letters in
            for index in 0..<count where letters[index] != self[index] { return false }
            return true
        }
    }

    /// Returns whether the bytes are equal to the given word, ignoring ASCII case.
    fileprivate func isWord(_ word: StaticString) -> Bool {
        count == word.utf8CodeUnitCount && hasPrefix(word)
    }

    /// Returns whether the bytes start with the given word, ignoring ASCII case.
    fileprivate func hasPrefix(_ word: StaticString) -> Bool {
        guard count >= word.utf8CodeUnitCount else { return false }
        return word.withUTF8Buffer { letters in
            for index in 0..<letters.count {
                let byte = self[index]
                let isUpper = byte >= UInt8(ascii: "A") && byte <= UInt8(ascii: "Z")
                if letters[index] != (isUpper ? byte | 0x20 : byte) { return false }
            }
            return true
        }
    }
}
