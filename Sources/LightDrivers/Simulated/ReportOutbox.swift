import DeviceKit

/// Pending reports to the host, in order.
///
/// The reports of each light are merged, so there are never more reports than lights.
struct ReportOutbox {
    private var order: [LightID] = []
    private var waiting: [LightID: LightReport] = [:]
    /// The number of reports that were added so far.
    ///
    /// It is also the ticket of the newest report.
    private(set) var ticket = 0

    var isEmpty: Bool { order.isEmpty }

    mutating func add(_ report: LightReport, from light: LightID) {
        ticket += 1
        guard var earlier = waiting[light] else {
            order.append(light)
            waiting[light] = report
            return
        }
        earlier.merge(report)
        waiting[light] = earlier
    }

    /// Removes and returns all reports, with the ticket of the newest report.
    mutating func takeAll() -> (reports: [(light: LightID, report: LightReport)], ticket: Int) {
        defer {
            order.removeAll()
            waiting.removeAll()
        }
        return (order.compactMap { light in waiting[light].map { (light, $0) } }, ticket)
    }
}
