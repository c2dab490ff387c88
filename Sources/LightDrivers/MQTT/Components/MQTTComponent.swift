import BoundedJSON
import DeviceKit
import HAPModel

/// A component of Home Assistant's discovery other than `light` and `switch`.
///
/// It handles the announcements, messages and commands of such entities.
///
/// To add a component, add a type that conforms to this protocol, and an entry in ``MQTTComponents/all``.
protocol MQTTComponent: Equatable, Sendable {
    /// The component's names in discovery topics.
    static var names: Set<String> { get }

    static var kind: LightKind { get }

    /// The component's short keys in announcements, with their long forms.
    static var abbreviations: [String: String] { get }

    /// The long configuration keys of a device, apart from the keys that every device has; empty if such devices can
    /// only be announced.
    static var keys: [String] { get }

    /// A Boolean value that indicates whether the entities are readings or buttons, which join another accessory.
    static var isPart: Bool { get }

    /// Returns whether the announced device is shown.
    static func isShown(_ reader: KeyReader, component: String) throws(MQTTProblem) -> Bool

    /// Creates a component from an announcement, and adds its properties to the settings, which already contain the
    /// availability, the QoS and the payloads for power.
    ///
    /// - Throws: ``MQTTProblem`` if the announced entity isn't supported.
    init(_ reader: KeyReader, component: String, _ settings: inout MQTTLightSettings) throws(MQTTProblem)

    /// Returns the entity that an expose of Zigbee2MQTT describes, or `nil` if the expose isn't for this component.
    static func entity(_ expose: JSONValue, of device: Zigbee2MQTTDevice) throws(MQTTProblem) -> MQTTEntity?

    var capabilities: LightCapabilities { get }

    /// The entity's functions; by default, the functions that its capabilities describe.
    var functions: [AccessoryFunction] { get }

    /// The sources of the entity's state, except for power.
    var sources: [MQTTLightSettings.Source?] { get }

    /// The state of an entity before its first message; `nil` if unknown.
    var beginning: LightReport? { get }

    /// Returns the values that a message contains.
    func received(
        topic: String, _ payload: MQTTPayload, by light: inout MQTTLight, now: Duration
    ) -> LightReport

    /// Returns the momentary events in a message that isn't retained.
    func events(topic: String, _ payload: MQTTPayload, by light: inout MQTTLight) -> PropertyValues

    /// Returns whether a state message can't be read.
    func isUnreadable(topic: String, _ payload: MQTTPayload, by light: inout MQTTLight) -> Bool

    /// Returns the values that have changed because time has passed, or `nil` if there are none.
    func timePassed(of light: inout MQTTLight, now: Duration) -> LightReport?

    /// Returns the messages for a command.
    ///
    /// - Throws: `LightError.refused` if the entity supports none of the command's values.
    func messages(for command: LightCommand, to light: inout MQTTLight) throws(LightError) -> [MQTTMessage]

    /// Returns the values of a sent command that count as the state immediately, because the entity won't report them.
    func handedOver(_ command: LightCommand, to light: inout MQTTLight) -> LightReport
}

extension MQTTComponent {
    static var isPart: Bool { false }

    static func isShown(_ reader: KeyReader, component: String) throws(MQTTProblem) -> Bool { true }

    static var abbreviations: [String: String] { [:] }

    static var keys: [String] { [] }

    var functions: [AccessoryFunction] { Self.kind.rules.functions(capabilities) }

    var sources: [MQTTLightSettings.Source?] { [] }

    var beginning: LightReport? { nil }

    func events(topic: String, _ payload: MQTTPayload, by light: inout MQTTLight) -> PropertyValues { PropertyValues() }

    func isUnreadable(topic: String, _ payload: MQTTPayload, by light: inout MQTTLight) -> Bool { false }

    func timePassed(of light: inout MQTTLight, now: Duration) -> LightReport? { nil }

    func handedOver(_ command: LightCommand, to light: inout MQTTLight) -> LightReport { LightReport() }

    func isEqual(_ other: any MQTTComponent) -> Bool { other as? Self == self }
}

/// The supported components other than lights and switches.
enum MQTTComponents {
    static let all: [any MQTTComponent.Type] = [
        // A purifier comes before a fan, because Zigbee2MQTT describes purifiers as fans.
        MQTTAirPurifier.self, MQTTFan.self, MQTTSensor.self, MQTTCover.self, MQTTButton.self, MQTTLock.self,
        MQTTGarageDoor.self, MQTTAlarmPanel.self, MQTTThermostat.self, MQTTHumidifier.self,
        MQTTValve.self, MQTTActivation.self, MQTTSiren.self, MQTTChoice.self,
    ]

    static func named(_ name: String) -> (any MQTTComponent.Type)? { all.first { $0.names.contains(name) } }

    /// Returns the type of an announced entity, or `nil` if the entity isn't shown.
    static func type(of component: String, _ reader: KeyReader) throws(MQTTProblem) -> (any MQTTComponent.Type)? {
        for type in all where type.names.contains(component) {
            if try type.isShown(reader, component: component) { return type }
        }
        return nil
    }
}
