import BoundedJSON
import DeviceKit

/// A component of Home Assistant's discovery other than `light` and `switch`: its announcements, messages and commands.
///
/// A new component is a type that conforms, and its entry in ``MQTTComponents/all``.
protocol MQTTComponent: Equatable, Sendable {
    /// The component's names in discovery topics.
    static var names: Set<String> { get }

    static var kind: LightKind { get }

    /// Returns whether the announced device is shown.
    static func isShown(_ reader: KeyReader, component: String) throws(MQTTProblem) -> Bool

    /// Creates a component from an announcement; the settings already have the availability, the QoS and the power
    /// payloads.
    ///
    /// - Throws: ``MQTTProblem`` if the device can't be served as announced.
    init(_ reader: KeyReader, component: String, _ settings: inout MQTTLightSettings) throws(MQTTProblem)

    /// Returns the device that an expose of Zigbee2MQTT describes; `nil` if it describes no such device.
    static func entity(_ expose: JSONValue, of device: Zigbee2MQTTDevice) throws(MQTTProblem) -> MQTTEntity?

    var capabilities: LightCapabilities { get }

    /// The sources of its state, except for power.
    var sources: [MQTTLightSettings.Source?] { get }

    /// The state of a device before its first message; `nil` if unknown.
    var beginning: LightReport? { get }

    /// Returns the values in a message.
    func received(
        topic: String, _ payload: MQTTPayload, by light: inout MQTTLight, now: Duration
    ) -> LightReport

    /// Returns whether a state message can't be read.
    func isUnreadable(topic: String, _ payload: MQTTPayload, by light: inout MQTTLight) -> Bool

    /// Returns the values that have changed without a message.
    func timePassed(of light: inout MQTTLight, now: Duration) -> LightReport?

    /// Returns the messages for a command.
    ///
    /// - Throws: `LightError.refused` if the device supports nothing in the command.
    func messages(for command: LightCommand, to light: inout MQTTLight) throws(LightError) -> [MQTTMessage]

    /// Returns the values of a sent command that the device won't report itself.
    func handedOver(_ command: LightCommand, to light: inout MQTTLight) -> LightReport
}

extension MQTTComponent {
    static func isShown(_ reader: KeyReader, component: String) throws(MQTTProblem) -> Bool { true }

    var sources: [MQTTLightSettings.Source?] { [] }

    var beginning: LightReport? { nil }

    func isUnreadable(topic: String, _ payload: MQTTPayload, by light: inout MQTTLight) -> Bool { false }

    func timePassed(of light: inout MQTTLight, now: Duration) -> LightReport? { nil }

    func handedOver(_ command: LightCommand, to light: inout MQTTLight) -> LightReport { LightReport() }

    func isEqual(_ other: any MQTTComponent) -> Bool { other as? Self == self }
}

/// The supported components, without lights and switches.
enum MQTTComponents {
    static let all: [any MQTTComponent.Type] = [MQTTFan.self, MQTTSensor.self, MQTTCover.self]

    static func named(_ name: String) -> (any MQTTComponent.Type)? { all.first { $0.names.contains(name) } }
}
