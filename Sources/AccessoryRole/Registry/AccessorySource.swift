public import HAPModel
package import HAPProtocol

/// A value that a controller has written, within the characteristic's limits.
public struct CharacteristicWrite: Equatable, Sendable {
    /// The characteristic's id within its accessory.
    public let iid: InstanceID
    /// The type of the characteristic's service.
    public let service: ServiceType
    /// The `AccessoryFunction.id` of the characteristic's function, if it has one.
    public package(set) var function: String?
    /// The characteristic's type.
    public let type: CharacteristicType
    /// The value, in the characteristic's format and within its limits.
    public let value: CharacteristicValue
    /// Opaque data that authorizes the write; `nil` if the controller sent none.
    ///
    /// Only the device and its app interpret the data. If the device requires different data, return
    /// `insufficientAuthorization` (HAP 8.5).
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
    /// The subscribers to notify.
    enum Audience: Equatable, Sendable {
        case everybody
        /// All subscribers except the given connections, which wrote the value.
        case everybodyBut([ConnectionID])
        /// Only the given connections, which wrote a different value.
        case only([ConnectionID])
    }

    let id: CharacteristicID
    let value: CharacteristicValue
    var audience = Audience.everybody
    /// A Boolean value that indicates whether the event must be sent before the event window ends.
    var isUrgent = false
    /// A Boolean value that indicates whether the value is a momentary event rather than a state.
    var isMomentary = false
}

/// A device that returns one status for all values of a request.
///
/// The server calls the source on the server's executor. The source must not block the executor, and must always
/// respond within 2 s: the server enforces a time limit only for a ``RequestHandler``.
package protocol AccessorySource: AnyObject, Sendable {
    /// Writes the values of one request to one accessory, as one update.
    ///
    /// The resulting values may differ from the written values, for example because of the device's limits or its color
    /// mode. In this case, the source reports them with ``AccessoryServer/update(_:_:isQuiet:)`` before it returns.
    ///
    /// - Parameters:
    ///   - values: The values to write, within their limits.
    ///   - accessory: The accessory to write to.
    /// - Returns: `success` once the device has accepted the values, otherwise the error. The source must return within
    ///   2 s.
    func write(_ values: [CharacteristicWrite], to accessory: AccessoryID) async -> HAPStatus

    /// Makes the device identify itself.
    ///
    /// The server doesn't wait until the method returns.
    func identify(_ accessory: AccessoryID) async
}

extension CharacteristicType {
    /// A Boolean value that indicates whether changes are sent immediately, because automations depend on them (HAP
    /// 10.2).
    ///
    /// This applies to motion and contact, as in HAP-NodeJS, and also to occupancy, alarms and button presses.
    var isUrgent: Bool {
        switch self {
        case .motionDetected, .contactSensorState, .occupancyDetected, .leakDetected, .smokeDetected,
            .carbonMonoxideDetected, .statusTampered:
            true
        // Two presses must not be merged into one.
        default: isMomentary
        }
    }
}
