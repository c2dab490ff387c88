import BoundedJSON
import BridgeControl
import DeviceBridge
import DeviceKit
import LightDrivers
import SystemKit
import TerminalKit
import YAMLKit

/// A change of the configuration as edits of the file's text.
struct ConfigurationPlan {
    /// A secret and the file that it will be stored in.
    struct Secret {
        let path: String
        let text: String
    }

    var edits: [YAMLEdit] = []
    var secrets: [Secret] = []
    /// Sentences about the consequences.
    var warnings: [String] = []
    /// Whether a stored secret would be sent to a new address.
    var sendsSecretElsewhere = false
    /// The labels of the fields, by key, for errors about their values.
    var labels: [String: String] = [:]
}

/// The facts from which a plan is made.
struct ConfigurationPlanner {
    /// The configuration in the file.
    let configuration: BridgeConfiguration
    /// The values in the file.
    let values: JSONValue
    /// The directory for files with secrets.
    let directory: String
    /// The keys of the devices that the bridge knows.
    let devices: [LightKey]
    /// The result of the last search.
    let found: FoundLights?
    /// Returns whether a file exists.
    let exists: (String) -> Bool

    private static let longestValue = 1024

    func plan(_ change: ConfigurationChange) throws(BridgeControlError) -> ConfigurationPlan {
        switch change {
        case .addDriver(let driver, let id, let values): return try adding(driver, id, values)
        case .addFound(let entry, let values): return try adding(entry, values)
        case .changeDriver(let id, let values): return try changing(id, values)
        case .removeDriver(let id): return try removing(id)
        case .renameDevice(let key, let name):
            try check(key)
            let path: [YAMLEdit.Step] = [.key("lights"), .key(key)]
            guard let name else {
                guard settings(of: key)?["name"] != nil else {
                    throw .usage("\(key) has no name in the configuration")
                }
                return ConfigurationPlan(edits: [removing("name", from: key)])
            }
            guard !name.trimmed.isEmpty else { throw .usage("the name is empty", remedy: "write a name") }
            return ConfigurationPlan(
                edits: [.set(path + [.key("name")], .string(name.trimmed))], labels: ["name": "the name"])
        case .hideDevice(let key):
            try check(key)
            return ConfigurationPlan(edits: [.set([.key("lights"), .key(key), .key("hidden")], true)])
        case .showDevice(let key):
            guard let light = LightKey(key), configuration.lights[light]?.hidden == true else {
                throw .usage("\(key.prefix(64)) isn't hidden")
            }
            return ConfigurationPlan(edits: [removing("hidden", from: key)])
        case .showKinds(let kinds): return showing(kinds)
        }
    }

    // MARK: Drivers

    private func adding(
        _ driver: String, _ id: String?, _ typed: [String: String]
    ) throws(BridgeControlError) -> ConfigurationPlan {
        guard let type = DriverCatalog.offer(of: driver) else {
            let names = DriverCatalog.offered.map { $0.driverName }
            if DriverCatalog.drivers.contains(where: { $0.driverName == driver }) {
                throw .usage("\(driver) can't be added this way", remedy: "write it into the configuration file")
            }
            throw .usage(
                "there is no driver \(driver.prefix(64))",
                remedy: driver.nearest(in: names).map { "did you mean \($0)?" }
                    ?? "write one of \(names.joined(separator: ", "))")
        }
        let form = type.form
        // A second driver without an address would only find the devices of the first one again.
        let isOnlyOne = id == nil && !form.fields.contains(where: \.isRequired)
        let existing = isOnlyOne ? configuration.drivers.firstIndex { $0.driver == driver } : nil
        let newID = id ?? freeID(driver)
        var plan = ConfigurationPlan(labels: form.labels)
        let owner = existing.map { configuration.drivers[$0].id } ?? newID
        let keys = type.entry(for: try planned(typed, of: type, owner, &plan))
        if let existing {
            plan.edits = merging(
                keys, at: [.key("drivers"), .index(existing)], self.values["drivers"]?.array?[existing])
            guard !plan.edits.isEmpty else {
                throw .usage("\(driver) is already configured, and finds its devices itself")
            }
            return plan
        }
        var entry: JSONObject = ["driver": .string(driver)]
        if newID != driver { entry["id"] = .string(newID) }
        for member in keys.members { entry[member.name] = member.value }
        plan.edits = [.append([.key("drivers")], .object(entry))]
        return plan
    }

