import BoundedJSON
import Discovery
import HAPController
import HAPProtocol
import HomeModel
import Logging

import struct HAPModel.DeviceID
import struct HAPModel.SetupCode
import struct HAPModel.SetupPayload

/// The accessories that are being added, and those that could be.
final class Additions {
    /// What is to be added, once it is known to be permitted.
    private struct Order: Sendable {
        var addition: AdditionRequest
        var home: Home.ID
        var target: SetupTarget
        var code: SetupCode?
        var token: AccessoryOwnershipToken?
        /// Whether it is the standard setup.
        var isSetup = false
        /// Whether the app may not see the home.
        var isUnseen = false
    }

    /// Each once.
    private var underWay: Set<DeviceID> = []

    /// Adds an accessory to a home: finds it, pairs with it, and makes it part of the home.
    ///
    /// Until it is part of the home, a failure leaves the home and the accessory as they were.
    func add(_ addition: AdditionRequest, _ call: Call, isSetup: Bool = false, in hub: isolated HomeHub) {
        do throws(HomeError) {
            let order = try order(addition, by: call.session, isSetup: isSetup, in: hub)
            hub.start { hub in await hub.additions.carryOut(order, call, in: hub) }
        } catch {
            hub.answer(call, with: error)
        }
    }

    /// Adds an accessory for an app that may not see the home, after the user has said yes to this addition.
    ///
    /// The app learns what it has added and nothing of what was there before, not by a refusal either. A policy, or a no that
    /// comes meanwhile, keeps it out of this, too.
    func setUpUnseen(_ addition: AdditionRequest, _ call: Call, in hub: isolated HomeHub) {
        do throws(HomeError) {
            var order = try order(addition, by: call.session, isSetup: true, in: hub)
            order.isUnseen = true
            hub.start { [order] hub in await hub.additions.carryOut(order, call, in: hub) }
        } catch {
            hub.answer(call, with: error.unseen)
        }
    }

    /// What the network calls the accessory that is to be added; empty if it is not known which that is.
    func name(of addition: AdditionRequest, in hub: isolated HomeHub) -> String {
        var target = SetupTarget.any
        if let device = addition.device {
            target = .device(device)
        } else if let setupID = addition.payload?.setup?.setupID {
            target = .setupID(setupID)
        }
        switch target.look(at: hub.pairings.corrected(hub.browser.snapshot), paired: hub.pairings.unaddable()) {
        case .found(let accessory): return accessory.name
        case .missing, .ambiguous, .paired, .foreign: return ""
        }
    }

