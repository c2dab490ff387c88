import BoundedJSON

/// A request from an app to the daemon: a method of the home's socket, with its parameters.
package enum HomeRequest: HomeCall {
    /// The first request of a session. All other requests require it.
    case open(SessionOpening)
    /// Returns ``HomesReply``: the homes without their accessories.
    case homes
    /// Returns ``AccessoryBatch``.
    case accessories(AccessoryBatchRequest)
    /// Returns ``HomeCommit``.
    case write(HomeWrite)
    /// Returns ``ValueResult``s in the order of the request.
    case readValues([Characteristic.ID])
    /// Returns ``HistoryEntry``s.
    case history(HistoryRequest)
    /// Returns ``ActivityEntry``s, newest first.
    ///
    /// Afterwards, the session receives ``HomeNotification/activityUpdated(_:)`` once when there are other entries.
    case activity(ActivityRequest)
    /// Deletes the activity and the past values of one accessory or of all accessories of a home.
    case removeHistory(Home.ID, Accessory.ID?)
    /// Returns ``ValueResult``s in the order of the request.
    case writeValues([ValueWrite])
    /// Returns ``ValueResult``s without values, in the order of the request.
    case setNotification([Characteristic.ID], isEnabled: Bool)
    case identify(Accessory.ID)
    /// Returns ``ValueResult``s in the order of the scene's actions.
    case runActionSet(ActionSet.ID)
    /// Returns ``TriggerRecord``, with the outcomes of the first attempt to perform the actions.
    case runTrigger(Trigger.ID, TriggerRunMode)
    /// Returns ``TriggerStatus``es in the order of the home's automations.
    case triggerStatuses(Home.ID)
    /// Returns ``TriggerRecord``s of one automation or of all automations of a home, newest first.
    case triggerRecords(Home.ID, Trigger.ID?)
    /// Returns ``Daylight``.
    case daylight(Home.ID)
    /// Sends the messages of automations to this session from now on.
    case receiveMessages
    case startBrowsing
    case stopBrowsing
    /// Returns ``AdditionReply``.
    case addAccessory(AdditionRequest)
    /// Runs the standard setup. If the user hasn't decided about the app yet, the daemon asks only about this addition.
    ///
    /// Returns ``AdditionReply``. An app without permission learns only which accessories it added.
    case setUpAccessory(AdditionRequest)
    /// Pairs again with an accessory that was reset or replaced. Returns ``HomeCommit``.
    case repairAccessory(RepairRequest)
    /// Declines an addition for which the daemon asked a vendor's app for a proof of ownership.
    case declineAddition(AddAccessoryRequest.ID)
    /// Returns ``AppPermission``s. This request and the following requests are only for the system app.
    case permissions
    case setPermission(AppIdentity, PermissionDecision)
    /// Routes permission questions to this session from now on.
    case answerQuestions
    /// Answers a question with the user's decision.
    case answerConsent(ConsentQuestion.ID, isAllowed: Bool)
    /// Stores the user's decision on whether an app may answer for a vendor's accessories.
    case setVendor(AppIdentity, vendor: String, PermissionDecision)

    enum CodingKeys: String, MethodKey {
        case open = "session.open"
        case homes = "homes.list"
        case accessories = "accessories.list"
        /// All other methods are writes.
        case write = "_0"
        case readValues = "values.read"
        case history = "values.history"
        case activity = "activity.list"
        case removeHistory = "history.remove"
        case writeValues = "values.write"
        case setNotification = "values.notify"
        case identify = "accessories.identify"
        case runActionSet = "scenes.run"
        case runTrigger = "automations.run"
        case triggerStatuses = "automations.status"
        case triggerRecords = "automations.history"
        case daylight = "homes.daylight"
        case receiveMessages = "automations.messages"
        case startBrowsing = "browser.start"
        case stopBrowsing = "browser.stop"
        case addAccessory = "accessories.add"
        case setUpAccessory = "accessories.setUp"
        case repairAccessory = "accessories.repair"
        case declineAddition = "accessories.decline"
        case permissions = "privacy.list"
        case setPermission = "privacy.set"
        case answerQuestions = "privacy.answer"
        case answerConsent = "privacy.consent"
        case setVendor = "privacy.setVendor"
    }

    enum ReadValuesCodingKeys: String, CodingKey { case _0 = "characteristics" }
    enum RemoveHistoryCodingKeys: String, CodingKey { case _0 = "home", _1 = "accessory" }
    enum WriteValuesCodingKeys: String, CodingKey { case _0 = "values" }
    enum SetNotificationCodingKeys: String, CodingKey { case _0 = "characteristics", isEnabled }
    enum IdentifyCodingKeys: String, CodingKey { case _0 = "accessory" }
    enum RunActionSetCodingKeys: String, CodingKey { case _0 = "actionSet" }
    enum RunTriggerCodingKeys: String, CodingKey { case _0 = "trigger", _1 = "mode" }
    enum TriggerStatusesCodingKeys: String, CodingKey { case _0 = "home" }
    enum TriggerRecordsCodingKeys: String, CodingKey { case _0 = "home", _1 = "trigger" }
    typealias DaylightCodingKeys = TriggerStatusesCodingKeys
    enum DeclineAdditionCodingKeys: String, CodingKey { case _0 = "request" }
    enum SetPermissionCodingKeys: String, CodingKey { case _0 = "app", _1 = "decision" }
    enum AnswerConsentCodingKeys: String, CodingKey { case _0 = "question", isAllowed }
    enum SetVendorCodingKeys: String, CodingKey { case _0 = "app", vendor, _2 = "decision" }
}

