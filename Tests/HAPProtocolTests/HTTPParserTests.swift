import TestTimeouts
import Testing

@testable import HAPProtocol

/// Returns the UTF-8 bytes of a string.
private func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }

/// Returns all messages that are parsed from the pieces, and the violation that ended parsing, if any.
private func parse(
    _ pieces: [[UInt8]], requests: Bool = true, inSession: Bool = false
) -> (messages: [HTTPMessage], violation: ProtocolViolation?) {
    var parser = HTTPParser(requests: requests, inSession: inSession)
    var messages: [HTTPMessage] = []
    do throws(ProtocolViolation) {
        for piece in pieces {
            parser.append(piece)
            while let message = try parser.next() { messages.append(message) }
        }
    } catch {
        return (messages, error)
    }
    return (messages, nil)
}

private func parse(
    _ text: String, requests: Bool = true
) -> (messages: [HTTPMessage], violation: ProtocolViolation?) { parse([bytes(text)], requests: requests) }

@Suite("HTTPParser for an accessory")
struct HTTPRequestParserTests {
    @Test(
        "parses the request line, the headers and the body",
        arguments: [
            ("GET /accessories HTTP/1.1\r\nHost: x\r\n\r\n", HTTPRequest(.get, "/accessories")),
            ("GET /accessories HTTP/1.1\r\n\r\n", HTTPRequest(.get, "/accessories")),
            (
                "GET /characteristics?id=1.2&ev=1#x?y HTTP/1.1\r\n\r\n",
                HTTPRequest(.get, "/characteristics", query: "id=1.2&ev=1")
            ),
            ("GET /characteristics? HTTP/1.1\r\n\r\n", HTTPRequest(.get, "/characteristics", query: "")),
            ("GET /a?b?c HTTP/1.1\r\n\r\n", HTTPRequest(.get, "/a", query: "b?c")),
            ("GET / HTTP/1.1\r\n\r\n", HTTPRequest(.get, "/")),
            ("PUT /prepare HTTP/1.1\r\nContent-Length: 2\r\n\r\n{}", HTTPRequest(.put, "/prepare", body: bytes("{}"))),
            ("POST /identify HTTP/1.1\r\ncontent-LENGTH:0\r\n\r\n", HTTPRequest(.post, "/identify")),
            ("POST /x HTTP/1.1\r\nContent-Length: \t 3 \t\r\n\r\nabc", HTTPRequest(.post, "/x", body: bytes("abc"))),
            ("POST /x HTTP/1.1\r\nContent-Length: 003\r\n\r\nabc", HTTPRequest(.post, "/x", body: bytes("abc"))),
            ("HEAD /accessories HTTP/1.1\r\n\r\n", HTTPRequest(.other, "/accessories")),
            ("OPTIONS /accessories HTTP/1.1\r\n\r\n", HTTPRequest(.other, "/accessories")),
            ("GET /Accessories HTTP/1.1\r\n\r\n", HTTPRequest(.get, "/Accessories")),
            ("GET /accessories%2F HTTP/1.1\r\n\r\n", HTTPRequest(.get, "/accessories%2F")),
            ("GET /a HTTP/1.0\r\n\r\n", HTTPRequest(.get, "/a", wantsClose: true)),
            ("GET /a HTTP/1.0\r\nConnection: keep-alive\r\n\r\n", HTTPRequest(.get, "/a")),
            ("GET /a HTTP/1.1\r\nConnection: Close\r\n\r\n", HTTPRequest(.get, "/a", wantsClose: true)),
            ("GET /a HTTP/1.1\r\nConnection: Keep-Alive\r\n\r\n", HTTPRequest(.get, "/a")),
            // iOS sends the Bonjour name with its escapes, and the parser must accept them.
            ("GET /a HTTP/1.1\r\nHost: Name\\032X._hap._tcp.local\r\n\r\n", HTTPRequest(.get, "/a")),
            ("GET /a HTTP/1.1\r\nHost: Küche._hap._tcp.local\r\nHost: 2\r\n\r\n", HTTPRequest(.get, "/a")),
            ("GET /a HTTP/1.1\r\nHost: 192.0.2.1:80\r\n\r\n", HTTPRequest(.get, "/a")),
            ("GET /a HTTP/1.1\r\nHost: [2001:db8::1.2]:80\r\n\r\n", HTTPRequest(.get, "/a")),
            ("GET /a HTTP/1.1\r\nHost: .:\r\n\r\n", HTTPRequest(.get, "/a", publicHost: ".")),
            (
                "GET /a HTTP/1.1\r\nHost: EVIL.example:80\r\nHost: x\r\n\r\n",
                HTTPRequest(.get, "/a", publicHost: "evil.example")
            ),
            (
                "GET /a HTTP/1.1\r\nX:\r\nExpect: 100-continue\r\nContent-Type: text/plain\r\n\r\n",
                HTTPRequest(.get, "/a")
            ),
            ("\r\n\r\nGET /a HTTP/1.1\r\n\r\n", HTTPRequest(.get, "/a")),
            (
                "POST /x HTTP/1.1\r\ncontent-TYPE: Application/Pairing+TLV8 ; a=b\r\n\r\n",
                HTTPRequest(.post, "/x", contentType: .pairingTLV8)
            ),
            (
                "PUT /x HTTP/1.1\r\nContent-Type: application/hap+json\r\n\r\n",
                HTTPRequest(.put, "/x", contentType: .hapJSON)
            ),
            (
                "POST /x HTTP/1.1\r\nContent-Type: application/pairing+tlv81\r\n\r\n", HTTPRequest(.post, "/x")
            ),
            ("GET /a HTTP/1.1\r\norigin: null\r\n\r\n", HTTPRequest(.get, "/a", isFromBrowser: true)),
            ("GET /a HTTP/1.1\r\nSEC-Fetch-Site: none\r\n\r\n", HTTPRequest(.get, "/a", isFromBrowser: true)),
            ("GET /a HTTP/1.1\r\nOriginal: x\r\nSec-Fetc: y\r\n\r\n", HTTPRequest(.get, "/a")),
        ])
    func read(text: String, request: HTTPRequest) {
        #expect(parse(text) == ([.request(request)], nil))
        #expect(parse(bytes(text).map { [$0] }) == ([.request(request)], nil))
        #expect(parse(text + text) == ([.request(request), .request(request)], nil))
    }

