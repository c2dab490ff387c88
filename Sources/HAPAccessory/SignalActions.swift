internal import Glibc
internal import Synchronization
internal import UnixSignals

/// The actions of signals while hosts run that end with them.
///
/// Dispatch, which carries the signals of a service group, installs its handler only once in a process and never removes it: without
/// this, a signal would be ignored after the run. The handler is kept for later runs.
enum SignalActions {
    private struct Use {
        var runs = 0
        /// The action before the first of the current runs.
        var former = sigaction()
        var handler: sigaction?
    }

    private static let uses = Mutex<[CInt: Use]>([:])

    /// Saves the current actions, and installs the handler of an earlier run.
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

    /// Restores the actions after the last run, and unblocks the signals in this thread: the handler blocks them where they
    /// arrive.
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
