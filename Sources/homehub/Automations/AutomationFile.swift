import ConfigurationKit
import HomeClient
import HomeModel
import HomePresentation
import TerminalKit
import YAMLKit

/// A file of automations in YAML, with names instead of identifiers.
struct AutomationFile: Equatable {
    /// An automation in a file.
    struct Entry: Equatable {
        var name: String
        var isEnabled: Bool
        var definition: TriggerDefinition
    }

    var entries: [Entry]
}

extension AutomationFile: Decodable {
    private enum CodingKeys: String, CodingKey, CaseIterable { case automations }

    private static let parserKey = CodingUserInfoKey(rawValue: "parser")

    /// Reads a file and checks each automation against the home.
    ///
    /// - Parameters:
    ///   - bytes: The contents of the file.
    ///   - file: The name of the file, for error messages.
    ///   - parser: The parser of the home's automations.
    /// - Throws: `TerminalError` with code 65 and the line of the first error.
    init(_ bytes: [UInt8], file: String, parser: TriggerParser) throws(TerminalError) {
        do {
            let userInfo = Self.parserKey.map { [$0: parser] } ?? [:]
            self = try StrictYAML.decode(
                AutomationFile.self, from: bytes, file: file, example: "the output of homehub automations export",
                userInfo: userInfo)
        } catch let error as ConfigurationError {
            throw TerminalError(code: 65, message: error.description)
        } catch {
            throw TerminalError(code: 65, message: "\(file): \(error)")
        }
    }

    init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        guard let key = Self.parserKey, let parser = decoder.userInfo[key] as? TriggerParser else {
            throw ConfigurationProblem("the parser is missing", remedy: "", at: decoder.codingPath)
        }
        // Decode everything first, so that a misspelled key is reported before errors in values.
        let typed = try values.decode([TypedEntry].self, forKey: .automations)
        guard typed.count <= HomeLimits.triggersInHome else {
            throw ConfigurationProblem(
                "\(typed.count) automations, but a home can have at most \(HomeLimits.triggersInHome)",
                remedy: "remove some",
                at: values.codingPath + [CodingKeys.automations, ConfigurationKey(HomeLimits.triggersInHome)])
        }
        entries = []
        for (index, typed) in typed.enumerated() {
            let path: [any CodingKey] = values.codingPath + [CodingKeys.automations, ConfigurationKey(index)]
            let entry = try typed.entry(parser, at: path)
            guard !entries.contains(where: { NameKey($0.name) == NameKey(entry.name) }) else {
                throw ConfigurationProblem(
                    "the name \"\(entry.name)\" is used twice", remedy: "choose another name",
                    at: path + [ConfigurationKey("name")])
            }
            entries.append(entry)
        }
    }
}

/// An automation as decoded from a file, before its definition is parsed.
private struct TypedEntry: Decodable {
    private let name: String
    private let isEnabled: Bool
    private let trigger: TypedTrigger
    private let hasSteps: Bool

    private enum CodingKeys: String, CodingKey, CaseIterable {
        case name
        case isEnabled = "enabled"
        case at, every, when, days
        case conditions = "if"
        case run, set, notify, steps
        case endsAfter = "for"
        case until
        case isOnce = "once"
        case missed
    }

