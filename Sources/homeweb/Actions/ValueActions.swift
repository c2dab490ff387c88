import BoundedJSON
import HAPModel
import HomeClient
import HomeModel
import HomePresentation
import Hummingbird
import HummingbirdCore
import Texts

/// The routes that control devices and run scenes, for all signed-in visitors.
enum ValueActions {
    static func add(to router: RouterGroup<WebContext>, _ site: Site) {
        router.post("/services/:id/values") { request, context in
            let visitor = try context.visitor
            let form = try await request.form(context)
            let (home, service) = try await service(context, site, visitor)
            let values = try values(form, service, visitor)
            let accessory = home.accessory(of: service.id)
            let name = accessory.map { $0.shownName(of: service) } ?? service.name
            let back = form["back"] ?? "/services/\(service.id)"
            if let question = try OpeningQuestion(values, service, name: name)?.response(
                to: request, form, back: back, unlessConfirmedBy: visitor)
            {
                return question
            }
            let results = try await site.manager.writeValues(values)
            var changes: [String] = []
            for (id, result) in results.sorted(by: { $0.key < $1.key }) {
                if case .failure(let error) = result { throw WebError(error) }
                guard case .success(let value) = result,
                    let characteristic = service.characteristics.first(where: { $0.id == id })
                else { continue }
                let words = accessory?.words(for: value, of: characteristic) ?? characteristic.words(for: value)
                changes.append("\(name): \(service.phrase(words, of: characteristic))")
            }
            let toast = await searchToast(back, changes.joined(separator: ", "), site, visitor)
            return done(request, back, toast: toast)
        }
        router.post("/scenes/:id/run") { request, context in
            let visitor = try context.visitor
            let form = try await request.form(context)
            let id: ActionSet.ID = try context.id()
            let moment = try await site.moment(visitor)
            guard let home = moment.home(where: { $0.actionSet(id) != nil }), let scene = home.actionSet(id) else {
                throw notFound
            }
            let back = form["back"] ?? "/scenes"
            if let question = try OpeningQuestion(scene, home)?.response(
                to: request, form, back: back, unlessConfirmedBy: visitor)
            {
                return question
            }
            let run = try await site.manager.executeActionSet(id)
            if let error = run.error { throw WebError(error) }
            let toast = await searchToast(back, localized("The scene \(scene.name) was run"), site, visitor)
            return done(request, back, toast: toast)
        }
    }

    /// Returns a message about an action of a search result, whose effect the page of results doesn't show.
    private static func searchToast(_ back: String, _ words: String, _ site: Site, _ visitor: Visitor) async -> Toast? {
        guard back.hasPrefix("/search") else { return nil }
        return await site.undos.add("\(words).", of: visitor)
    }

    static var notFound: WebError { WebError(.notFound, localized("This object no longer exists.")) }

    /// Answers a change.
    ///
    /// A browser is redirected to the page to continue with. A script receives only the message, because its page shows
    /// the new state through ``LiveStream``.
    static func done(_ request: Request, _ back: String, toast: Toast? = nil) -> Response {
        guard request.isFromScript else { return .seeOther(back) }
        return .json(.object(toast.map { ["toast": .string($0.html)] } ?? [:]))
    }

    static func service(
        _ context: WebContext, _ site: Site, _ visitor: Visitor
    ) async throws -> (home: Home, service: Service) {
        let id: Service.ID = try context.id()
        let moment = try await site.moment(visitor)
        guard let home = moment.home(where: { $0.service(id) != nil }), let service = home.service(id) else {
            throw notFound
        }
        return (home, service)
    }

    /// Returns the characteristic values that a form sets.
    ///
    /// The name of each field is the ID of a characteristic of the service, `color`, or, in the many tiles of a page,
    /// `toggle` or `level`, which are shorter.
    ///
    /// - Throws: `badRequest` for an invalid or empty form, `forbidden` for a guest's write to a characteristic that
    ///   guests can't control.
    static func values(
        _ form: Query, _ service: Service, _ visitor: Visitor
    ) throws(WebError) -> [Characteristic.ID: CharacteristicValue] {
        let isTyped = form["use"] == "typed"
        let prefix = "typed:"
        var values: [Characteristic.ID: CharacteristicValue] = [:]
        for (name, text) in form.fields {
            var name = name
            if name.hasPrefix(prefix) {
                guard isTyped else { continue }
                name = String(name.dropFirst(prefix.count))
            }
            if name == "color" {
                try set(text, in: &values, service)
                continue
            }
            guard name != "back", name != "use", name != OpeningQuestion.field else { continue }
            let id: Characteristic.ID? =
                switch name {
                case "toggle": service.toggle?.characteristic
                case "level": service.level?.id
                default: Characteristic.ID(name)
                }
            guard let id, let characteristic = service.characteristics.first(where: { $0.id == id }) else {
                throw WebError(.badRequest, localized("This form is outdated. Reload the page."))
            }
            guard let value = CharacteristicValue(formText: text, as: characteristic.metadata.format) else {
                throw WebError(
                    .badRequest,
                    localized("\"\(text.prefix(60))\" isn't a valid value for \(characteristic.labelInSentence).")
                )
            }
            values[id] = value
        }
        addPower(to: &values, service)
        guard !values.isEmpty else { throw WebError(.badRequest, localized("The form contains no values.")) }
        let allowed = Set(service.controlledCharacteristics(isOwner: false).map(\.id))
        guard visitor.isEditor || allowed.isSuperset(of: values.keys) else {
            throw WebError(.forbidden, localized("Guests can't change this."))
        }
        return values
    }

    /// Adds the power state to a new brightness or speed.
    ///
    /// A level above 0 also turns the lamp or fan on. Level 0 turns it off and doesn't change the stored level.
    private static func addPower(to values: inout [Characteristic.ID: CharacteristicValue], _ service: Service) {
        guard let level = service.level, [.brightness, .rotationSpeed].contains(level.type),
            let number = values[level.id]?.number, let power = service.toggle, values[power.characteristic] == nil
        else { return }
        if number > 0 {
            if power.isOn != true { values[power.characteristic] = power.on }
        } else {
            values[level.id] = nil
            values[power.characteristic] = power.off
        }
    }

    private static func set(
        _ text: String, in values: inout [Characteristic.ID: CharacteristicValue], _ service: Service
    ) throws(WebError) {
        guard let color = RGBColor(text), let hue = service.characteristic(.hue),
            let saturation = service.characteristic(.saturation)
        else { throw WebError(.badRequest, localized("\"\(text.prefix(60))\" isn't a color.")) }
        let wanted = color.hueAndSaturation
        values[hue.id] = .float(wanted.hue)
        values[saturation.id] = .float(wanted.saturation)
    }
}

extension Service {
    /// Returns a phrase for a changed value: `on`, `brightness 40 %`, `stop`.
    fileprivate func phrase(_ words: String, of characteristic: Characteristic) -> String {
        if case .button = control(for: characteristic) { return characteristic.label.lowercased() }
        let isPlain = [.on, .active, .lockTargetState, .targetDoorState].contains(characteristic.type)
        return isPlain ? words : "\(characteristic.label.lowercased()) \(words)"
    }
}
