import HomeModel

/// The names doctor: names that are hard to say, each with better ones to click.
struct NamesPage: LivePage {
    let path: String
    let choice: Home.ID?
    var place: String { "/more" }

    init(path: String, query: Query) {
        self.path = path
        choice = query["home"].flatMap { Home.ID($0) }
    }

    func content(_ moment: Moment) -> PageContent {
        if let content = PageContent.inPlaceOfHomes(moment) { return content }
        guard let home = moment.home else { return .missing("There is no home.") }
        let findings = home.accessories.sortedForDisplay.flatMap { self.findings($0, home) }
        let summary =
            switch findings.count {
            case 0: "All names are good."
            case 1: "One name could be better."
            default: "\(findings.count) names could be better."
            }
        return PageContent(
            title: "Names", main: Templates.render("names", ["summary": summary, "findings": findings]))
    }

    private func findings(_ accessory: Accessory, _ home: Home) -> [Templates.Values] {
        var findings: [Templates.Values] = []
        let hints = home.nameHints(of: accessory.id)
        if !hints.isEmpty {
            findings.append(
                finding(
                    "\(accessory.id)", "/accessories/\(accessory.id)", accessory.name, hints,
                    home.suggestedNames(from: accessory.name, for: accessory.id)))
        }
        for service in accessory.parts where accessory.parts.count > 1 {
            let hints = home.nameHints(of: service.id)
            guard !hints.isEmpty, service.name != accessory.name else { continue }
            findings.append(
                finding(
                    "\(service.id)", "/services/\(service.id)", service.name, hints,
                    home.suggestedNames(from: service.name, for: service.id)))
        }
        return findings
    }

    private func finding(
        _ id: String, _ path: String, _ name: String, _ hints: [NameHint], _ suggestions: [String]
    ) -> Templates.Values {
        [
            "id": id, "path": path, "name": name, "reason": hints.map(\.reason).joined(separator: ", and it "),
            "suggestions": suggestions.filter { $0 != name }.prefix(3).map(\.self),
        ]
    }
}

extension NameHint {
    /// What is wrong with the name, behind the name.
    fileprivate var reason: String {
        switch self {
        case .containsLocation(let location): "says where it is (\(location.name)), which its room does already"
        case .containsMaker: "holds its maker's name or number, which people do not say"
        case .ambiguousForVoice: "is also something else's name"
        case .genericOnly: "says only what sort of thing it is"
        }
    }
}
