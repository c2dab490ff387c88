import HAPModel
import HAPTesting
import Testing

/// A test case from HAP 11: a characteristic, a written value, and the value to store; `nil` if the write is refused.
struct WrittenValue: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let metadata: CharacteristicMetadata
    let written: CharacteristicValue
    let stored: CharacteristicValue?

    init(
        _ name: String, _ metadata: CharacteristicMetadata, _ written: CharacteristicValue,
        _ stored: CharacteristicValue?
    ) {
        testDescription = "\(name): \(written) is \(stored.map { "stored as \($0)" } ?? "refused")"
        self.metadata = metadata
        self.written = written
        self.stored = stored
    }
}

private func metadata(
    _ format: CharacteristicFormat, _ minimum: Double? = nil, _ maximum: Double? = nil, step: Double? = nil,
    valid: [Int64]? = nil, maxLen: Int? = nil, maxDataLen: Int? = nil
) -> CharacteristicMetadata {
    CharacteristicMetadata(
        format: format, permissions: [.pairedRead, .pairedWrite], minimum: minimum, maximum: maximum, step: step,
        maximumLength: maxLen, maximumDataLength: maxDataLen, validValues: valid)
}

@Suite("Writing a value")
struct AcceptedValueTests {
    private static let bool = metadata(.bool)
    private static let brightness = metadata(.int, 0, 100, step: 1)
    private static let hue = metadata(.float, 0, 360, step: 1)
    private static let mode = metadata(.uint8, 0, 3, step: 1, valid: [0, 1, 3])
    private static let temperature = metadata(.float, 10, 38, step: 0.1)

