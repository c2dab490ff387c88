internal import AsyncKit
internal import BoundedJSON
internal import HAPCrypto
internal import HAPModel
internal import HAPProtocol

/// The content of a controller's store; it is also the ``PairingVault`` for pairing and links.
///
/// The store is read once. Later changes are saved before they take effect in memory.
actor StoredPairings: PairingVault {
    /// A paired accessory and, if it was paired by address, its endpoint.
    struct Entry: Equatable, Sendable {
        var pairing: AccessoryPairing
        var endpoint: AccessoryEndpoint?
    }

    private struct State: Equatable {
        var identity: ControllerIdentity
        var entries: [Entry] = []
    }

    /// The store's content isn't valid.
    struct Damaged: Error {}

    private let store: any PairingStore
    private var state: State?
    /// The queue that saves changes in order, even if the store is slow.
    private let changes = SerialQueue()

    init(_ store: any PairingStore) { self.store = store }

    // MARK: PairingVault

    func identity() async throws -> ControllerIdentity { try await current().identity }

    func pairings() async throws -> [AccessoryPairing] { try await current().entries.map(\.pairing) }

    func keep(_ pairing: AccessoryPairing) async throws {
        try await change { state in
            state.entries.removeAll { $0.pairing.deviceID == pairing.deviceID }
            state.entries.append(Entry(pairing: pairing))
        }
    }

    func forget(_ accessory: DeviceID) async throws {
        try await change { $0.entries.removeAll { $0.pairing.deviceID == accessory } }
    }

    // MARK: Entries

    func entry(_ id: DeviceID) async throws -> Entry? {
        try await current().entries.first { $0.pairing.deviceID == id }
    }

    /// Stores the endpoint at which an accessory was paired.
    func keep(_ endpoint: AccessoryEndpoint, of id: DeviceID) async throws {
        guard try await entry(id)?.endpoint != endpoint else { return }
        try await change { state in
            guard let index = state.entries.firstIndex(where: { $0.pairing.deviceID == id }) else { return }
            state.entries[index].endpoint = endpoint
        }
    }

    // MARK: State

    private func current() async throws -> State {
        if state == nil { try await change { _ in } }
        guard let state else { throw Damaged() }
        return state
    }

    private func change(_ change: @escaping @Sendable (inout State) -> Void) async throws {
        try await changes.run { [self] in try await changeNow(change) }
    }

    private func changeNow(_ change: (inout State) -> Void) async throws {
        let known: State?
        if let state { known = state } else { known = try await store.load().map(Self.decode) }
        var next = known ?? State(identity: .random())
        change(&next)
        if next != known { try await store.save(Self.encode(next)) }
        state = next
    }

    // MARK: Encoding

    private static let version: Int64 = 1

    private static func encode(_ state: State) -> [UInt8] {
        let entries = state.entries.map { entry in
            var object: JSONObject = [
                "id": .string(entry.pairing.deviceID.description),
                "key": .string(Base64.encode(entry.pairing.publicKey)),
            ]
            if let endpoint = entry.endpoint {
                object["address"] = .string(Base64.encode(endpoint.address))
                object["scope"] = .integer(Int64(endpoint.scope))
                object["port"] = .integer(Int64(endpoint.port))
            }
            return JSONValue.object(object)
        }
        let root: JSONValue = [
            "version": .integer(version), "controller": .string(Base64.encode(state.identity.controller.bytes)),
            "seed": .string(Base64.encode(state.identity.longTermKey.seed.copy)), "accessories": .array(entries),
        ]
        return root.encoded
    }

    private static func decode(_ bytes: [UInt8]) throws -> State {
        guard let root = try? JSONValue(parsing: bytes, maximumLength: bytes.count),
            root["version"]?.int == Int(version),
            let controller = root["controller"]?.string.flatMap(Base64.decode).flatMap({ ControllerID($0) }),
            let seed = root["seed"]?.string.flatMap(Base64.decode),
            let key = try? Ed25519KeyPair(seed: SecretBytes(seed)),
            let accessories = root["accessories"]?.array
        else { throw Damaged() }
        return State(
            identity: ControllerIdentity(controller: controller, longTermKey: key),
            entries: try accessories.map { entry in
                guard let id = entry["id"]?.string.flatMap({ DeviceID($0) }),
                    let publicKey = entry["key"]?.string.flatMap(Base64.decode),
                    publicKey.count == Ed25519.publicKeyLength
                else { throw Damaged() }
                return Entry(
                    pairing: AccessoryPairing(deviceID: id, publicKey: publicKey), endpoint: endpoint(of: entry))
            })
    }

    private static func endpoint(of entry: JSONValue) -> AccessoryEndpoint? {
        guard let address = entry["address"]?.string.flatMap(Base64.decode),
            let scope = entry["scope"]?.unsignedInteger.flatMap({ UInt32(exactly: $0) }),
            let port = entry["port"]?.unsignedInteger.flatMap({ UInt16(exactly: $0) })
        else { return nil }
        return AccessoryEndpoint(address: address, scope: scope, port: port)
    }
}
