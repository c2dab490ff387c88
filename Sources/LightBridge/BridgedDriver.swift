internal import HAPAccessory
internal import HAPProtocol
internal import LightKit

/// A driver that lights are of, and what became of its commands; a plain object inside the bridge's actor.
final class BridgedDriver {
    let id: String
    /// The driver at work; `nil` while none of this id is configured.
    var driver: (any LightDriver)?
    var state = DriverState.starting
    /// Since when it has been running; `nil` if it is not.
    var runningSince: ContinuousClock.Instant?
    /// What became of the commands that it was given.
    var commands = OutcomeStatistics<HAPStatus>()

    init(_ id: String) { self.id = id }
}