    private static let rows: [WrittenValue] = [
        // bool: only true, false, 0 and 1
        .init("bool", bool, .bool(true), .bool(true)), .init("bool", bool, .bool(false), .bool(false)),
        .init("bool", bool, .integer(0), .bool(false)), .init("bool", bool, .integer(1), .bool(true)),
        .init("bool", bool, .integer(2), nil), .init("bool", bool, .integer(-1), nil),
        .init("bool", bool, .float(1), .bool(true)), .init("bool", bool, .float(0.5), nil),
        .init("bool", bool, .float(.nan), nil), .init("bool", bool, .string("1"), nil),
        .init("bool", bool, .data([1]), nil),
        // integers: types of the written value
        .init("int", brightness, .integer(50), .integer(50)), .init("int", brightness, .float(50), .integer(50)),
        .init("int", brightness, .bool(true), .integer(1)), .init("int", brightness, .bool(false), .integer(0)),
        .init("int", brightness, .string("50"), nil), .init("int", brightness, .data([50]), nil),
        // integers: measurements are rounded, enumerations must be exact
        .init("int", brightness, .float(49.6), .integer(50)), .init("int", brightness, .float(49.4), .integer(49)),
        .init("enum", mode, .float(1), .integer(1)), .init("enum", mode, .float(1.0000000001), .integer(1)),
        .init("enum", mode, .float(1.1), nil), .init("enum", mode, .integer(2), nil),
        .init("enum", mode, .integer(3), .integer(3)), .init("enum", mode, .integer(4), nil),
        .init("enum", mode, .integer(-1), nil), .init("enum", mode, .bool(true), .integer(1)),
        // integers: limits
        .init("int", brightness, .integer(0), .integer(0)), .init("int", brightness, .integer(100), .integer(100)),
        .init("int", brightness, .integer(101), nil), .init("int", brightness, .integer(-1), nil),
        .init("int", brightness, .float(100.6), nil), .init("int", brightness, .float(-0.4), .integer(0)),
        .init("int", brightness, .float(.infinity), nil), .init("int", brightness, .float(.nan), nil),
        .init("int", brightness, .integer(.max), nil), .init("int", brightness, .integer(.min), nil),
        // integers: the format's own range
        .init("uint8", metadata(.uint8), .integer(255), .integer(255)),
        .init("uint8", metadata(.uint8), .integer(256), nil), .init("uint8", metadata(.uint8), .integer(-1), nil),
        .init("uint16", metadata(.uint16), .integer(65535), .integer(65535)),
        .init("uint16", metadata(.uint16), .integer(65536), nil),
        .init("uint32", metadata(.uint32), .integer(4_294_967_295), .integer(4_294_967_295)),
        .init("uint32", metadata(.uint32), .integer(4_294_967_296), nil),
        .init("uint64", metadata(.uint64), .integer(.max), .integer(.max)),
        .init("uint64", metadata(.uint64), .integer(-1), nil),
        .init("uint64", metadata(.uint64), .float(0x1p63), .unsigned(1 << 63)),
        .init("uint64", metadata(.uint64), .float(0x1p64), nil),
        .init("uint64", metadata(.uint64), .unsigned(.max), .unsigned(.max)),
        .init("uint64", metadata(.uint64), .unsigned(7), .integer(7)),
        .init("uint64", metadata(.uint64, 0, 0x1p64), .unsigned(.max - 1), .unsigned(.max - 1)),
        .init("uint64", metadata(.uint64, 0, 0x1p63), .unsigned(.max), nil),
        .init("uint64", metadata(.uint64, 0x1p63), .integer(.max - 4096), nil),
        .init("uint64", metadata(.uint64, step: 1e10), .unsigned(.max), .unsigned(18_446_744_070_000_000_000)),
        .init("uint64", metadata(.uint64, step: 0x1p62), .unsigned(.max), .unsigned(3 << 62)),
        .init("uint64", metadata(.uint64, step: 2), .unsigned(.max), .unsigned(.max - 1)),
        .init("uint64", metadata(.uint64, step: 1e300), .unsigned(.max), .integer(0)),
        .init("uint64", metadata(.uint64, valid: [1, 2]), .unsigned(.max), nil),
        .init("uint32", metadata(.uint32), .unsigned(.max), nil), .init("bool", bool, .unsigned(.max), nil),
        .init("float", metadata(.float), .unsigned(.max), .float(0x1p64)),
        .init("string", metadata(.string), .unsigned(.max), nil),
        .init("uint64", metadata(.uint64), .float(0x1p62), .integer(1 << 62)),
        .init("int", metadata(.int), .integer(-2_147_483_648), .integer(-2_147_483_648)),
        .init("int", metadata(.int), .integer(2_147_483_648), nil),
        .init("int", metadata(.int), .float(-0x1p63), nil),
        // integers: steps count from the minimum and stay within the limits
        .init("step 5 from 2", metadata(.uint8, 2, 20, step: 5), .integer(8), .integer(7)),
        .init("step 5 from 2", metadata(.uint8, 2, 20, step: 5), .integer(20), .integer(17)),
        .init("step 5 from 2", metadata(.uint8, 2, 20, step: 5), .integer(2), .integer(2)),
        .init("step 10, no limits", metadata(.uint8, step: 10), .integer(255), .integer(250)),
        .init("step 5, no limits", metadata(.int, step: 5), .integer(-2_147_483_648), .integer(-2_147_483_645)),
        .init("step 0", metadata(.uint8, 0, 9, step: 0), .integer(7), .integer(7)),
        .init("step beyond the span", metadata(.uint8, 0, 5, step: 10), .integer(5), .integer(0)),
        // floats
        .init("float", hue, .float(180), .float(180)), .init("float", hue, .integer(180), .float(180)),
        .init("float", hue, .bool(true), .float(1)), .init("float", hue, .float(180.4), .float(180)),
        .init("float", hue, .float(360), .float(360)), .init("float", hue, .float(0), .float(0)),
        .init("float", hue, .float(-0.0), .float(0)), .init("float", hue, .string("1"), nil),
        .init("float", hue, .data([]), nil), .init("float", hue, .float(.nan), nil),
        .init("float", hue, .float(.infinity), nil), .init("float", hue, .float(-.infinity), nil),
        // floats: a slight excess over a limit is a rounding error
        .init("float", hue, .float(360.0003), .float(360)), .init("float", hue, .float(-0.0003), .float(0)),
        .init("float", hue, .float(360.001), nil), .init("float", hue, .float(-0.001), nil),
        .init("float", temperature, .float(21.3), .float(21.3)),
        .init("float", temperature, .float(10.3), .float(10.3)),
        .init("float", temperature, .float(21.349), .float(21.3)), .init("float", temperature, .float(38), .float(38)),
        .init("float, no limits", metadata(.float), .float(-1e300), .float(-1e300)),
        .init("float, step, no limits", metadata(.float, step: 0.1), .float(1e308), .float(1e308)),
        .init("float, step, no limits", metadata(.float, step: 0.1), .float(0.30000000000000004), .float(0.3)),
        // strings: bytes of UTF-8
        .init("string", metadata(.string), .string(""), .string("")),
        .init(
            "string", metadata(.string), .string(String(repeating: "ü", count: 32)),
            .string(String(repeating: "ü", count: 32))),
        .init("string", metadata(.string), .string(String(repeating: "ü", count: 32) + "x"), nil),
        .init("string of 4", metadata(.string, maxLen: 4), .string("abcd"), .string("abcd")),
        .init("string of 4", metadata(.string, maxLen: 4), .string("abcde"), nil),
        .init("string", metadata(.string), .integer(1), nil), .init("string", metadata(.string), .bool(true), nil),
        .init("string", metadata(.string), .data([1]), nil), .init("string", metadata(.string), .float(1), nil),
        // data
        .init("data of 2", metadata(.data, maxDataLen: 2), .data([1, 2]), .data([1, 2])),
        .init("data of 2", metadata(.data, maxDataLen: 2), .data([1, 2, 3]), nil),
        .init("tlv8", metadata(.tlv8), .data([]), .data([])), .init("tlv8", metadata(.tlv8), .string(""), nil),
        .init("tlv8", metadata(.tlv8), .integer(0), nil), .init("data", metadata(.data), .bool(false), nil),
    ]