    @Test(
        "rejects each malformed request with the right error",
        arguments: [
            ("GET /a HTTP/2.0\r\n\r\n", .version), ("GET /a http/1.1\r\n\r\n", .version),
            ("GET /a HTTP/1.2\r\n\r\n", .version), ("GET /a HTTP/1.1 \r\n\r\n", .startLine),
            ("GET /a\r\n\r\n", .startLine), ("GET  /a HTTP/1.1\r\n\r\n", .startLine),
            (" GET /a HTTP/1.1\r\n\r\n", .startLine), ("GET /a b HTTP/1.1\r\n\r\n", .startLine),
            ("get /a HTTP/1.1\r\n\r\n", .startLine), ("G3T /a HTTP/1.1\r\n\r\n", .startLine),
            ("/a HTTP/1.1\r\n\r\n", .startLine), (" /a HTTP/1.1\r\n\r\n", .startLine),
            ("GET a HTTP/1.1\r\n\r\n", .startLine), ("GET http://x/a HTTP/1.1\r\n\r\n", .startLine),
            ("OPTIONS * HTTP/1.1\r\n\r\n", .startLine), ("GET /ä HTTP/1.1\r\n\r\n", .startLine),
            ("GET /\u{7F} HTTP/1.1\r\n\r\n", .startLine), ("GET /\t HTTP/1.1\r\n\r\n", .startLine),
            ("GET /a HTTP/1.1\nHost: x\r\n\r\n", .startLine), ("EVENT/1.0 200 OK\r\n\r\n", .startLine),
            ("HTTP/1.1 200 OK\r\n\r\n", .startLine), ("\u{0}\u{1}\r\n\r\n", .startLine),
            ("GET /a HTTP/1.1\r\nHost\r\n\r\n", .header), ("GET /a HTTP/1.1\r\n: x\r\n\r\n", .header),
            ("GET /a HTTP/1.1\r\nHo st: x\r\n\r\n", .header), ("GET /a HTTP/1.1\r\nHost : x\r\n\r\n", .header),
            ("GET /a HTTP/1.1\r\nHöst: x\r\n\r\n", .header), ("GET /a HTTP/1.1\r\n Host: x\r\n\r\n", .header),
            ("GET /a HTTP/1.1\r\nA: x\r\n folded\r\n\r\n", .header), ("GET /a HTTP/1.1\r\nA: x\rB: y\r\n\r\n", .header),
            ("GET /a HTTP/1.1\r\nA: x\nB: y\r\n\r\n", .header), ("GET /a HTTP/1.1\r\nA: \u{0}\r\n\r\n", .header),
            ("PUT /a HTTP/1.1\r\nContent-Length: \r\n\r\n", .contentLength),
            ("PUT /a HTTP/1.1\r\nContent-Length: -1\r\n\r\n", .contentLength),
            ("PUT /a HTTP/1.1\r\nContent-Length: +1\r\n\r\nx", .contentLength),
            ("PUT /a HTTP/1.1\r\nContent-Length: 1 1\r\n\r\nx", .contentLength),
            ("PUT /a HTTP/1.1\r\nContent-Length: 0x1\r\n\r\nx", .contentLength),
            ("PUT /a HTTP/1.1\r\nContent-Length: 1,1\r\n\r\nx", .contentLength),
            ("PUT /a HTTP/1.1\r\nContent-Length: 18446744073709551616\r\n\r\n", .contentLength),
            ("PUT /a HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 1\r\n\r\nx", .contentLength),
            ("PUT /a HTTP/1.1\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\nx", .transferEncoding),
            ("PUT /a HTTP/1.1\r\nTransfer-Encoding: chunked\r\nContent-Length: 1\r\n\r\nx", .transferEncoding),
            ("PUT /a HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx\r\n0\r\n\r\n", .transferEncoding),
            ("PUT /a HTTP/1.1\r\nTransfer-Encoding: identity\r\n\r\n", .transferEncoding),
        ] as [(String, ProtocolViolation.StaticReason)])
    func refused(text: String, reason: ProtocolViolation.StaticReason) {
        #expect(parse(text) == ([], .malformedHTTP(reason)))
        #expect(parse(bytes(text).map { [$0] }) == ([], .malformedHTTP(reason)))
    }

