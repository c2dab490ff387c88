public import HAPModel
package import HAPProtocol

/// A write of one characteristic.
public struct AccessoryWrite: Equatable, Sendable {
    /// The characteristic.
    public var id: CharacteristicID
    /// The value.
    public var value: CharacteristicValue
    /// A Boolean value that indicates whether to request a write response.
    ///
    /// Only characteristics with the `writeResponse` permission have write responses.
    public var wantsResponse: Bool
    /// The authorization data that an accessory may require for this write (HAP 8.5).
    public var authorizationData: [UInt8]?

    /// Creates a write.
    ///
    /// - Parameters:
    ///   - id: The characteristic.
    ///   - value: The value.
    ///   - wantsResponse: Whether to request a write response.
    ///   - authorizationData: The authorization data that an accessory may require for this write.
    public init(
        _ id: CharacteristicID, _ value: CharacteristicValue, wantsResponse: Bool = false,
        authorizationData: [UInt8]? = nil
    ) {
        self.id = id
        self.value = value
        self.wantsResponse = wantsResponse
        self.authorizationData = authorizationData
    }
}

/// The outcome of a write.
package struct WriteOutcome: Equatable, Sendable {
    package var status: HAPStatus
    /// The value in the write response; `nil` if no response was requested or sent.
    package var response: CharacteristicValue?

    package init(_ status: HAPStatus, response: CharacteristicValue? = nil) {
        self.status = status
        self.response = response
    }
}

/// The reason why a request wasn't sent or has no response.
package enum LinkError: Error, Equatable, Sendable {
    /// The link currently has no session.
    case notConnected
    /// The request has no response; the accessory may have carried out a write.
    case request(RequestError)
}