    /// Returns the values of a form's fields, and plans the files of its secrets.
    private func planned(
        _ typed: [String: String], of type: any OfferedDriver.Type, _ owner: String, _ plan: inout ConfigurationPlan
    ) throws(BridgeControlError) -> JSONObject {
        let fields = type.form.fields
        if let unknown = typed.keys.sorted().first(where: { key in !fields.contains { $0.key == key } }) {
            let names = fields.map(\.key)
            throw .usage(
                "\(type.driverName) has no value \(unknown.prefix(64))",
                remedy: unknown.nearest(in: names).map { "did you mean \($0)?" }
                    ?? "write one of \(names.joined(separator: ", "))")
        }
        var values: JSONObject = [:]
        for field in fields {
            let text = (typed[field.key] ?? "").trimmed
            guard !text.isEmpty else {
                if field.isRequired { throw .usage("\(field.label) is missing", remedy: "enter a value") }
                continue
            }
            try check(text, of: field.label)
            switch field.kind {
            case .text: values[field.key] = .string(text)
            case .list:
                let items = text.split { $0 == "," || $0.isWhitespace }
                values[field.key] = .array(items.map { .string(String($0)) })
            case .flag: if ["true", "yes", "1", "on"].contains(text.lowercased()) { values[field.key] = true }
            case .secret(let suffix):
                let path = freePath(owner, suffix, plan.secrets)
                plan.secrets.append(ConfigurationPlan.Secret(path: path, text: text))
                values[field.key] = .string(path)
            }
        }
        return values
    }

    private func changing(
        _ id: String, _ typed: [String: String]
    ) throws(BridgeControlError) -> ConfigurationPlan {
        let index = try index(of: id)
        let entry = values["drivers"]?.array?[index].object ?? [:]
        guard let type = DriverCatalog.offer(of: configuration.drivers[index].driver), let old = type.values(of: entry)
        else {
            throw .usage("\(id) has settings that the form doesn't have", remedy: "edit the configuration file")
        }
        var plan = ConfigurationPlan(labels: type.form.labels)
        var new = try planned(typed, of: type, id, &plan)
        for field in type.form.fields {
            guard case .secret = field.kind, let path = old[field.key] else { continue }
            if new[field.key] == nil {
                new[field.key] = path
                plan.sendsSecretElsewhere = ["url", "host", "hosts"].contains { new[$0] != old[$0] }
            } else if let path = path.string {
                plan.warnings.append("The former secret stays in \(path), so that you can undo this change.")
            }
        }
        let path: [YAMLEdit.Step] = [.key("drivers"), .index(index)]
        let keys = type.entry(for: new)
        for member in entry.members where !["driver", "id"].contains(member.name) && keys[member.name] == nil {
            plan.edits.append(.remove(path + [.key(member.name)]))
        }
        for member in keys.members {
            plan.edits += replacing(entry[member.name], with: member.value, at: path + [.key(member.name)])
        }
        return plan
    }

    /// Returns the edits that replace a value, and keep the equal elements of a list with their comments.
    private func replacing(_ old: JSONValue?, with new: JSONValue, at path: [YAMLEdit.Step]) -> [YAMLEdit] {
        guard old != new else { return [] }
        guard let former = old?.array, let elements = new.array, former.contains(where: elements.contains) else {
            return [.set(path, new)]
        }
        let gone = former.indices.reversed().filter { !elements.contains(former[$0]) }
        return gone.map { .remove(path + [.index($0)]) }
            + elements.filter { !former.contains($0) }.map { .append(path, $0) }
    }

    private func adding(
        _ entry: FoundLights.Entry, _ typed: [String: String]
    ) throws(BridgeControlError) -> ConfigurationPlan {
        guard let entry = found?.entries.first(where: { $0.id == entry.id && $0.keys == entry.keys }) else {
            throw .usage("the last search didn't find this", remedy: "search again")
        }
        var plan = ConfigurationPlan()
        var keys = entry.keys
        for field in entry.secrets ?? [] {
            guard let text = typed[field.name]?.trimmed, !text.isEmpty else { continue }
            try check(text, of: field.label)
            let file = field.name.split(separator: "/").last.map(String.init) ?? "device.key"
            let dot = file.lastIndex(of: ".") ?? file.endIndex
            let path = freePath(String(file[..<dot]), String(file[dot...].dropFirst()), plan.secrets)
            plan.secrets.append(ConfigurationPlan.Secret(path: path, text: text))
            keys = keys.replacing(field.name, with: path)
        }
        guard let object = keys.object else { return plan }
        if let id = entry.id {
            guard let index = configuration.drivers.firstIndex(where: { $0.id == id }) else {
                throw .usage("there is no driver \(id)", remedy: "search again")
            }
            plan.edits = merging(object, at: [.key("drivers"), .index(index)], values["drivers"]?.array?[index])
        } else {
            plan.edits = [.append([.key("drivers")], keys)]
        }
        return plan
    }

    private func index(of id: String) throws(BridgeControlError) -> Int {
        if let index = configuration.drivers.firstIndex(where: { $0.id == id }) { return index }
        let ids = configuration.drivers.map(\.id)
        throw .usage(
            "there is no driver \(id.prefix(64))",
            remedy: id.nearest(in: ids).map { "did you mean \($0)?" }
                ?? (ids.isEmpty ? "none is configured" : "write one of \(ids.joined(separator: ", "))"))
    }

