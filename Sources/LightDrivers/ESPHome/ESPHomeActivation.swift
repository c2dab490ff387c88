import DeviceKit
import HAPModel

/// A button of an ESPHome device that people press in an app, such as "feed the cat".
///
/// It has no state.
struct ESPHomeActivation: ESPHomeComponent {
    static let types = (entity: 61, state: 0)
    static let idPart = "button/"
    static let kind = LightKind.scene
    private static let command = 62
    /// The device classes of maintenance buttons, which count as settings.
    private static let maintenance: Set = ["identify", "restart", "update"]

    private var name = ""

    var functions: [AccessoryFunction] { [.scene("press", name: name)] }

    static func entity(_ body: ArraySlice<UInt8>) throws(ProtobufReader.Malformed) -> ESPHomeEntity? {
        var button = ESPHomeActivation()
        var entity = ESPHomeEntity(button)
        var reader = ProtobufReader(body)
        while let (field, value) = try reader.next() {
            switch field {
            case 6: entity.isHidden = entity.isHidden || value.flag
            case 7: entity.isHidden = entity.isHidden || value.number != 0
            case 8: entity.isHidden = entity.isHidden || maintenance.contains(value.text)
            case 9: entity.key.part = UInt32(truncatingIfNeeded: value.number)
            default: entity.readCommon(field, value)
            }
        }
        button.name = entity.name
        entity.kind = .component(AnyESPHomeComponent(button))
        return entity
    }

    static func state(_ body: ArraySlice<UInt8>) throws(ProtobufReader.Malformed) -> ESPHomeState {
        ESPHomeState(key: ESPHomeEntity.Key(key: 0))
    }

    func report(_ state: ESPHomeState) -> LightReport { LightReport(reachable: true) }

    func message(
        for command: LightCommand, to key: ESPHomeEntity.Key, in state: ESPHomeState?
    ) -> ESPHomeFraming.Message? {
        guard command.values.contains(where: { $0.property.isActivation && $0.value?.bool == true }) else { return nil }
        var body = ProtobufWriter()
        body.write(fixed32: key.key, field: 1)
        if key.part != 0 { body.write(UInt64(key.part), field: 2) }
        return ESPHomeFraming.Message(Self.command, body.bytes)
    }
}
