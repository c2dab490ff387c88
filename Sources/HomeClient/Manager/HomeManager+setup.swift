import BoundedJSON

extension HomeManager {
    /// Adds a device that a search found.
    ///
    /// - Parameters:
    ///   - accessory: the device.
    ///   - code: its setup code.
    ///   - home: where it is added.
    ///   - name: what it is to be called; its own name, repaired if need be, if `nil`.
    /// - Returns: the accessories; or that its maker's app goes on.
    /// - Throws: `accessoryPairingFailed` for the wrong code, `objectAlreadyAssociatedToHome` or
    ///   `objectAssociatedToAnotherHome` if it is in a home already, `accessoryIsBusy` or `accessoryOutOfResources` if
    ///   it does not take another controller, `accessoryNotReachable` or `timedOutWaitingForAccessory` if it does not
    ///   answer, `accessoryOutOfCompliance` if it does not keep to the rules, `objectWithSimilarNameExistsInHome` or
    ///   `nameContainsProhibitedCharacters` to `nameDoesNotEndWithValidCharacters` for the name. Then neither the home
    ///   nor the device has changed.
    public func addAccessory(
        _ accessory: DiscoveredAccessory, code: SetupCode, to home: Home.ID, name: String? = nil
    ) async throws(HomeError) -> AddResult {
        try await add(AdditionRequest(home: home, device: accessory.id, code: code, name: name))
    }

    /// Adds the device that a QR code, or the answer to an `AddAccessoryRequest`, is for.
    ///
    /// - Parameters:
    ///   - payload: the content of the QR code, or `request.makePayload(…)`.
    ///   - home: where it is added.
    ///   - name: what it is to be called; its own name, repaired if need be, if `nil`.
    /// - Returns: the accessories; or that its maker's app goes on.
    /// - Throws: as ``addAccessory(_:code:to:name:)``, and `missingEntitlement` if the app did not declare
    ///   `HomeCapability.setupPayload`, `incompatibleAccessory` for a device that cannot be on the network,
    ///   `ownershipFailure` if the device does not take the maker's token, `notFound` if the request was answered
    ///   already, `timedOutWaitingForAccessory` if no such device is there.
    public func addAndSetupAccessories(
        with payload: AccessorySetupPayload, to home: Home.ID, name: String? = nil
    ) async throws(HomeError) -> AddResult {
        try await add(AdditionRequest(home: home, payload: payload, name: name))
    }

    /// Pairs again with an accessory that was reset, or with a device that replaces it.
    ///
    /// The accessory and its services keep their identities, names, rooms and settings; scenes, groups and favorites stay.
    /// With a bridge, so do the accessories connected through it.
    ///
    /// - Parameters:
    ///   - accessory: the accessory, or the bridge.
    ///   - credentials: the setup code, or the content of the QR code.
    ///   - device: the device that takes the accessory's place; `nil` for the device of the QR code, or for the same device
    ///     after a reset.
    /// - Returns: the accessories, a bridge first.
    /// - Throws: as ``addAccessory(_:code:to:name:)``, and `notFound` if the device isn't on the network,
    ///   `incompatibleAccessory` if it has other services or characteristics, `operationNotSupported` for an accessory that
    ///   is connected through a bridge. Then neither the home nor the device has changed.
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

    /// Says that the maker's app will not add what it was asked to.
    ///
    /// - Throws: `notFound` if it was answered already.
    public func decline(_ request: AddAccessoryRequest) async throws(HomeError) {
        try await call(.declineAddition(request.id), deadline: timeouts.call) { _ throws(HomeError) in }
    }

    /// The result of an addition, for apps with and without access to the home.
    enum Addition: Sendable {
        case added([Accessory])
        case unseen(AccessorySetupResult)
        case handedOver(appName: String)
    }

    /// Adds a device.
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
