import Synchronization

/// What waits for one listener.
final class Mailbox<Event: Sendable>: Sendable {
    private struct Contents {
        var events: [Event] = []
        /// Whether the only event stands for many.
        var isVoid = false
        var isFinished = false
        var reader: CheckedContinuation<Event?, Never>?
    }

    private let contents = Mutex(Contents())
    private let limit: Int

    init(limit: Int) { self.limit = limit }

    /// Puts an event in; too many are replaced.
    ///
    /// - Parameters:
    ///   - event: what happened.
    ///   - summary: what takes the place of all events if they are too many, as of now.
    func post(_ event: Event, summary: Event) {
        let reader: CheckedContinuation<Event?, Never>? = contents.withLock { contents in
            guard !contents.isFinished else { return nil }
            if let reader = contents.reader {
                contents.reader = nil
                return reader
            }
            if contents.isVoid || contents.events.count >= limit {
                contents.events = [summary]
                contents.isVoid = true
            } else {
                contents.events.append(event)
            }
            return nil
        }
        reader?.resume(returning: event)
    }

    /// Forgets what waits.
    func clear() {
        contents.withLock {
            $0.events = []
            $0.isVoid = false
        }
    }

    /// Nothing follows; what waits can still be taken.
    func finish() {
        let reader = contents.withLock { contents in
            contents.isFinished = true
            defer { contents.reader = nil }
            return contents.reader
        }
        reader?.resume(returning: nil)
    }

    /// Takes events again.
    func reopen() { contents.withLock { $0.isFinished = false } }

    func next() async -> Event? {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let taken: Event?? = contents.withLock { contents in
                    if !contents.events.isEmpty {
                        contents.isVoid = false
                        return .some(contents.events.removeFirst())
                    }
                    // A second reader at once gets nothing, rather than the first one's event.
                    guard !contents.isFinished, !Task.isCancelled, contents.reader == nil else { return .some(nil) }
                    contents.reader = continuation
                    return nil
                }
                if let taken { continuation.resume(returning: taken) }
            }
        } onCancel: {
            let reader = contents.withLock { contents in
                defer { contents.reader = nil }
                return contents.reader
            }
            reader?.resume(returning: nil)
        }
    }
}
