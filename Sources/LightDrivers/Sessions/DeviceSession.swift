package import DeviceKit
package import Discovery

/// A session with one device over one connection: a machine without a socket and a clock.
///
/// Its inputs are messages and the time, and its outputs are events. ``ConnectedDeviceRegistry`` creates one for each
/// connection and reports its events to the host.
package protocol DeviceSession: Sendable {
    /// The driver's own keys.
    associatedtype Options: Equatable & Sendable
    associatedtype Input: Sendable
    /// The orders for the connection.
    associatedtype Output: Equatable & Sendable

    static var traits: DeviceTraits { get }

    /// Returns the port of a discovered service.
    static func port(of service: DiscoveredService) -> Int

    /// Returns the id that the device of a service announces, or `nil` without one; another device at its address isn't
    /// used.
    static func id(of service: DiscoveredService) -> String?

    /// Returns the reason not to connect to a device, as its announcement gives it; `nil` without one.
    static func unusableReason(of service: DiscoveredService, options: Options) -> String?

    /// Returns the file with the password or the key of a device, or `nil` without one.
    static func secretFile(of target: DeviceTarget, options: Options) -> String?

    /// Creates a session before its connection exists; `now`, here and below, is the time of a monotonic clock.
    init(target: DeviceTarget, kinds: Set<LightKind>, options: Options, now: Duration)

    /// Starts the session when the connection attempt begins.
    mutating func started(now: Duration) -> [SessionEvent<Output>]
    mutating func received(_ input: Input, now: Duration) -> [SessionEvent<Output>]
    /// The time of the next call of ``timePassed(now:)``.
    var deadline: Duration? { get }
    mutating func timePassed(now: Duration) -> [SessionEvent<Output>]
    /// Handles a repeated or changed announcement of the device, after which this connection may be dead.
    mutating func announcedAgain(now: Duration) -> [SessionEvent<Output>]
    /// Returns the last outputs before the driver closes the connection.
    mutating func goodbye() -> [Output]

    /// Begins a command, which ends with ``SessionEvent/finished(command:_:)``.
    ///
    /// - Throws: ``LightError`` if it can't begin.
    mutating func apply(
        _ command: LightCommand, to light: LightID, number: Int, now: Duration
    ) throws(LightError) -> [SessionEvent<Output>]
    /// Identifies a light; the identification counts as a command.
    mutating func identify(_ light: LightID, number: Int, now: Duration) throws(LightError) -> [SessionEvent<Output>]
    /// Cancels a command that the host no longer waits for; its unsent parts are dropped.
    mutating func cancelled(command: Int)
}

extension DeviceSession {
    package static func port(of service: DiscoveredService) -> Int { Int(service.port) }
    package static func id(of service: DiscoveredService) -> String? { nil }
    package static func unusableReason(of service: DiscoveredService, options: Options) -> String? { nil }
    package static func secretFile(of target: DeviceTarget, options: Options) -> String? { nil }
    package mutating func announcedAgain(now: Duration) -> [SessionEvent<Output>] { [] }
    package mutating func goodbye() -> [Output] { [] }
}

/// An event of a session.
package enum SessionEvent<Output: Equatable & Sendable>: Equatable, Sendable {
    case output(Output)
    /// The device has reported its permanent id.
    case identified(String)
    /// The readings among the lights that follow, each with the sensor that it belongs to, without that sensor's
    /// readings.
    case readings([LightID: LightDescription])
    /// All of the device's lights; missing ones were removed. Their ids are the device's, or begin with it and `/`.
    case lights([LightDescription])
    case report(LightID, LightReport)
    /// A command was accepted or has failed.
    case finished(command: Int, LightError?)
    /// The warning about the device for the operator; `nil` withdraws it.
    case warning(String?)
    /// A message couldn't be read, and nothing depends on it.
    case unreadable
    /// A value that no light can have.
    case invalid
    /// The connection must be closed.
    case failed(SessionFault)
}

/// The reason to close a connection; the registry reconnects later.
package enum SessionFault: Error, Equatable, Sendable {
    /// The device can't be reached; reported for a device that was never connected.
    case unreachable(String)
    /// The device has accepted the connection and doesn't answer.
    case silent
    /// The device can't be used: one sentence with the reason and the remedy.
    case unusable(String)
    /// The device refuses the password or requires one: one sentence with the reason and the remedy.
    case unauthorized(String)

    /// The reason, or the sentence for the operator.
    var text: String {
        switch self {
        case .unreachable(let text), .unusable(let text), .unauthorized(let text): text
        case .silent: "no answer in time"
        }
    }

    /// A Boolean value that indicates whether a device has answered that can't be used.
    var isOfDevice: Bool {
        switch self {
        case .unusable, .unauthorized: true
        case .unreachable, .silent: false
        }
    }
}

/// The traits that all devices of a driver share.
package struct DeviceTraits: Sendable {
    package var driverName: String
    package var serviceType: String
    package var port: Int
    package var maximumDevices: Int
    /// A Boolean value that indicates whether a configured target takes over from a discovered one of the same device.
    package var prefersConfigured = false
    /// A Boolean value that indicates whether a state that the device repeats is reported again.
    package var reportsRepeatedStates = false
}
