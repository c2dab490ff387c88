public import HAPModel
public import HAPProtocol

/// One value that a controller has written, within its limits.
public struct CharacteristicWrite: Equatable, Sendable {
    /// The characteristic within its accessory.
    public let iid: InstanceID
    /// The type of the service that it belongs to.
    public let service: ServiceType
    /// The ``AccessoryFunction/id`` of the function that it belongs to, if it has one.
    public package(set) var function: String?
    /// What it is.
    public let type: CharacteristicType
    /// What was written: of the characteristic's format, within its limits.
    public let value: CharacteristicValue
}

/// A characteristic that has a new value.
struct CharacteristicChange: Equatable, Sendable {
    /// Which subscribers are to be told.
    enum Audience: Equatable, Sendable {
        case everybody
        /// These know it: they wrote the value.
        case everybodyBut([ConnectionID])
        /// The others know it; these wrote another value, and something else came of it.
        case only([ConnectionID])
    }

    let id: CharacteristicID
    let value: CharacteristicValue
    var audience = Audience.everybody
    /// Whether it is sent without waiting for the end of the event window.
    var isUrgent = false
    /// Whether it is an event and not the newest value.
    var isMomentary = false
}

/// What stands behind an accessory of the registry: the device, in HAP's own terms.
///
/// It is called on the server's executor and must not block it.
public protocol AccessorySource: AnyObject, Sendable {
    /// Hands all values that one request writes to one accessory to the device, as one update.
    ///
    /// What comes of it may differ from what was written (a limit of the device, another colour mode): a source that knows
    /// says so by `AccessoryHost.update(_:of:in:to:)` before it returns, and that counts. If it says nothing, the written values
    /// hold.
    ///
    /// - Parameters:
    ///   - values: what to write, within its limits.
    ///   - accessory: whose values they are.
    /// - Returns: `success` once the device has accepted the values, else why not; within 2 s in any case.
    func write(_ values: [CharacteristicWrite], to accessory: AccessoryID) async -> HAPStatus

    /// Makes the device show which one it is; no caller waits for that.
    func identify(_ accessory: AccessoryID) async
}

extension CharacteristicType {
    /// Whether automations wait for its changes: those of motion and contact as HAP-NodeJS does, of the other alarms, and
    /// presses (HAP 10.2).
    var isUrgent: Bool {
        switch self {
        case .motionDetected, .contactSensorState, .occupancyDetected, .leakDetected, .smokeDetected: true
        // Two presses must not become one.
        default: isMomentary
        }
    }
}
