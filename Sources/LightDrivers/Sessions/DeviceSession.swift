package import DeviceKit
package import Discovery

/// A session with one device over one connection.
///
/// It is a state machine without a socket or a clock.
///
/// Its inputs are messages and the time, and its outputs are events. ``ConnectedDeviceRegistry`` creates a session for
/// each connection and reports its events to the host.
package protocol DeviceSession: Sendable {
    /// The driver's configuration keys that its sessions need.
    associatedtype Options: Equatable & Sendable
    associatedtype Input: Sendable
    /// The requests to the transport, such as messages to send.
    associatedtype Output: Equatable & Sendable

    static var traits: DeviceTraits { get }

    /// Returns the port of a discovered service.
    static func port(of service: DiscoveredService) -> Int

    /// Returns the id that the device announces in its service, or `nil` if it announces no id.
    ///
    /// If a device with a different id answers at the announced address, that device isn't used.
    static func id(of service: DiscoveredService) -> String?

    /// Returns the reason why a device can't be used, according to its announcement; `nil` if it can be used.
    static func unusableReason(of service: DiscoveredService, options: Options) -> String?

    /// Returns the file with the password or the key of a device, or `nil` if the configuration names no file.
    static func secretFile(of target: DeviceTarget, options: Options) -> String?

    /// Returns the lights that the configuration names, or `nil` if the configuration names no lights.
    static func namedLights(in options: Options) -> NamedLights?

    /// Creates a session before its connection exists.
    ///
    /// `now` is the time of a monotonic clock, as in the other functions.
    init(target: DeviceTarget, kinds: Set<LightKind>, options: Options, now: Duration)

    /// Starts the session when the connection attempt begins.
    mutating func started(now: Duration) -> [SessionEvent<Output>]
    mutating func received(_ input: Input, now: Duration) -> [SessionEvent<Output>]
    /// The time at which ``timePassed(now:)`` must be called next; `nil` if nothing is due.
    var deadline: Duration? { get }
    mutating func timePassed(now: Duration) -> [SessionEvent<Output>]
    /// Handles a repeated or changed announcement of the device, which may mean that this connection is dead.
    mutating func announcedAgain(now: Duration) -> [SessionEvent<Output>]
    /// Returns the last outputs, which are sent before the driver closes the connection.
    mutating func goodbye() -> [Output]

    /// Begins a command, which ends with ``SessionEvent/finished(command:_:)``.
    ///
    /// - Throws: ``LightError`` if the command can't begin.
    mutating func apply(
        _ command: LightCommand, to light: LightID, number: Int, now: Duration
    ) throws(LightError) -> [SessionEvent<Output>]
    /// Begins the identification of a light, which counts as a command.
    mutating func identify(_ light: LightID, number: Int, now: Duration) throws(LightError) -> [SessionEvent<Output>]
    /// Cancels a command that the host no longer waits for, and drops its unsent messages.
    mutating func cancelled(command: Int)
}

extension DeviceSession {
    package static func port(of service: DiscoveredService) -> Int { Int(service.port) }
    package static func id(of service: DiscoveredService) -> String? { nil }
    package static func unusableReason(of service: DiscoveredService, options: Options) -> String? { nil }
    package static func secretFile(of target: DeviceTarget, options: Options) -> String? { nil }
    package static func namedLights(in options: Options) -> NamedLights? { nil }
    package mutating func announcedAgain(now: Duration) -> [SessionEvent<Output>] { [] }
    package mutating func goodbye() -> [Output] { [] }
}

/// The lights that a configuration key names by their ids.
package struct NamedLights: Sendable {
    var key: String
    var ids: Set<LightID>
    /// The kind that the lights must have.
    var kind: LightKind
    /// The noun for one of these lights in messages, such as `cover`.
    var noun: String
}

/// An event of a session.
package enum SessionEvent<Output: Equatable & Sendable>: Equatable, Sendable {
    case output(Output)
    /// The device has reported its permanent id.
    case identified(String)
    /// For each reading and button among the lights that will follow, the description of the sensor that it belongs to,
    /// without the sensor's readings.
    case readings([LightID: LightDescription])
    /// All of the device's lights. Lights that are missing in the list were removed. The id of a light is the device's
    /// id, or begins with that id and `/`.
    case lights([LightDescription])
    case report(LightID, LightReport)
    /// Momentary events of a light or of a part of it.
    case occurred(LightID, PropertyValues)
    /// A command was accepted or has failed.
    case finished(command: Int, LightError?)
    /// A warning about the device for the operator; `nil` withdraws the current warning.
    case warning(String?)
    /// A message couldn't be read, but the session can continue.
    case unreadable
    /// The device has reported a value that no light can have.
    case invalid
    /// The connection must be closed.
    case failed(SessionFault)
}

/// The reason to close a connection.
///
/// The registry reconnects later.
package enum SessionFault: Error, Equatable, Sendable {
    /// The device can't be reached. The operator is warned only if the device has never been connected.
    case unreachable(String)
    /// The device has accepted the connection but doesn't answer.
    case silent
    /// The device can't be used. The text contains the reason and the remedy.
    case unusable(String)
    /// The device rejects the password or requires one. The text contains the reason and the remedy.
    case unauthorized(String)

    /// The reason or, if the device can't be used, the complete message for the operator.
    var text: String {
        switch self {
        case .unreachable(let text), .unusable(let text), .unauthorized(let text): text
        case .silent: "no answer in time"
        }
    }

    /// A Boolean value that indicates whether a device has answered but can't be used.
    var isOfDevice: Bool {
        switch self {
        case .unusable, .unauthorized: true
        case .unreachable, .silent: false
        }
    }
}

/// The properties that all devices of a driver have in common.
package struct DeviceTraits: Sendable {
    package var driverName: String
    package var serviceType: String
    package var port: Int
    package var maximumDevices: Int
    /// A Boolean value that indicates whether a configured target takes over from a discovered target if both are the
    /// same device.
    package var prefersConfigured = false
    /// A Boolean value that indicates whether a state is reported to the host again if the device repeats it unchanged.
    package var reportsRepeatedStates = false
}
