import BoundedJSON

/// A change of the bridge's configuration file.
///
/// The values of a change may contain secrets, so its description and its mirror hide them.
package enum ConfigurationChange: BridgeMessage {
    /// Adds a driver with the values of the fields of its ``DriverOffer``.
    ///
    /// Without an ID, the driver gets a free one.
    case addDriver(driver: String, id: String?, values: [String: String])
    /// Adds what the last search has found, with the values of the entry's secret fields.
    case addFound(entry: FoundLights.Entry, values: [String: String])
    /// Replaces the values of a driver with those of the fields of its ``DriverOffer``.
    ///
    /// An empty secret keeps the current one.
    case changeDriver(id: String, values: [String: String])
    /// Removes a driver, and the settings of its devices.
    case removeDriver(id: String)
    /// Gives a device a name, or the name from its source if the name is `nil`.
    case renameDevice(key: String, name: String?)
    /// Hides a device from controllers.
    case hideDevice(key: String)
    /// Shows a hidden device again.
    case showDevice(key: String)
    /// Shows devices of further kinds.
    case showKinds(kinds: [String])

    package enum CodingKeys: String, TaggedUnionKey {
        case addDriver, addFound, changeDriver, removeDriver, renameDevice, hideDevice, showDevice, showKinds

        package static let tag = "kind"
        package static let content: String? = "change"
    }
}

extension ConfigurationChange: CustomStringConvertible, CustomReflectable {
    package var description: String {
        switch self {
        case .addDriver(let driver, _, _): "add the driver \(driver)"
        case .addFound(let entry, _): "add \(entry.id ?? entry.keys["driver"]?.string ?? "a driver")"
        case .changeDriver(let id, _): "change the driver \(id)"
        case .removeDriver(let id): "remove the driver \(id)"
        case .renameDevice(let key, _): "rename \(key)"
        case .hideDevice(let key): "hide \(key)"
        case .showDevice(let key): "show \(key)"
        case .showKinds(let kinds): "show \(kinds.joined(separator: ", "))"
        }
    }

    package var customMirror: Mirror { Mirror(self, children: []) }
}

/// A change that was checked and not made yet.
package struct ConfigurationProposal: BridgeMessage {
    /// The identifier of the change.
    ///
    /// It is valid for ten minutes, while the file is unchanged.
    package var token: String
    /// The path of the configuration file.
    package var file: String
    /// The change as a unified diff, without secrets.
    package var diff: String
    /// Sentences about the consequences.
    package var warnings: [String]
    /// The files that will be created for secrets.
    package var secretFiles: [String]

    package init(token: String, file: String, diff: String, warnings: [String], secretFiles: [String]) {
        self.token = token
        self.file = file
        self.diff = diff
        self.warnings = warnings
        self.secretFiles = secretFiles
    }
}

/// What can be changed in the configuration.
package struct ConfigurationListing: BridgeMessage {
    /// A device that the configuration hides.
    package struct HiddenDevice: BridgeMessage {
        /// The device's key, `<driver id>/<light id>`.
        package var key: String
        /// The name in the configuration, if it has one.
        package var name: String?

        package init(key: String, name: String?) {
            self.key = key
            self.name = name
        }
    }

    /// A driver in the configuration that a form can add, and the page may remove.
    package struct System: BridgeMessage {
        package var id: String
        package var driver: String
        /// The values of the fields of its ``DriverOffer``, without secrets.
        ///
        /// It is `nil` if the entry has settings that the form doesn't have.
        package var values: [String: String]?

        package init(id: String, driver: String, values: [String: String]?) {
            self.id = id
            self.driver = driver
            self.values = values
        }
    }

    /// The path of the configuration file.
    package var file: String
    /// The drivers that can be added.
    package var offers: [DriverOffer]
    /// The drivers that can be changed and removed; `nil` if the daemon doesn't report them.
    package var systems: [System]?
    package var hidden: [HiddenDevice]
    /// The last change that can be undone, in a few words; `nil` without such a change.
    package var undo: String?
    /// Whether the client may back up the bridge; `nil` if the daemon doesn't report it.
    package var mayBackUp: Bool?
    /// Whether the web page made the last change; `nil` if the daemon doesn't report it.
    package var isUndoOfPage: Bool?

    package init(
        file: String, offers: [DriverOffer], systems: [System]? = nil, hidden: [HiddenDevice], undo: String?,
        isUndoOfPage: Bool? = nil
    ) {
        self.file = file
        self.offers = offers
        self.systems = systems
        self.hidden = hidden
        self.undo = undo
        self.isUndoOfPage = isUndoOfPage
    }

    /// The listing for the web page, which can undo only its own changes.
    var forPage: ConfigurationListing {
        var listing = self
        if isUndoOfPage != true { listing.undo = nil }
        return listing
    }
}
