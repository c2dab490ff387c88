import BoundedJSON
import Discovery
import HAPController
import HAPProtocol
import HomeModel
import Logging

import struct HAPModel.DeviceID
import struct HAPModel.SetupCode

/// A validated request to add an accessory.
private struct Order: Sendable {
    var addition: AdditionRequest
    var home: Home.ID
    var target: SetupTarget
    var code: SetupCode?
    var token: AccessoryOwnershipToken?
    /// A Boolean value that indicates whether the app has no access to the home.
    var isUnseen: Bool
}

// Adds accessories to homes.
extension HomeHub {
    /// Finds an accessory, pairs with it and adds it to a home.
    ///
    /// If that fails, the home is unchanged. If a pairing was already created, the hub removes it from the accessory,
    /// now or when the accessory reappears.
    ///
    /// - Parameters:
    ///   - addition: The request.
    ///   - call: The call to answer.
    ///   - isSetup: Whether the request is part of the standard setup, which requires no entitlement.
    ///   - isUnseen: Whether the app has no access to the home, but the user allowed this addition. The app learns the
    ///     IDs of the accessories that it added and nothing else about the home, not even from errors. A policy or a
    ///     denial still prevents the addition.
    func addAccessory(_ addition: AdditionRequest, _ call: Call, isSetup: Bool = false, isUnseen: Bool = false) {
        do throws(HomeError) {
            let order = try order(addition, by: call.session, isSetup: isSetup, isUnseen: isUnseen)
            start { hub in await hub.carryOut(order, call) }
        } catch {
            refuse(call, isUnseen: isUnseen, with: error)
        }
    }

    /// Returns the advertised name of the accessory to add; empty if the accessory is unknown.
    func name(of addition: AdditionRequest) -> String {
        let target = SetupTarget(addition.device, addition.payload) ?? .any
        switch target.look(at: pairings.corrected(browser.snapshot), paired: pairings.unaddable()) {
        case .found(let accessory): return accessory.name
        case .missing, .ambiguous, .paired, .foreign: return ""
        }
    }

    /// The accessories that can be added, according to their records and the hub's pairings.
    var addable: [DiscoveredAccessory] {
        let (shown, paired) = (pairings.corrected(browser.snapshot), pairings.unaddable())
        return shown.accessories.filter { !$0.isPaired && !paired.contains($0.id) }
            .map { DiscoveredAccessory($0) }
    }

    /// Validates the parts of a request that can be checked before the accessory is found.
    private func order(
        _ addition: AdditionRequest, by session: SessionID, isSetup: Bool, isUnseen: Bool
    ) throws(HomeError) -> Order {
        guard let home = addition.home.map({ graph.home($0) }) ?? graph.primaryHome else {
            throw HomeError(.notFound, detail: "this home doesn't exist")
        }
        let payload = addition.payload
        try payload?.validate()
        var order = Order(
            addition: addition, home: home.id, target: SetupTarget(addition.device, payload) ?? .any,
            code: addition.code ?? payload?.setup?.code, token: payload?.ownershipToken, isUnseen: isUnseen)
        if addition.pairing != nil {
            guard let device = addition.device else {
                throw HomeError(.missingParameter, detail: "the device of the pairing is missing")
            }
            order.target = .pairedDevice(device)
        }
        guard let id = payload?.request else {
            guard (payload == nil && addition.pairing == nil) || isSetup || has(.setupPayload, session) else {
                throw HomeError(
                    .missingEntitlement, detail: "this app didn't declare that it adds accessories with setup codes")
            }
            return order
        }
        let request = try vendorRequests.answered(id, by: session, for: home.id)
        order.target = .device(request.device)
        order.code = order.code ?? request.code
        order.addition.name = addition.name ?? request.name
        return order
    }

    /// Validates an addition against the home.
    ///
    /// - Returns: The order. If the app has no access to the home and the requested name is in use, the order has no
    ///   name, because an error would reveal the name to the app.
    private func checked(_ order: Order, for device: DeviceID) throws(HomeError) -> Order {
        do throws(HomeError) {
            try graph.checkAddition(of: device, to: order.home, name: order.addition.name)
            return order
        } catch {
            guard order.isUnseen, error.code == .objectWithSimilarNameExistsInHome else { throw error }
            var order = order
            order.addition.name = nil
            return order
        }
    }

