import HAPModel
import HomeModel
import HomePresentation
import Texts

/// The events, conditions and actions that an automation's form offers for a home.
///
/// Each choice has a key for the form, and a name in the words of ``TriggerPhrases``.
struct AutomationChoices {
    /// A state of an accessory, such as "Hall Sensor detects motion".
    struct State {
        let characteristic: Characteristic.ID
        let test: ValueTest
        /// The accessory's room.
        let room: Room.ID

        var key: String {
            switch test {
            case .value(let value): "\(characteristic)=\(value.formText)"
            case .range: "\(characteristic)>"
            }
        }
    }

    /// A number that an accessory measures.
    struct Number {
        let place: ValuePlace
        var key: String { "\(place.characteristic.id)" }
        var name: String {
            let (noun, name) = (place.characteristic.noun, place.phraseName)
            guard let unit = place.characteristic.metadata.unit?.sign else { return localized("\(noun) of \(name)") }
            return localized("\(noun) of \(name), in \(unit)")
        }
    }

    /// A state that an accessory can be switched to.
    struct Action {
        let write: CharacteristicWriteAction
        let service: Service
        let isOff: Bool
        let room: Room.ID
        var key: String { "\(write.characteristic)=\(write.targetValue.formText)" }
    }

    /// A press of a button.
    struct Press {
        let characteristic: Characteristic.ID
        let kind: PressKind
        let room: Room.ID
        var key: String { "\(characteristic)=\(kind.rawValue)" }
    }

    /// A change of the presence of one or more people.
    struct Presence {
        let change: PresenceChange
        let people: [Resident.ID]
        var key: String { ([change.rawValue] + people.map { "\($0)" }).joined(separator: "=") }
        var event: TriggerEvent { .presence(change, people: people) }
    }

    /// A condition on the sun or on people.
    struct Condition {
        let key: String
        let condition: TriggerCondition

        init(_ key: String, _ condition: TriggerCondition) {
            self.key = key
            self.condition = condition
        }
    }

    let home: Home
    let phrases: TriggerPhrases
    let states: [State]
    let numbers: [Number]
    let actions: [Action]
    let presses: [Press]
    let presences: [Presence]
    let sunConditions: [Condition]
    let presenceConditions: [Condition]

    init(home: Home, time: HomeTime) {
        self.home = home
        let phrases = TriggerPhrases(home: home, time: time)
        self.phrases = phrases
        let accessories = home.accessories.sortedForDisplay
        states = accessories.flatMap { Self.states(of: $0, phrases) }
        numbers = accessories.flatMap(Self.numbers)
        actions = accessories.flatMap(Self.actions)
        presses = accessories.flatMap(Self.presses)
        let people = home.people.sortedForDisplay.map(\.id)
        presences =
            [
                Presence(change: .firstEntry, people: []), Presence(change: .lastExit, people: []),
                Presence(change: .everyEntry, people: []), Presence(change: .everyExit, people: []),
            ]
            + people.flatMap {
                [Presence(change: .everyEntry, people: [$0]), Presence(change: .everyExit, people: [$0])]
            }
        sunConditions = [SunEvent.sunset, .sunrise].flatMap { event in
            [SunRelation.after, .before].map {
                Condition("\($0.rawValue)-\(event.rawValue)", .sun($0, SunTime(event)))
            }
        }
        presenceConditions =
            [Condition("anyone", .presence(.anyoneHome)), Condition("none", .presence(.noOneHome))]
            + people.map { Condition("\($0)", .presence(.home($0))) }
    }

    // MARK: Accessories

    private static func states(of accessory: Accessory, _ phrases: TriggerPhrases) -> [State] {
        var states: [State] = []
        for service in accessory.services where !service.isHidden {
            for characteristic in service.characteristics where characteristic.isWorthReading {
                if characteristic.type == .currentPosition {
                    let tests: [ValueTest] = [.range(ValueRange(minimum: 1)), .value(.integer(0))]
                    states += tests.map { State(characteristic: characteristic.id, test: $0, room: accessory.room) }
                    continue
                }
                states += characteristic.states.map {
                    State(characteristic: characteristic.id, test: .value($0), room: accessory.room)
                }
            }
        }
        // The phrases for a lock's current and target states are the same. Keep the current state, which comes first.
        let targets = Set(accessory.services.flatMap(\.characteristics).filter(\.isTarget).map(\.id))
        let ordered =
            states.filter { !targets.contains($0.characteristic) }
            + states.filter { targets.contains($0.characteristic) }
        var seen: Set<String> = []
        return ordered.filter { seen.insert(phrases.phrase(for: $0.event(lasting: nil))).inserted }
    }

    private static func numbers(of accessory: Accessory) -> [Number] {
        accessory.services.filter { !$0.isHidden }.flatMap { service in
            service.characteristics.filter(\.isMeasurement).map {
                Number(place: ValuePlace(accessory: accessory, service: service, characteristic: $0))
            }
        }
    }

    private static func actions(of accessory: Accessory) -> [Action] {
        accessory.services.filter(\.isUserInteractive).flatMap { service -> [Action] in
            guard let toggle = service.toggle else { return [] }
            return [(toggle.on, false), (toggle.off, true)].map { value, isOff in
                Action(
                    write: CharacteristicWriteAction(characteristic: toggle.characteristic, targetValue: value),
                    service: service, isOff: isOff, room: accessory.room)
            }
        }
    }

    private static func presses(of accessory: Accessory) -> [Press] {
        accessory.services.flatMap(\.characteristics).filter { $0.type == .programmableSwitchEvent }.flatMap { button in
            PressKind.allCases.enumerated().filter { index, _ in
                button.metadata.validValues?.contains(Int64(index)) ?? true
            }.map { Press(characteristic: button.id, kind: $0.element, room: accessory.room) }
        }
    }
}

extension AutomationChoices.State {
    /// Returns the event that occurs when the state begins, or when it has lasted for the given duration.
    func event(lasting duration: Duration?) -> TriggerEvent {
        if let duration { return .held(characteristic, test, duration: duration) }
        return switch test {
        case .value(let value): .characteristic(characteristic, value: value)
        case .range(let range): .range(characteristic, range)
        }
    }

    /// The condition that the accessory is in the state.
    var condition: TriggerCondition {
        switch test {
        case .value(let value): .comparison(characteristic, .equal, value)
        case .range: .comparison(characteristic, .greaterOrEqual, .integer(1))
        }
    }
}

extension Characteristic {
    /// The possible values of a Boolean or an enumeration; empty for other characteristics.
    fileprivate var states: [CharacteristicValue] {
        if metadata.format == .bool { return [.bool(true), .bool(false)] }
        return type.valueNames.keys.sorted().filter { metadata.validValues?.contains($0) ?? true }.map { .integer($0) }
    }

    /// Whether the value is a requested state, which can differ from the current state.
    fileprivate var isTarget: Bool { metadata.permissions.contains(.pairedWrite) }

    /// Whether the value is a number that people can't change.
    fileprivate var isMeasurement: Bool {
        isWorthReading && metadata.format != .bool && metadata.format != .string && type.valueNames.isEmpty
            && metadata.validValues == nil && type != .currentPosition
            && !metadata.permissions.contains(.pairedWrite)
    }
}
