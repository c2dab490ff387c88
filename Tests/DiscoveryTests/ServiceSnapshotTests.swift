import TestTimeouts
import Testing

@testable import Discovery

@Suite("TXTRecord and ServiceAddress", .timeout)
struct ServiceSnapshotTests {
    func service(_ name: String, port: UInt16 = 1, txt: TXTRecord = [:]) -> DiscoveredService {
        DiscoveredService(id: .init(name: name, host: "\(name).local"), port: port, txt: txt, addresses: [])
    }

    @Test(
        "keeps the first valid string of each key",
        arguments: [
            (["a=1", "b="], "a=1 b="),
            (["id=AA=BB"], "id=AA=BB"),
            (["flag"], "flag"),
            (["", "=x", "k\u{e9}=1", "\u{1}=2", "ok=1"], "ok=1"),
            (["C#=3", "c#=4"], "C#=3"),
        ])
    func strings(_ strings: [String], _ read: String) {
        #expect(TXTRecord(strings: strings.map { Array($0.utf8) }).description == read)
    }

    @Test("accepts any bytes as a value, and finds keys in either case")
    func values() {
        let record = TXTRecord(strings: [[0x69, 0x44, 0x3D, 0xFF, 0x00], Array("flag".utf8)])
        #expect(record.entries.first?.bytes == [0xFF, 0x00])
        #expect(record["id"] == "\u{FFFD}\0")
        #expect(record["FLAG"] == "")
        #expect(record.entries.last?.bytes == nil)
        #expect(record["flags"] == nil)
    }

    @Test("truncates a long record")
    func bounded() {
        let many = TXTRecord(strings: (0..<1000).map { Array("\($0)=".utf8) })
        #expect(many.entries.count == TXTRecord.largestCount)
        let long = TXTRecord(strings: (0..<60).map { Array("\($0)=\(String(repeating: "x", count: 100))".utf8) })
        #expect(long.entries.count == 19)
    }

    @Test(
        "formats addresses as text",
        arguments: [
            ([10, 77, 0, 1], "10.77.0.1"),
            ([0xFE, 0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1], "fe80::1%eth0"),
            ([0xFD, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1], "fd00::1"),
        ] as [([UInt8], String)])
    func addresses(_ bytes: [UInt8], _ text: String) throws {
        let address = try #require(ServiceAddress(bytes: bytes, interface: 2, interfaceName: "eth0"))
        #expect(address.description == text)
    }

    @Test(
        "recognizes link-local addresses",
        arguments: [
            ([169, 254, 3, 4], true), ([169, 253, 3, 4], false), ([168, 254, 3, 4], false), ([10, 77, 0, 1], false),
            ([0xFE, 0x80] + Array(repeating: 0, count: 14), true),
            ([0xFE, 0xBF] + Array(repeating: 0, count: 14), true),
            ([0xFE, 0xC0] + Array(repeating: 0, count: 14), false),
            ([0xFD, 0x80] + Array(repeating: 0, count: 14), false),
        ] as [([UInt8], Bool)])
    func linkLocal(_ bytes: [UInt8], _ isLinkLocal: Bool) throws {
        let address = try #require(ServiceAddress(bytes: bytes, interface: 2, interfaceName: "eth0"))
        #expect(address.isLinkLocal == isLinkLocal)
    }

    @Test("orders addresses by family, then by number")
    func order() throws {
        let texts: [[UInt8]] = [[9, 0, 0, 200], [10, 0, 0, 9], [10, 0, 0, 10], Array(repeating: 0, count: 16)]
        let addresses = try texts.map {
            try #require(ServiceAddress(bytes: $0, interface: 2, interfaceName: "eth0"))
        }
        #expect(addresses.reversed().sorted() == addresses)
        #expect(ServiceAddress(bytes: [1, 2, 3], interface: 2, interfaceName: "eth0") == nil)
    }
}
