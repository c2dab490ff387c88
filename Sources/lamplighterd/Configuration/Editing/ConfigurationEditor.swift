import BoundedJSON
import BridgeControl
import DeviceBridge
import DeviceKit
import Glibc
import LightDrivers
import Logging
import SystemKit
import TerminalKit
import YAMLKit

/// Changes the configuration file for the operator.
///
/// A change is proposed first, which checks it and shows its difference. Applying it writes the file, if it is still the
/// one that the proposal was made from, and reloads it. The text is edited, so comments and layout stay.
actor ConfigurationEditor {
    private struct Proposal {
        let token: String
        let old, new: [UInt8]
        let secrets: [ConfigurationPlan.Secret]
        let change: String
        let expiry: ContinuousClock.Instant
    }

    /// The maximum number of proposals.
    ///
    /// A new one replaces the oldest.
    private static let maximumProposals = 8
    private static let lifetime = Duration.seconds(600)

    private let store: ConfigurationStore
    private let instance: String
    private let reload: @Sendable () async throws -> ReloadListing
    private var proposals: [Proposal] = []
    private var found: FoundLights?

    init(path: String, instance: String, reload: @escaping @Sendable () async throws -> ReloadListing) {
        store = ConfigurationStore(path: path, stateDirectory: instance)
        self.instance = instance
        self.reload = reload
    }

    /// Keeps the result of a search, whose entries can be added.
    func keep(_ found: FoundLights) { self.found = found }

    /// Returns what can be changed.
    func listing() throws -> ConfigurationListing {
        let current = try load()
        let hidden = current.configuration.lights.filter(\.value.hidden).map { key, section in
            ConfigurationListing.HiddenDevice(key: key.description, name: section.name?.valid)
        }
        return ConfigurationListing(
            file: store.path, offers: DriverCatalog.offered.map { DriverOffer($0) }, systems: systems(in: current),
            hidden: hidden.sorted { $0.key < $1.key }, undo: store.record?.change,
            isUndoOfPage: store.record.map { $0.isByPage == true })
    }

    /// Checks a change.
    ///
    /// - Parameters:
    ///   - change: The change.
    ///   - devices: The keys of the devices that the bridge knows.
    ///   - isByPage: Whether the web page asks, which can't remove plugins.
    /// - Returns: The change of the file, and the token to apply it.
    /// - Throws: ``BridgeControlError``, or an error in the current file.
    func propose(
        _ change: ConfigurationChange, devices: [LightKey], isByPage: Bool = false
    ) throws -> ConfigurationProposal {
        let current = try load()
        if isByPage, case .removeDriver(let id) = change,
            let entry = current.configuration.drivers.first(where: { $0.id == id }),
            DriverCatalog.offer(of: entry.driver) == nil
        {
            throw BridgeControlError.noPermission(
                "the page can't remove a \(entry.driver) driver",
                remedy: "run \(ShellCommand.lamplighter) drivers remove \(id)")
        }
        let plan = try ConfigurationPlanner(
            configuration: current.configuration, values: current.values, directory: store.directory, devices: devices,
            found: found, exists: { access($0, F_OK) == 0 }
        ).plan(change)
        if isByPage, plan.sendsSecretElsewhere {
            throw BridgeControlError.usage(
                "the address changes, but the password is the former one", remedy: "enter it again")
        }
        let text = try edited(current.text, plan.edits)
        let bytes = Array(text.utf8)
        try check(bytes, plan)
        let before = Set(try StrictYAML.missingFiles(in: current.bytes, file: store.path).map(\.text))
        let planned = Set(plan.secrets.map { "the file \($0.path) doesn't exist" })
        let missing = try StrictYAML.missingFiles(in: bytes, file: store.path).map(\.text)
            .filter { !before.contains($0) && !planned.contains($0) }
        // The settings of programs may contain secrets under any name.
        func shown(_ text: String) throws -> String {
            try StrictYAML.withoutSecrets(text, file: store.path, opaque: ("driver", "plugin"))
        }
        let diff = try UnifiedDiff.text(
            from: current.text, to: text, shown: (old: shown(current.text), new: shown(text)))
        guard !diff.isEmpty else { throw BridgeControlError.usage("this changes nothing") }

        let proposal = Proposal(
            token: String(UInt128.random(in: 0 ... .max), radix: 36), old: current.bytes, new: bytes,
            secrets: plan.secrets, change: change.description, expiry: .now + Self.lifetime)
        proposals.removeAll { $0.expiry < .now }
        if proposals.count == Self.maximumProposals { proposals.removeFirst() }
        proposals.append(proposal)
        return ConfigurationProposal(
            token: proposal.token, file: store.path, diff: diff,
            warnings: plan.warnings + missing.map { $0.sentence }, secretFiles: plan.secrets.map(\.path))
    }

    /// Writes the file of a proposal and reloads it.
    ///
    /// `isByPage` is `true` if the web page asks, which can undo only its own changes.
    func apply(_ token: String, isByPage: Bool = false) async throws -> ReloadListing {
        guard let index = proposals.firstIndex(where: { $0.token == token && $0.expiry >= .now }) else {
            throw BridgeControlError(code: 75, message: "the change was shown too long ago", remedy: "try again")
        }
        let proposal = proposals.remove(at: index)
        guard try store.read() == proposal.old else { throw ConfigurationStore.changed(store.path) }
        try store.replace(
            proposal.old, with: proposal.new, secrets: proposal.secrets, change: proposal.change, isByPage: isByPage)
        return try await reload()
    }

    /// Restores the file before the last change and reloads it.
    ///
    /// `isByPage` is `true` if the web page asks.
    func undo(isByPage: Bool = false) async throws -> ReloadListing {
        if isByPage, let record = store.record, record.isByPage != true {
            throw BridgeControlError.noPermission(
                "the page can undo only its own changes, and the last one was made with a command",
                remedy: "run \(ShellCommand.lamplighter) drivers undo")
        }
        let kept = try store.undo()
        var listing = try await reload()
        if !kept.isEmpty { listing.keptFiles = kept }
        return listing
    }

    // MARK: Parts

    private struct Current {
        let bytes: [UInt8]
        let text: String
        let configuration: BridgeConfiguration
        let values: JSONValue
    }

    private func systems(in current: Current) -> [ConfigurationListing.System] {
        let entries = current.values["drivers"]?.array ?? []
        return current.configuration.drivers.enumerated().compactMap { index, driver in
            guard let type = DriverCatalog.offer(of: driver.driver) else { return nil }
            let entry = index < entries.count ? entries[index].object : nil
            return ConfigurationListing.System(
                id: driver.id, driver: driver.driver, values: entry.flatMap { type.typedValues(of: $0) })
        }
    }

    private func load() throws -> Current {
        let bytes = try store.read()
        let configuration = try BridgeConfiguration.read(
            bytes, file: store.path, drivers: DriverCatalog.drivers, instance: instance)
        let values = try StrictYAML.decode(AnyValue.self, from: bytes, file: store.path).value
        return Current(
            bytes: bytes, text: String(decoding: bytes, as: UTF8.self), configuration: configuration, values: values)
    }

    private func edited(_ text: String, _ edits: [YAMLEdit]) throws -> String {
        do {
            return try StrictYAML.edited(text, edits, file: store.path)
        } catch let error as YAMLEditError {
            throw BridgeControlError(
                code: 65, message: "\(store.path):\(error.line): can't be changed here: \(error.problem)",
                remedy: "edit the file yourself")
        }
    }

    /// Checks the text as a start of the daemon does.
    private func check(_ bytes: [UInt8], _ plan: ConfigurationPlan) throws {
        do {
            _ = try BridgeConfiguration.read(
                bytes, file: store.path, drivers: DriverCatalog.drivers, instance: instance)
        } catch let error as ConfigurationError {
            // The position is one in the new text, which nobody has seen.
            let key =
                error.keyPath.split { ".[".contains($0) }.map(String.init).last { Int($0.dropLast()) == nil } ?? ""
            let subject = plan.labels[key] ?? error.keyPath
            throw BridgeControlError.usage("\(subject): \(error.problem)".sanitized, remedy: error.remedy.sanitized)
        }
    }
}

/// Any value of a configuration file.
private struct AnyValue: Decodable {
    let value: JSONValue

    init(from decoder: any Decoder) throws { value = try JSONValue(from: decoder) }
}

extension DriverOffer {
    init(_ driver: any OfferedDriver.Type) {
        let form = driver.form
        self.init(
            driver: driver.driverName, title: form.title, about: form.about,
            fields: form.fields.map { field in
                let kind: Field.Kind =
                    switch field.kind {
                    case .text: .text
                    case .list: .list
                    case .flag: .flag
                    case .secret: .secret
                    }
                return Field(
                    name: field.key, label: field.label, kind: kind, isRequired: field.isRequired,
                    example: field.example, help: field.help)
            })
    }
}
