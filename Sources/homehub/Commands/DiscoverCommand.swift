import ArgumentParser
import BoundedJSON
import HAPModel
import HomeClient
import HomePresentation
import TerminalKit

struct DiscoverCommand: HomeCommand {
    static let configuration = CommandConfiguration(
        commandName: "discover", abstract: "Watch for devices that can be added, until you press Ctrl-C.")

    @OptionGroup var options: HomeOptions

    func run(_ session: HomeSession) async throws {
        try await session.manager.withAccessoryBrowser { found in
            session.sayThatItGoesOn("looking for devices")
            var list = DiscoveryList()
            for await event in found {
                for line in list.lines(for: event) { session.print(line.text, json: line.listing) }
            }
        }
        try Task.checkCancellation()
        throw HomeError(.daemonUnavailable)
    }
}

/// The devices that are currently found.
struct DiscoveryList {
    /// A device that was found or has disappeared.
    struct Line: Equatable {
        let accessory: DiscoveredAccessory
        let isFound: Bool
    }

    private(set) var accessories: [DiscoveredAccessory] = []

    mutating func lines(for event: BrowserEvent) -> [Line] {
        switch event {
        case .found(let accessory):
            accessories.removeAll { $0.id == accessory.id }
            accessories.append(accessory)
            return [Line(accessory: accessory, isFound: true)]
        case .removed(let accessory):
            accessories.removeAll { $0.id == accessory.id }
            return [Line(accessory: accessory, isFound: false)]
        case .reset(let present):
            let (before, now) = (Set(accessories.map(\.id)), Set(present.map(\.id)))
            let gone = accessories.filter { !now.contains($0.id) }.map { Line(accessory: $0, isFound: false) }
            accessories = present
            return gone + present.filter { !before.contains($0.id) }.map { Line(accessory: $0, isFound: true) }
        }
    }

    /// Returns the device with a name or identifier.
    ///
    /// The beginning of a name suffices if it is unique.
    ///
    /// - Throws: `HomeError` with code 2 if no device matches, 3 if several devices match.
    static func one(_ typed: String, among accessories: [DiscoveredAccessory]) throws(HomeError) -> DiscoveredAccessory
    {
        if let id = DeviceID(typed), let accessory = accessories.first(where: { $0.id == id }) { return accessory }
        var found = accessories.filter { NameKey($0.name) == NameKey(typed) }
        if found.isEmpty, let name = accessories.map(\.name).only(beginningWith: typed) {
            found = accessories.filter { $0.name == name }
        }
        guard let accessory = found.first else {
            throw Refusal.notFound(typed, "device", "that can be added", "discover", among: accessories.map(\.name))
        }
        guard found.count == 1 else {
            throw Refusal.ambiguous(typed, candidates: found.map { ($0.shownText, "\($0.id)") })
        }
        return accessory
    }
}

extension DiscoveryList.Line {
    var text: String { "\(isFound ? "found" : "gone ")  \(accessory.shownText)\n" }

    var listing: JSONValue {
        var object: JSONObject = ["event": isFound ? "found" : "removed", "id": .string("\(accessory.id)")]
        for member in accessory.json.object?.members ?? [] { object[member.name] = member.value }
        object["categoryName"] = .string(accessory.category.localizedDescription)
        return .object(object)
    }
}

extension DiscoveredAccessory {
    /// The text that distinguishes the device from others.
    var shownText: String {
        let more = [category.localizedDescription, model, "\(id)"].filter { !$0.isEmpty }.joined(separator: ", ")
        return "\(name) (\(more))".sanitized
    }
}
