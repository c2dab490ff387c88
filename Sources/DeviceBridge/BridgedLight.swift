internal import AccessoryRole
internal import DeviceKit
internal import HAPModel
internal import HAPProtocol

/// A visible light and its pending work.
///
/// Only the bridge's actor uses it, so it isn't `Sendable`.
final class BridgedLight {
    let key: LightKey
    /// The number of the bridge that shows the light, and that bridge's server.
    let bridge: Int
    let server: AccessoryServer
    let aid: AccessoryID
    let driver: BridgedDriver
    var adapter: AccessoryAdapter { didSet { pipeline.rules = adapter.rules } }
    var state: DeviceState
    /// A Boolean value that indicates whether the stored description may be more complete than the driver's
    /// description.
    var isRestored = false
    /// The driver's incomplete description, while the bridge waits for the functions that it lacks.
    var incomplete: LightDescription?
    var isCompletionDue = false
    /// The last momentary events since the start of the bridge, for the operator.
    var lastEvents = PropertyValues()
    var pipeline: CommandPipeline
    /// The requests whose values are part of the running command, and the requests whose values are part of the waiting
    /// command.
    var waitersUnderWay: [CommandWaiter] = []
    var waitersWaiting: [CommandWaiter] = []
    /// The number of the current command, which identifies late responses.
    var command = 0
    /// The reason why the light rejected the newest command.
    var refusal: String?
    /// The deadline of the running command, or `nil` if no command is running.
    var commandDeadline: ContinuousClock.Instant?
    var task: Task<Void, Never>?
    var identification: Task<Void, Never>?
    var origin = LightEvent.Origin.device
    /// A Boolean value that indicates whether the state was published since the newest command started.
    var isShown = false
    /// A Boolean value that indicates whether the running command sends no events.
    ///
    /// Adaptive lighting often makes small changes that controllers don't need to be notified of.
    var isQuiet = false
    /// The adaptive lighting state, or `nil` if the light doesn't support adaptive lighting.
    var transition: AdaptiveLightingTransition?
    /// The stored adaptive lighting state.
    var savedTransition: [UInt8]?
    /// The time of the next adaptive lighting update.
    var transitionDueAt: ContinuousClock.Instant?
    /// The device's target before the commands that it hasn't reacted to yet.
    var formerTarget: CharacteristicValue?
    /// The runs of open valves, by function ID.
    var runs: [String?: ValveRun] = [:]
    /// The time at which a remaining duration next changes or a run ends.
    var runDueAt: ContinuousClock.Instant?
    /// The times at which activated scenes are switched off.
    var resets: [Property: ContinuousClock.Instant] = [:]
    /// A Boolean value that indicates whether the state has changed since it was last stored.
    var isUnsaved = false
    /// A Boolean value that indicates whether the light was removed; later command results are ignored.
    var isRemoved = false

    init(
        _ key: LightKey, on bridge: (number: Int, server: AccessoryServer), aid: AccessoryID, driver: BridgedDriver,
        adapter: AccessoryAdapter, state: DeviceState
    ) {
        self.key = key
        self.bridge = bridge.number
        server = bridge.server
        self.aid = aid
        self.driver = driver
        self.adapter = adapter
        self.state = state
        pipeline = CommandPipeline(adapter.rules)
    }

    /// The state as it will be after the running and the waiting command, except for the brightness.
    ///
    /// A hue that is written alone is combined with the saturation of this state, and vice versa.
    var wanted: DeviceState {
        guard pipeline.underWay != nil || pipeline.waiting != nil else { return state }
        var values = PropertyValues()
        if let underWay = pipeline.underWay { values.merge(underWay.values) }
        if let waiting = pipeline.waiting { values.merge(waiting.values) }
        values.brightness = nil
        var wanted = state
        wanted.apply(values, adapter.rules)
        return wanted
    }

    /// The power and brightness of a lamp.
    var level: [CharacteristicValue?] { [state.values.first(.on), state.values.first(.brightness)] }

    /// The light's persistent state.
    var stored: StoredLight {
        StoredLight(
            key: key, bridge: bridge, aid: aid, instanceIDs: adapter.ids, description: adapter.description,
            state: report, transition: savedTransition)
    }

    /// The values of the state that remain valid after a restart.
    var report: LightReport { adapter.description.report(of: state, isForRestart: true) }
}