    // MARK: Limits (HAP 7.3)

    @Test("accepts a start line of up to 64 KiB, up to 100 header lines and up to 32 KiB of headers")
    func headLimits() {
        func head(startLine: Int = 14, lines: Int = 0, headers: Int = 3) -> String {
            "GET /" + String(repeating: "a", count: startLine - 14) + " HTTP/1.1\r\n"
                + String(repeating: "X: y\r\n", count: lines) + "X: " + String(repeating: "y", count: headers - 3)
                + "\r\n\r\n"
        }
        for text in [head(startLine: 65536), head(lines: 99), head(headers: 32768)] {
            #expect(parse(text).messages.count == 1)
        }
        #expect(parse(head(startLine: 65537)) == ([], .malformedHTTP(.headTooLong)))
        #expect(parse(head(lines: 100)) == ([], .malformedHTTP(.tooManyHeaders)))
        #expect(parse(head(headers: 32769)) == ([], .malformedHTTP(.headTooLong)))
    }

    @Test(
        "rejects an endless head at its limit, for pieces of any size", arguments: [1, 1000, 65536, 1 << 20])
    func endlessHead(size: Int) {
        for filler in ["GET /", "\r\r\r\r", "X: y\r\n", "\n\n\n\n"] {
            var parser = HTTPParser(requests: true)
            let piece = (0..<size).map { Array(filler.utf8)[$0 % filler.utf8.count] }
            var sent = 0
            #expect(throws: ProtocolViolation.self) {
                while sent < 200_000 {
                    parser.append(piece)
                    sent += size
                    _ = try parser.next()
                }
            }
            #expect(sent <= HTTPLimits.head + size)
        }
    }

    @Test(
        "skips up to four empty lines before a request, and counts the second one as the start of the request"
    )
    func emptyLines() throws {
        let request = "GET /a HTTP/1.1\r\n\r\n"
        let lines = String(repeating: "\r\n", count: 4)
        let message = HTTPMessage.request(HTTPRequest(.get, "/a"))
        #expect(parse(lines + request + lines + request) == ([message, message], nil))
        #expect(parse(request + lines + "\r\n" + request) == ([message], .malformedHTTP(.startLine)))
        #expect(parse(lines + "\r\n", requests: false) == ([], .malformedHTTP(.startLine)))
        var parser = HTTPParser(requests: true)
        for isBeginning in [false, true, true, true] {
            parser.append(bytes("\r\n"))
            #expect(try parser.next() == nil)
            #expect(parser.isMidMessage == isBeginning)
            #expect(parser.buffer.count == 0)
        }
        parser.append(bytes(request))
        #expect(try parser.next() == message)
        #expect(!parser.isMidMessage)
    }

    @Test(
        "accepts a body up to the length limit of its path",
        arguments: [
            ("/pair-setup", 65536, true), ("/pair-verify", 65536, true), ("/pairings", 65536, true),
            ("/characteristics", 1 << 20, true), ("/prepare", 1 << 20, true), ("/unknown", 1 << 20, true),
            // An unauthenticated peer always has the lower limit.
            ("/pair-setup", 65536, false), ("/characteristics", 65536, false), ("/unknown", 65536, false),
        ])
    func body(path: String, limit: Int, inSession: Bool) {
        let head = bytes("POST \(path) HTTP/1.1\r\nContent-Length: \(limit)\r\n\r\n")
        let whole = parse([head, [UInt8](repeating: 1, count: limit)], inSession: inSession)
        #expect(whole.messages == [.request(HTTPRequest(.post, path, body: [UInt8](repeating: 1, count: limit)))])
        // A length that is one byte too long is rejected before the body arrives.
        for length in [limit + 1, 999_999_999] {
            let head = bytes("POST \(path) HTTP/1.1\r\nContent-Length: \(length)\r\n\r\n")
            #expect(parse([head], inSession: inSession) == ([], .bodyTooLong))
        }
    }

    @Test("reports an incomplete message")
    func midMessage() throws {
        let text = bytes("PUT /prepare HTTP/1.1\r\nContent-Length: 2\r\n\r\n{}")
        var parser = HTTPParser(requests: true)
        #expect(!parser.isMidMessage)
        for byte in text.dropLast() {
            parser.append([byte])
            #expect(try parser.next() == nil)
            #expect(parser.isMidMessage)
        }
        parser.append([text[text.count - 1]])
        #expect(try parser.next() != nil)
        #expect(!parser.isMidMessage)
    }
}