    private func carryOut(_ order: Order, _ call: Call) async {
        do throws(HomeError) {
            guard isAwaited(call) else { return }
            let accessory = try await found(order)
            guard isAwaited(call) else { return }
            let order = try checked(order, for: accessory.id)
            guard !additionsUnderWay.contains(accessory.id), !vendorRequests.isPending(accessory.id) else {
                throw HomeError(.operationInProgress, detail: "the accessory is already being added")
            }
            if let pairing = order.addition.pairing {
                additionsUnderWay.insert(accessory.id)
                defer { additionsUnderWay.remove(accessory.id) }
                return try await pairAndAdd(accessory, order, call) { () throws(SetupError) in
                    try await addPairing(to: accessory, with: pairing)
                }
            }
            if let vendor = accessory.vendor, order.token == nil {
                let app = handOver(
                    order.addition, to: order.home, of: accessory, vendor: vendor, by: call.session)
                return answer(call, .success(AdditionReply.handedOver(app: app).json), isForAnyone: order.isUnseen)
            }
            guard let code = order.code else {
                throw HomeError(.missingParameter, detail: "the setup code is missing; it's on the accessory's label")
            }
            additionsUnderWay.insert(accessory.id)
            defer { additionsUnderWay.remove(accessory.id) }
            try await pairAndAdd(accessory, order, call) { () throws(SetupError) in
                try await pair(with: accessory, code: code, token: order.token?.bytes)
            }
        } catch {
            refuse(call, isUnseen: order.isUnseen, with: error)
        }
    }

    private func pairAndAdd(
        _ accessory: AdvertisedAccessory, _ order: Order, _ call: Call,
        pairing pair: () async throws(SetupError) -> (AccessorySetup.Added, ControllerIdentity)
    ) async throws(HomeError) {
        let added: AccessorySetup.Added
        let identity: ControllerIdentity
        do throws(SetupError) {
            (added, identity) = try await pair()
        } catch {
            logger.info("addition failed", metadata: ["accessory": "\(accessory.id)", "reason": "\(error)"])
            throw error == .vaultFailed ? store.failure("nothing was added", after: nil) : HomeError(error)
        }
        do throws(HomeError) {
            try await change(at: try commitQueue.enter(), by: call) { (planned) throws(HomeError) in
                var generator = SystemRandomNumbers()
                let commit = try planned.add(
                    AccessoryAddition(
                        home: order.home, deviceID: accessory.id, category: accessory.category,
                        accessories: added.database.accessories, descriptions: added.database.descriptions,
                        name: order.addition.name), using: &generator)
                return (commit, commit.transaction)
            } applied: { commit in
                answer(call, .success(reply(to: order, commit).json), isForAnyone: order.isUnseen)
                connect(to: added.pairing, as: identity, known: added)
            }
        } catch {
            logger.info("addition undone", metadata: ["accessory": "\(accessory.id)", "error": "\(error)"])
            await unpair(added.pairing, as: identity)
            throw error
        }
    }

    private func reply(to order: Order, _ commit: HomeCommit) -> AdditionReply {
        guard order.isUnseen, case .accessories(let ids) = commit.result else { return .added(commit) }
        return .setUp(AccessorySetupResult(home: order.home, accessories: ids))
    }

    /// Answers a call with an error, which contains only information that the app may have.
    private func refuse(_ call: Call, isUnseen: Bool, with error: HomeError) {
        answer(call, with: isUnseen ? error.unseen : error)
    }

    // MARK: Search

    private func found(_ order: Order) async throws(HomeError) -> AdvertisedAccessory {
        // The search skips accessories that are already in a home. This check reports a clearer error for them.
        if let id = order.target.device(in: browser.snapshot) { _ = try checked(order, for: id) }
        return try await find(order.target, isUnseen: order.isUnseen)
    }

