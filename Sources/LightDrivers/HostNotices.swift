import DeviceKit

/// A driver's pending notices to its host, in order.
///
/// Reports without another notice in between are combined, and each light's reports are merged.
struct HostNotices {
    enum Notice {
        case added(LightDescription)
        case removed(LightID)
        case reports([(light: LightID, report: LightReport)])
        case warning(String?, about: String)

        func tell(_ host: any LightHost) async {
            switch self {
            case .added(let light): await host.added(light)
            case .removed(let light): await host.removed(light)
            case .reports(let reports): await host.report(reports)
            case .warning(let text, let subject): await host.warn(text, about: subject)
            }
        }
    }

    /// All but the newest reports, which may still be merged.
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