@Suite("HTTPParser for a controller")
struct HTTPResponseParserTests {
    @Test(
        "parses responses and events whose bodies have a length or are sent in chunks",
        arguments: [
            ("HTTP/1.1 204 No Content\r\n\r\n", HTTPMessage.response(HTTPResponse(204))),
            ("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}", .response(HTTPResponse(200, body: bytes("{}")))),
            ("HTTP/1.1 200\r\nContent-Length: 2\r\n\r\n{}", .response(HTTPResponse(200, body: bytes("{}")))),
            ("HTTP/1.1 470 Any words at all\r\nContent-Length: 0\r\n\r\n", .response(HTTPResponse(470))),
            ("HTTP/1.0 200 OK\r\nContent-Length: 0\r\n\r\n", .response(HTTPResponse(200))),
            // A 204 response never has a body.
            ("HTTP/1.1 204 No Content\r\nContent-Length: 5\r\n\r\n", .response(HTTPResponse(204))),
            (
                "HTTP/1.1 207 Multi-Status\r\nContent-Type: application/hap+json\r\nContent-Length: 2\r\n\r\n{}",
                .response(HTTPResponse(207, .hapJSON, body: bytes("{}")))
            ),
            (
                "HTTP/1.1 200 OK\r\ncontent-type:  application/pairing+tlv8 \r\nContent-Length: 1\r\n\r\n\u{6}",
                .response(HTTPResponse(200, .pairingTLV8, body: [6]))
            ),
            (
                "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 1\r\n\r\nx",
                .response(HTTPResponse(200, body: bytes("x")))
            ),
            ("EVENT/1.0 200 OK\r\nContent-Length: 2\r\n\r\n{}", .event(body: bytes("{}"))),
            (
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\nA\r\n0123456789\r\n0\r\n\r\n",
                .response(HTTPResponse(200, body: bytes("abc0123456789")))
            ),
            (
                "HTTP/1.1 200 OK\r\ntransfer-encoding: Chunked\r\n\r\n00000001;name=value\r\na\r\n0 \r\n\r\n",
                .response(HTTPResponse(200, body: bytes("a")))
            ),
            ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", .response(HTTPResponse(200))),
            ("EVENT/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx\r\n0\r\n\r\n", .event(body: bytes("x"))),
            ("\r\nHTTP/1.1 204 \r\n\r\n", .response(HTTPResponse(204))),
        ])
    func read(text: String, message: HTTPMessage) {
        #expect(parse(text, requests: false) == ([message], nil))
        #expect(parse(bytes(text).map { [$0] }, requests: false) == ([message], nil))
        let event = "EVENT/1.0 200 OK\r\nContent-Length: 1\r\n\r\ne"
        #expect(parse(text + event + text, requests: false) == ([message, .event(body: bytes("e")), message], nil))
        let all = bytes(text)
        for split in all.indices {
            #expect(parse([Array(all[..<split]), Array(all[split...])], requests: false) == ([message], nil))
        }
    }

