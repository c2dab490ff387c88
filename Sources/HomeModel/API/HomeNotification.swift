import BoundedJSON
package import HAPModel

/// A notification that the daemon sends to an app without a request.
package enum HomeNotification: HomeCall {
    /// The user granted or revoked the app's permission.
    case authorizationStatusUpdated(AuthorizationStatus)
    /// The app's copy of the homes is invalid. The app must load them again.
    case homesUpdated
    /// Another app or a device changed a home.
    case transaction(HomeTransaction)
    /// A device reported an event.
    case live(LiveEvent)
    /// The daemon received a value that this app doesn't observe. The app updates its copy without notifying its
    /// listeners.
    case cached(LiveEvent)
    /// A device that can be added has appeared.
    case accessoryFound(DiscoveredAccessory)
    /// A discovered device disappeared or was added.
    case accessoryLost(DeviceID)
    /// A request to a vendor's app for a proof of ownership.
    case addAccessoryRequest(AddAccessoryRequest)
    /// A request to the system app to ask the user for a permission.
    case permissionAsked(AppPermission)
    /// A request to the system app to ask the user for another kind of consent.
    case consentAsked(ConsentQuestion)
    /// An addition that the app began, and that was handed over to the vendor's app, failed.
    case additionFailed(AccessoryAdditionFailure)
    /// A message from an automation, for a session that requested such messages.
    case message(TriggerMessage)
    /// The activity of a home has changed since this session loaded it.
    case activityUpdated(Home.ID)

    enum CodingKeys: String, MethodKey {
        case authorizationStatusUpdated, homesUpdated, transaction, live, cached
        case accessoryFound = "browser.found"
        case accessoryLost = "browser.removed"
        case addAccessoryRequest
        case permissionAsked = "privacy.asked"
        case consentAsked = "privacy.consentAsked"
        case additionFailed
        case message = "automations.message"
        case activityUpdated = "activity.updated"
    }

    enum AuthorizationStatusUpdatedCodingKeys: String, CodingKey { case _0 = "status" }
    enum ActivityUpdatedCodingKeys: String, CodingKey { case _0 = "home" }
    enum AccessoryLostCodingKeys: String, CodingKey { case _0 = "deviceId" }
}
