internal import AccessoryRole
internal import DeviceKit
internal import HAPModel
internal import HAPProtocol
internal import Logging

// Adaptive lighting (HAP 12.1): a home hub writes a curve for the day, and the bridge follows the curve even while the
// hub is offline. Adaptive lighting never switches a light on. It ends when a color or a color temperature is set by a
// controller, by the operator or at the light.
extension DeviceBridge {
    /// Handles a write of CharacteristicValueTransitionControl.
    ///
    /// - Returns: The status of the write. On success, the response value has been passed to the server.
    func writeTransition(_ write: CharacteristicWrite, to light: BridgedLight) async -> HAPStatus {
        guard case .data(let bytes) = write.value, light.transition != nil else { return .invalidValue }
        let response: [UInt8]
        do throws(HAPStatus) {
            guard let answer = try light.transition?.controlWritten(bytes, now: scheduler.now) else {
                return .invalidValue
            }
            response = answer
        } catch {
            return error
        }
        await transitionChanged(light).value
        respond(.data(response), to: CharacteristicID(light.aid, write.iid), by: light.server)
        advanceTransition(of: light)
        return .success
    }

    /// Resumes the stored transition of a light that was added or whose description has changed.
    ///
    /// A transition that can't be resumed is dropped.
    func resumeTransition(of light: BridgedLight, _ saved: [UInt8]?) {
        let now = scheduler.now
        light.transition = light.adapter.transition(resuming: saved.map { ($0, now, wallClock()) })
        light.state.setTransition(light.transition, now: now)
        guard let transition = light.transition else { return light.savedTransition = nil }
        light.savedTransition = transition.activeCount == 1 ? saved : nil
    }

    /// Ends the transition if a controller or the operator sets a color or a color temperature.
    func endTransition(of light: BridgedLight, by writes: [CharacteristicWrite]) {
        guard light.state.followsTransition else { return }
        endTransition(of: light, by: writes.map(\.type))
    }

    /// Ends the transition if one of the characteristics sets a color or a color temperature.
    func endTransition(of light: BridgedLight, by types: [CharacteristicType]) {
        for type in types where light.transition?.controllerWrote(type) == true { transitionChanged(light) }
    }

    /// Ends the transition if the reported color differs from the commanded color, which means that it was set at the
    /// light.
    func endTransition(of light: BridgedLight, _ color: LightColor) {
        let report: AdaptiveLightingTransition.DeviceReport
        switch color {
        case .temperature(let mired): report = .colorTemperature(mired: mired)
        case .hueSaturation:
            // Lights without a white mode report a commanded white as a color, which isn't a change.
            let (hue, saturation) = (light.state[.hue] ?? 0, light.state[.saturation] ?? 0)
            if light.state.isWhite, color.resembles(.hueSaturation(hue: hue, saturation: saturation)) { return }
            report = .color
        }
        if light.transition?.deviceReported(report, now: scheduler.now) == true { transitionChanged(light) }
    }

    /// Sends the current color temperature of the light's transition, if an update is due and the light doesn't show
    /// it.
    ///
    /// This function is called after each change of the light and when the next update is due.
    func advanceTransition(of light: BridgedLight) {
        guard light.state.followsTransition else { return }
        guard light.server.assumeIsolated({ $0.isPaired }) else {
            if light.transition?.unpaired() == true { transitionChanged(light) }
            return
        }
        // This function is called again when the running command has ended.
        guard !light.pipeline.isBusy else { return }
        let isOn = light.state[.on] == true && light.state.isReachable
        let brightness = light.state[.brightness] ?? 100
        switch light.transition?.lampIs(on: isOn, brightness: brightness, now: scheduler.now) {
        case .idle, nil: light.transitionDueAt = nil
        case .wait(let time): advanceTransitionLater(of: light, time)
        case .apply(let mired, let notify, let time):
            advanceTransitionLater(of: light, time)
            guard light.state.color != .temperature(mired: mired) else { return }
            light.origin = .adaptiveLighting
            light.isQuiet = !notify
            send(LightCommand(color: .temperature(mired: mired)), to: light)
        case .ended: transitionChanged(light)
        }
    }

    private func respond(_ value: CharacteristicValue, to id: CharacteristicID, by server: AccessoryServer) {
        server.assumeIsolated { $0.respond(value, to: id) }
    }

    private func advanceTransitionLater(of light: BridgedLight, _ time: ContinuousClock.Instant) {
        light.transitionDueAt = time
        wake(at: time)
    }

    /// Publishes and stores a transition that has started, was renewed or has ended.
    ///
    /// - Returns: A task that ends once the transition is stored or couldn't be stored.
    @discardableResult
    private func transitionChanged(_ light: BridgedLight) -> Task<Void, Never> {
        let now = scheduler.now
        light.state.setTransition(light.transition, now: now)
        let isActive = light.state.followsTransition
        if !isActive { light.transitionDueAt = nil }
        let saved = light.transition?.saved(now: now, wallClock: wallClock())
        light.savedTransition = saved
        show(light)
        logger.info(
            "adaptive lighting changed", metadata: about(light.key).merging(["active": "\(isActive)"]) { $1 })
        return Task.immediate { [key = light.key] in
            do {
                try await store.save(transition: saved, of: key)
            } catch {
                logger.error("adaptive lighting save failed", metadata: ["error": "\(error)"])
            }
        }
    }
}

extension DeviceState {
    /// A Boolean value that indicates whether adaptive lighting is active: CharacteristicValueActiveTransitionCount is
    /// 1, not 0.
    var followsTransition: Bool { values[Property(.characteristicValueActiveTransitionCount)] == .integer(1) }

    fileprivate mutating func setTransition(_ transition: AdaptiveLightingTransition?, now: ContinuousClock.Instant) {
        values[Property(.characteristicValueTransitionControl)] = transition.map { .data($0.controlValue(now: now)) }
        values[Property(.characteristicValueActiveTransitionCount)] = transition.map {
            .integer(Int64($0.activeCount))
        }
    }
}

extension AccessoryAdapter {
    /// Creates the adaptive lighting state of the light.
    ///
    /// - Parameter saved: A stored transition with the current times, which is resumed if possible; or `nil`.
    /// - Returns: The adaptive lighting state, or `nil` if the light lacks brightness or color temperature.
    func transition(
        resuming saved: (bytes: [UInt8], now: ContinuousClock.Instant, wallClock: Duration)?
    ) -> AdaptiveLightingTransition? {
        guard place(of: .characteristicValueTransitionControl) != nil, let brightness = place(of: .brightness)?.iid,
            let white = place(of: .colorTemperature), let limits = white.metadata.range
        else { return nil }
        let range = Int(limits.lowerBound)...Int(limits.upperBound)
        if let saved,
            let resumed = try? AdaptiveLightingTransition(
                resuming: saved.bytes, brightness: brightness, colorTemperature: white.iid, miredRange: range,
                now: saved.now, wallClock: saved.wallClock)
        {
            return resumed
        }
        return AdaptiveLightingTransition(brightness: brightness, colorTemperature: white.iid, miredRange: range)
    }
}