    @Test(
        "rejects each malformed response with the right error",
        arguments: [
            ("GET /a HTTP/1.1\r\n\r\n", .startLine), ("HTTP/1.1\r\n\r\n", .startLine),
            ("HTTP/1.1 20 OK\r\n\r\n", .startLine), ("HTTP/1.1 2000 OK\r\n\r\n", .startLine),
            ("HTTP/1.1 +20 OK\r\n\r\n", .startLine), ("HTTP/1.1 -20 OK\r\n\r\n", .startLine),
            ("HTTP/1.1 099 OK\r\n\r\n", .startLine), ("HTTP/1.1 600 OK\r\n\r\n", .startLine),
            ("HTTP/1.1 abc OK\r\n\r\n", .startLine), ("HTTP/1.1  200 OK\r\n\r\n", .startLine),
            ("HTTP/2.0 200 OK\r\n\r\n", .version), ("EVENT/1.1 200 OK\r\n\r\n", .version),
            ("event/1.0 200 OK\r\n\r\n", .version), ("ICY 200 OK\r\n\r\n", .version),
            ("HTTP/1.1 200 OK\r\nA\r\n\r\n", .header),
            ("HTTP/1.1 200 OK\r\nContent-Length: x\r\n\r\n", .contentLength),
            ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Length: 1\r\n\r\n", .contentLength),
            ("HTTP/1.1 200 OK\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n", .transferEncoding),
            ("HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n", .transferEncoding),
        ] as [(String, ProtocolViolation.StaticReason)])
    func refused(text: String, reason: ProtocolViolation.StaticReason) {
        #expect(parse(text, requests: false) == ([], .malformedHTTP(reason)))
        #expect(parse(bytes(text).map { [$0] }, requests: false) == ([], .malformedHTTP(reason)))
    }

    @Test(
        "rejects malformed chunks",
        arguments: [
            "x\r\n", "\r\n", ";a\r\n", "-1\r\n", "+1\r\na\r\n", "-0\r\n\r\n", "0x1\r\na\r\n", "123456789\r\n",
            "1\r\nab\r\n", "1\r\na\n\n", "1\r\na\n\n0\r\n\r\n", "1\r\na\rx0\r\n\r\n", "0\r\nTrailer: x\r\n\r\n",
            "1\na\n", "１\r\na\r\n",
            String(repeating: "0", count: 70) + "\r\n", "1;" + String(repeating: "e", count: 70) + "\r\na\r\n",
        ])
    func badChunks(text: String) {
        let head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
        // The filler completes a chunk for which the parser may only be waiting.
        let filler = String(repeating: "z", count: 100)
        #expect(parse(head + text + filler, requests: false) == ([], .malformedHTTP(.chunk)))
        let single = parse(bytes(head + text + filler).map { [$0] }, requests: false)
        #expect(single == ([], .malformedHTTP(.chunk)))
    }

