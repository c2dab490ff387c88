import BoundedJSON

extension HomeManager {
    /// Adds a discovered device.
    ///
    /// If the accessory can't be added, the home is unchanged, and the daemon removes the pairing again if the device
    /// was already paired. If the call throws `daemonUnavailable` or `operationTimedOut`, check whether the accessory
    /// was added.
    ///
    /// - Parameters:
    ///   - accessory: The device.
    ///   - code: The device's setup code.
    ///   - home: The home to add the device to.
    ///   - name: The accessory's name; `nil` for the device's name, made valid if necessary.
    /// - Returns: The added accessories, or the name of the vendor's app that continues the setup.
    /// - Throws: `accessoryPairingFailed` for a wrong code, `objectAlreadyAssociatedToHome` or
    ///   `objectAssociatedToAnotherHome` if the device is already in a home, `accessoryIsBusy` or
    ///   `accessoryOutOfResources` if it doesn't accept another controller, `accessoryNotReachable` or
    ///   `timedOutWaitingForAccessory` if it doesn't respond, `accessoryOutOfCompliance` if it violates the protocol,
    ///   `objectWithSimilarNameExistsInHome` or `nameContainsProhibitedCharacters` to
    ///   `nameDoesNotEndWithValidCharacters` for the name.
    public func addAccessory(
        _ accessory: DiscoveredAccessory, code: SetupCode, to home: Home.ID, name: String? = nil
    ) async throws(HomeError) -> AddResult {
        try await add(AdditionRequest(home: home, device: accessory.id, code: code, name: name))
    }

    /// Adds the device that a QR code or an `AddAccessoryRequest` belongs to.
    ///
    /// - Parameters:
    ///   - payload: The content of the QR code, or the result of `request.makePayload(…)`.
    ///   - home: The home to add the device to.
    ///   - name: The accessory's name; `nil` for the device's name, made valid if necessary.
    /// - Returns: The added accessories, or the name of the vendor's app that continues the setup.
    /// - Throws: The errors of ``addAccessory(_:code:to:name:)``, `missingEntitlement` if the app didn't declare
    ///   `HomeCapability.setupPayload`, `incompatibleAccessory` for a device without support for IP networks,
    ///   `ownershipFailure` if the device rejects the vendor's token, `notFound` if the request was already answered,
    ///   `timedOutWaitingForAccessory` if the device isn't on the network.
    public func addAndSetupAccessories(
        with payload: AccessorySetupPayload, to home: Home.ID, name: String? = nil
    ) async throws(HomeError) -> AddResult {
        try await add(AdditionRequest(home: home, payload: payload, name: name))
    }

    /// Adds the accessory with a pairing of another controller, which keeps its pairing.
    ///
    /// - Parameters:
    ///   - device: The device ID of the accessory server.
    ///   - pairing: The pairing of the other controller, which must be an admin.
    ///   - home: The home to add the device to.
    /// - Returns: The added accessories, a bridge first.
    /// - Throws: The errors of ``addAccessory(_:code:to:name:)``; `accessoryPairingFailed` if the accessory doesn't
    ///   accept the pairing, `notFound` if it isn't on the network.
    package func addAccessory(
        _ device: DeviceID, with pairing: ControllerPairing, to home: Home.ID
    ) async throws(HomeError) -> [Accessory] {
        switch try await add(AdditionRequest(home: home, device: device, pairing: pairing)) {
        case .added(let accessories): return accessories
        case .handedOver: throw HomeError(.protocolMismatch)
        }
    }

    /// Pairs again with an accessory that was reset, or with a device that replaces it.
    ///
    /// The accessory and its services keep their identities, names, rooms, settings, scenes, groups and favorites. The
    /// same applies to the bridged accessories of a bridge. If the accessory can't be repaired, the home is unchanged.
    /// If the call throws `daemonUnavailable` or `operationTimedOut`, check whether the accessory was repaired.
    ///
    /// - Parameters:
    ///   - accessory: The accessory or bridge.
    ///   - credentials: The setup code, or the content of the QR code.
    ///   - device: The device that replaces the accessory; `nil` for the device of the QR code, or for the same device
    ///     after a reset.
    /// - Returns: The accessories, a bridge first.
    /// - Throws: The errors of ``addAccessory(_:code:to:name:)``, `notFound` if the device isn't on the network,
    ///   `incompatibleAccessory` if it has different services or characteristics, `operationNotSupported` for a bridged
    ///   accessory.
    @discardableResult
    public func repairAccessory(
        _ accessory: Accessory.ID, with credentials: AccessorySetupCredentials, device: DeviceID? = nil
    ) async throws(HomeError) -> [Accessory] {
        var request = RepairRequest(accessory: accessory, device: device)
        switch credentials {
        case .code(let code): request.code = code
        case .payload(let payload):
            try payload.validate()
            request.payload = payload
        }
        return try await commit(.repairAccessory(request), deadline: timeouts.setup) { json throws(HomeError) in
            try HomeCommit(json: json)
        } result: { graph, commit throws(HomeError) in
            graph.accessories(commit)
        }
    }

    /// Declines a request that this vendor's app received for a proof of ownership.
    ///
    /// - Throws: `notFound` if the request was already answered.
    public func decline(_ request: AddAccessoryRequest) async throws(HomeError) {
        try await call(.declineAddition(request.id), deadline: timeouts.call) { _ throws(HomeError) in }
    }

    /// The result of an addition, for apps with and without access to the home.
    enum Addition: Sendable {
        case added([Accessory])
        case unseen(AccessorySetupResult)
        case handedOver(appName: String)
    }

    /// Adds a device to a home that the app may access.
    func add(_ request: AdditionRequest) async throws(HomeError) -> AddResult {
        switch try await perform(request, as: .addAccessory(request)) {
        case .added(let accessories): return .added(accessories)
        case .handedOver(let app): return .handedOver(appName: app)
        case .unseen: throw HomeError(.protocolMismatch)
        }
    }

    /// Adds a device as a step of the standard setup, with or without permission.
    func setUp(_ request: AdditionRequest) async throws(HomeError) -> Addition {
        try await perform(request, as: .setUpAccessory(request))
    }

    private func perform(_ addition: AdditionRequest, as request: HomeRequest) async throws(HomeError) -> Addition {
        if let payload = addition.payload { try payload.validate() }
        let (reply, early) = try await call(request, deadline: timeouts.setup) { json throws(HomeError) in
            let reply = try Self.understood { () throws(HomeError) in try AdditionReply(json: json) }
            guard case .added(let commit) = reply else { return (reply, nil as Result<[Accessory], HomeError>?) }
            self.complete(commit)
            return (reply, self.current(commit) { $0.accessories($1) })
        }
        switch reply {
        case .handedOver(let app): return .handedOver(appName: app)
        case .setUp(let result): return .unseen(result)
        case .added(let commit):
            if let early { return .added(try early.get()) }
            try await waitUntilLoaded()
            return .added(replica.graph.accessories(commit))
        }
    }

    /// Returns a Boolean value that indicates whether the app may access the homes now.
    ///
    /// It waits for the daemon, but not for the user's decision.
    func maySeeHomes() async throws(HomeError) -> Bool {
        _ = try await connected()
        return authorizationStatus.contains(.authorized)
    }
}
