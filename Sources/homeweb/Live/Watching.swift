import HAPModel
import HomeClient
import HomeModel

/// The values that one reader looks at: they are reported, and asked for once.
actor Watching {
    /// How long values go on being reported when a reader goes: who goes from one page to the next asks for nothing again
    /// (R4 of the home model).
    static let linger = Duration.seconds(3)

    private let site: Site
    private var observation: Observation?
    private var values: Set<Characteristic.ID> = []
    private var isOver = false

    init(site: Site) { self.site = site }

    /// Watches these values instead of the former ones; returns when the readable ones were read.
    func watch(_ new: Set<Characteristic.ID>, reading readable: Set<Characteristic.ID>) async {
        guard !isOver else { return }
        if new != values {
            site.freshness.watch(new, insteadOf: values)
            values = new
            // The new one begins before the old one ends, so that what is in both goes on.
            let next = new.isEmpty ? nil : await site.manager.observe(.characteristics(new))
            guard !isOver, values == new else { return }
            observation = next
        }
        // The hub has asked for what it reports before it says that it does.
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
    /// Those of these values that are reported to the page.
    fileprivate func reported(of values: Set<Characteristic.ID>) -> Set<Characteristic.ID> {
        var reported: Set<Characteristic.ID> = []
        for service in flatMap(\.accessories).flatMap(\.services) {
            for characteristic in service.characteristics
            where characteristic.isNotificationEnabled && values.contains(characteristic.id) {
                reported.insert(characteristic.id)
            }
        }
        return reported
    }
}
