import HomeModel

extension HomeTransaction {
    /// Returns a copy of the transaction that includes the values reported since it was planned, and these values.
    func refreshed(from before: HomeGraph, to now: HomeGraph) -> (
        HomeTransaction, [Characteristic.ID: TimestampedValue]
    ) {
        var transaction = self
        var newer: [Characteristic.ID: TimestampedValue] = [:]
        for (index, change) in changes.enumerated() {
            guard case .servicesUpdated(let id, var services) = change.event, let accessory = now.accessory(id),
                let old = before.accessory(id)
            else { continue }
            for service in services.indices {
                for part in services[service].characteristics.indices {
                    let id = services[service].characteristics[part].id
                    guard let present = accessory.characteristic(id), let value = present.value,
                        let time = present.valueTime,
                        old.characteristic(id).map({ $0.value != value || $0.valueTime != time }) ?? true
                    else { continue }
                    services[service].characteristics[part].value = value
                    services[service].characteristics[part].valueTime = time
                    newer[id] = TimestampedValue(value, at: time)
                }
            }
            transaction.changes[index].event = .servicesUpdated(id, services)
        }
        return (transaction, newer)
    }
}
