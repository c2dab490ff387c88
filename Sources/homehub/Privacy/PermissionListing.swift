import BoundedJSON
import HomeClient
import HomePresentation
import SystemKit
import TerminalKit

/// Human-readable listings of apps and their permissions.
enum PermissionListing {
    static func text(of permissions: [AppPermission]) -> String {
        guard !permissions.isEmpty else { return "No app has asked for access yet.\n" }
        var table = Table(["APP", "USER", "ACCESS", "PROGRAM", "REASON"])
        for permission in permissions {
            let program = permission.app.executable.isEmpty ? "any" : permission.app.executable
            table.append([
                permission.app.app, permission.app.userName, permission.decisionText, program,
                permission.usageDescription,
            ])
            for claim in permission.vendors ?? [] {
                table.append([
                    permission.app.app, permission.app.userName, claim.decisionText, program,
                    "to set up accessories made by \(claim.vendor)",
                ])
            }
            for automation in permission.automations ?? [] {
                table.append([
                    permission.app.app, "\(permission.app.uid)", permission.decisionText, program,
                    "to run the automation \(automation.name)",
                ])
            }
        }
        guard permissions.contains(where: \.app.executable.isEmpty) else { return table.text }
        return table.text
            + "PROGRAM any: homehubd can't identify the program, so the decision applies to all programs of this user.\n"
    }
}

extension [AppPermission] {
    /// Returns the permissions in a stable display order.
    func sorted() -> [AppPermission] {
        sorted { ($0.app.app, $0.app.uid, $0.app.executable) < ($1.app.app, $1.app.uid, $1.app.executable) }
    }

    /// Returns the only matching app.
    ///
    /// - Throws: `HomeError` with code 2 if no app with this ID has requested access, 3 if several programs use the ID.
    func app(_ typed: String, user: UInt32?, program: String?) throws(HomeError) -> AppIdentity {
        let found = sorted().map(\.app).filter {
            $0.app.lowercased() == typed.lowercased() && (user ?? $0.uid) == $0.uid
                && (program ?? $0.executable) == $0.executable
        }
        guard let app = found.first else {
            let ids = Set(map(\.app.app))
            let near = typed.nearest(in: ids).map { [$0] } ?? []
            throw HomeError(
                .notFound,
                detail: "no app called \"\(typed.shown)\" has asked for access"
                    + (near.isEmpty ? "; list the apps with \(ShellCommand.homehub) privacy" : ""),
                suggestions: near)
        }
        guard found.count == 1 else {
            let list = found.prefix(8).map {
                "--user \($0.userName)" + ($0.executable.isEmpty ? "" : " --program \($0.executable)")
            }
            throw HomeError(
                .invalidParameter,
                detail: "several programs use the ID \(app.app); add \(list.joined(separator: " or "))")
        }
        return app
    }
}

extension AppIdentity {
    /// The name of the user who runs the app, or the number of a user without a name.
    fileprivate var userName: String { UserName(uid).name }

    /// The programs to which a decision about the app applies.
    var coverage: String {
        executable.isEmpty
            ? "any program that user \(userName) runs under this ID; homehubd can't tell them apart"
            : "\(executable.sanitized), run by user \(userName)"
    }

    /// The coverage as one word: `program`, or `id` if the decision applies to all of the user's programs with this ID.
    fileprivate var coverageWord: String { executable.isEmpty ? "id" : "program" }
}

extension VendorClaim {
    /// The decision about the app's claim to act for the vendor: `yes`, `no` or `pending`.
    var decisionText: String { isAllowed.map { $0 ? "yes" : "no" } ?? "pending" }
}

extension AppPermission {
    /// The decision about the app's access, such as `yes` or `pending`.
    var decisionText: String {
        if status.contains(.authorized) { return "yes" }
        if status.contains(.restricted) { return "no, by policy" }
        if status.contains(.determined) { return "no" }
        return isPending ? "pending" : "not asked"
    }

    var listing: JSONValue {
        var object = json.object ?? [:]
        object["id"] = .string(app.app)
        object["covers"] = .string(app.coverageWord)
        return .object(object)
    }
}
