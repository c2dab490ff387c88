extension HomeError {
    /// What went wrong, by the numbers and names of Apple's `HMError.Code`, so that logs can be compared.
    ///
    /// 94 is unused there. From 1001 on the numbers are our own.
    @nonexhaustive
    public enum Code: Int, Sendable, Hashable, CaseIterable {
        /// Something went wrong that should not.
        case unexpectedError = -1
        /// It is there already.
        case alreadyExists = 1
        /// There is no such object.
        case notFound = 2
        /// The request holds something that is not acceptable here.
        case invalidParameter = 3
        /// The accessory does not answer.
        case accessoryNotReachable = 4
        /// This cannot be changed.
        case readOnlyCharacteristic = 5
        /// This cannot be read.
        case writeOnlyCharacteristic = 6
        /// The accessory does not report changes of this.
        case notificationNotSupported = 7
        /// It took too long.
        case operationTimedOut = 8
        /// The accessory is switched off.
        case accessoryPoweredOff = 9
        /// This user may not do that.
        case accessDenied = 10
        /// It belongs to another home.
        case objectAssociatedToAnotherHome = 11
        /// The accessory is not in this home.
        case objectNotAssociatedToAnyHome = 12
        /// The accessory is in this home already.
        case objectAlreadyAssociatedToHome = 13
        /// The accessory is busy.
        case accessoryIsBusy = 14
        /// The same is going on already.
        case operationInProgress = 15
        /// The accessory has no room for another controller.
        case accessoryOutOfResources = 16
        /// Only an administrator may do that.
        case insufficientPrivileges = 17
        /// The accessory refused the setup code.
        case accessoryPairingFailed = 18
        /// The accessory describes a value in a way that is not understood.
        case invalidDataFormatSpecified = 19
        /// A value is needed.
        case nilParameter = 20
        /// The object is not completely set up.
        case unconfiguredParameter = 21
        /// This is the wrong kind of object.
        case invalidClass = 22
        /// It was cancelled.
        case operationCancelled = 23
        /// The default room cannot be part of a zone.
        case roomForHomeCannotBeInZone = 24
        /// The scene is empty.
        case noActionsInActionSet = 25
        /// The automation has no scenes.
        case noRegisteredActionSets = 26
        /// Something is missing from the request.
        case missingParameter = 27
        /// The time is past.
        case fireDateInPast = 28
        /// The default room cannot be renamed or removed.
        case roomForHomeCannotBeUpdated = 29
        /// The action is part of another scene.
        case actionInAnotherActionSet = 30
        /// The name is taken in this home.
        case objectWithSimilarNameExistsInHome = 31
        /// Another home has that name.
        case homeWithSimilarNameExists = 32
        /// That is its name already.
        case renameWithSimilarName = 33
        /// An accessory behind a bridge goes with its bridge only.
        case cannotRemoveNonBridgeAccessory = 34
        /// A name holds only letters, digits, spaces and apostrophes.
        case nameContainsProhibitedCharacters = 35
        /// A name begins with a letter or a digit.
        case nameDoesNotStartWithValidCharacters = 36
        /// The user id is no mail address.
        case userIDNotEmailAddress = 37
        /// The user was not added.
        case userDeclinedAddingUser = 38
        /// The user was not removed.
        case userDeclinedRemovingUser = 39
        /// The invitation was declined.
        case userDeclinedInvite = 40
        /// The users could not be changed.
        case userManagementFailed = 41
        /// The interval is shorter than five minutes.
        case recurrenceTooSmall = 42
        /// The value is of the wrong kind.
        case invalidValueType = 43
        /// The value is below the lowest that the accessory takes.
        case valueLowerThanMinimum = 44
        /// The value is above the highest that the accessory takes.
        case valueHigherThanMaximum = 45
        /// The text is too long.
        case stringLongerThanMaximum = 46
        /// This app may not see the home.
        case homeAccessNotAuthorized = 47
        /// The accessory cannot do that.
        case operationNotSupported = 48
        /// There are as many as there can be.
        case maximumObjectLimitReached = 49
        /// The accessory gave an answer that makes no sense.
        case accessorySentInvalidResponse = 50
        /// A name cannot be empty.
        case stringShorterThanMinimum = 51
        /// It failed.
        case genericError = 52
        /// The secured connection to the accessory broke.
        case securityFailure = 53
        /// The connection to the accessory broke.
        case communicationFailure = 54
        /// A message was not from the accessory it claims.
        case messageAuthenticationFailed = 55
        /// The data is too long.
        case invalidMessageSize = 56
        /// Accessories cannot be searched for.
        case accessoryDiscoveryFailed = 57
        /// The accessory refused the request.
        case clientRequestError = 58
        /// The accessory failed.
        case accessoryResponseError = 59
        /// A name ends with a letter or a digit.
        case nameDoesNotEndWithValidCharacters = 60
        /// The accessory misbehaved and was blocked.
        case accessoryIsBlocked = 61
        /// This cannot be shown as that.
        case invalidAssociatedServiceType = 62
        /// The scene failed.
        case actionSetExecutionFailed = 63
        /// Part of the scene failed.
        case actionSetExecutionPartialSuccess = 64
        /// The scene is still being carried out.
        case actionSetExecutionInProgress = 65
        /// The accessory does not keep to the rules of HomeKit.
        case accessoryOutOfCompliance = 66
        /// The data could not be reset.
        case dataResetFailure = 67
        /// Changes are reported already.
        case notificationAlreadyEnabled = 68
        /// The interval is not made of whole minutes.
        case recurrenceMustBeOnSpecifiedBoundaries = 69
        /// The time is not on a whole minute.
        case dateMustBeOnSpecifiedBoundaries = 70
        /// The time is too far ahead.
        case cannotActivateTriggerTooFarInFuture = 71
        /// The interval is longer than five weeks.
        case recurrenceTooLarge = 72
        /// Some of it failed.
        case readWritePartialSuccess = 73
        /// All of it failed.
        case readWriteFailure = 74
        /// There is no account.
        case notSignedIntoiCloud = 75
        /// Keys are not synchronised.
        case keychainSyncNotEnabled = 76
        /// Data is being synchronised.
        case cloudDataSyncInProgress = 77
        /// There is no network.
        case networkUnavailable = 78
        /// The accessory could not be added.
        case addAccessoryFailed = 79
        /// This app did not declare that it needs this.
        case missingEntitlement = 80
        /// An accessory behind a bridge is unblocked with its bridge.
        case cannotUnblockNonBridgeAccessory = 81
        /// The device is locked.
        case deviceLocked = 82
        /// A built-in scene cannot be removed.
        case cannotRemoveBuiltinActionSet = 83
        /// The home has no location.
        case locationForHomeDisabled = 84
        /// The location may not be used.
        case notAuthorizedForLocationServices = 85
        /// See the manual of the accessory.
        case referToUserManual = 86
        /// The accessory wants additional authorisation.
        case invalidOrMissingAuthorizationData = 87
        /// The bridge answers, but not the accessory behind it.
        case bridgedAccessoryNotReachable = 88
        /// The microphone may not be used.
        case notAuthorizedForMicrophoneAccess = 89
        /// The network does not suit the accessory.
        case incompatibleNetwork = 90
        /// There is no home hub.
        case noHomeHub = 91
        /// There is no home hub that can do this.
        case noCompatibleHomeHub = 92
        /// The accessory speaks a protocol that is not supported.
        case incompatibleAccessory = 93
        /// The name is taken in this accessory.
        case objectWithSimilarNameExists = 95
        /// The accessory did not take the proof of ownership.
        case ownershipFailure = 96
        /// There are as many accessories of this kind as there can be.
        case maximumAccessoriesOfTypeInHome = 97
        /// No credentials for the Wi-Fi could be made.
        case wiFiCredentialGenerationFailed = 98
        /// The kind of Wi-Fi is not supported.
        case enterpriseNetworkNotSupported = 99
        /// The accessory stopped answering.
        case timedOutWaitingForAccessory = 100
        /// The accessory was reached, but the exchange failed.
        case accessoryCommunicationFailure = 101
        /// The accessory could not join the network.
        case failedToJoinNetwork = 102
        /// The accessory sleeps.
        case accessoryIsSuspended = 103
        /// Some accessories could not be reached.
        case partialCommunicationFailure = 104
        /// The home database was written by a newer version.
        case homeUpgradeRequired = 105
        /// There is no space left.
        case quotaExceeded = 106
        /// This app does not say what it needs the home for.
        case usageDescriptionMissing = 1001
        /// No daemon serves the home.
        case daemonUnavailable = 1002
        /// This app and homehubd are of different versions.
        case protocolMismatch = 1003
        /// The hub can't store the change.
        case storageFailed = 1004
    }
}

