internal import BoundedJSON
internal import HAPModel
package import TerminalKit

/// The storage directory of Homebridge, usually `~/.homebridge` or `/var/lib/homebridge`.
///
/// Homebridge's library HAP-NodeJS stores each identity in `persist/AccessoryInfo.MAC.json`, and the aids in
/// `persist/IdentifierCache.MAC.json`. Each child bridge has its own identity.
package struct HomebridgeStorage {
    private let folder: Folder
    private let persist: Folder

    package init(_ path: String) {
        folder = Folder(path: path)
        persist = Folder(path: folder("persist"))
    }

    private static let prefix = "AccessoryInfo."
    private static let suffix = ".json"
    /// The category of bridges.
    private static let bridge = 2

    /// Returns the main bridge and the child bridges, without accessories that are published separately.
    ///
    /// - Throws: `TerminalError` if the directory can't be read.
    package func bridges() throws(TerminalError) -> [ForeignBridge] {
        let names = try configuredNames()
        var bridges: [ForeignBridge] = []
        for file in try persist.names() where file.hasPrefix(Self.prefix) && file.hasSuffix(Self.suffix) {
            let digits = file.dropFirst(Self.prefix.count).dropLast(Self.suffix.count)
            guard let octets = Hex.decode(digits), let id = DeviceID(octets: octets) else { continue }
            if let bridge = bridge(id, file: file, digits: String(digits), name: names[id]) { bridges.append(bridge) }
        }
        return bridges
    }

    /// Returns the names of the main bridge and the child bridges.
    private func configuredNames() throws(TerminalError) -> [DeviceID: String] {
        let file = try JSONFile(folder("config.json"))
        var names: [DeviceID: String] = [:]
        func add(_ bridge: JSONValue?, _ fallback: JSONValue?...) {
            guard let id = bridge?["username"]?.string.flatMap({ DeviceID($0) }) else { return }
            names[id] = names[id] ?? ([bridge?["name"]] + fallback).lazy.compactMap { $0?.string }.first
        }
        add(file.content["bridge"])
        for section in ["platforms", "accessories"] {
            for plugin in file.content[section]?.array ?? [] {
                add(plugin["_bridge"], plugin["name"], plugin["platform"], plugin["accessory"])
            }
        }
        return names
    }

    private func bridge(_ id: DeviceID, file: String, digits: String, name: String?) -> ForeignBridge? {
        var (name, aids) = (name, [UInt64]())
        func bridge(_ identity: Result<BridgeIdentity, TerminalError>) -> ForeignBridge {
            ForeignBridge(
                name: name ?? "without a name", deviceID: id, accessories: aids.count, identity: identity)
        }
        do throws(TerminalError) {
            let info = try JSONFile(persist(file))
            guard try info.required("category", \.int) == Self.bridge else { return nil }
            name = name ?? info.content["displayName"]?.string
            let cache = try cache(digits)
            aids = cache.aids
            return bridge(.success(try Self.identity(info, id, aids: aids + cache.last)))
        } catch {
            return bridge(.failure(error))
        }
    }

    /// Returns the aids of the accessories, whose keys are UUIDs, and the last assigned aid.
    ///
    /// All other keys contain a vertical bar. The aids of removed accessories aren't stored, but the next aid is.
    private func cache(_ digits: String) throws(TerminalError) -> (aids: [UInt64], last: [UInt64]) {
        guard let file = try JSONFile.ifPresent(persist("IdentifierCache.\(digits).json")) else { return ([], []) }
        return try file.required("cache") { cache in
            guard let members = cache.object?.members.filter({ !$0.name.contains("|") }) else { return nil }
            let aids = members.compactMap(\.value.unsignedInteger)
            let last = cache["|nextAID"]?.unsignedInteger.map { [$0 > 0 ? $0 - 1 : 0] } ?? []
            return aids.count == members.count ? (aids, last) : nil
        }
    }

    private static func identity(
        _ file: JSONFile, _ id: DeviceID, aids: [UInt64]
    ) throws(TerminalError) -> BridgeIdentity {
        let permissions = try file.optional("pairedClientsPermission", \.object)
        var controllers: [BridgeIdentity.Controller] = []
        for client in try file.required("pairedClients", \.object).members {
            guard let key = client.value.key else { throw file.wrong("pairedClients") }
            // Older versions don't store permissions.
            let isAdmin = permissions?[client.name].map { $0.int == 1 } ?? true
            controllers.append(.init(id: Array(client.name.utf8), publicKey: key, isAdmin: isAdmin))
        }
        // The secret key of NaCl consists of the seed and the public key.
        let secret = try file.required("signSk") { value in
            value.string.flatMap { Hex.decode($0) }.flatMap { $0.count == 64 ? $0 : nil }
        }
        let publicKey = try file.required("signPk", \.key)
        guard Array(secret.suffix(32)) == publicKey else { throw file.wrong("signSk") }
        let code = try file.optional("pincode", \.string)
        let setupID = try file.optional("setupID", \.string)
        return BridgeIdentity(
            deviceID: id.description, seed: Array(secret.prefix(32)), publicKey: publicKey,
            setupCode: code.flatMap { SetupCode($0)?.text }, setupID: setupID.flatMap { SetupID($0)?.description },
            configurationNumber: try file.optional("configVersion", \.number16) ?? 1,
            controllers: try BridgeIdentity.checked(controllers, file), highestAID: BridgeIdentity.highest(of: aids))
    }
}
