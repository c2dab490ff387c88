import HAPModel
import HomeClient
import HomeModel

/// The values that a visitor views. They are observed, and read once.
actor Watching {
    /// The time for which values continue to be observed after a visitor leaves a page, so that the next page doesn't
    /// read them again.
    static let linger = Duration.seconds(3)

    private let site: Site
    private var observation: Observation?
    private var values: Set<Characteristic.ID> = []
    private var isOver = false

    init(site: Site) { self.site = site }

    /// Observes the new values instead of the previous values.
    ///
    /// Returns after all values in `readable` that aren't reported have been read.
    func watch(_ new: Set<Characteristic.ID>, reading readable: Set<Characteristic.ID>) async {
        guard !isOver else { return }
        if new != values {
            site.freshness.watch(new, insteadOf: values)
            values = new
            // Start the new observation before the previous one ends, so that common values remain observed.
            let next = new.isEmpty ? nil : await site.manager.observe(.characteristics(new))
            guard !isOver, values == new else { return }
            observation = next
        }
        // The hub reads values before it confirms their observation.
        let reported = await site.manager.homes.reported(of: readable)
        await site.freshness.read(readable.subtracting(reported))
    }

    func end(after delay: Duration = .zero) async {
        try? await Task.sleep(for: delay)
        guard !isOver else { return }
        isOver = true
        observation = nil
        site.freshness.watch([], insteadOf: values)
        values = []
    }
}

extension [Home] {
    /// Returns the characteristics among `values` that needn't be read, because their changes are reported.
    fileprivate func reported(of values: Set<Characteristic.ID>) -> Set<Characteristic.ID> {
        var reported: Set<Characteristic.ID> = []
        for service in flatMap(\.accessories).flatMap(\.services) {
            for characteristic in service.characteristics
            where characteristic.isNotificationEnabled && !characteristic.isOutdated
                && values.contains(characteristic.id)
            {
                reported.insert(characteristic.id)
            }
        }
        return reported
    }
}
