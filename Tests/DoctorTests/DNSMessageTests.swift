import TestTimeouts
import Testing

@testable import Doctor

@Suite("DNSMessage", .timeout)
struct DNSMessageTests {
    /// The header of a response with a number of answers.
    private static func header(answers: UInt8, id: UInt8 = 7) -> [UInt8] {
        [0, id, 0x84, 0, 0, 0, 0, answers, 0, 0, 0, 0]
    }

    /// Returns the fixed-length fields of a record: its type, class IN with the cache-flush bit, a time to live, and
    /// the length of the content.
    private static func fixed(_ kind: UInt8, _ length: UInt8) -> [UInt8] {
        [0, kind, 0x80, 1, 0, 0, 0, 120, 0, length]
    }

    private static func label(_ text: String) -> [UInt8] { [UInt8(text.utf8.count)] + Array(text.utf8) }

    @Test("encodes a query as in RFC 1035")
    func query() {
        #expect(
            DNSMessage.query(.init(.hapServices, .ptr), id: 0x1234)
                == [0x12, 0x34, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0] + Self.label("_hap") + Self.label("_tcp")
                + Self.label("local") + [0, 0, 12, 0, 1])
    }

    @Test(
        "rejects a name that is invalid in DNS",
        arguments: [
            [""], [String(repeating: "a", count: 64)], Array(repeating: String(repeating: "a", count: 60), count: 5),
        ])
    func unwritable(labels: [String]) {
        #expect(DNSMessage.query(.init(DNSName(labels), .a), id: 1) == nil)
    }

    @Test("parses a response with compressed names")
    func response() throws {
        // The name in the question begins at byte 12, and the instance name at byte 39.
        let question = Self.label("_hap") + Self.label("_tcp") + Self.label("local") + [0, 0, 12, 0, 1]
        let pointer: [UInt8] = [0xC0, 12] + Self.fixed(12, 5) + Self.label("Aa") + [0xC0, 12]
        var bytes: [UInt8] = [0, 7, 0x84, 0, 0, 1, 0, 1, 0, 0, 0, 4] + question
        let instance = UInt8(bytes.count + 12)
        bytes += pointer
        let service: [UInt8] =
            [0xC0, instance] + Self.fixed(33, 10) + [0, 0, 0, 0, 0xCA, 0x72] + Self.label("h") + [0xC0, 22]
        bytes += service
        bytes += [0xC0, instance] + Self.fixed(16, 9) + Self.label("sf=1") + Self.label("") + Self.label("c#")
        // A TSIG record, which is ignored.
        bytes += [0, 0, 250, 0, 1, 0, 0, 0, 0, 0, 1, 9]
        bytes += Self.label("h") + Self.label("local") + [0] + Self.fixed(1, 4) + [10, 77, 0, 1]

        let name = DNSName(["Aa", "_hap", "_tcp", "local"])
        let host = DNSName(["h", "local"])
        let message = try DNSMessage(bytes)
        #expect(message.id == 7 && message.isResponse)
        #expect(
            message.records == [
                DNSRecord(.hapServices, .pointer(name)), DNSRecord(name, .service(target: host, port: 51826)),
                DNSRecord(name, .text(["sf=1", "c#"])), DNSRecord(host, .address([10, 77, 0, 1])),
            ])
    }

    @Test(
        "rejects invalid messages",
        arguments: [
            ([], .truncated),
            ([0, 7, 0x84, 0], .truncated),
            ([UInt8](repeating: 0, count: 9001), .tooLong),
            // A header of 65535 answers without records.
            ([0, 7, 0x84, 0, 0, 0, 0xFF, 0xFF, 0, 0, 0, 0], .truncated),
            // A name that points to itself, a name that points forward, and a name whose pointers form a loop.
            (header(answers: 1) + [0xC0, 12], .badName),
            (header(answers: 1) + [0xC0, 40], .badName),
            (header(answers: 1) + [1, 0x61, 0xC0, 16, 0xC0, 12], .badName),
            // Unused label types.
            (header(answers: 1) + [0x40, 0], .badName),
            (header(answers: 1) + [0x80, 0], .badName),
            // A truncated label.
            (header(answers: 1) + [63, 0x61], .truncated),
            // A name that is longer than 255 bytes.
            (
                header(answers: 1) + Array(repeating: label(String(repeating: "a", count: 50)), count: 5).joined() + [
                    0
                ], .badName
            ),
            // Contents that are shorter or longer than the declared length.
            (header(answers: 1) + [0] + fixed(1, 3) + [1, 2, 3], .badRecord),
            (header(answers: 1) + [0] + fixed(28, 4) + [1, 2, 3, 4], .badRecord),
            (header(answers: 1) + [0] + fixed(12, 3) + [0, 0, 0], .badRecord),
            (header(answers: 1) + [0] + fixed(16, 2) + [9, 0x61] + [UInt8](repeating: 0, count: 20), .badRecord),
            (header(answers: 1) + [0] + fixed(33, 200) + [0, 0], .truncated),
        ] as [([UInt8], DNSViolation)])
    func hostile(bytes: [UInt8], violation: DNSViolation) {
        #expect(throws: violation) { try DNSMessage(bytes) }
    }

    @Test("ignores the case of ASCII letters when it compares names")
    func names() {
        #expect(DNSName(["Foo", "LOCAL"]) == DNSName(["fOO", "local"]))
        #expect(DNSName(["Ä"]) != DNSName(["ä"]))
        #expect(DNSName(["a", "b"]) != DNSName(["a.b"]))
    }

    @Test("builds the reverse name of an address")
    func reverse() {
        #expect(DNSName.reverse(of: [10, 77, 0, 1]).description == "1.0.77.10.in-addr.arpa")
        #expect(
            DNSName.reverse(of: [0xFE, 0x80] + [UInt8](repeating: 0, count: 13) + [0x12]).description
                == "2.1." + String(repeating: "0.", count: 26) + "0.8.e.f.ip6.arpa")
    }
}
