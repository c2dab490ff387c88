import HAPTesting
import Testing

@testable import HAPProtocol

@Suite("TLV8")
struct TLV8Tests {
    private let vectors: Vectors

    init() throws { vectors = try Vectors.load()["tlv8"] }

    private func value(_ count: Int) -> [UInt8] { (0..<count).map { UInt8(truncatingIfNeeded: $0) } }

    @Test("splits values into fragments of 255 bytes and joins them")
    func fragmentation() throws {
        let entries = try vectors["fragmentation"].list
        #expect(entries.count == 9)
        for entry in entries {
            let item = TLV8.Item(type: UInt8(try entry["type_int"].int), value: value(try entry["value_len"].int))
            let encoded = try entry["encoded"].bytes
            #expect(TLV8.encode([item]) == encoded, "\(entry.path)")
            #expect(try TLV8.items(in: encoded) == [item], "\(entry.path)")
        }
    }

    @Test("keeps a value of any length between other items")
    func roundTrip() throws {
        for count in 0...1100 {
            let items = [
                TLV8.Item(type: 6, value: [1]), TLV8.Item(type: 5, value: value(count)), TLV8.Item(type: 0, value: []),
            ]
            #expect(try TLV8.items(in: TLV8.encode(items)) == items)
        }
    }

    @Test("rejects each golden malformed body")
    func invalid() throws {
        let entries = try vectors["invalid"].list
        #expect(entries.count == 8)
        for entry in entries {
            let bytes = try entry["encoded"].bytes
            let name = try entry["name_text"].text
            if name.contains("followed by an empty fragment") {
                // HAP 3.2: some peers write a value of exactly 255 bytes in this way.
                #expect(try PairingTLV(parsing: bytes)[.encryptedData] == [UInt8](repeating: 0, count: 255))
            } else {
                #expect(throws: ProtocolViolation.self, "\(name)") {
                    _ = try PairingTLV(parsing: bytes).state()
                }
            }
        }
    }

    @Test("ignores items of unknown types, and accepts items in any order")
    func unusual() throws {
        let entries = try vectors["valid_but_unusual"].list
        #expect(entries.count == 2)
        for entry in entries {
            let message = try PairingTLV(parsing: try entry["encoded"].bytes)
            #expect(try message.state() == 1)
            #expect(try message.byte(.method) == 0)
        }
    }

    @Test(
        "rejects repeated and truncated items, and splits records at separators",
        arguments: [
            ("06", nil), ("0601", nil), ("060201", nil), ("060101 06", nil),
            ("060101 060101", nil), ("060101 000100 060101", nil), ("e70101 e70102", nil),
            ("060101 e70101 060102", nil), ("ff0100", nil), ("060101 ff00 060102", 2), ("ff00 060101", 1),
            ("060101 ff00", 1), ("ff00ff00 060101 ff00ff00 060102 ff00ff00", 2), ("", 1), ("ff00", 1), ("0600", 1),
            ("e700", 1), ("e70101 060101 e70102", 1),
        ] as [(String, Int?)])
    func rules(hex: String, records: Int?) throws {
        let bytes = try #require([UInt8](hex: hex.filter { $0 != " " }))
        if let records {
            #expect(try PairingTLV(parsing: bytes).list.count == records)
        } else {
            #expect(throws: ProtocolViolation.malformedTLV) { try PairingTLV(parsing: bytes) }
        }
    }

    @Test(
        "accepts repeated separators of the given type, but no other repeated items",
        arguments: [
            ("0000 0000", 0, 2), ("0000 0000", 0xFF, nil), ("ff00 ff00", 0xFF, 2), ("ff00 ff00", 0, nil),
            ("010105 0000 010106", 0, 3), ("010105 0000 010106", 0xFF, 3), ("010105 010106", 0, nil),
        ] as [(String, UInt8, Int?)])
    func separators(hex: String, separator: UInt8, count: Int?) throws {
        let bytes = try #require([UInt8](hex: hex.filter { $0 != " " }))
        let items = try? TLV8.items(in: bytes, separator: separator)
        #expect(items?.count == count)
    }

    @Test(
        "ignores separators between the items of a message",
        arguments: ["060101ff00000100", "ff00060101ff00000100ff00"])
    func needlessSeparators(hex: String) throws {
        let message = try PairingTLV(parsing: try #require([UInt8](hex: hex)))
        #expect(try message.state() == 1)
        #expect(try message.byte(.method) == 0)
    }

    @Test("writes a separator between the records of a list")
    func list() throws {
        let encoded = try vectors["list_with_separator"]["encoded"].bytes
        let message = try PairingTLV(parsing: encoded)
        #expect(message.list.map { $0[.identifier] } == [Array("A".utf8), Array("B".utf8)])
        #expect(message.list.map { $0[.permissions] } == [[1], [0]])
        #expect(message.encoded == encoded)
    }

    @Test("rejects a state, method or error that isn't one byte long", arguments: [PairingItem.state, .method, .error])
    func singleBytes(item: PairingItem) throws {
        for value in [[], [1, 0], [UInt8](repeating: 0, count: 300)] as [[UInt8]] {
            var message = PairingTLV()
            message[item] = value
            let read = try PairingTLV(parsing: message.encoded)
            #expect(throws: ProtocolViolation.badItem(item)) { try read.byte(item) }
        }
        #expect(try PairingTLV().byte(item) == nil)
        #expect(throws: ProtocolViolation.badItem(.state)) { try PairingTLV().state() }
    }

    @Test("rejects an item whose length is out of range")
    func required() throws {
        var message = PairingTLV()
        message[.proof] = [1, 2, 3]
        #expect(try message.required(.proof, length: 3...3) == [1, 2, 3])
        #expect(throws: ProtocolViolation.badItem(.proof)) { try message.required(.proof, length: 4...9) }
        #expect(throws: ProtocolViolation.badItem(.salt)) { try message.required(.salt, length: 0...9) }
        message[.proof] = nil
        #expect(message.encoded == [])
    }

    @Test("begins a message with its state, and writes only the state and the error in a failure message")
    func messages() {
        #expect(PairingTLV.message(2, (.salt, [9])).encoded == [6, 1, 2, 2, 1, 9])
        #expect(PairingTLV.failure(4, .authentication).encoded == [6, 1, 4, 7, 1, 2])
    }

    @Test("never returns the last item of a truncated body")
    func everyCut() throws {
        let body = PairingTLV.message(3, (.publicKey, value(384)), (.proof, value(64))).encoded
        for count in 0..<body.count {
            if let message = try? PairingTLV(parsing: Array(body.prefix(count))) {
                #expect(message[.proof] == nil)
            }
        }
    }
}
