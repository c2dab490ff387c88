/// An actor on an executor that it shares with others: what runs there calls it, instead of sending it messages.
package protocol SharedExecutorActor: Actor {
    /// The one behind `unownedExecutor`.
    nonisolated var executor: any SerialExecutor { get }
}

extension SharedExecutorActor {
    /// Calls what is the actor's own, from its executor; traps anywhere else.
    ///
    /// It is `assumeIsolated` for what every request does. That one puts the closure's context on the heap and asks at
    /// length, and twice, where it is: 1,300 instructions, eight times in a write. Here `work` is handed what it needs and
    /// should capture nothing, and is a plain call.
    ///
    /// - Parameters:
    ///   - argument: what `work` needs; functions in a struct, since in a tuple they are wrapped on the heap.
    ///   - work: what to do.
    /// - Returns: what `work` returns.
    @inline(__always)
    package nonisolated func here<Argument, Result: Sendable>(
        _ argument: Argument, _ work: @escaping (isolated Self, Argument) -> Result
    ) -> Result {
        if executor.isIsolatingCurrentContext() != true { preconditionIsolated() }
        // The types differ in nothing but the promise that has just been checked; `assumeIsolated` does the same.
        return unsafeBitCast(work, to: ((Self, Argument) -> Result).self)(self, argument)
    }
}
