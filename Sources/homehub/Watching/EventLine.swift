import BoundedJSON
import HAPModel
import HomeClient
import HomePresentation
import TerminalKit

/// An event as one line: the room, the object and the change.
struct EventLine {
    /// The room or another location of the event; empty for the home itself.
    var place = ""
    var subject = ""
    var sentence: String
    /// The JSON members of the event, in addition to its name and time.
    var members: JSONObject = [:]

    /// Returns the human-readable line.
    func text(at time: String) -> String {
        [time, place, subject, sentence].filter { !$0.isEmpty }.map(\.sanitized).joined(separator: "  ") + "\n"
    }

    /// Returns the line as JSON, with the event's name and its time.
    func listing(name: String, time: Timestamp) -> JSONValue {
        var object: JSONObject = ["event": .string(name), "time": .integer(time.millisecondsSince1970)]
        for member in members.members { object[member.name] = member.value }
        return .object(object)
    }
}

// MARK: Homes

extension EventLine {
    init(_ event: HomeManagerEvent) {
        switch event {
        case .authorizationStatusUpdated(let status):
            self.init(
                sentence: status.contains(.authorized)
                    ? "this app now has access to the homes" : "this app no longer has access to the homes",
                members: ["status": .integer(Int64(status.rawValue))])
        case .homesUpdated: self.init(sentence: "the homes were reloaded")
        case .primaryHomeUpdated(let home):
            self.init(
                sentence: home.map { "\($0.name) is now the primary home" } ?? "the last home was removed",
                members: ["home": home.map { .string("\($0.id)") } ?? .null])
        case .homeAdded(let home):
            self.init(sentence: "a home was added: \(home.name)", members: Self.members(home))
        case .homeRemoved(let home):
            self.init(sentence: "a home was removed: \(home.name)", members: Self.members(home))
        case .addAccessoryRequest(let request):
            self.init(
                sentence: "waiting for the manufacturer's app to approve \(request.accessoryName)",
                members: ["home": .string("\(request.home)"), "request": .string("\(request.id)")])
        case .activityUpdated(let home):
            self.init(sentence: "the activity has changed", members: ["home": .string("\(home)")])
        case .additionFailed(let failure):
            self.init(
                sentence: "\(failure.name) wasn't added: \(failure.error.text)",
                members: [
                    "home": .string("\(failure.home)"), "deviceId": .string("\(failure.accessory)"),
                    "error": failure.error.json,
                ])
        }
    }

    private static func members(_ home: Home) -> JSONObject {
        ["home": .string("\(home.id)"), "name": .string(home.name)]
    }
}

// MARK: Messages of automations

extension EventLine {
    init(_ message: TriggerMessage, in home: Home?) {
        let name = home?.trigger(message.trigger)?.name ?? ""
        self.init(
            sentence: name.isEmpty ? message.text : "\(name): \(message.text)",
            members: [
                "home": .string("\(message.home)"), "automation": .string("\(message.trigger)"), "name": .string(name),
                "text": .string(message.text),
            ])
    }
}

// MARK: A home

