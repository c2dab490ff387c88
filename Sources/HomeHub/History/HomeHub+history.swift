import AsyncKit
import HomeModel
import Logging

import enum HAPModel.CharacteristicValue

// Past values of accessories.
extension HomeHub {
    /// Records a reported value.
    func record(_ value: CharacteristicValue, of characteristic: Characteristic, at time: Timestamp) {
        guard characteristic.hasHistory else { return }
        let entry = HistoryEntry(time: time, value: value)
        if history.record(entry, of: characteristic.id, isMeasurement: characteristic.isMeasurement) {
            deadlineChanged.send()
        }
    }

    /// Stores the recorded values and activity, and removes those of accessories that are no longer in a home.
    func saveHistory() async {
        await history.save()
        let objects = HistoryObjects(graph)
        shownAsUnreachable.formIntersection(objects.accessories)
        unreachableSince = unreachableSince.filter { objects.accessories.contains($0.key) }
        await history.removeAll(except: objects)
    }

    /// Answers a call with past values, or with the current value if there are none.
    func history(_ request: HistoryRequest, _ call: Call) async {
        guard isAwaited(call) else { return }
        guard let characteristic = graph.characteristic(request.characteristic) else {
            return answer(call, with: HomeError(.notFound, detail: "this characteristic doesn't exist"))
        }
        guard characteristic.hasHistory else {
            return answer(
                call,
                with: HomeError(
                    .operationNotSupported,
                    detail: "there is no history of \(characteristic.localizedDescription.lowercased())"))
        }
        guard request.since <= request.until, request.interval.map({ $0 > 0 }) ?? true else {
            return answer(
                call, with: HomeError(.invalidParameter, detail: "the period or the interval of the history is empty"))
        }
        do {
            var entries = try await history.entries(request)
            if entries.isEmpty, let value = characteristic.value, let time = characteristic.valueTime,
                time <= request.until
            {
                entries = [HistoryEntry(time: time, value: value)]
            }
            answer(call, .success(entries.json))
        } catch {
            logger.error("history read failed", metadata: ["error": "\(error)"])
            answer(call, with: store.failure("the history can't be read", after: error))
        }
    }
}
