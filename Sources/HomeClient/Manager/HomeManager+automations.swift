import AsyncKit
import BoundedJSON
import Logging

// Triggers, which users know as automations.
extension HomeManager {
    /// Adds an automation to a home.
    ///
    /// - Parameters:
    ///   - name: The automation's name, which must be unique among the automations of the home.
    ///   - home: The home.
    ///   - definition: The events, the condition and the actions.
    ///   - isEnabled: Whether the automation runs when its events fire.
    /// - Returns: The added automation, with its values in the formats of their characteristics.
    /// - Throws: The errors of ``addActionSet(named:to:kind:)`` for an invalid name; `objectWithSimilarNameExistsInHome`
    ///   if another automation has the name; `missingParameter` if there are no events; `noRegisteredActionSets` if
    ///   there are no actions; `noActionsInActionSet` if a scene has no actions; `fireDateInPast`,
    ///   `cannotActivateTriggerTooFarInFuture`, `dateMustBeOnSpecifiedBoundaries`, `recurrenceTooSmall`,
    ///   `recurrenceTooLarge` or `recurrenceMustBeOnSpecifiedBoundaries` if a timer is invalid (the only time of a
    ///   disabled automation may be in the past); `locationForHomeDisabled` if the automation needs the position of the
    ///   sun and the home has no location; `notFound` if an accessory, a scene or a person doesn't exist; the errors of
    ///   ``setActions(_:of:)`` if a value is invalid; `invalidParameter` if the definition is invalid for another
    ///   reason; `maximumObjectLimitReached` if the home has too many automations, or the definition too many events,
    ///   conditions or actions; `noCompatibleHomeHub` if homehubd is too old.
    public func addTrigger(
        named name: String, to home: Home.ID, _ definition: TriggerDefinition, isEnabled: Bool = true
    ) async throws(HomeError) -> Trigger {
        try await write(.addTrigger(home, name: name, definition, isEnabled: isEnabled)) {
            graph, commit throws(HomeError) in
            try graph.trigger(commit)
        }
    }

    /// Renames an automation.
    ///
    /// - Throws: The errors of ``addTrigger(named:to:_:isEnabled:)`` for the name, `renameWithSimilarName` if the
    ///   automation already has the name.
    @discardableResult
    public func renameTrigger(_ trigger: Trigger.ID, to name: String) async throws(HomeError) -> Trigger {
        try await write(.renameTrigger(trigger, name: name)) { graph, _ throws(HomeError) in
            try graph.existing(trigger)
        }
    }

    /// Replaces the definition of an automation.
    ///
    /// A run in progress ends without effects. A disabled automation stays disabled, even if it was disabled because an
    /// accessory, a scene or a person had been removed.
    ///
    /// - Throws: The errors of ``addTrigger(named:to:_:isEnabled:)`` for the definition.
    @discardableResult
    public func updateTrigger(
        _ trigger: Trigger.ID, to definition: TriggerDefinition
    ) async throws(HomeError) -> Trigger {
        try await write(.updateTrigger(trigger, definition)) { graph, _ throws(HomeError) in
            try graph.existing(trigger)
        }
    }

    /// Enables or disables an automation.
    ///
    /// - Throws: `unconfiguredParameter` if a part of the automation was removed from the home; the errors of
    ///   ``addTrigger(named:to:_:isEnabled:)`` if the definition isn't valid any longer, such as `fireDateInPast`.
    @discardableResult
    public func setEnabled(_ isEnabled: Bool, of trigger: Trigger.ID) async throws(HomeError) -> Trigger {
        try await write(.enableTrigger(trigger, isEnabled)) { graph, _ throws(HomeError) in
            try graph.existing(trigger)
        }
    }

    /// Removes an automation, with its history.
    public func removeTrigger(_ trigger: Trigger.ID) async throws(HomeError) {
        try await write(.removeTrigger(trigger)) { _, _ throws(HomeError) in }
    }

    /// Runs an automation now, even if it's disabled, or checks whether it would run.
    ///
    /// - Returns: The evaluation. If the automation ran, it includes the outcomes of the actions up to the first wait.
    ///   Actions for unreachable accessories are retried for a minute, and
    ///   ``Home/Event/Change/triggerFired(_:_:)`` reports their outcomes.
    public func runTrigger(
        _ trigger: Trigger.ID, mode: TriggerRunMode = .conditional
    ) async throws(HomeError) -> TriggerRecord {
        try await call(.runTrigger(trigger, mode), deadline: timeouts.call) { json throws(HomeError) in
            try Self.understood { () throws(HomeError) in try TriggerRecord(json: json) }
        }
    }

    /// Returns the states of a home's automations in the hub, such as the time of the next run and the last evaluation.
    public func triggerStatuses(of home: Home.ID) async throws(HomeError) -> [TriggerStatus] {
        try await call(.triggerStatuses(home), deadline: timeouts.call) { json throws(HomeError) in
            try Self.understood { () throws(HomeError) in try [TriggerStatus](json: json) }
        }
    }

    /// Returns the latest evaluations: up to 50 of an automation, or up to 500 of all automations of a home.
    ///
    /// The hub keeps the last 50 evaluations of each automation.
    ///
    /// An evaluation shows whether the automation ran, and the reason if it didn't.
    ///
    /// - Parameters:
    ///   - home: The home.
    ///   - trigger: The automation; `nil` for all automations of the home.
    /// - Returns: The evaluations, newest first.
    /// - Throws: `notFound` if the home or the automation doesn't exist.
    public func triggerHistory(
        of home: Home.ID, trigger: Trigger.ID? = nil
    ) async throws(HomeError) -> [TriggerRecord] {
        try await call(.triggerRecords(home, trigger), deadline: timeouts.call) { json throws(HomeError) in
            try Self.understood { () throws(HomeError) in try [TriggerRecord](json: json) }
        }
    }

    // MARK: Messages

    /// Returns the messages that automations send from now on.
    ///
    /// The stream continues after a lost connection, but lacks the messages that were sent in the meantime.
    public func messages() async throws(HomeError) -> EventStream<TriggerMessage> {
        let mailbox = BoundedMailbox<TriggerMessage>(limit: EventStream<TriggerMessage>.limit)
        let number = messageRecipients.add(mailbox)
        let stream = EventStream(mailbox) { [tasks] in tasks.add(.endMessages(number)) }
        try await call(.receiveMessages, deadline: timeouts.call) { _ throws(HomeError) in }
        messageRecipients.began(number)
        return stream
    }

    /// Requests messages again, after a lost connection or dropped notifications.
    func receiveMessages() async {
        do throws(HomeError) {
            try await call(.receiveMessages, deadline: timeouts.call) { _ throws(HomeError) in }
        } catch {
            logger.info("message subscription failed", metadata: ["reason": "\(error)"])
        }
    }
}
