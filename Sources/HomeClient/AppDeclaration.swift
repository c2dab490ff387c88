/// An app's declaration of its identity and purpose, which access to the homes requires.
public struct AppDeclaration: Sendable, Hashable {
    /// The app's ID, such as `org.example.lights`: ASCII letters, digits, periods, dashes and underscores.
    public let id: String
    /// The reason why the app needs access to the homes, in one short sentence that the user sees with the request for
    /// permission.
    public let usageDescription: String
    /// The capabilities that the app may use.
    public let capabilities: Set<HomeCapability>
    /// The vendor whose accessories the app supports, spelled as the accessories advertise it; `nil` unless this is a
    /// vendor's app.
    public let vendor: String?

    /// Creates a declaration.
    ///
    /// A blank `usageDescription` is a programming error and traps.
    ///
    /// - Parameters:
    ///   - id: The app's ID, such as `org.example.lights`.
    ///   - usageDescription: The reason why the app needs access to the homes, in one short sentence for the user. It
    ///     must not be blank.
    ///   - capabilities: The capabilities that the app may use.
    ///   - vendor: The vendor whose accessories the app supports, if `capabilities` contains `HomeCapability.vendor`.
    public init(
        id: String, usageDescription: String, capabilities: Set<HomeCapability> = [.home], vendor: String? = nil
    ) {
        guard !usageDescription.allSatisfy(\.isWhitespace) else {
            // Not a precondition, because preconditions don't print their messages in release builds.
            fatalError(
                "The app \(id) has a blank usageDescription. Explain in one sentence why it needs access to the homes.")
        }
        self.id = id
        self.usageDescription = usageDescription
        self.capabilities = capabilities
        self.vendor = vendor
    }

    /// The system app, in which the user manages homes and permissions instead of using the `homehub` command.
    ///
    /// The daemon accepts it as the system app only if the daemon's configuration names the program (`system-app`) and
    /// the user running it may decide about permissions. Otherwise it's an ordinary app.
    public static let system = AppDeclaration(
        id: SessionOpening.systemApp, usageDescription: "To manage the homes and the permissions of apps.")

    package var opening: SessionOpening {
        SessionOpening(app: id, usageDescription: usageDescription, capabilities: capabilities, vendor: vendor)
    }
}
