import HAPModel
import HomeClient
import HomeModel
import HomePresentation
import LineRPC
import Texts

/// The page that starts adding an accessory.
struct BeginPage: LivePage {
    let path: String
    let choice: Home.ID?
    let bridgeSocket: SocketLocation
    var place: String { "/add" }

    func content(_ moment: Moment) async -> PageContent {
        if let content = PageContent.inPlaceOfHomes(moment) { return content }
        guard let home = moment.home else { return .missing(localized("There are no homes yet.")) }
        var values: Templates.Values = [
            "heading": localized("Add an accessory"),
            "about":
                localized(
                    "You need the accessory's setup code: eight digits or a QR code on the device or its packaging. The accessory is added to \(home.name)."
                ),
            "begin": ["home": "\(home.id)"],
        ]
        values["offer"] = await BridgeOffer.values(bridgeSocket, moment)
        return PageContent(title: localized("Add an accessory"), main: Templates.render("add", values))
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
        if case .done(let result) = state, let first = result.accessories.first {
            return PageContent(title: "", main: "", successor: ArrangePage.path(first))
        }
        var values = step(state, moment)
        values["path"] = path
        values["step"] = Self.step(state)
        if !state.isOver { values["cancel"] = ["path": path] }
        return PageContent(title: localized("Add an accessory"), main: Templates.render("add", values))
    }

    /// Returns an identifier of the question, so that a form that is sent twice answers only one question.
    static func step(_ state: AccessorySetupState) -> String {
        switch state {
        case .searching: "search"
        case .choosing: "choose"
        case .code(let question): "code-\(question.attemptsLeft)"
        case .connecting: "connecting"
        case .naming, .room, .serviceType, .favorite: "details"
        case .handedOver, .done, .failed: "over"
        }
    }

    private func step(_ state: AccessorySetupState, _ moment: Moment) -> Templates.Values {
        switch state {
        case .searching(let devices):
            return [
                "heading": localized("Add an accessory"),
                "about": localized("Choose a device, or enter its code. A QR code also identifies the device."),
                "devices": found(devices),
                "code": ["heading": localized("Or enter its code"), "label": localized("Setup code or QR code text")]
                    as Templates.Values,
            ]
        case .choosing(let devices):
            return [
                "heading": localized("Which device is it?"), "about": localized("Choose the device with this code."),
                "devices": found(devices),
            ]
        case .code(let question):
            var values: Templates.Values = [
                "heading": question.accessory.map { localized("Setup code for \($0.name)") } ?? localized("Setup code"),
                "code": ["heading": localized("Setup code"), "label": localized("Eight digits"), "digits": true]
                    as Templates.Values,
            ]
            if let refusal = question.refusal {
                values["refusal"] =
                    WebError(refusal).message + " "
                    + localized(
                        "You have \(question.attemptsLeft) try left.",
                        plural: "You have \(question.attemptsLeft) tries left.",
                        count: question.attemptsLeft)
            }
            return values
        case .connecting(let device): return connecting(device?.name)
        // The page begins sessions without the questions about details, and another page follows the end.
        case .naming, .room, .serviceType, .favorite, .done: return connecting(nil)
        case .handedOver(let app):
            return [
                "heading": localized("Continue in \(app)"),
                "about": localized("The manufacturer's app finishes the setup."),
            ]
        case .failed(let error):
            return [
                "heading": error.code == .operationCancelled ? localized("Canceled") : localized("Not added"),
                "about": error.code == .operationCancelled ? localized("Nothing was added.") : WebError(error).message,
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
                        ? device.category.shownName
                        : "\(device.category.shownName), \(device.model)",
                ] as Templates.Values
            },
        ]
    }

    private func connecting(_ name: String?) -> Templates.Values {
        [
            "heading": name.map { localized("Adding \($0)") } ?? localized("Adding the accessory"),
            "about": localized("Connecting. This may take half a minute."),
        ]
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
