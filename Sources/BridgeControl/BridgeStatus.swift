package import BoundedJSON

/// How the bridge is doing, as `status` shows it.
package struct BridgeStatus: JSONConvertible {
    /// Whether and as what mDNS shows the bridge.
    package struct Advertisement: JSONConvertible {
        /// One word: `published`, `probing`, `unavailable`, `off` ...
        package var state: String
        /// The mDNS instance name, also after a collision.
        package var name: String

        package init(state: String, name: String) {
            self.state = state
            self.name = name
        }

        package init(json: JSONValue) throws(BridgeControlError) {
            self.init(state: try json.value("state", \.string), name: try json.value("name", \.string))
        }

        package var json: JSONValue { ["state": .string(state), "name": .string(name)] }
    }

    /// One entry of the configuration's `drivers`.
    package struct Driver: JSONConvertible {
        package var id: String
        /// The driver's name: `simulated`, `mqtt`.
        package var driver: String
        /// `starting`, `running`, `failed`, or `degraded: ` and the reason.
        package var state: String

        package init(id: String, driver: String, state: String) {
            self.id = id
            self.driver = driver
            self.state = state
        }

        package init(json: JSONValue) throws(BridgeControlError) {
            self.init(
                id: try json.value("id", \.string), driver: try json.value("driver", \.string),
                state: try json.value("state", \.string))
        }

        package var json: JSONValue { ["id": .string(id), "driver": .string(driver), "state": .string(state)] }
    }

    /// How many lights there are, and how many of them answer.
    package struct Lights: JSONConvertible {
        package var count: Int
        package var reachable: Int

        package init(count: Int, reachable: Int) {
            self.count = count
            self.reachable = reachable
        }

        package init(json: JSONValue) throws(BridgeControlError) {
            self.init(count: try json.value("count", \.int), reachable: try json.value("reachable", \.int))
        }

        package var json: JSONValue { ["count": .integer(count), "reachable": .integer(reachable)] }
    }

    package var name: String
    package var deviceID: String
    /// When the bridge came up, in ISO 8601; it comes up anew after a restore or a reset.
    package var since: String
    package var port: Int
    package var configurationNumber: Int
    package var paired: Bool
    /// How many controllers are connected.
    package var controllers: Int
    package var advertisement: Advertisement
    package var drivers: [Driver]
    package var lights: Lights
    package var warnings: [String]

    package init(
        name: String, deviceID: String, since: String, port: Int, configurationNumber: Int, paired: Bool,
        controllers: Int,
        advertisement: Advertisement, drivers: [Driver], lights: Lights, warnings: [String]
    ) {
        self.name = name
        self.deviceID = deviceID
        self.since = since
        self.port = port
        self.configurationNumber = configurationNumber
        self.paired = paired
        self.controllers = controllers
        self.advertisement = advertisement
        self.drivers = drivers
        self.lights = lights
        self.warnings = warnings
    }

    package init(json: JSONValue) throws(BridgeControlError) {
        self.init(
            name: try json.value("name", \.string), deviceID: try json.value("deviceId", \.string),
            since: try json.value("since", \.string), port: try json.value("port", \.int),
            configurationNumber: try json.value("configurationNumber", \.int),
            paired: try json.value("paired", \.bool), controllers: try json.value("controllers", \.int),
            advertisement: try Advertisement(json: json.value("advertisement") { $0 }),
            drivers: try [Driver](json: json.value("drivers") { $0 }),
            lights: try Lights(json: json.value("lights") { $0 }),
            warnings: try json.value("warnings") { $0.array?.compactMap(\.string) })
    }

    package var json: JSONValue {
        [
            "name": .string(name), "deviceId": .string(deviceID), "since": .string(since), "port": .integer(port),
            "configurationNumber": .integer(configurationNumber), "paired": .bool(paired),
            "controllers": .integer(controllers), "advertisement": advertisement.json, "drivers": drivers.json,
            "lights": lights.json, "warnings": .array(warnings.map(JSONValue.string)),
        ]
    }
}
