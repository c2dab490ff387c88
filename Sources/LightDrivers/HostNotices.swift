import DeviceKit

/// A driver's pending notices to its host, in order.
///
/// Consecutive reports are combined into one notice, in which the reports of each light are merged.
struct HostNotices {
    enum Notice {
        case added(LightDescription)
        case removed(LightID)
        case occurred(LightID, PropertyValues)
        case reports([(light: LightID, report: LightReport)])
        case warning(String?, about: String)

        func tell(_ host: any LightHost) async {
            switch self {
            case .added(let light): await host.added(light)
            case .removed(let light): await host.removed(light)
            case .occurred(let light, let events): await host.occurred(events, on: light)
            case .reports(let reports): await host.report(reports)
            case .warning(let text, let subject): await host.warn(text, about: subject)
            }
        }
    }

    /// The pending notices, except for the newest reports, which may still be merged with later reports.
    private(set) var waiting: [Notice] = []
    private var outbox = ReportOutbox()

    mutating func add(_ report: LightReport, from light: LightID) { outbox.add(report, from: light) }

    mutating func add(_ notice: Notice) {
        queueReports()
        waiting.append(notice)
    }

    mutating func takeAll() -> [Notice] {
        queueReports()
        defer { waiting = [] }
        return waiting
    }

    private mutating func queueReports() {
        if !outbox.isEmpty { waiting.append(.reports(outbox.takeAll().reports)) }
    }
}
