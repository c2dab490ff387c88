import HomeClient
import HomeModel
import HomePresentation
import Hummingbird
import HummingbirdCore
import SystemKit
import Texts

/// The page of the apps that requested access to the homes, with their permissions.
///
/// The package of the page installs it with the right to see and change them, except its own. Otherwise, the page must be
/// the system app of homehubd (`system-app`).
enum PrivacyPage {
    static func add(to router: RouterGroup<WebContext>, _ site: Site) {
        router.get("/privacy") { _, context in
            let visitor = try context.owner
            let history = HistoryRemoval.section(try await site.moment(visitor).homes)
            return Response.page(
                Layout(
                    title: localized("Privacy"), content: await content(site) + history, visitor: visitor,
                    place: "/more"))
        }
        router.post("/privacy") { request, context in
            _ = try context.owner
            let form = try await request.form(context)
            guard let decision = form["decision"].flatMap({ decisions[$0] }) else {
                throw WebError(
                    .badRequest, localized("Choose whether to allow or deny the app, or to let it ask again."))
            }
            try await withManager(site) { manager, _ in
                let app = try await manager.permissions().map(\.app).first {
                    $0.app == form["app"] && "\($0.uid)" == form["user"] && $0.executable == form["program"]
                }
                guard let app else { throw WebError(.notFound, localized("This app hasn't requested access.")) }
                try await manager.setPermission(decision, for: app)
            }
            return Response.seeOther("/privacy")
        }
    }

    /// Runs a body with the connection of this app if it may manage apps, otherwise with one of the system app.
    private static func withManager<Result: Sendable>(
        _ site: Site, _ body: @Sendable (_ manager: HomeManager, _ isSystemApp: Bool) async throws -> Result
    ) async throws -> Result {
        do {
            return try await body(site.manager, false)
        } catch let error as HomeError where error.code == .insufficientPrivileges {
            return try await withHomeManager(.system, socket: site.hubSocket) { try await body($0, true) }
        }
    }

    private static let decisions: [String: PermissionDecision] = ["allow": .allow, "deny": .deny, "forget": .forget]

    private static func content(_ site: Site) async -> String {
        do {
            let (permissions, isSystemApp) = try await withManager(site) { manager, isSystemApp in
                (try await manager.permissions(), isSystemApp)
            }
            let apps = permissions.sorted { ($0.app.app, $0.app.uid) < ($1.app.app, $1.app.uid) }
            return Templates.render(
                "privacy",
                [
                    "summary": apps.isEmpty
                        ? localized("No app has requested access yet.")
                        : localized("These apps have requested access. You can change each decision."),
                    "apps": apps.map { values(of: $0, isDecidable: isSystemApp || $0.app.app != HomeApp.id) },
                ])
        } catch {
            let error = error as? HomeError
            let isRefused = error?.code == .insufficientPrivileges
            return Templates.render(
                "privacy",
                [
                    "summary": isRefused
                        ? localized("This page isn't allowed to manage apps.")
                        : localized("Can't get the list of apps from the home hub."),
                    "reason": isRefused
                        ? localized(
                            "Use the command \"\(ShellCommand.homehub) privacy\" instead. To manage apps here, install the page from its package, or make it the system-app in homehub.yaml."
                        )
                        : error?.localizedMessage ?? "",
                    "apps": [Templates.Values](),
                ])
        }
    }

    private static func values(of permission: AppPermission, isDecidable: Bool) -> Templates.Values {
        let status = permission.status
        let may =
            if status.contains(.authorized) {
                localized("Can see and control the home.")
            } else if status.contains(.restricted) {
                localized("Denied by the configuration.")
            } else if status.contains(.determined) { localized("Has no access.") } else {
                localized("Has requested access to the home.")
            }
        var choices: [Templates.Values] = []
        if isDecidable, !status.contains(.restricted) {
            if !status.contains(.authorized) { choices.append(["value": "allow", "name": localized("Allow")]) }
            if status.contains(.authorized) || !status.contains(.determined) {
                choices.append([
                    "value": "deny", "name": status.contains(.authorized) ? localized("Revoke") : localized("Deny"),
                ])
            }
            if status.contains(.determined) {
                choices.append(["value": "forget", "name": localized("Let it ask again")])
            }
        }
        let automations = (permission.automations ?? []).map(\.name).joined(separator: ", ")
        return [
            "automations": automations.isEmpty
                ? ""
                : status.contains(.authorized)
                    ? localized("Automations: \(automations)")
                    : localized("Automations that don't run without access: \(automations)"),
            "id": permission.app.app, "user": "\(permission.app.uid)", "program": permission.app.executable,
            "covers": permission.app.executable.isEmpty
                ? localized("any program of user \(SystemUser.name(of: permission.app.uid))")
                : localized("\(permission.app.executable), user \(SystemUser.name(of: permission.app.uid))"),
            "because": permission.usageDescription, "may": may, "choices": choices,
        ]
    }
}
