import DeviceKit
import Discovery
import TestTimeouts
import Testing

@testable import LightDrivers

@Suite("The registry of ESPHome devices", .timeout)
struct ESPHomeDevicesTests {
    typealias Message = ESPHomeFraming.Message
    typealias Action = DeviceAction<ESPHomeSession.Output>

    /// A registry and the devices at the other ends of its connections.
    struct House {
        var home: ConnectedDeviceRegistry<ESPHomeSession>
        var now = Duration.zero
        /// The number of the newest connection to each device.
        var numbers: [DeviceTarget: Int] = [:]
        /// The number of connection attempts to each device.
        var tries: [DeviceTarget: Int] = [:]

        init(_ configuration: ESPHomeDriverConfiguration) {
            home = ConnectedDeviceRegistry(configuration.selection, options: configuration)
        }

        /// Performs the actions, and returns all except reads of key files.
        @discardableResult
        mutating func note(_ actions: [Action]) -> [Action] {
            for case .connect(let target, let number) in actions {
                numbers[target] = number
                tries[target, default: 0] += 1
            }
            return actions.filter { if case .output(_, .open) = $0 { false } else { true } }
        }

        @discardableResult
        mutating func start(
            known: [LightID] = [], kinds: Set<LightKind> = [.light, .switch, .outlet]
        ) -> [Action] {
            note(home.started(known: known, kinds: kinds, now: now))
        }

        @discardableResult
        mutating func find(_ services: [DiscoveredService]) -> [Action] { note(home.found(services, now: now)) }

        @discardableResult
        mutating func open(_ target: DeviceTarget, key: [UInt8]? = nil) -> [Action] {
            let number = numbers[target] ?? 0
            let endpoint = home.nextEndpoint(of: target, number: number) ?? .host("nowhere", port: 1)
            home.answered(target, number: number, at: endpoint)
            return receive(target, .opened(key: key, ephemeral: [UInt8](repeating: 3, count: 32)))
        }

        @discardableResult
        mutating func receive(_ target: DeviceTarget, _ input: ESPHomeSession.Input) -> [Action] {
            note(home.received(input, from: target, number: numbers[target] ?? 0, now: now, share: 1))
        }

        @discardableResult
        mutating func receive(_ target: DeviceTarget, _ messages: Message...) -> [Action] {
            var framing = ESPHomeFraming()
            return receive(target, bytes: messages.flatMap { framing.bytes(of: $0) })
        }

        @discardableResult
        mutating func receive(_ target: DeviceTarget, bytes: [UInt8]) -> [Action] {
            receive(target, .bytes(bytes))
        }

        @discardableResult
        mutating func close(_ target: DeviceTarget, _ fault: SessionFault = .unreachable("gone")) -> [Action] {
            note(home.closed(target, number: numbers[target] ?? 0, fault, now: now, share: 1))
        }

        @discardableResult
        mutating func pass(_ time: Duration) -> [Action] {
            now += time
            return note(home.timePassed(now: now, share: 1))
        }

        /// Sends a command, which the connection accepts.
        ///
        /// - Returns: The device, and the bytes for it.
        @discardableResult
        mutating func order(
            _ light: LightID, _ command: LightCommand = LightCommand(on: true)
        ) throws(LightError) -> (target: DeviceTarget, bytes: [UInt8])? {
            let (_, actions) = try home.apply(command, to: light, now: now)
            guard case .output(let target, .command(let bytes, let number))? = actions.last else { return nil }
            let answer = receive(target, .command(number, isSent: true))
            #expect(answer == [.finished(command: number, nil)])
            return (target, bytes)
        }

        /// Connects a device and describes its lights.
        @discardableResult
        mutating func join(
            _ target: DeviceTarget, mac: String = "AA:BB:CC:DD:EE:FF", _ lights: [Message] = [dim]
        ) -> [Action] {
            open(target)
            var framing = ESPHomeFraming()
            let messages = [Message(2), info(mac)] + lights + [Message(ESPHomeMessageType.entitiesDone)]
            return receive(target, bytes: messages.flatMap { framing.bytes(of: $0) })
        }
    }

    static let dim = ESPHomeLightTests.entity([3])
    static let shelf: LightID = "AABBCCDDEEFF/shelf"
    static let host = ESPHomeHost(host: "10.0.0.5")
    static let den = DeviceTarget.configured(host.address)
    static let kitchen = DeviceTarget.discovered(.init(name: "kitchen", host: "kitchen.local"))

