/// The user's decision about an app's access to homes.
public struct AuthorizationStatus: OptionSet, Codable, Sendable, Hashable {
    /// The raw bits.
    public let rawValue: Int

    /// Creates a status from its bits.
    public init(rawValue: Int) { self.rawValue = rawValue }

    /// The user or a policy has decided.
    ///
    /// Without this flag, the question is pending or was never asked.
    public static let determined = AuthorizationStatus(rawValue: 1)
    /// A policy denies access, and the user can't grant it.
    public static let restricted = AuthorizationStatus(rawValue: 2)
    /// The app may read and change homes.
    public static let authorized = AuthorizationStatus(rawValue: 4)
}

extension AuthorizationStatus: CustomStringConvertible {
    /// The names of the flags, such as `determined, authorized`, or `not determined`.
    public var description: String {
        let names = [(Self.determined, "determined"), (.restricted, "restricted"), (.authorized, "authorized")]
            .filter { contains($0.0) }.map(\.1)
        return names.isEmpty ? "not determined" : names.joined(separator: ", ")
    }
}

/// A capability that an app must declare before using it.
@nonexhaustive
public enum HomeCapability: String, Sendable, Hashable, CaseIterable {
    /// Reading and changing homes.
    case home
    /// Adding accessories with the content of their QR codes.
    case setupPayload
    /// Receiving requests for proofs of ownership, as a vendor's app.
    case vendor
}

