internal import Glibc
internal import Synchronization
internal import UnixSignals

/// The actions of signals before a service group has replaced them, to be restored afterwards.
///
/// Dispatch, which carries the group's signals, installs its handler only once in a process and never removes it. Without this, a signal
/// would be ignored after the run. The handler is kept for the next run.
struct SignalActions {
    private static let handlers = Mutex<[CInt: sigaction]>([:])

    private let actions: [(signal: CInt, action: sigaction)]

    /// Saves the current actions, and installs the handlers of an earlier run.
    init(replacing signals: [UnixSignal]) {
        actions = signals.map { signal in
            var former = sigaction()
            if var handler = Self.handlers.withLock({ $0[signal.rawValue] }) {
                sigaction(signal.rawValue, &handler, &former)
            } else {
                sigaction(signal.rawValue, nil, &former)
            }
            return (signal.rawValue, former)
        }
    }

    /// Restores the actions, and unblocks the signals in this thread: a handler has blocked them where they arrived.
    func restore() {
        var set = sigset_t()
        sigemptyset(&set)
        for (signal, var action) in actions {
            var handler = sigaction()
            sigaction(signal, &action, &handler)
            Self.handlers.withLock { $0[signal] = handler }
            sigaddset(&set, signal)
        }
        pthread_sigmask(SIG_UNBLOCK, &set, nil)
    }
}
