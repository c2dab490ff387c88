/// An instruction of ``TriggerMachine``.
package enum TriggerOutput: Sendable, Hashable {
    /// Perform actions of a run.
    ///
    /// A run with a higher number replaces the previous one of the same trigger, which must not continue.
    case perform(Trigger.ID, run: Int64, TriggerTask)
    /// Report that actions of a run are skipped, because the hub wasn't running when they were due.
    case skip(Trigger.ID, run: Int64, TriggerTask)
    /// Write the values from before a run.
    case restore(Trigger.ID, run: Int64, [CharacteristicWriteAction])
    /// Add an entry to the history.
    case record(TriggerRecord)
    /// Disable the trigger, because it runs only once.
    case disable(Trigger.ID)
}

/// Actions that are performed together.
package enum TriggerTask: Sendable, Hashable {
    /// Run scenes.
    case runActionSets([ActionSet.ID])
    /// Write values.
    case write([CharacteristicWriteAction])
    /// Send a message to the apps.
    case notify(String)
}
