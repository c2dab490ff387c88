import BoundedJSON
import HomeModel

/// The JSON of the latest statuses of automations, because encoding them takes longer than comparing them.
struct TriggerStatusTexts {
    private var known: [Home.ID: [Trigger.ID: (status: TriggerStatus, json: JSONValue)]] = [:]

    /// Returns the JSON of the statuses of a home's automations, which replace the former ones.
    mutating func json(of statuses: [TriggerStatus], in home: Home.ID) -> JSONValue {
        let former = known[home] ?? [:]
        let entries = statuses.map { (status) -> (status: TriggerStatus, json: JSONValue) in
            if let entry = former[status.trigger], entry.status == status { return entry }
            return (status, status.json)
        }
        known[home] = Dictionary(entries.map { ($0.status.trigger, $0) }) { $1 }
        return .array(entries.map(\.json))
    }

    /// Forgets a removed home.
    mutating func remove(_ home: Home.ID) { known[home] = nil }
}
