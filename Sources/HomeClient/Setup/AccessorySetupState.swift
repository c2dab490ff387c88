/// Where a setup stands, and what it asks for.
@nonexhaustive
public enum AccessorySetupState: Sendable, Hashable {
    /// What the QR code says, the setup code, or which of the devices is meant is asked for.
    ///
    /// The devices are those found so far; an app that may not see the homes gets none. Answers:
    /// ``AccessorySetupAnswer/payload(_:)``, ``AccessorySetupAnswer/code(_:)``, ``AccessorySetupAnswer/device(_:)``.
    case searching([DiscoveredAccessory])
    /// Which of the devices is meant is asked for: the code does not tell. Answer: ``AccessorySetupAnswer/device(_:)``.
    case choosing([DiscoveredAccessory])
    /// The setup code is asked for, once more if the device has refused the last one. Answer:
    /// ``AccessorySetupAnswer/code(_:)``.
    case code(SetupCodeQuestion)
    /// The device is spoken to; it may take half a minute. Nothing is asked.
    case connecting(DiscoveredAccessory?)
    /// What an accessory, or a service of it, is to be called is asked for, once more if the last name was refused.
    /// Answers: ``AccessorySetupAnswer/name(_:)``, ``AccessorySetupAnswer/unchanged``.
    case naming(NameQuestion)
    /// The room of an accessory is asked for. Answers: ``AccessorySetupAnswer/room(_:)``,
    /// ``AccessorySetupAnswer/unchanged``.
    case room(RoomQuestion)
    /// What an outlet, a switch or a contact sensor is shown as is asked for. Answers:
    /// ``AccessorySetupAnswer/serviceType(_:)``, ``AccessorySetupAnswer/unchanged``.
    case serviceType(Service, of: Accessory, choices: [ServiceType])
    /// Whether people use the service most is asked for. Answers: ``AccessorySetupAnswer/favorite(_:)``,
    /// ``AccessorySetupAnswer/unchanged``.
    case favorite(Service, of: Accessory)
    /// The maker's app of this name goes on; the setup is over.
    case handedOver(appName: String)
    /// The accessory is in the home; the setup is over.
    case done(AccessorySetupResult)
    /// Nothing was added; the setup is over.
    case failed(HomeError)

    /// Whether nothing follows.
    public var isOver: Bool {
        switch self {
        case .handedOver, .done, .failed: true
        default: false
        }
    }
}

/// A setup code is asked for.
public struct SetupCodeQuestion: Sendable, Hashable {
    /// The device, if it is known.
    public let accessory: DiscoveredAccessory?
    /// How many codes it will be tried with, this one included.
    public let attemptsLeft: Int
    /// Why the last code was refused; `nil` if none was.
    public let refusal: HomeError?
}

/// A name is asked for.
public struct NameQuestion: Sendable, Hashable {
    /// The accessory.
    public let accessory: Accessory
    /// The service of it that is to be named; `nil` if it is the accessory itself.
    public let service: Service?
    /// Names that can be had, the best first.
    public let suggestions: [String]
    /// Why the last name was refused; `nil` if none was.
    public let refusal: HomeError?

    /// The name that it has.
    public var present: String { service?.name ?? accessory.name }
}

/// A room is asked for.
public struct RoomQuestion: Sendable, Hashable {
    /// The accessory.
    public let accessory: Accessory
    /// The home with its rooms.
    public let home: Home
    /// The room that was proposed.
    public let suggestion: Room?
}

/// What a person answers to an ``AccessorySetupState``.
@nonexhaustive
public enum AccessorySetupAnswer: Sendable, Hashable {
    /// What the QR code says.
    case payload(AccessorySetupPayload)
    /// The eight digits.
    case code(SetupCode)
    /// One of the devices that were found.
    case device(DeviceID)
    /// A name.
    case name(String)
    /// A room of the home.
    case room(Room.ID)
    /// One of the choices.
    case serviceType(ServiceType)
    /// Whether it is among the things that people use most.
    case favorite(Bool)
    /// It stays what it is, what was suggested.
    case unchanged
}
