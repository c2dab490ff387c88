import AsyncKit

/// What this app's search for devices finds; several in the app share the one that the daemon runs.
struct Search {
    typealias Finds = BoundedMailbox<BrowserEvent>

    private var readers: [UInt64: Finds] = [:]
    private var lastNumber: UInt64 = 0
    /// What is there, in the order in which it was found.
    private(set) var devices: [DiscoveredAccessory] = []

    var isWanted: Bool { !readers.isEmpty }

    func isTold(_ number: UInt64) -> Bool { readers[number] != nil }

    // MARK: Readers

    /// A search begins, and receives at once what others have found.
    ///
    /// - Returns: a number for ``remove(_:)``.
    mutating func add(_ finds: Finds) -> UInt64 {
        lastNumber += 1
        readers[lastNumber] = finds
        for device in devices { finds.post(.found(device), summary: .reset(devices)) }
        return lastNumber
    }

    /// Nothing is told any more, not even what was found already.
    ///
    /// - Returns: whether the search is to be ended.
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

    /// The search begins anew: what is there will be found again.
    mutating func begin() {
        while let device = devices.popLast() { tell(.removed(device)) }
    }

    /// The search is over for everybody.
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
