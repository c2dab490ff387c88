import HAPModel
package import HomeModel
import Texts

extension TriggerPhrases {
    /// Returns a condition as a clause: `anyone is home`, `it's after sunset and Hall Lamp is off`.
    package func phrase(for condition: TriggerCondition) -> String { clause(condition, Form()) }

    /// Returns the reason why a condition was false: `no one was home`, `it wasn't after sunset`.
    package func reason(for condition: TriggerCondition) -> String {
        clause(condition, Form(isTrue: false, isPast: true))
    }

    /// Returns the opposite of a condition: `no one is home`, `it isn't after sunset`.
    package func negation(of condition: TriggerCondition) -> String { clause(condition, Form(isTrue: false)) }

    /// The form of a clause.
    private struct Form {
        var isTrue = true
        var isPast = false

        var negated: Form { Form(isTrue: !isTrue, isPast: isPast) }

        /// Returns the clause in this form, of the affirmative and the negative in the present and in the past tense.
        func choose(_ isTrue: String, _ isFalse: String, _ wasTrue: String, _ wasFalse: String) -> String {
            switch (self.isTrue, isPast) {
            case (true, false): isTrue
            case (false, false): isFalse
            case (true, true): wasTrue
            case (false, true): wasFalse
            }
        }

        /// Returns the clause that it is a time.
        func it(_ time: String) -> String {
            choose(
                localized("it's \(time)"), localized("it isn't \(time)"), localized("it was \(time)"),
                localized("it wasn't \(time)"))
        }

        /// Returns the clause that something is in a state.
        func state(_ subject: String, _ state: String) -> String {
            choose(
                localized("\(subject) is \(state)"), localized("\(subject) isn't \(state)"),
                localized("\(subject) was \(state)"), localized("\(subject) wasn't \(state)"))
        }
    }

    private func clause(_ condition: TriggerCondition, _ form: Form) -> String {
        switch condition {
        case .all(let parts): combined(parts, form.isTrue ? localized("and") : localized("or"), form)
        case .any(let parts): combined(parts, form.isTrue ? localized("or") : localized("and"), form)
        case .not(let part): clause(part, form.negated)
        case .time(let start, let end): form.it(localized("between \(start) and \(end)"))
        case .sun(let relation, let time): form.it(words(relation, time))
        case .weekday(let days): form.it(days.nouns)
        case .comparison(let id, let comparison, let value): clause(id, comparison, value, form)
        case .presence(let state): clause(state, form)
        }
    }

    private func combined(_ parts: [TriggerCondition], _ word: String, _ form: Form) -> String {
        parts.map { part in
            let text = clause(part, form)
            return part.isCombination && parts.count > 1 ? "(\(text))" : text
        }.joined(separator: " \(word) ")
    }

    private func words(_ relation: SunRelation, _ time: SunTime) -> String {
        var words = time.words
        if time.offset != .zero {
            words =
                "\(time.event.words) \(time.offset < .zero ? "−" : "+") \(TypedDuration.words(of: time.offset))"
        }
        return relation == .before ? localized("before \(words)") : localized("after \(words)")
    }

    private func clause(_ state: PresenceState, _ form: Form) -> String {
        let someone = form.isPast ? localized("someone was home") : localized("someone is home")
        let anyone = form.isPast ? localized("anyone was home") : localized("anyone is home")
        let noOne = form.isPast ? localized("no one was home") : localized("no one is home")
        switch state {
        case .anyoneHome: return form.isTrue ? anyone : noOne
        case .noOneHome: return form.isTrue ? noOne : someone
        case .home(let person):
            let name = home.person(person)?.name ?? Self.removed
            return form.choose(
                localized("\(name) is home"), localized("\(name) is away"), localized("\(name) was home"),
                localized("\(name) was away"))
        }
    }

    private func clause(
        _ id: Characteristic.ID, _ comparison: ValueComparison, _ value: CharacteristicValue, _ form: Form
    ) -> String {
        guard let place = home.place(of: id) else { return form.state(Self.removed, localized("set")) }
        if comparison == .equal || comparison == .notEqual, let phrase = place.characteristic.phrase(for: value) {
            let forms = form.isPast ? phrase.past : phrase.present
            return "\(place.phraseName) \(form.isTrue == (comparison == .equal) ? forms.true : forms.false)"
        }
        return form.state(subject(place), comparison.words(words(value, place)))
    }
}

extension TriggerCondition {
    /// A Boolean value that indicates whether the condition combines others.
    var isCombination: Bool {
        switch self {
        case .all, .any: true
        case .not(let part): part.isCombination
        case .time, .sun, .weekday, .comparison, .presence: false
        }
    }
}

extension ValueComparison {
    /// Returns the comparison with a value in words.
    fileprivate func words(_ value: String) -> String {
        switch self {
        case .equal: localized("\(value)", context: "state")
        case .notEqual: localized("other than \(value)")
        case .less: localized("below \(value)")
        case .lessOrEqual: localized("at most \(value)")
        case .greater: localized("above \(value)")
        case .greaterOrEqual: localized("at least \(value)")
        }
    }
}
