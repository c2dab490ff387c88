internal import DeviceKit
internal import HAPModel
internal import Logging

/// The subject of a warning.
///
/// A newer warning replaces an older warning with the same subject.
enum WarningSubject: Hashable {
    /// A driver as a whole.
    case driver(String)
    /// A subject that the driver has named, such as a topic or the ID of a light.
    case source(String, of: String)
    case light(LightKey)

    /// The id of the driver that the warning is about.
    var driver: String {
        switch self {
        case .driver(let driver), .source(_, let driver): driver
        case .light(let key): key.driver
        }
    }

    /// The sort key of warnings, also logged as `subject`.
    fileprivate var name: String {
        switch self {
        case .driver(let driver): driver
        case .source(let subject, let driver): "\(driver): \(subject)"
        case .light(let key): key.description
        }
    }
}

/// A warning for the operator.
package struct LightWarning: Equatable, Sendable {
    /// The warning in one sentence.
    package let text: String
    /// The id of the driver that the warning is about.
    package let driver: String
    /// The affected light, if any.
    package let light: LightKey?
}

// Warnings for the operator.
extension DeviceBridge {
    /// The maximum number of warnings.
    ///
    /// The limit is necessary because devices can send any number of values that drivers warn about.
    private static let maximumWarnings = 1000

    /// The current warnings.
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
                    text: "\(light.key) doesn't support fade times; transition has no effect",
                    driver: light.key.driver, light: light.key))
        }
        for driver in Set(lights.keys.map(\.driver)).subtracting(configuredDrivers.map(\.id)).sorted() {
            warnings.append(
                LightWarning(
                    text: "driver \(driver) isn't configured; its lights stay unreachable "
                        + "until you remove them with lamplighter devices purge",
                    driver: driver, light: nil))
        }
        return warnings
    }

    /// Returns the light that a warning is about, or `nil` if it isn't about a single light.
    ///
    /// Drivers use a light's id as the subject.
    private func light(of subject: WarningSubject) -> LightKey? {
        switch subject {
        case .light(let key): return key
        case .source(let name, let driver):
            let key = LightKey(driver: driver, light: LightID(name))
            return lights[key] == nil ? nil : key
        case .driver: return nil
        }
    }

    /// Sets or clears the warning about a subject.
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
