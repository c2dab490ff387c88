import HAPModel
import HomeModel
import HomePresentation

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
        else { return .missing("This device no longer exists.") }
        let name = accessory.shownName(of: service)
        let controls =
            accessory.problem == nil
            ? ControlView.all(of: service, in: accessory, isOwner: moment.visitor.isEditor) : []
        let controlled = Set(controls.map(\.characteristic.id))
        let isColored = controls.contains { $0.control == .color }
        // The state already shows the remaining time.
        let omitted = service.ineffectiveTargets.union(
            [.remainingDuration, .serviceLabelIndex] + (isColored ? [.saturation] : []))
        let readings = (service.characteristics + battery(of: accessory)).filter {
            $0.isForPeople && !controlled.contains($0.id) && !omitted.contains($0.type)
                && $0.metadata.permissions.contains(.pairedRead) && ($0.value != nil || !$0.type.isMomentary)
        }
        var values: Templates.Values = [
            "id": "\(service.id)", "accessory": "\(accessory.id)", "name": name,
            "icon": (service.associatedServiceType ?? service.type).icon,
            "state": accessory.problem?.words
                ?? [accessory.state(of: service).words, moment.age(of: service)].compactMap(\.self).joined(
                    separator: ", "),
            "controls": controls.map(\.values), "stale": accessory.problem == nil && !moment.isCurrent(service),
            "readings": readings.map { reading in
                [
                    "part": "r-\(reading.id)", "name": reading.label,
                    "value": [
                        reading.value.map { accessory.words(for: $0, of: reading) } ?? "unknown",
                        reading.isOutdated ? reading.valueTime?.ageOfValue : nil,
                    ].compactMap(\.self).joined(separator: ", "),
                ] as Templates.Values
            },
            "up": [
                "path": "/rooms/\(accessory.room)",
                "name": home.room(accessory.room).map(home.displayName) ?? home.name,
            ],
        ]
        if let graph = GraphPage.values(of: service, .day).first { values["graph"] = graph }
        values["problem"] = accessory.problem?.localizedDescription.capitalizedFirst
        if moment.visitor.isEditor {
            values["owner"] = ["id": "\(service.id)", "name": name, "kinds": kinds(of: service)] as Templates.Values
            values["favorite"] = [
                "id": "\(service.id)", "isFavorite": service.isFavorite ? "true" : "false",
                "next": service.isFavorite ? "0" : "1", "icon": service.isFavorite ? "star-filled" : "star",
                "label": service.isFavorite ? "Favorite" : "Add to favorites",
            ]
        }
        return PageContent(
            title: name, main: Templates.render("service", values),
            values: Set(service.characteristics.map(\.id) + battery(of: accessory).map(\.id)))
    }

    private func battery(of accessory: Accessory) -> [Characteristic] {
        service == accessory.services.first { $0.type == .battery }?.id
            ? [] : accessory.services.filter { $0.type == .battery }.flatMap(\.characteristics)
    }

    private func kinds(of service: Service) -> [Templates.Values] {
        service.type.associableTypes.sorted { $0.localizedDescription < $1.localizedDescription }.map { type in
            ["id": "\(type)", "name": type.localizedDescription, "chosen": type == service.associatedServiceType]
        }
    }
}
