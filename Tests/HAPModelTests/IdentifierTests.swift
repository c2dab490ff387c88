import HAPModel
import Testing

@Suite("HAPType")
struct HAPTypeTests {
    @Test(
        "returns the same short form for every spelling of a type",
        arguments: [
            ("3E", "3E"), ("3e", "3E"), ("0000003E", "3E"), ("25", "25"), ("24B", "24B"), ("0", "0"),
            ("0000003E-0000-1000-8000-0026BB765291", "3E"), ("0000003e-0000-1000-8000-0026bb765291", "3E"),
            ("0000003E0000100080000026BB765291", "3E"), ("FFFFFFFF-0000-1000-8000-0026BB765291", "FFFFFFFF"),
            ("E863F10A-079E-48FF-8F27-9C2605A29F52", "E863F10A-079E-48FF-8F27-9C2605A29F52"),
            ("e863f10a-079e-48ff-8f27-9c2605a29f52", "E863F10A-079E-48FF-8F27-9C2605A29F52"),
            ("0000003E-0000-1000-8000-0026BB765292", "0000003E-0000-1000-8000-0026BB765292"),
            ("0000003E-0000-1001-8000-0026BB765291", "0000003E-0000-1001-8000-0026BB765291"),
        ])
    func forms(text: String, short: String) {
        #expect(HAPType(text)?.description == short)
        #expect(HAPType(text) == HAPType(short))
    }

    @Test(
        "rejects text that is neither a short form nor a UUID",
        arguments: [
            "", "G", "0x3E", "+3E", "-3E", " 3E", "000000003E", "0000003E-0000-1000-8000", "３E",
            "0000003E-0000-1000-80000026BB765291", "0000003E-0000-1000-8000-0026BB76529", "----", "0000003E-0000",
            "0000003E-0000-1000-8000-0026BB7652911", "000-0003E0000-1000-8000-0026BB765291",
        ])
    func refused(text: String) {
        #expect(HAPType(text) == nil)
    }

    @Test("recognizes Apple's types by their base")
    func apple() {
        #expect(HAPType(apple: 0x43).isApple)
        #expect(HAPType("E863F10A-079E-48FF-8F27-9C2605A29F52")?.isApple == false)
    }
}

@Suite("DeviceID")
struct DeviceIDTests {
    @Test("parses six octets in either case, and prints uppercase letters")
    func forms() {
        #expect(DeviceID("1a:2b:3C:4D:5e:FF")?.description == "1A:2B:3C:4D:5E:FF")
        #expect(DeviceID("00:01:02:03:0A:0B")?.description == "00:01:02:03:0A:0B")
        #expect(DeviceID("1A:2B:3C:4D:5E:FF")?.suffix == "5EFF")
        #expect(DeviceID(octets: [0, 1, 2, 3, 10, 11])?.suffix == "0A0B")
    }

    @Test(
        "rejects text that isn't six octets with colons",
        arguments: [
            "", "1A:2B:3C:4D:5E", "1A:2B:3C:4D:5E:FF:00", "1A2B3C4D5EFF", "1A-2B-3C-4D-5E-FF", "1A:2B:3C:4D:5E:F",
            "1A:2B:3C:4D:5E:FFF", "1A:2B:3C:4D:5E:GG", "+1:2B:3C:4D:5E:FF", "1A:2B:3C:4D:5E:FF ", ":::::",
            "1A:2B:3C:4D:5E:", "１A:2B:3C:4D:5E:FF",
        ])
    func refused(text: String) {
        #expect(DeviceID(text) == nil)
    }

    @Test("rejects any number of octets other than six", arguments: [0, 1, 5, 7, 100])
    func octets(count: Int) {
        #expect(DeviceID(octets: [UInt8](repeating: 1, count: count)) == nil)
    }
}

@Suite("CharacteristicID")
struct CharacteristicIDTests {
    @Test("sorts ids by accessory, then by instance, and prints them as in a read request")
    func order() {
        let ids = [(2, 1), (1, 10), (1, 9), (10, 1)].map { CharacteristicID(AccessoryID($0.0), InstanceID($0.1)) }
        #expect(ids.sorted().map(\.description) == ["1.9", "1.10", "2.1", "10.1"])
        #expect(AccessoryID.bridge.rawValue == 1 && InstanceID.accessoryInformation.rawValue == 1)
    }
}
