import HAPTesting
import Testing

@testable import HAPModel

@Suite("SetupCode")
struct SetupCodeTests {
    @Test("rejects the twelve trivial codes")
    func forbidden() throws {
        let codes = try Vectors.load()["setup"]["forbidden_codes_text"].list.map { try $0.text }
        #expect(codes.count == 12)
        for code in codes {
            #expect(SetupCode(code) == nil)
            let number = try #require(UInt32(code.filter { $0 != "-" }))
            #expect(SetupCode(number: number) == nil)
        }
    }

    @Test("prints eight digits with dashes", arguments: [1, 10, 3_145_154, 41_527_893, 99_999_998] as [UInt32])
    func text(number: UInt32) throws {
        let code = try #require(SetupCode(number: number))
        #expect(code.text.utf8.count == 10)
        #expect(SetupCode(code.text) == code)
        #expect(code.text.filter { $0 != "-" } == String(repeating: "0", count: 8 - "\(number)".count) + "\(number)")
    }

    @Test(
        "rejects text that isn't of the form XXX-XX-XXX",
        arguments: [
            "", "03145154", "031-45-15", "031-45-1545", "031 45 154", "03-145-154", "031-45-15a", "031-45-1٥4",
            "-31-45-154", "031–45–154", "+31-45-154", "031-45-154\n", " 31-45-154", "031-45-154-",
        ])
    func malformed(text: String) {
        #expect(SetupCode(text) == nil)
    }

    @Test("rejects a number of more than eight digits", arguments: [100_000_000, 134_217_727, UInt32.max] as [UInt32])
    func tooLarge(number: UInt32) {
        #expect(SetupCode(number: number) == nil)
    }

    @Test("draws again after a trivial code")
    func random() {
        var draws: [UInt32] = [12_345_678, 0, 99_999_999, 5]
        var bounds: Set<UInt32> = []
        let code = SetupCode.random { bound in
            bounds.insert(bound)
            return draws.removeFirst()
        }
        #expect(code.number == 5)
        #expect(draws.isEmpty)
        #expect(bounds == [100_000_000])
    }

    @Test("prints a placeholder instead of the code")
    func secret() throws {
        let code = try #require(SetupCode("415-27-893"))
        var dumped = ""
        dump(code, to: &dumped)
        for text in ["\(code)", String(reflecting: code), dumped] {
            #expect(!text.contains("415") && !text.contains("41527893"))
        }
    }
}

@Suite("SetupID")
struct SetupIDTests {
    @Test("accepts four digits or uppercase letters", arguments: ["7OSX", "0000", "ZZZZ", "A1B2"])
    func valid(text: String) {
        #expect(SetupID(text)?.description == text)
    }

    @Test(
        "rejects anything but four digits or uppercase letters",
        arguments: ["", "7OS", "7OSXX", "7osx", "7OS-", "7OS ", "ÄÖÜ", "７OSX"])
    func invalid(text: String) {
        #expect(SetupID(text) == nil)
    }

    @Test("draws each character of a random id separately")
    func random() {
        #expect(SetupID.random { $0 - 1 }.description == "ZZZZ")
        #expect(SetupID.random { _ in 10 }.description == "AAAA")
    }
}

@Suite("SetupPayload")
struct SetupPayloadTests {
    @Test("encodes and parses every golden URI")
    func vectors() throws {
        let uris = try Vectors.load()["setup"]["uris"].list
        #expect(uris.count == 9)
        for vector in uris {
            let code = try vector["setup_code_text"].optionalText.map { try #require(SetupCode($0)) }
            let id = try vector["setup_id_text"].optionalText.map { try #require(SetupID($0)) }
            let payload = SetupPayload(
                category: AccessoryCategory(rawValue: UInt16(try vector["category_int"].int)), code: code, setupID: id,
                supportsIP: try vector["ip"].bool, supportsBLE: try vector["ble"].bool,
                isPaired: try vector["paired"].bool)
            let uri = try vector["uri_text"].text
            #expect(payload.uri == uri)
            #expect(payload.number == UInt64(try vector["number_int"].int))
            #expect(try SetupPayload(uri: uri) == payload, "\(uri)")
        }
    }

    @Test("encodes neither the code nor the setup id of a paired accessory")
    func paired() throws {
        let payload = SetupPayload(
            category: .bridge, code: SetupCode("031-45-154"), setupID: SetupID("1QJ8"), isPaired: true)
        let read = try SetupPayload(uri: payload.uri)
        #expect(read.isPaired && read.code == nil && read.setupID == nil)
        #expect(payload.uri.hasSuffix("0000"))
        // The parser ignores the code of a paired accessory, so check directly that the encoder omitted it.
        #expect(payload.number & 0x7FF_FFFF == 0)
    }

    @Test("ignores the code of a paired accessory")
    func pairedWithCode() throws {
        let read = try SetupPayload(uri: "X-HM://0022ISYWY1QJ8")
        #expect(read.isPaired && read.code == nil && read.setupID == nil)
        #expect(try SetupPayload(uri: read.uri) == read)
    }

    @Test("keeps a setup id without a code, so that controllers find the accessory after the user types its code")
    func idWithoutCode() throws {
        let payload = SetupPayload(category: .lightbulb, code: nil, setupID: SetupID("1QJ8"))
        #expect(payload.uri.hasSuffix("1QJ8"))
        #expect(try SetupPayload(uri: payload.uri) == payload)
    }

    @Test(
        "rejects each invalid URI with the right error",
        arguments: [
            ("", SetupPayload.ParseError.notASetupPayload), ("X-HM://", .notASetupPayload),
            ("X-HM://0023ISYWY1QJ", .notASetupPayload), ("X-HM://0023ISYWY1QJ88", .notASetupPayload),
            ("x-hm://0023ISYWY1QJ8", .notASetupPayload), ("HTTP://0023ISYWY1QJ8", .notASetupPayload),
            ("X-HM://0023isywy1QJ8", .badCharacter), ("X-HM://0023ISYWY1qj8", .badCharacter),
            ("X-HM://0023-SYWY1QJ8", .badCharacter), ("X-HM://0023ISYW\u{1}1QJ8", .badCharacter),
            ("X-HM://ZZZZZZZZZ1QJ8", .unknownVersion),
        ])
    func refused(uri: String, error: SetupPayload.ParseError) {
        #expect(throws: error) { try SetupPayload(uri: uri) }
    }

    @Test("rejects forbidden codes and codes of nine digits in a URI")
    func forbidden() throws {
        for digits in [11_111_111, 12_345_678, 99_999_999, 100_000_000, (1 << 27) - 1] as [UInt64] {
            var number = 2 << 31 | 1 << 28 | digits
            var text: [Character] = []
            for _ in 0..<9 {
                text.append(Character(Unicode.Scalar(Base36.alphabet[Int(number % 36)])))
                number /= 36
            }
            #expect(throws: SetupPayload.ParseError.badCode) {
                try SetupPayload(uri: "X-HM://" + String(text.reversed()) + "7OSX")
            }
        }
    }
}
