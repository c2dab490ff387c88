import HAPModel
import Testing

@Suite("AccessoryName")
struct AccessoryNameTests {
    @Test(
        "changes a name as little as necessary",
        arguments: [
            ("Reading Lamp", "Reading Lamp"), ("  Lamp ", "Lamp"), ("Anna’s Lamp", "Anna's Lamp"),
            ("a_b/c:d(e)&f+g;h!i", "a_b/c:d(e)&f g;h!i"), ("Lamp (left) 2", "Lamp (left) 2"),
            ("Lamp (left)", "Lamp left"), ("(Lamp)", "Lamp"), ("a) b (c", "a b c"), ("R&B: Flur!", "R&B: Flur"),
            ("Küche – Läden 2", "Küche Läden 2"), ("灯", "灯"),
            ("Lamp 💡 one", "Lamp one"), ("1️⃣ Lamp", "Lamp"), ("-Lamp.", "Lamp"), ("A-B.C,D", "A-B.C,D"),
            ("a\nb\u{0}c", "a b c"), ("💡", ""), ("", ""), ("...", ""),
            (String(repeating: "ü", count: 40), String(repeating: "ü", count: 32)),
            (String(repeating: "a", count: 63) + " b", String(repeating: "a", count: 63)),
        ])
    func valid(name: String, expected: String) {
        let valid = AccessoryName.sanitized(name, fallback: "")
        #expect(valid == expected)
        #expect(AccessoryName.sanitized(valid, fallback: "") == valid)
        #expect(valid.utf8.count <= AccessoryName.maximumLength)
    }
}
