import AsyncKit

/// The readers of messages that the daemon sends only on request.
struct Recipients<Message: Sendable> {
    private var readers: [UInt64: BoundedMailbox<Message>] = [:]
    /// The readers whose requests the daemon has answered.
    private var begun: Set<UInt64> = []
    private var lastNumber: UInt64 = 0

    /// A Boolean value that indicates whether to request the messages on a new connection.
    ///
    /// If a new connection is established before a reader's own request is answered, that request is sent on the new
    /// connection. A second request would deliver each pending message twice.
    var isWanted: Bool { !begun.isEmpty }

    mutating func add(_ mailbox: BoundedMailbox<Message>) -> UInt64 {
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

    func received(_ message: Message) {
        for mailbox in readers.values { mailbox.post(message, summary: message) }
    }

    mutating func finish() {
        for mailbox in readers.values { mailbox.finish() }
        readers = [:]
        begun = []
    }
}
