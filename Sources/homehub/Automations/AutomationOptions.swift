import ArgumentParser
import HomeClient
import HomeModel
import HomePresentation
import Synchronization

/// The options for the events, the condition and the actions of an automation.
struct AutomationOptions: ParsableArguments, Sendable {
    @Option(
        name: .customLong("at"),
        help: ArgumentHelp(
            "A time, such as 7:00, sunset, sunset-30m, \"18:00 on December 24\" or \"2026-12-24 18:00\".",
            valueName: "time"),
        completion: .list(["sunrise", "sunset", "dawn", "dusk", "7:00"]))
    var at: [String] = []

    @Option(
        name: .customLong("every"),
        help: ArgumentHelp("An interval, such as 2h or \"2h from 7:00\".", valueName: "interval"))
    var every: [String] = []

    @Option(
        name: .customLong("when"),
        help: ArgumentHelp(
            "An event, such as \"hall sensor motion\", \"bedroom window open\", \"hall sensor temperature>24\", "
                + "\"kitchen switch double press\", \"Hall Lamp unreachable\", \"Anna arrives\" or "
                + "\"last person leaves\".",
            valueName: "event"),
        completion: .names(.accessories))
    var when: [String] = []

    @Option(
        name: .customLong("for-at-least"),
        help: ArgumentHelp("How long the states in --when must last, such as 10m.", valueName: "duration"))
    var forAtLeast: String?

    @Option(
        name: .customLong("days"),
        help: ArgumentHelp(
            "The days, such as mon-fri, sat,sun, weekdays, weekend or \"every day\".", valueName: "days"),
        completion: .list(["weekdays", "weekend", "mon-fri"]))
    var days: String?

    @Option(
        name: .customLong("if"),
        help: ArgumentHelp(
            "A condition, such as \"anyone home\", \"after sunset\", \"between 22:00 and 6:00\" or \"hall lamp on\". "
                + "To combine conditions, use and, or, not and parentheses.",
            valueName: "condition"),
        completion: .list(["anyone home", "no one home", "after sunset", "before sunrise"]))
    var conditions: [String] = []

    @Option(
        name: .customLong("run"), help: ArgumentHelp("A scene to run.", valueName: "scene"),
        completion: .names(.scenes))
    var run: [String] = []

    @Option(
        name: .customLong("set"),
        help: ArgumentHelp(
            "Values to set, as for homehub write, such as \"hall lamp on\".", valueName: "target change ..."),
        completion: .names(.changes), transform: OrderedStep.set)
    var sets: [OrderedStep] = []

    @Option(
        name: .customLong("after"),
        help: ArgumentHelp("The wait before the next --set or --notify, such as 10m.", valueName: "duration"),
        transform: OrderedStep.after)
    var waits: [OrderedStep] = []

    @Option(
        name: .customLong("notify"),
        help: ArgumentHelp("A message to send to the apps; homehub watch prints it.", valueName: "text"),
        transform: OrderedStep.notify)
    var notifications: [OrderedStep] = []

    @Option(
        name: .customLong("for"),
        help: ArgumentHelp("Restore the previous values after this time, such as 5m.", valueName: "duration"))
    var endsAfter: String?

    @Option(
        name: .customLong("until"),
        help: ArgumentHelp(
            "Restore the previous values at a time or event, such as 23:00 or \"hall sensor no motion for 5m\".",
            valueName: "event"))
    var until: [String] = []

    @Flag(name: .customLong("once"), inversion: .prefixedNo, help: "Disable the automation after its first run.")
    var isOnce: Bool?

    @Option(
        name: .customLong("missed"),
        help: ArgumentHelp(
            "How late a run may start if the hub wasn't running at its time, such as 10m, or skip to drop the run "
                + "(default: 5m).",
            valueName: "skip|duration"),
        completion: .list(["skip", "10m", "1h"]))
    var missed: String?

    /// The word that removes a condition or an end.
    private static let none = ["none"]

    /// The automation that the options describe, before it is parsed.
    private var typed: TypedTrigger {
        var typed = TypedTrigger()
        typed.at = at
        typed.every = every
        typed.when = when
        typed.forAtLeast = forAtLeast
        typed.days = days
        typed.conditions = conditions == Self.none ? [] : conditions
        typed.run = run
        typed.steps = (sets + waits + notifications).sorted { $0.position < $1.position }.map(\.step)
        typed.endsAfter = endsAfter == "none" ? nil : endsAfter
        typed.until = until == Self.none ? [] : until
        typed.isOnce = isOnce ?? false
        typed.missed = missed
        return typed
    }

    /// A Boolean value that indicates whether there are options for events.
    var hasEvents: Bool { !(at + every + when).isEmpty }

    /// A Boolean value that indicates whether there are options for actions.
    var hasActions: Bool { !run.isEmpty || !(sets + waits + notifications).isEmpty }

    /// Returns the definition of a new automation.
    ///
    /// - Throws: `HomeError` for an option that can't be parsed.
    func definition(_ parser: TriggerParser) throws(HomeError) -> TriggerDefinition {
        do throws(TypedTriggerError) { return try typed.definition(parser) } catch { throw error.error }
    }

    /// Returns a definition in which the given options replace events, actions and settings.
    ///
    /// - Throws: `HomeError` for an option that can't be parsed.
    func definition(changing old: TriggerDefinition, _ parser: TriggerParser) throws(HomeError) -> TriggerDefinition {
        let new = try definition(parser)
        var result = old
        if hasEvents { result.events = new.events }
        if days != nil { result.weekdays = new.weekdays }
        if !conditions.isEmpty { result.condition = new.condition }
        if hasActions { (result.actionSets, result.steps) = (new.actionSets, new.steps) }
        if endsAfter != nil || !until.isEmpty { result.endEvents = new.endEvents }
        if let isOnce { result.executeOnce = isOnce }
        if missed != nil { result.missedRunPolicy = new.missedRunPolicy }
        return result
    }
}

/// A step with its position on the command line.
///
/// The argument parser collects the values of each option separately, but converts all values in the order in which
/// they were typed. The positions preserve this order.
struct OrderedStep: Sendable {
    let position: Int
    let step: TypedTrigger.Step

    private static let count = Atomic<Int>(0)

    private init(_ step: TypedTrigger.Step) {
        position = Self.count.add(1, ordering: .relaxed).newValue
        self.step = step
    }

    static func set(_ typed: String) -> OrderedStep { OrderedStep(.set([typed])) }
    static func after(_ typed: String) -> OrderedStep { OrderedStep(.after(typed)) }
    static func notify(_ typed: String) -> OrderedStep { OrderedStep(.notify(typed)) }
}
