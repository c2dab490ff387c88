package import HomeModel

/// An app that wants to answer for a maker's accessories.
package struct VendorClaimID: Sendable, Hashable {
    package var app: AppIdentity
    /// The maker, as its accessories advertise it.
    package var vendor: String

    package init(app: AppIdentity, vendor: String) {
        self.app = app
        self.vendor = vendor
    }
}

/// An answer of the user about a maker's app, as it is stored.
package struct RememberedClaim: Sendable, Hashable {
    package var claim: VendorClaimID
    package var isAllowed: Bool

    package init(_ claim: VendorClaimID, isAllowed: Bool) {
        self.claim = claim
        self.isAllowed = isAllowed
    }
}

/// What apps may do by a yes of its own, beside seeing the homes: add one accessory, or answer for a maker's accessories.
///
/// The question for an addition is about one call and goes with it: its answer is not remembered. The one for a maker is
/// about an app, is raised when an accessory of that maker is to be added, and its answer is remembered until the user takes
/// it back. Questions are bounded by ``Permissions/questionsOfUser``.
///
/// Nothing waits here, and nothing is stored here.
struct Consents: Sendable, Equatable {
    private struct Question: Equatable {
        var question: ConsentQuestion
        /// The call that waits for it, if it is for an addition.
        var call: Call?
    }

    private var claims: [VendorClaimID: Bool]
    /// The oldest first.
    private var questions: [Question] = []

    init(remembered: [RememberedClaim] = []) {
        claims = Dictionary(remembered.map { ($0.claim, $0.isAllowed) }) { _, last in last }
    }

    /// The questions that wait, the oldest first.
    var pending: [ConsentQuestion] { questions.map(\.question) }

    // MARK: Questions

    /// An app wants to add an accessory, whose name is empty if it isn't known; returns the question to put.
    ///
    /// - Throws: 49 if too many questions about apps of this user wait.
    mutating func additionWanted(
        of accessory: String, by app: AppIdentity, _ usageDescription: String, for call: Call
    ) throws(HomeError) -> ConsentQuestion {
        guard hasRoom(for: app) else {
            throw HomeError(
                .maximumObjectLimitReached,
                detail: "too many questions of this user's apps wait; answer one of them first")
        }
        return ask(.addition, about: accessory, app, usageDescription, call)
    }

    /// An accessory of a maker is to be added for which an app wants to answer.
    ///
    /// - Returns: the question to put; `nil` if it is decided, is being asked, or too many wait.
    mutating func vendorWanted(_ claim: VendorClaimID, _ usageDescription: String) -> ConsentQuestion? {
        guard claims[claim] == nil, question(about: claim) == nil, hasRoom(for: claim.app) else { return nil }
        return ask(.vendor, about: claim.vendor, claim.app, usageDescription, nil)
    }

    private mutating func ask(
        _ subject: ConsentQuestion.Subject, about name: String, _ app: AppIdentity, _ usageDescription: String,
        _ call: Call?
    ) -> ConsentQuestion {
        var generator = SystemRandomNumbers()
        let question = ConsentQuestion(
            id: ConsentQuestion.ID(using: &generator), app: app, usageDescription: usageDescription, subject: subject,
            name: name.asPurpose)
        questions.append(Question(question: question, call: call))
        return question
    }

    private func hasRoom(for app: AppIdentity) -> Bool {
        questions.count(where: { $0.question.app.uid == app.uid }) < Permissions.questionsOfUser
    }

    private func question(about claim: VendorClaimID) -> ConsentQuestion? {
        pending.first { $0.subject == .vendor && $0.app == claim.app && $0.name == claim.vendor }
    }

    /// Calls that do not wait any more take their questions with them.
    mutating func keep(where isAwaited: (Call) -> Bool) {
        questions.removeAll { $0.call.map { !isAwaited($0) } ?? false }
    }

    // MARK: Answers

    /// The user has answered the question for an addition; removes it and returns the call that waits for it.
    ///
    /// - Throws: 2 if it does not wait any more.
    mutating func answered(_ id: ConsentQuestion.ID) throws(HomeError) -> Call {
        guard let index = questions.firstIndex(where: { $0.question.id == id }), let call = questions[index].call else {
            throw HomeError(.notFound, detail: "the question does not wait for an answer any more")
        }
        questions.remove(at: index)
        return call
    }

    /// The maker and the app that a question is about; `nil` if it is none about a maker.
    func claim(askedBy id: ConsentQuestion.ID) -> VendorClaimID? {
        pending.first { $0.id == id && $0.subject == .vendor }.map { VendorClaimID(app: $0.app, vendor: $0.name) }
    }

    mutating func decided(_ decision: PermissionDecision, about claim: VendorClaimID) {
        questions.removeAll {
            $0.question.subject == .vendor && $0.question.app == claim.app && $0.question.name == claim.vendor
        }
        claims[claim] = decision == .forget ? nil : decision == .allow
    }

    mutating func forgotten(_ app: AppIdentity) {
        claims = claims.filter { $0.key.app != app }
        questions.removeAll { $0.question.subject == .vendor && $0.question.app == app }
    }

    // MARK: What is known

    /// Whether an app may answer for a maker; `nil` if the user has not decided.
    func isAllowed(_ claim: VendorClaimID) -> Bool? { claims[claim] }

    /// Whether there is anything to decide about an app and a maker.
    func isKnown(_ claim: VendorClaimID) -> Bool { claims[claim] != nil || question(about: claim) != nil }

    /// What an app claims, in the order of the makers; `nil` if it claims nothing.
    func claims(of app: AppIdentity) -> [VendorClaim]? {
        let decided = claims.filter { $0.key.app == app }.map {
            VendorClaim(vendor: $0.key.vendor, isAllowed: $0.value)
        }
        let asked = pending.filter { $0.subject == .vendor && $0.app == app }
            .map { VendorClaim(vendor: $0.name, isAllowed: nil) }
        let all = (decided + asked).sorted { $0.vendor < $1.vendor }
        return all.isEmpty ? nil : all
    }
}
