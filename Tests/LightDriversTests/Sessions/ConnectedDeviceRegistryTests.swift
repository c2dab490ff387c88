import DeviceKit
import Discovery
import TestTimeouts
import Testing

@testable import LightDrivers

@Suite("The registry of connected devices", .timeout)
struct ConnectedDeviceRegistryTests {
    /// A session whose inputs are the events that it returns.
    struct Session: DeviceSession {
        static let traits = DeviceTraits(driverName: "test", serviceType: "_test._tcp", port: 80, maximumDevices: 4)

        var deadline: Duration?

        static func id(of service: DiscoveredService) -> String? { service.txt["id"] }

        static func secretFile(of target: DeviceTarget, options: Int) -> String? { "/etc/password" }

        static func namedLights(in options: Int) -> NamedLights? {
            options == 0 ? nil : NamedLights(key: "doors", ids: ["d1/door"], kind: .garageDoor, noun: "cover")
        }

        init(target: DeviceTarget, kinds: Set<LightKind>, options: Int, now: Duration) {}

        mutating func started(now: Duration) -> [SessionEvent<String>] { [.output("hello")] }
        mutating func received(_ input: [SessionEvent<String>], now: Duration) -> [SessionEvent<String>] { input }
        mutating func timePassed(now: Duration) -> [SessionEvent<String>] { [] }
        mutating func apply(
            _ command: LightCommand, to light: LightID, number: Int, now: Duration
        ) throws(LightError) -> [SessionEvent<String>] { [.output("command \(number)")] }
        mutating func identify(
            _ light: LightID, number: Int, now: Duration
        ) throws(LightError) -> [SessionEvent<String>] { [.finished(command: number, nil)] }
        mutating func cancelled(command: Int) {}
    }

    typealias Action = DeviceAction<String>

    static let host = DeviceHost(host: "10.0.0.5")
    static let target = DeviceTarget.configured(host)
    static let lamp = LightDescription(id: "d1/lamp", name: "Lamp")
    static let on = LightReport(on: true, reachable: true)

    struct House {
        var home = ConnectedDeviceRegistry<Session>(DeviceSelection(discover: true, hosts: [host]), options: 0)
        var now = Duration.zero
        var numbers: [DeviceTarget: Int] = [:]

        @discardableResult
        mutating func note(_ actions: [Action]) -> [Action] {
            for case .connect(let target, let number) in actions { numbers[target] = number }
            return actions
        }

        @discardableResult
        mutating func start(known: [LightID] = []) -> [Action] { note(home.started(known: known, now: now)) }

        /// Accepts a connection of the target at its next address or, if `last` isn't `nil`, only at `last`.
        @discardableResult
        mutating func answer(_ target: DeviceTarget, at last: String? = nil) -> DeviceEndpoint? {
            let number = numbers[target] ?? 0
            while let endpoint = home.nextEndpoint(of: target, number: number) {
                guard last == nil || endpoint.description == last else { continue }
                home.answered(target, number: number, at: endpoint)
                return endpoint
            }
            return nil
        }

        @discardableResult
        mutating func receive(
            _ events: [SessionEvent<String>], from target: DeviceTarget = target
        ) -> [Action] {
            note(home.received(events, from: target, number: numbers[target] ?? 0, now: now, share: 1))
        }

        @discardableResult
        mutating func close(
            _ target: DeviceTarget = target, _ fault: SessionFault = .unreachable("gone")
        ) -> [Action] {
            note(home.closed(target, number: numbers[target] ?? 0, fault, now: now, share: 1))
        }

        @discardableResult
        mutating func pass(_ time: Duration) -> [Action] {
            now += time
            return note(home.timePassed(now: now, share: 1))
        }

        @discardableResult
        mutating func find(_ services: [DiscoveredService]) -> [Action] { note(home.found(services, now: now)) }

        /// Makes a device report its id, its light and the light's state.
        mutating func join(_ target: DeviceTarget = target) {
            receive([.identified("d1"), .lights([lamp]), .report(lamp.id, on)], from: target)
        }
    }

    static func service(_ name: String, _ last: UInt8..., id: String? = nil) -> DiscoveredService {
        let addresses = (last.isEmpty ? [5] : last).compactMap {
            ServiceAddress(bytes: [10, 0, 0, $0], interface: 1, interfaceName: "eth0")
        }
        return DiscoveredService(
            id: .init(name: name, host: "\(name).local"), port: 80, txt: TXTRecord(id.map { [("id", $0)] } ?? []),
            addresses: addresses)
    }

