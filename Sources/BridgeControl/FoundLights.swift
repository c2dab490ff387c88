package import BoundedJSON

/// The sources of lights on the network, as `devices discover` lists them.
package struct FoundLights: BridgeMessage {
    /// A device, a bridge for lights, or a broker.
    package struct Source: BridgeMessage {
        package enum State: String, Codable, Sendable {
            /// A configured driver provides the lights of this source.
            case configured
            /// The configuration of the driver for this source lacks keys, such as an address.
            case incomplete
            /// No driver is configured for this source.
            case new
            /// This version has no driver for this source.
            case unsupported
        }

        package var driver: String
        package var name: String
        /// The host and the port.
        package var address: String
        /// A description from the source, if it provides one.
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

    /// A configuration entry to add or complete.
    package struct Entry: BridgeMessage {
        /// The ID of the entry of `drivers` to which the keys must be added, or `nil` for a new entry.
        package var id: String?
        /// The keys to add, with their values, as a JSON object.
        package var keys: JSONValue
        /// The secrets that the devices of the entry need, or `nil` if they need none or the daemon is older.
        package var secrets: [DriverOffer.Field]?

        package init(id: String?, keys: JSONValue, secrets: [DriverOffer.Field]? = nil) {
            self.id = id
            self.keys = keys
            self.secrets = secrets
        }
    }

    package var found: [Source]
    /// The entries for all new or incompletely configured sources.
    package var entries: [Entry]
    /// The reasons why parts of the search failed, one sentence each.
    package var problems: [String]

    package init(found: [Source], entries: [Entry], problems: [String]) {
        self.found = found
        self.entries = entries
        self.problems = problems
    }
}