/// The versions of the messages between apps and the daemon.
///
/// A change requires a new version only if an older side would misinterpret it. An older side ignores new members,
/// methods and notifications, so these don't require one (see ``HomeMessage``). The app sends the range of versions
/// that it supports. The daemon chooses the newest version that both sides support and sends it in its reply.
///
/// Version 1 had no range: its apps send only `version`, and its daemons accept only 1. Therefore `version` is the
/// oldest version that an app supports, which every daemon checks, and `newest` is the newest, which a daemon of
/// version 1 ignores.
package enum HomeProtocol {
    /// The versions that this side supports.
    ///
    /// Version 2 adds a range to the opening and a version to the reply.
    package static let versions = 1...2

    /// Returns the newest version that both sides support.
    ///
    /// - Throws: `HomeError` with code 1003, with a message that names the side to upgrade.
    static func agreed(with app: ClosedRange<Int>) throws(HomeError) -> Int {
        let newest = min(app.upperBound, versions.upperBound)
        guard newest >= max(app.lowerBound, versions.lowerBound) else {
            let older = app.upperBound < versions.lowerBound ? "the app" : "homehubd"
            throw HomeError(
                .protocolMismatch,
                detail:
                    "the app uses \(text(app)) of the home's protocol and homehubd \(text(versions)); upgrade \(older)")
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
    /// The app ID of the system app.
    package static let systemApp = "org.lamplighter.homehub"

    /// The oldest version that the app supports.
    package var version: Int
    /// The newest version that the app supports; `nil` if it supports only one.
    package var newest: Int?
    /// The app's ID, such as `org.example.lights`.
    package var app: String
    /// The reason why the app needs access to the homes, in one sentence for the user.
    ///
    /// The daemon rejects a session without it.
    package var usageDescription: String?
    package var capabilities: Set<HomeCapability> {
        get { Set(declared.compactMap(HomeCapability.init)) }
        set { declared = newValue.map(\.rawValue).sorted() }
    }
    /// The declared capabilities.
    ///
    /// A newer app may declare capabilities that this daemon doesn't know.
    private var declared: [String]
    /// The vendor whose accessories the app is responsible for, spelled as the accessories advertise it; `nil` unless
    /// the app belongs to a vendor.
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

    /// Validates the opening as far as possible without knowing the app.
    ///
    /// - Returns: The session's version.
    /// - Throws: `HomeError` with code 1003 if the app and the daemon have no version in common, 3 if the app ID is
    ///   invalid, 80 if the app didn't declare the `home` capability, or 1001 if it has no usage description.
    @discardableResult
    package func validate() throws(HomeError) -> Int {
        // An app with a reversed range supports only `version`.
        let agreed = try HomeProtocol.agreed(with: version...max(version, newest ?? version))
        let isPlain = app.unicodeScalars.allSatisfy {
            $0.isASCII && ($0.isNameLetterOrDigit || "-._".unicodeScalars.contains($0))
        }
        guard !app.isEmpty, app.utf8.count <= Self.longestApp, isPlain else {
            throw HomeError(
                .invalidParameter,
                detail: "an app id may contain only letters, digits, dots and dashes, such as org.example.lights")
        }
        guard capabilities.contains(.home) else { throw HomeError(.missingEntitlement) }
        guard let usageDescription, !usageDescription.allSatisfy(\.isWhitespace) else {
            throw HomeError(.usageDescriptionMissing)
        }
        return agreed
    }
}

/// The daemon's reply to ``SessionOpening``.
package struct SessionReply: HomeMessage {
    package var status: AuthorizationStatus
    /// A Boolean value that indicates whether this is the system app, which manages homes and permissions without
    /// asking the user.
    package var isSystemApp: Bool
    /// The session's version; `nil` from a daemon of version 1.
    package var version: Int?

    package init(status: AuthorizationStatus, isSystemApp: Bool, version: Int? = nil) {
        self.status = status
        self.isSystemApp = isSystemApp
        self.version = version
    }
}

/// An app's identity: the ID that it declares, and its user and executable as reported by the system.
public struct AppIdentity: Codable, Sendable, Hashable, HomeMessage {
    /// The ID that the app declares, such as `org.example.lights`.
    public package(set) var app: String
    /// The user ID of the app's process.
    public package(set) var uid: UInt32
    /// The path of the app's executable; empty if the daemon isn't allowed to read it.
    public package(set) var executable: String

    package init(app: String, uid: UInt32, executable: String) {
        self.app = app
        self.uid = uid
        self.executable = executable
    }
}

/// A user's decision about an app.
@nonexhaustive
public enum PermissionDecision: String, Codable, Sendable, Hashable, CaseIterable {
    /// Grants permission.
    case allow
    /// Denies permission.
    case deny
    /// Deletes the decision, as if the question had never been asked.
    case forget
}

/// A decision about an app, or a pending question.
public struct AppPermission: Codable, Sendable, Hashable, HomeMessage {
    /// The app.
    public package(set) var app: AppIdentity
    /// The app's authorization status.
    public package(set) var status: AuthorizationStatus
    /// The reason why the app needs access to the homes, as stated by the app.
    public package(set) var usageDescription: String
    /// A Boolean value that indicates whether the question is waiting for an answer.
    public package(set) var isPending: Bool
    /// The vendors whose accessories the app asked to answer for, with the user's decisions; `nil` if there are none.
    public package(set) var vendors: [VendorClaim]?
    /// The automations that the app added, or was the last to change; `nil` if there are none.
    ///
    /// They run only while the app has permission.
    public package(set) var automations: [AppAutomation]?

    package init(
        app: AppIdentity, status: AuthorizationStatus, usageDescription: String, isPending: Bool,
        vendors: [VendorClaim]? = nil, automations: [AppAutomation]? = nil
    ) {
        self.app = app
        self.status = status
        self.usageDescription = usageDescription
        self.isPending = isPending
        self.vendors = vendors
        self.automations = automations
    }
}

/// An automation of an app.
public struct AppAutomation: Codable, Sendable, Hashable, Identifiable, HomeMessage {
    /// The ID of the trigger.
    public let id: Trigger.ID
    /// The ID of the trigger's home.
    public let home: Home.ID
    /// The name of the trigger.
    public let name: String

    package init(_ trigger: Trigger) {
        id = trigger.id
        home = trigger.home
        name = trigger.name
    }
}

/// The user's decision on whether an app may answer for a vendor's accessories.
public struct VendorClaim: Codable, Sendable, Hashable, HomeMessage {
    /// The vendor, as its accessories advertise it.
    public package(set) var vendor: String
    /// The decision; `nil` while the question is waiting for an answer.
    public package(set) var isAllowed: Bool?

    package init(vendor: String, isAllowed: Bool?) {
        self.vendor = vendor
        self.isAllowed = isAllowed
    }
}

/// A question to the user about an app, other than the question about access to the homes.
public struct ConsentQuestion: Codable, Sendable, Hashable, Identifiable, HomeMessage {
    /// The permission that an app asks for.
    @nonexhaustive
    public enum Subject: String, Codable, Sendable, Hashable, CaseIterable {
        /// Adding one accessory, once.
        case addition
        /// Answering requests for the ownership tokens of a vendor's accessories, from now on.
        case vendor
        /// Adding or changing an automation that unlocks a lock, opens a door, or disarms an alarm.
        case automation
    }

    /// The question's ID.
    public let id: Identifier<ConsentQuestion>
    /// The app.
    public let app: AppIdentity
    /// The reason why the app needs access to the homes, as stated by the app.
    public let usageDescription: String
    /// The permission that the app asks for.
    public let subject: Subject
    /// For an addition, the accessory's name on the network, or empty if it's unknown.
    ///
    /// For a vendor, the name that its accessories advertise. For an automation, its name.
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
