import AccessoryRole
import BoundedJSON
import DeviceBridge
import DeviceKit
import HAPModel
import HAPProtocol
import HAPTesting
import TestTimeouts
import Testing

@Suite("Validation of reported values", .timeout)
struct ImpossibleValuesTests {
    private static let thermometer = LightDescription(
        id: "thermometer", name: "Thermometer", kind: .sensor,
        capabilities: .sensor([.temperature, .humidity, .illuminance, .battery]))

    /// Special numbers and 60 random bit patterns.
    private static var numbers: [Double] {
        let special: [Double] = [
            .nan, .signalingNaN, .infinity, -.infinity, .greatestFiniteMagnitude, -.greatestFiniteMagnitude,
            .leastNonzeroMagnitude, .leastNormalMagnitude, -0.0, 0, -1, 359.9999999999999, 360, 360.00001, 1e19, -1e19,
            0.1 + 0.2,
        ]
        return special + (0..<60).map { _ in Double(bitPattern: .random(in: 0...UInt64.max)) }
    }

    @Test("keeps the database valid JSON, with values within their limits, for any reported number")
    func anyNumber() async throws {
        let house = try await House([.lamp, Self.thermometer])
        let session = try await house.session()
        await house.report(LightReport(reachable: true), "thermometer")
        for number in Self.numbers {
            let whole = Int(exactly: number.rounded()) ?? (number < 0 ? .min : .max)
            await house.report(LightReport(brightness: whole, color: .hueSaturation(hue: number, saturation: number)))
            try await check(session, number)
            await house.report(LightReport(color: .temperature(mired: whole)))
            await house.report(
                LightReport(readings: [
                    .temperature: .number(number), .humidity: .number(number), .illuminance: .number(number),
                    .battery: .number(number),
                ]), "thermometer")
            try await check(session, number)
        }
    }

    private func check(_ session: TestController, _ number: Double) async throws {
        let text = try await session.get("/accessories").text
        let json = try #require(try? JSONValue(parsing: text), "\(number): \(text)")
        for characteristic in Self.characteristics(json) {
            guard let value = characteristic["value"]?.double else { continue }
            #expect(value >= characteristic["minValue"]?.double ?? value, "\(number): \(characteristic.text)")
            #expect(value <= characteristic["maxValue"]?.double ?? value, "\(number): \(characteristic.text)")
        }
    }

    private static func characteristics(_ json: JSONValue) -> [JSONValue] {
        let accessories = json["accessories"]?.array ?? []
        return accessories.flatMap { $0["services"]?.array ?? [] }.flatMap { $0["characteristics"]?.array ?? [] }
    }
}