    /// Finds an unpaired device on the network.
    ///
    /// `former` is a device whose pairing is being replaced, so it counts as unpaired. If `isUnseen` is `true`, errors
    /// don't name other devices.
    func find(
        _ target: SetupTarget, replacing former: DeviceID? = nil, isUnseen: Bool = false
    ) async throws(HomeError) -> AdvertisedAccessory {
        switch await searchResult(of: target, replacing: former) {
        case .found(let accessory): return accessory
        case .paired: throw HomeError(SetupError.alreadyPaired)
        case .foreign(let accessories) where browser.snapshot.discoveryError == nil:
            throw HomeError(.accessoryNotReachable, detail: Self.noSuchCode(isUnseen ? nil : accessories))
        case .ambiguous:
            throw HomeError(
                .invalidParameter, detail: "several accessories match; choose one, or scan its label")
        case .missing, .foreign:
            if let error = browser.snapshot.discoveryError {
                throw HomeError(.accessoryDiscoveryFailed, detail: error)
            }
            switch target {
            case .device, .pairedDevice:
                throw HomeError(
                    .notFound, detail: "the accessory isn't on the network; check that it has power and is near")
            case .setupID, .any:
                throw HomeError(
                    .timedOutWaitingForAccessory,
                    detail: "no matching accessory is on the network; check that it has power and isn't paired yet")
            }
        }
    }

    /// Returns the message for a label that matches no accessory; it names up to eight candidates if the app may see
    /// them.
    private static func noSuchCode(_ accessories: [AdvertisedAccessory]?) -> String {
        let sentence = "no device on the network has this code; check that it has power and is near"
        guard let accessories else { return sentence }
        guard !accessories.isEmpty else { return "\(sentence). No other device is ready to be added" }
        let names = accessories.prefix(8).map { "\"\($0.name)\" (\($0.id))" }.joined(separator: ", ")
        let more = accessories.count > 8 ? " and \(accessories.count - 8) more" : ""
        return "\(sentence). Devices with other codes: \(names)\(more)"
    }

    /// Searches for an accessory, and waits a few seconds for it if it isn't visible yet.
    private func searchResult(of target: SetupTarget, replacing former: DeviceID?) async -> SetupTarget.SearchResult {
        let first = target.look(
            at: pairings.corrected(browser.snapshot), paired: pairings.unaddable(besides: former))
        guard first == .missing else { return first }
        // A user who scanned a label or repairs a device has the device at hand, so a short timeout suffices. The same
        // applies to a device with a known pairing, because all such devices of a file are searched in order.
        let isScanned =
            switch target {
            case .setupID, .pairedDevice: true
            case .device, .any: former != nil
            }
        let timeout = min(
            configuration.searchTimeout, isScanned ? configuration.labelSearchTimeout : .seconds(86400))
        browser.refresh()
        return await withTaskGroup(of: SetupTarget.SearchResult.self) { group in
            group.addTask {
                for await snapshot in self.browser.snapshots() {
                    let pairings = await self.pairings
                    let searchResult = target.look(
                        at: pairings.corrected(snapshot), paired: pairings.unaddable(besides: former))
                    if searchResult != .missing { return searchResult }
                }
                return .missing
            }
            group.addTask {
                try? await Task.sleep(for: timeout)
                let pairings = await self.pairings
                return target.lastLook(
                    at: pairings.corrected(self.browser.snapshot), paired: pairings.unaddable(besides: former))
            }
            let searchResult = await group.next() ?? .missing
            group.cancelAll()
            return searchResult
        }
    }
}

extension DiscoveredAccessory {
    /// Creates the description that apps receive of an accessory on the network.
    fileprivate init(_ accessory: AdvertisedAccessory) {
        self.init(
            id: accessory.id, name: accessory.name, category: accessory.category, model: accessory.model,
            setupHash: accessory.setupHash, vendor: accessory.vendor)
    }
}

extension HomeError {
    /// The error for an app without access to the home.
    ///
    /// It contains no names from the home.
    fileprivate var unseen: HomeError {
        switch code {
        case .objectAlreadyAssociatedToHome, .objectAssociatedToAnotherHome:
            HomeError(.objectAssociatedToAnotherHome)
        case .objectWithSimilarNameExistsInHome: HomeError(.addAccessoryFailed)
        default: HomeError(code, detail: detail)
        }
    }
}
