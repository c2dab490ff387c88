import HAPTesting
import Testing

@testable import HAPModel

@Suite("Names are made unique, and stay names")
struct UniqueNameTests {
    @Test("the first free number is appended")
    func number() {
        #expect(AccessoryName.unique("Lamp", among: []) == "Lamp")
        #expect(AccessoryName.unique("Lamp", among: ["Lamp"]) == "Lamp 2")
        #expect(AccessoryName.unique("Lamp", among: ["Lamp", "Lamp 2", "Lamp 4"]) == "Lamp 3")
    }

    @Test("a long name gives way to its number, and is still one that needs no change")
    func long() {
        let names = [
            String(repeating: "a", count: 64), String(repeating: "ü", count: 32),
            String(repeating: "a", count: 61) + " bb", String(repeating: "a", count: 60) + " , b",
        ]
        for name in names {
            let unique = AccessoryName.unique(name, among: [name])
            #expect(unique.utf8.count <= AccessoryName.maximumLength)
            #expect(unique.hasSuffix(" 2"))
            #expect(AccessoryName.sanitized(unique, fallback: "") == unique)
        }
    }

    @Test("the fallback stands in for nothing")
    func fallback() {
        #expect(AccessoryName.sanitized("💡 @ ", fallback: "Light 3") == "Light 3")
    }

    @Test(
        "whatever comes in, a name comes out: short, and beginning and ending with a letter or digit", arguments: 0..<4)
    func random(seed: Int) {
        var random = SeededNumbers(seed: UInt64(seed))
        let alphabet = Array("aZ09 äß灯🇩🇪👩‍👩‍👧e\u{301}'’-.,_/:;!()&+@\"\n\t\u{0}\u{200D}\u{FE0F}١½Ⅷ")
        for _ in 0..<500 {
            let count = Int.random(in: 0...90, using: &random)
            let text = String((0..<count).map { _ in alphabet.randomElement(using: &random) ?? "a" })
            let name = AccessoryName.sanitized(text, fallback: "")
            #expect(name.utf8.count <= AccessoryName.maximumLength)
            #expect(!name.contains("  ") && !name.contains("\n") && !name.contains("@") && !name.contains("🇩🇪"))
            if let first = name.first, let last = name.last {
                #expect(first.isLetter || first.isNumber)
                #expect(last.isLetter || last.isNumber)
            }
            #expect(AccessoryName.sanitized(name, fallback: "") == name)
        }
    }
}

@Suite("Text is cut between characters")
struct PrefixTests {
    @Test(
        "as many whole characters as fit",
        arguments: [
            ("", 0, ""), ("abc", 3, "abc"), ("abc", 2, "ab"), ("abc", 0, ""), ("äbc", 2, "ä"), ("äbc", 1, ""),
            ("👩‍👩‍👧x", 17, ""), ("👩‍👩‍👧x", 18, "👩‍👩‍👧"), ("e\u{301}x", 2, ""), ("e\u{301}x", 3, "e\u{301}"),
        ])
    func cut(text: String, limit: Int, expected: String) {
        #expect(text.prefix(bytes: limit) == expected)
    }
}

@Suite("Firmware revisions")
struct FirmwareRevisionTests {
    @Test(
        "any text becomes numbers with points",
        arguments: [
            ("1.4.2", "1.4.2"), ("v1.4.2-beta", "1.4.2"), ("20230717", "20230717"), ("1.2.3.4", "1.2.3"), ("1", "1"),
            ("1.0", "1.0"), ("01.002", "1.2"), ("", "0.0.1"), ("unknown", "0.0.1"), ("0.0.0", "0.0.1"), ("0", "0.0.1"),
            ("٣.٤", "0.0.1"), ("4294967295", "4294967295"), ("99999999999999999999999", "0.0.1"), ("-1", "1"),
        ])
    func normalized(text: String, expected: String) {
        #expect(FirmwareRevision.normalized(text) == expected)
        #expect(FirmwareRevision.isValid(expected))
    }

    @Test("no text is a revision as well")
    func none() {
        #expect(FirmwareRevision.normalized(nil) == "0.0.1")
    }

    @Test(
        "what controllers do not take is known",
        arguments: ["", "1.", ".1", "1..2", "1.2.3.4", "v1", "1 ", "4294967296", "+1", "١"])
    func invalid(text: String) {
        #expect(!FirmwareRevision.isValid(text))
        #expect(FirmwareRevision.isValid(FirmwareRevision.normalized(text)))
    }
}
