/// What became of one characteristic in a request (HAP 8.3).
@nonexhaustive
public enum HAPStatus: Int, Error, Sendable {
    /// It was done.
    case success = 0
    /// The controller may not do that.
    case insufficientPrivileges = -70401
    /// The device cannot be reached.
    case unableToCommunicate = -70402
    /// The device is busy; a later try may do.
    case busy = -70403
    /// It cannot be written.
    case readOnly = -70404
    /// It cannot be read.
    case writeOnly = -70405
    /// It tells no changes.
    case notificationNotSupported = -70406
    /// The device has no memory or time for it.
    case outOfResources = -70407
    /// The device gave no answer in time, or a timed write came too late.
    case timedOut = -70408
    /// There is no such characteristic.
    case doesNotExist = -70409
    /// The value is of the wrong format or beyond its limits.
    case invalidValue = -70410
    /// The authorization data is missing or wrong.
    case insufficientAuthorization = -70411
    /// Not while the device is as it is.
    case notAllowedInCurrentState = -70412
}

extension HAPStatus {
    /// A body that says a status for the request as a whole.
    package var body: [UInt8] { Array("{\"status\":\(rawValue)}".utf8) }
}
