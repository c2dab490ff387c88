import BoundedJSON
import HTTPTypes
import HomeClient
import HomeModel
import HomePresentation
import Hummingbird
import HummingbirdCore
import TerminalKit
import Texts

/// The routes that add, change, run and remove automations, for owners only.
enum AutomationActions {
    static func add(to router: RouterGroup<WebContext>, _ site: Site) {
        addForms(to: router, site)
        router.post("/automations/:id/enabled") { request, context in
            let visitor = try context.editor
            let form = try await request.form(context)
            let id: Trigger.ID = try context.id()
            if form["enabled"] == "1" {
                let (home, trigger) = try await trigger(context, site, visitor)
                if !home.openings(of: trigger).isEmpty { try OpeningQuestion.check(visitor) }
            }
            do throws(HomeError) {
                try await site.manager.setEnabled(form["enabled"] == "1", of: id)
            } catch {
                return try await refused(error, request, id, site, visitor)
            }
            return ValueActions.done(request, form["back"] ?? "/automations/\(id)")
        }
        router.post("/automations/:id/run") { request, context in
            let visitor = try context.editor
            let form = try await request.form(context)
            let (home, trigger) = try await trigger(context, site, visitor)
            if let question = try OpeningQuestion(trigger, home)?.response(
                to: request, form, back: "/automations/\(trigger.id)", unlessConfirmedBy: visitor)
            {
                return question
            }
            let record: TriggerRecord
            do throws(HomeError) {
                record = try await site.manager.runTrigger(trigger.id, mode: .always)
            } catch {
                return try await refused(error, request, trigger.id, site, visitor)
            }
            let path = "/automations/\(trigger.id)"
            let failures = AutomationSummary(home: home, time: .current(of: home)).phrases.failures(of: record)
            guard failures.isEmpty else {
                throw WebError(
                    .gatewayTimeout, localized("The automation ran, but some actions failed: \(failures.sentence)"))
            }
            return ValueActions.done(request, form["back"] ?? path)
        }
        router.post("/automations/:id/remove") { request, context in
            let visitor = try context.editor
            _ = try await request.form(context)
            let (home, trigger) = try await trigger(context, site, visitor)
            try await site.manager.removeTrigger(trigger.id)
            let toast = await site.undos.add(
                UndoableChange(
                    localized("\(trigger.name) was removed."),
                    restored: localized("\(trigger.name) was restored, without its history."),
                    Reversal(home.id, [.addAutomation(trigger)]), page: "/automations"), of: visitor)
            return Response.seeOther("/automations" + (home.isPrimary ? "" : "?home=\(home.id)"))
                .showing(toast, context)
        }
    }

    // MARK: Form

    private static func addForms(to router: RouterGroup<WebContext>, _ site: Site) {
        router.get("/automations/new") { request, context in
            let visitor = try context.editor
            let moment = try await site.moment(visitor, choice: Query(request.uri.query ?? "").home)
            guard let home = moment.home else { throw ValueActions.notFound }
            let choices = AutomationChoices(home: home, time: .current(of: home))
            return response(AutomationFormPage(form: AutomationForm(), choices: choices, trigger: nil), visitor)
        }
        router.get("/automations/:id/edit") { _, context in
            let visitor = try context.editor
            let (home, trigger) = try await trigger(context, site, visitor)
            let time = HomeTime.current(of: home)
            let choices = AutomationChoices(home: home, time: time)
            let form = AutomationForm(trigger, choices, TriggerParser(home: home, time: time))
            return response(AutomationFormPage(form: form, choices: choices, trigger: trigger), visitor)
        }
        router.post("/homes/:id/automations") { request, context in
            let visitor = try context.editor
            let query = try await request.form(context)
            let id: Home.ID = try context.id()
            guard let home = try await site.moment(visitor).snapshot.home(id) else { throw ValueActions.notFound }
            return try await save(query, nil, home, visitor) { name, definition async throws(HomeError) in
                try await site.manager.addTrigger(named: name, to: home.id, definition).id
            }
        }
        router.post("/automations/:id/edit") { request, context in
            let visitor = try context.editor
            let query = try await request.form(context)
            let id: Trigger.ID = try context.id()
            let moment = try await site.moment(visitor)
            guard let home = moment.home(where: { $0.trigger(id) != nil }), let trigger = home.trigger(id) else {
                return try removed(query, moment, visitor)
            }
            guard query["mark"].map({ $0 == trigger.mark }) ?? true else {
                return conflict(
                    query, trigger, home, visitor,
                    localized(
                        "Someone has changed this automation since you opened the form. If you save again, your version replaces theirs."
                    )
                )
            }
            let response = try await save(query, trigger, home, visitor) { name, definition async throws(HomeError) in
                if definition != trigger.definition || !trigger.missingParts.isEmpty {
                    try await site.manager.updateTrigger(trigger.id, to: definition)
                }
                if name != trigger.name { try await site.manager.renameTrigger(trigger.id, to: name) }
                return trigger.id
            }
            guard response.status == .seeOther, let now = await site.home(home.id)?.trigger(id) else { return response }
            let reversal = Reversal(ofChanging: trigger, to: now, in: home)
            guard !reversal.steps.isEmpty else { return response }
            let toast = await site.undos.add(
                localized("\(now.name) was changed."), of: visitor,
                restored: localized("\(trigger.name) is as before."), reversal)
            return response.showing(toast, context)
        }
    }

