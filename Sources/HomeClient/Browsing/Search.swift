import AsyncKit

/// The results of this app's search for devices.
///
/// All browsers of the app share a single search of the daemon.
struct Search {
    typealias Finds = BoundedMailbox<BrowserEvent>

    private var readers: [UInt64: Finds] = [:]
    private var lastNumber: UInt64 = 0
    /// The found devices in order of discovery.
    private(set) var devices: [DiscoveredAccessory] = []

    var isWanted: Bool { !readers.isEmpty }

    func isTold(_ number: UInt64) -> Bool { readers[number] != nil }

    // MARK: Readers

    /// Adds a reader, which immediately receives the devices found so far.
    ///
    /// - Returns: A number for ``remove(_:)``.
    mutating func add(_ finds: Finds) -> UInt64 {
        lastNumber += 1
        readers[lastNumber] = finds
        for device in devices { finds.post(.found(device), summary: .reset(devices)) }
        return lastNumber
    }

    /// Removes a reader and drops its pending events.
    ///
    /// - Returns: Whether the daemon's search must be stopped.
    mutating func remove(_ number: UInt64) -> Bool {
        guard let finds = readers.removeValue(forKey: number) else { return false }
        finds.clear()
        guard readers.isEmpty else { return false }
        devices = []
        return true
    }

    // MARK: Finds

    mutating func found(_ device: DiscoveredAccessory) {
        guard isWanted else { return }
        if let index = devices.firstIndex(where: { $0.id == device.id }) {
            guard devices[index] != device else { return }
            devices[index] = device
        } else {
            devices.append(device)
        }
        tell(.found(device))
    }

    mutating func lost(_ id: DeviceID) {
        guard let index = devices.firstIndex(where: { $0.id == id }) else { return }
        tell(.removed(devices.remove(at: index)))
    }

    /// Removes all found devices before the daemon's search restarts.
    ///
    /// The daemon then reports the available devices again.
    mutating func begin() {
        while let device = devices.popLast() { tell(.removed(device)) }
    }

    /// Ends the search for all readers.
    mutating func finish() {
        for finds in readers.values {
            finds.clear()
            finds.finish()
        }
        readers = [:]
        devices = []
    }

    private func tell(_ event: BrowserEvent) {
        for finds in readers.values { finds.post(event, summary: .reset(devices)) }
    }
}