extension HomeError.Code {
    /// The name that is shown beside the number.
    public var name: String { String(describing: self) }

    /// What is wrong, for the person who asked; after a semicolon what to do.
    public var message: String { remedy.map { "\(problem); \($0)" } ?? problem }

    /// What is wrong, for the person who asked.
    package var problem: String { words.problem }

    /// What to do, if there is anything to be done.
    package var remedy: String? { words.remedy }

    private var words: (problem: String, remedy: String?) {
        switch self {
        case .unexpectedError: ("an internal error occurred", "see the log of homehubd")
        case .alreadyExists: ("it already exists", nil)
        case .notFound: ("there is no such object", nil)
        case .invalidParameter: ("the request is invalid", nil)
        case .accessoryNotReachable: ("the accessory does not answer", "check that it has power and is on the network")
        case .readOnlyCharacteristic: ("this cannot be changed", nil)
        case .writeOnlyCharacteristic: ("this cannot be read", nil)
        case .notificationNotSupported: ("the accessory doesn't send events for this value", nil)
        case .operationTimedOut: ("it took too long", "try again")
        case .accessoryPoweredOff: ("the accessory is switched off", nil)
        case .accessDenied: ("this user isn't allowed to do that", nil)
        case .objectAssociatedToAnotherHome: ("it belongs to another home", nil)
        case .objectNotAssociatedToAnyHome: ("the accessory is not in this home", nil)
        case .objectAlreadyAssociatedToHome: ("the accessory is in this home already", nil)
        case .accessoryIsBusy: ("the accessory is busy", "try again in a moment")
        case .operationInProgress: ("the same operation is already in progress", "wait until it is done")
        case .accessoryOutOfResources: ("the accessory has no room for another controller", "remove one from it first")
        case .insufficientPrivileges: ("only an administrator can do that", nil)
        case .accessoryPairingFailed: ("the accessory refused the setup code", "check the digits")
        case .invalidDataFormatSpecified: ("the accessory describes a value in an unknown format", nil)
        case .nilParameter: ("a value is needed", nil)
        case .unconfiguredParameter: ("the object is not completely set up", nil)
        case .invalidClass: ("this is the wrong kind of object", nil)
        case .operationCancelled: ("it was canceled", nil)
        case .roomForHomeCannotBeInZone: ("the default room cannot be part of a zone", nil)
        case .noActionsInActionSet: ("this scene doesn't set anything yet", "add values with homehub scenes set")
        case .noRegisteredActionSets: ("the automation has no scenes", nil)
        case .missingParameter: ("something is missing from the request", nil)
        case .fireDateInPast: ("the time is past", nil)
        case .roomForHomeCannotBeUpdated: ("the default room cannot be renamed or removed", "rename the home instead")
        case .actionInAnotherActionSet: ("the action is part of another scene", nil)
        case .objectWithSimilarNameExistsInHome: ("the name is taken in this home", "choose another")
        case .homeWithSimilarNameExists: ("another home has that name", "choose another")
        case .renameWithSimilarName: ("it already has that name", nil)
        case .cannotRemoveNonBridgeAccessory:
            ("a bridged accessory can only be removed with its bridge", "remove the bridge")
        case .nameContainsProhibitedCharacters: ("a name can contain only letters, digits, spaces and apostrophes", nil)
        case .nameDoesNotStartWithValidCharacters: ("a name must begin with a letter or a digit", nil)
        case .userIDNotEmailAddress: ("the user id isn't an email address", nil)
        case .userDeclinedAddingUser: ("the user was not added", nil)
        case .userDeclinedRemovingUser: ("the user was not removed", nil)
        case .userDeclinedInvite: ("the invitation was declined", nil)
        case .userManagementFailed: ("the users could not be changed", nil)
        case .recurrenceTooSmall: ("the interval is shorter than five minutes", nil)
        case .invalidValueType: ("the value has the wrong type", nil)
        case .valueLowerThanMinimum: ("the value is below the lowest that the accessory takes", nil)
        case .valueHigherThanMaximum: ("the value is above the highest that the accessory takes", nil)
        case .stringLongerThanMaximum: ("the text is too long", nil)
        case .homeAccessNotAuthorized: ("this app has no access to the home", "allow it with \"homehub privacy allow\"")
        case .operationNotSupported: ("the accessory cannot do that", nil)
        case .maximumObjectLimitReached: ("the limit is reached", "remove one first")
        case .accessorySentInvalidResponse: ("the accessory sent an invalid response", nil)
        case .stringShorterThanMinimum: ("a name cannot be empty", nil)
        case .genericError: ("it failed", nil)
        case .securityFailure: ("the secure connection to the accessory failed", nil)
        case .communicationFailure: ("the connection to the accessory was lost", nil)
        case .messageAuthenticationFailed: ("a message wasn't from the accessory", nil)
        case .invalidMessageSize: ("the data is too long", nil)
        case .accessoryDiscoveryFailed: ("the search for accessories failed", "check that avahi-daemon runs")
        case .clientRequestError: ("the accessory refused the request", nil)
        case .accessoryResponseError: ("the accessory failed", nil)
        case .nameDoesNotEndWithValidCharacters: ("a name must end with a letter or a digit", nil)
        case .accessoryIsBlocked: ("the accessory misbehaved and was blocked", "unblock it to try again")
        case .invalidAssociatedServiceType: ("this cannot be shown as that", nil)
        case .actionSetExecutionFailed: ("the scene failed", nil)
        case .actionSetExecutionPartialSuccess: ("part of the scene failed", nil)
        case .actionSetExecutionInProgress: ("the scene is already running", nil)
        case .accessoryOutOfCompliance: ("the accessory violates HomeKit's rules", nil)
        case .dataResetFailure: ("the data could not be reset", nil)
        case .notificationAlreadyEnabled: ("notifications are already enabled", nil)
        case .recurrenceMustBeOnSpecifiedBoundaries: ("the interval must be whole minutes", nil)
        case .dateMustBeOnSpecifiedBoundaries: ("the time must be a whole minute", nil)
        case .cannotActivateTriggerTooFarInFuture: ("the time is too far ahead", nil)
        case .recurrenceTooLarge: ("the interval is longer than five weeks", nil)
        case .readWritePartialSuccess: ("some of it failed", nil)
        case .readWriteFailure: ("all of it failed", nil)
        case .notSignedIntoiCloud: ("there is no account", nil)
        case .keychainSyncNotEnabled: ("keys are not synchronized", nil)
        case .cloudDataSyncInProgress: ("data is being synchronized", nil)
        case .networkUnavailable: ("there is no network", nil)
        case .addAccessoryFailed: ("the accessory could not be added", nil)
        case .missingEntitlement: ("this app did not declare that it needs this", nil)
        case .cannotUnblockNonBridgeAccessory: ("a bridged accessory is unblocked with its bridge", nil)
        case .deviceLocked: ("the device is locked", nil)
        case .cannotRemoveBuiltinActionSet: ("a built-in scene cannot be removed", nil)
        case .locationForHomeDisabled: ("the home has no location", nil)
        case .notAuthorizedForLocationServices: ("the location may not be used", nil)
        case .referToUserManual: ("see the manual of the accessory", nil)
        case .invalidOrMissingAuthorizationData: ("the accessory wants additional authorisation", nil)
        case .bridgedAccessoryNotReachable: ("the bridge answers, but not the accessory behind it", nil)
        case .notAuthorizedForMicrophoneAccess: ("the microphone may not be used", nil)
        case .incompatibleNetwork: ("the network does not suit the accessory", nil)
        case .noHomeHub: ("there is no home hub", nil)
        case .noCompatibleHomeHub: ("there is no home hub that can do this", nil)
        case .incompatibleAccessory: ("the accessory speaks a protocol that is not supported", nil)
        case .objectWithSimilarNameExists: ("the name is taken in this accessory", "choose another")
        case .ownershipFailure: ("the accessory did not take the proof of ownership", nil)
        case .maximumAccessoriesOfTypeInHome: ("there are as many accessories of this kind as there can be", nil)
        case .wiFiCredentialGenerationFailed: ("no credentials for the Wi-Fi could be made", nil)
        case .enterpriseNetworkNotSupported: ("the kind of Wi-Fi is not supported", nil)
        case .timedOutWaitingForAccessory: ("the accessory stopped answering", "bring it nearer and try again")
        case .accessoryCommunicationFailure: ("the accessory was reached, but the exchange failed", nil)
        case .failedToJoinNetwork: ("the accessory could not join the network", nil)
        case .accessoryIsSuspended: ("the accessory sleeps", nil)
        case .partialCommunicationFailure: ("some accessories could not be reached", nil)
        case .homeUpgradeRequired: ("the home database was written by a newer version", "install that version")
        case .quotaExceeded: ("there is no space left", nil)
        case .usageDescriptionMissing: ("this app does not say what it needs the home for", "it must declare a purpose")
        case .daemonUnavailable: ("no daemon serves the home", "check that homehubd runs")
        case .protocolMismatch: ("this app and homehubd are of different versions", "install the same")
        case .storageFailed: ("the home database can't be written", "see the log of homehubd")
        }
    }
}