extension HomeWrite: HomeCall {
    enum CodingKeys: String, MethodKey {
        case addHome = "homes.add"
        case renameHome = "homes.rename"
        case removeHome = "homes.remove"
        case setPrimaryHome = "homes.primary"
        case addRoom = "rooms.add"
        case renameRoom = "rooms.rename"
        case removeRoom = "rooms.remove"
        case addZone = "zones.add"
        case renameZone = "zones.rename"
        case removeZone = "zones.remove"
        case addRoomToZone = "zones.addRoom"
        case removeRoomFromZone = "zones.removeRoom"
        case assignAccessory = "accessories.assign"
        case renameAccessory = "accessories.rename"
        case removeAccessory = "accessories.remove"
        case unblockAccessory = "accessories.unblock"
        case renameService = "services.rename"
        case setAssociatedServiceType = "services.type"
        case setFavorite = "services.favorite"
        case addActionSet = "scenes.add"
        case renameActionSet = "scenes.rename"
        case removeActionSet = "scenes.remove"
        case setActions = "scenes.set"
        case addServiceGroup = "groups.add"
        case renameServiceGroup = "groups.rename"
        case removeServiceGroup = "groups.remove"
        case addServiceToServiceGroup = "groups.addService"
        case removeServiceFromServiceGroup = "groups.removeService"
        case addTrigger = "automations.add"
        case renameTrigger = "automations.rename"
        case updateTrigger = "automations.update"
        case enableTrigger = "automations.enable"
        case removeTrigger = "automations.remove"
        case addPerson = "people.add"
        case renamePerson = "people.rename"
        case removePerson = "people.remove"
        case setPresence = "people.presence"
        case setLocation = "homes.location"
    }

