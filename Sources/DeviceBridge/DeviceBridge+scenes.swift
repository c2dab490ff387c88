internal import AccessoryRole
internal import DeviceKit
internal import HAPModel
internal import HAPProtocol

// The switches of scenes, which the bridge switches off after their activation.
extension DeviceBridge {
    /// The time between the activation of a scene and the reset of its switch.
    ///
    /// It is long enough to show that the tap had an effect, and short enough to activate the scene again soon.
    static let activeTime = Duration.seconds(1)

    /// Schedules the resets of scenes that are on.
    func updateResets(of light: BridgedLight) {
        for function in light.adapter.description.functions where function.isScene {
            let property = Property(.on, of: function.id)
            guard property.isActivation, light.resets[property] == nil, light.state.values[property]?.bool == true
            else { continue }
            let time = scheduler.now + Self.activeTime
            light.resets[property] = time
            wake(at: time)
        }
    }

    /// Switches off the scenes whose ``activeTime`` has passed.
    func resetScenes(of light: BridgedLight, now: ContinuousClock.Instant) {
        guard !light.resets.isEmpty else { return }
        var values = PropertyValues()
        for (property, time) in light.resets {
            guard time <= now else {
                wake(at: time)
                continue
            }
            light.resets[property] = nil
            values[property] = .bool(false)
        }
        guard !values.isEmpty else { return }
        change(light, by: .device) { $0.apply(values, light.adapter.rules) }
    }
}
