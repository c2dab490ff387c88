import HAPAccessory

/// The motor of a fan.
public protocol Motor: Sendable {
    /// Runs the motor at a speed in percent; 0 stops it.
    func run(at percent: Double) async throws
}

/// A fan that controllers switch and regulate.
public actor Fan: AccessoryHandler {
    private let motor: any Motor
    private var isOn = false
    private var percent = 100.0

    /// Creates a fan with a motor.
    public init(_ motor: any Motor) { self.motor = motor }

    /// Creates the host that serves the fan.
    public func host(storage: AccessoryStorage) async throws -> AccessoryHost {
        try await AccessoryHost(
            AccessoryProfile(
                category: .fan,
                information: AccessoryInformation(
                    name: "Fan", manufacturer: "Example", model: "Fan 1", serialNumber: "F-0001", firmware: "1.0")),
            functions: [AccessoryFunction(.fan, [.on: .bool(false), .rotationSpeed: .float(100)])],
            handler: self, storage: storage)
    }

    /// Writes the values of a request, and runs the motor.
    public func write(
        _ values: [CharacteristicWrite], to accessory: HostedAccessory
    ) async throws -> [WriteResult] {
        for write in values {
            switch (write.type, write.value) {
            case (.on, .bool(let isOn)): self.isOn = isOn
            case (.rotationSpeed, .float(let percent)): self.percent = percent
            default: break
            }
        }
        try await motor.run(at: isOn ? percent : 0)
        return values.map { _ in .success }
    }
}
