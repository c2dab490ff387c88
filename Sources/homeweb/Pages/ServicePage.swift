import HAPModel
import HomeModel
import HomePresentation
import Texts

/// The page of a service: large controls, followed by readings.
struct ServicePage: LivePage {
    let service: Service.ID
    var path: String { "/services/\(service)" }
    var place: String { "/" }

    func home(_ moment: Moment) -> Home? { moment.home { $0.service(service) != nil } }

    func content(_ moment: Moment) -> PageContent {
        if let content = PageContent.inPlaceOfHomes(moment) { return content }
        guard let home = moment.home(where: { $0.service(service) != nil }),
            let accessory = home.accessory(of: service),
            let service = home.service(service)
        else { return .missing(localized("This device no longer exists.")) }
        let name = accessory.shownName(of: service)
        let isUsable = accessory.problem == nil
        let companions = accessory.companions(of: service)
        let controls =
            isUsable
            ? ([service] + companions).flatMap {
                ControlView.all(of: $0, in: accessory, isOwner: moment.visitor.isEditor, back: path)
            } : []
        let controlled = Set(controls.flatMap(\.controlled).map(\.id))
        let readings = self.readings(of: service, companions, accessory, controlled)
        var parts = controls.map { PageContent.Part(id: $0.part, html: $0.html) }
        parts += readings.map { reading in
            PageContent.Part(id: "r-\(reading.id)", "reading", self.values(of: reading, accessory))
        }
        let stateParts = [accessory.state(of: service).words, moment.age(of: [service])].compactMap(\.self)
        let words = accessory.problem?.words ?? stateParts.joined(separator: ", ")
        let state: Templates.Values = [
            "state": words.capitalizedFirst,
            "stale": isUsable && !moment.isCurrent(service),
            "level": accessory.state(of: service).isAlert ? " alert" : "",
        ]
        parts.append(PageContent.Part(id: "state", html: Templates.render("service-state", state)))
        let others = others(than: [service] + companions, in: accessory).map {
            moment.tile($0, home, .accessory, back: path)
        }
        parts += others.map(\.part)
        var values: Templates.Values = [
            "id": "\(service.id)", "accessory": "\(accessory.id)", "name": name,
            "icon": (service.associatedServiceType ?? service.type).icon,
            "state": Templates.render("service-state", state),
            "controls": controls.filter { !$0.characteristic.isSetting }.map(\.html),
            "settings": controls.filter(\.characteristic.isSetting).map(\.html),
            "readings": parts.dropFirst(controls.count).prefix(readings.count).map(\.html),
            "others": others.map(\.html), "hasHistory": !service.graphed.isEmpty,
            "up": [
                "path": "/rooms/\(accessory.room)",
                "name": home.room(accessory.room).map(home.displayName) ?? home.name,
            ],
        ]
        let graphed = service.graphed.filter { ![.remainingDuration, .sleepDiscoveryMode].contains($0.type) }
        if !readings.contains(where: \.isMeasurement),
            let first = graphed.first(where: \.isMeasurement) ?? graphed.first
        {
            values["graph"] = GraphPage.values(of: first, service, .day)
        }
        values["problem"] = accessory.problem?.localizedDescription.capitalizedFirst
        if moment.visitor.isEditor {
            values["owner"] = ["id": "\(service.id)", "name": name, "kinds": kinds(of: service)] as Templates.Values
            values["favorite"] = [
                "id": "\(service.id)", "isFavorite": service.isFavorite ? "true" : "false",
                "next": service.isFavorite ? "0" : "1", "icon": service.isFavorite ? "star-filled" : "star",
                "label": service.isFavorite ? localized("Favorite") : localized("Add to favorites"),
            ]
        }
        let shown = [service] + companions + others.compactMap { accessory.service($0.row.id) }
        return PageContent(
            title: name, main: Templates.render("service", values), parts: parts,
            values: Set(shown.flatMap(\.characteristics).map(\.id) + battery(of: accessory).map(\.id)))
    }

    /// The values of the service that have no control, and those of its battery.
    private func readings(
        of service: Service, _ companions: [Service], _ accessory: Accessory, _ controlled: Set<Characteristic.ID>
    ) -> [Characteristic] {
        let omitted = service.ineffectiveTargets.union(service.statedCharacteristics)
            .union([.serviceLabelIndex, .sleepDiscoveryMode])
        let all = ([service] + companions).flatMap(\.characteristics) + battery(of: accessory)
        return all.filter {
            $0.isForPeople && !controlled.contains($0.id) && !omitted.contains($0.type)
                && $0.metadata.permissions.contains(.pairedRead) && ($0.value != nil || !$0.type.isMomentary)
        }
    }

    private func values(of reading: Characteristic, _ accessory: Accessory) -> Templates.Values {
        var values: Templates.Values = [
            "part": "r-\(reading.id)", "name": reading.label,
            "value": [
                accessory.shownWords(of: reading),
                reading.isOutdated ? reading.valueTime?.ageOfValue : nil,
            ].compactMap(\.self).joined(separator: ", "),
        ]
        if let service = accessory.service(reading.service), let graph = GraphPage.values(of: reading, service, .day) {
            // A page with an open graph for each state would be hard to read.
            values[reading.isMeasurement ? "graph" : "states"] = graph
        }
        return values
    }

    /// The other parts of the accessory, such as the zones of an irrigation system.
    private func others(than shown: [Service], in accessory: Accessory) -> [ServiceRow] {
        let known = Set(shown.map(\.id))
        return accessory.rows().filter { !known.contains($0.id) && $0.kind != .battery }
    }

    private func battery(of accessory: Accessory) -> [Characteristic] {
        service == accessory.services.first { $0.type == .battery }?.id
            ? [] : accessory.services.filter { $0.type == .battery }.flatMap(\.characteristics)
    }

    private func kinds(of service: Service) -> [Templates.Values] {
        service.type.associableTypes.sorted { $0.shownName < $1.shownName }.map { type in
            ["id": "\(type)", "name": type.shownName, "chosen": type == service.associatedServiceType]
        }
    }
}
