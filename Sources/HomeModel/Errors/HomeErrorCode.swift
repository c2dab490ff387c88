import SystemKit

extension HomeError {
    /// Error codes with the numbers and names of Apple's `HMError.Code`, so that logs can be compared.
    ///
    /// Apple doesn't use 94. Numbers from 1001 are specific to Lamplighter.
    @nonexhaustive
    public enum Code: Int, Sendable, Hashable, CaseIterable {
        /// An unexpected error occurred.
        case unexpectedError = -1
        /// The object already exists.
        case alreadyExists = 1
        /// The object doesn't exist.
        case notFound = 2
        /// A parameter of the request is invalid.
        case invalidParameter = 3
        /// The accessory doesn't respond.
        case accessoryNotReachable = 4
        /// The characteristic is read-only.
        case readOnlyCharacteristic = 5
        /// The characteristic is write-only.
        case writeOnlyCharacteristic = 6
        /// The accessory doesn't report changes of this characteristic.
        case notificationNotSupported = 7
        /// The operation timed out.
        case operationTimedOut = 8
        /// The accessory is switched off.
        case accessoryPoweredOff = 9
        /// The user isn't allowed to do that.
        case accessDenied = 10
        /// The object belongs to another home.
        case objectAssociatedToAnotherHome = 11
        /// The accessory doesn't belong to this home.
        case objectNotAssociatedToAnyHome = 12
        /// The accessory already belongs to this home.
        case objectAlreadyAssociatedToHome = 13
        /// The accessory is busy.
        case accessoryIsBusy = 14
        /// The same operation is already in progress.
        case operationInProgress = 15
        /// The accessory has no resources for another controller.
        case accessoryOutOfResources = 16
        /// Only an administrator can do that.
        case insufficientPrivileges = 17
        /// The accessory rejected the setup code.
        case accessoryPairingFailed = 18
        /// The accessory describes a value in an unsupported format.
        case invalidDataFormatSpecified = 19
        /// A required value is missing.
        case nilParameter = 20
        /// The object isn't completely configured.
        case unconfiguredParameter = 21
        /// The object has the wrong class.
        case invalidClass = 22
        /// The operation was canceled.
        case operationCancelled = 23
        /// The default room can't belong to a zone.
        case roomForHomeCannotBeInZone = 24
        /// The scene has no actions.
        case noActionsInActionSet = 25
        /// The automation has no scenes.
        case noRegisteredActionSets = 26
        /// A required parameter is missing.
        case missingParameter = 27
        /// The date is in the past.
        case fireDateInPast = 28
        /// The default room can't be renamed or removed.
        case roomForHomeCannotBeUpdated = 29
        /// The action belongs to another scene.
        case actionInAnotherActionSet = 30
        /// The name is already in use in this home.
        case objectWithSimilarNameExistsInHome = 31
        /// Another home has that name.
        case homeWithSimilarNameExists = 32
        /// The object already has that name.
        case renameWithSimilarName = 33
        /// A bridged accessory can only be removed with its bridge.
        case cannotRemoveNonBridgeAccessory = 34
        /// The name has characters other than letters, digits, spaces and apostrophes.
        case nameContainsProhibitedCharacters = 35
        /// The name doesn't start with a letter or a digit.
        case nameDoesNotStartWithValidCharacters = 36
        /// The user ID isn't an email address.
        case userIDNotEmailAddress = 37
        /// The user was not added.
        case userDeclinedAddingUser = 38
        /// The user was not removed.
        case userDeclinedRemovingUser = 39
        /// The invitation was declined.
        case userDeclinedInvite = 40
        /// Managing users failed.
        case userManagementFailed = 41
        /// The interval is shorter than five minutes.
        case recurrenceTooSmall = 42
        /// The value has the wrong type.
        case invalidValueType = 43
        /// The value is below the accessory's minimum.
        case valueLowerThanMinimum = 44
        /// The value is above the accessory's maximum.
        case valueHigherThanMaximum = 45
        /// The string exceeds the maximum length.
        case stringLongerThanMaximum = 46
        /// The app isn't authorized to access the home.
        case homeAccessNotAuthorized = 47
        /// The accessory doesn't support the operation.
        case operationNotSupported = 48
        /// The maximum number of objects is reached.
        case maximumObjectLimitReached = 49
        /// The accessory sent an invalid response.
        case accessorySentInvalidResponse = 50
        /// The name is empty.
        case stringShorterThanMinimum = 51
        /// The operation failed.
        case genericError = 52
        /// The secure connection to the accessory failed.
        case securityFailure = 53
        /// The connection to the accessory failed.
        case communicationFailure = 54
        /// A message failed authentication.
        case messageAuthenticationFailed = 55
        /// The data exceeds the maximum length.
        case invalidMessageSize = 56
        /// Discovering accessories failed.
        case accessoryDiscoveryFailed = 57
        /// The accessory rejected the request.
        case clientRequestError = 58
        /// The accessory reported an error.
        case accessoryResponseError = 59
        /// The name doesn't end with a letter or a digit.
        case nameDoesNotEndWithValidCharacters = 60
        /// The accessory misbehaved and was blocked.
        case accessoryIsBlocked = 61
        /// The service can't be displayed as that type.
        case invalidAssociatedServiceType = 62
        /// The scene failed.
        case actionSetExecutionFailed = 63
        /// Part of the scene failed.
        case actionSetExecutionPartialSuccess = 64
        /// The scene is still running.
        case actionSetExecutionInProgress = 65
        /// The accessory violates HomeKit's rules.
        case accessoryOutOfCompliance = 66
        /// Resetting the data failed.
        case dataResetFailure = 67
        /// The app already observes the characteristic.
        case notificationAlreadyEnabled = 68
        /// The interval isn't a multiple of a minute.
        case recurrenceMustBeOnSpecifiedBoundaries = 69
        /// The date isn't on a full minute.
        case dateMustBeOnSpecifiedBoundaries = 70
        /// The date is too far in the future.
        case cannotActivateTriggerTooFarInFuture = 71
        /// The interval is longer than five weeks.
        case recurrenceTooLarge = 72
        /// Some of the reads or writes failed.
        case readWritePartialSuccess = 73
        /// All of the reads or writes failed.
        case readWriteFailure = 74
        /// The user isn't signed in to an account.
        case notSignedIntoiCloud = 75
        /// Keys aren't synchronized.
        case keychainSyncNotEnabled = 76
        /// Data is being synchronized.
        case cloudDataSyncInProgress = 77
        /// The network is unavailable.
        case networkUnavailable = 78
        /// The accessory couldn't be added.
        case addAccessoryFailed = 79
        /// The app didn't declare the required capability.
        case missingEntitlement = 80
        /// A bridged accessory can only be unblocked with its bridge.
        case cannotUnblockNonBridgeAccessory = 81
        /// The device is locked.
        case deviceLocked = 82
        /// A built-in scene can't be removed.
        case cannotRemoveBuiltinActionSet = 83
        /// The home has no location.
        case locationForHomeDisabled = 84
        /// The app isn't allowed to use the location.
        case notAuthorizedForLocationServices = 85
        /// The accessory needs attention, as described in its manual.
        case referToUserManual = 86
        /// The accessory requires additional authorization.
        case invalidOrMissingAuthorizationData = 87
        /// The bridge responds, but the accessory connected through it doesn't.
        case bridgedAccessoryNotReachable = 88
        /// The app isn't allowed to use the microphone.
        case notAuthorizedForMicrophoneAccess = 89
        /// The network is incompatible with the accessory.
        case incompatibleNetwork = 90
        /// The home has no hub.
        case noHomeHub = 91
        /// No home hub supports the operation.
        case noCompatibleHomeHub = 92
        /// The accessory uses an unsupported protocol.
        case incompatibleAccessory = 93
        /// The name is already in use in this accessory.
        case objectWithSimilarNameExists = 95
        /// The accessory rejected the proof of ownership.
        case ownershipFailure = 96
        /// The maximum number of accessories of this type is reached.
        case maximumAccessoriesOfTypeInHome = 97
        /// Generating Wi-Fi credentials failed.
        case wiFiCredentialGenerationFailed = 98
        /// The type of Wi-Fi network isn't supported.
        case enterpriseNetworkNotSupported = 99
        /// The accessory stopped responding.
        case timedOutWaitingForAccessory = 100
        /// The accessory is reachable, but the exchange failed.
        case accessoryCommunicationFailure = 101
        /// The accessory couldn't join the network.
        case failedToJoinNetwork = 102
        /// The accessory is asleep.
        case accessoryIsSuspended = 103
        /// Some accessories are unreachable.
        case partialCommunicationFailure = 104
        /// The home database was written by a newer version.
        case homeUpgradeRequired = 105
        /// The storage is full.
        case quotaExceeded = 106
        /// The app has no usage description.
        case usageDescriptionMissing = 1001
        /// The daemon isn't running.
        case daemonUnavailable = 1002
        /// The app and homehubd have incompatible versions.
        case protocolMismatch = 1003
        /// The hub can't store the change.
        case storageFailed = 1004
    }
}

