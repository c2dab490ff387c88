/// The reason why a device didn't accept a command.
@nonexhaustive
public enum LightError: Error, Equatable, Sendable {
    /// The device is known to be unreachable, for example because it has no power or its broker is down.
    case unreachable
    /// The device or its gateway is overloaded.
    case busy
    /// The driver doesn't know the id.
    case unknownLight
    /// The device rejected the command, with its reason.
    case refused(String)
}

/// The state of a driver, for the operator.
@nonexhaustive
public enum DriverState: Equatable, Sendable {
    /// The driver isn't connected yet.
    case starting
    /// The driver is working.
    case running
    /// The driver is working, but needs attention.
    ///
    /// The associated text describes the problem, and the remedy if there is one.
    case degraded(String)
}

extension DriverState {
    /// The state as text.
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
    /// There were too many messages at once, or more data than the driver keeps.
    case overflow
    /// The data isn't a valid message or value in the driver's protocol.
    case unreadable
    /// The value isn't possible for the device.
    case invalid
}

/// A driver, which connects one system of devices to the bridge.
///
/// A driver must meet these requirements, most of which `DriverContract` checks:
/// - It adds a device to the host before its first report, and again when its description changes.
/// - It reports actual values, not requested values. For a device that sends no reports, it reports the commanded
///   values once the command has been sent.
/// - An unreachable device is reported as unreachable and stays known. Only its source can remove it.
/// - ``apply(_:to:)`` and ``identify(_:)`` return soon after their task is canceled. The host cancels after 2 s.
/// - No message from a device or a broker, and no file, can make it trap or buffer more than its documented limits.
///
/// Its functions run on the caller's executor, which also runs all HAP sessions, so they must not block. Long work
/// belongs in an actor or a thread of the driver.
public protocol LightDriver: Sendable {
    /// Runs the driver until the task is canceled: connects, finds devices and reports their states.
    ///
    /// If the connection to a broker or a network is lost, the driver reconnects with backoff. An error that this
    /// function throws ends the driver permanently and is shown to the operator.
    ///
    /// - Parameter host: The host, which receives devices and their states.
    /// - Throws: The error that ends the driver permanently.
    func run(host: any LightHost) async throws

    /// Sends a command to a device, and returns once the device or its gateway has accepted it.
    ///
    /// The host sends at most one command at a time to each device.
    ///
    /// - Parameters:
    ///   - command: The requested values: at least one, within the limits of the device's description. A brightness is
    ///     at least 1.
    ///   - light: A device that was added to the host.
    /// - Throws: ``LightError`` if the device didn't accept the command.
    func apply(_ command: LightCommand, to light: LightID) async throws(LightError)

    /// Makes a device identify itself, such as by blinking, for at most 2 seconds, and restores its state.
    ///
    /// - Parameter light: A device that was added to the host.
    /// - Throws: ``LightError`` if the device didn't accept the command.
    func identify(_ light: LightID) async throws(LightError)
}

/// The interface of the bridge, to which a driver reports its devices and their values.
///
/// Its functions can be called from any executor. Calls are handled in order.
public protocol LightHost: Sendable {
    /// Adds a device, or changes its description.
    func added(_ light: LightDescription) async

    /// Removes a device permanently, because its source has removed it.
    func removed(_ light: LightID) async

    /// Reports values of a device.
    func report(_ report: LightReport, from light: LightID) async

    /// Reports values of several devices, in order; one call costs about as much as ``report(_:from:)`` for a single
    /// device.
    func report(_ reports: [(light: LightID, report: LightReport)]) async

    /// Reports momentary events of a device, such as the press of a button.
    ///
    /// Subscribers get each event immediately, even if it has the same value as the previous event. Events are never
    /// stored, read or repeated. Don't report retained messages as events, or values that the driver reads after it
    /// reconnects.
    ///
    /// - Parameters:
    ///   - events: The values of momentary characteristics such as ProgrammableSwitchEvent.
    ///   - light: The device that was added with these characteristics.
    func occurred(_ events: PropertyValues, on light: LightID) async

    /// Returns the last known values of a device, including those from before a restart, or `nil` if unknown.
    func lastKnown(_ light: LightID) async -> LightReport?

    /// Returns the ids of the driver's devices that the bridge shows, including those from before a restart.
    ///
    /// A driver whose devices are listed in the configuration must remove the devices that are no longer listed.
    func knownLights() async -> [LightID]

    /// Returns the kinds of all of the driver's devices that have an aid on the bridge, by id.
    ///
    /// Unlike ``knownLights()``, this includes hidden devices, and removed devices, whose aids stay reserved.
    func knownKinds() async -> [LightID: LightKind]

    /// Returns the kinds of devices that the operator's configuration includes.
    ///
    /// A driver doesn't need to look for devices of other kinds, because the bridge doesn't show them. The kinds don't
    /// change while the driver runs.
    func includedKinds() async -> Set<LightKind>

    /// Reports the state of the driver.
    func report(_ state: DriverState) async

    /// Sets or withdraws the warning about a subject, which the operator sees in the output of `status` and `devices`.
    ///
    /// - Parameters:
    ///   - warning: One sentence with the problem and the remedy, or `nil` to withdraw the warning.
    ///   - subject: The subject, such as a topic or the ID of a device. A new warning replaces the previous warning
    ///     about the same subject.
    func warn(_ warning: String?, about subject: String) async

    /// Adds to the counters of dropped messages and values, which the operator can see.
    ///
    /// - Parameters:
    ///   - count: The number of messages or values.
    ///   - reason: The reason why they were dropped.
    func dropped(_ count: Int, _ reason: DropReason) async
}

extension LightHost {
    /// Ignores momentary events.
    public func occurred(_ events: PropertyValues, on light: LightID) async {}

    /// Ignores dropped messages and values.
    public func dropped(_ count: Int, _ reason: DropReason) async {}

    /// Returns an empty dictionary.
    public func knownKinds() async -> [LightID: LightKind] { [:] }

    /// Returns all kinds.
    public func includedKinds() async -> Set<LightKind> { Set(LightKind.allCases) }
}
