internal import DatabaseKit
internal import Discovery
internal import HAPModel
internal import HAPTransport

/// An error from an ``AccessoryHost``.
public struct AccessoryHostError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The kind of error.
    ///
    /// Future versions may add more codes.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        /// The name of the code.
        public let description: String

        /// Controllers would reject the accessory and its whole bridge; the message describes the problem.
        public static let invalidAccessory = Code(description: "invalidAccessory")
        /// Another host or process uses the storage.
        public static let storageInUse = Code(description: "storageInUse")
        /// The storage is damaged, or was written by a newer version.
        ///
        /// Damaged storage is never replaced with new storage, because all pairings would be lost.
        public static let storageDamaged = Code(description: "storageDamaged")
        /// The storage can't be read or written.
        public static let storageUnavailable = Code(description: "storageUnavailable")
        /// The host can't listen on any port.
        public static let portUnavailable = Code(description: "portUnavailable")
        /// The client of Avahi couldn't start, for example because there isn't enough memory.
        ///
        /// This error isn't thrown if avahi-daemon just isn't running. In this case, the accessory is advertised as
        /// soon as the daemon runs.
        public static let discoveryUnavailable = Code(description: "discoveryUnavailable")
        /// The host is running or has run before.
        public static let alreadyRun = Code(description: "alreadyRun")
        /// The host has ended.
        public static let notRunning = Code(description: "notRunning")
    }

    /// The kind of error.
    public let code: Code
    /// The problem and, if known, its remedy; contains no secrets.
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
            case let error as DamagedDatabase: Self(.storageDamaged, error.description)
            case let error as ListenerError: Self(.portUnavailable, "\(error)")
            case let error as DiscoveryError: Self(.discoveryUnavailable, error.message)
            default: Self(.storageUnavailable, "\(error)")
            }
    }

    private init(_ error: DatabaseFileError) {
        let message = error.description(restoringBy: "restore a copy of the directory")
        switch error {
        case .inUse: self.init(.storageInUse, message)
        case .damaged, .foreign, .notABackup: self.init(.storageDamaged, message)
        case .missing, .noPermission, .cannotCreate, .inputOutput, .diskFull: self.init(.storageUnavailable, message)
        }
    }
}
