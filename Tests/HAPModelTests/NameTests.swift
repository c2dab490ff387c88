import HAPTesting
import Testing

@testable import HAPModel

@Suite("AccessoryName.unique")
struct UniqueNameTests {
    @Test("appends the first free number to a name in use")
    func number() {
        #expect(AccessoryName.unique("Lamp", among: []) == "Lamp")
        #expect(AccessoryName.unique("Lamp", among: ["Lamp"]) == "Lamp 2")
        #expect(AccessoryName.unique("Lamp", among: ["Lamp", "Lamp 2", "Lamp 4"]) == "Lamp 3")
    }

    @Test("shortens a long name to append a number, and keeps it valid")
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

    @Test("uses the fallback for an empty name")
    func fallback() {
        #expect(AccessoryName.sanitized("💡 @ ", fallback: "Light 3") == "Light 3")
    }

    @Test(
        "returns a short name that begins and ends with a letter or digit for any text", arguments: 0..<4)
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

@Suite("Truncating text to a number of bytes")
struct PrefixTests {
    @Test(
        "keeps as many whole characters as fit",
        arguments: [
            ("", 0, ""), ("abc", 3, "abc"), ("abc", 2, "ab"), ("abc", 0, ""), ("äbc", 2, "ä"), ("äbc", 1, ""),
            ("👩‍👩‍👧x", 17, ""), ("👩‍👩‍👧x", 18, "👩‍👩‍👧"), ("e\u{301}x", 2, ""), ("e\u{301}x", 3, "e\u{301}"),
        ])
    func cut(text: String, limit: Int, expected: String) {
        #expect(text.prefix(bytes: limit) == expected)
    }
}

@Suite("FirmwareRevision")
struct FirmwareRevisionTests {
    @Test(
        "converts any text to numbers separated by dots",
        arguments: [
            ("1.4.2", "1.4.2"), ("v1.4.2-beta", "1.4.2"), ("20230717", "20230717"), ("1.2.3.4", "1.2.3"), ("1", "1"),
            ("1.0", "1.0"), ("01.002", "1.2"), ("", "0.0.1"), ("unknown", "0.0.1"), ("0.0.0", "0.0.1"), ("0", "0.0.1"),
            ("٣.٤", "0.0.1"), ("4294967295", "4294967295"), ("99999999999999999999999", "0.0.1"), ("-1", "1"),
        ])
    func normalized(text: String, expected: String) {
        #expect(FirmwareRevision.normalized(text) == expected)
        #expect(FirmwareRevision.isValid(expected))
    }

    @Test("converts missing text to a default")
    func none() {
        #expect(FirmwareRevision.normalized(nil) == "0.0.1")
    }

    @Test(
        "rejects invalid revisions",
        arguments: ["", "1.", ".1", "1..2", "1.2.3.4", "v1", "1 ", "4294967296", "+1", "١"])
    func invalid(text: String) {
        #expect(!FirmwareRevision.isValid(text))
        #expect(FirmwareRevision.isValid(FirmwareRevision.normalized(text)))
    }
}