    @Test("warns after a minute about a configured light that no device has, until a device has it")
    func namedLights() {
        var house = House()
        house.home = ConnectedDeviceRegistry(DeviceSelection(discover: true, hosts: [Self.host]), options: 1)
        house.start()
        house.answer(Self.target)
        house.join()
        let warning = "doors: no known device has the cover d1/door; connect the device or correct the id"
        #expect(house.home.deadline == .seconds(60))
        #expect(house.pass(.seconds(60)) == [.warn(warning, about: "d1/door")])
        var door = LightDescription(id: "d1/door", name: "Door", kind: .cover)
        #expect(house.receive([.lights([Self.lamp, door])]) == [.added(door)])
        door.kind = .garageDoor
        #expect(house.receive([.lights([Self.lamp, door])]) == [.added(door), .warn(nil, about: "d1/door")])
        #expect(house.receive([.lights([Self.lamp])]) == [.removed(door.id), .warn(warning, about: "d1/door")])
    }

    @Test("tries the other addresses at once when the wrong device answers")
    func otherDevice() {
        for wrong: [SessionEvent<String>] in [[.identified("d2")], [.failed(.unusable("it is odd"))]] {
            var house = House()
            let target = DeviceTarget.discovered(Self.service("lamp").id)
            house.find([Self.service("lamp", 5, 6, 7, id: "d1")])
            house.answer(target, at: "10.0.0.6:80")
            #expect(house.receive(wrong, from: target).contains(.connect(target, number: 3)))
            #expect(house.answer(target)?.description == "10.0.0.7:80")
            #expect(
                house.receive([.identified("d1"), .lights([Self.lamp])], from: target) == [.added(Self.lamp)],
                "no warning")
            house.close(target)
            house.pass(.seconds(1))
            #expect(
                house.answer(target)?.description == "10.0.0.7:80", "the address of the right device is tried first")
        }
    }

    @Test("warns if a device answers at none of its addresses, or if the wrong device answers")
    func noneAnswers() {
        var house = House()
        let target = DeviceTarget.discovered(Self.service("lamp").id)
        house.find([Self.service("lamp", 5, 6, id: "d1")])
        #expect(house.answer(target, at: "nowhere") == nil)
        #expect(house.close(target).last == .warn("lamp can't be reached (gone); trying again", about: "lamp"))
        #expect(house.home.triedEndpoints(of: target).map(\.description) == ["10.0.0.5:80", "10.0.0.6:80"])
        house.pass(.seconds(1))
        house.answer(target)
        house.receive([.identified("d2")], from: target)
        #expect(house.answer(target, at: "nowhere") == nil)
        #expect(
            house.close(target).last
                == .warn("lamp doesn't answer; another device answers at 10.0.0.5:80", about: "lamp"))
    }

    @Test("tries an address that appears during an attempt")
    func appears() {
        var house = House()
        let target = DeviceTarget.discovered(Self.service("lamp").id)
        house.find([Self.service("lamp", 5)])
        #expect(house.answer(target, at: "nowhere") == nil)
        #expect(house.find([Self.service("lamp", 5, 6)]) == [])
        #expect(house.answer(target)?.description == "10.0.0.6:80")
    }

    @Test("connects to a device, identifies it, and adds lights before their states")
    func join() {
        var house = House()
        #expect(
            house.start() == [
                .connect(Self.target, number: 1), .output(Self.target, "hello"),
            ])
        #expect(house.answer(Self.target)?.description == "10.0.0.5:80")
        #expect(
            house.receive([.identified("d1"), .lights([Self.lamp]), .report(Self.lamp.id, Self.on)])
                == [.added(Self.lamp), .report(Self.lamp.id, Self.on)])
        #expect(house.receive([.report(Self.lamp.id, Self.on)]) == [], "a known state isn't reported again")
        #expect(house.receive([.report("d1/other", Self.on)]) == [], "the state of an unknown light isn't reported")
    }

    @Test("makes the lights of a lost device unreachable, fails its commands, and retries with backoff")
    func lost() throws {
        var house = House()
        house.start()
        house.join()
        let (command, actions) = try house.home.apply(LightCommand(on: true), to: Self.lamp.id, now: .zero)
        #expect(actions == [.output(Self.target, "command 1")])
        #expect(
            house.close() == [
                .close(Self.target), .finished(command: command, .unreachable),
                .report(Self.lamp.id, LightReport(reachable: false)),
            ])
        #expect(throws: LightError.unreachable) {
            try house.home.apply(LightCommand(on: true), to: Self.lamp.id, now: .zero)
        }
        for pause in [1, 2, 4, 8, 16, 32, 60, 60] {
            #expect(house.pass(.seconds(pause) - .milliseconds(1)) == [])
            #expect(house.pass(.milliseconds(1)).count == 2)
            house.close()
        }
    }

    @Test("retries after 1 to 5 minutes if a password is rejected, or at once when its file changes")
    func refusedPassword() {
        var house = House()
        house.start()
        let wrong = SessionFault.unauthorized("the password is wrong")
        #expect(house.close(Self.target, wrong).contains(.warn("the password is wrong", about: "10.0.0.5")))
        for pause in [60, 120, 240, 300, 300] {
            #expect(house.pass(.seconds(pause) - .milliseconds(1)) == [])
            #expect(house.pass(.milliseconds(1)).count == 2)
            house.close(Self.target, wrong)
        }
        #expect(house.home.refusedSecretFiles == ["/etc/password"])
        house.home.secretsChanged(in: ["/etc/password"], now: house.now)
        #expect(house.pass(.zero).count == 2)
        #expect(house.receive([.identified("d1")]) == [.warn(nil, about: "10.0.0.5")])
        #expect(house.home.refusedSecretFiles == [])
    }

    @Test("counts unreadable messages")
    func unreadable() {
        var house = House()
        house.start()
        house.receive([.identified("d1"), .lights([Self.lamp])])
        #expect(house.receive([.unreadable, .unreadable]) == [])
        #expect(house.home.takeDropped() == [.unreadable: 2] && house.home.takeDropped() == [:])
    }

    @Test("ignores events of a closed connection")
    func over() {
        var house = House()
        house.start()
        let number = house.numbers[Self.target] ?? 0
        house.close()
        house.pass(.seconds(1))
        #expect(house.home.received([.identified("d1")], from: Self.target, number: number, now: .zero, share: 1) == [])
        #expect(
            house.home.closed(Self.target, number: number, .unreachable(""), now: .zero, share: 1) == [])
    }

    @Test("finishes a command once, and not after it was canceled")
    func commands() throws {
        var house = House()
        house.start()
        house.join()
        let (first, _) = try house.home.apply(LightCommand(on: true), to: Self.lamp.id, now: .zero)
        #expect(house.receive([.finished(command: first, nil)]) == [.finished(command: first, nil)])
        #expect(house.receive([.finished(command: first, nil)]) == [])
        let (second, _) = try house.home.apply(LightCommand(on: true), to: Self.lamp.id, now: .zero)
        house.home.cancelled(command: second)
        #expect(house.receive([.finished(command: second, nil)]) == [])
        #expect(
            house.receive([.report(Self.lamp.id, Self.on)]) == [.report(Self.lamp.id, Self.on)],
            "after a command the same state is reported again")
        #expect(throws: LightError.unknownLight) {
            try house.home.apply(LightCommand(on: true), to: "no light", now: .zero)
        }
    }

    @Test("removes only the lights that their device no longer lists, even after a restart")
    func removed() {
        var house = House()
        house.start(known: ["d1/before", "d1", "d10/other", "d2/other"])
        let actions = house.receive([.identified("d1"), .lights([Self.lamp])])
        #expect(actions == [.added(Self.lamp), .removed("d1"), .removed("d1/before")])
        #expect(house.receive([.lights([])]) == [.removed(Self.lamp.id)])
        #expect(throws: LightError.unreachable) {
            try house.home.apply(LightCommand(on: true), to: "d2/other", now: .zero)
        }
    }

    @Test("uses one of two targets for the same device, and the other when the first is lost")
    func duplicates() throws {
        var house = House()
        house.start()
        house.join()
        house.find([Self.service("lamp")])
        let other = DeviceTarget.discovered(Self.service("lamp").id)
        #expect(house.receive([.identified("d1"), .lights([])], from: other) == [.close(other)])
        #expect(house.pass(.seconds(59)) == [])
        #expect(house.pass(.seconds(1)).contains { if case .connect(other, _) = $0 { true } else { false } })
        house.receive([.identified("d1")], from: other)
        house.close()
        #expect(house.pass(.zero).contains { if case .connect(other, _) = $0 { true } else { false } })
        house.join(other)
        #expect(try house.home.apply(LightCommand(on: true), to: Self.lamp.id, now: .zero).actions.count == 1)
    }

    @Test("connects to a moved device at once")
    func moved() {
        var house = House()
        let target = DeviceTarget.discovered(Self.service("lamp").id)
        #expect(house.find([Self.service("lamp")]).count == 2)
        house.join(target)
        house.close(target)
        #expect(house.find([Self.service("lamp", 9)]).count == 2)
        #expect(house.answer(target)?.description == "10.0.0.9:80")
    }

    @Test("forgets a device that leaves mDNS before it was reached")
    func announcements() {
        var house = House()
        let target = DeviceTarget.discovered(Self.service("lamp").id)
        house.find([Self.service("lamp")])
        house.close(target, .unusable("it is odd"))
        #expect(house.find([]) == [.warn(nil, about: "lamp")])
        #expect(house.pass(.seconds(100)) == [])
        house.find([Self.service("lamp")])
        house.join(target)
        #expect(house.find([]) == [])
        house.close(target)
        #expect(house.pass(.seconds(100)).count == 2)
    }

    @Test(
        "warns about missing configured devices and unusable devices until they connect")
    func warnings() {
        var house = House()
        house.start()
        #expect(
            house.close().contains(.warn("10.0.0.5 can't be reached (gone); trying again", about: "10.0.0.5")))
        house.pass(.seconds(1))
        #expect(house.receive([.identified("d1")]) == [.warn(nil, about: "10.0.0.5")])
        #expect(house.close() == [.close(Self.target)], "there is no warning, because the device was connected before")
        house.pass(.seconds(60))
        #expect(
            house.receive([.failed(.unusable("it is odd"))])
                == [.close(Self.target), .warn("it is odd", about: "10.0.0.5")])
    }

    @Test("waits until a device has an address")
    func withoutAddress() {
        var house = House()
        let target = DeviceTarget.discovered(Self.service("lamp").id)
        var nowhere = Self.service("lamp")
        nowhere.addresses = []
        house.find([Self.service("lamp")])
        house.join(target)
        house.close(target)
        house.find([nowhere])
        #expect(house.pass(.seconds(100)) == [])
        #expect(house.home.deadline == nil)
        #expect(house.find([Self.service("lamp")]).count == 2)
    }

    @Test("rejects a new device id when the driver already has the maximum number of devices")
    func everAnother() {
        var house = House()
        house.start()
        for number in 1...Session.traits.maximumDevices {
            let lamp = LightDescription(id: LightID("d\(number)/lamp"), name: "Lamp")
            #expect(house.receive([.identified("d\(number)"), .lights([lamp])]).contains(.added(lamp)))
            house.close()
            house.pass(.seconds(100))
        }
        let actions = house.receive([.identified("another"), .lights([Self.lamp])])
        #expect(
            actions == [
                .close(Self.target),
                .warn("10.0.0.5 isn't used; the test driver can't connect to more than 4 devices", about: "10.0.0.5"),
            ])
        house.pass(.seconds(100))
        #expect(
            house.receive([.identified("d1")]).contains(.warn(nil, about: "10.0.0.5")), "a known id doesn't count again"
        )
    }

    @Test("limits the number of devices")
    func bounded() {
        var house = House()
        house.start()
        let actions = house.find((1...9).map { Self.service("lamp \($0)", $0) })
        #expect(actions.count { if case .connect = $0 { true } else { false } } == Session.traits.maximumDevices - 1)
    }

    @Test(
        "parses hosts",
        arguments: [
            ("10.0.0.5", DeviceHost(host: "10.0.0.5")), ("lamp.local:8080", DeviceHost(host: "lamp.local", port: 8080)),
            ("[fe80::1%eth0]:80", DeviceHost(host: "fe80::1%eth0", port: 80)), ("fe80::1", DeviceHost(host: "fe80::1")),
            ("[::1]", DeviceHost(host: "::1")), ("", nil), ("http://lamp", nil), ("lamp:0", nil), ("lamp:65536", nil),
            ("lamp:", nil), ("lamp:+8", nil), ("user@lamp", nil), ("la mp", nil), ("[::1]x", nil), ("lamp/json", nil),
        ])
    func hosts(text: String, host: DeviceHost?) {
        #expect(DeviceHost(text) == host)
    }
}
