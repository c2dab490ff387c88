import DeviceKit
import HAPModel

/// A kind of entity that ``ESPHomeLight`` doesn't implement itself, with its messages and its state.
///
/// To add a kind, add a type that conforms to this protocol, and an entry in ``ESPHomeComponents/all``.
protocol ESPHomeComponent: Equatable, Sendable {
    /// The types of the messages that describe such entities and that report their states.
    static var types: (entity: Int, state: Int) { get }

    /// The part of an entity's id that distinguishes this kind from other kinds.
    static var idPart: String { get }

    static var kind: LightKind { get }

    /// Parses a description; `nil` for an entity that isn't shown.
    static func entity(_ body: ArraySlice<UInt8>) throws(ProtobufReader.Malformed) -> ESPHomeEntity?

    /// Parses a state, whose fields the component stores in `values`.
    static func state(_ body: ArraySlice<UInt8>) throws(ProtobufReader.Malformed) -> ESPHomeState

    var functions: [AccessoryFunction] { get }

    func report(_ state: ESPHomeState) -> LightReport

    /// Returns the message for a command; `nil` if the entity supports none of its values.
    func message(for command: LightCommand, to key: ESPHomeEntity.Key, in state: ESPHomeState?) -> ESPHomeFraming
        .Message?
}

extension ESPHomeComponent {
    func isEqual(_ other: any ESPHomeComponent) -> Bool { other as? Self == self }
}

/// The supported components.
enum ESPHomeComponents {
    static let all: [any ESPHomeComponent.Type] = [
        ESPHomeThermostat.self, ESPHomeWaterHeater.self, ESPHomeValve.self, ESPHomeActivation.self, ESPHomeChoice.self,
    ]

    /// Returns the component whose entities are described by messages of a type.
    static func describing(_ type: Int) -> (any ESPHomeComponent.Type)? { all.first { $0.types.entity == type } }

    /// Returns the component whose states are reported by messages of a type.
    static func reporting(_ type: Int) -> (any ESPHomeComponent.Type)? { all.first { $0.types.state == type } }
}

/// A component of any type.
///
/// Components of different types are never equal.
struct AnyESPHomeComponent: Equatable, Sendable {
    let base: any ESPHomeComponent

    init(_ base: any ESPHomeComponent) { self.base = base }

    static func == (a: AnyESPHomeComponent, b: AnyESPHomeComponent) -> Bool { a.base.isEqual(b.base) }
}

extension ESPHomeEntity {
    /// Creates an entity whose common fields will be read from a description.
    init(_ component: any ESPHomeComponent) {
        self.init(
            key: Key(key: 0), objectID: "", name: "", kind: .component(AnyESPHomeComponent(component)), isHidden: false)
    }
}
