import BoundedJSON
import HAPTesting
import HomeHub
import HomeModel
import Synchronization

import struct HAPModel.ServiceType

/// All requests of the API, by name.
///
/// The switches have no defaults, so that a new request must be added before this compiles.
enum RequestKind: CaseIterable, Sendable {
    case open, homes, accessories, readValues, history, activity, removeHistory, writeValues, setNotification, identify,
        runActionSet
    case startBrowsing, stopBrowsing, addAccessory, setUpAccessory, repairAccessory, declineAddition
    case permissions, setPermission, answerQuestions, answerConsent, setVendor
    case addHome, renameHome, removeHome, setPrimaryHome, addRoom, renameRoom, removeRoom
    case addZone, renameZone, removeZone, addRoomToZone, removeRoomFromZone
    case assignAccessory, renameAccessory, removeAccessory, unblockAccessory
    case renameService, setAssociatedServiceType, setFavorite
    case addActionSet, renameActionSet, removeActionSet, setActions
    case addServiceGroup, renameServiceGroup, removeServiceGroup, addServiceToServiceGroup
    case removeServiceFromServiceGroup
    case addTrigger, renameTrigger, updateTrigger, enableTrigger, removeTrigger
    case runTrigger, triggerStatuses, triggerRecords, receiveMessages
    case addPerson, renamePerson, removePerson, setPresence, setLocation, daylight

    init(_ request: HomeRequest) {
        switch request {
        case .open: self = .open
        case .homes: self = .homes
        case .accessories: self = .accessories
        case .write(let write): self.init(write)
        case .readValues: self = .readValues
        case .history: self = .history
        case .activity: self = .activity
        case .removeHistory: self = .removeHistory
        case .writeValues: self = .writeValues
        case .setNotification: self = .setNotification
        case .identify: self = .identify
        case .runActionSet: self = .runActionSet
        case .runTrigger: self = .runTrigger
        case .triggerStatuses: self = .triggerStatuses
        case .triggerRecords: self = .triggerRecords
        case .daylight: self = .daylight
        case .receiveMessages: self = .receiveMessages
        case .startBrowsing: self = .startBrowsing
        case .stopBrowsing: self = .stopBrowsing
        case .addAccessory: self = .addAccessory
        case .setUpAccessory: self = .setUpAccessory
        case .repairAccessory: self = .repairAccessory
        case .declineAddition: self = .declineAddition
        case .permissions: self = .permissions
        case .setPermission: self = .setPermission
        case .answerQuestions: self = .answerQuestions
        case .answerConsent: self = .answerConsent
        case .setVendor: self = .setVendor
        }
    }

    private init(_ write: HomeWrite) {
        switch write {
        case .addHome: self = .addHome
        case .renameHome: self = .renameHome
        case .removeHome: self = .removeHome
        case .setPrimaryHome: self = .setPrimaryHome
        case .addRoom: self = .addRoom
        case .renameRoom: self = .renameRoom
        case .removeRoom: self = .removeRoom
        case .addZone: self = .addZone
        case .renameZone: self = .renameZone
        case .removeZone: self = .removeZone
        case .addRoomToZone: self = .addRoomToZone
        case .removeRoomFromZone: self = .removeRoomFromZone
        case .assignAccessory: self = .assignAccessory
        case .renameAccessory: self = .renameAccessory
        case .removeAccessory: self = .removeAccessory
        case .unblockAccessory: self = .unblockAccessory
        case .renameService: self = .renameService
        case .setAssociatedServiceType: self = .setAssociatedServiceType
        case .setFavorite: self = .setFavorite
        case .addActionSet: self = .addActionSet
        case .renameActionSet: self = .renameActionSet
        case .removeActionSet: self = .removeActionSet
        case .setActions: self = .setActions
        case .addServiceGroup: self = .addServiceGroup
        case .renameServiceGroup: self = .renameServiceGroup
        case .removeServiceGroup: self = .removeServiceGroup
        case .addServiceToServiceGroup: self = .addServiceToServiceGroup
        case .removeServiceFromServiceGroup: self = .removeServiceFromServiceGroup
        case .addTrigger: self = .addTrigger
        case .renameTrigger: self = .renameTrigger
        case .updateTrigger: self = .updateTrigger
        case .enableTrigger: self = .enableTrigger
        case .removeTrigger: self = .removeTrigger
        case .addPerson: self = .addPerson
        case .renamePerson: self = .renamePerson
        case .removePerson: self = .removePerson
        case .setPresence: self = .setPresence
        case .setLocation: self = .setLocation
        }
    }

    /// The condition for a request.
    enum Need {
        /// The user's permission.
        case permission
        /// The user's permission, or consent to this one request.
        case consent
        /// An identity as the system app.
        case systemApp
        /// A new session. The request is rejected for everyone because the session is already open.
        case newSession
    }

