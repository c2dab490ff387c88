package import HAPModel

/// A requested write of a characteristic.
package struct ValueWrite: HomeMessage {
    package var characteristic: Characteristic.ID
    /// The requested value.
    ///
    /// An app can send `nil`, but the daemon rejects it with error 20.
    package var value: CharacteristicValue?
    /// Authorization data, which some accessories require for a write.
    package var authorizationData: [UInt8]? {
        get { authorization?.bytes }
        set { authorization = newValue.map { HexBytes($0) } }
    }
    private var authorization: HexBytes?

    package init(characteristic: Characteristic.ID, value: CharacteristicValue?, authorizationData: [UInt8]? = nil) {
        self.characteristic = characteristic
        self.value = value
        authorization = authorizationData.map { HexBytes($0) }
    }

    enum CodingKeys: String, CodingKey {
        case characteristic, value
        case authorization = "authorizationData"
    }
}

/// The result of reading, writing or observing one characteristic.
package struct ValueResult: HomeMessage {
    package var characteristic: Characteristic.ID
    /// The value that was read, or the written value rounded to the characteristic's step.
    package var value: CharacteristicValue?
    /// The time at which the value was received.
    package var time: Timestamp?
    /// The error; `nil` on success.
    package var error: HomeError?

    package init(
        characteristic: Characteristic.ID, value: CharacteristicValue? = nil, time: Timestamp? = nil,
        error: HomeError? = nil
    ) {
        self.characteristic = characteristic
        self.value = value
        self.time = time
        self.error = error
    }
}

extension Collection<ValueResult> {
    /// The overall error: `nil` if all requests succeeded, the error itself if there is only one result, otherwise
    /// error 73 if some requests succeeded or 74 if all failed.
    package var error: HomeError? {
        let errors = compactMap(\.error)
        guard let first = errors.first else { return nil }
        if count == 1 { return first }
        return HomeError(errors.count < count ? .readWritePartialSuccess : .readWriteFailure)
    }
}

extension HomeGraph {
    /// Returns the overall error of a scene: `nil` if all writes succeeded, error 63 if all failed, or 64 if some
    /// failed.
    ///
    /// The error lists up to three accessories with their reasons.
    package func error(ofScene results: [ValueResult]) -> HomeError? {
        let failed = results.filter { $0.error != nil }
        guard !failed.isEmpty else { return nil }
        var failures: [HomeError.Failure] = []
        for result in failed {
            guard let error = result.error else { continue }
            let failure = HomeError.Failure(name: accessory(of: result.characteristic)?.name, error: error)
            if !failures.contains(failure) { failures.append(failure) }
        }
        let reasons = failures.prefix(3).map { failure in
            failure.name.map { "\"\($0)\": \(failure.error.message)" } ?? failure.error.message
        }
        let more = failures.count > 3 ? ", and \(failures.count - 3) more" : ""
        var error = HomeError(
            failed.count == results.count ? .actionSetExecutionFailed : .actionSetExecutionPartialSuccess,
            detail: reasons.joined(separator: ", ") + more)
        error.failures = Array(failures.prefix(4))
        return error
    }
}