    @Test("limits the length of bodies with and without chunks")
    func limits() {
        let limit = HTTPLimits.responseBody
        #expect(parse("HTTP/1.1 200 OK\r\nContent-Length: \(limit)\r\n\r\n", requests: false) == ([], nil))
        #expect(
            parse("HTTP/1.1 200 OK\r\nContent-Length: \(limit + 1)\r\n\r\n", requests: false) == ([], .bodyTooLong))
        let head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
        #expect(parse(head + "FFFFFFFF\r\n", requests: false) == ([], .bodyTooLong))
        let million = String(limit / 16, radix: 16)
        let chunk = bytes(million + "\r\n") + [UInt8](repeating: 1, count: limit / 16) + bytes("\r\n")
        let pieces = [bytes(head)] + [[UInt8]](repeating: chunk, count: 16)
        let exact = parse(pieces + [bytes("0\r\n\r\n")], requests: false)
        #expect(exact.violation == nil && exact.messages.count == 1)
        #expect(parse(pieces + [bytes("1\r\n")], requests: false) == ([], .bodyTooLong))
    }

    @Test("reads many small chunks in linear time", .timeout)
    func smallChunks() throws {
        var parser = HTTPParser(requests: false)
        parser.append(bytes("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nC00000\r\n"))
        parser.append([UInt8](repeating: 1, count: 0xC00000) + bytes("\r\n"))
        // If each chunk copied the previous twelve megabytes, these chunks would copy more than a terabyte.
        let chunk = bytes("1\r\nx\r\n")
        for _ in 0..<100_000 {
            parser.append(chunk)
            _ = try parser.next()
        }
        parser.append(bytes("0\r\n\r\n"))
        guard case .response(let response)? = try parser.next() else {
            Issue.record("the last chunk does not end the message")
            return
        }
        #expect(response.body.count == 0xC00000 + 100_000)
    }
}

@Suite("HTTPSerializer")
struct HTTPSerializerTests {
    private func text(_ message: HTTPMessage) -> String {
        String(decoding: HTTPSerializer.bytes(of: message), as: UTF8.self)
    }

    @Test("writes the length and type of a response, but neither for status 204")
    func responses() {
        #expect(text(.response(HTTPResponse(204))) == "HTTP/1.1 204 No Content\r\n\r\n")
        #expect(
            text(.response(HTTPResponse(200, .hapJSON, body: bytes("{}"))))
                == "HTTP/1.1 200 OK\r\nContent-Type: application/hap+json\r\nContent-Length: 2\r\n\r\n{}")
        #expect(
            text(.response(HTTPResponse(200, .pairingTLV8, body: bytes("x"))))
                == "HTTP/1.1 200 OK\r\nContent-Type: application/pairing+tlv8\r\nContent-Length: 1\r\n\r\nx")
        for (status, reason) in [
            (207, "Multi-Status"), (400, "Bad Request"), (470, "Connection Authorization Required"),
        ] {
            #expect(
                text(.response(HTTPResponse(status))) == "HTTP/1.1 \(status) \(reason)\r\nContent-Length: 0\r\n\r\n")
        }
    }

    @Test(
        "writes each status of HAP in a form that can be parsed",
        arguments: [200, 204, 207, 400, 403, 404, 405, 413, 470, 500, 503])
    func statuses(status: Int) {
        let written = HTTPSerializer.bytes(of: .response(HTTPResponse(status)))
        #expect(parse([written], requests: false) == ([.response(HTTPResponse(status))], nil))
    }

    @Test("writes requests that an accessory parses")
    func requests() {
        let requests = [
            HTTPRequest(.get, "/accessories"), HTTPRequest(.get, "/characteristics", query: "id=1.2,3.4"),
            HTTPRequest(.put, "/characteristics", body: bytes("{}"), contentType: .hapJSON),
            HTTPRequest(.post, "/pair-setup", body: [6, 1, 1], contentType: .pairingTLV8),
            HTTPRequest(.post, "/identify", contentType: .pairingTLV8), HTTPRequest(.other, "/accessories"),
        ]
        let written = requests.flatMap { HTTPSerializer.bytes(of: .request($0)) }
        #expect(parse([written]) == (requests.map { .request($0) }, nil))
    }
}

@Suite("HTTPParser in both roles")
struct HTTPParserTests {
    @Test("carries no state from one message to the next", arguments: [true, false])
    func noLeak(requests: Bool) {
        let first =
            requests
            ? "POST /a?q HTTP/1.0\r\nContent-Length: 1\r\n\r\nx"
            : "HTTP/1.1 200 OK\r\nContent-Type: application/hap+json\r\nContent-Length: 1\r\n\r\nx"
        let second = requests ? "GET /b HTTP/1.1\r\n\r\n" : "HTTP/1.1 404 Not Found\r\n\r\n"
        let expected: HTTPMessage = requests ? .request(HTTPRequest(.get, "/b")) : .response(HTTPResponse(404))
        #expect(parse(first + second, requests: requests).messages.last == expected)
    }
}
