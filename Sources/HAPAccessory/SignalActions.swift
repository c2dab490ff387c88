internal import Glibc
internal import Synchronization
internal import UnixSignals

/// Saves the actions of the signals that end a host's run, and restores them after the run.
///
/// A service group receives signals through Dispatch, which installs its signal handler only once per process and never
/// removes it. Without this type, a signal would be ignored after the run. This type saves Dispatch's handler for later
/// runs.
enum SignalActions {
    private struct Use {
        var runs = 0
        /// The action that was installed before the first of the current runs.
        var former = sigaction()
        var handler: sigaction?
    }

    private static let uses = Mutex<[CInt: Use]>([:])

    /// Saves the current actions, and installs Dispatch's handler again if an earlier run saved it.
    static func replace(_ signals: [UnixSignal]) {
        uses.withLock { uses in
            for signal in Set(signals.map(\.rawValue)) {
                var use = uses[signal] ?? Use()
                use.runs += 1
                if use.runs == 1 {
                    sigaction(signal, nil, &use.former)
                    if var handler = use.handler { sigaction(signal, &handler, nil) }
                }
                uses[signal] = use
            }
        }
    }

    /// Restores the actions when the last run has ended, and unblocks the signals in the calling thread.
    ///
    /// Dispatch's handler blocks the signals in the thread that receives them.
    static func restore(_ signals: [UnixSignal]) {
        var set = sigset_t()
        sigemptyset(&set)
        uses.withLock { uses in
            for signal in Set(signals.map(\.rawValue)) {
                guard var use = uses[signal] else { continue }
                use.runs -= 1
                if use.runs == 0 {
                    var handler = sigaction()
                    sigaction(signal, &use.former, &handler)
                    use.handler = handler
                    sigaddset(&set, signal)
                }
                uses[signal] = use
            }
        }
        pthread_sigmask(SIG_UNBLOCK, &set, nil)
    }
}
