internal import HAPModel

/// Maps a program's ids of accessories and functions to characteristics.
struct Places: Sendable {
    struct Place {
        let id: CharacteristicID
        let metadata: CharacteristicMetadata
    }

    private struct Key: Hashable {
        let type: CharacteristicType
        let accessory: String?
        /// The id of the function; `nil` for the first function that has the characteristic.
        let function: String?
    }

    private var places: [Key: Place] = [:]
    private var aids: [String?: AccessoryID] = [:]
    private var functions: [CharacteristicID: String] = [:]

    subscript(type: CharacteristicType, accessory: String?, function: String?) -> Place? {
        places[Key(type: type, accessory: accessory, function: function)]
    }

    /// The number of bridged accessories.
    var bridgedCount: Int { aids.keys.count { $0 != nil } }

    /// Removes a bridged accessory.
    mutating func remove(_ accessory: String) {
        guard let aid = aids.removeValue(forKey: accessory) else { return }
        places = places.filter { $0.key.accessory != accessory }
        functions = functions.filter { $0.key.aid != aid }
    }

    func aid(of accessory: String?) -> AccessoryID? { aids[accessory] }

    /// Returns the id of the function that a characteristic belongs to.
    func function(of id: CharacteristicID) -> String? { functions[id] }

    /// Adds an accessory, whose last services are those of the given functions.
    mutating func add(_ functions: [AccessoryFunction], of accessory: AccessoryObject, as id: String?) {
        aids[id] = accessory.aid
        for (function, service) in zip(functions, accessory.services.suffix(functions.count)) {
            for characteristic in service.characteristics {
                let place = Place(
                    id: CharacteristicID(accessory.aid, characteristic.iid), metadata: characteristic.metadata)
                self.functions[place.id] = function.id
                for name in Set([function.id, nil]) {
                    let key = Key(type: characteristic.type, accessory: id, function: name)
                    if places[key] == nil { places[key] = place }
                }
            }
        }
    }
}
