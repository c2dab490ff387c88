import AsyncKit
import BoundedJSON
import HAPController
import HAPModel
import HAPProtocol
import HAPTesting
import HAPTransport
import Logging
import NIOPosix

/// The probe's commands.
actor Commands {
    /// An error for an invalid command or a timeout.
    struct Failure: Error, CustomStringConvertible { let description: String }

    private let browser: AccessoryServerBrowser
    private let vault = InMemoryPairingVault()
    private let dialer = TCPDialer(MultiThreadedEventLoopGroup.singleton)
    private let timing: ControllerTiming
    private let logger: Logger
    /// The characteristics whose values the link must report.
    private var desired: Set<CharacteristicID> = []
    private var link: AccessoryLink?
    private var database: AccessoryDatabase?
    private let links = AsyncStream.makeStream(of: AccessoryLink.self)

    init(browser: AccessoryServerBrowser, logger: Logger) {
        self.browser = browser
        self.logger = logger
        var timing = ControllerTiming()
        timing.request = .seconds(5)
        timing.reconnect.longest = .seconds(2)
        self.timing = timing
    }

    // MARK: The link

    /// Waits until a command has created the link, and runs it.
    func keepLink() async {
        for await link in links.stream {
            await withTaskGroup { group in
                group.addTask { await link.run() }
                for await updates in link.updates { for update in updates { tell(update) } }
            }
        }
    }

    /// Passes the browser's snapshots to the link.
    func follow() async {
        for await look in browser.snapshots() {
            if let link { await link.appeared(look[link.id]) }
        }
    }

    private func tell(_ update: LinkUpdate) {
        switch update {
        case .state(let state): Probe.say(["state": .string("\(state)")])
        case .database(let database, let number):
            self.database = database
            Probe.say(["database": .integer(Int64(database.accessories.count)), "c#": .integer(Int64(number ?? 0))])
        case .values(let values):
            Probe.say(["values": .object(Self.json(values))])
        case .occurrence(let id, let value): Probe.say(["occurrence": .string("\(id)"), "value": value.json])
        }
    }

    // MARK: Commands

    func answer(_ line: String) async -> JSONValue {
        do {
            guard let command = try JSONValue(parsing: line).object else { throw Failure(description: "no object") }
            return ["answer": try await perform(command)]
        } catch {
            return ["error": .string("\(error)")]
        }
    }

    private func perform(_ command: JSONObject) async throws -> JSONValue {
        switch command["do"]?.string {
        case "find":
            let found = try await find(command)
            return [
                "name": .string(found.name), "model": .string(found.model), "paired": .bool(found.isPaired),
                "category": .integer(Int64(found.category.rawValue)), "c#": .integer(Int64(found.configurationNumber)),
                "endpoints": .array(found.endpoints.map { .string("\($0)") }),
            ]
        case "identify":
            guard let aid = command["aid"]?.unsignedInteger else {
                try await setup.identify(try await find(command))
                return true
            }
            return .integer(Int64(try await needLink().identify(AccessoryID(aid)).rawValue))
        case "pair":
            guard let code = command["code"]?.string.flatMap({ SetupCode($0) }) else {
                throw Failure(description: "no setup code")
            }
            let found = try await find(command)
            let added = try await setup.pair(with: found, code: code)
            let link = AccessoryLink(
                added.pairing, as: vault.identity(), dialer: dialer,
                database: (added.database, configurationNumber: added.configurationNumber), timing: timing,
                logger: logger)
            self.link = link
            database = added.database
            links.continuation.yield(link)
            await link.appeared(found)
            return .string("\(vault.identity().controller)")
        case "characteristics":
            return .array(
                (database?.characteristics ?? []).map { id, characteristic in
                    [
                        "id": .string("\(id)"), "type": .string("\(characteristic.type)"),
                        "format": .string(characteristic.metadata.format.rawValue),
                        "perms": .array(characteristic.metadata.permissions.names.map { .string($0) }),
                        "value": characteristic.value?.json ?? .null,
                    ]
                })
        case "subscribe":
            desired.formUnion(try ids(command))
            try await needLink().desire(desired)
            return true
        case "unsubscribe":
            desired.subtract(try ids(command))
            try await needLink().desire(desired)
            return true
        case "read": return .object(Self.json(try await needLink().read(ids(command))))
        case "write":
            let writes = try (command["values"]?.object?.members ?? []).map { member in
                let id = try Self.id(member.name)
                guard let value = database?[id]?.metadata.value(from: member.value) else {
                    throw Failure(description: "unknown characteristic, or invalid value")
                }
                return AccessoryWrite(id, value, wantsResponse: command["response"]?.bool ?? false)
            }
            var outcomes: JSONObject = [:]
            for (id, outcome) in try await needLink().write(writes) {
                outcomes["\(id)"] = [
                    "status": .integer(Int64(outcome.status.rawValue)), "value": outcome.response?.json ?? .null,
                ]
            }
            return .object(outcomes)
        case "pairings":
            guard case .list(let pairings) = try await needLink().pairings(.list) else { return .null }
            return .array(pairings.map { ["id": .string("\($0.controller)"), "admin": .bool($0.isAdmin)] })
        case "unpair":
            let link = try needLink()
            try await link.unpair()
            vault.forget(link.id)
            self.link = nil
            return true
        default: throw Failure(description: "unknown command")
        }
    }

    // MARK: Parts of commands

    private var setup: AccessorySetup {
        AccessorySetup(dialer: dialer, vault: vault, timing: timing, logger: logger)
    }

    private func needLink() throws -> AccessoryLink {
        guard let link else { throw Failure(description: "not paired") }
        return link
    }

    /// Waits until the browser finds a device.
    ///
    /// The command can require a paired or an unpaired device, and restrict it to IPv6 addresses.
    private func find(_ command: JSONObject) async throws -> AdvertisedAccessory {
        guard let id = command["device"]?.string.flatMap({ DeviceID($0) }) else {
            throw Failure(description: "no device id")
        }
        let isPaired = command["paired"]?.bool
        return try await withThrowingTaskGroup(of: AdvertisedAccessory.self) { group in
            group.addTask { [browser] in
                for await look in browser.snapshots() {
                    if let found = look[id], isPaired == nil || isPaired == found.isPaired { return found }
                }
                throw Failure(description: "the browser has ended")
            }
            group.addTask {
                try await Task.sleep(for: .seconds(20))
                throw Failure(description: "not found within 20 s")
            }
            defer { group.cancelAll() }
            guard var found = try await group.next() else { throw Failure(description: "no lookup was made") }
            if command["ipv6"]?.bool == true { found.endpoints.removeAll(where: \.isIPv4) }
            return found
        }
    }

    private func ids(_ command: JSONObject) throws -> [CharacteristicID] {
        try (command["ids"]?.array ?? []).map { try Self.id($0.string ?? "") }
    }

    private static func id(_ text: String) throws -> CharacteristicID {
        guard let id = ReadRequest(query: "id=\(text)")?.ids.first else {
            throw Failure(description: "no characteristic id")
        }
        return id
    }

    private static func json(_ readings: [CharacteristicID: Reading]) -> JSONObject {
        var object: JSONObject = [:]
        for (id, reading) in readings {
            switch reading {
            case .success(let value): object["\(id)"] = value.json
            case .failure(let status): object["\(id)"] = ["status": .integer(Int64(status.rawValue))]
            }
        }
        return object
    }
}