    @Test("stores or rejects each value according to HAP 11", arguments: rows)
    func row(row: WrittenValue) {
        #expect(row.metadata.accepted(row.written) == row.stored)
    }
}

@Suite("Reporting a value")
struct ClampedValueTests {
    private static let rows: [WrittenValue] = [
        .init("bool", metadata(.bool), .integer(1), .bool(true)), .init("bool", metadata(.bool), .integer(2), nil),
        .init("int", metadata(.int, 0, 100), .integer(101), .integer(100)),
        .init("int", metadata(.int, 0, 100), .float(-1e300), .integer(0)),
        .init("int", metadata(.int, 0, 100), .float(49.6), .integer(50)),
        .init("int", metadata(.int, 0, 100), .bool(true), .integer(1)),
        .init("int", metadata(.int, 0, 100), .float(.nan), nil),
        .init("int", metadata(.int, 0, 100), .string("1"), nil),
        .init("uint8", metadata(.uint8), .integer(.max), .integer(255)),
        .init("uint8", metadata(.uint8, 0, 1000), .integer(999), .integer(255)),
        .init("uint64", metadata(.uint64), .float(0x1p63), .unsigned(1 << 63)),
        .init("uint64", metadata(.uint64), .float(1e300), .unsigned(.max)),
        .init("uint64", metadata(.uint64), .unsigned(.max), .unsigned(.max)),
        .init("uint64", metadata(.uint64, 0, 0x1p64, step: 2), .unsigned(.max - 1), .unsigned(.max - 1)),
        .init("uint64", metadata(.uint64, 0, 0x1p63), .unsigned(.max), .unsigned(1 << 63)),
        .init("uint8", metadata(.uint8), .unsigned(.max), .integer(255)),
        .init("int", metadata(.int, 0, 100), .unsigned(.max), .integer(100)),
        .init("uint64", metadata(.uint64), .integer(.min), .integer(0)),
        .init("uint64", metadata(.uint64), .integer((1 << 60) + 1), .integer((1 << 60) + 1)),
        .init("uint64", metadata(.uint64, 0, 0x1p61, step: 2), .integer((1 << 60) + 2), .integer((1 << 60) + 2)),
        .init("enum", metadata(.uint8, valid: [0, 1, 3]), .integer(200), .integer(3)),
        .init("enum", metadata(.uint8, valid: [0, 1, 3]), .integer(-5), .integer(0)),
        .init("enum", metadata(.uint64, valid: [0, .max]), .float(1e300), .integer(.max)),
        .init("enum", metadata(.int, valid: [.min, .max]), .integer(.min), .integer(.min)),
        .init("enum of nothing", metadata(.uint8, valid: []), .integer(1), nil),
        .init("float", metadata(.float, 0, 360, step: 1), .float(360.5), .float(360)),
        .init("float", metadata(.float, 0, 360, step: 1), .float(-3), .float(0)),
        .init("float", metadata(.float, 0, 360, step: 1), .float(.infinity), nil),
        .init("float", metadata(.float, 10), .float(3), .float(10)),
        .init("float", metadata(.float, nil, 10), .integer(30), .float(10)),
        .init("float", metadata(.float, 0, 100, step: 7), .float(100), .float(98)),
        .init("float", metadata(.float, 0, 5, step: 10), .float(5), .float(0)),
        .init("float", metadata(.float), .float(-0.0), .float(0)),
        .init("string", metadata(.string, maxLen: 3), .string("aüb"), .string("aü")),
        .init("string", metadata(.string, maxLen: 3), .string("aaü"), .string("aa")),
        .init("string", metadata(.string), .integer(3), nil),
        .init("data", metadata(.data, maxDataLen: 1), .data([1, 2]), nil),
        .init("tlv8", metadata(.tlv8), .data([1, 2]), .data([1, 2])),
    ]

