import AsyncKit

/// A question for the user, which the system app shows.
@nonexhaustive
public enum PersonQuestion: Sendable, Hashable {
    /// A request for access to the homes.
    case permission(AppPermission)
    /// A request for something else, such as adding one accessory.
    case consent(ConsentQuestion)
}

/// The readers of permission questions in this app.
struct Questions {
    private var readers: [UInt64: BoundedMailbox<PersonQuestion>] = [:]
    /// The readers whose requests the daemon has answered.
    private var begun: Set<UInt64> = []
    private var lastNumber: UInt64 = 0

    /// A Boolean value that indicates whether to request questions on a new connection.
    ///
    /// If a new connection is established before a reader's own request is answered, that request is sent on the new
    /// connection. A second request would deliver each question twice.
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
