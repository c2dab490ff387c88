package import HomeModel

/// An app's claim to answer for a vendor's accessories.
package struct VendorClaimID: Sendable, Hashable {
    package var app: AppIdentity
    /// The vendor, as its accessories advertise it.
    package var vendor: String

    package init(app: AppIdentity, vendor: String) {
        self.app = app
        self.vendor = vendor
    }
}

/// The user's stored decision about a vendor's app.
package struct RememberedClaim: Sendable, Hashable {
    package var claim: VendorClaimID
    package var isAllowed: Bool

    package init(_ claim: VendorClaimID, isAllowed: Bool) {
        self.claim = claim
        self.isAllowed = isAllowed
    }
}

/// Permissions that require separate consent, in addition to access to the homes: adding one accessory, adding or
/// changing an automation that unlocks or opens something, or answering for a vendor's accessories.
///
/// A question about an accessory or an automation belongs to one call and ends with it. Its answer isn't stored. A
/// question about a vendor concerns an app and is asked when an accessory of that vendor is added. Its answer is stored
/// until the user withdraws it. ``Permissions/questionsOfUser`` limits the number of questions.
///
/// This value performs no work and stores nothing on disk.
struct Consents: Sendable, Equatable {
    private struct Question: Equatable {
        var question: ConsentQuestion
        /// The call that waits for the answer; `nil` if the question is about a vendor.
        var call: Call?
    }

    private var claims: [VendorClaimID: Bool]
    /// The questions, oldest first.
    private var questions: [Question] = []

    init(remembered: [RememberedClaim] = []) {
        claims = Dictionary(remembered.map { ($0.claim, $0.isAllowed) }) { _, last in last }
    }

    /// The pending questions, oldest first.
    var pending: [ConsentQuestion] { questions.map(\.question) }

    // MARK: Questions

    /// Adds a question about the accessory or automation of a call, and replaces the call's earlier question.
    ///
    /// An accessory's name is empty if it's unknown.
    ///
    /// - Returns: The question to ask.
    /// - Throws: `HomeError` with code 49 if too many questions about apps of this user are pending.
    mutating func wanted(
        _ subject: ConsentQuestion.Subject, named name: String, by app: AppIdentity, _ usageDescription: String,
        for call: Call
    ) throws(HomeError) -> ConsentQuestion {
        questions.removeAll { $0.call == call }
        guard hasRoom(for: app) else {
            throw HomeError(
                .maximumObjectLimitReached,
                detail: "too many questions about this user's apps are pending; answer one of the questions first")
        }
        return ask(subject, about: name, app, usageDescription, call)
    }

    /// Adds a question about a vendor claim when an accessory of the vendor is added.
    ///
    /// - Returns: The question to ask; `nil` if the claim is decided, already asked about, or too many questions are
    ///   pending.
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

    /// Removes the questions of calls that no longer wait.
    mutating func keep(where isAwaited: (Call) -> Bool) {
        questions.removeAll { $0.call.map { !isAwaited($0) } ?? false }
    }

    // MARK: Answers

    /// Removes the answered question of a call, and returns the call that waits for it.
    ///
    /// - Throws: `HomeError` with code 2 if the call no longer waits.
    mutating func answered(_ id: ConsentQuestion.ID) throws(HomeError) -> Call {
        guard let index = questions.firstIndex(where: { $0.question.id == id }), let call = questions[index].call else {
            throw HomeError(.notFound, detail: "this question is no longer open")
        }
        questions.remove(at: index)
        return call
    }

    /// Returns the claim that a question is about; `nil` if the question isn't about a vendor.
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

    // MARK: State

    /// Returns the user's decision about a claim; `nil` if the user hasn't decided.
    func isAllowed(_ claim: VendorClaimID) -> Bool? { claims[claim] }

    /// Returns a Boolean value that indicates whether a claim has a decision or a question.
    func isKnown(_ claim: VendorClaimID) -> Bool { claims[claim] != nil || question(about: claim) != nil }

    /// Returns an app's claims, ordered by vendor; `nil` if it has none.
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
