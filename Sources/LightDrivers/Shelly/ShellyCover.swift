import BoundedJSON
import DeviceKit
import HAPModel

/// The state of a cover of a Shelly device (Lights 9.6).
///
/// Without calibration it has no position: it can only open, close and stop.
struct ShellyCover: Equatable, Sendable {
    /// A Boolean value that indicates whether the cover has slats that can be turned.
    var hasSlats = false
    /// A Boolean value that indicates whether the cover is a garage door or a gate.
    var isDoor = false
    private var hasPosition = false
    private var position: Int?
    private var target: Int?
    private var slats: Double?
    private var state: String?

    /// A Boolean value that indicates whether the cover's state is known.
    var isKnown: Bool { state != nil }

    var function: AccessoryFunction { isDoor ? .garageDoor : .cover(tilts: hasSlats, stops: true) }

    /// Creates a cover from its configuration.
    init(_ configuration: JSONValue = .null) { hasSlats = configuration["slat"]?["enable"]?.bool ?? false }

    /// Updates the cover from a status, complete or partial.
    mutating func merge(_ json: JSONValue) {
        hasPosition = json["pos_control"]?.bool ?? hasPosition
        state = json["state"]?.string ?? state
        if let value = json["current_pos"] { position = Self.percent(value) }
        if let value = json["target_pos"] { target = Self.percent(value) }
        slats = json["slat_pos"]?.double ?? slats
    }

    private static func percent(_ json: JSONValue) -> Int? { json.double.map { Int(min(max($0, 0), 100).rounded()) } }

    var report: LightReport {
        guard isDoor else { return coverReport }
        let cover = coverReport
        var report = LightReport(reachable: true)
        report.values[.currentDoorState] =
            state == "stopped" && !hasPosition ? .stopped : DoorState(position: cover.position, cover.motion)
        return report
    }

    private var coverReport: LightReport {
        var report = LightReport(reachable: true)
        // A cover that is being calibrated moves by itself and has no position.
        guard let state, state != "calibrating" else { return report }
        report.motion = state == "opening" ? .opening : state == "closing" ? .closing : .stopped
        if hasPosition {
            report.position = position
            if report.motion != .stopped { report.targetPosition = target }
        } else if report.motion == .stopped {
            report.position = state == "closed" ? 0 : 100
        }
        if hasSlats { report.tilt = slats.map { TiltAngle.degrees($0 / 100) } }
        return report
    }

    /// Returns the method for a command, with its parameters.
    func call(for command: LightCommand, number: Int) -> (method: String, params: JSONValue) {
        var params: JSONObject = ["id": .integer(Int64(number))]
        if isDoor, let target = command.values[.targetDoorState] {
            return (target == .open ? "Cover.Open" : "Cover.Close", .object(params))
        }
        if command.stops { return ("Cover.Stop", .object(params)) }
        if let percent = command.targetPosition, !hasPosition {
            switch CoverMotion(toward: percent, canStop: true) {
            case .opening: return ("Cover.Open", .object(params))
            case .closing: return ("Cover.Close", .object(params))
            case .stopped: return ("Cover.Stop", .object(params))
            }
        }
        params["pos"] = command.targetPosition.map { .integer(Int64($0)) }
        if hasSlats {
            params["slat_pos"] = command.targetTilt.map { .integer(Int64((TiltAngle.share($0) * 100).rounded())) }
        }
        return ("Cover.GoToPosition", .object(params))
    }
}
