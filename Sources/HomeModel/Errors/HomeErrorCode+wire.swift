extension HomeError.Code {
    /// What HAP's status of a characteristic means to apps; `nil` for 0, which is success.
    ///
    /// - Parameters:
    ///   - status: the number as it came, -70401 and below.
    ///   - isBridged: whether the accessory is behind a bridge.
    package init?(hapStatus status: Int, isBridged: Bool) {
        switch status {
        case 0: return nil
        case -70401: self = .insufficientPrivileges
        case -70402: self = isBridged ? .bridgedAccessoryNotReachable : .accessoryCommunicationFailure
        case -70403: self = .accessoryIsBusy
        case -70404: self = .readOnlyCharacteristic
        case -70405: self = .writeOnlyCharacteristic
        case -70406: self = .notificationNotSupported
        case -70407: self = .accessoryOutOfResources
        case -70408: self = .operationTimedOut
        case -70409: self = .notFound
        case -70410: self = .invalidParameter
        case -70411: self = .invalidOrMissingAuthorizationData
        default: self = .accessorySentInvalidResponse
        }
    }
}
