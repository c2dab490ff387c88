/// The reason why a device didn't accept a command.
@nonexhaustive
public enum LightError: Error, Equatable, Sendable {
    /// The device is known to be unreachable (no power, no radio, no broker).
    case unreachable
    /// The device or its gateway is overloaded.
    case busy
    /// The driver doesn't know the id.
    case unknownLight
    /// The device refused, with its reason.
    case refused(String)
}

/// The state of a driver, for the operator.
@nonexhaustive
public enum DriverState: Equatable, Sendable {
    /// Not connected to anything yet.
    case starting
    /// Working.
    case running
    /// Working, but something needs attention: the text is the problem, with a remedy if there is one.
    case degraded(String)
}

extension DriverState {
    /// The state in words.
    public var words: String {
        switch self {
        case .starting: "starting"
        case .running: "running"
        case .degraded(let reason): "degraded: \(reason)"
        }
    }
}

/// The reason why a message or a value was dropped.
@nonexhaustive
public enum DropReason: String, Hashable, Sendable, CaseIterable {
    /// Too many messages at once, or more than can be kept.
    case overflow
    /// It isn't a message or a value of that system.
    case unreadable
    /// It is a value that the device can't have.
    case invalid
}

/// A driver, which connects one system of devices to the bridge.
///
/// A driver keeps these promises, which `DriverContract` checks:
/// - It adds a device to the host before its first report, and again when its description changes.
/// - It reports real values, not requested ones. A device that never reports is reported as commanded, once the command has
///   been handed over.
/// - A device that can't be reached is reported as unreachable and stays known. It is removed only by its source.
/// - ``apply(_:to:)`` and ``identify(_:)`` return soon after their task is canceled; the host cancels after 2 s.
/// - No message of a device, a broker or a file makes it trap or buffer more than its documented bounds.
///
/// Its functions run on the caller's executor, which runs all HAP sessions, and therefore must not block: long work is done
/// by an actor or a thread of the driver.
public protocol LightDriver: Sendable {
    /// Runs the driver until the task is canceled: connects, finds devices, reports their states.
    ///
    /// A broker or a network that can come back is awaited with backoff. An error ends the driver for good and is shown to
    /// the operator.
    ///
    /// - Parameter host: the host, which receives devices and their states.
    /// - Throws: the error that ends the driver for good.
    func run(host: any LightHost) async throws

    /// Sends a command to a device, and returns when the device or its gateway has accepted it.
    ///
    /// The host has at most one command in flight for each device.
    ///
    /// - Parameters:
    ///   - command: the requested values, at least one, within the limits of the device's description; brightness is 1 to 100.
    ///   - light: a device that was added to the host.
    /// - Throws: ``LightError`` if the device didn't accept the command.
    func apply(_ command: LightCommand, to light: LightID) async throws(LightError)

    /// Makes a device identify itself, such as by blinking, for at most 2 seconds, and restores its state.
    ///
    /// - Parameter light: a device that was added to the host.
    /// - Throws: ``LightError`` if the device didn't accept the command.
    func identify(_ light: LightID) async throws(LightError)
}

/// The host of a driver, which receives its devices and their values.
///
/// Its functions can be called from any executor; calls are handled in order.
public protocol LightHost: Sendable {
    /// Adds a device, or changes its description.
    func added(_ light: LightDescription) async

    /// Removes a device for good, because its source has.
    func removed(_ light: LightID) async

    /// Reports values of a device.
    func report(_ report: LightReport, from light: LightID) async

    /// Reports values of several devices, in order; a call costs as much as ``report(_:from:)`` for one device.
    func report(_ reports: [(light: LightID, report: LightReport)]) async

    /// Reports momentary events of a device, such as the press of a button.
    ///
    /// Subscribers get each one at once, also with the same value as the one before. It is never stored, read or repeated, so
    /// don't call it for retained messages, or for values that are read after a reconnect.
    ///
    /// - Parameters:
    ///   - events: the values of momentary characteristics such as ProgrammableSwitchEvent.
    ///   - light: the device that was added with these characteristics.
    func occurred(_ events: PropertyValues, on light: LightID) async

    /// Returns the last known values of a device, also from before a restart; `nil` if unknown.
    func lastKnown(_ light: LightID) async -> LightReport?

    /// Returns the driver's devices that the bridge knows, also from before a restart.
    ///
    /// A driver with its devices in the configuration removes the devices that aren't listed there any more.
    func knownLights() async -> [LightID]

    /// Returns the kinds that the operator wants to see.
    ///
    /// A driver doesn't need to look for others; its devices of other kinds aren't shown. The kinds don't change while the
    /// driver runs.
    func includedKinds() async -> Set<LightKind>

    /// Reports the state of the driver.
    func report(_ state: DriverState) async

    /// Warns the operator about a subject, in `status` and `lights`; `nil` withdraws the warning.
    ///
    /// - Parameters:
    ///   - warning: one sentence with the problem and the remedy.
    ///   - subject: the subject, such as a topic or the id of a device; a newer warning about it replaces the older one.
    func warn(_ warning: String?, about subject: String) async

    /// Counts dropped messages or values, for the operator.
    ///
    /// - Parameters:
    ///   - count: the number of messages or values.
    ///   - reason: the reason.
    func dropped(_ count: Int, _ reason: DropReason) async
}

extension LightHost {
    /// Ignores momentary events.
    public func occurred(_ events: PropertyValues, on light: LightID) async {}

    /// Counts nothing.
    public func dropped(_ count: Int, _ reason: DropReason) async {}

    /// Returns all kinds.
    public func includedKinds() async -> Set<LightKind> { Set(LightKind.allCases) }
}