    static func info(_ mac: String = "AA:BB:CC:DD:EE:FF") -> Message {
        var body = ProtobufWriter()
        body.write("den", field: 2)
        body.write(mac, field: 3)
        return Message(ESPHomeMessageType.deviceInfoResponse, body.bytes)
    }

    static func state(on: Bool, brightness: Float = 1, key: UInt32 = 1) -> Message {
        var body = ProtobufWriter()
        body.write(fixed32: key, field: 1)
        body.write(on, field: 2)
        body.write(brightness, field: 3)
        body.write(UInt64(3), field: 11)
        return Message(ESPHomeMessageType.lightState, body.bytes)
    }

    static func service(_ name: String, _ last: UInt8, port: UInt16 = 6053, txt: TXTRecord = [:]) -> DiscoveredService {
        let address = ServiceAddress(bytes: [10, 0, 0, last], interface: 2, interfaceName: "eth0")
        return DiscoveredService(
            id: .init(name: name, host: "\(name).local"), port: port, txt: txt, addresses: address.map { [$0] } ?? [])
    }

    static func warning(_ actions: [Action]) -> String? {
        actions.compactMap { if case .warn(let text?, _) = $0 { text } else { nil } }.last
    }

    static func frame(_ message: Message) -> [UInt8] {
        var framing = ESPHomeFraming()
        return framing.bytes(of: message)
    }

    static func configured() -> House {
        var house = House(ESPHomeDriverConfiguration(discover: false, hosts: [host]))
        house.start()
        return house
    }

    // MARK: A connection

    @Test("asks a device for its identity, its entities and its states, in order")
    func conversation() throws {
        var house = House(ESPHomeDriverConfiguration(discover: false, hosts: [Self.host]))
        #expect(house.start() == [.connect(Self.den, number: 1)])
        #expect(house.open(Self.den) == [.output(Self.den, .send(Self.frame(.hello) + Self.frame(Message(3))))])
        #expect(house.receive(Self.den, Message(2)) == [.output(Self.den, .send([0, 0, 9]))])
        #expect(house.receive(Self.den, Self.info()) == [.output(Self.den, .send([0, 0, 11]))])
        let light = try ESPHomeLightTests.light([3]).description.id
        let actions = house.receive(Self.den, Self.dim, Message(18, [1]), Message(19))
        #expect(actions.first == .output(Self.den, .send([0, 0, 20])))
        guard case .added(let description) = actions[1] else { return #expect(Bool(false), "the light is added") }
        #expect(description.id == light && description.name == "den Shelf")
        #expect(actions[2...] == [.report(light, LightReport(reachable: true))])
        #expect(
            house.receive(Self.den, Self.state(on: true, brightness: 0.4))
                == [.report(light, LightReport(on: true, brightness: 40, reachable: true))])
    }

