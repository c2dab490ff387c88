/// The start line and the headers of a message, as far as HAP needs them.
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

    /// Reads a head without its empty last line.
    ///
    /// - Parameters:
    ///   - bytes: where the head lies.
    ///   - range: from the first byte of the start line to the end of the last header line, without its CR LF.
    ///   - requests: whether a request is expected, else a response or an event.
    /// - Throws: `malformedHTTP`.
    init(_ bytes: [UInt8], _ range: Range<Int>, requests: Bool) throws(ProtocolViolation) {
        var lines = HTTPLines(bytes: bytes, range: range)
        guard let start = lines.next() else { throw .malformedHTTP(.startLine) }
        guard start.count <= HTTPLimits.startLine, lines.range.count <= HTTPLimits.headers else {
            throw .malformedHTTP(.headTooLong)
        }
        (startLine, wantsClose) = requests ? try Self.requestLine(bytes[start]) : try Self.statusLine(bytes[start])
        var count = 0
        while let line = lines.next() {
            count += 1
            guard count <= HTTPLimits.headerLines else { throw .malformedHTTP(.tooManyHeaders) }
            try header(bytes[line], requests: requests)
        }
    }

    private static func requestLine(_ line: ArraySlice<UInt8>) throws(ProtocolViolation) -> (StartLine, Bool) {
        let space = UInt8(ascii: " ")
        guard let first = line.firstIndex(of: space), let second = line[(first + 1)...].firstIndex(of: space) else {
            throw .malformedHTTP(.startLine)
        }
        let (name, whole, version) = (line[..<first], line[(first + 1)..<second], line[(second + 1)...])
        guard !name.isEmpty, name.allSatisfy({ (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) }),
            whole.first == UInt8(ascii: "/"), whole.allSatisfy({ $0 > 0x20 && $0 < 0x7F }), !version.contains(space)
        else { throw .malformedHTTP(.startLine) }
        let isOld = version.equals("HTTP/1.0")
        guard isOld || version.equals("HTTP/1.1") else { throw .malformedHTTP(.version) }
        // A fragment ends the query (hap.md 8.4).
        let target = whole.prefix { $0 != UInt8(ascii: "#") }
        let mark = target.firstIndex(of: UInt8(ascii: "?"))
        let query = mark.map { String(decoding: target[($0 + 1)...], as: UTF8.self) }
        return (.request(method(name), path: path(target[..<(mark ?? target.endIndex)]), query: query), isOld)
    }

    private static func method(_ name: ArraySlice<UInt8>) -> HTTPRequest.Method {
        if name.equals("GET") { return .get }
        if name.equals("PUT") { return .put }
        return name.equals("POST") ? .post : .other
    }

    /// The paths that almost every request names; a text that stands in the program is not made anew each time.
    private static let paths: [(StaticString, String)] = [
        ("/characteristics", "/characteristics"), ("/accessories", "/accessories"), ("/pair-verify", "/pair-verify"),
    ]

    private static func path(_ bytes: ArraySlice<UInt8>) -> String {
        paths.first { bytes.equals($0.0) }?.1 ?? String(decoding: bytes, as: UTF8.self)
    }

    private static func statusLine(_ line: ArraySlice<UInt8>) throws(ProtocolViolation) -> (StartLine, Bool) {
        let parts = line.split(separator: UInt8(ascii: " "), maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count >= 2, parts[1].count == 3, let status = Int(String(decoding: parts[1], as: UTF8.self)),
            (100...599).contains(status)
        else { throw .malformedHTTP(.startLine) }
        if parts[0].elementsEqual("EVENT/1.0".utf8) { return (.event, false) }
        let isOld = parts[0].elementsEqual("HTTP/1.0".utf8)
        guard isOld || parts[0].elementsEqual("HTTP/1.1".utf8) else { throw .malformedHTTP(.version) }
        return (.response(status: status), isOld)
    }

    private mutating func header(_ line: ArraySlice<UInt8>, requests: Bool) throws(ProtocolViolation) {
        guard let colon = line.firstIndex(of: UInt8(ascii: ":")), colon > line.startIndex,
            line[..<colon].allSatisfy({ $0 > 0x20 && $0 < 0x7F }), line[colon...].allSatisfy({ $0 >= 0x20 || $0 == 9 })
        else { throw .malformedHTTP(.header) }
        let name = line[..<colon]
        let value = line[(colon + 1)...]
        if name.isWord("content-length") {
            let digits = value.trimmed
            guard contentLength == nil, !isChunked, (1...9).contains(digits.count),
                digits.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }),
                let length = Int(String(decoding: digits, as: UTF8.self))
            else { throw .malformedHTTP(.contentLength) }
            contentLength = length
        } else if name.isWord("transfer-encoding") {
            // No controller sends chunks; some accessories do.
            guard !requests, contentLength == nil, value.trimmed.isWord("chunked") else {
                throw .malformedHTTP(.transferEncoding)
            }
            isChunked = true
        } else if name.isWord("connection") {
            if value.trimmed.isWord("close") { wantsClose = true }
            if value.trimmed.isWord("keep-alive") { wantsClose = false }
        } else if name.isWord("content-type") {
            contentType = HTTPContentType(rawValue: String(decoding: value.trimmed, as: UTF8.self))
        }
    }
}

/// The lines of a head, each without its CR LF.
private struct HTTPLines {
    let bytes: [UInt8]
    var range: Range<Int>

    mutating func next() -> Range<Int>? {
        guard !range.isEmpty else { return nil }
        var end = range.lowerBound
        while end < range.upperBound, bytes[end] != 0x0D || end + 1 >= range.upperBound || bytes[end + 1] != 0x0A {
            end += 1
        }
        let line = range.lowerBound..<end
        range = min(end + 2, range.upperBound)..<range.upperBound
        return line
    }
}

extension ArraySlice<UInt8> {
    fileprivate var trimmed: ArraySlice<UInt8> {
        let isSpace: (UInt8) -> Bool = { $0 == 0x20 || $0 == 0x09 }
        var slice = self.drop(while: isSpace)
        while let last = slice.last, isSpace(last) { slice.removeLast() }
        return slice
    }

    /// Whether the bytes are this text.
    fileprivate func equals(_ text: StaticString) -> Bool {
        count == text.utf8CodeUnitCount && text.withUTF8Buffer { elementsEqual($0) }
    }

    /// Whether the bytes are this word, ASCII case aside.
    fileprivate func isWord(_ word: StaticString) -> Bool {
        guard count == word.utf8CodeUnitCount else { return false }
        return word.withUTF8Buffer { letters in
            for (letter, byte) in zip(letters, self) {
                let lower = (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
                if letter != lower { return false }
            }
            return true
        }
    }
}
