/// What became of one characteristic in a request (HAP 8.3).
package enum HAPStatus: Int, Error, Sendable {
    case success = 0
    case insufficientPrivileges = -70401
    case unableToCommunicate = -70402
    case busy = -70403
    case readOnly = -70404
    case writeOnly = -70405
    case notificationNotSupported = -70406
    case outOfResources = -70407
    case timedOut = -70408
    case doesNotExist = -70409
    case invalidValue = -70410
    case insufficientAuthorization = -70411
    case notAllowedInCurrentState = -70412
}

extension HAPStatus {
    /// A body that says a status for the request as a whole.
    package var body: [UInt8] { Array("{\"status\":\(rawValue)}".utf8) }
}
