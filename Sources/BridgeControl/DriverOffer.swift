/// A driver that can be added to the configuration, with the values to ask for.
package struct DriverOffer: BridgeMessage {
    /// A value to ask for.
    package struct Field: BridgeMessage {
        /// The kind of a value.
        ///
        /// Newer daemons may use additional kinds. They can be entered as text.
        package struct Kind: RawRepresentable, Codable, Sendable, Equatable {
            package let rawValue: String

            package init(rawValue: String) { self.rawValue = rawValue }

            package static let text = Kind(rawValue: "text")
            /// Several texts, separated by commas or spaces.
            package static let list = Kind(rawValue: "list")
            /// `true` or `false`; the default is `false`.
            package static let flag = Kind(rawValue: "flag")
            /// A secret, which must not be shown or repeated.
            ///
            /// The daemon stores it in a file.
            package static let secret = Kind(rawValue: "secret")
        }

        package var name: String
        package var label: String
        package var kind: Kind
        package var isRequired: Bool
        package var example: String?
        /// An explanation in one sentence.
        package var help: String?

        package init(
            name: String, label: String, kind: Kind, isRequired: Bool = false, example: String? = nil,
            help: String? = nil
        ) {
            self.name = name
            self.label = label
            self.kind = kind
            self.isRequired = isRequired
            self.example = example
            self.help = help
        }

        package enum CodingKeys: String, CodingKey {
            case name, label, kind
            case isRequired = "required"
            case example, help
        }
    }

    /// The driver's name in the configuration.
    package var driver: String
    /// The name of the light system.
    package var title: String
    /// What the driver adds, and what to do before.
    package var about: String
    package var fields: [Field]

    package init(driver: String, title: String, about: String, fields: [Field]) {
        self.driver = driver
        self.title = title
        self.about = about
        self.fields = fields
    }
}
