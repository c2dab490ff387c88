import AccessoryRole
import HAPModel
import Testing
import YAMLKit

@testable import hapsim

@Suite("A hapsim file")
struct SimulationFileTests {
    private func file(_ text: String) throws -> SimulationFile {
        try StrictYAML.decode(SimulationFile.self, from: Array(text.utf8), file: "a.yaml")
    }

    private func accessories(_ text: String) throws -> [AccessoryObject] {
        var ids = InstanceIDs()
        return try file(text).accessories(&ids).accessories
    }

    @Test("becomes an accessory that controllers accept, with the characteristics that its services require")
    func becomesAnAccessory() throws {
        let made = try accessories(
            """
            name: Front Door
            services:
              - type: LockMechanism
                linked: [cell]
                characteristics: {LockTargetState: Secured}
              - type: battery
                id: cell
                characteristics: {BatteryLevel: 72}
            """)
        try made.forEach { accessory throws(ComplianceError) in try accessory.checkCompliance() }
        let accessory = try #require(made.first)
        let lock = try #require(accessory.services.first { $0.type == .lockMechanism })
        let battery = try #require(accessory.services.first { $0.type == .battery })
        #expect(made.count == 1 && accessory.name == "Front Door")
        #expect(lock.isPrimary && !battery.isPrimary && lock.linked == [battery.iid])
        #expect(lock.iid == InstanceID(100) && battery.iid == InstanceID(200))
        #expect(lock.characteristics.first { $0.type == .lockTargetState }?.value == .integer(1))
        #expect(lock.characteristics.contains { $0.type == .lockCurrentState }, "it is required")
        #expect(battery.characteristics.first { $0.type == .batteryLevel }?.value == .integer(72))
    }

    @Test("becomes a bridge if it has accessories")
    func becomesABridge() throws {
        let text = """
            name: Garden
            accessories:
              - name: Button
                services: [{type: StatelessProgrammableSwitch}]
              - name: Valve
                services: [{type: Valve, travel: 2}]
            """
        let made = try accessories(text)
        try made.forEach { accessory throws(ComplianceError) in try accessory.checkCompliance() }
        #expect(try file(text).category == .bridge)
        #expect(made.map(\.aid.rawValue) == [1, 2, 3])
        #expect(made.map(\.name) == ["Garden", "Button", "Valve"])
    }

    @Test("is limited to a bridge with 149 accessories")
    func bounded() {
        func text(_ count: Int) -> String {
            let accessory = "{name: Lamp, services: [{type: Lightbulb}]}"
            return
                "{name: Hall, accessories: [\([String](repeating: accessory, count: count).joined(separator: ", "))]}"
        }
        #expect(throws: Never.self) { try accessories(text(149)) }
        let error = #expect(throws: ConfigurationError.self) { try accessories(text(150)) }
        #expect(error?.keyPath == "accessories" && error?.problem == "a bridge can have at most 149 accessories")
    }

    @Test("can describe every service of the catalog", arguments: ServiceDefinition.all.map(\.name))
    func everyService(name: String) throws {
        let machinery = ["AccessoryInformation", "ProtocolInformation"]
        guard !machinery.contains(name) else { return }
        let made = try accessories("{name: One, services: [{type: \(name)}]}")
        try made.forEach { accessory throws(ComplianceError) in try accessory.checkCompliance() }
    }

    @Test("can define custom characteristics")
    func ownCharacteristics() throws {
        let made = try accessories(
            """
            name: Meter
            services:
              - type: 0B6A35C0-1C6C-4B0E-8D2B-5F0F7A7C3D11
                characteristics:
                  0B6A35C1-1C6C-4B0E-8D2B-5F0F7A7C3D11:
                    {description: Power, format: float, permissions: [pr, pw, ev], minimum: 0, maximum: 99.5, step: 0.5, value: 12.5}
            """)
        let power = try #require(made.first?.services.last?.characteristics.first)
        #expect(power.manufacturerDescription == "Power" && power.value == .float(12.5))
        #expect(
            power.metadata
                == CharacteristicMetadata(
                    format: .float, permissions: [.pairedRead, .pairedWrite, .notify], minimum: 0, maximum: 99.5,
                    step: 0.5))
    }

    @Test(
        "is rejected with a message that names the mistake, its location and a remedy",
        arguments: [
            ("name: One", "the file describes no services; add services: or accessories:"),
            ("services: [{type: Switch}]", "name"),
            ("{name: \"One\\a\", services: [{type: Switch}]}", "control characters"),
            ("{name: One, services: [{type: Lightbuld}]}", "unknown service type Lightbuld; use Lightbulb"),
            ("{name: One, services: [{type: Switch, characteristics: {Onn: true}}]}", "use On"),
            ("{name: One, services: [{type: Switch, characteristics: {On: maybe}}]}", "use true or false"),
            (
                "{name: One, services: [{type: Lightbulb, characteristics: {Brightness: 101}}]}",
                "use a number from 0 to 100"
            ),
            (
                "{name: One, services: [{type: Battery, characteristics: {ChargingState: Full}}]}",
                "use one of 0 (NotCharging)"
            ),
            ("{name: One, code: 123-45-678, services: [{type: Switch}]}", "123-45-678 is too easy to guess"),
            ("{name: One, code: 12345678, services: [{type: Switch}]}", "not a valid setup code"),
            ("{name: One, services: [{type: Switch, travel: -1}]}", "a move must take 0 to 3600 seconds"),
            ("{name: One, services: [{type: Switch, linked: [x]}]}", "no other service has the id x"),
            (
                "{name: One, services: [{type: 0B6A35C0-1C6C-4B0E-8D2B-5F0F7A7C3D11}]}",
                "the service has no characteristics"
            ),
            (
                "{name: One, services: [{type: Switch, characteristics: {0B6A35C1-1C6C-4B0E-8D2B-5F0F7A7C3D11: 1}}]}",
                "the format is missing"
            ),
            (
                "{name: One, services: [{type: Switch, characteristics: {On: {value: true, unit: ppm}}}]}",
                "HAP has no unit ppm"
            ),
            ("{name: One, services: [{type: Switch, chracteristics: {On: true}}]}", "use characteristics"),
        ])
    func mistakes(text: String, message: String) {
        let error = #expect(throws: (any Error).self) { try accessories(text) }
        #expect("\(error.map { "\($0)" } ?? "")".contains(message))
    }
}

@Suite("A line typed into hapsim")
struct TerminalCommandTests {
    @Test(
        "is parsed as a command",
        arguments: [
            ("", TerminalCommand.nothing), ("  show ", .show(nil)), ("show Front Door", .show("Front Door")),
            ("On=true", .set("On", "true")), (" Lamp / On = off", .set("Lamp / On", "off")),
            ("Name=a=b", .set("Name", "a=b")),
            ("press", .press(nil, kind: 0)), ("press double", .press(nil, kind: 1)),
            ("press Garden Button long", .press("Garden Button", kind: 2)), ("away", .reachable(false, nil)),
            ("unlock", .unlock), ("back Porch", .reachable(true, "Porch")), ("help", .help), ("QUIT", .quit),
        ])
    func commands(line: String, command: TerminalCommand) throws { #expect(try TerminalCommand(line) == command) }

    @Test(
        "is rejected with an explanation if it is invalid",
        arguments: [("jump", "unknown command jump"), ("=1", "use NAME=VALUE")])
    func mistakes(line: String, message: String) {
        let error = #expect(throws: TerminalCommand.Mistake.self) { try TerminalCommand(line) }
        #expect(error?.message.contains(message) == true)
    }
}
