internal import AccessoryRole
internal import HAPModel
internal import HAPProtocol

/// Where the characteristics of a program's accessories are, by the ids that the program gives to accessories and functions.
struct Places: Sendable {
    private struct Key: Hashable {
        let type: CharacteristicType
        let accessory: String?
        /// `nil` stands for the first function that has the characteristic.
        let function: String?
    }

    private var places: [Key: CharacteristicID] = [:]
    private var aids: [String?: AccessoryID] = [:]
    private var functions: [CharacteristicID: String] = [:]

    subscript(type: CharacteristicType, accessory: String?, function: String?) -> CharacteristicID? {
        places[Key(type: type, accessory: accessory, function: function)]
    }

    /// How many accessories are behind the bridge.
    var bridgedCount: Int { aids.keys.count { $0 != nil } }

    /// Forgets an accessory behind the bridge.
    mutating func remove(_ accessory: String) {
        guard let aid = aids.removeValue(forKey: accessory) else { return }
        places = places.filter { $0.key.accessory != accessory }
        functions = functions.filter { $0.key.aid != aid }
    }

    func aid(of accessory: String?) -> AccessoryID? { aids[accessory] }

    /// The id of the function that a characteristic belongs to.
    func function(of id: CharacteristicID) -> String? { functions[id] }

    /// Adds an accessory whose last services are these functions.
    mutating func add(_ functions: [AccessoryFunction], of accessory: Accessory, as id: String?) {
        aids[id] = accessory.aid
        for (function, service) in zip(functions, accessory.services.suffix(functions.count)) {
            for characteristic in service.characteristics {
                let place = CharacteristicID(accessory.aid, characteristic.iid)
                self.functions[place] = function.id
                for name in Set([function.id, nil]) {
                    let key = Key(type: characteristic.type, accessory: id, function: name)
                    if places[key] == nil { places[key] = place }
                }
            }
        }
    }
}

/// A program's source, told the ids of functions.
final class HostedSource: AccessorySource {
    private let source: any AccessorySource
    private let places: Places

    init(_ source: any AccessorySource, _ places: Places) {
        self.source = source
        self.places = places
    }

    func write(_ values: [CharacteristicWrite], to accessory: AccessoryID) async -> HAPStatus {
        let named = values.map { value in
            var value = value
            value.function = places.function(of: CharacteristicID(accessory, value.iid))
            return value
        }
        return await source.write(named, to: accessory)
    }

    func identify(_ accessory: AccessoryID) async { await source.identify(accessory) }
}