extension HomeError.Code {
    /// The name that is printed next to the number.
    public var name: String { String(describing: self) }

    /// The problem, followed by a semicolon and the remedy if one is known, for the user whose request failed.
    public var message: String { remedy.map { "\(problem); \($0)" } ?? problem }

    /// The problem, for the user whose request failed.
    package var problem: String { words.problem }

    /// The remedy, if one is known.
    package var remedy: String? { words.remedy }

    private var words: (problem: String, remedy: String?) {
        switch self {
        case .unexpectedError: ("an internal error occurred", "check the log of homehubd")
        case .alreadyExists: ("the object already exists", nil)
        case .notFound: ("there is no such object", nil)
        case .invalidParameter: ("the request is invalid", nil)
        case .accessoryNotReachable: ("the accessory doesn't respond", "check that it has power and is on the network")
        case .readOnlyCharacteristic: ("this value can't be changed", nil)
        case .writeOnlyCharacteristic: ("this value can't be read", nil)
        case .notificationNotSupported: ("the accessory doesn't send events for this value", nil)
        case .operationTimedOut: ("the operation timed out", "try again")
        case .accessoryPoweredOff: ("the accessory is switched off", nil)
        case .accessDenied: ("this user isn't allowed to do that", nil)
        case .objectAssociatedToAnotherHome: ("the object belongs to another home", nil)
        case .objectNotAssociatedToAnyHome: ("the accessory isn't in this home", nil)
        case .objectAlreadyAssociatedToHome: ("the accessory is already in this home", nil)
        case .accessoryIsBusy: ("the accessory is busy", "try again in a moment")
        case .operationInProgress: ("the same operation is already in progress", "wait until it is done")
        case .accessoryOutOfResources:
            ("the accessory can't store another controller", "remove one of its controllers first")
        case .insufficientPrivileges: ("only an administrator can do that", nil)
        case .accessoryPairingFailed: ("the setup code is wrong", "check the digits")
        case .invalidDataFormatSpecified: ("the accessory describes a value in an unknown format", nil)
        case .nilParameter: ("a value is required", nil)
        case .unconfiguredParameter: ("the object isn't completely set up", nil)
        case .invalidClass: ("this is the wrong kind of object", nil)
        case .operationCancelled: ("the operation was canceled", nil)
        case .roomForHomeCannotBeInZone: ("the default room can't be part of a zone", nil)
        case .noActionsInActionSet:
            ("this scene doesn't set anything yet", "add values with \(ShellCommand.homehub) scenes set")
        case .noRegisteredActionSets: ("the automation has no scenes", nil)
        case .missingParameter: ("the request is incomplete", nil)
        case .fireDateInPast: ("the time is in the past", nil)
        case .roomForHomeCannotBeUpdated: ("the default room can't be renamed or removed", "rename the home instead")
        case .actionInAnotherActionSet: ("the action is part of another scene", nil)
        case .objectWithSimilarNameExistsInHome: ("the name is already used in this home", "choose another name")
        case .homeWithSimilarNameExists: ("another home has that name", "choose another name")
        case .renameWithSimilarName: ("the object already has that name", nil)
        case .cannotRemoveNonBridgeAccessory:
            ("a bridged accessory can only be removed with its bridge", "remove the bridge")
        case .nameContainsProhibitedCharacters: ("a name can contain only letters, digits, spaces and apostrophes", nil)
        case .nameDoesNotStartWithValidCharacters: ("a name must begin with a letter or a digit", nil)
        case .userIDNotEmailAddress: ("the user id isn't an email address", nil)
        case .userDeclinedAddingUser: ("the user wasn't added", nil)
        case .userDeclinedRemovingUser: ("the user wasn't removed", nil)
        case .userDeclinedInvite: ("the invitation was declined", nil)
        case .userManagementFailed: ("the users couldn't be changed", nil)
        case .recurrenceTooSmall: ("the interval is shorter than five minutes", nil)
        case .invalidValueType: ("the value has the wrong type", nil)
        case .valueLowerThanMinimum: ("the value is below the accessory's minimum", nil)
        case .valueHigherThanMaximum: ("the value is above the accessory's maximum", nil)
        case .stringLongerThanMaximum: ("the text is too long", nil)
        case .homeAccessNotAuthorized:
            ("this app has no access to the home", "allow it with \"\(ShellCommand.homehub) privacy allow\"")
        case .operationNotSupported: ("the accessory doesn't support that", nil)
        case .maximumObjectLimitReached: ("the maximum number of objects is reached", "remove one first")
        case .accessorySentInvalidResponse: ("the accessory sent an invalid response", nil)
        case .stringShorterThanMinimum: ("a name can't be empty", nil)
        case .genericError: ("the operation failed", nil)
        case .securityFailure: ("the secure connection to the accessory failed", nil)
        case .communicationFailure: ("the connection to the accessory was lost", nil)
        case .messageAuthenticationFailed: ("a message wasn't from the accessory", nil)
        case .invalidMessageSize: ("the data is too long", nil)
        case .accessoryDiscoveryFailed: ("the search for accessories failed", "check that avahi-daemon is running")
        case .clientRequestError: ("the accessory rejected the request", nil)
        case .accessoryResponseError: ("the accessory reported an error", nil)
        case .nameDoesNotEndWithValidCharacters: ("a name must end with a letter or a digit", nil)
        case .accessoryIsBlocked: ("the accessory misbehaved and was blocked", "unblock it to try again")
        case .invalidAssociatedServiceType: ("the service can't be shown as that type", nil)
        case .actionSetExecutionFailed: ("the scene failed", nil)
        case .actionSetExecutionPartialSuccess: ("part of the scene failed", nil)
        case .actionSetExecutionInProgress: ("the scene is already running", nil)
        case .accessoryOutOfCompliance: ("the accessory violates HomeKit's rules", nil)
        case .dataResetFailure: ("the data couldn't be reset", nil)
        case .notificationAlreadyEnabled: ("notifications are already enabled", nil)
        case .recurrenceMustBeOnSpecifiedBoundaries: ("the interval must be in whole minutes", nil)
        case .dateMustBeOnSpecifiedBoundaries: ("the time must fall on a full minute", nil)
        case .cannotActivateTriggerTooFarInFuture: ("the time is too far in the future", nil)
        case .recurrenceTooLarge: ("the interval is longer than five weeks", nil)
        case .readWritePartialSuccess: ("some of the requests failed", nil)
        case .readWriteFailure: ("all of the requests failed", nil)
        case .notSignedIntoiCloud: ("not signed in to an account", nil)
        case .keychainSyncNotEnabled: ("keys aren't synchronized", nil)
        case .cloudDataSyncInProgress: ("data is being synchronized", nil)
        case .networkUnavailable: ("the network is unavailable", nil)
        case .addAccessoryFailed: ("the accessory couldn't be added", nil)
        case .missingEntitlement: ("the app didn't declare the required capability", nil)
        case .cannotUnblockNonBridgeAccessory: ("a bridged accessory can only be unblocked with its bridge", nil)
        case .deviceLocked: ("the device is locked", nil)
        case .cannotRemoveBuiltinActionSet: ("a built-in scene can't be removed", nil)
        case .locationForHomeDisabled: ("the home has no location", nil)
        case .notAuthorizedForLocationServices: ("access to the location isn't allowed", nil)
        case .referToUserManual: ("the accessory needs attention", "see its manual")
        case .invalidOrMissingAuthorizationData: ("the accessory requires additional authorization", nil)
        case .bridgedAccessoryNotReachable: ("the bridge responds, but the accessory doesn't", nil)
        case .notAuthorizedForMicrophoneAccess: ("access to the microphone isn't allowed", nil)
        case .incompatibleNetwork: ("the network is incompatible with the accessory", nil)
        case .noHomeHub: ("the home has no hub", nil)
        case .noCompatibleHomeHub: ("no hub supports this", nil)
        case .incompatibleAccessory: ("the accessory uses an unsupported protocol", nil)
        case .objectWithSimilarNameExists: ("the name is already used in this accessory", "choose another name")
        case .ownershipFailure: ("the accessory rejected the ownership token", nil)
        case .maximumAccessoriesOfTypeInHome: ("the limit for this type of accessory is reached", nil)
        case .wiFiCredentialGenerationFailed: ("couldn't create Wi-Fi credentials", nil)
        case .enterpriseNetworkNotSupported: ("this type of Wi-Fi network isn't supported", nil)
        case .timedOutWaitingForAccessory: ("the accessory stopped responding", "move it closer and try again")
        case .accessoryCommunicationFailure: ("the accessory is reachable, but the exchange failed", nil)
        case .failedToJoinNetwork: ("the accessory couldn't join the network", nil)
        case .accessoryIsSuspended: ("the accessory is asleep", nil)
        case .partialCommunicationFailure: ("some accessories are unreachable", nil)
        case .homeUpgradeRequired: ("the home database was written by a newer version", "install that version")
        case .quotaExceeded: ("the storage is full", nil)
        case .usageDescriptionMissing: ("this app has no usage description", "it must declare a purpose")
        case .daemonUnavailable: ("homehubd isn't running", "start homehubd")
        case .protocolMismatch: ("this app and homehubd have incompatible versions", "install the same version of both")
        case .storageFailed: ("the home database can't be written", "check the log of homehubd")
        }
    }
}
