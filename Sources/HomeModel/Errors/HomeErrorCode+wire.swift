extension HomeError.Code {
    /// Creates the error code for a characteristic's HAP status, -70401 and below; returns `nil` for 0, which is
    /// success.
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