    @Test("clamps the value to the limits", arguments: rows)
    func row(row: WrittenValue) {
        let clamped = row.metadata.clamped(row.written)
        #expect(clamped == row.stored)
        if case .float(let number)? = clamped { #expect(number.sign == .plus || number != 0, "no negative zero") }
    }

    /// Returns random metadata for a device.
    ///
    /// The limits are within those of the format, in order, and whole for integers.
    private static func anyMetadata(_ random: inout SeededNumbers) -> CharacteristicMetadata {
        let format = CharacteristicFormat.allCases.randomElement(using: &random) ?? .int
        var limits: [Double?] = [
            nil, 0, -100, 1, 100, 153, 255, 360, 5000, 1e6, 0x1p31, 0x1p62, 1e18, 0x1p63,
        ]
        var steps: [Double?] = [nil, 0, 1, 2, 5, 7, 90, 1e4, 1e300]
        if let range = format.integerRange {
            limits = limits.filter { limit in limit.flatMap { Int128(exactly: $0) }.map(range.contains) ?? true }
        } else {
            limits += [0.5, 3.7, -1e300]
            steps += [0.01, 0.1, 0.5, .leastNonzeroMagnitude]
        }
        let low = limits.randomElement(using: &random) ?? nil
        let high = limits.filter { $0 ?? .infinity >= low ?? -.infinity }.randomElement(using: &random) ?? nil
        let valid: [Int64] = [0, 1, 2, 250].filter { Double($0) >= low ?? 0 && Double($0) <= high ?? 255 }
        let isEnumeration = format.integerRange != nil && !valid.isEmpty && Bool.random(using: &random)
        return metadata(
            format, low, high, step: steps.randomElement(using: &random) ?? nil, valid: isEnumeration ? valid : nil)
    }

    private static func anyValue(_ random: inout SeededNumbers) -> CharacteristicValue {
        switch Int.random(in: 0..<9, using: &random) {
        case 0: .bool(Bool.random(using: &random))
        case 1: .integer(Int64(bitPattern: random.next()))
        case 8: .unsigned(random.next() | 1 << 63)
        case 2: .integer(Int64.random(in: -300...70000, using: &random))
        case 3: .string(String(decoding: random.bytes(count: Int.random(in: 0..<100, using: &random)), as: UTF8.self))
        case 4: .data(random.bytes(count: 3))
        case 5: .float(Double.random(in: -400...400, using: &random))
        case 6:
            .float(
                [
                    .nan, .infinity, -.infinity, 0x1p63, -0x1p63, 0x1p64, -0.0, .greatestFiniteMagnitude,
                    .leastNonzeroMagnitude, 1e18,
                ]
                .randomElement(using: &random) ?? 0)
        default: .float(Double(bitPattern: random.next()))
        }
    }

    @Test(
        "never traps, and returns finite values in range for any number",
        arguments: 0..<8)
    func anything(seed: Int) {
        var random = SeededNumbers(seed: UInt64(seed))
        for _ in 0..<5000 {
            let metadata = Self.anyMetadata(&random)
            let value = Self.anyValue(&random)
            for result in [metadata.accepted(value), metadata.clamped(value), metadata.defaultValue] {
                guard let result else { continue }
                switch result {
                case .integer, .unsigned:
                    let range = metadata.format.integerRange
                    let integer = result.wholeNumber
                    #expect(integer.map { range?.contains($0) == true } == true, "\(metadata) \(value)")
                    if case .unsigned = result { #expect(integer ?? 0 > Int128(Int64.max)) }
                case .float(let number):
                    #expect(number.isFinite && (number != 0 || number.sign == .plus), "\(metadata) \(value)")
                    #expect(number >= metadata.minimum ?? number, "\(metadata) \(value)")
                    #expect(number <= metadata.maximum ?? number, "\(metadata) \(value)")
                case .string(let text): #expect(text.utf8.count <= 64)
                case .bool, .data: break
                }
                #expect(metadata.clamped(result) == result, "\(metadata) \(value) \(result)")
            }
        }
    }

    @Test("gives each typed key a Swift type that its characteristic can store")
    func keys() {
        for key in [
            CharacteristicKey<Bool>.on, .motionDetected, .occupancyDetected, .leakDetected, .smokeDetected,
            .obstructionDetected, .outletInUse, .statusLowBattery, .active, .contactSensorState, .swingMode,
        ] { check(key, true) }
        for key in [CharacteristicKey<Int>.brightness, .currentPosition, .targetPosition, .batteryLevel] {
            check(key, 40)
        }
        check(.colorTemperature, 250)
        check(.rotationDirection, 1)
        check(.programmableSwitchEvent, 2)
        for key in [
            CharacteristicKey<Double>.hue, .saturation, .rotationSpeed, .currentTemperature, .currentRelativeHumidity,
            .currentAmbientLightLevel,
        ] { check(key, 40) }
        check(.targetTemperature, 21.5)
        for key in [CharacteristicKey<LockState>.lockCurrentState, .lockTargetState] { check(key, .secured) }
        for key in [CharacteristicKey<DoorState>.currentDoorState, .targetDoorState] { check(key, .closed) }
        for key in [CharacteristicKey<HeatingCoolingMode>.currentHeatingCoolingState, .targetHeatingCoolingState] {
            check(key, .heat)
        }
        check(.chargingState, .charging)
    }

    private func check<Value: CharacteristicRepresentable & Equatable>(
        _ key: CharacteristicKey<Value>, _ value: Value
    ) {
        let stored = CharacteristicDefinition.of(key.type)?.metadata.clamped(value.characteristicValue)
        #expect(stored.flatMap(Value.init) == value, "\(key.type)")
    }
}
