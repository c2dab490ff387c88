import HAPController
import HAPProtocol
import HomeModel
import Logging

import struct HAPModel.DeviceID
import struct HAPModel.SetupCode
import struct HAPModel.SetupPayload

extension HomeHub {
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

    /// Adds an accessory to a home: finds it, pairs with it, and makes it part of the home.
    ///
    /// Until it is part of the home, a failure leaves the home and the accessory as they were.
    func add(_ addition: AdditionRequest, _ call: Call, isSetup: Bool = false) {
        do throws(HomeError) {
            let order = try order(addition, by: call.session, isSetup: isSetup)
            start { await self.carryOut(order, call) }
        } catch {
            answer(call, with: error)
        }
    }

    /// Adds an accessory for an app that may not see the home, be it denied or undecided.
    ///
    /// The code is what shows that somebody wants it added. The app learns what it has added and nothing of what was there
    /// before, not by a refusal either; a policy keeps it out of this, too.
    func setUpUnseen(_ addition: AdditionRequest, _ call: Call) {
        do throws(HomeError) {
            try checkMaySetUp(call.session)
            var order = try order(addition, by: call.session, isSetup: true)
            order.isUnseen = true
            start { [order] in await self.carryOut(order, call) }
        } catch {
            answer(call, with: error.unseen)
        }
    }

    private func checkMaySetUp(_ session: SessionID) throws(HomeError) {
        guard !permissions.status(of: session).contains(.restricted) else {
            throw HomeError(.homeAccessNotAuthorized)
        }
    }

    /// Checks what an accessory that was seen is to become.
    ///
    /// - Returns: the order; for who may not see the home without a name that is taken, which would tell of what has it.
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

    /// Answers a call that adds, with no more than its app may know.
    private func refuse(_ call: Call, _ order: Order, with error: HomeError) {
        answer(call, with: order.isUnseen ? error.unseen : error)
    }

    /// Checks what can be checked before the accessory is seen.
    private func order(
        _ addition: AdditionRequest, by session: SessionID, isSetup: Bool
    ) throws(HomeError) -> Order {
        guard let home = addition.home.map({ graph.home($0) }) ?? graph.primaryHome else {
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
            guard payload == nil || isSetup || sessions[session]?.capabilities.contains(.setupPayload) == true else {
                throw HomeError(
                    .missingEntitlement, detail: "this app did not declare that it adds accessories with their codes")
            }
            return order
        }
        let request = try vendorRequests.answered(id, by: session, for: home.id)
        order.target = .device(request.device)
        order.code = order.code ?? request.code
        order.addition.name = addition.name ?? request.name
        return order
    }

    private func carryOut(_ order: Order, _ call: Call) async {
        do throws(HomeError) {
            guard isAwaited(call) else { return }
            let accessory = try await found(order)
            guard isAwaited(call) else { return }
            let order = try checked(order, for: accessory.id)
            guard !additions.contains(accessory.id), !vendorRequests.isPending(accessory.id) else {
                throw HomeError(.operationInProgress, detail: "the accessory is being added already")
            }
            if let vendor = accessory.vendor, order.token == nil {
                let app = handOver(order.addition, to: order.home, of: accessory, vendor: vendor)
                return answer(call, .success(AdditionReply.handedOver(app: app).json), isForAnyone: order.isUnseen)
            }
            guard let code = order.code else {
                throw HomeError(.missingParameter, detail: "the setup code is missing; it is on the accessory's label")
            }
            additions.insert(accessory.id)
            defer { additions.remove(accessory.id) }
            try await pair(with: accessory, code: code, order, call)
        } catch {
            refuse(call, order, with: error)
        }
    }

    // MARK: Finding it

    private func found(_ order: Order) async throws(HomeError) -> HAPController.DiscoveredAccessory {
        // What is in a home already is found nowhere, but that is not what is wrong.
        if case .device(let id) = order.target {
            _ = try checked(order, for: id)
        }
        switch await sight(of: order.target) {
        case .found(let accessory): return accessory
        case .paired: throw HomeError(SetupError.alreadyPaired)
        case .ambiguous:
            throw HomeError(
                .invalidParameter, detail: "several accessories could be meant; choose one, or scan its label")
        case .missing:
            if let obstacle = browser.snapshot.obstacle {
                throw HomeError(.accessoryDiscoveryFailed, detail: obstacle)
            }
            if case .device = order.target {
                throw HomeError(
                    .notFound, detail: "the accessory is not on the network; check that it has power and is near")
            }
            throw HomeError(
                .timedOutWaitingForAccessory,
                detail: "no such accessory is on the network; check that it has power and is not paired already")
        }
    }

    /// Looks for an accessory, and waits for one that is not there yet.
    private func sight(of target: SetupTarget) async -> SetupTarget.Sight {
        let first = target.look(at: browser.snapshot, paired: paired)
        guard first == .missing else { return first }
        let patience = configuration.searchPatience
        return await withTaskGroup(of: SetupTarget.Sight.self) { group in
            group.addTask {
                for await snapshot in self.browser.snapshots() {
                    let sight = target.look(at: snapshot, paired: await self.paired)
                    if sight != .missing { return sight }
                }
                return .missing
            }
            group.addTask {
                try? await Task.sleep(for: patience)
                return target.look(at: self.browser.snapshot, paired: await self.paired)
            }
            let sight = await group.next() ?? .missing
            group.cancelAll()
            return sight
        }
    }

    // MARK: Pairing

    private func pair(
        with accessory: HAPController.DiscoveredAccessory, code: SetupCode, _ order: Order, _ call: Call
    ) async throws(HomeError) {
        let setup = AccessorySetup(
            dialer: dialer, vault: vault, timing: configuration.timing, logger: logger)
        let identity: ControllerIdentity
        do {
            identity = try await vault.identity()
        } catch {
            throw HomeError(SetupError.vaultFailed)
        }
        let added: AccessorySetup.Added
        do throws(SetupError) {
            added = try await setup.pair(with: accessory, code: code, ownershipToken: order.token?.bytes)
        } catch {
            logger.info("an accessory was not added", metadata: ["accessory": "\(accessory.id)", "reason": "\(error)"])
            throw HomeError(error)
        }
        paired.insert(accessory.id)
        searchesSee()
        do throws(HomeError) {
            guard isAwaited(call) else { throw HomeError(.operationCancelled) }
            if order.isUnseen { try checkMaySetUp(call.session) }
            var planned = graph
            let commit = try planned.add(
                AccessoryAddition(
                    home: order.home, deviceID: accessory.id, category: accessory.category,
                    accessories: added.database.accessories, descriptions: added.database.descriptions,
                    name: order.addition.name), using: &generator)
            if let transaction = commit.transaction { try self.commit(transaction, in: planned, by: call) }
            answer(call, .success(reply(to: order, commit).json), isForAnyone: order.isUnseen)
            connect(to: added.pairing, as: identity, knowing: added)
        } catch {
            logger.info(
                "an accessory was paired with, but not added",
                metadata: ["accessory": "\(accessory.id)", "error": "\(error)"])
            await letGo(added.pairing, as: identity)
            throw error
        }
    }

    private func reply(to order: Order, _ commit: HomeCommit) -> AdditionReply {
        guard order.isUnseen, case .accessories(let ids) = commit.result else { return .added(commit) }
        return .setUp(AccessorySetupResult(home: order.home, accessories: ids))
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