    enum RenameHomeCodingKeys: String, CodingKey { case _0 = "home", name }
    typealias AddRoomCodingKeys = RenameHomeCodingKeys
    typealias AddZoneCodingKeys = RenameHomeCodingKeys
    enum RemoveHomeCodingKeys: String, CodingKey { case _0 = "home" }
    typealias SetPrimaryHomeCodingKeys = RemoveHomeCodingKeys
    enum RenameRoomCodingKeys: String, CodingKey { case _0 = "room", name }
    enum RemoveRoomCodingKeys: String, CodingKey { case _0 = "home", _1 = "room" }
    enum RenameZoneCodingKeys: String, CodingKey { case _0 = "zone", name }
    enum RemoveZoneCodingKeys: String, CodingKey { case _0 = "home", _1 = "zone" }
    enum AddRoomToZoneCodingKeys: String, CodingKey { case _0 = "zone", _1 = "room" }
    typealias RemoveRoomFromZoneCodingKeys = AddRoomToZoneCodingKeys
    enum AssignAccessoryCodingKeys: String, CodingKey { case _0 = "home", _1 = "accessory", _2 = "room" }
    enum RenameAccessoryCodingKeys: String, CodingKey { case _0 = "accessory", name }
    enum RemoveAccessoryCodingKeys: String, CodingKey { case _0 = "home", _1 = "accessory" }
    typealias UnblockAccessoryCodingKeys = RemoveAccessoryCodingKeys
    enum RenameServiceCodingKeys: String, CodingKey { case _0 = "service", name }
    enum SetAssociatedServiceTypeCodingKeys: String, CodingKey { case _0 = "service", _1 = "type" }
    enum SetFavoriteCodingKeys: String, CodingKey { case _0 = "service", _1 = "isFavorite" }
    enum AddActionSetCodingKeys: String, CodingKey { case _0 = "home", name, kind }
    enum RenameActionSetCodingKeys: String, CodingKey { case _0 = "actionSet", name }
    enum RemoveActionSetCodingKeys: String, CodingKey { case _0 = "actionSet" }
    enum SetActionsCodingKeys: String, CodingKey { case _0 = "actionSet", _1 = "actions" }
    typealias AddServiceGroupCodingKeys = RenameHomeCodingKeys
    enum RenameServiceGroupCodingKeys: String, CodingKey { case _0 = "serviceGroup", name }
    enum RemoveServiceGroupCodingKeys: String, CodingKey { case _0 = "serviceGroup" }
    enum AddServiceToServiceGroupCodingKeys: String, CodingKey { case _0 = "serviceGroup", _1 = "service" }
    typealias RemoveServiceFromServiceGroupCodingKeys = AddServiceToServiceGroupCodingKeys
    enum AddTriggerCodingKeys: String, CodingKey { case _0 = "home", name, _2 = "definition", isEnabled }
    enum RenameTriggerCodingKeys: String, CodingKey { case _0 = "trigger", name }
    enum UpdateTriggerCodingKeys: String, CodingKey { case _0 = "trigger", _1 = "definition" }
    enum EnableTriggerCodingKeys: String, CodingKey { case _0 = "trigger", _1 = "isEnabled" }
    enum RemoveTriggerCodingKeys: String, CodingKey { case _0 = "trigger" }
    typealias AddPersonCodingKeys = RenameHomeCodingKeys
    enum RenamePersonCodingKeys: String, CodingKey { case _0 = "person", name }
    enum RemovePersonCodingKeys: String, CodingKey { case _0 = "person" }
    enum SetPresenceCodingKeys: String, CodingKey { case _0 = "person", isHome }
    enum SetLocationCodingKeys: String, CodingKey { case _0 = "home", _1 = "location" }
}

// A new automation is enabled by default.
extension KeyedDecodingContainer where Key == HomeWrite.AddTriggerCodingKeys {
    func decode(_ type: Bool.Type, forKey key: Key) throws -> Bool {
        try decodeIfPresent(type, forKey: key) ?? true
    }
}

// The default kind of a scene is user-defined.
extension KeyedDecodingContainer where Key == HomeWrite.AddActionSetCodingKeys {
    func decode(_ type: ActionSet.Kind.Type, forKey key: Key) throws -> ActionSet.Kind {
        try decodeIfPresent(type, forKey: key) ?? .userDefined
    }
}
