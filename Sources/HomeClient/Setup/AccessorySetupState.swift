/// The state of a setup, including its current question.
@nonexhaustive
public enum AccessorySetupState: Sendable, Hashable {
    /// The setup asks for the content of the QR code, the setup code or the device.
    ///
    /// The value contains the devices found so far, or no devices for an app without access to the homes. Answers:
    /// ``AccessorySetupAnswer/payload(_:)``, ``AccessorySetupAnswer/code(_:)``, ``AccessorySetupAnswer/device(_:)``.
    case searching([DiscoveredAccessory])
    /// The setup asks for the device because the code doesn't identify it. Answer: ``AccessorySetupAnswer/device(_:)``.
    case choosing([DiscoveredAccessory])
    /// The setup asks for the setup code, and again if the device rejects it. Answer:
    /// ``AccessorySetupAnswer/code(_:)``.
    case code(SetupCodeQuestion)
    /// The device is being paired, which can take half a minute. The setup doesn't ask for anything.
    case connecting(DiscoveredAccessory?)
    /// The setup asks for the name of an accessory or a service, and again after an invalid name. Answers:
    /// ``AccessorySetupAnswer/name(_:)``, ``AccessorySetupAnswer/unchanged``.
    case naming(NameQuestion)
    /// The setup asks for the room of an accessory. Answers: ``AccessorySetupAnswer/room(_:)``,
    /// ``AccessorySetupAnswer/unchanged``.
    case room(RoomQuestion)
    /// The setup asks for the type that apps use to display an outlet, a switch or a contact sensor. Answers:
    /// ``AccessorySetupAnswer/serviceType(_:)``, ``AccessorySetupAnswer/unchanged``.
    case serviceType(Service, of: Accessory, choices: [ServiceType])
    /// The setup asks whether a service is a favorite, one of the services that the user uses most. Answers:
    /// ``AccessorySetupAnswer/favorite(_:)``, ``AccessorySetupAnswer/unchanged``.
    case favorite(Service, of: Accessory)
    /// The user must continue the setup in the vendor's app with this name.
    case handedOver(appName: String)
    /// The setup has ended, and the accessory is in the home.
    case done(AccessorySetupResult)
    /// The setup has failed, and no accessory was added.
    case failed(HomeError)

    /// A Boolean value that indicates whether the setup has ended.
    public var isOver: Bool {
        switch self {
        case .handedOver, .done, .failed: true
        default: false
        }
    }
}

/// A request for the setup code.
public struct SetupCodeQuestion: Sendable, Hashable {
    /// The device, if it's known.
    public let accessory: DiscoveredAccessory?
    /// The number of remaining attempts, including this one.
    public let attemptsLeft: Int
    /// The reason why the last code was rejected; `nil` for the first code.
    public let refusal: HomeError?
}

/// A question about the name of an accessory or a service.
public struct NameQuestion: Sendable, Hashable {
    /// The accessory.
    public let accessory: Accessory
    /// The service to name; `nil` to name the accessory itself.
    public let service: Service?
    /// The suggested names, best first.
    public let suggestions: [String]
    /// The reason why the last name was rejected; `nil` for the first name.
    public let refusal: HomeError?

    /// The current name.
    public var present: String { service?.name ?? accessory.name }
}

/// A question about the room of an accessory.
public struct RoomQuestion: Sendable, Hashable {
    /// The accessory.
    public let accessory: Accessory
    /// The home, which contains the available rooms.
    public let home: Home
    /// The suggested room of the request, if any.
    public let suggestion: Room?
}

/// The user's answer to the question of an ``AccessorySetupState``.
@nonexhaustive
public enum AccessorySetupAnswer: Sendable, Hashable {
    /// The content of the QR code.
    case payload(AccessorySetupPayload)
    /// The eight digits of the setup code.
    case code(SetupCode)
    /// One of the found devices.
    case device(DeviceID)
    /// A name.
    case name(String)
    /// A room of the home.
    case room(Room.ID)
    /// One of the choices.
    case serviceType(ServiceType)
    /// Whether the service is a favorite.
    case favorite(Bool)
    /// Keeps the current value, or uses the suggested room if there is one.
    case unchanged
}
