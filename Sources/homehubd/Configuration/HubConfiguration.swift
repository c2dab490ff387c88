import ConfigurationKit
import HomeHub
import HomeModel
import YAMLKit

/// The contents of `homehub.yaml`.
///
/// All keys and the file itself are optional.
struct HubConfiguration: DeclaredSection, Equatable, Sendable {
    /// The networks to search for accessories.
    var interfaces = ConfiguredInterfaces.automatic
    /// The apps that are denied access, regardless of the user's decisions.
    var restrict = RestrictSection()
    /// The time limit for a vendor's app to connect and respond while one of its accessories is added.
    var vendorTimeout = Duration.seconds(60)
    /// The maximum size of the history, that is past values and the activity, in megabytes; 0 for none.
    var historySize = 50
    /// The command that receives the messages of automations: the path of a program, and its arguments.
    var notifyCommand: [String]?
    /// The URL that receives the messages of automations.
    var notifyWebhook: WebhookSection?
    /// The path of the system app's executable; `nil` for the installed executable.
    var systemApp: String?

    static var keys: [DeclaredKey<HubConfiguration>] {
        [
            DeclaredKey(
                "interfaces", \.interfaces, .restart,
                .byDefault(
                    "auto",
                    explanation: """
                        The networks on which to discover accessories: auto for all, or a list such as [eth0, wlan0]. Loopback \
                        is always included.
                        """)),
            DeclaredKey(
                "restrict", \.restrict, .reload,
                .byDefault(
                    "apps: []                       # app IDs, such as [org.example.lights]",
                    "users: []                      # user names or numbers, such as [guest]",
                    explanation: "Apps that never get access to the homes. Users can't allow them."
                )),
            DeclaredKey(
                "vendor-patience", \.vendorTimeout, .restart,
                .byDefault(
                    "60s",
                    explanation: """
                        How long to wait for a manufacturer's app when you add one of its accessories: 1s to 600s.
                        """),
                written: DurationText.self
            ) { timeout, path in
                guard (.seconds(1)...Duration.seconds(600)).contains(timeout.duration) else {
                    throw ConfigurationProblem(
                        "must be between 1s and 600s", remedy: "use a duration such as 60s", at: path)
                }
                return timeout.duration
            },
            DeclaredKey(
                "history-size", \.historySize, .restart,
                .byDefault(
                    "50",
                    explanation: """
                        The maximum size of the history, that is past values and the activity, in megabytes: 0 to 10000. \
                        They are kept for 30 days, or until the history is full. 0 keeps none.
                        """),
                written: Int.self
            ) { size, path in
                guard (0...10_000).contains(size) else {
                    throw ConfigurationProblem(
                        "must be between 0 and 10000", remedy: "use a number such as 50", at: path)
                }
                return size
            },
            DeclaredKey(
                "notify-command", \.notifyCommand, .restart,
                .only(
                    #"[/usr/local/bin/send-message, "--", "{text}"]"#,
                    explanation: """
                        A program to run with each notification of an automation, and its arguments. It runs without a \
                        shell as the user of homehubd, for at most 10 seconds. {text}, {home}, {automation} and {time} in an \
                        argument are replaced by the text, the names of the home and the automation, and the time in UTC.
                        """),
                written: [String].self
            ) { command, path in
                guard let program = command.first, program.hasPrefix("/"), command.count <= 64,
                    command.allSatisfy({ $0.utf8.count <= 4096 && !$0.utf8.contains(0) })
                else {
                    throw ConfigurationProblem(
                        "must be a list that starts with the absolute path of a program",
                        remedy: #"use a list such as [/usr/local/bin/send-message, "{text}"]"#, at: path)
                }
                return command
            },
            DeclaredKey(
                optional: "notify-webhook", \.notifyWebhook, .restart,
                .only(
                    "url: https://ntfy.example.org          # or url-file: a file with the URL, if the URL is secret",
                    "token-file: /etc/homehub/ntfy.token    # sent as Authorization: Bearer, or in the field token-header",
                    "body: {topic: our-house, title: \"{automation}\", message: \"{text}\"}",
                    explanation: """
                        A URL that receives each notification of an automation in a POST request with JSON: home, \
                        automation, text and time, or the keys of body, with the placeholders of notify-command. A file \
                        with a token or a URL must not be readable by all users. ca-file: a file with the certificates to \
                        trust, instead of those of the system.
                        """)),
            DeclaredKey(
                "system-app", \.systemApp, .restart,
                .only(
                    "/usr/bin/homehub",
                    explanation: """
                        The program that can manage homes and permissions without asking, if a member of the homehub \
                        group runs it. Default: the homehub in the directory of homehubd, else /usr/bin/homehub. This \
                        applies to apps whose program homehubd can identify: all apps if homehubd runs as root, else only \
                        apps of its own user. For other apps, the user and the app ID count.
                        """),
                written: String.self
            ) { text, path in
                guard text.hasPrefix("/") else {
                    throw ConfigurationProblem(
                        "not an absolute path", remedy: "use an absolute path, such as /usr/bin/homehub", at: path)
                }
                return text
            },
        ]
    }

    /// Creates the default configuration.
    init() {}
}

/// The `restrict` section.
struct RestrictSection: Decodable, Equatable, Sendable {
    /// The IDs of apps that are denied access, regardless of their user.
    var apps: Set<String> = []
    /// The users whose apps are all denied access.
    var users: Set<UInt32> = []

    private enum CodingKeys: String, CodingKey, CaseIterable {
        case apps, users
    }

    init() {}

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        apps = Set(try container.decodeIfPresent([AppID].self, forKey: .apps)?.map(\.text) ?? [])
        users = Set(try container.decodeIfPresent([ConfiguredUser].self, forKey: .users)?.map(\.uid) ?? [])
    }

    /// The restrictions in the form that the hub uses.
    var restrictions: AppRestrictions { AppRestrictions(apps: apps, users: users) }
}

/// An app ID in the form that apps declare.
struct AppID: Decodable {
    let text: String

    init(from decoder: any Decoder) throws {
        text = try decoder.singleValueContainer().decode(String.self)
        do throws(HomeError) {
            try SessionOpening(app: text, usageDescription: "x", capabilities: [.home]).validate()
        } catch {
            throw ConfigurationProblem(
                "invalid app ID", remedy: "use letters, digits, periods and hyphens, such as org.example.lights",
                at: decoder.codingPath)
        }
    }
}

/// A user by name or number.
struct ConfiguredUser: Decodable {
    let uid: UInt32

    init(from decoder: any Decoder) throws {
        let text = try decoder.singleValueContainer().decode(String.self)
        guard let uid = UInt32(text) ?? SystemUsers.uid(of: text) else {
            throw ConfigurationProblem(
                "unknown user \(text)", remedy: "use the name or number of a user of this system",
                at: decoder.codingPath)
        }
        self.uid = uid
    }
}