    var need: Need {
        switch self {
        case .open: .newSession
        case .permissions, .setPermission, .answerQuestions, .answerConsent, .setVendor: .systemApp
        case .setUpAccessory: .consent
        case .homes, .accessories, .readValues, .history, .activity, .removeHistory, .writeValues, .setNotification,
            .identify, .runActionSet,
            .startBrowsing, .stopBrowsing, .addAccessory, .repairAccessory, .declineAddition, .addHome, .renameHome,
            .removeHome,
            .setPrimaryHome, .addRoom, .renameRoom, .removeRoom, .addZone, .renameZone, .removeZone, .addRoomToZone,
            .removeRoomFromZone, .assignAccessory, .renameAccessory, .removeAccessory, .unblockAccessory,
            .renameService, .setAssociatedServiceType, .setFavorite, .addActionSet, .renameActionSet,
            .removeActionSet, .setActions, .addServiceGroup, .renameServiceGroup, .removeServiceGroup,
            .addServiceToServiceGroup, .removeServiceFromServiceGroup, .addTrigger, .renameTrigger, .updateTrigger,
            .enableTrigger, .removeTrigger, .runTrigger, .triggerStatuses, .triggerRecords, .receiveMessages,
            .addPerson, .renamePerson, .removePerson, .setPresence, .setLocation, .daylight:
            .permission
        }
    }
}

/// A home with one object of each kind, and an accessory that can be added.
struct ConfiguredHouse {
    let device: Device
    let bridge: TestBridge
    let app: AppIdentity
    let home: Home
    let cabin: Home.ID
    let kitchen: Room.ID
    let hall: Room.ID
    let upstairs: Zone.ID
    let scene: ActionSet.ID
    let group: ServiceGroup.ID
    let trigger: Trigger.ID
    let person: Resident.ID
    /// The number of reads of the device for a `Trace`.
    let looks = Looks()

    final class Looks: Sendable {
        private let counted = Mutex(0)
        var count: Int { counted.withLock { $0 } }
        func add() { counted.withLock { $0 += 1 } }
    }

