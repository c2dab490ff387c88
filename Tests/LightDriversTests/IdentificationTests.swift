import LightDrivers
import LightKit
import TestTimeouts
import Testing

@Suite("A light on MQTT that blinks to show which one it is", .timeout)
struct IdentificationTests {
    private typealias House = MQTTHomeTests.House

    private static let on = MQTTMessage(topic: "lamp/set", text: #"{"state":"ON"}"#)
    private static let off = MQTTMessage(topic: "lamp/set", text: #"{"state":"OFF"}"#)
    private static let light: LightID = "u1"

    /// A lamp that has said that it is there, and its power.
    private static func house(_ power: String?) -> House {
        var house = House()
        house.announces("lamp", MQTTHomeTests.lamp + #", "schema": "json", "brightness": true"#)
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

    @Test("it is left as it was, and no client is notified of its blinking", arguments: [true, false])
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

    @Test("what it says of anything but its power is notified at once")
    func otherValues() throws {
        var house = Self.house("ON")
        let (number, _) = try house.home.beginIdentification(of: Self.light)
        _ = try house.home.blink(false, Self.light, number)
        #expect(
            house.receives("lamp", #"{"state": "OFF", "brightness": 128}"#)
                == [.report(Self.light, LightReport(brightness: 50))])
    }

    @Test("who has switched it at the wall meanwhile is told when the echoes are over")
    func switchedAtTheWall() throws {
        var house = Self.house("ON")
        let number = try Self.blink(&house)
        _ = house.home.endIdentification(of: Self.light, number, now: .seconds(2))
        #expect(house.receives("lamp", #"{"state": "OFF"}"#) == [])
        #expect(house.home.timePassed(now: .milliseconds(2999)) == [])
        #expect(house.home.timePassed(now: .seconds(3)) == [.report(Self.light, LightReport(on: false))])
    }

    @Test("a command ends it, and is not undone by it", arguments: [true, false])
    func command(wasOn: Bool) throws {
        var house = Self.house(wasOn ? "ON" : "OFF")
        let number = try Self.blink(&house)
        let messages = try house.home.messages(for: .init(on: !wasOn), to: Self.light, now: .seconds(1))
        #expect(messages == [wasOn ? Self.off : Self.on])
        #expect(try house.home.blink(wasOn, Self.light, number) == nil)
        #expect(house.home.endIdentification(of: Self.light, number, now: .seconds(1)) == [])
        // A late echo of the blinking.
        #expect(house.receives("lamp", #"{"state": "\#(wasOn ? "ON" : "OFF")"}"#) == [])
        #expect(house.receives("lamp", #"{"state": "\#(wasOn ? "OFF" : "ON")"}"#) == [])
        #expect(house.home.timePassed(now: .seconds(2)) == [])
    }

    @Test("a command that says nothing of power finds it as it was before")
    func commandWithoutPower() throws {
        var house = Self.house("ON")
        _ = try Self.blink(&house)
        let messages = try house.home.messages(for: .init(brightness: 50), to: Self.light, now: .seconds(1))
        #expect(
            messages == [Self.on, MQTTMessage(topic: "lamp/set", text: #"{"state":"ON","brightness":128}"#)])
    }

    @Test("a second identification begins anew and leaves it as it was before the first")
    func twice() throws {
        var house = Self.house("OFF")
        let first = try Self.blink(&house)
        let second = try Self.blink(&house)
        #expect(house.home.endIdentification(of: Self.light, first, now: .seconds(1)) == [])
        #expect(house.home.endIdentification(of: Self.light, second, now: .seconds(3)) == [Self.off])
    }

    @Test("a lamp that never said whether it is on is notified of when it has blinked and says so")
    func unknownPower() throws {
        var house = Self.house(nil)
        let number = try Self.blink(&house)
        _ = house.home.endIdentification(of: Self.light, number, now: .seconds(2))
        house.receives("lamp", #"{"state": "OFF"}"#)
        #expect(house.home.timePassed(now: .seconds(3)) == [.report(Self.light, LightReport(on: false))])
    }

    @Test("a lamp that is out of reach, or not known, does not blink")
    func unreachable() throws {
        var house = Self.house("ON")
        let (number, _) = try house.home.beginIdentification(of: Self.light)
        house.receives("lamp/status", "offline")
        #expect(throws: LightError.unreachable) { try house.home.blink(false, Self.light, number) }
        #expect(throws: LightError.unreachable) { try house.home.beginIdentification(of: Self.light) }
        #expect(throws: LightError.unknownLight) { try house.home.beginIdentification(of: "no client") }
    }
}
