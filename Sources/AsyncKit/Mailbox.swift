internal import Synchronization

/// The buffer of a ``Mailbox``, which determines what happens when it overflows.
package protocol MailboxBuffer: Sendable {
    /// The type of value that senders add.
    associatedtype Message: Sendable
    /// The type of value that the reader takes.
    associatedtype Element: Sendable

    /// Adds a message. The buffer stays within its limits.
    mutating func add(_ message: Message)
    /// Removes and returns the next element, or `nil` if the buffer is empty.
    mutating func take() -> Element?
}

extension MailboxBuffer {
    fileprivate mutating func removeAll() { while take() != nil {} }
}

/// A queue with one reader and any number of senders.
///
/// Senders never wait.
///
/// Its buffer limits the number of elements. The reader gets an element, or `nil` if the mailbox is finished and empty,
/// or if the reader's task is canceled.
package final class Mailbox<Buffer: MailboxBuffer>: AsyncSequence, Sendable {
    package typealias Element = Buffer.Element
    package typealias Failure = Never

    private struct State {
        var buffer: Buffer
        var isFinished = false
        var hasReader = false
    }

    private let state: Mutex<State>
    private let signal = AsyncSignal()

    package init(_ buffer: Buffer) { state = Mutex(State(buffer: buffer)) }

    /// Adds a message, unless the mailbox is finished.
    package func post(_ message: Buffer.Message) {
        state.withLock { if !$0.isFinished { $0.buffer.add(message) } }
        signal.send()
    }

    package func clear() { state.withLock { $0.buffer.removeAll() } }

    /// Finishes the mailbox.
    ///
    /// Elements in the buffer can still be taken.
    package func finish() {
        state.withLock { $0.isFinished = true }
        signal.send()
    }

    package func reopen() { state.withLock { $0.isFinished = false } }

    /// Removes and returns the next element without waiting, or `nil` if the mailbox is empty.
    ///
    /// A call on the reader's actor runs between two steps of the reader, never within one.
    package func take() -> Element? { state.withLock { $0.buffer.take() } }

    /// Waits for the next element, and removes and returns it.
    ///
    /// It runs on the caller's actor, so that the caller handles each element before it waits again. A second
    /// concurrent reader gets `nil`.
    package func next(isolation actor: isolated (any Actor)? = #isolation) async -> Element? {
        if let element = take() { return element }
        let isFirst = state.withLock { state in
            defer { state.hasReader = true }
            return !state.hasReader
        }
        guard isFirst else { return nil }
        defer { state.withLock { $0.hasReader = false } }
        while true {
            let (element, isFinished) = state.withLock { ($0.buffer.take(), $0.isFinished) }
            if let element { return element }
            if isFinished || Task.isCancelled { return nil }
            await signal.wait()
        }
    }

    package func makeAsyncIterator() -> Iterator { Iterator(mailbox: self) }

    package struct Iterator: AsyncIteratorProtocol {
        package typealias Failure = Never

        fileprivate let mailbox: Mailbox

        package mutating func next() async -> Element? { await mailbox.next() }

        package mutating func next(isolation actor: isolated (any Actor)?) async -> Element? {
            await mailbox.next(isolation: actor)
        }
    }
}