    /// Shows the form again if the automation was removed in the meantime, so that the owner can add it again.
    private static func removed(_ query: Query, _ moment: Moment, _ visitor: Visitor) throws(WebError) -> Response {
        guard let home = query["home"].flatMap({ Home.ID($0) }).flatMap({ moment.snapshot.home($0) }) else {
            throw gone
        }
        return conflict(
            query, nil, home, visitor,
            localized("Someone has removed this automation since you opened the form. If you save, it's added again."))
    }

    /// Shows the form again if the automation has changed or was removed since the form was opened.
    private static func conflict(
        _ query: Query, _ trigger: Trigger?, _ home: Home, _ visitor: Visitor, _ reason: String
    ) -> Response {
        let page = AutomationFormPage(
            form: AutomationForm(query), choices: AutomationChoices(home: home, time: .current(of: home)),
            trigger: trigger, errors: [AutomationFormErrors.form: reason])
        return response(page, visitor, status: .conflict)
    }

    /// Saves the form, or shows it again with its errors.
    private static func save(
        _ query: Query, _ trigger: Trigger?, _ home: Home, _ visitor: Visitor,
        _ write: (String, TriggerDefinition) async throws(HomeError) -> Trigger.ID
    ) async throws -> Response {
        let form = AutomationForm(query)
        let time = HomeTime.current(of: home)
        let choices = AutomationChoices(home: home, time: time)
        do throws(AutomationFormErrors) {
            let (name, definition) = try checked(form, trigger, choices, TriggerParser(home: home, time: time))
            if !home.openings(of: definition).isEmpty {
                do throws(WebError) { try OpeningQuestion.check(visitor) } catch {
                    throw AutomationFormErrors(fields: [AutomationFormErrors.form: error.message])
                }
            }
            do throws(HomeError) {
                return .seeOther("/automations/\(try await write(name, definition))")
            } catch {
                throw AutomationFormErrors(fields: [AutomationFormErrors.form: error.localizedMessage.sentence])
            }
        } catch {
            let page = AutomationFormPage(form: form, choices: choices, trigger: trigger, errors: error.fields)
            return response(page, visitor, status: .badRequest)
        }
    }

    /// Checks a form with the rules of the hub, so that most errors are next to their fields.
    static func checked(
        _ form: AutomationForm, _ trigger: Trigger?, _ choices: AutomationChoices, _ parser: TriggerParser
    ) throws(AutomationFormErrors) -> (name: String, TriggerDefinition) {
        var errors: [String: String] = [:]
        var name = form.name
        if name != trigger?.name {
            do throws(HomeError) {
                name = try choices.home.validatedTriggerName(name, current: trigger?.name)
            } catch {
                errors["name"] = form.name.isEmpty ? localized("Enter a name.") : error.localizedMessage.sentence
            }
        }
        do throws(AutomationFormErrors) {
            let definition = try valid(
                form.definition(choices, parser), isEnabled: trigger?.isEnabled ?? true, choices.home, parser.time.now)
            guard errors.isEmpty else { throw AutomationFormErrors(fields: [:]) }
            return (name, definition)
        } catch {
            throw AutomationFormErrors(fields: errors.merging(error.fields) { $1 })
        }
    }

    private static func valid(
        _ definition: TriggerDefinition, isEnabled: Bool, _ home: Home, _ now: Timestamp
    ) throws(AutomationFormErrors) -> TriggerDefinition {
        do throws(HomeError) {
            return try home.validated(definition, isEnabled: isEnabled, at: now)
        } catch {
            throw AutomationFormErrors(fields: [field(of: error): error.localizedMessage.sentence])
        }
    }

    private static func field(of error: HomeError) -> String {
        switch error.code {
        case .noActionsInActionSet, .noRegisteredActionSets: "scenes"
        default: AutomationFormErrors.form
        }
    }

    private static func response(
        _ page: AutomationFormPage, _ visitor: Visitor, status: HTTPResponse.Status = .ok
    ) -> Response {
        .page(Layout(title: page.title, content: page.html, visitor: visitor, place: "/more"), status: status)
    }

    // MARK: Automations

    private static var gone: WebError { WebError(.notFound, localized("This automation no longer exists.")) }

    private static func trigger(
        _ context: WebContext, _ site: Site, _ visitor: Visitor
    ) async throws -> (home: Home, trigger: Trigger) {
        let id: Trigger.ID = try context.id()
        let moment = try await site.moment(visitor)
        guard let home = moment.home(where: { $0.trigger(id) != nil }), let trigger = home.trigger(id) else {
            throw gone
        }
        return (home, trigger)
    }

    /// Answers a refused change: a script receives the message, and a browser the automation's page with the message.
    private static func refused(
        _ error: HomeError, _ request: Request, _ trigger: Trigger.ID, _ site: Site, _ visitor: Visitor
    ) async throws -> Response {
        let refusal = WebError(error)
        guard !request.isFromScript else { throw refusal }
        return try await Pages.response(
            AutomationPage(manager: site.manager, trigger: trigger), site, visitor, status: refusal.status,
            message: refusal.message)
    }
}

extension Trigger {
    /// A hash that changes with the name or the definition.
    var mark: String { Assets.hash(of: "\(name)\n\(definition.json.text)".utf8) }
}