    init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        func texts(_ key: CodingKeys) throws -> [String] {
            try values.decodeIfPresent(TextList.self, forKey: key)?.texts ?? []
        }
        name = try values.decode(String.self, forKey: .name)
        isEnabled = try values.decodeIfPresent(Bool.self, forKey: .isEnabled) ?? true
        hasSteps = values.contains(.steps)
        var trigger = TypedTrigger()
        trigger.at = try texts(.at)
        trigger.every = try texts(.every)
        trigger.when = try texts(.when)
        let days = try texts(.days)
        trigger.days = days.isEmpty ? nil : days.joined(separator: ",")
        trigger.conditions = try texts(.conditions)
        trigger.run = try texts(.run)
        trigger.endsAfter = try values.decodeIfPresent(String.self, forKey: .endsAfter)
        trigger.until = try texts(.until)
        trigger.isOnce = try values.decodeIfPresent(Bool.self, forKey: .isOnce) ?? false
        trigger.missed = try values.decodeIfPresent(String.self, forKey: .missed)
        let sets = try texts(.set)
        if !sets.isEmpty { trigger.steps.append(.set(sets)) }
        let notification = try values.decodeIfPresent(String.self, forKey: .notify)
        if let notification { trigger.steps.append(.notify(notification)) }
        if let steps = try values.decodeIfPresent([TypedStep].self, forKey: .steps) {
            guard trigger.steps.isEmpty else {
                throw ConfigurationProblem(
                    "set and notify can't be used together with steps", remedy: "move them into steps",
                    at: values.codingPath + [CodingKeys.steps])
            }
            guard steps.count <= 2 * TriggerLimits.actions else {
                throw ConfigurationProblem(
                    "\(steps.count) steps, but an automation can have at most \(TriggerLimits.actions) actions",
                    remedy: "remove some", at: values.codingPath + [CodingKeys.steps])
            }
            trigger.steps = steps.map(\.step)
        }
        self.trigger = trigger
    }

    /// Parses and checks the automation.
    ///
    /// - Throws: `ConfigurationProblem` with the coding path of the invalid key.
    func entry(_ parser: TriggerParser, at path: [any CodingKey]) throws(ConfigurationProblem) -> AutomationFile.Entry {
        var definition: TriggerDefinition
        do throws(TypedTriggerError) {
            definition = try trigger.definition(parser)
        } catch {
            throw ConfigurationProblem(error.error.text, remedy: "", at: path + self.path(of: error))
        }
        let old = parser.home.triggers.named(name).first
        do throws(HomeError) {
            definition = try validated(definition, parser, old?.definition)
            let name = try old == nil ? parser.home.validatedTriggerName(name) : name
            return AutomationFile.Entry(name: name, isEnabled: isEnabled, definition: definition)
        } catch {
            throw ConfigurationProblem(error.text, remedy: "", at: path)
        }
    }

    /// Returns the validated definition.
    ///
    /// Its values are converted to the formats of their characteristics, so that an unchanged definition equals the one
    /// in the home.
    ///
    /// A time in the past is only valid in an unchanged automation.
    private func validated(
        _ definition: TriggerDefinition, _ parser: TriggerParser, _ old: TriggerDefinition?
    ) throws(HomeError) -> TriggerDefinition {
        do throws(HomeError) {
            return try parser.home.validated(definition, isEnabled: isEnabled, at: parser.time.now)
        } catch {
            let times = definition.events.compactMap { if case .timer(let first, nil) = $0 { first } else { nil } }
            guard error.code == .fireDateInPast, let old, let first = times.min(),
                let valid = try? parser.home.validated(
                    definition, at: Timestamp(millisecondsSince1970: first.millisecondsSince1970 - 60_000)),
                valid == old
            else { throw error }
            return valid
        }
    }

    /// Returns the coding path of the invalid string, relative to the automation.
    private func path(of error: TypedTriggerError) -> [any CodingKey] {
        let key = ConfigurationKey(error.field.rawValue)
        let index = ConfigurationKey(error.index)
        return switch error.field {
        case .set, .after, .notify: hasSteps ? [CodingKeys.steps, index, key] : [key]
        case .at: trigger.at.count > 1 ? [key, index] : [key]
        case .every: trigger.every.count > 1 ? [key, index] : [key]
        case .when: trigger.when.count > 1 ? [key, index] : [key]
        case .condition: trigger.conditions.count > 1 ? [key, index] : [key]
        case .run: trigger.run.count > 1 ? [key, index] : [key]
        case .until: trigger.until.count > 1 ? [key, index] : [key]
        case .forAtLeast, .days, .endsAfter, .missed: [key]
        }
    }
}

/// One string or a list of strings.
private struct TextList: Decodable {
    let texts: [String]

    init(from decoder: any Decoder) throws {
        let isList = (try? decoder.unkeyedContainer()) != nil
        texts = isList ? try [String](from: decoder) : [try String(from: decoder)]
        guard texts.count <= TriggerLimits.actions else {
            throw ConfigurationProblem(
                "\(texts.count) items, but the list can have at most \(TriggerLimits.actions)", remedy: "remove some",
                at: decoder.codingPath)
        }
    }
}

/// A step in a file: `set`, `after` or `notify`.
private struct TypedStep: Decodable {
    let step: TypedTrigger.Step

    private enum CodingKeys: String, CodingKey, CaseIterable { case set, after, notify }

    init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        guard values.allKeys.count == 1 else {
            throw ConfigurationProblem(
                "a step must have exactly one of the keys set, after and notify",
                remedy: "use a separate step for each",
                at: values.codingPath)
        }
        if let texts = try values.decodeIfPresent(TextList.self, forKey: .set)?.texts {
            step = .set(texts)
        } else if let duration = try values.decodeIfPresent(String.self, forKey: .after) {
            step = .after(duration)
        } else {
            step = .notify(try values.decode(String.self, forKey: .notify))
        }
    }
}