extension EventLine {
    init(_ event: Home.Event) {
        let home = event.home
        self =
            switch event.change {
            case .nameUpdated:
                EventLine(sentence: "the home was renamed to \(home.name)", members: ["name": .string(home.name)])
            case .homesUpdated: EventLine(sentence: "the home was reloaded")
            case .accessoryAdded(let accessory): Self.line(accessory, home, "was added")
            case .accessoryRemoved(let accessory): Self.line(accessory, home, "was removed")
            case .accessoryRoomUpdated(let room, let accessory):
                Self.line(
                    accessory, home, "was moved here", isAt: room, members: ["room": .string("\(room.id)")])
            case .accessoryError(let error, let accessory):
                Self.line(
                    accessory, home, error.text,
                    members: ["code": .integer(Int64(error.code.rawValue)), "codeName": .string(error.code.name)])
            case .accessoryUnblocked(let accessory): Self.line(accessory, home, "was unblocked")
            case .roomAdded(let room): Self.line("room", "\(room.id)", room.name, "a room was added: \(room.name)")
            case .roomRemoved(let room): Self.line("room", "\(room.id)", room.name, "a room was removed: \(room.name)")
            case .roomNameUpdated(let room):
                Self.line("room", "\(room.id)", room.name, "a room was renamed to \(room.name)")
            case .zoneAdded(let zone): Self.line("zone", "\(zone.id)", zone.name, "a zone was added: \(zone.name)")
            case .zoneRemoved(let zone): Self.line("zone", "\(zone.id)", zone.name, "a zone was removed: \(zone.name)")
            case .zoneNameUpdated(let zone):
                Self.line("zone", "\(zone.id)", zone.name, "a zone was renamed to \(zone.name)")
            case .roomAddedToZone(let room, let zone): Self.line(room, zone, "was added to \(zone.name)")
            case .roomRemovedFromZone(let room, let zone): Self.line(room, zone, "was removed from \(zone.name)")
            case .actionSetAdded(let scene): Self.line(scene, "a scene was added: \(scene.name)")
            case .actionSetRemoved(let scene): Self.line(scene, "a scene was removed: \(scene.name)")
            case .actionSetNameUpdated(let scene): Self.line(scene, "a scene was renamed to \(scene.name)")
            case .actionSetExecutionUpdated(let scene):
                Self.line(
                    scene, "the scene \(scene.name) \(scene.isExecuting ? "started" : "ended")",
                    members: ["isExecuting": .bool(scene.isExecuting)])
            case .serviceGroupAdded(let group): Self.line(group, "a group was added: \(group.name)")
            case .serviceGroupRemoved(let group): Self.line(group, "a group was removed: \(group.name)")
            case .serviceGroupNameUpdated(let group): Self.line(group, "a group was renamed to \(group.name)")
            case .serviceAddedToServiceGroup(let service, let group):
                Self.line(service, group, home, "was added to \(group.name)")
            case .serviceRemovedFromServiceGroup(let service, let group):
                Self.line(service, group, home, "was removed from \(group.name)")
            case .actionSetActionsUpdated(let scene):
                Self.line(scene, "the actions of the scene \(scene.name) were changed")
            case .triggerAdded(let trigger): Self.line(trigger, "an automation was added: \(trigger.name)")
            case .triggerRemoved(let trigger): Self.line(trigger, "an automation was removed: \(trigger.name)")
            case .triggerNameUpdated(let trigger): Self.line(trigger, "an automation was renamed to \(trigger.name)")
            case .triggerUpdated(let trigger): Self.line(trigger, "the automation \(trigger.name) was changed")
            case .triggerFired(let trigger, let record):
                Self.line(trigger, record, in: home)
            case .personAdded(let person): Self.line(person, "a person was added: \(person.name)")
            case .personRemoved(let person): Self.line(person, "a person was removed: \(person.name)")
            case .personNameUpdated(let person): Self.line(person, "a person was renamed to \(person.name)")
            case .presenceUpdated(let person):
                Self.line(
                    person, "\(person.name) \(person.isHome ? "came home" : "left")",
                    members: ["isHome": .bool(person.isHome)])
            case .locationUpdated: EventLine(sentence: "the location of the home was changed")
            }
        var all: JSONObject = ["home": .string("\(home.id)"), "homeName": .string(home.name)]
        for member in members.members { all[member.name] = member.value }
        members = all
    }

    private static func line(
        _ accessory: Accessory, _ home: Home, _ sentence: String, isAt room: Room? = nil, members: JSONObject = [:]
    ) -> EventLine {
        var all: JSONObject = ["accessory": .string("\(accessory.id)"), "name": .string(accessory.name)]
        for member in members.members { all[member.name] = member.value }
        let place = (room ?? home.room(accessory.room)).map(home.displayName) ?? ""
        return EventLine(place: place, subject: accessory.name, sentence: sentence, members: all)
    }

    private static func line(
        _ kind: String, _ id: String, _ name: String, _ sentence: String, _ members: JSONObject = [:]
    ) -> EventLine {
        var all: JSONObject = [:]
        all[kind] = .string(id)
        all["name"] = .string(name)
        for member in members.members { all[member.name] = member.value }
        return EventLine(sentence: sentence, members: all)
    }

    private static func line(_ trigger: Trigger, _ sentence: String, members: JSONObject = [:]) -> EventLine {
        line("automation", "\(trigger.id)", trigger.name, sentence, members)
    }

