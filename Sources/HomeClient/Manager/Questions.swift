import AsyncKit

/// A question that the system app puts to the user.
@nonexhaustive
public enum PersonQuestion: Sendable, Hashable {
    /// Whether an app may see the homes.
    case permission(AppPermission)
    /// Whether an app may do something else, such as add one accessory.
    case consent(ConsentQuestion)
}

/// Questions of permission that are put to this app.
struct Questions {
    private var readers: [UInt64: BoundedMailbox<PersonQuestion>] = [:]
    /// The readers whose own request the daemon has answered.
    private var begun: Set<UInt64> = []
    private var lastNumber: UInt64 = 0

    /// Whether a new connection has to be asked for questions: one that comes before a reader's own request is answered
    /// gets that request, and two would put each question twice.
    var isWanted: Bool { !begun.isEmpty }

    mutating func add(_ mailbox: BoundedMailbox<PersonQuestion>) -> UInt64 {
        lastNumber += 1
        readers[lastNumber] = mailbox
        return lastNumber
    }

    mutating func began(_ number: UInt64) {
        if readers[number] != nil { begun.insert(number) }
    }

    mutating func remove(_ number: UInt64) {
        readers[number] = nil
        begun.remove(number)
    }

    func asked(_ question: PersonQuestion) {
        for mailbox in readers.values { mailbox.post(question, summary: question) }
    }

    mutating func finish() {
        for mailbox in readers.values { mailbox.finish() }
        readers = [:]
        begun = []
    }
}
