/// Why a light did not take a command.
public enum LightError: Error, Equatable, Sendable {
    /// The light is known to be out of reach (no power, no radio, no broker).
    case unreachable
    /// The light or what stands before it has too much to do.
    case busy
    /// The driver knows no light of that id.
    case unknownLight
    /// The light refused, with its reason.
    case refused(String)
}

/// How a driver as a whole is doing, for the operator's eyes.
public enum DriverState: Equatable, Sendable {
    /// Not connected to anything yet.
    case starting
    /// At work.
    case running
    /// At work, but something needs attention: the text says what and, if it can, what to do.
    case degraded(String)
}

extension DriverState {
    /// The state as people read it.
    public var words: String {
        switch self {
        case .starting: "starting"
        case .running: "running"
        case .degraded(let reason): "degraded: \(reason)"
        }
    }
}

/// Why something that a light system said never became a state.
public enum DropReason: String, Hashable, Sendable, CaseIterable {
    /// More came than is kept, or more at once than is read.
    case overflow
    /// It could not be read: no message of that system, or no value.
    case unreadable
    /// It is a value that no light can have.
    case invalid
}

/// What brings one light system to the bridge.
///
/// Invariants a driver keeps, and `DriverContract` checks:
/// - It tells the host of a light before it reports on it, and describes it again when the description changes.
/// - It reports what is true of a light, never what was asked of it; a light that gives no answers is reported as
///   commanded once the command has been handed over.
/// - A light that is out of reach is reported as such and stays known: only its source's explicit word removes it.
/// - ``apply(_:to:)`` and ``identify(_:)`` return soon after their task is cancelled; the host cancels after 2 s.
/// - Whatever a device, a broker or a file says, a driver never traps and buffers no more than its documented bounds.
///
/// Its functions run on the caller's executor, which carries all HAP sessions, and therefore must not block: work that
/// takes long or waits goes to an actor or a thread of the driver's own.
public protocol LightDriver: Sendable {
    /// Runs the driver until the task is cancelled: connects, finds lights, reports their states.
    ///
    /// What can come back (a broker, a network) is awaited with backoff; an error thrown ends the driver for good and is
    /// shown to the operator.
    ///
    /// - Parameter host: which receives lights and their states.
    /// - Throws: what ends the driver for good.
    func run(host: any LightHost) async throws

    /// Tells a light what to do, and returns when it (or what stands before it) has accepted the command.
    ///
    /// The host has at most one command in flight for each light.
    ///
    /// - Parameters:
    ///   - command: what is asked; never empty, brightness within 1...100, colours within the light's capabilities.
    ///   - light: a light that was reported to the host.
    /// - Throws: ``LightError`` if the light did not take the command.
    func apply(_ command: LightCommand, to light: LightID) async throws(LightError)

    /// Makes the light show which one it is, for at most 2 seconds, and leaves its state as it was.
    ///
    /// - Parameter light: a light that was reported to the host.
    /// - Throws: ``LightError`` if the light did not take the command.
    func identify(_ light: LightID) async throws(LightError)
}

/// What a driver tells its lights to.
///
/// Safe to call from anywhere; calls are taken in order.
public protocol LightHost: Sendable {
    /// A light is there, or its description has changed.
    func added(_ light: LightDescription) async

    /// The light's source has removed it for good.
    func removed(_ light: LightID) async

    /// A light's state as the driver knows it now.
    func report(_ report: LightReport, from light: LightID) async

    /// The states of several lights, in order; one call costs as much as ``report(_:from:)`` does for one light.
    func report(_ reports: [(light: LightID, report: LightReport)]) async

    /// Momentary events of a device, such as the press of a button.
    ///
    /// Subscribers get each one at once, also with the same value as the one before. It is never stored, read or repeated, so
    /// don't call it for retained messages, or for values that are read after a reconnect.
    ///
    /// - Parameters:
    ///   - events: the values of momentary characteristics such as ProgrammableSwitchEvent.
    ///   - light: the device that was added with these characteristics.
    func occurred(_ events: PropertyValues, on light: LightID) async

    /// What the bridge last knew of a light, also from before a restart; `nil` if it never knew.
    func lastKnown(_ light: LightID) async -> LightReport?

    /// The driver's lights that the bridge knows, also from before a restart; a driver whose lights stand in the
    /// configuration removes those that no longer do.
    func knownLights() async -> [LightID]

    /// The kinds that the operator wants to see; a driver need not look for others, and what it brings of them is not
    /// shown. They do not change while the driver runs.
    func includedKinds() async -> Set<LightKind>

    /// How the driver is doing.
    func report(_ state: DriverState) async

    /// Something the operator should know about one subject, shown in `status` and `lights`; `nil` takes it back.
    ///
    /// - Parameters:
    ///   - warning: one sentence that says what is wrong and what to do.
    ///   - subject: what it is about, such as a topic, or a light by its id; a newer warning about the same subject replaces
    ///     the older.
    func warn(_ warning: String?, about subject: String) async

    /// Something that the light system said was dropped; the operator sees how much.
    ///
    /// - Parameters:
    ///   - count: how many messages or values.
    ///   - reason: why.
    func dropped(_ count: Int, _ reason: DropReason) async
}

extension LightHost {
    /// Ignores momentary events.
    public func occurred(_ events: PropertyValues, on light: LightID) async {}

    /// Nothing is counted.
    public func dropped(_ count: Int, _ reason: DropReason) async {}

    /// All kinds.
    public func includedKinds() async -> Set<LightKind> { Set(LightKind.allCases) }
}
