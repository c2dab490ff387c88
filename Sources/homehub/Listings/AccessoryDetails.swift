import HAPModel
import HomeModel
import HomePresentation
import TerminalKit

/// The human-readable details of an accessory.
struct AccessoryDetails {
    let accessory: Accessory
    let home: Home
    /// Whether to include identifiers and details for developers.
    let isComplete: Bool

    var text: String {
        let properties = properties.filter { !$0.value.isEmpty }
        let head = properties.map { name, value in
            name + String(repeating: " ", count: 15 - name.count) + value.sanitized + "\n"
        }
        let services = isComplete ? accessory.services : accessory.parts
        return ([head.joined()] + services.map(text)).joined(separator: "\n")
    }

    private var properties: KeyValuePairs<String, String> {
        [
            "name": accessory.name, "home": home.name,
            "room": home.room(accessory.room).map(home.displayName) ?? "",
            "category": accessory.category.localizedDescription, "manufacturer": accessory.manufacturer,
            "model": accessory.model, "status": accessory.problem?.sentence ?? "OK",
            "battery": accessory.services.first { $0.type == .battery }.map { accessory.state(of: $0).words } ?? "",
            "bridge": accessory.bridge.flatMap { home.accessory($0) }?.name ?? "", "bridge of": bridged,
            "id": isComplete ? "\(accessory.id)" : "",
            "own name": isComplete ? accessory.configuredName : "",
            "serial number": isComplete ? accessory.serialNumber : "",
            "firmware": isComplete ? accessory.firmwareVersion : "",
            "device": isComplete ? "\(accessory.deviceID), accessory \(accessory.aid)" : "",
        ]
    }

    private var bridged: String {
        guard let ids = accessory.bridgedAccessories else { return "" }
        let names = ids.compactMap { home.accessory($0) }.sortedForDisplay.map(\.name)
        return names.isEmpty ? "nothing" : names.joined(separator: ", ")
    }

    private func text(of service: Service) -> String {
        let isOwn = service.type.localizedDescription == service.type.description && !accessory.manufacturer.isEmpty
        let kind = isOwn ? "\(accessory.manufacturer)'s own" : service.usualName
        var marks = [service.associatedServiceType?.usualName ?? kind]
        if service.id == accessory.primaryService?.id { marks.append("main") }
        if service.isFavorite { marks.append("favorite") }
        if service.isHidden { marks.append("hidden") }
        let name = accessory.shownName(of: service)
        let state = isComplete ? "" : ": \(accessory.state(of: service).words)"
        var heading = "\(name) (\(marks.joined(separator: ", ")))\(state)".sanitized + "\n"
        if isComplete {
            let own = NameKey(name) == NameKey(service.name) ? "" : "  own name: \(service.name)".sanitized
            heading += "  \(service.id)  \(service.type)\(own)\n"
        }
        let places = service.places(in: accessory).filter { isComplete || $0.characteristic.isForPeople }
        var table = Table(["  NAME", "LAST VALUE", "ACCESS", "RANGE"] + (isComplete ? ["ID"] : []))
        for characteristic in places.map(\.characteristic) {
            let range = characteristic.metadata.permissions.contains(.pairedWrite) ? characteristic.rangeText : ""
            table.append(
                ["  " + characteristic.word, characteristic.cachedText, characteristic.abilitiesText, range]
                    + (isComplete ? ["\(characteristic.id)"] : []))
        }
        return heading + (places.isEmpty ? "" : table.text)
    }
}
