package import DeviceKit
internal import Synchronization

/// A driver whose lights behave as a test specifies.
package final class ScriptedLightDriver: LightDriver {
    /// The reaction of a light to commands.
    package enum Behaviour: Sendable {
        /// Accepts the command immediately, and reports nothing.
        case accepts
        case refuses(LightError)
        /// Waits until ``ScriptedLightDriver/answer(_:with:)`` is called or the command is canceled.
        case waits
        /// Waits like `waits`, but ignores cancellation.
        case ignoresCancellation
        /// Sends the given reports, and then accepts the command.
        case reports([LightReport])
    }

    /// A command for a light.
    package struct Order: Equatable, Sendable {
        package var light: LightID
        package var command: LightCommand

        package init(_ light: LightID, _ command: LightCommand) {
            self.light = light
            self.command = command
        }
    }

    private struct Waiting {
        let number: Int
        let light: LightID
        let continuation: CheckedContinuation<LightError?, Never>
    }

    private struct State {
        var host: (any LightHost)?
        var behaviours: [LightID: Behaviour] = [:]
        var identifyWaits = false
        var orders: [Order] = []
        var identified: [LightID] = []
        var waiting: [Waiting] = []
        var cancelled: Set<Int> = []
        var lastNumber = 0
    }

    private let state = Mutex(State())

    package init() {}

    /// The commands received so far, in order.
    package var orders: [Order] { state.withLock(\.orders) }
    /// The lights that were asked to identify themselves.
    package var identified: [LightID] { state.withLock(\.identified) }
    /// The number of commands that haven't been completed.
    package var waitingCount: Int { state.withLock(\.waiting.count) }

    /// Sets the host that receives the reports of ``Behaviour/reports(_:)``.
    package func use(_ host: any LightHost) { state.withLock { $0.host = host } }

    /// Sets the reaction of a light.
    package func set(_ light: LightID, _ behaviour: Behaviour) { state.withLock { $0.behaviours[light] = behaviour } }

    /// From now on, makes the identification of a light last until it is canceled.
    package func setIdentifyWaits() { state.withLock { $0.identifyWaits = true } }

    /// Completes the oldest waiting command of a light.
    package func answer(_ light: LightID, with error: LightError? = nil) {
        let continuation = state.withLock { state in
            state.waiting.firstIndex { $0.light == light }.map { state.waiting.remove(at: $0).continuation }
        }
        continuation?.resume(returning: error)
    }

    private func wait(_ light: LightID, isCancellable: Bool) async -> LightError? {
        let number = state.withLock { state in
            state.lastNumber += 1
            return state.lastNumber
        }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isCancelled = state.withLock { state in
                    if state.cancelled.contains(number) { return true }
                    state.waiting.append(Waiting(number: number, light: light, continuation: continuation))
                    return false
                }
                if isCancelled { continuation.resume(returning: .unreachable) }
            }
        } onCancel: {
            guard isCancellable else { return }
            let continuation = state.withLock { state in
                state.cancelled.insert(number)
                return state.waiting.firstIndex { $0.number == number }.map {
                    state.waiting.remove(at: $0).continuation
                }
            }
            continuation?.resume(returning: .unreachable)
        }
    }

    // MARK: LightDriver

    package func run(host: any LightHost) async throws {
        use(host)
        _ = await wait("no light", isCancellable: true)
    }

    package func apply(_ command: LightCommand, to light: LightID) async throws(LightError) {
        let (behaviour, host) = state.withLock { state in
            state.orders.append(Order(light, command))
            return (state.behaviours[light] ?? .accepts, state.host)
        }
        var error: LightError?
        switch behaviour {
        case .accepts: break
        case .refuses(let reason): error = reason
        case .waits: error = await wait(light, isCancellable: true)
        case .ignoresCancellation: error = await wait(light, isCancellable: false)
        case .reports(let reports): for report in reports { await host?.report(report, from: light) }
        }
        if let error { throw error }
    }

    package func identify(_ light: LightID) async throws(LightError) {
        let waits = state.withLock { state in
            state.identified.append(light)
            return state.identifyWaits
        }
        if waits { _ = await wait(light, isCancellable: true) }
    }
}
