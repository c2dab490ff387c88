import AsyncKit
import BoundedJSON
package import HomeModel
import Logging

// Calls of apps, from arrival to answer. `CallTable` holds their states.
extension HomeHub {
    /// Receives a request from an app with an open session.
    ///
    /// Another `open` request fails. `person` is the name of the app's user, according to the app.
    ///
    /// The answer arrives as a delivery from ``nextDelivery(for:)``. A call with the number of an unanswered call of
    /// the same session is ignored.
    package func receive(_ request: HomeRequest, as call: Call, for person: String? = nil) {
        guard sessions[call.session] != nil else { return }
        switch calls.received(call, for: person) {
        case .accepted: break
        case .hubEnded: return perform([.fail(call, .hubEnds)])
        case .numberInUse:
            logger.warning("call number reused", metadata: ["session": "\(call.session.number)"])
            return
        }
        switch request {
        case .open: answer(call, with: HomeError(.invalidParameter, detail: "the session is already open"))
        case .permissions: answer(call) { () throws(HomeError) in try listing(for: call.session).json }
        case .setPermission(let app, let decision): decide(decision, about: app, call)
        case .answerQuestions: answerQuestions(call)
        case .answerConsent(let id, let isAllowed): answerConsent(id, isAllowed: isAllowed, call)
        case .setVendor(let app, let vendor, let decision):
            decide(decision, about: VendorClaimID(app: app, vendor: vendor), call)
        case .setUpAccessory(let addition) where permissions.status(of: call.session).isEmpty:
            askConsent(to: addition, call)
        default: askPermission(for: request, call)
        }
    }

    /// Cancels a call, which then fails with error 23, or with 47 if it's waiting for permission.
    ///
    /// A call continues if its change is committed or if a request was already sent to an accessory.
    package func cancel(_ call: Call) { perform(calls.cancelled(call)) }

    /// Returns a Boolean value that indicates whether a call is unanswered.
    ///
    /// No work may start for an answered call.
    func isAwaited(_ call: Call) -> Bool { calls.isAwaited(call) }

    /// Answers a call, unless it was already answered.
    ///
    /// If `isForAnyone` is `true`, the app receives the result even without permission.
    func answer(_ call: Call, _ result: Result<JSONValue, HomeError>, isForAnyone: Bool = false) {
        guard calls.answered(call) else { return }
        perform(feed.answered(call, with: result, isForAnyone: isForAnyone))
    }

    func answer(_ call: Call, with error: HomeError) { answer(call, .failure(error)) }

    func answer(_ call: Call, _ body: () throws(HomeError) -> JSONValue) {
        do throws(HomeError) {
            answer(call, .success(try body()))
        } catch {
            answer(call, .failure(error))
        }
    }

    /// Performs a request once its app has permission.
    private func askPermission(for request: HomeRequest, _ call: Call) {
        let (admission, questions) = permissions.requested(by: call.session)
        perform(questions)
        switch admission {
        case .permitted:
            calls.started(call)
            perform(request, call)
        case .undecided: awaitPermission(for: request, call)
        case .refused(let error): answer(call, with: error)
        }
    }

    /// Asks the user whether an app without a recorded decision may add this accessory.
    private func askConsent(to addition: AdditionRequest, _ call: Call) {
        guard let app = permissions.app(of: call.session) else { return }
        consents.keep(where: calls.isAwaitingPermission)
        do throws(HomeError) {
            let question = try consents.wanted(
                .addition, named: name(of: addition), by: app.identity, app.usageDescription, for: call)
            awaitPermission(
                for: .setUpAccessory(addition), call,
                refusal: HomeError(
                    .homeAccessNotAuthorized,
                    detail: "no one has allowed this app to add the accessory; run homehub privacy agent, and try again"
                ))
            perform(feed.notify(.consentAsked(question), permissions.answering))
        } catch {
            answer(call, with: error)
        }
    }

    /// Asks the user whether an app may add or change an automation that unlocks or opens something.
    func askConsent(to write: HomeWrite, adding opening: Opening, _ call: Call) {
        guard isAwaited(call), let app = permissions.app(of: call.session) else { return }
        consents.keep(where: calls.isAwaitingPermission)
        askedOpenings = askedOpenings.filter { calls.isAwaitingPermission($0.key) }
        do throws(HomeError) {
            let question = try consents.wanted(
                .automation, named: opening.name, by: app.identity, app.usageDescription, for: call)
            askedOpenings[call] = opening.actions
            awaitPermission(
                for: .write(write), call,
                refusal: HomeError(
                    .homeAccessNotAuthorized,
                    detail: """
                        no one has allowed this automation, which unlocks, opens or disarms something; run \
                        homehub privacy agent, and try again
                        """))
            perform(feed.notify(.consentAsked(question), permissions.answering))
        } catch {
            answer(call, with: error)
        }
    }

    private func awaitPermission(
        for request: HomeRequest, _ call: Call, refusal: HomeError = HomeError(.homeAccessNotAuthorized)
    ) {
        let now = ContinuousClock.now
        let deadline = now.advanced(by: configuration.permissionTimeout)
        perform(calls.awaitsPermission(call, for: request, until: deadline, now: now, refusal: refusal))
        deadlineChanged.send()
    }

    func perform(_ actions: [CallTable.Action]) {
        for action in actions {
            switch action {
            case .perform(let call, let request): perform(request, call)
            case .fail(let call, let error): perform(feed.answered(call, with: .failure(error)))
            }
        }
    }
}
