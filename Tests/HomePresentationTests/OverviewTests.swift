import HAPModel
import HAPTesting
import HomeModel
import HomeTesting
import Testing

@testable import HomePresentation

@Suite("The overview of a home") struct OverviewTests {
    private typealias Device = (name: String, services: [(ServiceType, Values)])

    /// Returns a home with the given devices in one room; services of the same device have the names of their types.
    private func home(_ devices: [Device], _ change: (inout TestHub, Home) throws -> Void = { _, _ in }) throws -> Home
    {
        var (hub, id) = try ProductHomes.home(
            devices.map { device in
                (
                    device.name,
                    device.services.enumerated().map { index, service in
                        ProductHomes.service(service.0, iid: UInt64(100 * (index + 1)), service.1)
                    }
                )
            })
        try change(&hub, try #require(hub.graph.home(id)))
        return try #require(hub.graph.home(id))
    }

    private func tiles(_ home: Home) -> [String] {
        home.tiles(in: home.defaultRoomID).map { row in row.accessoryName.map { "\(row.name) of \($0)" } ?? row.name }
    }

    // MARK: Tiles

    @Test(
        "shows an accessory by its main service, and switchable services of the same kind separately",
        arguments: [
            ([(.lightbulb, [:])], ["Thing"]),
            ([(.lockMechanism, [:]), (.contactSensor, [:]), (.battery, [:])], ["Thing"]),
            ([(.fanv2, [:]), (.lightbulb, [:])], ["Thing"]),
            ([(.outlet, [:]), (.outlet, [:])], ["Outlet of Thing", "Outlet 2 of Thing"]),
            ([(.statelessProgrammableSwitch, [:]), (.statelessProgrammableSwitch, [:])], ["Thing"]),
            ([(.television, [:]), (.inputSource, [:]), (.inputSource, [:]), (.speaker, [:])], ["Thing"]),
            ([(.irrigationSystem, [:]), (.valve, [:]), (.valve, [:])], ["Thing"]),
            ([(.temperatureSensor, [:]), (.humiditySensor, [:])], []),
            ([(.motionSensor, [:]), (.lightbulb, [:])], ["Thing"]),
            ([(.battery, [:])], []),
        ] as [([(ServiceType, Values)], [String])])
    func tilesOfAccessories(services: [(ServiceType, Values)], names: [String]) throws {
        let shown = tiles(try home([("Thing", services)]))
        #expect(shown == names)
    }

    @Test("shows a favorite that isn't the main service separately") func favorites() throws {
        let home = try home([
            ("Fan", [(.fanv2, [:]), (.lightbulb, [:])]),
            ("Glass", [(.temperatureSensor, [:]), (.humiditySensor, [:])]),
        ]) { hub, home in
            for accessory in home.accessories {
                try hub.perform(.setFavorite(try #require(accessory.parts.last).id, true))
            }
        }
        #expect(tiles(home) == ["Light of Fan", "Fan"])
        #expect(home.favorites.map(\.name) == ["Humidity Sensor", "Light"])
    }

    // MARK: Readings

    @Test(
        "combines the sensors of a room",
        arguments: [
            ([(.temperatureSensor, [.currentTemperature: .float(21.5)])], ["21.5 °C"]),
            (
                [
                    (.temperatureSensor, [.currentTemperature: .float(14.2)]),
                    (.thermostat, [.currentTemperature: .float(21.6)]),
                ], ["14–22 °C"]
            ),
            (
                [
                    (.temperatureSensor, [.currentTemperature: .float(-3)]),
                    (.temperatureSensor, [.currentTemperature: .float(5)]),
                ], ["-3 to 5 °C"]
            ),
            (
                [
                    (.temperatureSensor, [.currentTemperature: .float(4.5)]),
                    (.temperatureSensor, [.currentTemperature: .float(21)]),
                    (.thermostat, [.currentTemperature: .float(8)]),
                ], ["8–21 °C"]
            ),
            ([(.humiditySensor, [.currentRelativeHumidity: .float(45)]), (.temperatureSensor, [:])], ["45 %"]),
            (
                [(.motionSensor, [.motionDetected: .bool(false)]), (.motionSensor, [.motionDetected: .bool(true)])],
                ["motion, active"]
            ),
            (
                [
                    (.contactSensor, [.contactSensorState: .integer(1)]),
                    (.contactSensor, [.contactSensorState: .integer(1)]),
                    (.contactSensor, [.contactSensorState: .integer(0)]),
                ], ["2 open, active"]
            ),
            (
                [(.leakSensor, [.leakDetected: .integer(1)]), (.leakSensor, [.leakDetected: .integer(0)])],
                ["leak, active, alert"]
            ),
            ([(.smokeSensor, [.smokeDetected: .integer(0)])], ["no smoke, minor"]),
            ([(.lightbulb, [.on: .bool(true)]), (.motionSensor, [:])], []),
        ] as [([(ServiceType, Values)], [String])])
    func readings(services: [(ServiceType, Values)], words: [String]) throws {
        let home = try home(services.enumerated().map { ("Thing \($0.offset)", [$0.element]) })
        let readings = home.readings(in: home.defaultRoomID).map { reading in
            reading.words + (reading.isActive ? ", active" : "") + (reading.isAlert ? ", alert" : "")
                + (reading.isNotable ? "" : ", minor")
        }
        #expect(readings == words)
    }

    // MARK: Status

    @Test(
        "summarizes lights, climate and security",
        arguments: [
            ([], []), ([(.lightbulb, [.on: .bool(false)])], ["Lights: all off"]),
            ([(.lightbulb, [.on: .bool(true)]), (.switch, [.on: .bool(true)])], ["Lights: 1 on, active"]),
            (
                [
                    (.temperatureSensor, [.currentTemperature: .float(14)]),
                    (.thermostat, [.currentTemperature: .float(22), .currentHeatingCoolingState: .integer(1)]),
                ], ["Climate: 14–22 °C, active"]
            ),
            (
                [
                    (.temperatureSensor, [.currentTemperature: .float(-2.5)]),
                    (.temperatureSensor, [.currentTemperature: .float(5.5)]),
                    (.temperatureSensor, [.currentTemperature: .float(21)]),
                    (.temperatureSensor, [.currentTemperature: .float(80)]),
                    (.thermostat, [.currentTemperature: .float(8)]),
                ], ["Climate: 8–21 °C"]
            ),
            ([(.temperatureSensor, [.currentTemperature: .float(5.5)])], ["Climate: 5.5 °C"]),
            ([(.humiditySensor, [.currentRelativeHumidity: .float(45)])], ["Climate: 45 %"]),
            ([(.lockMechanism, [.lockCurrentState: .integer(1)])], ["Security: locked"]),
            ([(.lockMechanism, [:])], ["Security: unknown"]),
            (
                [
                    (.lockMechanism, [.lockCurrentState: .integer(0)]),
                    (.contactSensor, [.contactSensorState: .integer(1)]),
                    (.garageDoorOpener, [.currentDoorState: .integer(0)]),
                    (.securitySystem, [.securitySystemCurrentState: .integer(1)]),
                ], ["Security: 1 unlocked, 2 open, alarm armed, active"]
            ),
            (
                [
                    (.lockMechanism, [.lockCurrentState: .integer(1)]),
                    (.contactSensor, [.contactSensorState: .integer(0)]),
                ], ["Security: closed and locked"]
            ),
            ([(.securitySystem, [.securitySystemCurrentState: .integer(3)])], ["Security: alarm off"]),
            (
                [(.securitySystem, [.securitySystemCurrentState: .integer(4)])],
                ["Needs attention: 1, active, alert", "Security: alarm, alert"]
            ),
        ] as [([(ServiceType, Values)], [String])])
    func status(services: [(ServiceType, Values)], words: [String]) throws {
        let home = try home(services.enumerated().map { ("Thing \($0.offset)", [$0.element]) })
        let status = home.status.map { status in
            "\(status.topic.title): \(status.words)" + (status.isActive ? ", active" : "")
                + (status.isAlert ? ", alert" : "")
        }
        #expect(status == words)
    }

    @Test(
        "names the reasons why an accessory needs attention",
        arguments: [
            ([(.lightbulb, [.on: .bool(true)])], nil),
            (
                [(.lightbulb, [:]), (.battery, [.batteryLevel: .integer(8), .statusLowBattery: .integer(1)])],
                "battery low, 8 %"
            ),
            ([(.leakSensor, [.leakDetected: .integer(1)])], "leak"),
            ([(.smokeSensor, [.smokeDetected: .integer(1)])], "smoke"),
            ([(.lockMechanism, [.lockCurrentState: .integer(2)])], "jammed"),
            (
                [
                    (.leakSensor, [.leakDetected: .integer(1)]), (.leakSensor, [.leakDetected: .integer(1)]),
                    (.battery, [.statusLowBattery: .integer(1)]),
                ], "leak; battery low"
            ),
        ] as [([(ServiceType, Values)], String?)])
    func issues(services: [(ServiceType, Values)], words: String?) throws {
        #expect(try home([("Thing", services)]).status(.attention)?.issues.map(\.words) == words.map { [$0] })
    }

    @Test("counts an unreachable accessory, and names the remedy") func unreachable() throws {
        let home = try home([("Thing", [(.lightbulb, [.on: .bool(true)])]), ("Other", [(.lightbulb, [:])])]) {
            hub, home in
            hub.graph.apply(.reachabilityUpdated(home.accessories[0].id, false))
        }
        let issue = try #require(home.status(.attention)?.issues.first)
        #expect(issue.words == "isn't responding" && issue.remedy?.contains("power") == true)
        #expect(home.status(.lights)?.words == "all off")
    }

    @Test("counts an unreachable bridge with its accessories once") func bridge() throws {
        let thing = try #require(try home([("Thing", [(.lightbulb, [:])])]).accessories.first)
        var random = SeededNumbers(seed: 3)
        let id = Accessory.ID(using: &random)
        func accessory(_ id: Accessory.ID, bridge: Accessory.ID? = nil, bridged: [Accessory.ID]? = nil) -> Accessory {
            Accessory(
                id: id, home: thing.home, name: "Thing", configuredName: "", room: thing.room, category: .other,
                isReachable: false, bridge: bridge, bridgedAccessories: bridged, deviceID: thing.deviceID,
                aid: thing.aid, services: thing.services)
        }
        let home = Home(
            id: thing.home, name: "Home", defaultRoomID: thing.room,
            accessories: [accessory(thing.id, bridged: [id]), accessory(id, bridge: thing.id)])
        #expect(home.status(.attention)?.issues.map(\.words) == ["isn't responding, with 1 accessory"])
    }
}
