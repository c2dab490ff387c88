package import HAPModel

/// A value that an app wants a characteristic to have.
package struct ValueWrite: HomeMessage {
    package var characteristic: Characteristic.ID
    /// `nil` is refused with 20, and travels so that it can be.
    package var value: CharacteristicValue?
    /// What some accessories want besides.
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

/// What came of reading, writing or observing one characteristic.
package struct ValueResult: HomeMessage {
    package var characteristic: Characteristic.ID
    /// The value that was read, or that was written once it was at its step.
    package var value: CharacteristicValue?
    /// When the value was received.
    package var time: Timestamp?
    /// Why it failed; `nil` on success.
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
    /// What to say of all together: nothing if all went well, the error itself if only one was asked for, else 73 or 74.
    package var error: HomeError? {
        let errors = compactMap(\.error)
        guard let first = errors.first else { return nil }
        if count == 1 { return first }
        return HomeError(errors.count < count ? .readWritePartialSuccess : .readWriteFailure)
    }
}

extension HomeGraph {
    /// What to say of a scene: nothing if all went well, else 63 or 64 with what went wrong where.
    package func error(ofScene results: [ValueResult]) -> HomeError? {
        let failures = results.filter { $0.error != nil }
        guard !failures.isEmpty else { return nil }
        var reasons: [String] = []
        for failure in failures {
            guard let error = failure.error else { continue }
            let name = accessory(of: failure.characteristic)?.name
            let reason = name.map { "\"\($0)\": \(error.message)" } ?? error.message
            if !reasons.contains(reason) { reasons.append(reason) }
        }
        let more = reasons.count > 3 ? ", and \(reasons.count - 3) more" : ""
        return HomeError(
            failures.count == results.count ? .actionSetExecutionFailed : .actionSetExecutionPartialSuccess,
            detail: reasons.prefix(3).joined(separator: ", ") + more)
    }
}
