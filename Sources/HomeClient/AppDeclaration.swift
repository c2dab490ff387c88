/// What an app says of itself before it may ask for homes.
public struct AppDeclaration: Sendable, Hashable {
    /// The app's own id, such as `org.example.lights`: letters, digits, points and dashes.
    public let id: String
    /// Why the app needs the homes, in one short sentence; it is shown to the user with the question of permission.
    public let usageDescription: String
    /// What the app will ask for.
    public let capabilities: Set<HomeCapability>
    /// Whose accessories the app is responsible for, as these advertise it; for makers' apps only.
    public let vendor: String?

    /// Declares an app.
    ///
    /// An app without a purpose is a mistake of whoever wrote it: this traps.
    ///
    /// - Parameters:
    ///   - id: the app's own id, such as `org.example.lights`.
    ///   - usageDescription: why the app needs the homes, in one short sentence for its user; not blank.
    ///   - capabilities: what the app will ask for.
    ///   - vendor: whose accessories it is responsible for, with `HomeCapability.vendor`.
    public init(
        id: String, usageDescription: String, capabilities: Set<HomeCapability> = [.home], vendor: String? = nil
    ) {
        guard !usageDescription.allSatisfy(\.isWhitespace) else {
            // Not a precondition, because preconditions don't print their messages in release builds.
            fatalError(
                "The app \(id) has a blank usageDescription. Write one sentence for its user.")
        }
        self.id = id
        self.usageDescription = usageDescription
        self.capabilities = capabilities
        self.vendor = vendor
    }

    /// The app in which the user manages homes and permissions, in place of the command `homehub`.
    ///
    /// The daemon takes it for that only if its configuration names the program (`system-app`) and a user runs it who may
    /// decide; otherwise it is an app like any other.
    public static let system = AppDeclaration(
        id: SessionOpening.systemApp, usageDescription: "To look after the home and what apps may do with it.")

    package var opening: SessionOpening {
        SessionOpening(app: id, usageDescription: usageDescription, capabilities: capabilities, vendor: vendor)
    }
}
