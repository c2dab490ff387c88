/// A problem of the bridge that needs attention.
package struct BridgeWarning: Sendable, Equatable {
    /// The topic of a warning.
    ///
    /// Newer daemons may use additional codes.
    package struct Code: RawRepresentable, Codable, Sendable, Hashable {
        package let rawValue: String

        package init(rawValue: String) { self.rawValue = rawValue }

        /// The changed configuration file is invalid, or some changes require a restart.
        package static let configuration = Code(rawValue: "configuration")
        /// A problem of a driver or a light, or of their names.
        package static let lights = Code(rawValue: "lights")
        /// A driver has a problem or has ended.
        package static let driver = Code(rawValue: "driver")
        /// Wrong setup codes were tried.
        package static let setupAttempts = Code(rawValue: "setupAttempts")
        /// Only an app with the manufacturer's ownership token can pair.
        package static let ownershipRequired = Code(rawValue: "ownershipRequired")
        /// A configured network interface doesn't exist.
        package static let missingInterface = Code(rawValue: "missingInterface")
        /// New state can't be stored.
        package static let storage = Code(rawValue: "storage")
        /// Another bridge has the same identity, or the check for such a bridge failed.
        package static let cloneDetection = Code(rawValue: "cloneDetection")
        /// The bridge isn't advertised.
        package static let notAdvertised = Code(rawValue: "notAdvertised")
        /// The bridge is advertised under another name, because its own name is in use.
        package static let nameTaken = Code(rawValue: "nameTaken")
        /// A bridge other than the first bridge has lights and isn't paired.
        package static let unpairedBridge = Code(rawValue: "unpairedBridge")
    }

    /// The driver and the light that a warning refers to, if any.
    package struct Subject: BridgeMessage {
        /// The driver's ID.
        package var driver: String?
        /// The light's key, `<driver id>/<light id>`.
        package var light: String?

        package init(driver: String? = nil, light: String? = nil) {
            self.driver = driver
            self.light = light
        }
    }

    package var code: Code
    /// One human-readable sentence.
    package var message: String
    package var subject: Subject

    package init(_ code: Code, _ message: String, about subject: Subject = Subject()) {
        self.code = code
        self.message = message
        self.subject = subject
    }
}
