import HAPModel

/// The memory of an automation, which is stored before its actions are performed.
///
/// Because of that, a restart neither repeats nor forgets actions.
package struct TriggerState: HomeMessage {
    /// The trigger.
    package let trigger: Trigger.ID
    /// The time of the last change.
    package internal(set) var updatedAt: Timestamp
    /// The time since which the trigger has been active; earlier occurrences of its events don't count.
    var activeSince: Timestamp
    /// The memories of events, at most one for each event.
    var memories: [EventMemory] = []
    /// The run that is waiting, or that end events will end.
    var run: RunState?
    /// The end of the pause after too many runs; `nil` if there was none.
    var pausedUntil: Timestamp?

    /// The memory of an event.
    struct EventMemory: HomeMessage {
        var event: TriggerEvent
        var content: Content
        /// The handled occurrences that didn't run because the clock was set forward, oldest first.
        var skipped: [SkippedOccurrences] = []

        enum Content: HomeMessage {
            /// The number of the last handled occurrence of a scheduled event.
            case occurrence(Int)
            /// Whether the last value was inside a range.
            case side(isInside: Bool)
            /// The start of a state, and whether it has lasted long enough to fire the event.
            case lasting(since: Timestamp, hasFired: Bool)
        }
    }

    /// A run that isn't over.
    struct RunState: HomeMessage {
        /// The number of the run, which increases with each run of any trigger.
        var number: Int64
        /// The time of the start; `nil` in a state of an earlier version.
        var startedAt: Timestamp?
        /// The position in a chain of triggers; 1 if no other trigger caused the run.
        var depth: Int
        /// The index of the next task or wait.
        var nextStep: Int
        /// The end of the current wait; `nil` if the run isn't waiting.
        var resumesAt: Timestamp?
        /// The values to restore.
        var restores: [Restore]
        /// The end of the run; `nil` if no end event limits its duration.
        var endsAt: Timestamp?
        /// A Boolean value that indicates whether the run has ended, but some of the values to restore aren't known yet.
        var hasEnded = false
    }

    /// A value that a run replaced.
    struct Restore: HomeMessage {
        var characteristic: Characteristic.ID
        /// The last value that the run has written; `nil` before the first.
        var written: CharacteristicValue?
        /// The value before the run.
        var former: CharacteristicValue
        /// The time of the write, or of a later step of the fade to the written value; `nil` before the write, and in a
        /// state of an earlier version.
        var fadesAt: Timestamp?
        /// The value at that time; `nil` if it's the one before the run.
        var step: CharacteristicValue?
    }

    /// Returns the memory of an event; `nil` if there is none.
    func memory(of event: TriggerEvent) -> EventMemory? { memories.first { $0.event == event } }

    /// Remembers that the occurrences of an event up to a number have been handled, some of them because the clock has
    /// skipped them.
    mutating func handle(_ event: TriggerEvent, _ number: Int, skipped: [Int]) {
        let former = memory(of: event)
        if former == nil { self[event] = .occurrence(number) }
        for index in memories.indices where memories[index].event == event {
            memories[index].handle(through: number)
            memories[index].skip(SkippedOccurrences.ranges(of: skipped, former))
        }
    }

    subscript(event: TriggerEvent) -> EventMemory.Content? {
        get { memories.first { $0.event == event }?.content }
        set {
            let index = memories.firstIndex { $0.event == event }
            switch (index, newValue) {
            case (let index?, let content?): memories[index].content = content
            case (let index?, nil): memories.remove(at: index)
            case (nil, let content?): memories.append(EventMemory(event: event, content: content))
            case (nil, nil): break
            }
        }
    }
}
