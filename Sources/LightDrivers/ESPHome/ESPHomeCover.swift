import DeviceKit
import HAPModel

/// The abilities of a cover of an ESPHome device.
struct ESPHomeCover: Equatable, Sendable {
    var service = ServiceType.windowCovering
    var hasPosition = false
    var hasTilt = false
    var canStop = false

    /// A Boolean value that indicates whether the cover is a garage door or a gate.
    var isDoor: Bool { service == .garageDoorOpener }

    var kind: LightKind { isDoor ? .garageDoor : .cover }

    var function: AccessoryFunction {
        if isDoor { return .garageDoor }
        return .cover(hasPosition ? service : .windowCovering, tilts: hasTilt, stops: canStop)
    }

    func report(_ state: ESPHomeState) -> LightReport {
        var report = LightReport(reachable: true)
        guard !state.isInvalid else { return report }
        // A cover without positions reports only whether it is closed.
        report.position = hasPosition ? Int((state.position * 100).rounded()) : state.position > 0 ? 100 : 0
        if isDoor {
            let door = DoorState(position: report.position, state.motion)
            report = LightReport(reachable: true)
            report.values[.currentDoorState] = door
            return report
        }
        if hasTilt { report.tilt = TiltAngle.degrees(Double(state.tilt)) }
        report.motion = state.motion
        return report
    }

    /// Returns the message for a command; `nil` if the cover supports none of its values.
    func message(for command: LightCommand, to key: ESPHomeEntity.Key) -> ESPHomeFraming.Message? {
        var body = ProtobufWriter()
        body.write(fixed32: key.key, field: 1)
        var isEmpty = true
        func stop() {
            body.write(true, field: 8)
            isEmpty = false
        }
        func move(to position: Float) {
            body.write(true, field: 4)
            body.write(position, field: 5)
            isEmpty = false
        }
        if isDoor {
            guard let target = command.values[.targetDoorState] else { return nil }
            move(to: target == .open ? 1 : 0)
        } else if command.stops {
            if canStop { stop() }
        } else if let percent = command.targetPosition {
            if hasPosition {
                move(to: Float(percent) / 100)
            } else if let end = CoverMotion(toward: percent, canStop: canStop).end {
                move(to: Float(end) / 100)
            } else {
                stop()
            }
        }
        if hasTilt, let angle = command.targetTilt {
            body.write(true, field: 6)
            body.write(Float(TiltAngle.share(angle)), field: 7)
            isEmpty = false
        }
        guard !isEmpty else { return nil }
        if key.part != 0 { body.write(UInt64(key.part), field: 9) }
        return ESPHomeFraming.Message(ESPHomeMessageType.coverCommand, body.bytes)
    }
}

extension ESPHomeEntity {
    /// Parses the description of a cover, which may be a garage door or a gate.
    init(cover body: ArraySlice<UInt8>) throws(ProtobufReader.Malformed) {
        self.init(key: Key(key: 0), objectID: "", name: "", kind: .cover(ESPHomeCover()), isHidden: false)
        var cover = ESPHomeCover()
        var deviceClass = ""
        var reader = ProtobufReader(body)
        while let (field, value) = try reader.next() {
            switch field {
            case 6: cover.hasPosition = value.flag
            case 7: cover.hasTilt = value.flag
            case 8: deviceClass = value.text
            case 9: isHidden = isHidden || value.flag
            case 11: isHidden = isHidden || value.number != 0
            case 12: cover.canStop = value.flag
            case 13: key.part = UInt32(truncatingIfNeeded: value.number)
            default: readCommon(field, value)
            }
        }
        switch deviceClass {
        case "garage", "gate": cover.service = .garageDoorOpener
        case "window": cover.service = .window
        case "door": cover.service = .door
        default: break
        }
        kind = .cover(cover)
    }
}

extension ESPHomeState {
    init(cover body: ArraySlice<UInt8>) throws(ProtobufReader.Malformed) {
        try self.init(body, part: 6) { state, field, value in
            switch field {
            case 3: state.position = state.share(value)
            case 4: state.tilt = state.share(value)
            case 5: state.motion = value.number == 1 ? .opening : value.number == 2 ? .closing : .stopped
            default: break
            }
        }
    }
}