    /// A switch that can identify itself.
    static let database = #"""
        {"accessories":[{"aid":1,"services":[{"iid":1,"type":"3E","characteristics":[
        {"iid":2,"type":"14","format":"bool","perms":["pw"]}]},{"iid":7,"type":"49","characteristics":[
        {"iid":8,"type":"25","format":"bool","perms":["pr","pw","ev"],"value":false},
        {"iid":12,"type":"73","format":"uint8","perms":["pr","ev"],"value":null}]}]}]}
        """#

    /// Adds a home with the device and one object of each kind.
    ///
    /// - Parameters:
    ///   - device: A device with the database ``database``.
    ///   - system: The system app.
    ///   - app: The app that will send the request.
    /// - Throws: An error if an object can't be created.
    init(_ device: Device, by system: TestApp, for app: AppIdentity) async throws {
        self.device = device
        self.app = app
        try await device.isThere(system)
        let id = device.accessory.home
        func make(_ write: HomeWrite) async throws -> HomeCommit.Result { try await system.write(write).result }
        guard case .home(let cabin) = try await make(.addHome(name: "Cabin")),
            case .room(let kitchen) = try await make(.addRoom(id, name: "Kitchen")),
            case .room(let hall) = try await make(.addRoom(id, name: "Hall")),
            case .zone(let upstairs) = try await make(.addZone(id, name: "Upstairs")),
            case .actionSet(let scene) = try await make(.addActionSet(id, name: "Evening", kind: .userDefined)),
            case .serviceGroup(let group) = try await make(.addServiceGroup(id, name: "Reading"))
        else { throw HouseUnderTest.Missing(what: "furniture") }
        try await system.write(.addRoomToZone(upstairs, hall))
        try await system.write(
            .setActions(scene, [CharacteristicWriteAction(characteristic: device.on, targetValue: .bool(true))]))
        try await system.write(.setLocation(id, try HomeLocation(latitude: 48.86, longitude: 2.35)))
        guard
            case .trigger(let trigger) = try await make(
                .addTrigger(id, name: "Dusk", Self.definition(running: scene), isEnabled: true)),
            case .person(let person) = try await make(.addPerson(id, name: "Anna"))
        else { throw HouseUnderTest.Missing(what: "an automation") }
        if let service = device.accessory.services.first?.id {
            try await system.write(.addServiceToServiceGroup(group, service))
        }
        (self.cabin, self.kitchen, self.hall, self.upstairs, self.scene) = (cabin, kitchen, hall, upstairs, scene)
        (self.group, self.trigger, self.person) = (group, trigger, person)
        home = try await device.house.home(system)
        bridge = try await device.house.bridge(2)
    }

    /// Returns an automation that fires only when a person arrives.
    private static func definition(running scene: ActionSet.ID) -> TriggerDefinition {
        TriggerDefinition(events: [.presence(.firstEntry, people: [])], actionSets: [scene])
    }

    /// Returns a request that would be performed if it were permitted.
    func request(_ kind: RequestKind) -> HomeRequest {
        let (id, accessory, on) = (home.id, device.accessory.id, device.on)
        let service = device.accessory.services.last?.id ?? missing()
        return switch kind {
        case .open: .open(SessionOpening(app: app.app, usageDescription: "For the test.", capabilities: [.home]))
        case .homes: .homes
        case .accessories: .accessories(AccessoryBatchRequest(home: id, revision: home.revision, offset: 0))
        case .readValues: .readValues([on])
        case .history: .history(HistoryRequest(characteristic: on, since: .now, until: .now))
        case .activity: .activity(ActivityRequest(home: id))
        case .removeHistory: .removeHistory(id, accessory)
        case .writeValues: .writeValues([ValueWrite(characteristic: on, value: .bool(true))])
        case .setNotification: .setNotification([on], isEnabled: true)
        case .identify: .identify(accessory)
        case .runActionSet: .runActionSet(scene)
        case .startBrowsing: .startBrowsing
        case .stopBrowsing: .stopBrowsing
        case .addAccessory: .addAccessory(AdditionRequest(home: id, device: bridge.id, code: bridge.code))
        case .setUpAccessory: .setUpAccessory(AdditionRequest(home: id, device: bridge.id, code: bridge.code))
        case .repairAccessory:
            .repairAccessory(RepairRequest(accessory: accessory, device: bridge.id, code: bridge.code))
        case .declineAddition: .declineAddition(missing())
        case .permissions: .permissions
        case .setPermission: .setPermission(app, .allow)
        case .answerQuestions: .answerQuestions
        case .answerConsent: .answerConsent(missing(), isAllowed: true)
        case .setVendor: .setVendor(app, vendor: "kilgo", .allow)
        case .addHome: .write(.addHome(name: "Palace"))
        case .renameHome: .write(.renameHome(id, name: "Villa"))
        case .removeHome: .write(.removeHome(id))
        case .setPrimaryHome: .write(.setPrimaryHome(cabin))
        case .addRoom: .write(.addRoom(id, name: "Attic"))
        case .renameRoom: .write(.renameRoom(kitchen, name: "Galley"))
        case .removeRoom: .write(.removeRoom(id, kitchen))
        case .addZone: .write(.addZone(id, name: "Downstairs"))
        case .renameZone: .write(.renameZone(upstairs, name: "Above"))
        case .removeZone: .write(.removeZone(id, upstairs))
        case .addRoomToZone: .write(.addRoomToZone(upstairs, kitchen))
        case .removeRoomFromZone: .write(.removeRoomFromZone(upstairs, hall))
        case .assignAccessory: .write(.assignAccessory(id, accessory, kitchen))
        case .renameAccessory: .write(.renameAccessory(accessory, name: "Toy"))
        case .removeAccessory: .write(.removeAccessory(id, accessory))
        case .unblockAccessory: .write(.unblockAccessory(id, accessory))
        case .renameService: .write(.renameService(service, name: "Toy"))
        case .setAssociatedServiceType: .write(.setAssociatedServiceType(service, .fan))
        case .setFavorite: .write(.setFavorite(service, true))
        case .addActionSet: .write(.addActionSet(id, name: "Morning", kind: .userDefined))
        case .renameActionSet: .write(.renameActionSet(scene, name: "Night"))
        case .removeActionSet: .write(.removeActionSet(scene))
        case .setActions: .write(.setActions(scene, []))
        case .addServiceGroup: .write(.addServiceGroup(id, name: "Cooking"))
        case .renameServiceGroup: .write(.renameServiceGroup(group, name: "Dining"))
        case .removeServiceGroup: .write(.removeServiceGroup(group))
        case .addServiceToServiceGroup: .write(.addServiceToServiceGroup(group, service))
        case .removeServiceFromServiceGroup:
            .write(.removeServiceFromServiceGroup(group, device.accessory.services.first?.id ?? missing()))
        case .addTrigger:
            .write(.addTrigger(id, name: "Arrival", Self.definition(running: scene), isEnabled: true))
        case .renameTrigger: .write(.renameTrigger(trigger, name: "Arrival"))
        case .updateTrigger:
            .write(
                .updateTrigger(
                    trigger, TriggerDefinition(events: [.presence(.lastExit, people: [])], actionSets: [scene])))
        case .enableTrigger: .write(.enableTrigger(trigger, false))
        case .removeTrigger: .write(.removeTrigger(trigger))
        case .runTrigger: .runTrigger(trigger, .always)
        case .triggerStatuses: .triggerStatuses(id)
        case .triggerRecords: .triggerRecords(id, nil)
        case .receiveMessages: .receiveMessages
        case .addPerson: .write(.addPerson(id, name: "Ben"))
        case .renamePerson: .write(.renamePerson(person, name: "Ben"))
        case .removePerson: .write(.removePerson(person))
        case .setPresence: .write(.setPresence(person, isHome: true))
        case .setLocation: .write(.setLocation(id, try? HomeLocation(latitude: 52.52, longitude: 13.4)))
        case .daylight: .daylight(id)
        }
    }

    /// Returns an unknown ID.
    private func missing<Entity>() -> Identifier<Entity> {
        var generator = SeededNumbers(seed: 5)
        return Identifier(using: &generator)
    }
}
