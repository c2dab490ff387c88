/// What an app may do with homes, as the user decided.
public struct AuthorizationStatus: OptionSet, Codable, Sendable, Hashable {
    /// The status as bits.
    public let rawValue: Int

    /// Makes a status of its bits.
    public init(rawValue: Int) { self.rawValue = rawValue }

    /// The user, or a policy, has decided; without it the question was never put or is pending.
    public static let determined = AuthorizationStatus(rawValue: 1)
    /// A policy forbids it, and the user cannot allow it.
    public static let restricted = AuthorizationStatus(rawValue: 2)
    /// The app may see and change homes.
    public static let authorized = AuthorizationStatus(rawValue: 4)
}

/// What an app must declare before it asks for it.
public enum HomeCapability: String, Sendable, Hashable, CaseIterable {
    /// To see and change homes.
    case home
    /// To add accessories with the content of their QR codes.
    case setupPayload
    /// To be asked for proofs of ownership, as a maker's app.
    case vendor
}

/// The first message of a session.
package struct SessionOpening: HomeMessage {
    /// The version of these messages; both sides must have the same.
    package static let protocolVersion = 1
    /// The id of the system app.
    package static let systemApp = "org.lamplighter.homehub"

    package var version: Int
    /// The app's own id, such as `org.example.lights`.
    package var app: String
    /// Why the app needs the homes, in one sentence for its user; without it no session is opened.
    package var usageDescription: String?
    package var capabilities: Set<HomeCapability> {
        get { Set(declared.compactMap(HomeCapability.init)) }
        set { declared = newValue.map(\.rawValue).sorted() }
    }
    /// What the app declares; a newer one may declare what this daemon does not have.
    private var declared: [String]
    /// Whose accessories the app is responsible for, as they advertise it; for makers' apps.
    package var vendor: String?

    package init(
        app: String, usageDescription: String?, capabilities: Set<HomeCapability>, vendor: String? = nil,
        version: Int = Self.protocolVersion
    ) {
        self.app = app
        self.usageDescription = usageDescription
        declared = capabilities.map(\.rawValue).sorted()
        self.vendor = vendor
        self.version = version
    }

    enum CodingKeys: String, CodingKey {
        case version, app, usageDescription
        case declared = "capabilities"
        case vendor
    }

    /// Checks what can be checked without knowing the app.
    ///
    /// - Throws: 1003 for another version, 3 for an id that is none, 80 if homes were not declared, 1001 without a
    ///   purpose.
    package func validate() throws(HomeError) {
        guard version == Self.protocolVersion else { throw HomeError(.protocolMismatch) }
        let isPlain = app.unicodeScalars.allSatisfy {
            $0.isASCII && ($0.isNameLetterOrDigit || "-._".unicodeScalars.contains($0))
        }
        guard !app.isEmpty, app.utf8.count <= Self.longestApp, isPlain else {
            throw HomeError(
                .invalidParameter,
                detail: "the id of an app holds letters, digits, points and dashes, such as org.example.lights")
        }
        guard capabilities.contains(.home) else { throw HomeError(.missingEntitlement) }
        guard let usageDescription, !usageDescription.allSatisfy(\.isWhitespace) else {
            throw HomeError(.usageDescriptionMissing)
        }
    }

    /// What could be better about the purpose, for whoever writes the app; `nil` if nothing.
    package var usageDescriptionWarning: String? {
        guard let text = usageDescription else { return nil }
        if text.count >= Self.longestUsageDescription { return "the purpose is long; one short sentence is read" }
        if NameKey(text) == NameKey(app) { return "the purpose is only the app's name; say what it needs the home for" }
        return nil
    }
}

/// What the daemon answers to ``SessionOpening``.
package struct SessionReply: HomeMessage {
    package var status: AuthorizationStatus
    /// Whether this is the system app, which manages homes and permissions and is never asked.
    package var isSystemApp: Bool

    package init(status: AuthorizationStatus, isSystemApp: Bool) {
        self.status = status
        self.isSystemApp = isSystemApp
    }
}

/// Who an app is to the daemon: what it says of itself, and what the system says.
package struct AppIdentity: HomeMessage {
    package var app: String
    package var uid: UInt32
    /// The program that runs.
    package var executable: String

    package init(app: String, uid: UInt32, executable: String) {
        self.app = app
        self.uid = uid
        self.executable = executable
    }
}

/// What the user decides about an app.
package enum PermissionDecision: String, Codable, Sendable, Hashable, CaseIterable {
    case allow
    case deny
    /// As if it had never been asked.
    case forget
}

/// What was decided about an app, or is to be.
package struct AppPermission: HomeMessage {
    package var app: AppIdentity
    package var status: AuthorizationStatus
    /// What the app says it needs the homes for.
    package var usageDescription: String
    /// Whether the question waits for an answer.
    package var isPending: Bool

    package init(app: AppIdentity, status: AuthorizationStatus, usageDescription: String, isPending: Bool) {
        self.app = app
        self.status = status
        self.usageDescription = usageDescription
        self.isPending = isPending
    }
}
