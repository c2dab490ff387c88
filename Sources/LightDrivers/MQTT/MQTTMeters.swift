import DeviceKit

/// The readings of meters, which become a part of the measured light, switch or other accessory of their device.
///
/// The parts of a device are announced separately and in any order. ``MQTTDeviceRegistry`` therefore waits a moment
/// before it adds a reading to an accessory, or else to the device's sensor.
struct MQTTMeters: Sendable {
    private struct Reading: Sendable {
        let key: String
        /// The values and the reachability since the announcement, or `nil` once the reading has its accessory.
        var report: LightReport? = LightReport()
        var host: LightID?
    }

    private var readings: [LightID: Reading] = [:]
    private var idsByKey: [String: Set<LightID>] = [:]
    /// The times at which devices with readings count as complete.
    private var settling: [String: Duration] = [:]

    /// The time of the next call of `due(now:)`.
    var deadline: Duration? { settling.values.min() }

    /// Returns whether a reading waits for its accessory.
    func isWaiting(_ id: LightID) -> Bool { readings[id]?.report != nil }

    /// Returns the accessory that a reading measures, or `nil` if it has none.
    func host(of id: LightID) -> LightID? { readings[id]?.host }

    /// Adds a reading of a device, or moves it to another device.
    mutating func add(_ id: LightID, of key: String, now: Duration) {
        if let former = readings[id], former.key != key { remove(id) }
        if readings[id] == nil { readings[id] = Reading(key: key) }
        idsByKey[key, default: []].insert(id)
        changed(key, now: now)
    }

    mutating func remove(_ id: LightID) {
        guard let key = readings.removeValue(forKey: id)?.key else { return }
        idsByKey[key]?.remove(id)
        if idsByKey[key]?.isEmpty == true { (idsByKey[key], settling[key]) = (nil, nil) }
    }

    /// Handles a change of a device's accessories.
    mutating func changed(_ key: String, now: Duration) {
        if idsByKey[key] != nil { settling[key] = now + MQTTButtons.settlingTime }
    }

    /// Keeps a report of a reading that waits for its accessory.
    ///
    /// Returns `false` for others.
    mutating func keep(_ report: LightReport, of id: LightID) -> Bool {
        guard isWaiting(id) else { return false }
        readings[id]?.report?.merge(report)
        return true
    }

    /// Returns the devices whose parts are complete, sorted.
    mutating func due(now: Duration) -> [String] {
        guard !settling.isEmpty else { return [] }
        let due = settling.filter { $0.value <= now }.keys.sorted()
        for key in due { settling[key] = nil }
        return due
    }

    /// Assigns the readings of a device to its accessories.
    ///
    /// - Returns: The readings that are new or have another accessory, with the reports that they have kept.
    mutating func settle(_ key: String, on host: (LightID) -> LightID?) -> [(LightID, LightReport)] {
        (idsByKey[key] ?? []).sorted { $0.rawValue < $1.rawValue }.compactMap { id in
            guard let reading = readings[id] else { return nil }
            let host = host(id)
            guard reading.report != nil || reading.host != host else { return nil }
            readings[id]?.host = host
            readings[id]?.report = nil
            return (id, reading.report ?? LightReport())
        }
    }
}

extension LightDescription {
    /// Returns the light of a device that this reading measures.
    ///
    /// If there are several lights, the reading's name must contain the words that distinguish one of them, such as
    /// "left". A meter of the whole device measures none of them.
    func measured(of lights: [LightDescription]) -> LightID? {
        guard lights.count > 1 else { return lights.first?.id }
        let words = lights.map { Set($0.name.lowercased().split(separator: " ")) }
        let common = words.reduce(words[0]) { $0.intersection($1) }
        let own = Set(name.lowercased().split(separator: " "))
        let matching = lights.indices.filter { index in
            let distinct = words[index].subtracting(common)
            return !distinct.isEmpty && distinct.isSubset(of: own)
        }
        return matching.count == 1 ? lights[matching[0]].id : nil
    }
}
