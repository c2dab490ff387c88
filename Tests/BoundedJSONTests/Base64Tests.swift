import BoundedJSON
import Testing

@Suite("Base64")
struct Base64Tests {
    @Test("encodes and decodes bytes", arguments: 0..<70)
    func roundTrip(count: Int) {
        let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 37 &+ count) }
        let text = Base64.encode(bytes)
        #expect(text.utf8.count == (count + 2) / 3 * 4)
        #expect(Base64.decode(text) == bytes)
    }

    @Test(
        "rejects text that isn't strict Base64",
        arguments: [
            "A", "AA", "AAA", "AA=", "AAA=A", "=AAA", "AA==AA==", "AA== ", " AA==", "A A=", "AA\n==", "AB==", "AAB=",
            "A-_A", "ÄAAA", "====", "AAAA=", "AAAA====", "\u{0}AAA",
        ])
    func refused(text: String) {
        #expect(Base64.decode(text) == nil)
    }

    @Test("encodes and decodes known strings")
    func known() {
        #expect(Base64.encode([]) == "")
        #expect(Base64.decode("") == [])
        #expect(Base64.encode(Array("Man".utf8)) == "TWFu")
        #expect(Base64.decode("TWE=") == Array("Ma".utf8))
        #expect(Base64.encode([0xFF, 0xEF]) == "/+8=")
    }
}
