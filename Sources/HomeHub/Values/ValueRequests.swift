import HAPController
import HomeModel

import struct HAPModel.CharacteristicID
import enum HAPModel.CharacteristicValue
import struct HAPModel.DeviceID

/// What is asked of several characteristics, split into one request for each accessory server, and put together again.
struct ValueRequests<Part: Sendable>: Sendable {
    /// What is asked of one characteristic.
    struct Item: Sendable {
        /// Where it stands among all that was asked.
        var index: Int
        var accessory: Accessory
        var location: CharacteristicID
        var part: Part
    }

    private(set) var results: [ValueResult] = []
    private(set) var items: [DeviceID: [Item]] = [:]

    /// Splits a request by accessory server; `part` checks and converts each characteristic's.
    init(
        _ ids: [Characteristic.ID], in graph: HomeGraph,
        _ part: (Int, Characteristic) throws(HomeError) -> Part
    ) {
        for (index, id) in ids.enumerated() {
            do throws(HomeError) {
                guard let accessory = graph.accessory(of: id), let characteristic = accessory.characteristic(id) else {
                    throw HomeError(.notFound, detail: "there is no such characteristic")
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

    /// Notes what became of one.
    mutating func finish(_ item: Item, _ change: (inout ValueResult) -> Void) { change(&results[item.index]) }
}

extension HomeGraph {
    /// Whether an accessory, or the bridge that it is behind, is left alone.
    func isBlocked(_ accessory: Accessory) -> Bool {
        accessory.isBlocked || (accessory.bridge.flatMap { self.accessory($0) }?.isBlocked ?? false)
    }
}
