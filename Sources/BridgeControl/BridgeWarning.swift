/// Something about the bridge that needs attention.
package struct BridgeWarning: Sendable, Equatable {
    /// What it is about; a newer daemon may know more codes.
    package struct Code: RawRepresentable, Codable, Sendable, Hashable {
        package let rawValue: String

        package init(rawValue: String) { self.rawValue = rawValue }

        /// The configuration file was changed, and is wrong or waits for a restart.
        package static let configuration = Code(rawValue: "configuration")
        /// A driver, a light, or what names they have.
        package static let lights = Code(rawValue: "lights")
        /// Wrong setup codes were tried.
        package static let setupAttempts = Code(rawValue: "setupAttempts")
        /// Only an app that has the maker's ownership token can pair.
        package static let ownershipRequired = Code(rawValue: "ownershipRequired")
        /// An interface of the configuration is not there.
        package static let missingInterface = Code(rawValue: "missingInterface")
        /// What the bridge learns now does not last.
        package static let storage = Code(rawValue: "storage")
        /// A second bridge of this identity would not be noticed.
        package static let cloneDetection = Code(rawValue: "cloneDetection")
        /// The bridge is not advertised.
        package static let notAdvertised = Code(rawValue: "notAdvertised")
        /// The bridge is advertised under another name, because its own was taken.
        package static let nameTaken = Code(rawValue: "nameTaken")
        /// A further bridge has lights that no controller shows.
        package static let unpairedBridge = Code(rawValue: "unpairedBridge")
    }

    /// Which driver and which light it is about, as far as it is about any.
    package struct Subject: BridgeMessage {
        /// The driver's id.
        package var driver: String?
        /// `<driver id>/<light id>`.
        package var light: String?

        package init(driver: String? = nil, light: String? = nil) {
            self.driver = driver
            self.light = light
        }
    }

    package var code: Code
    /// One sentence for people.
    package var message: String
    package var subject: Subject

    package init(_ code: Code, _ message: String, about subject: Subject = Subject()) {
        self.code = code
        self.message = message
        self.subject = subject
    }
}
