package import AccessoryRole
package import HAPModel
package import HAPProtocol
internal import Synchronization

/// A device that a test controls.
package final class ScriptedAccessorySource: AccessorySource {
    private struct State {
        var status = HAPStatus.success
        var written: [CharacteristicWrite] = []
        var identified: [AccessoryID] = []
        var isWaiting = false
        var waiting: [CheckedContinuation<HAPStatus, Never>] = []
    }

    private let state = Mutex(State())

    package init() {}

    /// All written values, in order.
    package var written: [CharacteristicWrite] { state.withLock(\.written) }
    /// The accessories that were asked to identify themselves.
    package var identified: [AccessoryID] { state.withLock(\.identified) }
    /// The number of writes that haven't been completed.
    package var waitingCount: Int { state.withLock(\.waiting.count) }

    /// From now on, completes writes immediately with the given status.
    package func setStatus(_ status: HAPStatus) { state.withLock { $0.status = status } }

    /// From now on, makes writes wait for ``answer(_:on:)``.
    package func setWaits() { state.withLock { $0.isWaiting = true } }

    /// Completes the oldest waiting write.
    package func answer(_ status: HAPStatus, on scheduler: ManualScheduler) async {
        state.withLock { $0.waiting.isEmpty ? nil : $0.waiting.removeFirst() }?.resume(returning: status)
        await scheduler.drain()
    }

    // MARK: AccessorySource

    package func write(_ values: [CharacteristicWrite], to accessory: AccessoryID) async -> HAPStatus {
        let status = state.withLock { state in
            state.written += values
            return state.isWaiting ? nil : state.status
        }
        if let status { return status }
        return await withCheckedContinuation { continuation in state.withLock { $0.waiting.append(continuation) } }
    }

    package func identify(_ accessory: AccessoryID) { state.withLock { $0.identified.append(accessory) } }
}
