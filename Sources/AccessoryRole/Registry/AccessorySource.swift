public import HAPModel
package import HAPProtocol

/// One value that a controller has written, within its limits.
public struct CharacteristicWrite: Equatable, Sendable {
    /// The characteristic within its accessory.
    public let iid: InstanceID
    /// The type of the service that it belongs to.
    public let service: ServiceType
    /// The `AccessoryFunction.id` of the function that it belongs to, if it has one.
    public package(set) var function: String?
    /// Its type.
    public let type: CharacteristicType
    /// The value, of the characteristic's format and within its limits.
    public let value: CharacteristicValue
    /// Data for the device to authorize the write with, which only the device and its app understand; `nil` without any.
    ///
    /// A device that requires other data answers `insufficientAuthorization` (HAP 8.5).
    public let authorizationData: [UInt8]?
    /// A Boolean value that indicates whether the characteristic has write responses.
    let permitsResponse: Bool

    init(
        iid: InstanceID, service: ServiceType, type: CharacteristicType, value: CharacteristicValue,
        authorizationData: [UInt8]? = nil, permitsResponse: Bool = false
    ) {
        self.iid = iid
        self.service = service
        self.type = type
        self.value = value
        self.authorizationData = authorizationData
        self.permitsResponse = permitsResponse
    }
}

/// A characteristic that has a new value.
struct CharacteristicChange: Equatable, Sendable {
    /// The subscribers that are notified.
    enum Audience: Equatable, Sendable {
        case everybody
        /// These know it: they wrote the value.
        case everybodyBut([ConnectionID])
        /// The others know it; these wrote a different value.
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

/// The device of an accessory, in HAP's own terms, with one status for a whole request.
///
/// It is called on the server's executor, must not block it, and answers within 2 s by itself. The server limits the time of a
/// ``RequestHandler``.
package protocol AccessorySource: AnyObject, Sendable {
    /// Writes the values of one request to one accessory, as one update.
    ///
    /// The resulting values may differ (a limit of the device, another color mode): a source reports them with
    /// ``AccessoryServer/update(_:_:isQuiet:)`` before it returns. Without a report the written values hold.
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