    @Test("skips hidden entities, and switches unless they are enabled")
    func hidden() {
        let relay = Message(ESPHomeMessageType.switchEntity, [0x15, 3, 0, 0, 0, 0x1A, 1, 0x52])
        var house = Self.configured()
        let added = house.join(Self.den, [ESPHomeLightTests.entity([3], category: 1), relay])
        #expect(added.allSatisfy { if case .added = $0 { false } else { true } })
        house = House(ESPHomeDriverConfiguration(discover: false, hosts: [Self.host], switches: true))
        house.start()
        house.join(Self.den, [relay])
        #expect(
            house.receive(Self.den, Message(ESPHomeMessageType.switchState, [0x0D, 3, 0, 0, 0, 0x10, 1]))
                == [.report("AABBCCDDEEFF/switch/r", LightReport(on: true, reachable: true))])
        #expect(
            house.receive(Self.den, Message(ESPHomeMessageType.switchState, [0x0D, 3, 0, 0, 0, 0x20, 1])) == [],
            "a switch may not know its state")
    }

    @Test("marks a state as spontaneous unless it is the first state or answers a command")
    func spontaneous() throws {
        var house = Self.configured()
        house.join(Self.den)
        func report(_ actions: [Action]) -> Bool? {
            actions.compactMap { if case .report(_, let report) = $0 { report.isSpontaneous } else { nil } }.first
        }
        #expect(report(house.receive(Self.den, Self.state(on: false))) == false)
        #expect(report(house.receive(Self.den, Self.state(on: true))) == true)
        let sent = try #require(try house.order(Self.shelf, LightCommand(on: false)))
        #expect(sent.target == Self.den && sent.bytes == Self.frame(.init(32, [0x0D, 1, 0, 0, 0, 0x10, 1, 0x18, 0])))
        #expect(report(house.receive(Self.den, Self.state(on: false))) == false)
        #expect(report(house.receive(Self.den, Self.state(on: true))) == true)
        try house.order(Self.shelf, LightCommand(on: false))
        house.now += .seconds(3)
        #expect(
            report(house.receive(Self.den, Self.state(on: true))) == true, "the state arrives too late to be the answer"
        )
    }

    @Test("pings a silent device after 20 s, and gives up on it 10 s later")
    func silence() {
        var house = Self.configured()
        house.join(Self.den)
        #expect(house.home.deadline == .seconds(20))
        #expect(house.pass(.seconds(20)) == [.output(Self.den, .send([0, 0, 7]))])
        #expect(house.home.deadline == .seconds(30))
        house.receive(Self.den, Message(8))
        #expect(house.home.deadline == .seconds(40))
        house.pass(.seconds(20))
        #expect(house.pass(.seconds(10)) == [.close(Self.den), .report(Self.shelf, LightReport(reachable: false))])
        #expect(throws: LightError.unreachable) { try house.order(Self.shelf) }
    }

    @Test("pings a device that doesn't answer a command")
    func unanswered() throws {
        var house = Self.configured()
        house.join(Self.den)
        try house.order(Self.shelf, LightCommand(on: false))
        #expect(house.pass(.seconds(3)) == [.output(Self.den, .send([0, 0, 7]))])
        #expect(house.pass(.seconds(9)) == [])
        #expect(house.pass(.seconds(1)).first == .close(Self.den))
    }

    @Test("gives up on a device that doesn't answer hello within 10 s or finish its list within 30 s")
    func stuck() {
        var house = Self.configured()
        house.open(Self.den)
        #expect(house.pass(.seconds(9)) == [])
        #expect(house.pass(.seconds(1)).first == .close(Self.den))
        house.pass(.seconds(1))
        house.open(Self.den)
        house.receive(Self.den, Message(2))
        for _ in 1...5 {
            #expect(house.pass(.milliseconds(5900)) == [])
            house.receive(Self.den, Message(8))
        }
        #expect(house.pass(.milliseconds(500)).first == .close(Self.den))
    }

    @Test("answers a ping before it knows the entities, and a disconnect request before it closes")
    func courtesies() {
        var house = Self.configured()
        house.open(Self.den)
        #expect(house.receive(Self.den, Message(7)) == [.output(Self.den, .send([0, 0, 8]))])
        house.close(Self.den)
        house.pass(.seconds(1))
        house.join(Self.den)
        #expect(
            house.receive(Self.den, Message(5), Self.state(on: true))
                == [
                    .output(Self.den, .send([0, 0, 6])), .close(Self.den),
                    .report(Self.shelf, LightReport(reachable: false)),
                ])
    }

    @Test("retries after 1, 2, 4 ... 60 seconds, and starts over after a successful connection")
    func backoff() {
        var house = Self.configured()
        for pause in [1, 2, 4, 8, 16, 32, 60, 60] {
            house.close(Self.den)
            #expect(house.home.deadline == house.now + .seconds(pause))
            house.pass(.seconds(pause))
        }
        house.join(Self.den)
        house.close(Self.den)
        #expect(house.home.deadline == house.now + .seconds(1))
        #expect(house.close(Self.den) == [], "the end of a connection is reported once")
    }

    // MARK: Added and removed lights

    @Test("removes lights that a device no longer lists, including those known from the last run")
    func lists() {
        var house = House(ESPHomeDriverConfiguration(discover: false, hosts: [Self.host]))
        house.start(known: ["AABBCCDDEEFF/old", "112233445566/other", Self.shelf])
        let first = house.join(Self.den)
        #expect(first.contains(.removed("AABBCCDDEEFF/old")) && !first.contains(.removed("112233445566/other")))
        #expect(throws: LightError.unreachable) { try house.order("112233445566/other") }
        #expect(throws: LightError.unknownLight) { try house.order("nothing") }
        house.close(Self.den)
        house.pass(.seconds(1))
        let second = house.join(Self.den, [ESPHomeLightTests.entity([3], name: "Lamp", key: 2)])
        #expect(second.contains(.removed(Self.shelf)))
        house.close(Self.den)
        house.pass(.seconds(1))
        let again = house.join(Self.den, [ESPHomeLightTests.entity([3], name: "Lamp", key: 2)])
        #expect(again.allSatisfy { if case .added = $0 { false } else { true } }, "the light was already added")
    }

    @Test("limits the number of lights and devices")
    func bounds() {
        var house = Self.configured()
        let lights = (1...500).map { ESPHomeLightTests.entity([3], name: "L\($0)", key: UInt32($0)) }
        let actions = house.join(Self.den, lights)
        #expect(actions.count { if case .added = $0 { true } else { false } } == ESPHomeSession.maximumEntities)
        house = House(ESPHomeDriverConfiguration())
        let found = (0...250).map { Self.service("d\($0)", UInt8($0)) }
        #expect(house.find(found).count == ESPHomeSession.traits.maximumDevices)
    }

    @Test("rejects a new device id when the driver already has the maximum number of devices")
    func everAnother() {
        var house = Self.configured()
        func mac(_ number: Int) -> String {
            let digits = String(number, radix: 16, uppercase: true)
            return "AA:BB:CC:DD:EE:" + (digits.count == 1 ? "0" : "") + digits
        }
        for number in 1...ESPHomeSession.traits.maximumDevices {
            let actions = house.join(Self.den, mac: mac(number))
            #expect(actions.contains { if case .added = $0 { true } else { false } })
            house.close(Self.den)
            house.pass(.seconds(100))
        }
        let actions = house.join(Self.den, mac: mac(200))
        #expect(!actions.contains { if case .added = $0 { true } else { false } })
        #expect(actions.contains(.close(Self.den)))
        #expect(
            Self.warning(actions) == "10.0.0.5 isn't used; the esphome driver can't connect to more than 128 devices")
    }

    @Test("waits until a device has an address")
    func withoutAddress() {
        var house = House(ESPHomeDriverConfiguration())
        var nowhere = Self.service("kitchen", 7)
        nowhere.addresses = []
        house.find([Self.service("kitchen", 7)])
        house.join(Self.kitchen)
        house.close(Self.kitchen)
        house.find([nowhere])
        #expect(house.pass(.seconds(100)) == [])
        #expect(house.home.deadline == nil)
        #expect(house.find([Self.service("kitchen", 7)]).count == 1)
    }

    // MARK: Keys

    @Test("distinguishes lights with the same object id, and keeps the plain id for the first")
    func namesakes() {
        var house = Self.configured()
        var second = ProtobufWriter()
        second.write(fixed32: 0xAB, field: 2)
        second.write("Shelf", field: 3)
        second.write(UInt64(3), field: 12)
        let actions = house.join(Self.den, [Self.dim, Message(ESPHomeMessageType.lightEntity, second.bytes)])
        let added = actions.compactMap { if case .added(let light) = $0 { light.id } else { nil } }
        #expect(added == [Self.shelf, "AABBCCDDEEFF/shelf~ab"])
    }

    @Test("retries after a minute if a device rejects the key, or at once when the key file changes")
    func refusedKey() {
        let host = ESPHomeHost(host: "10.0.0.5", port: 6053, keyFile: "/etc/key")
        let target = DeviceTarget.configured(host.address)
        var configuration = ESPHomeDriverConfiguration()
        configuration.hosts = [host]
        var house = House(configuration)
        house.start()
        house.close(target, .unauthorized("wrong key"))
        #expect(house.pass(.seconds(59)) == [] && house.home.refusedSecretFiles == ["/etc/key"])
        #expect(house.pass(.seconds(1)).count == 1)
        house.close(target, .unauthorized("wrong key"))
        house.home.secretsChanged(in: ["/etc/key"], now: house.now)
        #expect(house.pass(.zero).count == 1 && house.home.refusedSecretFiles == [])
    }

    @Test("warns about a device that requires a key, with the line to add to the configuration")
    func keyWanted() {
        var house = Self.configured()
        house.open(Self.den)
        let actions = house.receive(Self.den, bytes: [1, 0, 0])
        #expect(
            Self.warning(actions)
                == "10.0.0.5 requires an encryption key; put the key in a file, and add "
                + "key-file: /etc/lamplighter/10.0.0.5.key in its entry under hosts")
        house = House(ESPHomeDriverConfiguration())
        let txt: TXTRecord = ["api_encryption": "Noise_NNpsk0_25519_ChaChaPoly_SHA256"]
        let found = house.find([Self.service("kitchen", 7, txt: txt)])
        #expect(
            found == [
                .warn(
                    "kitchen requires an encryption key; put the key in a file, and add "
                        + "devices: {kitchen: {key-file: /etc/lamplighter/kitchen.key}}", about: "kitchen")
            ], "the driver doesn't connect to the device")
        #expect(house.find([Self.service("kitchen", 7)]).contains { if case .connect = $0 { true } else { false } })
    }

    @Test("warns about a wrong key and about a device that doesn't encrypt, and never ignores a key")
    func keys() {
        var host = Self.host
        host.keyFile = "/etc/lamplighter/den.key"
        var house = House(ESPHomeDriverConfiguration(discover: false, hosts: [host]))
        let den = DeviceTarget.configured(host.address)
        house.start()
        house.open(den, key: ESPHomeFramingTests.key)
        let plain = house.receive(den, Message(2))
        #expect(
            Self.warning(plain)
                == "10.0.0.5 doesn't use encryption, but a key is configured; remove key-file, or enable encryption")
        house.pass(.seconds(60))
        house.open(den, key: ESPHomeFramingTests.key)
        let refusal = ESPHomeFramingTests.frame([1] + Array("Handshake MAC failure".utf8))
        let refused = house.receive(den, bytes: ESPHomeFramingTests.frame([1, 0]) + refusal)
        #expect(Self.warning(refused)?.hasPrefix("the key in /etc/lamplighter/den.key is wrong") == true)
        house.pass(.seconds(120))
        let actions = house.receive(den, .keyUnusable("key-file /x is empty"))
        #expect(actions == [.close(den), .warn("10.0.0.5: key-file /x is empty", about: "10.0.0.5")])
        #expect(house.home.deadline == house.now + .seconds(1), "the file is read again in a second")
    }

    @Test("warns about a device that requires a password")
    func password() {
        var house = Self.configured()
        house.open(Self.den)
        #expect(
            Self.warning(house.receive(Self.den, Message(4, [8, 1])))?.contains("requires an API password") == true)
    }

    // MARK: mDNS

    @Test("tries the other addresses at once when the wrong device answers")
    func otherDevice() {
        var house = House(ESPHomeDriverConfiguration())
        var service = Self.service("kitchen", 7, txt: ["mac": "aabbccddeeff"])
        service.addresses += Self.service("kitchen", 8).addresses
        house.find([service])
        house.join(Self.kitchen, mac: "AA:BB:CC:DD:EE:00")
        #expect(house.tries[Self.kitchen] == 2)
        #expect(house.join(Self.kitchen).contains { if case .added = $0 { true } else { false } })
        house.close(Self.kitchen)
        house.pass(.seconds(1))
        let number = house.numbers[Self.kitchen] ?? 0
        #expect(house.home.nextEndpoint(of: Self.kitchen, number: number)?.description == "10.0.0.8:6053")
    }

    @Test("tries a new address at once, or pings the device if a connection is open")
    func moved() {
        var house = House(ESPHomeDriverConfiguration())
        house.find([Self.service("kitchen", 7)])
        house.join(Self.kitchen)
        #expect(house.find([Self.service("kitchen", 7)]) == [], "a repeated announcement has no effect")
        #expect(house.find([Self.service("kitchen", 8, port: 6054)]) == [.output(Self.kitchen, .send([0, 0, 7]))])
        let gone = house.pass(.seconds(10))
        #expect(gone.contains(.report(Self.shelf, LightReport(reachable: false))))
        let back = house.pass(.seconds(1))
        #expect(back.count == 1)
        let number = house.numbers[Self.kitchen] ?? 0
        let endpoint = house.home.nextEndpoint(of: Self.kitchen, number: number)
        #expect(endpoint?.description == "10.0.0.8:6054", "the new address is used")
        house.close(Self.kitchen)
        house.close(Self.kitchen)
        #expect(house.find([Self.service("kitchen", 9)]).count == 1, "a new address is tried at once")
    }

    @Test("keeps the lights of a device that leaves mDNS, and forgets a device without lights")
    func left() {
        var house = House(ESPHomeDriverConfiguration())
        house.find([Self.service("kitchen", 7), Self.service("ghost", 8)])
        house.join(Self.kitchen)
        let ghost = DeviceTarget.discovered(.init(name: "ghost", host: "ghost.local"))
        #expect(house.find([]) == [.close(ghost)])
        #expect(house.close(Self.kitchen).contains(.report(Self.shelf, LightReport(reachable: false))))
        #expect(house.pass(.seconds(1)).count == 1, "the last known address is tried")
        house.close(Self.kitchen)
        #expect(
            house.find([Self.service("kitchen", 7)]).count == 1,
            "the device is tried at once when it is announced again")
    }

    @Test("uses only the configured target of a device that is also discovered")
    func twice() {
        for isConfiguredFirst in [true, false] {
            var house = House(ESPHomeDriverConfiguration(hosts: [Self.host]))
            house.start()
            house.find([Self.service("kitchen", 7)])
            let order = isConfiguredFirst ? [Self.den, Self.kitchen] : [Self.kitchen, Self.den]
            house.join(order[0])
            let second = house.join(order[1])
            #expect(second.contains(.close(Self.kitchen)))
            #expect(throws: Never.self) {
                let target = try house.order(Self.shelf)?.target
                #expect(target == Self.den)
            }
            let ended = house.close(Self.den)
            #expect(ended.contains(.report(Self.shelf, LightReport(reachable: false))))
            let tries = house.tries[Self.kitchen]
            house.pass(.zero)
            #expect(house.tries[Self.kitchen] == (tries ?? 0) + 1, "the discovered target is used instead")
        }
    }

    // MARK: Identify

    @Test("blinks a light to identify it, and restores its power")
    func identify() throws {
        var house = Self.configured()
        house.join(Self.den)
        house.receive(Self.den, Self.state(on: true))
        let (number, actions) = try house.home.identify(Self.shelf, now: house.now)
        var (sent, finished) = (actions, [Action]())
        for isOn in [false, true, false, true] {
            #expect(sent == [.output(Self.den, .command(Self.power(isOn), number: number))] && finished == [])
            finished = house.receive(Self.den, .command(number, isSent: true))
            sent = house.pass(.milliseconds(400))
        }
        #expect(sent == [] && finished == [.finished(command: number, nil)])
    }

    @Test("doesn't report the blinks of an identification, and ends it when a command arrives")
    func interrupted() throws {
        var house = Self.configured()
        house.join(Self.den)
        house.receive(Self.den, Self.state(on: true))
        let (number, _) = try house.home.identify(Self.shelf, now: house.now)
        #expect(house.receive(Self.den, Self.state(on: false)) == [])
        let (_, actions) = try house.home.apply(LightCommand(on: false), to: Self.shelf, now: house.now)
        #expect(actions.first == .finished(command: number, nil))
        #expect(house.pass(.milliseconds(400)) == [])
        #expect(house.receive(Self.den, Self.state(on: false)).count == 1)
    }

    @Test("restores a light's power when its identification is canceled")
    func canceled() throws {
        var house = Self.configured()
        house.join(Self.den)
        house.receive(Self.den, Self.state(on: true))
        let (number, _) = try house.home.identify(Self.shelf, now: house.now)
        house.home.cancelled(command: number)
        #expect(house.pass(.zero) == [.output(Self.den, .command(Self.power(true), number: number))])
        #expect(house.pass(.milliseconds(400)) == [])
    }

    @Test("rejects a command as busy while too much data is waiting for the device")
    func busy() throws {
        var house = Self.configured()
        house.join(Self.den)
        let (number, _) = try house.home.apply(LightCommand(on: true), to: Self.shelf, now: house.now)
        #expect(
            house.receive(Self.den, .command(number, isSent: false)) == [.finished(command: number, .busy)])
    }

    @Test("returns a disconnect request for each connected device")
    func goodbye() {
        var house = Self.configured()
        #expect(house.home.goodbyes().isEmpty)
        house.join(Self.den)
        let goodbyes = house.home.goodbyes()
        #expect(goodbyes.map(\.target) == [Self.den] && goodbyes.map(\.outputs) == [[.send([0, 0, 5])]])
    }

    /// Returns the bytes that switch the light without a transition.
    static func power(_ isOn: Bool) -> [UInt8] {
        frame(.init(32, [0x0D, 1, 0, 0, 0, 0x10, 1, 0x18, isOn ? 1 : 0, 0x70, 1, 0x78, 0]))
    }
}