    /// Checks what an accessory that was seen is to become.
    ///
    /// - Returns: the order; for who may not see the home without a name that is taken, which would tell of what has it.
    private func checked(_ order: Order, for device: DeviceID, in graph: HomeGraph) throws(HomeError) -> Order {
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

    /// Answers a call that adds, with no more than its app may know.
    private func refuse(_ call: Call, _ order: Order, with error: HomeError, in hub: isolated HomeHub) {
        hub.answer(call, with: order.isUnseen ? error.unseen : error)
    }

    /// Checks what can be checked before the accessory is seen.
    private func order(
        _ addition: AdditionRequest, by session: SessionID, isSetup: Bool, in hub: isolated HomeHub
    ) throws(HomeError) -> Order {
        guard let home = addition.home.map({ hub.graph.home($0) }) ?? hub.graph.primaryHome else {
            throw HomeError(.notFound, detail: "there is no such home")
        }
        let payload = addition.payload
        try payload?.validate()
        var order = Order(
            addition: addition, home: home.id, target: .any, code: addition.code ?? payload?.setup?.code,
            token: payload?.ownershipToken, isSetup: isSetup)
        if let device = addition.device {
            order.target = .device(device)
        } else if let setupID = payload?.setup?.setupID {
            order.target = .setupID(setupID)
        }
        guard let id = payload?.request else {
            guard payload == nil || isSetup || hub.sessions.has(.setupPayload, session) else {
                throw HomeError(
                    .missingEntitlement, detail: "this app did not declare that it adds accessories with their codes")
            }
            return order
        }
        let request = try hub.vendorApps.answered(id, by: session, for: home.id)
        order.target = .device(request.device)
        order.code = order.code ?? request.code
        order.addition.name = addition.name ?? request.name
        return order
    }

    private func carryOut(_ order: Order, _ call: Call, in hub: isolated HomeHub) async {
        do throws(HomeError) {
            guard hub.isAwaited(call) else { return }
            let accessory = try await found(order, in: hub)
            guard hub.isAwaited(call) else { return }
            let order = try checked(order, for: accessory.id, in: hub.graph)
            guard !underWay.contains(accessory.id), !hub.vendorApps.isPending(accessory.id) else {
                throw HomeError(.operationInProgress, detail: "the accessory is being added already")
            }
            if let vendor = accessory.vendor, order.token == nil {
                let app = hub.vendorApps.handOver(
                    order.addition, to: order.home, of: accessory, vendor: vendor, by: call.session, in: hub)
                return hub.answer(call, .success(AdditionReply.handedOver(app: app).json), isForAnyone: order.isUnseen)
            }
            guard let code = order.code else {
                throw HomeError(.missingParameter, detail: "the setup code is missing; it is on the accessory's label")
            }
            underWay.insert(accessory.id)
            defer { underWay.remove(accessory.id) }
            try await pair(with: accessory, code: code, order, call, in: hub)
        } catch {
            refuse(call, order, with: error, in: hub)
        }
    }

    // MARK: Finding it

    private func found(
        _ order: Order, in hub: isolated HomeHub
    ) async throws(HomeError) -> HAPController.DiscoveredAccessory {
        // What is in a home already is found nowhere, but that is not what is wrong.
        if let id = order.target.device(in: hub.browser.snapshot) {
            _ = try checked(order, for: id, in: hub.graph)
        }
        return try await device(for: order.target, isUnseen: order.isUnseen, in: hub)
    }

    /// Finds a device on the network.
    ///
    /// - Parameters:
    ///   - target: the device.
    ///   - former: a device whose existing pairing is replaced, so it counts as unpaired.
    ///   - isUnseen: whether the app may not know of other devices.
    ///   - hub: the hub.
    /// - Returns: the device, which is free.
    /// - Throws: why there is none.
    func device(
        for target: SetupTarget, replacing former: DeviceID? = nil, isUnseen: Bool = false, in hub: isolated HomeHub
    ) async throws(HomeError) -> HAPController.DiscoveredAccessory {
        switch await searchResult(of: target, replacing: former, in: hub) {
        case .found(let accessory): return accessory
        case .paired: throw HomeError(SetupError.alreadyPaired)
        case .foreign(let accessories) where hub.browser.snapshot.discoveryError == nil:
            throw HomeError(.accessoryNotReachable, detail: Self.noSuchCode(isUnseen ? nil : accessories))
        case .ambiguous:
            throw HomeError(
                .invalidParameter, detail: "several accessories could be meant; choose one, or scan its label")
        case .missing, .foreign:
            if let error = hub.browser.snapshot.discoveryError {
                throw HomeError(.accessoryDiscoveryFailed, detail: error)
            }
            if case .device = target {
                throw HomeError(
                    .notFound, detail: "the accessory is not on the network; check that it has power and is near")
            }
            throw HomeError(
                .timedOutWaitingForAccessory,
                detail: "no such accessory is on the network; check that it has power and is not paired already")
        }
    }

    /// What is said of a label that belongs to no accessory on the network.
    ///
    /// - Parameter accessories: those that could be added; `nil` for who may not know.
    /// - Returns: a sentence with some of their names.
    private static func noSuchCode(_ accessories: [HAPController.DiscoveredAccessory]?) -> String {
        let sentence = "no device on the network has this code; check that it has power and is near"
        guard let accessories else { return sentence }
        guard !accessories.isEmpty else { return "\(sentence). There is none that could be added" }
        let names = accessories.prefix(8).map { "\"\($0.name)\" (\($0.id))" }.joined(separator: ", ")
        let more = accessories.count > 8 ? " and \(accessories.count - 8) more" : ""
        return "\(sentence). There are others: \(names)\(more)"
    }

    /// Looks for an accessory, and waits for one that is not there yet.
    private func searchResult(
        of target: SetupTarget, replacing former: DeviceID?, in hub: isolated HomeHub
    ) async -> SetupTarget.SearchResult {
        let first = target.look(
            at: hub.pairings.corrected(hub.browser.snapshot), paired: hub.pairings.unaddable(besides: former))
        guard first == .missing else { return first }
        // A person who has scanned a label, or repairs a device, has it at hand.
        let isScanned = if case .setupID = target { true } else { former != nil }
        let timeout = min(
            hub.configuration.searchTimeout, isScanned ? hub.configuration.labelSearchTimeout : .seconds(86400))
        hub.browser.refresh()
        let browser = hub.browser
        return await withTaskGroup(of: SetupTarget.SearchResult.self) { group in
            group.addTask {
                for await snapshot in browser.snapshots() {
                    let (shown, paired) = await hub.turn {
                        ($0.pairings.corrected(snapshot), $0.pairings.unaddable(besides: former))
                    }
                    let searchResult = target.look(at: shown, paired: paired)
                    if searchResult != .missing { return searchResult }
                }
                return .missing
            }
            group.addTask {
                try? await Task.sleep(for: timeout)
                let (shown, paired) = await hub.turn {
                    ($0.pairings.corrected($0.browser.snapshot), $0.pairings.unaddable(besides: former))
                }
                return target.lastLook(at: shown, paired: paired)
            }
            let searchResult = await group.next() ?? .missing
            group.cancelAll()
            return searchResult
        }
    }

    // MARK: Pairing

    private func pair(
        with accessory: HAPController.DiscoveredAccessory, code: SetupCode, _ order: Order, _ call: Call,
        in hub: isolated HomeHub
    ) async throws(HomeError) {
        let added: AccessorySetup.Added
        let identity: ControllerIdentity
        do throws(SetupError) {
            (added, identity) = try await hub.pairings.pair(
                with: accessory, code: code, token: order.token?.bytes, in: hub)
        } catch {
            hub.logger.info("addition failed", metadata: ["accessory": "\(accessory.id)", "reason": "\(error)"])
            throw error == .vaultFailed ? hub.store.failure("nothing was added", after: nil) : HomeError(error)
        }
        do throws(HomeError) {
            try await hub.change(at: try hub.commitQueue.enter(), by: call) { (planned) throws(HomeError) in
                var generator = SystemRandomNumbers()
                let commit = try planned.add(
                    AccessoryAddition(
                        home: order.home, deviceID: accessory.id, category: accessory.category,
                        accessories: added.database.accessories, descriptions: added.database.descriptions,
                        name: order.addition.name), using: &generator)
                return (commit, commit.transaction)
            } applied: { commit in
                hub.answer(call, .success(reply(to: order, commit).json), isForAnyone: order.isUnseen)
                hub.links.connect(to: added.pairing, as: identity, known: added, in: hub)
            }
        } catch {
            hub.logger.info(
                "addition undone", metadata: ["accessory": "\(accessory.id)", "error": "\(error)"])
            await hub.pairings.unpair(added.pairing, as: identity, in: hub)
            throw error
        }
    }

    private func reply(to order: Order, _ commit: HomeCommit) -> AdditionReply {
        guard order.isUnseen, case .accessories(let ids) = commit.result else { return .added(commit) }
        return .setUp(AccessorySetupResult(home: order.home, accessories: ids))
    }

    // MARK: Searching

    /// A session begins to search; what is there already it is told behind the answer.
    ///
    /// While nothing can be found no search begins, but those that were begun before go on.
    func startBrowsing(_ call: Call, in hub: isolated HomeHub) {
        if let error = hub.browser.snapshot.discoveryError {
            hub.answer(call, with: HomeError(.accessoryDiscoveryFailed, detail: error))
            return
        }
        // An accessory that was silent for some time may be back without having said so.
        hub.browser.refresh()
        hub.answer(call, .success([:]))
        hub.sessions.startSearch(call.session, among: addable(in: hub), in: hub)
    }

    /// What the networks show, or what we are paired with, is another.
    func updateSearches(in hub: isolated HomeHub) { hub.sessions.addable(addable(in: hub), in: hub) }

    /// The accessories that could be added: by what they say, and by what we know.
    private func addable(in hub: isolated HomeHub) -> [HomeModel.DiscoveredAccessory] {
        let (shown, paired) = (hub.pairings.corrected(hub.browser.snapshot), hub.pairings.unaddable())
        return shown.accessories.filter { !$0.isPaired && !paired.contains($0.id) }
            .map { HomeModel.DiscoveredAccessory($0) }
    }
}

extension HomeModel.DiscoveredAccessory {
    /// What apps see of an accessory on the network.
    fileprivate init(_ accessory: HAPController.DiscoveredAccessory) {
        self.init(
            id: accessory.id, name: accessory.name, category: accessory.category, model: accessory.model,
            setupHash: accessory.setupHash, vendor: accessory.vendor)
    }
}

extension HomeError {
    /// The error for who may not see the home: it names nothing that is in it.
    fileprivate var unseen: HomeError {
        switch code {
        case .objectAlreadyAssociatedToHome, .objectAssociatedToAnotherHome:
            HomeError(.objectAssociatedToAnotherHome)
        case .objectWithSimilarNameExistsInHome: HomeError(.addAccessoryFailed)
        default: HomeError(code, detail: detail)
        }
    }
}
