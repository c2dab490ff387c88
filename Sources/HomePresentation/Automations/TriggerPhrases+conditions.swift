import HAPModel
package import HomeModel

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

        /// The form of "to be".
        var verb: String {
            switch (isTrue, isPast) {
            case (true, false): "is"
            case (false, false): "isn't"
            case (true, true): "was"
            case (false, true): "wasn't"
            }
        }

        /// The form of "to be", with its subject.
        var it: String { verb == "is" ? "it's" : "it \(verb)" }
    }

    private func clause(_ condition: TriggerCondition, _ form: Form) -> String {
        switch condition {
        case .all(let parts): combined(parts, form.isTrue ? "and" : "or", form)
        case .any(let parts): combined(parts, form.isTrue ? "or" : "and", form)
        case .not(let part): clause(part, form.negated)
        case .time(let start, let end): "\(form.it) between \(start) and \(end)"
        case .sun(let relation, let time): "\(form.it) \(words(relation, time))"
        case .weekday(let days): "\(form.it) \(days.nouns)"
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
        let word = relation == .before ? "before" : "after"
        guard time.offset != .zero else { return "\(word) \(time.words)" }
        return "\(word) \(time.event.words) \(time.offset < .zero ? "−" : "+") \(TypedDuration.words(of: time.offset))"
    }

    private func clause(_ state: PresenceState, _ form: Form) -> String {
        let verb = form.isPast ? "was" : "is"
        switch state {
        case .anyoneHome: return form.isTrue ? "anyone \(verb) home" : "no one \(verb) home"
        case .noOneHome: return form.isTrue ? "no one \(verb) home" : "someone \(verb) home"
        case .home(let person):
            return "\(home.person(person)?.name ?? Self.removed) \(verb) \(form.isTrue ? "home" : "away")"
        }
    }

    private func clause(
        _ id: Characteristic.ID, _ comparison: ValueComparison, _ value: CharacteristicValue, _ form: Form
    ) -> String {
        guard let place = home.place(of: id) else { return "\(Self.removed) \(form.verb) set" }
        if comparison == .equal || comparison == .notEqual, let phrase = place.characteristic.phrase(for: value) {
            let forms = form.isPast ? phrase.past : phrase.present
            return "\(place.phraseName) \(form.isTrue == (comparison == .equal) ? forms.true : forms.false)"
        }
        let relation = comparison.words.isEmpty ? "" : "\(comparison.words) "
        return "\(subject(place)) \(form.verb) \(relation)\(words(value, place))"
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
    /// The comparison in words; empty for equality.
    fileprivate var words: String {
        switch self {
        case .equal: ""
        case .notEqual: "other than"
        case .less: "below"
        case .lessOrEqual: "at most"
        case .greater: "above"
        case .greaterOrEqual: "at least"
        }
    }
}
