import HAPModel
import HomeModel
import HomePresentation
import Texts

/// The page of an accessory with all details, for its owner and for developers.
struct AccessoryPage: LivePage {
    let accessory: Accessory.ID
    var path: String { "/accessories/\(accessory)" }
    var place: String { "/" }

    func home(_ moment: Moment) -> Home? { moment.home { $0.accessory(accessory) != nil } }

    func content(_ moment: Moment) -> PageContent {
        if let content = PageContent.inPlaceOfHomes(moment) { return content }
        guard let home = moment.home(where: { $0.accessory(accessory) != nil }),
            let accessory = home.accessory(accessory)
        else { return .missing(localized("This accessory no longer exists.")) }
        let tiles = accessory.rows(.everything).map { moment.tile($0, home, back: path).part }
        let rows = accessory.services.map { service in service.characteristics.map { row(of: $0, accessory) } }
        var values: Templates.Values = [
            "id": "\(accessory.id)", "name": accessory.name,
            "up": [
                "path": "/rooms/\(accessory.room)",
                "name": home.room(accessory.room).map(home.displayName) ?? home.name,
            ],
            "tiles": tiles.map(\.html),
            "facts": facts(accessory), "services": zip(accessory.services, rows).map(values),
            "behind": home.accessories.filter { $0.bridge == accessory.id }.sortedForDisplay.map {
                ["id": "\($0.id)", "name": $0.name] as Templates.Values
            },
        ]
        if let problem = accessory.problem { values["problem"] = problem.localizedDescription.capitalizedFirst }
        if moment.visitor.isEditor { values["owner"] = owner(accessory, home) }
        return PageContent(
            title: accessory.name, main: Templates.render("accessory", values), parts: tiles + rows.joined(),
            values: Set(accessory.services.flatMap(\.characteristics).map(\.id)))
    }

    private func owner(_ accessory: Accessory, _ home: Home) -> Templates.Values {
        var owner: Templates.Values = [
            "id": "\(accessory.id)", "name": accessory.name,
            "rooms": (home.rooms.sortedForDisplay + [home.defaultRoom]).map { room in
                ["id": "\(room.id)", "name": home.displayName(of: room), "chosen": room.id == accessory.room]
                    as Templates.Values
            },
        ]
        let own: Templates.Values = ["id": "\(accessory.id)"]
        if accessory.supportsIdentify, accessory.problem == nil { owner["identify"] = own }
        if accessory.isBlocked { owner["unblock"] = own }
        if let bridge = accessory.bridge.flatMap(home.accessory) {
            owner["bridgedBy"] = ["id": "\(bridge.id)", "name": bridge.name]
        } else {
            owner["remove"] = own
            if accessory.problem == .fault(.forgotten) { owner["repair"] = own }
        }
        return owner
    }

    private func facts(_ accessory: Accessory) -> [Templates.Values] {
        let facts = [
            (localized("Manufacturer"), accessory.manufacturer), (localized("Model"), accessory.model),
            (localized("Serial number"), accessory.serialNumber), (localized("Firmware"), accessory.firmwareVersion),
            (localized("Category"), accessory.category.shownName), (localized("Own name"), accessory.configuredName),
            (localized("Device ID"), "\(accessory.deviceID)"), ("aid", "\(accessory.aid)"),
            (localized("ID"), "\(accessory.id)"),
        ]
        return facts.filter { !$0.1.isEmpty }.map { ["name": $0.0, "value": $0.1] }
    }

    private func values(of service: Service, _ rows: [PageContent.Part]) -> Templates.Values {
        [
            "id": "\(service.id)", "name": service.name, "type": service.shownType,
            "uuid": "\(service.type)", "iid": "\(service.iid)", "hidden": service.isHidden,
            "primary": service.isPrimary, "characteristics": rows.map(\.html),
        ]
    }

    private func row(of characteristic: Characteristic, _ accessory: Accessory) -> PageContent.Part {
        let metadata = characteristic.metadata
        return PageContent.Part(
            id: "v-\(characteristic.id)", "characteristic",
            [
                "id": "\(characteristic.id)", "name": characteristic.shownType,
                "value": characteristic.value.map { accessory.words(for: $0, of: characteristic) } ?? "",
                "format": metadata.format.rawValue + (metadata.unit.map { ", \($0.sign)" } ?? ""),
                "range": metadata.rangeText, "permissions": metadata.permissions.names.joined(separator: " "),
                "uuid": "\(characteristic.type)", "iid": "\(characteristic.iid)",
            ])
    }
}

extension ProductFilter {
    /// A filter that also includes vendor-specific services and characteristics.
    fileprivate static let everything = ProductFilter().withMakersOwn
}

extension CharacteristicMetadata {
    /// The valid values or their range in words; empty if unknown.
    fileprivate var rangeText: String {
        if let validValues { return validValues.map { "\($0)" }.joined(separator: ", ") }
        if let maximumLength { return localized("up to \(maximumLength) bytes") }
        guard minimum != nil || maximum != nil else { return "" }
        let ends = "\(minimum?.formText ?? "") – \(maximum?.formText ?? "")"
        return step.map { localized("\(ends), step \($0.formText)") } ?? ends
    }
}
