public import HAPModel
package import HAPProtocol

/// A write of one characteristic.
public struct AccessoryWrite: Equatable, Sendable {
    /// The characteristic.
    public var id: CharacteristicID
    /// The value.
    public var value: CharacteristicValue
    /// A Boolean value that indicates whether to request a write response, which characteristics with the permission
    /// `writeResponse` have.
    public var wantsResponse: Bool
    /// The proof that an accessory may demand for this write (HAP 8.5).
    public var authorizationData: [UInt8]?

    /// Creates a write.
    ///
    /// - Parameters:
    ///   - id: the characteristic.
    ///   - value: the value.
    ///   - wantsResponse: whether to request a write response.
    ///   - authorizationData: the proof that an accessory may demand for this write.
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

/// What became of a write.
package struct WriteOutcome: Equatable, Sendable {
    package var status: HAPStatus
    /// The resulting value, if it was asked for.
    package var response: CharacteristicValue?

    package init(_ status: HAPStatus, response: CharacteristicValue? = nil) {
        self.status = status
        self.response = response
    }
}

/// Why an accessory was not asked, or gave no answer.
package enum LinkError: Error, Equatable, Sendable {
    /// There is no session now.
    case notConnected
    /// The request has no answer; a write may have been carried out.
    case request(RequestError)
}
