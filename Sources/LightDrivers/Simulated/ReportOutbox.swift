import DeviceKit

/// Reports on their way to the host: in order, the reports of one light merged, so never more than there are lights.
struct ReportOutbox {
    private var order: [LightID] = []
    private var waiting: [LightID: LightReport] = [:]
    /// How many reports have been added so far.
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

    /// Takes all reports out, and the ticket of the newest among them.
    mutating func takeAll() -> (reports: [(light: LightID, report: LightReport)], ticket: Int) {
        defer {
            order.removeAll()
            waiting.removeAll()
        }
        return (order.compactMap { light in waiting[light].map { (light, $0) } }, ticket)
    }
}
