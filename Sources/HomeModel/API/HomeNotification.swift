import BoundedJSON
package import HAPModel

/// What the daemon tells an app without being asked.
package enum HomeNotification: HomeCall {
    /// The user allowed the app, or withdrew it.
    case authorizationStatusUpdated(AuthorizationStatus)
    /// All that is known of the homes is void; they are to be loaded anew.
    case homesUpdated
    /// Somebody else, or a device, changed a home.
    case transaction(HomeTransaction)
    /// A device reported an event.
    case live(LiveEvent)
    /// A value was received that this app does not observe: its copy takes it, its listeners are not notified.
    case cached(LiveEvent)
    /// A device that could be added came.
    case accessoryFound(DiscoveredAccessory)
    /// It went, or was added by somebody.
    case accessoryLost(DeviceID)
    /// A maker's app is asked for a proof.
    case addAccessoryRequest(AddAccessoryRequest)
    /// The system app is asked to put a question to the user.
    case permissionAsked(AppPermission)
    /// The system app is asked to put another question to the user.
    case consentAsked(ConsentQuestion)
    /// An accessory that the app has begun to add, and that was handed over to its maker's app, will not come.
    case additionFailed(AccessoryAdditionFailure)

    enum CodingKeys: String, MethodKey {
        case authorizationStatusUpdated, homesUpdated, transaction, live, cached
        case accessoryFound = "browser.found"
        case accessoryLost = "browser.removed"
        case addAccessoryRequest
        case permissionAsked = "privacy.asked"
        case consentAsked = "privacy.consentAsked"
        case additionFailed
    }

    enum AuthorizationStatusUpdatedCodingKeys: String, CodingKey { case _0 = "status" }
    enum AccessoryLostCodingKeys: String, CodingKey { case _0 = "deviceId" }
}
