import DeviceKit
import HAPModel

/// A valve of an ESPHome device.
struct ESPHomeValve: ESPHomeComponent {
    static let types = (entity: 109, state: 110)
    static let idPart = "valve/"
    static let kind = LightKind.valve
    private static let command = 111

    var functions: [AccessoryFunction] { [.valve()] }

    static func entity(_ body: ArraySlice<UInt8>) throws(ProtobufReader.Malformed) -> ESPHomeEntity? {
        var entity = ESPHomeEntity(ESPHomeValve())
        var reader = ProtobufReader(body)
        while let (field, value) = try reader.next() {
            switch field {
            case 6: entity.isHidden = entity.isHidden || value.flag
            case 7: entity.isHidden = entity.isHidden || value.number != 0
            case 12: entity.key.part = UInt32(truncatingIfNeeded: value.number)
            default: entity.readCommon(field, value)
            }
        }
        return entity
    }

    /// Parses a state, whose position is from 0 (closed) to 1 (open).
    static func state(_ body: ArraySlice<UInt8>) throws(ProtobufReader.Malformed) -> ESPHomeState {
        try ESPHomeState(body, part: 4) { state, field, value in
            switch field {
            case 2: state.on = state.share(value) > 0
            default: break
            }
        }
    }

    func report(_ state: ESPHomeState) -> LightReport {
        LightReport(on: state.isInvalid ? nil : state.on, reachable: true)
    }

    func message(
        for command: LightCommand, to key: ESPHomeEntity.Key, in state: ESPHomeState?
    ) -> ESPHomeFraming.Message? {
        guard let on = command.on else { return nil }
        var body = ProtobufWriter()
        body.write(fixed32: key.key, field: 1)
        body.write(true, field: 2)
        body.write(Float(on ? 1 : 0), field: 3)
        if key.part != 0 { body.write(UInt64(key.part), field: 5) }
        return ESPHomeFraming.Message(Self.command, body.bytes)
    }
}
