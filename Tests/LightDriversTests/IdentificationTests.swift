import DeviceKit
import TestTimeouts
import Testing

@testable import LightDrivers

@Suite("Identification on MQTT", .timeout)
struct IdentificationTests {
    private typealias House = MQTTHouse

    private static let on = MQTTMessage(topic: "lamp/set", text: #"{"state":"ON"}"#)
    private static let off = MQTTMessage(topic: "lamp/set", text: #"{"state":"OFF"}"#)
    private static let light: LightID = "u1"

    /// Returns a house with a lamp that has reported its availability and, unless `power` is `nil`, its power.
    private static func house(_ power: String?) -> House {
        var house = House()
        house.announces("lamp", MQTTDeviceRegistryTests.lamp + #", "schema": "json", "brightness": true"#)
        house.receives("lamp/status", "online")
        if let power { house.receives("lamp", #"{"state": "\#(power)"}"#) }
        return house
    }

    private static func blink(_ house: inout House) throws -> Int {
        let (number, blinks) = try house.home.beginIdentification(of: light)
        for isLit in blinks {
            #expect(try house.home.blink(isLit, light, number) == [isLit ? on : off])
            #expect(house.receives("lamp", isLit ? #"{"state": "ON"}"# : #"{"state": "OFF"}"#) == [])
        }
        return number
    }

    @Test("restores the light's power, and doesn't report the blinks", arguments: [true, false])
    func blinking(wasOn: Bool) throws {
        var house = Self.house(wasOn ? "ON" : "OFF")
        let (number, blinks) = try house.home.beginIdentification(of: Self.light)
        #expect(blinks == [!wasOn, wasOn, !wasOn])
        for isLit in blinks { #expect(try house.home.blink(isLit, Self.light, number) == [isLit ? Self.on : Self.off]) }
        for isLit in blinks { #expect(house.receives("lamp", #"{"state": "\#(isLit ? "ON" : "OFF")"}"#) == []) }
        #expect(
            house.home.endIdentification(of: Self.light, number, now: .seconds(2)) == [wasOn ? Self.on : Self.off])
        #expect(house.receives("lamp", #"{"state": "\#(wasOn ? "ON" : "OFF")"}"#) == [])
        #expect(house.home.deadline == .seconds(3))
        #expect(house.home.timePassed(now: .seconds(3)) == [])
        #expect(house.home.deadline == nil)
        #expect(house.receives("lamp", #"{"state": "ON"}"#) == [.report(Self.light, LightReport(on: true))])
    }

    @Test("reports values other than the power at once")
    func otherValues() throws {
        var house = Self.house("ON")
        let (number, _) = try house.home.beginIdentification(of: Self.light)
        _ = try house.home.blink(false, Self.light, number)
        #expect(
            house.receives("lamp", #"{"state": "OFF", "brightness": 128}"#)
                == [.report(Self.light, LightReport(brightness: 50))])
    }

    @Test("reports a change at the wall switch once the time for echoes is over")
    func switchedAtTheWall() throws {
        var house = Self.house("ON")
        let number = try Self.blink(&house)
        _ = house.home.endIdentification(of: Self.light, number, now: .seconds(2))
        #expect(house.receives("lamp", #"{"state": "OFF"}"#) == [])
        #expect(house.home.timePassed(now: .milliseconds(2999)) == [])
        #expect(house.home.timePassed(now: .seconds(3)) == [.report(Self.light, LightReport(on: false))])
    }

    @Test("ends when a command arrives, and doesn't undo the command", arguments: [true, false])
    func command(wasOn: Bool) throws {
        var house = Self.house(wasOn ? "ON" : "OFF")
        let number = try Self.blink(&house)
        let messages = try house.home.messages(for: .init(on: !wasOn), to: Self.light, now: .seconds(1))
        #expect(messages == [wasOn ? Self.off : Self.on])
        #expect(try house.home.blink(wasOn, Self.light, number) == nil)
        #expect(house.home.endIdentification(of: Self.light, number, now: .seconds(1)) == [])
        // A late echo of a blink isn't reported.
        #expect(house.receives("lamp", #"{"state": "\#(wasOn ? "ON" : "OFF")"}"#) == [])
        #expect(house.receives("lamp", #"{"state": "\#(wasOn ? "OFF" : "ON")"}"#) == [])
        #expect(house.home.timePassed(now: .seconds(2)) == [])
    }

    @Test("restores the power before a command that doesn't set it")
    func commandWithoutPower() throws {
        var house = Self.house("ON")
        _ = try Self.blink(&house)
        let messages = try house.home.messages(for: .init(brightness: 50), to: Self.light, now: .seconds(1))
        #expect(
            messages == [Self.on, MQTTMessage(topic: "lamp/set", text: #"{"state":"ON","brightness":128}"#)])
    }

    @Test("starts over, and finally restores the power from before the first identification")
    func twice() throws {
        var house = Self.house("OFF")
        let first = try Self.blink(&house)
        let second = try Self.blink(&house)
        #expect(house.home.endIdentification(of: Self.light, first, now: .seconds(1)) == [])
        #expect(house.home.endIdentification(of: Self.light, second, now: .seconds(3)) == [Self.off])
    }

    @Test("reports the power after the blinks if it was unknown before")
    func unknownPower() throws {
        var house = Self.house(nil)
        let number = try Self.blink(&house)
        _ = house.home.endIdentification(of: Self.light, number, now: .seconds(2))
        house.receives("lamp", #"{"state": "OFF"}"#)
        #expect(house.home.timePassed(now: .seconds(3)) == [.report(Self.light, LightReport(on: false))])
    }

    @Test("fails for unreachable and unknown lights")
    func unreachable() throws {
        var house = Self.house("ON")
        let (number, _) = try house.home.beginIdentification(of: Self.light)
        house.receives("lamp/status", "offline")
        #expect(throws: LightError.unreachable) { try house.home.blink(false, Self.light, number) }
        #expect(throws: LightError.unreachable) { try house.home.beginIdentification(of: Self.light) }
        #expect(throws: LightError.unknownLight) { try house.home.beginIdentification(of: "no client") }
    }
}
