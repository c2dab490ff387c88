internal import DatabaseKit
internal import Discovery
internal import HAPModel
internal import HAPTransport

/// Why an accessory does not come up.
public struct AccessoryHostError: Error, Equatable, Sendable, CustomStringConvertible {
    /// What kind of error it is.
    public enum Code: Sendable {
        /// Controllers would refuse the accessory, and a whole bridge for it; the message says what is wrong with it.
        case invalidAccessory
        /// Another process serves the accessory of this directory.
        case directoryInUse
        /// What is kept in the directory is damaged, or of a newer version; it is never made anew because of it: that would
        /// cost every pairing.
        case directoryDamaged
        /// The directory cannot be read or written.
        case directoryUnavailable
        /// No port can be listened on.
        case portUnavailable
        /// There is no mDNS: the system lacks what Avahi's client library needs. That Avahi is not running is no error; the
        /// accessory is shown as soon as it is.
        case discoveryUnavailable
    }

    /// What kind of error it is.
    public let code: Code
    /// What is wrong, in words, with what to do where that is known; nothing secret is in it.
    public let message: String

    /// The message.
    public var description: String { message }

    init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    init(_ error: any Error) {
        self =
            switch error {
            case let error as AccessoryHostError: error
            case let error as ComplianceError: Self(.invalidAccessory, error.description)
            case let error as DatabaseFileError: Self(error)
            case let error as DamagedDatabase: Self(.directoryDamaged, error.description)
            case let error as ListenerError: Self(.portUnavailable, "\(error)")
            case let error as DiscoveryError: Self(.discoveryUnavailable, error.message)
            default: Self(.directoryUnavailable, "\(error)")
            }
    }

    private init(_ error: DatabaseFileError) {
        let message = error.description(restoringBy: "bring back a copy of the directory")
        switch error {
        case .inUse: self.init(.directoryInUse, message)
        case .damaged, .foreign, .notABackup: self.init(.directoryDamaged, message)
        case .missing, .noPermission, .cannotCreate, .inputOutput, .diskFull: self.init(.directoryUnavailable, message)
        }
    }
}
