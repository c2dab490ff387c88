import HAPModel
import HomeModel
import HomePresentation
import Testing
import WebAccess

@testable import homeweb

@Suite("Turning devices on again") struct TurnedOffTests {
    private func home(isOn: Bool?) -> Home {
        guard let device = DeviceID("AA:BB:CC:DD:EE:01") else { preconditionFailure("six octets are an ID") }
        let definition = CharacteristicDefinition.of(.on)
        let characteristic = Characteristic(
            id: AutomationHome.id(11), service: AutomationHome.id(10), iid: InstanceID(11), type: .on,
            metadata: definition?.metadata ?? CharacteristicMetadata(format: .bool, permissions: [.pairedWrite]),
            value: isOn.map(CharacteristicValue.bool))
        let service = Service(
            id: AutomationHome.id(10), accessory: AutomationHome.id(5), iid: InstanceID(10), type: .lightbulb,
            name: "Lamp", characteristics: [characteristic])
        let accessory = Accessory(
            id: AutomationHome.id(5), home: AutomationHome.id(1), name: "Lamp", configuredName: "",
            room: AutomationHome.id(2), category: .lightbulb, deviceID: device, aid: AccessoryID(1),
            services: [service])
        return Home(
            id: AutomationHome.id(1), name: "Home", defaultRoomID: AutomationHome.id(2), accessories: [accessory])
    }

    private var lamp: ServiceToggle {
        guard let toggle = home(isOn: true).accessories[0].services[0].toggle else {
            preconditionFailure("a lamp can be switched")
        }
        return toggle
    }

    @Test("is offered to the same visitor, in the same place, while the devices are off")
    func offer() {
        let turnedOff = TurnedOff()
        turnedOff.add([lamp], in: "/rooms/1", by: .local)
        let guest = Visitor(name: "Anna", access: .init(role: .guest))
        #expect(turnedOff.toggles(in: "/rooms/1", of: home(isOn: false), .local) == [lamp])
        #expect(turnedOff.toggles(in: "/rooms/1", of: home(isOn: true), .local).isEmpty)
        #expect(turnedOff.toggles(in: "/rooms/1", of: home(isOn: nil), .local).isEmpty)
        #expect(turnedOff.toggles(in: "/rooms/2", of: home(isOn: false), .local).isEmpty)
        #expect(turnedOff.toggles(in: "/rooms/1", of: home(isOn: false), guest).isEmpty)
        turnedOff.remove(in: "/rooms/1", by: .local)
        #expect(turnedOff.toggles(in: "/rooms/1", of: home(isOn: false), .local).isEmpty)
    }

    @Test("ends after its lifetime, and keeps a limited number of places")
    func limits() {
        let turnedOff = TurnedOff()
        let now = ContinuousClock.now
        turnedOff.add([lamp], in: "/rooms/0", by: .local, at: now)
        #expect(turnedOff.toggles(in: "/rooms/0", of: home(isOn: false), .local, at: now + .seconds(599)) == [lamp])
        #expect(turnedOff.toggles(in: "/rooms/0", of: home(isOn: false), .local, at: now + .seconds(601)).isEmpty)
        for number in 1...TurnedOff.limit { turnedOff.add([lamp], in: "/rooms/\(number)", by: .local, at: now) }
        #expect(turnedOff.toggles(in: "/rooms/0", of: home(isOn: false), .local, at: now).isEmpty)
        #expect(turnedOff.toggles(in: "/rooms/1", of: home(isOn: false), .local, at: now) == [lamp])
    }
}
