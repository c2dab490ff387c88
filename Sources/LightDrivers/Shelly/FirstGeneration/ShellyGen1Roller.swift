import BoundedJSON
import DeviceKit
import HAPModel

/// The state of a roller of a first-generation Shelly device (Lights 9.6.1).
///
/// Without calibration it has no position: it can only open, close and stop.
struct ShellyGen1Roller: Equatable, Sendable {
    private var hasPosition = false
    private var position: Int?
    /// The position that the last command requested, while the roller is moving.
    ///
    /// The device doesn't report this position.
    private var target: Int?
    private var state: String?
    private var lastDirection: String?
    private var isCalibrating = false

    var isKnown: Bool { state != nil }
    var isMoving: Bool { isCalibrating || motion != .stopped }

    private var motion: CoverMotion { state == "open" ? .opening : state == "close" ? .closing : .stopped }

    /// Updates the roller from its settings, its status or the answer to a command.
    mutating func merge(_ json: JSONValue) {
        hasPosition = json["positioning"]?.bool ?? hasPosition
        state = json["state"]?.string ?? state
        lastDirection = json["last_direction"]?.string ?? lastDirection
        isCalibrating = json["calibrating"]?.bool ?? isCalibrating
        if motion == .stopped { target = nil }
        // A position outside the range, such as 101, is unknown.
        if let value = json["current_pos"] { position = value.int.flatMap { (0...100).contains($0) ? $0 : nil } }
    }

    /// Stores the position that the roller moves to after it has accepted a command.
    mutating func accepted(_ command: LightCommand) { target = command.targetPosition }

    /// The target of the last command or, for any other movement, its end position.
    private var shownTarget: Int? {
        guard motion != .stopped else { return nil }
        let isAhead = target.map { motion == .opening ? $0 >= position ?? 0 : $0 <= position ?? 100 } ?? false
        return isAhead ? target : motion.end
    }

    var report: LightReport {
        var report = LightReport(reachable: true)
        // A roller that is being calibrated moves by itself and has no position.
        guard isKnown, !isCalibrating else { return report }
        report.motion = motion
        if hasPosition {
            report.position = position
            report.targetPosition = shownTarget
        } else if motion == .stopped {
            report.position = lastDirection == "close" ? 0 : 100
        }
        return report
    }

    /// Returns the parameters of a command.
    func parameters(for command: LightCommand) -> [(String, String)] {
        if command.stops { return [("go", "stop")] }
        guard let percent = command.targetPosition else { return [] }
        if hasPosition { return [("go", "to_pos"), ("roller_pos", "\(percent)")] }
        switch CoverMotion(toward: percent, canStop: true) {
        case .opening: return [("go", "open")]
        case .closing: return [("go", "close")]
        case .stopped: return [("go", "stop")]
        }
    }
}
