import BridgeControl
import Texts

/// A warning of the bridge with its remedy, and a link to the form or the part of a page that helps.
struct BridgeWarningView {
    let warning: BridgeWarning
    /// The names of devices by key.
    var names: [String: String] = [:]
    /// Whether the driver is named, because the warning isn't shown with it.
    var namesDriver = true

    /// The template values.
    var values: Templates.Values {
        var values: Templates.Values = ["text": text]
        if let remedy = warning.code.remedy { values["remedy"] = remedy }
        if let link { values["link"] = ["path": link.path, "name": link.name] as Templates.Values }
        return values
    }

    private var text: String {
        let subject = warning.subject
        guard let name = subject.light.map({ names[$0] ?? $0 }) ?? (namesDriver ? subject.driver : nil),
            !warning.message.contains(name)
        else { return warning.message }
        return "\(name): \(warning.message)"
    }

    private var link: (path: String, name: String)? {
        if warning.code == .unpairedBridge { return ("/bridge", localized("Show its setup code")) }
        if let light = warning.subject.light {
            guard let name = names[light] else { return nil }
            return ("/bridge/devices" + Query(["key": light]).text, localized("Rename or hide \(name)"))
        }
        guard namesDriver, let driver = warning.subject.driver else { return nil }
        return ("/bridge#\(Self.part(ofDriver: driver))", localized("Show \(driver)"))
    }

    /// The ID of a driver's section on the page of the bridge.
    static func part(ofDriver id: String) -> String { "driver-" + id.formEncoded }
}