    private func removing(_ id: String) throws(BridgeControlError) -> ConfigurationPlan {
        var plan = ConfigurationPlan(edits: [.remove([.key("drivers"), .index(try index(of: id))])])
        for member in values["lights"]?.object?.members ?? [] where member.name.hasPrefix("\(id)/") {
            plan.edits.append(.remove([.key("lights"), .key(member.name)]))
        }
        let count = devices.count { $0.driver == id }
        if count > 0 {
            plan.warnings.append(
                "\(count.of("device")) of \(id) will be unreachable, and "
                    + "\(count == 1 ? "keeps its room and its" : "keep their rooms and") scenes in case the driver returns. "
                    + "To remove \(count == 1 ? "it" : "them") from the home: \(ShellCommand.lamplighter) devices purge."
            )
        }
        return plan
    }

    /// Returns the edits that add keys to an entry: further elements of lists, and other values.
    private func merging(_ keys: JSONObject, at path: [YAMLEdit.Step], _ old: JSONValue?) -> [YAMLEdit] {
        keys.members.flatMap { member -> [YAMLEdit] in
            let inner = path + [.key(member.name)]
            let former = old?[member.name]
            switch member.value {
            case .object(let object): return merging(object, at: inner, former)
            case .array(let elements):
                return elements.filter { former?.array?.contains($0) != true }.map { .append(inner, $0) }
            case let value: return value == former ? [] : [.set(inner, value)]
            }
        }
    }

    private func freeID(_ driver: String) -> String {
        let taken = Set(configuration.drivers.map(\.id))
        guard taken.contains(driver) else { return driver }
        return (2...).lazy.map { "\(driver)-\($0)" }.first { !taken.contains($0) } ?? driver
    }

    private func freePath(_ name: String, _ suffix: String, _ planned: [ConfigurationPlan.Secret]) -> String {
        let paths = ([name] + (2...99).map { "\(name)-\($0)" }).map { "\(directory)/\($0).\(suffix)" }
        return paths.first { path in !exists(path) && !planned.contains { $0.path == path } } ?? paths[0]
    }

    private func check(_ text: String, of label: String) throws(BridgeControlError) {
        guard text.utf8.count <= Self.longestValue,
            !text.unicodeScalars.contains(where: { $0.properties.generalCategory == .control })
        else { throw .usage("\(label) is too long or has control characters") }
    }

    // MARK: Devices

    private func settings(of key: String) -> JSONObject? { values["lights"]?[key]?.object }

    private func check(_ key: String) throws(BridgeControlError) {
        guard let light = LightKey(key), devices.contains(light) || configuration.lights[light] != nil else {
            throw .usage(
                "there is no device \(key.prefix(64))", remedy: "\(ShellCommand.lamplighter) devices lists them")
        }
        guard configuration.drivers.contains(where: { $0.id == light.driver }) else {
            throw .usage(
                "the driver of \(key) is no longer configured",
                remedy: "to remove it: \(ShellCommand.lamplighter) devices purge")
        }
    }

    /// Returns the edit that removes a setting of a device, or all its settings if it is the only one.
    private func removing(_ setting: String, from key: String) -> YAMLEdit {
        let path: [YAMLEdit.Step] = [.key("lights"), .key(key)]
        return .remove(settings(of: key)?.members.count == 1 ? path : path + [.key(setting)])
    }

    private func showing(_ kinds: [String]) -> ConfigurationPlan {
        if let list = values["include"]?.array {
            let new = kinds.filter { !list.contains(.string($0)) }
            return ConfigurationPlan(edits: new.map { .append([.key("include")], .string($0)) })
        }
        let names = Set(kinds).union(configuration.include.kinds.map(\.plural))
        let known = LightKind.allCases.map(\.plural)
        let list = known.filter(names.contains) + names.subtracting(known).sorted()
        return ConfigurationPlan(edits: [.set([.key("include")], .array(list.map(JSONValue.string)))])
    }
}

extension JSONValue {
    /// Returns the value with a text replaced by another.
    fileprivate func replacing(_ old: String, with new: String) -> JSONValue {
        switch self {
        case .string(old): return .string(new)
        case .object(let object):
            var changed: JSONObject = [:]
            for member in object.members { changed[member.name] = member.value.replacing(old, with: new) }
            return .object(changed)
        case .array(let elements): return .array(elements.map { $0.replacing(old, with: new) })
        default: return self
        }
    }
}

extension String {
    fileprivate var trimmed: String {
        var text = self[...]
        while text.first?.isWhitespace == true { text = text.dropFirst() }
        while text.last?.isWhitespace == true { text = text.dropLast() }
        return String(text)
    }
}
