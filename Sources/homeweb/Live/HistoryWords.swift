import HAPModel
import HomeClient
import HomeModel
import HomePresentation

/// The text of an event for the history.
struct HistoryWords {
    var place = ""
    var sentence: String
    var path: String?
}

extension HomeClientEvent {
    /// Returns the text of the event, or `nil` if it isn't relevant for the history.
    func words(_ homes: [Home]) -> HistoryWords? {
        switch self {
        case .manager(let event): event.words
        case .home(let event): event.words
        case .accessory(let event): event.words(in: homes.first { $0.id == event.accessory.home })
        }
    }
}

extension HomeManagerEvent {
    fileprivate var words: HistoryWords? {
        switch self {
        case .homeAdded(let home): HistoryWords(sentence: "The home \(home.name) was added")
        case .homeRemoved(let home): HistoryWords(sentence: "The home \(home.name) was removed")
        case .primaryHomeUpdated(let home?): HistoryWords(sentence: "\(home.name) is now the primary home")
        case .additionFailed(let failure):
            HistoryWords(sentence: "\(failure.name) wasn't added: \(failure.error.message)")
        default: nil
        }
    }
}

extension Home.Event {
    fileprivate var words: HistoryWords? {
        func of(_ accessory: Accessory, _ words: String) -> HistoryWords {
            HistoryWords(
                place: home.room(accessory.room).map(home.displayName) ?? "", sentence: "\(accessory.name)\(words)",
                path: "/accessories/\(accessory.id)")
        }
        return switch change {
        case .nameUpdated: HistoryWords(sentence: "The home was renamed to \(home.name)")
        case .accessoryAdded(let accessory): of(accessory, " was added")
        case .accessoryRemoved(let accessory): HistoryWords(sentence: "\(accessory.name) was removed")
        case .accessoryRoomUpdated(let room, let accessory):
            of(accessory, " was moved to \(home.displayName(of: room))")
        case .accessoryError(let error, let accessory): of(accessory, ": \(error.message)")
        case .accessoryUnblocked(let accessory): of(accessory, " was unblocked")
        case .roomAdded(let room): HistoryWords(sentence: "The room \(room.name) was added", path: "/rooms/\(room.id)")
        case .roomRemoved(let room): HistoryWords(sentence: "The room \(room.name) was removed")
        case .roomNameUpdated(let room):
            HistoryWords(sentence: "A room was renamed to \(room.name)", path: "/rooms/\(room.id)")
        case .zoneAdded(let zone): HistoryWords(sentence: "The zone \(zone.name) was added")
        case .zoneRemoved(let zone): HistoryWords(sentence: "The zone \(zone.name) was removed")
        case .zoneNameUpdated(let zone): HistoryWords(sentence: "A zone was renamed to \(zone.name)")
        case .roomAddedToZone(let room, let zone): HistoryWords(sentence: "\(room.name) was added to \(zone.name)")
        case .roomRemovedFromZone(let room, let zone):
            HistoryWords(sentence: "\(room.name) was removed from \(zone.name)")
        case .actionSetAdded(let scene): HistoryWords(sentence: "The scene \(scene.name) was added", path: "/scenes")
        case .actionSetRemoved(let scene): HistoryWords(sentence: "The scene \(scene.name) was removed")
        case .triggerAdded(let trigger):
            HistoryWords(sentence: "The automation \(trigger.name) was added", path: "/automations/\(trigger.id)")
        case .triggerRemoved(let trigger): HistoryWords(sentence: "The automation \(trigger.name) was removed")
        case .triggerFired(let trigger, let record) where record.isComplete:
            HistoryWords(
                sentence:
                    "\(trigger.name): \(TriggerPhrases(home: home, time: .current(of: home)).phrase(for: record))",
                path: "/automations/\(trigger.id)")
        case .presenceUpdated(let person):
            HistoryWords(sentence: "\(person.name) \(person.isHome ? "came home" : "left")")
        case .actionSetExecutionUpdated(let scene):
            scene.isExecuting ? HistoryWords(sentence: "The scene \(scene.name) was run", path: "/scenes") : nil
        default: nil
        }
    }
}

extension TriggerRecord {
    /// Whether all actions have ended.
    fileprivate var isComplete: Bool { run == nil || !outcomes.isEmpty && outcomes.allSatisfy { $0.time != nil } }
}

extension Accessory.Event {
    func words(in home: Home?) -> HistoryWords? {
        let place = home.flatMap { home in home.room(accessory.room).map(home.displayName) } ?? ""
        func of(_ sentence: String, _ service: Service? = nil) -> HistoryWords {
            HistoryWords(
                place: place, sentence: sentence,
                path: service.map { "/services/\($0.id)" } ?? "/accessories/\(accessory.id)")
        }
        switch change {
        case .nameUpdated: return of("An accessory was renamed to \(accessory.name)")
        case .reachabilityUpdated: return of("\(accessory.name) \(accessory.problem?.words ?? "is responding again")")
        case .valueUpdated(let service, let characteristic):
            guard service.isUserInteractive, characteristic.isForPeople else { return nil }
            return of("\(accessory.shownName(of: service)): \(accessory.state(of: service).words)", service)
        case .firmwareVersionUpdated:
            return of("\(accessory.name) now has firmware \(accessory.firmwareVersion)")
        default: return nil
        }
    }
}
