import HAPModel
import HomeModel
import Testing

@Suite("The validation of values") struct ValueTests {
    private static func metadata(
        _ format: CharacteristicFormat, _ minimum: Double? = nil, _ maximum: Double? = nil, _ step: Double? = nil,
        length: Int? = nil, validValues: [Int64]? = nil
    ) -> CharacteristicMetadata {
        CharacteristicMetadata(
            format: format, permissions: [.pairedRead, .pairedWrite], minimum: minimum, maximum: maximum, step: step,
            maximumLength: format == .string ? length : nil, maximumDataLength: format == .data ? length : nil,
            validValues: validValues)
    }

    @Test(
        "converts a value to the format, rounded to the nearest step",
        arguments: [
            (metadata(.bool), CharacteristicValue.integer(1), CharacteristicValue.bool(true)),
            (metadata(.bool), .float(0), .bool(false)), (metadata(.uint8, 0, 100), .float(40), .integer(40)),
            (metadata(.uint8, 0, 100, 5), .integer(42), .integer(40)),
            (metadata(.int, -10, 10), .integer(-10), .integer(-10)),
            (metadata(.uint8), .integer(255), .integer(255)), (metadata(.uint64), .integer(.max), .integer(.max)),
            (metadata(.uint64), .unsigned(.max), .unsigned(.max)),
            (metadata(.uint64, 0, 0x1p64, 2), .unsigned(.max - 1), .unsigned(.max - 1)),
            (metadata(.uint64), .float(0x1p63), .unsigned(1 << 63)),
            (metadata(.float), .unsigned(.max), .float(0x1p64)),
            (metadata(.float, 0, 360, 0.5), .integer(30), .float(30)),
            (metadata(.float, 10, 38, 0.1), .float(21.04), .float(21)),
            (metadata(.float, 7.2, 33.3, 0.1), .float(33.3), .float(33.3)),
            (metadata(.float, 7.2, 33.3, 0.1), .float(7.2 + 261 * 0.1), .float(33.3)),
            (metadata(.float, 7.2, 33.29999923706055, 0.1), .float(33.3), .float(33.29999923706055)),
            (metadata(.float, 0, 1, 0.3), .float(1), .float(0.9)),
            (metadata(.uint8, validValues: [0, 2]), .integer(2), .integer(2)),
            (metadata(.string, length: 3), .string("abc"), .string("abc")),
            (metadata(.data, length: 1), .data([1]), .data([1])),
        ])
    func taken(metadata: CharacteristicMetadata, value: CharacteristicValue, expected: CharacteristicValue) throws {
        #expect(try metadata.validatedWrite(value) == expected)
    }

    @Test(
        "rejects an invalid value with its code",
        arguments: [
            (metadata(.bool), CharacteristicValue.integer(2), 43), (metadata(.bool), .string("true"), 43),
            (metadata(.uint8, 10, 100), .integer(9), 44), (metadata(.uint8, 10, 100), .integer(101), 45),
            (metadata(.uint8), .integer(256), 45), (metadata(.uint8), .integer(-1), 44),
            (metadata(.uint8), .float(1.5), 43), (metadata(.uint8), .bool(true), 43),
            (metadata(.uint32), .unsigned(.max), 45), (metadata(.uint64), .float(0x1p64), 45),
            (metadata(.uint64, 0, 0x1p63), .unsigned(.max), 45), (metadata(.bool), .unsigned(.max), 43),
            (metadata(.uint64, validValues: [0, 2]), .unsigned(.max), 3),
            (metadata(.uint32), .float(1e300), 45), (metadata(.int), .float(-1e300), 44),
            (metadata(.float, 0, 1), .float(.nan), 43), (metadata(.float, 0, 1), .float(.infinity), 43),
            (metadata(.float, 0, 1), .float(1.01), 45), (metadata(.float, 0, 1), .float(-0.01), 44),
            (metadata(.uint8, validValues: [0, 2]), .integer(1), 3),
            (metadata(.string, length: 3), .string("abcd"), 46),
            (metadata(.string), .string(String(repeating: "x", count: 65)), 46),
            (metadata(.string, length: 1000), .string(String(repeating: "x", count: 257)), 46),
            (metadata(.string), .integer(1), 43), (metadata(.data, length: 1), .data([1, 2]), 56),
            (metadata(.tlv8), .string("x"), 43),
            (CharacteristicMetadata(format: .bool, permissions: .pairedRead), .string("x"), 5),
        ])
    func refused(metadata: CharacteristicMetadata, value: CharacteristicValue, code: Int) {
        let error = #expect(throws: HomeError.self) { try metadata.validatedWrite(value) }
        #expect(error?.code.rawValue == code)
    }

    @Test("checks for a missing value first, then for the permission")
    func permissions() {
        let locked = CharacteristicMetadata(format: .bool, permissions: [])
        #expect(throws: HomeError(.nilParameter)) { try locked.validatedWrite(nil) }
        #expect(throws: HomeError(.readOnlyCharacteristic)) { try locked.validatedWrite(.bool(true)) }
        #expect(throws: HomeError(.writeOnlyCharacteristic)) { try locked.validateRead() }
    }
}
