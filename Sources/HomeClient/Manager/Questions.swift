import AsyncKit

/// A question that the system app puts to the user.
public enum PersonQuestion: Sendable, Hashable {
    /// Whether an app may see the homes.
    case permission(AppPermission)
    /// Whether an app may do something else, such as add one accessory.
    case consent(ConsentQuestion)
}

/// Questions of permission that are put to this app.
struct Questions {
    private var readers: [UInt64: BoundedMailbox<PersonQuestion>] = [:]
    private var lastNumber: UInt64 = 0

    var isWanted: Bool { !readers.isEmpty }

    mutating func add(_ mailbox: BoundedMailbox<PersonQuestion>) -> UInt64 {
        lastNumber += 1
        readers[lastNumber] = mailbox
        return lastNumber
    }

    mutating func remove(_ number: UInt64) { readers[number] = nil }

    func asked(_ question: PersonQuestion) {
        for mailbox in readers.values { mailbox.post(question, summary: question) }
    }

    mutating func finish() {
        for mailbox in readers.values { mailbox.finish() }
        readers = [:]
    }
}
