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
}

extension OfferedDriver {
    package static func entry(for values: JSONObject) -> JSONObject { values }
}
