import BoundedJSON
import BridgeControl
import LightDrivers

extension FoundLights {
    /// Creates the listing of a search's results, compared with the configured drivers.
    init(_ outcome: LightSearch.Outcome, configured drivers: [DriverEntry]) {
        self.init(found: [], entries: [], problems: outcome.failures.map(\.text))
        for source in outcome.sources {
            let (state, entry) = Self.compare(source, with: drivers)
            found.append(
                Source(
                    driver: source.driver, name: source.name, address: source.address, detail: source.detail,
                    state: state))
            if let entry { add(entry) }
        }
        giveIDs(taken: Set(drivers.map(\.id)))
        for index in entries.indices {
            let fields = entries[index].keys.secretFields
            if !fields.isEmpty { entries[index].secrets = fields }
        }
    }

    private static func compare(_ source: LightSource, with drivers: [DriverEntry]) -> (Source.State, Entry?) {
        guard let keys = source.entry else { return (.unsupported, nil) }
        var addition: Entry?
        for driver in drivers {
            // A driver that can't report its coverage is assumed to provide all lights of its system.
            let covering = driver.configuration as? any CoveringDriver
            switch covering?.coverage(of: source) ?? (driver.driver == source.driver ? .complete : .none) {
            case .complete: return (.configured, nil)
            case .missing(let keys): addition = addition ?? Entry(id: driver.id, keys: .object(keys))
            case .none: break
            }
        }
        guard let addition else { return (.new, Entry(id: nil, keys: .object(keys))) }
        return (.incomplete, addition)
    }

    /// Merges an entry into a compatible existing entry, or appends it if there is none.
    private mutating func add(_ entry: Entry) {
        for index in entries.indices where entries[index].id == entry.id {
            guard let merged = entries[index].keys.merged(with: entry.keys) else { continue }
            entries[index].keys = merged
            return
        }
        entries.append(entry)
    }

    /// Assigns an ID to each new entry whose default ID is already in use.
    ///
    /// The default ID is the driver's name.
    private mutating func giveIDs(taken: Set<String>) {
        var taken = taken
        for index in entries.indices where entries[index].id == nil {
            guard var keys = entries[index].keys.object, let driver = keys["driver"]?.string else { continue }
            guard !taken.insert(driver).inserted else { continue }
            var number = 2
            while !taken.insert("\(driver)-\(number)").inserted { number += 1 }
            keys["id"] = .string("\(driver)-\(number)")
            entries[index].keys = .object(keys)
        }
    }
}

extension JSONValue {
    /// The secrets that devices need, by the paths of their files.
    fileprivate var secretFields: [DriverOffer.Field] {
        (object?.members ?? []).flatMap { device -> [DriverOffer.Field] in
            guard let path = device.value["key-file"]?.string else { return device.value.secretFields }
            return [
                DriverOffer.Field(
                    name: path, label: "Encryption key of \(device.name)", kind: .secret,
                    help: "The value of api: encryption: key: in the device's configuration.")
            ]
        }
    }

    /// Returns a value that combines both values, or `nil` if they are incompatible.
    fileprivate func merged(with other: JSONValue) -> JSONValue? {
        switch (self, other) {
        case (.object(var object), .object(let other)):
            for member in other.members {
                guard let own = object[member.name] else {
                    object[member.name] = member.value
                    continue
                }
                guard let merged = own.merged(with: member.value) else { return nil }
                object[member.name] = merged
            }
            return .object(object)
        case (.array(let own), .array(let other)): return .array(own + other.filter { !own.contains($0) })
        default: return self == other ? self : nil
        }
    }
}
