import HAPModel
import HomeClient
import HomeModel

/// The page that starts adding an accessory.
struct BeginPage: LivePage {
    let path: String
    let choice: Home.ID?
    var place: String { "/add" }

    func content(_ moment: Moment) -> PageContent {
        if let content = PageContent.inPlaceOfHomes(moment) { return content }
        guard let home = moment.home else { return .missing("There are no homes yet.") }
        return PageContent(
            title: "Add an accessory",
            main: Templates.render(
                "add",
                [
                    "heading": "Add an accessory",
                    "about":
                        "You need the accessory's setup code: eight digits or a QR code on the device or its packaging. The accessory is added to \(home.name).",
                    "begin": ["home": "\(home.id)"],
                ]))
    }
}

/// One step of adding an accessory.
struct AddPage: LivePage {
    let session: AccessorySetupSession

    var path: String { "/add/\(session.id)" }
    var place: String { "/add" }

    func changes(_ site: Site) async -> AsyncStream<Void>? {
        let (changes, sink) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let reader = Task {
            for await _ in session.states { sink.yield() }
            sink.yield()
        }
        sink.onTermination = { _ in reader.cancel() }
        return changes
    }

    func content(_ moment: Moment) async -> PageContent {
        let state = await session.state
        var values = step(state, moment)
        values["path"] = path
        values["step"] = Self.step(state)
        if !state.isOver { values["cancel"] = ["path": path] }
        return PageContent(title: "Add an accessory", main: Templates.render("add", values))
    }

    /// Returns an identifier of the question, so that a form that is sent twice answers only one question.
    static func step(_ state: AccessorySetupState) -> String {
        switch state {
        case .searching: "search"
        case .choosing: "choose"
        case .code(let question): "code-\(question.attemptsLeft)"
        case .connecting: "connecting"
        case .naming(let question):
            "name-\(question.service.map { "\($0.id)" } ?? "\(question.accessory.id)")-\(question.refusal == nil ? 0 : 1)"
        case .room(let question): "room-\(question.accessory.id)"
        case .serviceType(let service, _, _): "kind-\(service.id)"
        case .favorite(let service, _): "favorite-\(service.id)"
        case .handedOver, .done, .failed: "over"
        }
    }

    private func step(_ state: AccessorySetupState, _ moment: Moment) -> Templates.Values {
        switch state {
        case .searching(let devices):
            return [
                "heading": "Add an accessory",
                "about": "Choose a device, or enter its code. A QR code also identifies the device.",
                "devices": found(devices),
                "code": ["heading": "Or enter its code", "label": "Setup code or QR code text"] as Templates.Values,
            ]
        case .choosing(let devices):
            return [
                "heading": "Which device is it?", "about": "Choose the device with this code.",
                "devices": found(devices),
            ]
        case .code(let question):
            var values: Templates.Values = [
                "heading": question.accessory.map { "Setup code for \($0.name)" } ?? "Setup code",
                "code": ["heading": "Setup code", "label": "Eight digits", "digits": true] as Templates.Values,
            ]
            if let refusal = question.refusal {
                values["refusal"] =
                    "\(WebError(refusal).message) You have \(question.attemptsLeft == 1 ? "1 try" : "\(question.attemptsLeft) tries") left."
            }
            return values
        case .connecting(let device):
            return [
                "heading": "Adding \(device?.name ?? "the accessory")",
                "about": "Connecting. This may take half a minute.",
            ]
        case .naming(let question): return naming(question, moment)
        case .room(let question):
            let rooms = (question.home.rooms + [question.home.defaultRoom]).sortedForDisplay
            return [
                "heading": "Where is \(question.accessory.name)?",
                "choices": [
                    "any": true,
                    "list": rooms.map {
                        ["field": "room", "value": "\($0.id)", "name": question.home.displayName(of: $0)]
                            as Templates.Values
                    },
                ] as Templates.Values,
                "skip": ["label": question.suggestion.map { "Keep it in \($0.name)" } ?? "Not now"],
            ]
        case .serviceType(let service, let accessory, let choices):
            return [
                "heading": "How should \(accessory.shownName(of: service)) be shown?",
                "about": "Choose the type of the device that is connected to it.",
                "choices": [
                    "any": true,
                    "list": choices.map {
                        ["field": "kind", "value": "\($0)", "name": $0.localizedDescription] as Templates.Values
                    },
                ] as Templates.Values,
                "skip": ["label": "Keep \(service.localizedDescription.lowercased())"],
            ]
        case .favorite(let service, let accessory):
            return [
                "heading": "Add \(accessory.shownName(of: service)) to favorites?",
                "choices": [
                    "any": true,
                    "list": [
                        ["field": "favorite", "value": "1", "name": "Yes"],
                        ["field": "favorite", "value": "0", "name": "No"],
                    ] as [Templates.Values],
                ] as Templates.Values,
            ]
        case .handedOver(let app):
            return ["heading": "Continue in \(app)", "about": "The manufacturer's app finishes the setup."]
        case .done(let result): return done(result, moment)
        case .failed(let error):
            return [
                "heading": error.code == .operationCancelled ? "Canceled" : "Not added",
                "about": error.code == .operationCancelled ? "Nothing was added." : WebError(error).message,
                "begin": ["home": moment.home.map { "\($0.id)" } ?? ""],
            ]
        }
    }

