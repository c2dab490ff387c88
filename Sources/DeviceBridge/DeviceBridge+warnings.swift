internal import DeviceKit
internal import HAPModel
internal import Logging

/// What a warning is about; a newer one about the same replaces the older.
enum WarningSubject: Hashable {
    /// A driver as a whole.
    case driver(String)
    /// Something that a driver names in its own words.
    case source(String, of: String)
    case light(LightKey)

    /// The driver that the warning goes with.
    var driver: String {
        switch self {
        case .driver(let driver), .source(_, let driver): driver
        case .light(let key): key.driver
        }
    }

    /// What the warnings are sorted by, and the log's field `subject`.
    fileprivate var name: String {
        switch self {
        case .driver(let driver): driver
        case .source(let subject, let driver): "\(driver): \(subject)"
        case .light(let key): key.description
        }
    }
}

/// Something that the operator should know.
package struct LightWarning: Equatable, Sendable {
    /// One sentence.
    package let text: String
    /// The driver's id.
    package let driver: String
    /// The light, if it is about one.
    package let light: LightKey?
}

// What the operator should know.
extension DeviceBridge {
    /// The most warnings that are kept; drivers warn of what devices announce.
    private static let maximumWarnings = 1000

    /// What the operator should know.
    package func warnings() -> [LightWarning] {
        var warnings = warningsBySubject.sorted { $0.key.name < $1.key.name }.map { subject, text in
            LightWarning(text: text, driver: subject.driver, light: light(of: subject))
        }
        for light in snapshots() where light.sourceName != light.name {
            let wanted = overrides[light.key]?.name ?? light.sourceName
            guard wanted != light.name else { continue }
            warnings.append(
                LightWarning(
                    text: "\(light.key): shown as \"\(light.name)\", not \"\(wanted)\"", driver: light.key.driver,
                    light: light.key))
        }
        for light in lights.values.sorted(by: { $0.aid < $1.aid }) where overrides[light.key]?.transition != nil {
            guard !light.adapter.description.fades else { continue }
            warnings.append(
                LightWarning(
                    text: "\(light.key): cannot be told how long to fade; transition has no effect",
                    driver: light.key.driver, light: light.key))
        }
        for driver in Set(lights.keys.map(\.driver)).subtracting(configuredDrivers.map(\.id)).sorted() {
            warnings.append(
                LightWarning(
                    text: "no driver \(driver) is configured; its lights stay, out of reach, "
                        + "until lamplighter lights purge takes them away",
                    driver: driver, light: nil))
        }
        return warnings
    }

    /// The light that a warning is about; a driver names one by its id.
    private func light(of subject: WarningSubject) -> LightKey? {
        switch subject {
        case .light(let key): return key
        case .source(let name, let driver):
            let key = LightKey(driver: driver, light: LightID(name))
            return lights[key] == nil ? nil : key
        case .driver: return nil
        }
    }

    /// Warns of something, or takes the warning about it back.
    func warn(_ warning: String?, about subject: WarningSubject) {
        guard warningsBySubject[subject] != warning else { return }
        guard let warning, warningsBySubject.count < Self.maximumWarnings else {
            warningsBySubject[subject] = nil
            return
        }
        warningsBySubject[subject] = warning
        var metadata: Logger.Metadata = ["driver": "\(subject.driver)"]
        if case .light(let key) = subject { metadata = about(key) }
        metadata["subject"] = "\(subject.name)"
        metadata["warning"] = "\(warning)"
        logger.warning("warning raised", metadata: metadata)
    }

    func withdrawWarnings(of driver: String) {
        warningsBySubject = warningsBySubject.filter { $0.key.driver != driver }
    }
}
