import HomeModel

struct PendingDecisions {
    enum Subject: Hashable {
        case app(AppIdentity)
        case claim(VendorClaimID)
    }

    private var numbers: [Subject: UInt64] = [:]
    private var lastNumber: UInt64 = 0

    func isPending(_ subject: Subject) -> Bool { numbers[subject] != nil }

    /// Adds a decision, which replaces earlier decisions about the same subject; returns its number.
    mutating func begin(_ subject: Subject) -> UInt64 {
        lastNumber += 1
        numbers[subject] = lastNumber
        return lastNumber
    }

    /// Returns a Boolean value that indicates whether a decision is the last one about its subject.
    func isLast(_ subject: Subject, _ number: UInt64) -> Bool { numbers[subject] == number }

    /// Ends a decision after the store has written it or failed.
    mutating func end(_ subject: Subject, _ number: UInt64) {
        if isLast(subject, number) { numbers[subject] = nil }
    }
}
