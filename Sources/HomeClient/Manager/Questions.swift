import AsyncKit

/// Questions of permission that are put to this app.
struct Questions {
    private var readers: [UInt64: BoundedMailbox<AppPermission>] = [:]
    private var lastNumber: UInt64 = 0

    var isWanted: Bool { !readers.isEmpty }

    mutating func add(_ mailbox: BoundedMailbox<AppPermission>) -> UInt64 {
        lastNumber += 1
        readers[lastNumber] = mailbox
        return lastNumber
    }

    mutating func remove(_ number: UInt64) { readers[number] = nil }

    func asked(_ question: AppPermission) {
        for mailbox in readers.values { mailbox.post(question, summary: question) }
    }

    mutating func finish() {
        for mailbox in readers.values { mailbox.finish() }
        readers = [:]
    }
}
