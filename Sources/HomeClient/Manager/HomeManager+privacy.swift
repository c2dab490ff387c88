import AsyncKit
import BoundedJSON
import Logging

// These calls are only for the system app, such as a settings app. The system app declares itself with
// `AppDeclaration.system`, its executable is the one in the daemon's configuration (`system-app`), and its user may
// decide about permissions.
extension HomeManager {
    /// Returns all apps with a decision, a pending question or a session.
    ///
    /// - Throws: `insufficientPrivileges` unless this is the system app.
    public func permissions() async throws(HomeError) -> [AppPermission] {
        try await call(.permissions, deadline: timeouts.call) { json throws(HomeError) in
            try Self.understood { () throws(HomeError) in try [AppPermission](json: json) }
        }
    }

    /// Sets or deletes the decision about an app's access to the homes.
    ///
    /// - Throws: `insufficientPrivileges` unless this is the system app or was installed to manage apps, if a policy has
    ///   decided, or for this app itself; `notFound` if the app is unknown.
    public func setPermission(_ decision: PermissionDecision, for app: AppIdentity) async throws(HomeError) {
        try await call(.setPermission(app, decision), deadline: timeouts.call) { _ throws(HomeError) in }
    }

    /// Decides whether an app may answer for a vendor's accessories.
    ///
    /// - Throws: `insufficientPrivileges` unless this is the system app; `notFound` if the app hasn't asked to answer
    ///   for this vendor.
    public func setVendor(
        _ decision: PermissionDecision, of vendor: String, for app: AppIdentity
    ) async throws(HomeError) {
        try await call(.setVendor(app, vendor: vendor, decision), deadline: timeouts.call) { _ throws(HomeError) in }
    }

    /// Answers a question.
    ///
    /// - Throws: `insufficientPrivileges` unless this is the system app; `notFound` if the question is no longer
    ///   pending.
    public func answer(_ question: ConsentQuestion, isAllowed: Bool) async throws(HomeError) {
        try await call(.answerConsent(question.id, isAllowed: isAllowed), deadline: timeouts.call) {
            _ throws(HomeError) in
        }
    }

    /// Delivers questions about permissions to this app while the body runs.
    ///
    /// The app receives the pending questions and each new question. After a lost connection, it receives the pending
    /// questions again.
    ///
    /// - Throws: `insufficientPrivileges` unless this is the system app; errors of the body.
    public nonisolated func withQuestions<R>(
        _ body: (EventStream<PersonQuestion>) async throws -> R
    ) async throws -> R {
        let mailbox = BoundedMailbox<PersonQuestion>(limit: EventStream<PersonQuestion>.limit)
        let subscription = try await startQuestions(mailbox)
        defer { withExtendedLifetime(subscription) {} }
        return try await body(EventStream(mailbox) {})
    }

    private func startQuestions(_ mailbox: BoundedMailbox<PersonQuestion>) async throws(HomeError) -> Subscription {
        let number = questions.add(mailbox)
        let subscription = Subscription { [tasks] in tasks.add(.endQuestions(number)) }
        try await call(.answerQuestions, deadline: timeouts.call) { _ throws(HomeError) in }
        questions.began(number)
        return subscription
    }

    /// Subscribes to the daemon's questions again, after a lost connection or dropped notifications.
    func answerQuestions() async {
        do throws(HomeError) {
            try await call(.answerQuestions, deadline: timeouts.call) { _ throws(HomeError) in }
        } catch {
            logger.info("consent subscription failed", metadata: ["reason": "\(error)"])
        }
    }
}
