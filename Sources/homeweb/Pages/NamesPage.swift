import HomeModel
import Texts

/// The page of the names doctor: names that could be better, with suggestions to click.
struct NamesPage: LivePage {
    let path: String
    let choice: Home.ID?
    var place: String { "/more" }

    func content(_ moment: Moment) -> PageContent {
        if let content = PageContent.inPlaceOfHomes(moment) { return content }
        guard let home = moment.home else { return .missing(localized("There are no homes yet.")) }
        let findings = home.nameFindings.map(values)
        let summary =
            switch findings.count {
            case 0: localized("All names are fine.")
            case 1: localized("One name could be better.")
            default: localized("\(findings.count) names could be better.")
            }
        return PageContent(
            title: localized("Names"), main: Templates.render("names", ["summary": summary, "findings": findings]))
    }

    private func values(_ finding: NameFinding) -> Templates.Values {
        [
            "id": finding.service.map { "\($0)" } ?? "\(finding.accessory)",
            "path": finding.service.map { "/services/\($0)" } ?? "/accessories/\(finding.accessory)",
            "name": finding.name,
            "reason": finding.hints.map(\.localizedDescription).joined(separator: "; "),
            "suggestions": Array(finding.suggestions.prefix(3)),
        ]
    }
}
