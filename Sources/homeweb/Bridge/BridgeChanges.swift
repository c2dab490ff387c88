import BoundedJSON
import BridgeControl
import HTTPTypes
import Hummingbird
import HummingbirdCore
import TerminalKit
import Texts

/// Changes of the bridge's configuration, which the daemon checks and makes.
///
/// A form leads to a page with the change of the file, which is made only after the visitor has confirmed it.
enum BridgeChanges {
    static func add(to router: RouterGroup<WebContext>, _ site: Site) {
        router.post("/bridge/changes") { request, context in
            let visitor = try context.owner
            let form = try await request.form(context)
            let change = try change(form)
            let proposal = try await ask(site) { try await $0.propose(change) }
            let content = Templates.render(
                "bridge-change",
                [
                    "diff": proposal.diff, "file": proposal.file, "token": proposal.token,
                    "warnings": proposal.warnings, "secrets": proposal.secretFiles,
                ])
            return Response.page(
                Layout(title: localized("Change the bridge?"), content: content, visitor: visitor, place: "/more"))
        }
        router.post("/bridge/changes/apply") { request, context in
            _ = try context.owner
            let token = try await request.form(context)["token"] ?? ""
            _ = try await ask(site) { try await $0.apply(token) }
            return Response.seeOther("/bridge")
        }
        router.post("/bridge/changes/undo") { _, context in
            _ = try context.owner
            _ = try await ask(site) { try await $0.undoConfiguration() }
            return Response.seeOther("/bridge")
        }
    }

    /// Sends a request to the bridge.
    ///
    /// - Throws: `WebError` if the bridge rejects it or doesn't answer.
    static func ask<Result: Sendable>(
        _ site: Site, _ body: @Sendable (BridgeControlClient) async throws -> Result
    ) async throws -> Result {
        do {
            return try await BridgeControlClient.connect(to: site.bridgeSocket, body)
        } catch let error as BridgeControlError {
            let status: HTTPResponse.Status =
                switch error.code {
                case 64: .badRequest
                case 65, 73...78: .conflict
                default: .serviceUnavailable
                }
            throw WebError(status, [error.message, error.remedy].compactMap(\.self).sentence)
        }
    }

    /// Returns the change of a form, whose fields are the members of its JSON.
    ///
    /// The values of a driver's fields begin with `value.`.
    private static func change(_ form: Query) throws(WebError) -> ConfigurationChange {
        var members: JSONObject = [:]
        var values: JSONObject = [:]
        var kinds: [JSONValue] = []
        for field in form.fields {
            switch field.name {
            case "kind": break
            case "kinds": kinds.append(.string(field.value))
            case "entry": members["entry"] = try? JSONValue(parsing: Array(field.value.utf8))
            case let name where name.hasPrefix("value."):
                values[String(name.dropFirst("value.".count))] = .string(field.value)
            default: members[field.name] = .string(field.value)
            }
        }
        members["values"] = .object(values)
        members["kinds"] = .array(kinds)
        let json: JSONValue = ["kind": .string(form["kind"] ?? ""), "change": .object(members)]
        do { return try ConfigurationChange(json: json) } catch {
            throw WebError(.badRequest, localized("The form is incomplete. Reload the page."))
        }
    }
}
