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
@nonexhaustive
public enum HomeCapability: String, Sendable, Hashable, CaseIterable {
    /// To see and change homes.
    case home
    /// To add accessories with the content of their QR codes.
    case setupPayload
    /// To be asked for proofs of ownership, as a maker's app.
    case vendor
}

/// The versions of the messages between apps and the daemon.
///
/// A new version is for what an older side would take amiss. What it may pass over, such as a new member, method or notification,
/// needs none: ``HomeMessage``. Each side says which versions it speaks, from the oldest to the newest, and the newest that both
/// speak holds for the session.
///
/// Version 1 knew no range: its apps say `version` alone, and its daemons take no other than 1. So `version` is the oldest
/// version of an app, which every daemon looks at, and `newest` the newest, which a daemon of version 1 passes over.
package enum HomeProtocol {
    /// What this side speaks.
    ///
    /// Version 2 is version 1 with a range in the opening and a version in the reply.
    package static let versions = 1...2

    /// The newest version that both sides speak.
    ///
    /// - Throws: 1003, which says who is to be upgraded.
    static func agreed(with app: ClosedRange<Int>) throws(HomeError) -> Int {
        let newest = min(app.upperBound, versions.upperBound)
        guard newest >= max(app.lowerBound, versions.lowerBound) else {
            let older = app.upperBound < versions.lowerBound ? "the app" : "homehubd"
            throw HomeError(
                .protocolMismatch,
                detail:
                    "the app speaks \(text(app)) of the home's protocol, homehubd \(text(versions)); upgrade \(older)")
        }
        return newest
    }

    private static func text(_ versions: ClosedRange<Int>) -> String {
        versions.count == 1
            ? "version \(versions.lowerBound)" : "versions \(versions.lowerBound) to \(versions.upperBound)"
    }
}

/// The first message of a session.
package struct SessionOpening: HomeMessage {
    /// The id of the system app.
    package static let systemApp = "org.lamplighter.homehub"

    /// The oldest version that the app speaks.
    package var version: Int
    /// The newest version that the app speaks; `nil` if it speaks one.
    package var newest: Int?
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
        versions: ClosedRange<Int> = HomeProtocol.versions
    ) {
        self.app = app
        self.usageDescription = usageDescription
        declared = capabilities.map(\.rawValue).sorted()
        self.vendor = vendor
        version = versions.lowerBound
        newest = versions.upperBound
    }

    enum CodingKeys: String, CodingKey {
        case version, newest, app, usageDescription
        case declared = "capabilities"
        case vendor
    }

    /// Checks what can be checked without knowing the app.
    ///
    /// - Returns: the version that holds for the session.
    /// - Throws: 1003 if no version is spoken by both sides, 3 for an id that is none, 80 if homes were not declared, 1001
    ///   without a purpose.
    @discardableResult
    package func validate() throws(HomeError) -> Int {
        // Who turns the range round speaks one version.
        let agreed = try HomeProtocol.agreed(with: version...max(version, newest ?? version))
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
        return agreed
    }
}

/// What the daemon answers to ``SessionOpening``.
package struct SessionReply: HomeMessage {
    package var status: AuthorizationStatus
    /// Whether this is the system app, which manages homes and permissions and is never asked.
    package var isSystemApp: Bool
    /// The version that holds for the session; a daemon of version 1 says none.
    package var version: Int?

    package init(status: AuthorizationStatus, isSystemApp: Bool, version: Int? = nil) {
        self.status = status
        self.isSystemApp = isSystemApp
        self.version = version
    }
}

/// Who an app is to the daemon: what it says of itself, and what the system says.
public struct AppIdentity: Codable, Sendable, Hashable, HomeMessage {
    /// What it calls itself, such as `org.example.lights`.
    public package(set) var app: String
    /// The user that runs it.
    public package(set) var uid: UInt32
    /// The program that runs; empty if the system does not let the daemon see it.
    public package(set) var executable: String

    package init(app: String, uid: UInt32, executable: String) {
        self.app = app
        self.uid = uid
        self.executable = executable
    }
}

/// What the user decides about an app.
@nonexhaustive
public enum PermissionDecision: String, Codable, Sendable, Hashable, CaseIterable {
    /// Yes.
    case allow
    /// No.
    case deny
    /// As if it had never been asked.
    case forget
}

/// What was decided about an app, or is to be.
public struct AppPermission: Codable, Sendable, Hashable, HomeMessage {
    /// The app.
    public package(set) var app: AppIdentity
    /// What it may do.
    public package(set) var status: AuthorizationStatus
    /// What the app says it needs the homes for.
    public package(set) var usageDescription: String
    /// Whether the question waits for an answer.
    public package(set) var isPending: Bool
    /// The makers for whose accessories the app wants to answer, and what was decided; `nil` for none.
    public package(set) var vendors: [VendorClaim]?

    package init(
        app: AppIdentity, status: AuthorizationStatus, usageDescription: String, isPending: Bool,
        vendors: [VendorClaim]? = nil
    ) {
        self.app = app
        self.status = status
        self.usageDescription = usageDescription
        self.isPending = isPending
        self.vendors = vendors
    }
}

/// Whether an app may answer for a maker's accessories, as the user decided.
public struct VendorClaim: Codable, Sendable, Hashable, HomeMessage {
    /// The maker, as its accessories advertise it.
    public package(set) var vendor: String
    /// `nil` while the question waits for an answer.
    public package(set) var isAllowed: Bool?

    package init(vendor: String, isAllowed: Bool?) {
        self.vendor = vendor
        self.isAllowed = isAllowed
    }
}

/// A question to the user about an app, beside the one whether it may see the homes.
public struct ConsentQuestion: Codable, Sendable, Hashable, Identifiable, HomeMessage {
    /// What the app wants.
    @nonexhaustive
    public enum Subject: String, Codable, Sendable, Hashable, CaseIterable {
        /// To add one accessory, this once.
        case addition
        /// To be asked for the ownership tokens of a maker's accessories, from now on.
        case vendor
    }

    /// The question's identity.
    public let id: Identifier<ConsentQuestion>
    /// The app.
    public let app: AppIdentity
    /// What the app says it needs the homes for.
    public let usageDescription: String
    /// What it wants.
    public let subject: Subject
    /// The accessory, as the network calls it, empty if that is not known; or the maker, as its accessories advertise it.
    public let name: String

    package init(
        id: Identifier<ConsentQuestion>, app: AppIdentity, usageDescription: String, subject: Subject, name: String
    ) {
        self.id = id
        self.app = app
        self.usageDescription = usageDescription
        self.subject = subject
        self.name = name
    }
}
