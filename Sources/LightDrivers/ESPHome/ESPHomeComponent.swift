import DeviceKit
import HAPModel

/// An entity of a kind whose rules aren't part of ``ESPHomeLight``.
///
/// To add a kind, add a type that conforms to this protocol, and an entry in ``ESPHomeComponents/all``.
protocol ESPHomeComponent: Equatable, Sendable {
    /// The type of the messages that describe such entities, and that of the messages with their state.
    static var types: (entity: Int, state: Int) { get }

    /// The part of an entity's id that distinguishes the kinds.
    static var idPart: String { get }

    static var kind: LightKind { get }

    /// Parses a description; `nil` for an entity that isn't shown.
    static func entity(_ body: ArraySlice<UInt8>) throws(ProtobufReader.Malformed) -> ESPHomeEntity?

    /// Parses a state, whose fields the component stores in `values`.
    static func state(_ body: ArraySlice<UInt8>) throws(ProtobufReader.Malformed) -> ESPHomeState

    var functions: [AccessoryFunction] { get }

    func report(_ state: ESPHomeState) -> LightReport

    /// Returns the message for a command; `nil` if the entity supports nothing in it.
    func message(for command: LightCommand, to key: ESPHomeEntity.Key, in state: ESPHomeState?) -> ESPHomeFraming
        .Message?
}

extension ESPHomeComponent {
    func isEqual(_ other: any ESPHomeComponent) -> Bool { other as? Self == self }
}

/// The supported components.
enum ESPHomeComponents {
    static let all: [any ESPHomeComponent.Type] = [
        ESPHomeThermostat.self, ESPHomeWaterHeater.self, ESPHomeValve.self, ESPHomeActivation.self,
    ]

    /// Returns the component whose entities a type of messages describes.
    static func describing(_ type: Int) -> (any ESPHomeComponent.Type)? { all.first { $0.types.entity == type } }

    /// Returns the component whose states have a type of messages.
    static func reporting(_ type: Int) -> (any ESPHomeComponent.Type)? { all.first { $0.types.state == type } }
}

/// A component of an entity; components of different types are different.
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
