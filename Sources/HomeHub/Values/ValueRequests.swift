import HAPController
import HomeModel

import struct HAPModel.CharacteristicID
import enum HAPModel.CharacteristicValue
import struct HAPModel.DeviceID

/// A request for several characteristics, split into one request for each accessory server, with combined results.
struct ValueRequests<Part: Sendable>: Sendable {
    /// The part of a request for one characteristic.
    struct Item: Sendable {
        /// The characteristic's position in the whole request.
        var index: Int
        var accessory: Accessory
        var location: CharacteristicID
        var part: Part
    }

    private(set) var results: [ValueResult] = []
    private(set) var items: [DeviceID: [Item]] = [:]

    /// Splits a request by accessory server.
    ///
    /// `part` validates and converts the part of the request for each characteristic.
    init(
        _ ids: [Characteristic.ID], in graph: HomeGraph,
        _ part: (Int, Characteristic) throws(HomeError) -> Part
    ) {
        for (index, id) in ids.enumerated() {
            do throws(HomeError) {
                guard let accessory = graph.accessory(of: id), let characteristic = accessory.characteristic(id) else {
                    throw HomeError(.notFound, detail: "this characteristic doesn't exist")
                }
                do throws(HomeError) {
                    let part = try part(index, characteristic)
                    guard !graph.isBlocked(accessory) else { throw HomeError(.accessoryIsBlocked) }
                    let location = CharacteristicID(accessory.aid, characteristic.iid)
                    items[accessory.deviceID, default: []]
                        .append(Item(index: index, accessory: accessory, location: location, part: part))
                } catch {
                    var error = error
                    error.accessory = accessory.id
                    throw error
                }
                results.append(ValueResult(characteristic: id))
            } catch {
                results.append(ValueResult(characteristic: id, error: error))
            }
        }
    }

    /// Records the result of an item.
    mutating func finish(_ item: Item, _ change: (inout ValueResult) -> Void) { change(&results[item.index]) }
}

extension HomeGraph {
    /// Returns a Boolean value that indicates whether an accessory or its bridge is blocked.
    func isBlocked(_ accessory: Accessory) -> Bool {
        accessory.isBlocked || (accessory.bridge.flatMap { self.accessory($0) }?.isBlocked ?? false)
    }
}
