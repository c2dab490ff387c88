import DaemonKit
import HomeHub
import HomeModel
import LightKit

/// What the operator has written in `homehub.yaml`; every key may be left out, and so may the file.
struct HubConfiguration: Decodable, Equatable, Sendable {
    /// Where accessories are looked for.
    var interfaces = ConfiguredInterfaces.automatic
    /// Which apps are kept out, whatever the user says.
    var restrict = RestrictSection()
    /// How long a maker's app has to come and answer.
    var vendorTimeout = Duration.seconds(60)
    /// The program that is the system app; `nil` where it is installed.
    var systemApp: String?

    enum CodingKeys: String, CodingKey, CaseIterable {
        case interfaces, restrict
        case vendorTimeout = "vendor-patience"
        case systemApp = "system-app"
    }

    /// What counts where nothing is written.
    init() {}

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        interfaces = try container.decodeIfPresent(ConfiguredInterfaces.self, forKey: .interfaces) ?? interfaces
        restrict = try container.decodeIfPresent(RestrictSection.self, forKey: .restrict) ?? restrict
        if let patience = try container.decodeIfPresent(DurationText.self, forKey: .vendorTimeout) {
            guard (.seconds(1)...Duration.seconds(600)).contains(patience.duration) else {
                throw DecodingError.refused(
                    "nobody can answer within that, or wait for so long", remedy: "write 1s to 600s",
                    at: container.codingPath + [CodingKeys.vendorTimeout])
            }
            vendorTimeout = patience.duration
        }
        if let path = try container.decodeIfPresent(String.self, forKey: .systemApp) {
            guard path.hasPrefix("/") else {
                throw DecodingError.refused(
                    "this is no absolute path", remedy: "write for example /usr/bin/homehub",
                    at: container.codingPath + [CodingKeys.systemApp])
            }
            systemApp = path
        }
    }
}

/// The `restrict` section.
struct RestrictSection: Decodable, Equatable, Sendable {
    /// Ids of apps, under whatever user.
    var apps: Set<String> = []
    /// Users with all their apps.
    var users: Set<UInt32> = []

    private enum CodingKeys: String, CodingKey, CaseIterable {
        case apps, users
    }

    init() {}

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        apps = Set(try container.decodeIfPresent([AppID].self, forKey: .apps)?.map(\.text) ?? [])
        users = Set(try container.decodeIfPresent([UserName].self, forKey: .users)?.map(\.uid) ?? [])
    }

    /// What the hub has to know of it.
    var restrictions: AppRestrictions { AppRestrictions(apps: apps, users: users) }
}

/// An app's id, as apps declare it.
private struct AppID: Decodable {
    let text: String

    init(from decoder: any Decoder) throws {
        text = try decoder.singleValueContainer().decode(String.self)
        do throws(HomeError) {
            try SessionOpening(app: text, usageDescription: "x", capabilities: [.home]).validate()
        } catch {
            throw DecodingError.refused(
                "no app has such an id", remedy: "write letters, digits, points and dashes, such as org.example.lights",
                at: decoder.codingPath)
        }
    }
}

/// A user by name or number.
private struct UserName: Decodable {
    let uid: UInt32

    init(from decoder: any Decoder) throws {
        let text = try decoder.singleValueContainer().decode(String.self)
        guard let uid = UInt32(text) ?? SystemUsers.uid(of: text) else {
            throw DecodingError.refused(
                "this system has no user \(text)", remedy: "write the name or the number of one",
                at: decoder.codingPath)
        }
        self.uid = uid
    }
}