    private func found(_ devices: [DiscoveredAccessory]) -> Templates.Values {
        [
            "any": true,
            "list": devices.map { device in
                [
                    "id": "\(device.id)", "name": device.name, "icon": device.category.icon,
                    "about": device.model.isEmpty
                        ? device.category.localizedDescription
                        : "\(device.category.localizedDescription), \(device.model)",
                ] as Templates.Values
            },
        ]
    }

    private func naming(_ question: NameQuestion, _ moment: Moment) -> Templates.Values {
        var values: Templates.Values = [
            "heading": question.service == nil ? "Name this accessory" : "Name this part",
            "about": "\(question.accessory.name) was added. The current name is \"\(question.present)\".",
            "name": [
                "kind": question.service == nil ? "accessory" : "service",
                "self": question.service.map { "\($0.id)" } ?? "\(question.accessory.id)",
                "present": question.suggestions.first ?? question.present, "suggestions": question.suggestions,
            ] as Templates.Values,
            "skip": ["label": "Keep \"\(question.present)\""],
        ]
        if let refusal = question.refusal { values["refusal"] = WebError(refusal).message }
        return values
    }

    private func done(_ result: AccessorySetupResult, _ moment: Moment) -> Templates.Values {
        let accessories = result.accessories.compactMap { id in
            moment.home { $0.accessory(id) != nil }?.accessory(id)
        }
        var values: Templates.Values = [
            "heading": accessories.count == 1
                ? "\(accessories[0].name) was added" : "\(accessories.count) accessories were added",
            "links": accessories.map { ["path": "/accessories/\($0.id)", "name": $0.name] as Templates.Values },
            "begin": ["home": "\(result.home)"],
        ]
        if !result.failures.isEmpty {
            values["refusal"] = result.failures.map { WebError($0).message }.joined(separator: " ")
        }
        return values
    }
}

extension AccessoryCategory {
    /// The name of the icon for the category.
    fileprivate var icon: String { Self.icons[self] ?? "other" }

    static let icons: [AccessoryCategory: String] = [
        .bridge: "bridge", .fan: "fan", .garageDoorOpener: "garage", .lightbulb: "light", .doorLock: "lock",
        .outlet: "outlet", .switch: "switch", .thermostat: "thermostat", .sensor: "motion",
        .securitySystem: "alarm", .door: "door", .window: "window", .windowCovering: "blind",
        .programmableSwitch: "button", .ipCamera: "camera", .videoDoorbell: "doorbell", .airPurifier: "purifier",
        .airHumidifier: "humidifier", .speaker: "speaker", .sprinkler: "sprinkler", .faucet: "faucet",
        .television: "television",
    ]
}
