/// The status of one characteristic in a request (HAP 8.3).
@nonexhaustive
public enum HAPStatus: Int, Error, Sendable {
    /// The request succeeded.
    case success = 0
    /// The controller doesn't have the necessary privileges.
    case insufficientPrivileges = -70401
    /// The device is unreachable.
    case unableToCommunicate = -70402
    /// The device is busy; a retry may succeed.
    case busy = -70403
    /// The characteristic can't be written.
    case readOnly = -70404
    /// The characteristic can't be read.
    case writeOnly = -70405
    /// The characteristic doesn't support notifications.
    case notificationNotSupported = -70406
    /// The device doesn't have enough memory or time for the request.
    case outOfResources = -70407
    /// The device didn't respond in time, or a timed write arrived too late.
    case timedOut = -70408
    /// The characteristic doesn't exist.
    case doesNotExist = -70409
    /// The value has the wrong format or is out of range.
    case invalidValue = -70410
    /// The authorization data is missing or wrong.
    case insufficientAuthorization = -70411
    /// The device's current state doesn't allow the request.
    case notAllowedInCurrentState = -70412
}

extension HAPStatus {
    /// A body with a status for the whole request.
    package var body: [UInt8] { Array("{\"status\":\(rawValue)}".utf8) }
}
