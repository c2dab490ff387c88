package import BoundedJSON

/// What lights can come from on the network, as `lights discover` lists it.
package struct FoundLights: BridgeMessage {
    /// A device, a bridge of lights, a broker.
    package struct Source: BridgeMessage {
        package enum State: String, Codable, Sendable {
            /// A configured driver brings its lights.
            case configured
            /// A driver is configured, but its entry lacks something.
            case incomplete
            /// No driver for it is configured.
            case new
            /// This version has no driver for it.
            case unsupported
        }

        package var driver: String
        package var name: String
        /// Host and port.
        package var address: String
        /// What it is, as far as it says so.
        package var detail: String?
        package var state: State

        package init(driver: String, name: String, address: String, detail: String?, state: State) {
            self.driver = driver
            self.name = name
            self.address = address
            self.detail = detail
            self.state = state
        }
    }

    /// What to write into the configuration.
    package struct Entry: BridgeMessage {
        /// The id of the entry of `drivers` that the keys belong into; `nil` if they are a new entry.
        package var id: String?
        /// The keys, an object.
        package var keys: JSONValue

        package init(id: String?, keys: JSONValue) {
            self.id = id
            self.keys = keys
        }
    }

    package var found: [Source]
    /// What to write for all that is new or incomplete.
    package var entries: [Entry]
    /// Why something was not looked for, a sentence each.
    package var problems: [String]

    package init(found: [Source], entries: [Entry], problems: [String]) {
        self.found = found
        self.entries = entries
        self.problems = problems
    }
}
