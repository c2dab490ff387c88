import HAPModel
import HomeModel

/// A machine with a manual clock, whose outputs are lines of text.
///
/// Minutes count from the start of Monday, March 1, 2027, in UTC, which is the time zone by default.
struct TriggerBench {
    var machine: TriggerMachine
    private(set) var home: Home
    private(set) var now: Double
    private var zone: TimeZoneRules
    /// The states in the storage.
    private(set) var stored: [Trigger.ID: TriggerState] = [:]
    /// The outputs, such as `5 ran`, `5 write true` or `10 restore false`.
    private(set) var log: [String] = []
    /// A Boolean value that indicates whether written values are reported back as results.
    var echoesWrites = true

    init(_ definitions: TriggerDefinition..., zone: TimeZoneRules = .utc, at minute: Double = 0) {
        var fixture = AutomationHome()
        for (index, definition) in definitions.enumerated() {
            fixture.add(definition, id: index == 0 ? AutomationHome.trigger : AutomationHome.second)
        }
        home = fixture.home
        now = minute
        self.zone = zone
        machine = TriggerMachine(home: home, timeZone: zone, states: [], at: .minute(minute))
        store()
        advance(minute)
    }

    // MARK: Inputs

    /// Moves the clock and handles all deadlines until then, as the hub does.
    mutating func advance(_ minute: Double) {
        while let deadline = machine.nextDeadline, deadline <= .minute(minute) {
            now = max(now, Timestamp.minute(0).minutes(to: deadline))
            perform(machine.advance(to: max(deadline, .minute(now))))
        }
        now = minute
    }

    /// Receives a value at a minute.
    mutating func receive(
        _ value: CharacteristicValue, of id: Characteristic.ID, _ source: TriggerMachine.ValueSource = .event,
        at minute: Double
    ) {
        advance(minute)
        perform(machine.receive(value, of: id, source, at: .minute(minute)))
    }

    mutating func setReachable(_ id: Accessory.ID, _ isReachable: Bool, at minute: Double) {
        advance(minute)
        machine.setReachable(id, isReachable, at: .minute(minute))
        store()
    }

    mutating func setPresence(_ id: Resident.ID, _ isHome: Bool, at minute: Double) {
        advance(minute)
        perform(machine.setPresence(id, isHome: isHome, at: .minute(minute)))
    }

    mutating func run(checksCondition: Bool, at minute: Double) {
        advance(minute)
        do throws(TriggerMachine.RunRefusal) {
            perform(try machine.run(AutomationHome.trigger, checksCondition: checksCondition, at: .minute(minute)))
        } catch {
            switch error {
            case .tooOften: note("refused")
            case .paused: note("refused because of the pause")
            }
        }
    }

    /// Changes the home.
    mutating func update(at minute: Double, zone: TimeZoneRules? = nil, _ change: (inout Home) -> Void = { _ in }) {
        advance(minute)
        change(&home)
        self.zone = zone ?? self.zone
        machine.update(home, timeZone: self.zone, at: .minute(minute))
        store()
    }

    /// Stops the hub and starts it at another time, with the stored states.
    mutating func restart(at minute: Double) {
        now = minute
        machine = TriggerMachine(
            home: home, timeZone: zone, states: stored.values.sorted { $0.trigger < $1.trigger }, at: .minute(minute))
        store()
        perform(machine.advance(to: .minute(minute)))
    }

    /// Sets the clock.
    mutating func setClock(to minute: Double) {
        let difference = Duration.milliseconds(Int64((minute - now) * 60_000))
        now = minute
        machine.clockChanged(by: difference, at: .minute(minute))
        store()
        perform(machine.advance(to: .minute(minute)))
    }

    // MARK: Outputs

    private mutating func store() { for state in machine.takeChangedStates() { stored[state.trigger] = state } }

    private mutating func perform(_ outputs: [TriggerOutput]) {
        store()
        var echoes: [CharacteristicWriteAction] = []
        for output in outputs {
            switch output {
            case .perform(_, _, .write(let actions)):
                note("write", actions)
                echoes += actions
            case .restore(_, _, let actions):
                note("restore", actions)
                echoes += actions
            case .perform(_, _, .runActionSets(let ids)): note("scenes \(ids.count)")
            case .perform(_, _, .notify(let text)): note("notify \(text)")
            case .disable(let id):
                note("disable")
                if let index = home.triggers.firstIndex(where: { $0.id == id }) {
                    home.triggers[index].isEnabled = false
                }
                machine.update(home, timeZone: zone, at: .minute(now))
            case .skip(_, _, .write(let actions)): note("skip", actions)
            case .skip(_, _, .runActionSets(let ids)): note("skip scenes \(ids.count)")
            case .skip(_, _, .notify(let text)): note("skip notify \(text)")
            case .record(let record): note(text(of: record.result))
            }
        }
        guard echoesWrites else { return }
        for action in echoes {
            perform(machine.receive(action.targetValue, of: action.characteristic, .result, at: .minute(now)))
        }
    }

    private func text(of result: TriggerResult) -> String {
        switch result {
        case .conditionFalse: "false"
        case .missed(let first, let count): "missed \(count) from \(Self.text(Timestamp.minute(0).minutes(to: first)))"
        case .skippedByClock(let first, let count):
            "skipped \(count) from \(Self.text(Timestamp.minute(0).minutes(to: first)))"
        case .paused: "paused"
        case .ran, .ended, .wrongWeekday, .clockNotSet, .chainTooDeep: "\(result)"
        }
    }

    private mutating func note(_ text: String, _ actions: [CharacteristicWriteAction]) {
        note(
            ([text] + actions.map { $0.targetValue.bool.map { "\($0)" } ?? "\($0.targetValue.number ?? 0)" })
                .joined(separator: " "))
    }

    private mutating func note(_ text: String) { log.append("\(Self.text(now)) \(text)") }

    static func text(_ minute: Double) -> String { Int(exactly: minute).map { "\($0)" } ?? "\(minute)" }

    /// The log without the given kinds of lines.
    func log(without kinds: String...) -> [String] {
        log.filter { line in !kinds.contains { line.contains(" \($0)") } }
    }

    /// The minutes of the runs.
    var runs: [String] { log.filter { $0.hasSuffix(" ran") }.map { String($0.dropLast(4)) } }
}

extension Timestamp {
    fileprivate func minutes(to other: Timestamp) -> Double {
        Double(other.millisecondsSince1970 - millisecondsSince1970) / 60_000
    }
}
