import BoundedJSON
import HomeModel
import Logging

extension HomeHub {
    /// The user decides about an app; what is to be remembered is stored before anybody acts on it.
    func decide(
        _ decision: PermissionDecision, about app: AppIdentity, by session: SessionID
    ) throws(HomeError) {
        var decided = permissions
        let actions = try decided.decided(decision, about: app, by: session)
        try stored { () throws in
            for action in actions {
                switch action {
                case .remember(let permission): try store.remember(permission)
                case .forget(let app): try store.forget(app)
                case .ask, .refuse, .tell, .permit: break
                }
            }
        }
        permissions = decided
        perform(actions)
    }

    /// Carries out what was decided about permission, in order; what is to be remembered has been stored.
    func perform(_ actions: [Permissions.Action]) {
        for action in actions {
            switch action {
            case .remember, .forget: break
            case .ask(let permission, let those): perform(feed.tell(.permissionAsked(permission), to: those))
            case .refuse(let those): perform(calls.refused(those))
            case .permit(let those): perform(calls.permitted(those))
            case .tell(let those, let status):
                perform(feed.authorizationChanged(of: those, to: status))
                for session in those {
                    if status.contains(.authorized) {
                        askForProofs(session)
                    } else {
                        searches.stop(session)
                        askOthersForProofs(insteadOf: session)
                    }
                }
            }
        }
    }

    /// Carries out, or fails, calls that can be by now.
    func perform(_ actions: [CallTable.Action]) {
        for action in actions {
            switch action {
            case .perform(let call, let request): perform(request, call)
            case .fail(let call, let error): perform(feed.answered(call, with: .failure(error)))
            }
        }
    }

    /// Does what was asked for and is permitted.
    func perform(_ request: HomeRequest, _ call: Call) {
        switch request {
        case .homes: answer(call, .success(HomesReply(homes: graph.homes).json))
        case .accessories(let page):
            answer(call) { () throws(HomeError) in try self.page(page, for: call.session).json }
        case .write(let write): self.write(write, call)
        case .readValues(let ids): start { await self.read(ids, call) }
        case .writeValues(let writes): start { await self.write(writes, call) }
        case .setNotification(let ids, let isEnabled): setNotification(isEnabled, for: ids, call)
        case .identify(let id): identify(id, call)
        case .runActionSet(let id): run(id, call)
        case .startBrowsing: startBrowsing(call)
        case .stopBrowsing:
            searches.stop(call.session)
            answer(call, .success([:]))
        case .addAccessory(let addition): add(addition, call)
        case .setUpAccessory(let addition): add(addition, call, isSetup: true)
        case .declineAddition(let id):
            answer(call) { () throws(HomeError) in
                try decline(id, by: call.session)
                return [:]
            }
        case .open, .permissions, .setPermission, .answerQuestions: break
        }
    }

    /// Stores something.
    ///
    /// - Throws: 52 if that cannot be done; why is in the log.
    func stored(_ body: () throws -> Void) throws(HomeError) {
        do {
            try body()
        } catch {
            logger.error("the home database cannot be written", metadata: ["error": "\(error)"])
            throw HomeError(
                .genericError,
                detail: "the home database cannot be written and nothing has changed; look into the log of homehubd")
        }
    }
}
