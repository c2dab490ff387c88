package import HAPModel
package import HAPProtocol

/// One characteristic to be written.
package struct AccessoryWrite: Equatable, Sendable {
    package var id: CharacteristicID
    package var value: CharacteristicValue
    /// Whether the accessory shall say what came of it; taken for characteristics with write response only.
    package var wantsResponse: Bool
    /// What some accessories want besides, to know who may write.
    package var authorizationData: [UInt8]?

    package init(
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
