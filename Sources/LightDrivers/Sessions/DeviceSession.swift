package import Discovery
package import LightKit

/// A conversation with one device over one connection, from its first byte to its last, as a machine: what came and the
/// time in, what to do out.
///
/// It knows no socket and no clock. ``DeviceHome`` makes one for each connection and carries what it learns to the host;
/// it ends with the connection.
package protocol DeviceSession: Sendable {
    /// The driver's own keys.
    associatedtype Options: Equatable & Sendable
    /// What the connection brings.
    associatedtype Input: Sendable
    /// What the connection is to do.
    associatedtype Output: Equatable & Sendable

    static var traits: DeviceTraits { get }

    /// The port of a service that was found by mDNS.
    static func port(of service: DiscoveredService) -> Int

    /// The id that the device of a service announces, if it does: another device at its address is not used.
    static func id(of service: DiscoveredService) -> String?

    /// Begins where a connection is to be made.
    ///
    /// - Parameters:
    ///   - name: what people call the device.
    ///   - options: the driver's own keys.
    ///   - now: the time, here and below that of a clock that only goes forward.
    init(name: String, options: Options, now: Duration)

    /// What is done first.
    mutating func started(now: Duration) -> [SessionEvent<Output>]
    /// The connection has brought something.
    mutating func received(_ input: Input, now: Duration) -> [SessionEvent<Output>]
    /// When ``timePassed(now:)`` has something to do.
    var deadline: Duration? { get }
    mutating func timePassed(now: Duration) -> [SessionEvent<Output>]

    /// Begins a command; ``SessionEvent/finished(command:_:)`` says how it ended.
    ///
    /// - Throws: ``LightError`` if it cannot begin.
    mutating func apply(
        _ command: LightCommand, to light: LightID, number: Int, now: Duration
    ) throws(LightError) -> [SessionEvent<Output>]
    /// Makes a light show which one it is, as a command.
    mutating func identify(_ light: LightID, number: Int, now: Duration) throws(LightError) -> [SessionEvent<Output>]
    /// A command is given up by the host: what was not sent yet is not sent.
    mutating func cancelled(command: Int)
}

extension DeviceSession {
    package static func port(of service: DiscoveredService) -> Int { Int(service.port) }
    package static func id(of service: DiscoveredService) -> String? { nil }
}

/// What a session has learnt, or wants done.
package enum SessionEvent<Output: Equatable & Sendable>: Equatable, Sendable {
    case output(Output)
    /// The device has said which one it is; the id is its own and stays for ever.
    case identified(String)
    /// All of the device's lights; what is missing was removed. Their ids are the device's, or begin with it and `/`.
    case lights([LightDescription])
    case report(LightID, LightReport)
    /// A command was accepted, or was not.
    case finished(command: Int, LightError?)
    /// What the operator should know of the device, whole; `nil` takes it back.
    case warning(String?)
    /// What the device has said cannot be read, and nothing depends on it.
    case unreadable
    /// The connection is of no more use.
    case failed(SessionFault)
}

/// Why a connection is of no more use.
///
/// A next one is tried in each case.
package enum SessionFault: Error, Equatable, Sendable {
    /// The device is not there, or no longer; it is said of a configured device that never was.
    case unreachable(String)
    /// The device is there and cannot be used: one sentence that says why and what to do.
    case unusable(String)
    /// The device refuses the password, or wants one: one sentence that states the reason and the remedy.
    case unauthorized(String)
}

/// What the devices of one driver have in common.
package struct DeviceTraits: Sendable {
    package var driverName: String
    /// What they announce in mDNS.
    package var serviceType: String
    package var port: Int
    /// More devices are not looked at.
    package var maximumDevices: Int
}
