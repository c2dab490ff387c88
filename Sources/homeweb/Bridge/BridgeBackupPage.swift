import BridgeControl
import HTTPTypes
import Hummingbird
import HummingbirdCore
import NIOCore
import SystemKit
import Texts

/// The page on which owners download a backup of the bridge.
///
/// The configuration of the bridge must allow it, because a backup contains keys. A backup is sent only over an encrypted
/// connection, or on this computer. The page shows the command for a restore, which replaces the bridge's identity.
enum BridgeBackupPage {
    static func add(to router: RouterGroup<WebContext>, _ site: Site) {
        router.get("/bridge/backup") { request, context in
            let visitor = try context.owner
            let configuration = try await BridgeChanges.ask(site) { try await $0.configuration() }
            return Response.page(
                Layout(
                    title: localized("Backup of the bridge"),
                    content: content(configuration, isPrivate: context.isPrivate(request)),
                    visitor: visitor, place: "/more"))
        }
        router.post("/bridge/backup") { request, context in
            _ = try context.owner
            _ = try await request.form(context)
            guard context.isPrivate(request) else {
                throw WebError(
                    .conflict,
                    localized(
                        "Others on the network could read the keys in the backup. Open this page over HTTPS, or on the computer that it runs on."
                    )
                )
            }
            let bytes = try await BridgeChanges.ask(site) { try await $0.backup() }
            return Response(
                status: .ok,
                headers: [
                    .contentType: "application/octet-stream",
                    .contentDisposition: "attachment; filename=\"bridge.backup\"",
                ], body: ResponseBody(byteBuffer: ByteBuffer(bytes: bytes)))
        }
    }

    static func content(_ configuration: ConfigurationListing, isPrivate: Bool) -> String {
        let isAllowed = configuration.mayBackUp == true
        let lamplighter = ShellCommand.lamplighterAsRoot
        return Templates.render(
            "bridge-backup",
            [
                "allowed": isAllowed && isPrivate, "unencrypted": isAllowed && !isPrivate, "denied": !isAllowed,
                "file": configuration.file, "reload": "\(lamplighter) reload",
                "backup": "\(lamplighter) backup bridge.backup", "restore": "\(lamplighter) restore bridge.backup",
            ])
    }
}

extension WebContext {
    /// Whether others on the network can't read the connection.
    fileprivate func isPrivate(_ request: Request) -> Bool {
        isEncrypted == true
            || !isProxied && !ReverseProxies.hasForwarded(request.headers) && IPAddressText.isLoopback(peer)
    }
}
