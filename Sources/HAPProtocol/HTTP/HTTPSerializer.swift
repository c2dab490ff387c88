/// A serializer of HTTP messages that writes only the necessary headers.
package enum HTTPSerializer {
    package static func bytes(of message: HTTPMessage) -> [UInt8] {
        switch message {
        case .request(let request): bytes(of: request)
        case .response(let response): bytes(of: response)
        case .event(let body): head("EVENT/1.0 200 OK\r\n", .hapJSON, body)
        }
    }

    private static func bytes(of response: HTTPResponse) -> [UInt8] {
        let line: StaticString =
            switch response.status {
            case 200: "HTTP/1.1 200 OK\r\n"
            case 204: "HTTP/1.1 204 No Content\r\n"
            case 207: "HTTP/1.1 207 Multi-Status\r\n"
            case 400: "HTTP/1.1 400 Bad Request\r\n"
            case 403: "HTTP/1.1 403 Forbidden\r\n"
            case 404: "HTTP/1.1 404 Not Found\r\n"
            case 405: "HTTP/1.1 405 Method Not Allowed\r\n"
            case 413: "HTTP/1.1 413 Content Too Large\r\n"
            case 421: "HTTP/1.1 421 Misdirected Request\r\n"
            case 470: "HTTP/1.1 470 Connection Authorization Required\r\n"
            case 503: "HTTP/1.1 503 Service Unavailable\r\n"
            default: "HTTP/1.1 500 Internal Server Error\r\n"
            }
        // A 204 response has neither a body nor a length (HAP 8.2).
        guard response.status != 204 else { return line.withUTF8Buffer { Array($0) } + Array("\r\n".utf8) }
        return head(line, response.contentType, response.body)
    }

    private static func head(_ line: StaticString, _ type: HTTPContentType?, _ body: [UInt8]) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(128 + body.count)
        line.withUTF8Buffer { bytes.append(contentsOf: $0) }
        switch type {
        case .hapJSON: append("Content-Type: application/hap+json\r\n", to: &bytes)
        case .pairingTLV8: append("Content-Type: application/pairing+tlv8\r\n", to: &bytes)
        case .metrics: append("Content-Type: text/plain; version=0.0.4; charset=utf-8\r\n", to: &bytes)
        case nil: break
        }
        append("Content-Length: ", to: &bytes)
        bytes.append(contentsOf: String(body.count).utf8)
        append("\r\n\r\n", to: &bytes)
        bytes.append(contentsOf: body)
        return bytes
    }

    private static func append(_ text: StaticString, to bytes: inout [UInt8]) {
        text.withUTF8Buffer { bytes.append(contentsOf: $0) }
    }

    private static func bytes(of request: HTTPRequest) -> [UInt8] {
        let (method, usualType): (String, HTTPContentType?) =
            switch request.method {
            case .get: ("GET", nil)
            case .put: ("PUT", .hapJSON)
            case .post: ("POST", .pairingTLV8)
            case .other: ("OPTIONS", nil)
            }
        var head = "\(method) \(request.path)"
        if let query = request.query { head += "?\(query)" }
        head += " HTTP/1.1\r\nHost: \(request.publicHost ?? "accessory")\r\n"
        if let type = request.contentType ?? usualType {
            head += "Content-Type: \(type.rawValue)\r\nContent-Length: \(request.body.count)\r\n"
        }
        return Array(head.utf8) + Array("\r\n".utf8) + request.body
    }
}
