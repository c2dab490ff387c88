package import BoundedJSON
package import HAPModel

/// What the daemon tells an app without being asked.
package enum HomeNotification: Sendable, Hashable {
    /// The user allowed the app, or withdrew it.
    case authorizationStatusUpdated(AuthorizationStatus)
    /// All that is known of the homes is void; they are to be loaded anew.
    case homesUpdated
    /// Somebody else, or a device, changed a home.
    case transaction(HomeTransaction)
    /// A device was heard.
    case live(LiveEvent)
    /// A value was heard that this app did not ask to be told of: its copy is to have it, its listeners are not told.
    case cached(LiveEvent)
    /// A device that could be added came.
    case accessoryFound(DiscoveredAccessory)
    /// It went, or was added by somebody.
    case accessoryLost(DeviceID)
    /// A maker's app is asked for a proof.
    case addAccessoryRequest(AddAccessoryRequest)
    /// The system app is asked to put a question to the user.
    case permissionAsked(AppPermission)

    /// The notification's name.
    package var method: String {
        switch self {
        case .authorizationStatusUpdated: "authorizationStatusUpdated"
        case .homesUpdated: "homesUpdated"
        case .transaction: "transaction"
        case .live: "live"
        case .cached: "cached"
        case .accessoryFound: "browser.found"
        case .accessoryLost: "browser.removed"
        case .addAccessoryRequest: "addAccessoryRequest"
        case .permissionAsked: "privacy.asked"
        }
    }

    /// What it says.
    package var params: JSONValue {
        switch self {
        case .authorizationStatusUpdated(let status): ["status": .integer(Int64(status.rawValue))]
        case .homesUpdated: [:]
        case .transaction(let transaction): transaction.json
        case .live(let event), .cached(let event): event.json
        case .accessoryFound(let accessory): accessory.json
        case .accessoryLost(let id): ["deviceId": .string(id.description)]
        case .addAccessoryRequest(let request): request.json
        case .permissionAsked(let permission): permission.json
        }
    }

    /// Reads a notification; `nil` for what a newer daemon may say.
    ///
    /// - Parameters:
    ///   - method: its name.
    ///   - params: what it says.
    /// - Throws: 27 if something is missing, 3 if something is of the wrong type.
    package init?(method: String, params: JSONValue) throws(HomeError) {
        switch method {
        case "authorizationStatusUpdated":
            self = .authorizationStatusUpdated(AuthorizationStatus(rawValue: try params.value("status", \.int)))
        case "homesUpdated": self = .homesUpdated
        case "transaction": self = .transaction(try HomeTransaction(json: params))
        case "live": self = .live(try LiveEvent(json: params))
        case "cached": self = .cached(try LiveEvent(json: params))
        case "browser.found": self = .accessoryFound(try DiscoveredAccessory(json: params))
        case "browser.removed":
            self = .accessoryLost(try params.value("deviceId") { $0.string.flatMap { DeviceID($0) } })
        case "addAccessoryRequest": self = .addAccessoryRequest(try AddAccessoryRequest(json: params))
        case "privacy.asked": self = .permissionAsked(try AppPermission(json: params))
        default: return nil
        }
    }
}
