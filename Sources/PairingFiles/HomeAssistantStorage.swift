internal import BoundedJSON
internal import HAPModel
package import TerminalKit

/// The storage of Home Assistant, which is the directory `.storage` of its configuration.
///
/// The bridges are those of the integration HomeKit Bridge, whose identities HAP-python stores. The pairings are those
/// of the integration HomeKit Device.
package struct HomeAssistantStorage {
    private let folder: Folder

    /// Finds the storage in Home Assistant's configuration directory, the storage itself, or its file
    /// `core.config_entries`.
    package init(_ path: String) {
        let folder = Folder(path: path)
        if path == Self.entries || path.hasSuffix("/" + Self.entries) {
            let directory = path.dropLast(Self.entries.count)
            self.folder = Folder(path: directory.isEmpty ? "." : String(directory))
        } else if !folder.contains(Self.entries), folder.contains(".storage") {
            self.folder = Folder(path: folder(".storage"))
        } else {
            self.folder = folder
        }
    }

    private static let entries = "core.config_entries"

    private func entries(of domain: String) throws(TerminalError) -> (JSONFile, [JSONValue]) {
        let file = try JSONFile(folder(Self.entries))
        try file.checkVersion(1)
        let entries = try file.required("data.entries", \.array)
        return (file, entries.filter { $0["domain"]?.string == domain })
    }

    // MARK: Pairings

    /// Returns the accessories that are paired with Home Assistant.
    ///
    /// - Throws: `TerminalError` if the file can't be read.
    package func pairings() throws(TerminalError) -> [ForeignPairingEntry] {
        let (file, entries) = try entries(of: "homekit_controller")
        // Discovered accessories that the user ignores have an entry without a pairing.
        return entries.filter { $0["source"]?.string != "ignore" }.map { entry in
            let data = entry["data"] ?? .null
            let name = entry["title"]?.string ?? data["AccessoryPairingID"]?.string ?? "without a name"
            return ForeignPairingEntry(file, data, name: name)
        }
    }

    // MARK: Bridges

    /// Returns the bridges, without those in accessory mode, which are single accessories.
    ///
    /// - Throws: `TerminalError` if the list of bridges can't be read.
    package func bridges() throws(TerminalError) -> [ForeignBridge] {
        let (file, entries) = try entries(of: "homekit")
        var bridges: [ForeignBridge] = []
        for entry in entries where (entry["options"]?["mode"] ?? entry["data"]?["mode"])?.string != "accessory" {
            // The ID becomes part of a path.
            guard let id = entry["entry_id"]?.string, !id.isEmpty, !id.contains("/") else {
                throw file.wrong("entry_id")
            }
            let name = (entry["data"]?["name"] ?? entry["title"])?.string ?? "without a name"
            bridges.append(bridge(id, name: name))
        }
        return bridges
    }

    private func bridge(_ id: String, name: String) -> ForeignBridge {
        do throws(TerminalError) {
            let aids = try aids(id)
            let state = try JSONFile(folder("homekit.\(id).state"))
            let identity = Result { () throws(TerminalError) in try Self.identity(state, aids: aids) }
            return ForeignBridge(
                name: name, deviceID: state.content["mac"]?.deviceID, accessories: aids.count, identity: identity)
        } catch {
            return ForeignBridge(name: name, deviceID: nil, accessories: 0, identity: .failure(error))
        }
    }

    private func aids(_ id: String) throws(TerminalError) -> [UInt64] {
        guard let file = try JSONFile.ifPresent(folder("homekit.\(id).aids")) else { return [] }
        try file.checkVersion(1)
        return try file.required("data.allocations") { allocations in
            guard let members = allocations.object?.members else { return nil }
            let aids = members.compactMap(\.value.unsignedInteger)
            return aids.count == members.count ? aids : nil
        }
    }

    /// Parses the state of HAP-python, which contains no setup code.
    private static func identity(_ file: JSONFile, aids: [UInt64]) throws(TerminalError) -> BridgeIdentity {
        let properties = try file.optional("client_properties", \.object)
        let identifiers = try file.optional("client_uuid_to_bytes", \.object)
        var controllers: [BridgeIdentity.Controller] = []
        for client in try file.required("paired_clients", \.object).members {
            let name = client.name
            guard let key = client.value.key else { throw file.wrong("paired_clients") }
            // Older versions store neither the identifier, which is in uppercase on iOS, nor the permissions.
            let id = try identifiers?[name].map { value throws(TerminalError) in
                guard let bytes = value.string.flatMap({ Hex.decode($0) }) else {
                    throw file.wrong("client_uuid_to_bytes")
                }
                return bytes
            }
            let isAdmin = properties.map { ($0[name]?["permissions"]?.int ?? 0) & 1 == 1 } ?? true
            controllers.append(.init(id: id ?? Array(name.uppercased().utf8), publicKey: key, isAdmin: isAdmin))
        }
        return BridgeIdentity(
            deviceID: try file.required("mac", \.deviceID).description,
            seed: try file.required("private_key", \.key), publicKey: try file.required("public_key", \.key),
            setupCode: nil, setupID: nil, configurationNumber: try file.required("config_version", \.number16),
            controllers: try BridgeIdentity.checked(controllers, file), highestAID: BridgeIdentity.highest(of: aids))
    }
}
