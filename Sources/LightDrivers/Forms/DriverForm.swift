package import BoundedJSON
package import DeviceKit

/// The values that a person enters to add a driver to the configuration.
package struct DriverForm: Equatable, Sendable {
    /// A value, which becomes a key of the driver's entry.
    package struct Field: Equatable, Sendable {
        package enum Kind: Equatable, Sendable {
            case text
            /// Several texts, separated by commas or spaces.
            case list
            /// A choice between yes and no; the default is no.
            case flag
            /// A secret, such as a password. The key's value is the path of a file with it, whose name ends in
            /// `suffix`.
            case secret(suffix: String)
        }

        package var key: String
        package var label: String
        package var kind: Kind
        package var isRequired: Bool
        package var example: String?
        /// An explanation in one sentence.
        package var help: String?

        package init(
            _ key: String, _ label: String, _ kind: Kind = .text, isRequired: Bool = false, example: String? = nil,
            help: String? = nil
        ) {
            self.key = key
            self.label = label
            self.kind = kind
            self.isRequired = isRequired
            self.example = example
            self.help = help
        }
    }

    /// The name of the light system.
    package var title: String
    /// What the driver adds, and what to do before.
    package var about: String
    package var fields: [Field]

    /// The labels of the fields, by key.
    package var labels: [String: String] { Dictionary(fields.map { ($0.key, $0.label) }) { first, _ in first } }

    package init(_ title: String, _ about: String, _ fields: [Field]) {
        self.title = title
        self.about = about
        self.fields = fields
    }
}

/// A driver that people can add without editing the configuration file.
///
/// The driver for plugins isn't one, because its configuration names a program to run.
package protocol OfferedDriver: LightDriverConfiguration {
    static var form: DriverForm { get }

    /// Returns the keys of the driver's entry for the values of the form's fields.
    static func entry(for values: JSONObject) -> JSONObject

    /// Returns the values of the form's fields for the keys of the driver's entry.
    ///
    /// It is the inverse of ``entry(for:)``. Other keys stay in the result.
    static func formValues(of keys: JSONObject) -> JSONObject
}

extension OfferedDriver {
    package static func entry(for values: JSONObject) -> JSONObject { values }
    package static func formValues(of keys: JSONObject) -> JSONObject { keys }

    /// Returns the values of the form's fields for an entry of the configuration, or `nil` if the entry has settings
    /// that the form doesn't have.
    package static func values(of entry: JSONObject) -> JSONObject? {
        var keys = entry
        for key in ["driver", "id"] { keys[key] = nil }
        let values = formValues(of: keys)
        let isComplete = values.members.allSatisfy { member in
            switch form.fields.first(where: { $0.key == member.name })?.kind {
            case .text?, .secret?: member.value.string != nil
            case .list?: member.value.array?.allSatisfy { $0.string != nil } == true
            case .flag?: member.value.bool != nil
            case nil: false
            }
        }
        return isComplete ? values : nil
    }

    /// Returns the values of an entry as a person types them, without secrets, or `nil` if the entry has settings that
    /// the form doesn't have.
    package static func typedValues(of entry: JSONObject) -> [String: String]? {
        guard let values = values(of: entry) else { return nil }
        var typed: [String: String] = [:]
        for field in form.fields {
            switch field.kind {
            case .text: typed[field.key] = values[field.key]?.string
            case .list: typed[field.key] = values[field.key]?.array?.compactMap(\.string).joined(separator: ", ")
            case .flag: typed[field.key] = values[field.key]?.bool == true ? "true" : nil
            case .secret: break
            }
        }
        return typed
    }
}
