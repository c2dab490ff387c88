internal import AccessoryRole
internal import DeviceKit
internal import HAPModel
internal import HAPProtocol

/// A light that is shown, and what is under way with it; a plain object inside the bridge's actor.
final class BridgedLight {
    let key: LightKey
    /// The number of the bridge that shows it, and that bridge.
    let bridge: Int
    let server: AccessoryServer
    let aid: AccessoryID
    let driver: BridgedDriver
    var adapter: AccessoryAdapter { didSet { pipeline.rules = adapter.rules } }
    var state: DeviceState
    var pipeline: CommandPipeline
    /// The requests whose values the command under way carries, and those of the one that waits.
    var waitersUnderWay: [CommandWaiter] = []
    var waitersWaiting: [CommandWaiter] = []
    /// Counts the commands, so that an answer that comes too late is known as such.
    var command = 0
    /// Why the newest command was refused.
    var refusal: String?
    /// Until when the command under way may be answered; `nil` if none is.
    var commandDeadline: ContinuousClock.Instant?
    var task: Task<Void, Never>?
    var identification: Task<Void, Never>?
    var origin = LightEvent.Origin.device
    /// Its state has been shown since the newest command was begun.
    var isShown = false
    /// What comes of the command under way makes no events: adaptive lighting changes little and often.
    var isQuiet = false
    /// `nil` for a light that has no adaptive lighting.
    var transition: AdaptiveLightingTransition?
    /// What is kept of it over a restart.
    var savedTransition: [UInt8]?
    /// When adaptive lighting is to look at the light again.
    var transitionDueAt: ContinuousClock.Instant?
    /// Its state has changed since it was last written down.
    var isUnsaved = false
    /// It is shown no more; what still comes of its commands is passed over.
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

    /// The state with the power and the colour that were asked for last: a hue that is written alone goes with its
    /// saturation.
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

    /// A lamp's power and brightness.
    var level: [CharacteristicValue?] { [state.values.first(.on), state.values.first(.brightness)] }

    /// What is to be remembered of it over a restart.
    var stored: StoredLight {
        StoredLight(
            key: key, bridge: bridge, aid: aid, instanceIDs: adapter.ids, description: adapter.description,
            state: report, transition: savedTransition)
    }

    /// The state as a report, to be remembered over a restart.
    var report: LightReport { adapter.description.report(of: state, isForRestart: true) }
}