    private static func line(_ trigger: Trigger, _ record: TriggerRecord, in home: Home) -> EventLine {
        let phrases = TriggerPhrases(home: home, time: .current(of: home))
        let (result, cause) = (phrases.phrase(for: record), phrases.cause(of: record))
        return line(
            trigger, "automation \(trigger.name): \(result) (\(cause))",
            members: ["record": record.json, "resultText": .string(result), "causeText": .string(cause)])
    }

    private static func line(_ person: Resident, _ sentence: String, members: JSONObject = [:]) -> EventLine {
        line("person", "\(person.id)", person.name, sentence, members)
    }

    private static func line(_ room: Room, _ zone: Zone, _ sentence: String) -> EventLine {
        EventLine(
            place: room.name, sentence: sentence,
            members: ["room": .string("\(room.id)"), "zone": .string("\(zone.id)")])
    }

    private static func line(_ group: ServiceGroup, _ sentence: String) -> EventLine {
        line("serviceGroup", "\(group.id)", group.name, sentence)
    }

    private static func line(_ service: Service, _ group: ServiceGroup, _ home: Home, _ sentence: String) -> EventLine {
        let accessory = home.accessory(service.accessory)
        return EventLine(
            place: accessory.flatMap { home.room($0.room) }.map(home.displayName) ?? "",
            subject: accessory.map { ValuePlace.shownName(of: service, $0) } ?? service.name, sentence: sentence,
            members: ["service": .string("\(service.id)"), "serviceGroup": .string("\(group.id)")])
    }

    private static func line(_ scene: ActionSet, _ sentence: String, members: JSONObject = [:]) -> EventLine {
        var line = line("scene", "\(scene.id)", scene.name, sentence)
        for member in members.members { line.members[member.name] = member.value }
        return line
    }
}

// MARK: An accessory

extension EventLine {
    init(_ event: Accessory.Event, in home: Home?) {
        let accessory = event.accessory
        place = home.flatMap { home in home.room(accessory.room).map(home.displayName) } ?? ""
        subject = accessory.name
        members = [
            "home": .string("\(accessory.home)"), "room": .string("\(accessory.room)"),
            "accessory": .string("\(accessory.id)"), "accessoryName": .string(accessory.name),
        ]
        members["homeName"] = home.map { .string($0.name) }
        members["roomName"] = place.isEmpty ? nil : .string(place)
        switch event.change {
        case .nameUpdated:
            sentence = "was renamed"
            members["name"] = .string(accessory.name)
        case .serviceNameUpdated(let service):
            sentence = "a part was renamed to \(service.name)"
            members["service"] = .string("\(service.id)")
            members["name"] = .string(service.name)
        case .servicesUpdated: sentence = "changed its parts"
        case .reachabilityUpdated:
            sentence = accessory.problem?.words ?? "is responding again"
            members["isReachable"] = .bool(accessory.isReachable)
            members["problem"] = accessory.problem?.listing
        case .valueUpdated(let service, let characteristic):
            let place = ValuePlace(accessory: accessory, service: service, characteristic: characteristic)
            subject = place.shownName
            sentence = characteristic.value.map(characteristic.sentence) ?? "\(characteristic.word) unknown"
            let details = place.listing(value: characteristic.value).object ?? [:]
            for member in details.members where member.name != "id" { members[member.name] = member.value }
            members["characteristic"] = .string("\(characteristic.id)")
        case .associatedServiceTypeUpdated(let service):
            let type = service.associatedServiceType
            subject = ValuePlace.shownName(of: service, accessory)
            sentence = "is now shown as \((type ?? service.type).usualName.lowercased())"
            members["service"] = .string("\(service.id)")
            members["associatedServiceType"] = type.map { .string($0.description) } ?? .null
        case .favoriteUpdated(let service):
            subject = ValuePlace.shownName(of: service, accessory)
            sentence = service.isFavorite ? "is now a favorite" : "is no longer a favorite"
            members["service"] = .string("\(service.id)")
            members["isFavorite"] = .bool(service.isFavorite)
        case .firmwareVersionUpdated:
            sentence = "now has firmware \(accessory.firmwareVersion)"
            members["firmwareVersion"] = .string(accessory.firmwareVersion)
        case .homesUpdated: sentence = "was reloaded"
        }
    }
}
