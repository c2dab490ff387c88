import BoundedJSON
package import DeviceKit
package import Discovery
import HAPModel
package import HTTPKit
import TerminalKit

/// The configuration keys of the `hue` driver that apply to all of its bridges.
package struct HueOptions: Equatable, Sendable {
    /// A Boolean value that indicates whether rooms and zones are also added as lights.
    package var groups: Bool
    package var credentials: HueCredentialStore

    package init(groups: Bool = false, credentials: HueCredentialStore = HueCredentialStore(directory: nil)) {
        self.groups = groups
        self.credentials = credentials
    }
}

/// A session with one Hue bridge, using version 2 of its API.
///
/// The session first requests the bridge's identity over TLS and accepts any certificate. A known bridge must present
/// the certificate that was stored when it was paired. From an unknown bridge, the session requests a key repeatedly
/// until the user presses the bridge's link button. The key is sent only over connections with the right certificate.
/// With the key, the session opens the event stream and then reads all resources. Events that arrive in the meantime
/// are applied afterwards.
package struct HueSession: DeviceSession {
    package typealias Options = HueOptions

    package enum Output: Equatable, Sendable {
        /// Request the bridge's identity, and accept any certificate.
        case identify
        case load(bridge: String)
        /// Request a key. The bridge must present this certificate.
        case pair(certificate: [UInt8])
        case store(HueCredentials, bridge: String)
        /// Use these credentials from now on.
        case open(HueCredentials)
        case request(lane: Int, number: Int, HTTPClientRequest)
        /// Open the event stream, starting after the event with the given id, or with new events if the id is `nil`.
        case follow(after: String?)
    }

    package enum Input: Equatable, Sendable {
        case identity(HTTPClientResponse, certificate: [UInt8])
        case credentials(HueCredentials?)
        case paired(HTTPClientResponse)
        /// The credentials couldn't be stored; the text is the reason.
        case notStored(String)
        case answer(lane: Int, number: Int, HTTPClientResponse)
        case noAnswer(lane: Int, number: Int, HTTPFault)
        /// The bridge answered the request for the event stream with the given HTTP status.
        case stream(status: Int)
        /// An event as JSON, and its id.
        case event([UInt8], id: String?)
        case streamEnded(HTTPFault)
    }

    package static let traits = DeviceTraits(
        driverName: "hue", serviceType: "_hue._tcp", port: 443, maximumDevices: 16)

    static let maximumBody = 2 << 20
    /// The maximum number of resources of each type.
    ///
    /// It is more than the largest bridge supports.
    static let maximumResources = 1024
    static let maximumEvents = 256
    /// The timeout for a list of resources.
    ///
    /// It is long, because bridges send such lists slowly.
    static let readTimeout = Duration.seconds(15)
    /// The interval between requests for a key.
    static let pairingInterval = Duration.seconds(3)
    /// The delay after a change that requires all resources to be read again, such as an added resource.
    static let readDelay = Duration.seconds(1)

    private struct Identity: Sendable {
        let id: String
        let name: String
        let certificate: [UInt8]
    }

    /// A device's properties, and whether the bridge can reach it.
    private struct Device: Sendable {
        var name: String?
        var manufacturer: String?
        var model: String?
        var firmware: String?
        var mac: String?
        var isConnected: Bool?
        var room: String?
    }

    private enum State: Sendable {
        case identifying
        case loading(Identity)
        /// A key is being requested. `again` is the time of the next request, or `nil` while a request is in flight.
        case pairing(Identity, again: Duration?)
        /// The event stream is opening, or all resources are being read.
        case reading(Identity)
        case ready(Identity)
    }

    private let name: String
    private let kinds: Set<LightKind>
    private let options: HueOptions
    private var state = State.identifying
    private var queue = HueRequestQueue()
    /// The resources that were received so far in the current reading, by type.
    private var resources: [String: [JSONValue]] = [:]
    private var lights: [String: HueLight] = [:]
    private var sensors: [String: HueSensor] = [:]
    private var buttons: [String: HueButton] = [:]
    /// The scenes of each room and zone, sorted by id.
    private var scenes: [String: [HueScene]] = [:]
    /// A Boolean value that indicates whether the current warning is about the number of scenes.
    private var hasTooManyScenes = false
    /// The ids of the sensors, by the ids of their devices.
    private var sensorDevices: [String: [String]] = [:]
    private var devices: [String: Device] = [:]
    private var rooms: [String: String] = [:]
    /// The events that have arrived since the current reading began.
    private var events: [JSONValue] = []
    private var readAt: Duration?
    private var followAt: Duration?
    private var isFollowing = false
    /// A Boolean value that indicates whether all resources have been read since the event stream was opened.
    ///
    /// A new stream first repeats missed events.
    private var isCaughtUp = false
    private var lastEvent: String?

    package init(target: DeviceTarget, kinds: Set<LightKind>, options: HueOptions, now: Duration) {
        name = target.name
        self.kinds = kinds
        self.options = options
    }

    /// Returns the port of a service for HTTPS.
    ///
    /// Emulators announce their port for plain HTTP, 80, which is replaced with 443.
    package static func port(of service: DiscoveredService) -> Int { service.port == 80 ? 443 : Int(service.port) }

    package static func id(of service: DiscoveredService) -> String? {
        service.txt["bridgeid"].flatMap { (12...16).contains($0.utf8.count) ? $0.lowercased() : nil }
    }

    static func isID(_ text: String) -> Bool {
        (1...64).contains(text.utf8.count)
            && text.utf8.allSatisfy { byte in
                (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || byte == UInt8(ascii: "-")
                    || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
            }
    }

    private var types: [String] {
        ["device", "zigbee_connectivity", "room", "zone", "light"] + (options.groups ? ["grouped_light"] : [])
            + HueSensor.types + HueButton.types + [HueScene.type]
    }

    private var identity: Identity? {
        switch state {
        case .identifying: nil
        case .loading(let identity), .pairing(let identity, _), .reading(let identity), .ready(let identity): identity
        }
    }

    // MARK: Setup

    package mutating func started(now: Duration) -> [SessionEvent<Output>] { [.output(.identify)] }

    package mutating func received(_ input: Input, now: Duration) -> [SessionEvent<Output>] {
        switch (input, state) {
        case (.identity(let response, let certificate), .identifying):
            guard let identity = Self.identity(response, certificate) else {
                if let reason = response.transientFault { return [.failed(.unreachable(reason))] }
                return [.failed(.unusable("\(name) isn't a Hue bridge; remove it from hosts"))]
            }
            state = .loading(identity)
            return [.output(.load(bridge: identity.id))]
        case (.credentials(let credentials), .loading(let identity)):
            guard let credentials else { return [.identified(identity.id)] + pair(identity) }
            guard credentials.certificate == identity.certificate else {
                return [.failed(.unusable(Self.text(otherCertificate: name, options.credentials, identity.id)))]
            }
            return [.identified(identity.id)] + open(identity, credentials)
        case (.paired(let response), .pairing(let identity, again: nil)):
            return paired(response, identity, now: now)
        case (.notStored(let reason), _):
            return [.warning("\(reason); until this is fixed, you must press the link button after each restart")]
        case (.answer(let lane, let number, let response), .reading),
            (.answer(let lane, let number, let response), .ready):
            guard let entry = queue.answered(lane: lane, number: number) else { return [] }
            return answered(entry, response, now: now) + transmit(now: now)
        case (.noAnswer(_, _, let fault), .reading), (.noAnswer(_, _, let fault), .ready):
            return [.failed(.unreachable(fault.text))]
        case (.stream(let status), .reading(let identity)), (.stream(let status), .ready(let identity)):
            return followed(status, identity, now: now)
        case (.event(let bytes, let id), .reading), (.event(let bytes, let id), .ready):
            lastEvent = id ?? lastEvent
            return received(event: bytes, now: now)
        case (.streamEnded(let fault), .reading), (.streamEnded(let fault), .ready):
            // If the stream couldn't be opened, the bridge is unreachable.
            guard isFollowing else { return [.failed(.unreachable(fault.text))] }
            isFollowing = false
            followAt = now
            return []
        case (.identity, _), (.credentials, _), (.paired, _), (.answer, _), (.noAnswer, _), (.stream, _), (.event, _),
            (.streamEnded, _):
            return []
        }
    }

    private static func identity(_ response: HTTPClientResponse, _ certificate: [UInt8]) -> Identity? {
        guard response.status == 200, let json = try? JSONValue(parsing: response.body),
            let id = json["bridgeid"]?.string?.lowercased(), (12...16).contains(id.utf8.count),
            id.allSatisfy({ $0.isASCII && $0.isHexDigit })
        else { return nil }
        return Identity(id: id, name: json["name"]?.shortText?.sanitized ?? id, certificate: certificate)
    }

    /// Returns the warning about an unexpected certificate.
    static func text(otherCertificate name: String, _ store: HueCredentialStore, _ bridge: String) -> String {
        let remedy = store.path(of: bridge).map { "remove \($0)" } ?? "restart the bridge"
        return
            "\(name) has a different certificate than before, so it isn't used; if it was reset, replaced or updated, "
            + "\(remedy) and press its link button; otherwise another device may be impersonating it"
    }

    private mutating func pair(_ identity: Identity) -> [SessionEvent<Output>] {
        state = .pairing(identity, again: nil)
        return [
            .warning("press the link button of \(identity.name) (\(name)) to use its lights"),
            .output(.pair(certificate: identity.certificate)),
        ]
    }

    private mutating func paired(
        _ response: HTTPClientResponse, _ identity: Identity, now: Duration
    ) -> [SessionEvent<Output>] {
        let json = (try? JSONValue(parsing: response.body))?.array?.first
        guard let key = json?["success"]?["username"]?.string, HueCredentials.isKey(key) else {
            state = .pairing(identity, again: now + Self.pairingInterval)
            return []
        }
        let credentials = HueCredentials(certificate: identity.certificate, key: key)
        return [.warning(nil), .output(.store(credentials, bridge: identity.id))] + open(identity, credentials)
    }

    private mutating func open(_ identity: Identity, _ credentials: HueCredentials) -> [SessionEvent<Output>] {
        state = .reading(identity)
        return [.output(.open(credentials)), .output(.follow(after: nil))]
    }

    private mutating func followed(
        _ status: Int, _ identity: Identity, now: Duration
    ) -> [SessionEvent<Output>] {
        switch status {
        case 200:
            isFollowing = true
            isCaughtUp = false
            return read(identity, now: now)
        case 401, 403: return keyRefused(identity)
        case 404:
            return [.failed(.unusable("\(name) doesn't support version 2 of the Hue API; update its software"))]
        case 429, 503:
            followAt = now + Self.readDelay
            return []
        default: return [.failed(.unreachable("its event stream failed with status \(status)"))]
        }
    }

    /// Starts pairing again, because the bridge rejected the key.
    ///
    /// It was probably deleted on the bridge.
    private mutating func keyRefused(_ identity: Identity) -> [SessionEvent<Output>] {
        let unreachable = lightIDs.map { SessionEvent<Output>.report($0, LightReport(reachable: false)) }
        queue = HueRequestQueue()
        isFollowing = false
        (followAt, readAt) = (nil, nil)
        return unreachable + pair(identity)
    }

    private var lightIDs: [LightID] {
        guard let bridge = identity?.id else { return [] }
        let ids =
            lights.values.map { $0.lightID(bridge) } + sensorDevices.keys.map { sensorID($0, bridge) }
            + scenes.keys.map { HueScene.lightID($0, bridge) }
        return ids.sorted { $0.rawValue < $1.rawValue }
    }

    // MARK: Reading

    private mutating func read(_ identity: Identity, now: Duration) -> [SessionEvent<Output>] {
        guard !queue.isReading else {
            readAt = now + Self.readDelay
            return []
        }
        readAt = nil
        resources = [:]
        events = []
        if case .ready = state { state = .reading(identity) }
        for type in types { queue.add(.read(type), now: now) }
        return transmit(now: now)
    }

    private mutating func transmit(now: Duration) -> [SessionEvent<Output>] {
        guard let bridge = identity?.id else { return [] }
        var events: [SessionEvent<Output>] = []
        while let (lane, entry) = queue.transmit(now: now, isGroup: isGroup) {
            if let request = request(entry.request, bridge) {
                events.append(.output(.request(lane: lane, number: entry.number, request)))
            } else {
                _ = queue.answered(lane: lane, number: entry.number)
                if let command = entry.request.command { events.append(.finished(command: command, .unknownLight)) }
            }
        }
        return events
    }

    private func isGroup(_ light: LightID) -> Bool { self.light(light)?.kind == .group || scenes(of: light) != nil }

    private func light(_ id: LightID) -> HueLight? {
        guard let bridge = identity?.id, id.rawValue.hasPrefix("\(bridge)/") else { return nil }
        return lights[String(id.rawValue.dropFirst(bridge.utf8.count + 1))]
    }

    private mutating func request(_ request: HueRequestQueue.Request, _ bridge: String) -> HTTPClientRequest? {
        switch request {
        case .read(let type):
            return HTTPClientRequest(method: .get, path: "/clip/v2/resource/\(type)", timeout: Self.readTimeout)
        case .command(let command, let id, _):
            if let scenes = scenes(of: id) {
                return activated(by: command, of: scenes).map { Self.put(HueScene.type, $0.id, HueScene.recall) }
            }
            guard var light = light(id) else { return nil }
            let body = light.body(for: command)
            lights[light.id] = light
            return Self.put(light.kind.rawValue, light.id, body)
        case .identify(let id, _):
            guard let light = light(id) else { return nil }
            switch light.kind {
            case .light: return Self.put("device", light.owner, ["identify": ["action": "identify"]])
            case .group: return Self.put(light.kind.rawValue, light.id, ["alert": ["action": "breathe"]])
            }
        }
    }

    private static func put(_ type: String, _ id: String, _ body: JSONObject) -> HTTPClientRequest {
        HTTPClientRequest(method: .put, path: "/clip/v2/resource/\(type)/\(id)", body: JSONValue.object(body).encoded)
    }

    private mutating func answered(
        _ entry: HueRequestQueue.Entry, _ response: HTTPClientResponse, now: Duration
    ) -> [SessionEvent<Output>] {
        guard let identity else { return [] }
        switch response.status {
        case 401, 403: return keyRefused(identity)
        case 429, 503:
            if queue.retry(entry, now: now) { return [] }
            return entry.request.command.map { [.finished(command: $0, .busy)] } ?? [
                .failed(.unreachable("it is overloaded"))
            ]
        default: break
        }
        let json = try? JSONValue(parsing: response.body, maximumLength: Self.maximumBody)
        switch entry.request {
        case .read(let type): return read(type, response, json, identity)
        case .command(let command, let light, let number):
            return [.finished(command: number, error(response, json, now: now))] + confirmation(of: command, light)
        case .identify(_, let number): return [.finished(command: number, error(response, json, now: now))]
        }
    }

    /// Returns a report of the current state if a command changed nothing, because the bridge then sends no event.
    private func confirmation(of command: LightCommand, _ id: LightID) -> [SessionEvent<Output>] {
        guard let light = light(id), light.isAlready(command) else { return [] }
        return [report(light, id)]
    }

    private mutating func error(_ response: HTTPClientResponse, _ json: JSONValue?, now: Duration) -> LightError? {
        // Status 207 means that a light may not have received the command. The connectivity resource reports that more
        // precisely.
        if (200..<300).contains(response.status) { return nil }
        guard response.status != 404 else {
            readAt = now
            return .unreachable
        }
        let reason = json?["errors"]?.array?.first?["description"]?.string ?? "HTTP status \(response.status)"
        return .refused(String(reason.sanitized.prefix(200)))
    }

    private mutating func read(
        _ type: String, _ response: HTTPClientResponse, _ json: JSONValue?, _ identity: Identity
    ) -> [SessionEvent<Output>] {
        // Treat a type that the bridge doesn't know as empty, because older firmware doesn't support all types of
        // sensors.
        let isUnknown = response.status == 404 && type != "light"
        let isRead = response.status == 200 && json?["errors"]?.array?.isEmpty != false
        guard let list = isUnknown ? [] : json?["data"]?.array, isUnknown || isRead else {
            if let reason = response.transientFault { return [.failed(.unreachable(reason))] }
            return [.failed(.unusable("\(name) doesn't list its \(type) resources; update its software"))]
        }
        resources[type] = Array(list.prefix(Self.maximumResources))
        guard resources.count == types.count else { return [] }
        takeResources()
        state = .ready(identity)
        isCaughtUp = true
        let missed = events
        events = []
        for event in missed { apply(event) }
        let lightReports = lights.values.map { report($0, $0.lightID(identity.id)) }
        let sensorReports = sensorDevices.keys.sorted().map { sensorReport($0, identity.id) }
        let sceneReports: [SessionEvent<Output>] = scenes.keys.sorted().map {
            .report(HueScene.lightID($0, identity.id), LightReport(reachable: true))
        }
        return [.lights(descriptions(identity) + sensorDescriptions(identity) + sceneDescriptions(identity))]
            + lightReports + sensorReports + sceneReports + sceneWarning()
    }

    private mutating func takeResources() {
        let former = lights
        devices = [:]
        rooms = [:]
        lights = [:]
        for json in resources["device"] ?? [] {
            guard let id = json["id"]?.string, let product = json["product_data"] else { continue }
            devices[id] = Device(
                name: json["metadata"]?["name"]?.shortText, manufacturer: product["manufacturer_name"]?.shortText,
                model: product["product_name"]?.shortText ?? product["model_id"]?.shortText,
                firmware: product["software_version"]?.shortText)
        }
        for json in resources["zigbee_connectivity"] ?? [] { update(connectivity: json) }
        for json in (resources["room"] ?? []) + (resources["zone"] ?? []) {
            guard let id = json["id"]?.string, let name = json["metadata"]?["name"]?.shortText else { continue }
            rooms[id] = name
            guard json["type"]?.string != "zone" else { continue }
            for child in json["children"]?.array ?? [] {
                if let device = child["rid"]?.string { devices[device]?.room = name }
            }
        }
        for (type, kind) in [("light", HueLight.Kind.light), ("grouped_light", .group)] {
            for json in resources[type] ?? [] {
                guard let id = json["id"]?.string else { continue }
                // Update the existing light, because it stores the last requested color.
                if var light = former[id] {
                    light.update(json)
                    lights[id] = light
                } else {
                    lights[id] = HueLight(json, kind)
                }
            }
        }
        sensors = [:]
        for type in HueSensor.types {
            for json in resources[type] ?? [] {
                if let id = json["id"]?.string { sensors[id] = HueSensor(json, type: type) }
            }
        }
        let formerButtons = buttons
        buttons = [:]
        for type in HueButton.types {
            for json in resources[type] ?? [] {
                guard let id = json["id"]?.string, var button = HueButton(json, type: type) else { continue }
                if let known = formerButtons[id] { button.keepTime(of: known) }
                buttons[id] = button
            }
        }
        let known = (resources[HueScene.type] ?? []).compactMap { HueScene($0) }.filter { rooms[$0.room] != nil }
        let unique = Dictionary(known.map { ($0.id, $0) }) { $1 }
        scenes = Dictionary(grouping: unique.values.sorted { $0.id < $1.id }, by: \.room)
        let owners = Set(buttons.values.map(\.owner)).subtracting(lights.values.map(\.owner))
        sensorDevices = Dictionary(grouping: sensors.keys.sorted()) { sensors[$0]?.owner ?? "" }
            .filter { owners.contains($0.key) || SensorDevices.isShown($0.value.compactMap { sensors[$0]?.reading }) }
        for owner in owners where sensorDevices[owner] == nil { sensorDevices[owner] = [] }
        // Remove the group of all lights in the home, which has no name.
        lights = lights.filter { $0.value.kind == .light || rooms[$0.value.owner] != nil }
        resources = [:]
    }

    private mutating func update(connectivity json: JSONValue) {
        guard let status = json["status"]?.string, let owner = json["owner"]?["rid"]?.string else { return }
        devices[owner]?.isConnected = status == "connected"
        if let mac = json["mac_address"]?.shortText { devices[owner]?.mac = mac }
    }

    private func descriptions(_ identity: Identity) -> [LightDescription] {
        lights.values.sorted { $0.id < $1.id }.map { light in
            var description = light.description(identity.id)
            switch light.kind {
            case .light:
                let device = devices[light.owner]
                description.manufacturer = device?.manufacturer
                description.model = device?.model
                description.firmware = device?.firmware
                description.serialNumber = device?.mac
                description.suggestedRoom = device?.room
                if kinds.contains(.button), light.id == buttonLight(of: light.owner) {
                    description.buttons = buttons(of: light.owner)
                }
            case .group:
                description.name = rooms[light.owner] ?? description.name
                description.manufacturer = "Signify"
                description.model = "Hue group"
            }
            return description
        }
    }

    // MARK: Sensors

    private func sensorID(_ device: String, _ bridge: String) -> LightID { LightID("\(bridge)/\(device)/sensors") }

    /// Returns the readings of a device.
    ///
    /// If several resources have the same reading, the first resource is used.
    private func readings(of device: String) -> [SensorReading: SensorValue] {
        (sensorDevices[device] ?? []).compactMap { sensors[$0] }.reduce(into: [:]) { readings, sensor in
            if readings[sensor.reading] == nil { readings[sensor.reading] = sensor.value }
        }
    }

    private func sensorDescriptions(_ identity: Identity) -> [LightDescription] {
        sensorDevices.keys.sorted().map { id in
            let device = devices[id]
            let (kind, capabilities) = SensorDevices.accessory(
                Set(readings(of: id).keys), buttonLight(of: id) == nil ? buttons(of: id) : [], kinds: kinds)
            return LightDescription(
                id: sensorID(id, identity.id), name: device?.name ?? "Hue sensor", kind: kind,
                capabilities: capabilities, manufacturer: device?.manufacturer,
                model: device?.model, serialNumber: device?.mac, firmware: device?.firmware,
                suggestedRoom: device?.room)
        }
    }

    // MARK: Scenes

    private func sceneDescriptions(_ identity: Identity) -> [LightDescription] {
        scenes.keys.sorted().map { room in
            HueScene.accessory(scenes[room] ?? [], of: room, named: rooms[room] ?? "Hue", identity.id)
        }
    }

    /// Returns the warning about rooms with more scenes than an accessory can show.
    private mutating func sceneWarning() -> [SessionEvent<Output>] {
        let maximum = AccessoryFunction.maximumScenes
        let crowded = kinds.contains(.scene) ? scenes.keys.sorted().filter { (scenes[$0]?.count ?? 0) > maximum } : []
        defer { hasTooManyScenes = !crowded.isEmpty }
        guard !crowded.isEmpty else { return hasTooManyScenes ? [.warning(nil)] : [] }
        let counts = crowded.prefix(4).map { "\(scenes[$0]?.count ?? 0) scenes of \(rooms[$0] ?? "Hue")" }
        return [
            .warning(
                "only \(maximum) of the \(counts.joined(separator: " and the ")) are shown; remove some in the Hue app")
        ]
    }

    /// Returns the scenes of an accessory, or `nil` if the accessory has no scenes.
    private func scenes(of id: LightID) -> [HueScene]? {
        identity.flatMap { HueScene.room(of: id, $0.id) }.flatMap { scenes[$0] }
    }

    /// Returns the scene that a command activates, or the last one if the command activates several scenes.
    private func activated(by command: LightCommand, of scenes: [HueScene]) -> HueScene? {
        var activated: HueScene?
        for (property, value) in command.values where value?.bool == true {
            activated = scenes.first { $0.isActivated(by: property) } ?? activated
        }
        return activated
    }

    // MARK: Buttons

    private func buttons(of device: String) -> [PushButton] {
        [PushButton](merging: [buttons.values.filter { $0.owner == device }.flatMap(\.buttons).sorted { $0.id < $1.id }]
        )
    }

    /// Returns the light that shows a device's buttons, or `nil` if the device has no light.
    private func buttonLight(of device: String) -> String? {
        lights.values.filter { $0.owner == device && $0.kind == .light }.map(\.id).min()
    }

    private mutating func presses(_ event: JSONValue, _ bridge: String) -> [SessionEvent<Output>] {
        guard kinds.contains(.button) else { return [] }
        var presses: [SessionEvent<Output>] = []
        for json in event["data"]?.array ?? [] where HueButton.types.contains(json["type"]?.string ?? "") {
            guard let id = json["id"]?.string, let owner = buttons[id]?.owner,
                let events = buttons[id]?.events(json), isCaughtUp, !events.isEmpty
            else { continue }
            let light = buttonLight(of: owner).flatMap { lights[$0]?.lightID(bridge) }
            presses.append(.occurred(light ?? sensorID(owner, bridge), events))
        }
        return presses
    }

    private func sensorReport(_ device: String, _ bridge: String) -> SessionEvent<Output> {
        let isReachable = devices[device]?.isConnected ?? true
        return .report(
            sensorID(device, bridge), LightReport(readings: readings(of: device), reachable: isReachable))
    }

    private func isReachable(_ light: HueLight) -> Bool { devices[light.owner]?.isConnected ?? true }

    private func report(_ light: HueLight, _ id: LightID) -> SessionEvent<Output> {
        var report = light.state
        report.reachable = isReachable(light)
        return .report(id, report)
    }

    // MARK: Events

    private mutating func received(event bytes: [UInt8], now: Duration) -> [SessionEvent<Output>] {
        guard let identity else { return [] }
        guard let list = (try? JSONValue(parsing: bytes))?.array else {
            // An unreadable event may have changed anything, so read all resources again.
            readAt = readAt ?? now + Self.readDelay
            return [.unreadable]
        }
        var changed: Set<String> = []
        var presses: [SessionEvent<Output>] = []
        for event in list {
            if event["type"]?.string == "update" { presses += self.presses(event, identity.id) }
            switch (event["type"]?.string, state) {
            case ("update", .ready): changed.formUnion(apply(event))
            case ("update", _):
                // If there are too many events to store, read all resources again later.
                if events.count < Self.maximumEvents { events.append(event) } else { readAt = now + Self.readDelay }
            case ("add", _), ("delete", _):
                let kinds = (event["data"]?.array ?? []).compactMap { $0["type"]?.string }
                if !Set(kinds).isDisjoint(with: types) { readAt = now + Self.readDelay }
            default: break
            }
        }
        if changed.contains("") {
            readAt = readAt ?? now + Self.readDelay
            changed.remove("")
        }
        return changed.sorted().compactMap { id in
            if let light = lights[id] { return report(light, light.lightID(identity.id)) }
            return sensorDevices[id] == nil ? nil : sensorReport(id, identity.id)
        } + presses
    }

    /// Applies an event.
    ///
    /// - Returns: The ids of the affected lights and of the affected devices, which may have sensors. An empty id means
    ///   that all resources must be read again.
    @discardableResult
    private mutating func apply(_ event: JSONValue) -> Set<String> {
        var changed: Set<String> = []
        for json in event["data"]?.array ?? [] {
            guard let id = json["id"]?.string else { continue }
            switch json["type"]?.string {
            case "light", "grouped_light":
                guard let former = lights[id] else { continue }
                lights[id]?.update(json)
                changed.insert(id)
                if lights[id]?.name != former.name { changed.insert("") }
            case "zigbee_connectivity":
                guard let owner = json["owner"]?["rid"]?.string else { continue }
                update(connectivity: json)
                changed.formUnion(lights.values.filter { $0.owner == owner }.map(\.id) + [owner])
            // Lights have their own names. Only sensors use the name of the device.
            case "device":
                guard let name = json["metadata"]?["name"]?.shortText, sensorDevices[id] != nil else { continue }
                if devices[id]?.name != name { changed.insert("") }
            case let type? where HueSensor.types.contains(type):
                guard let owner = sensors[id]?.owner else { continue }
                sensors[id]?.update(json)
                changed.insert(owner)
            case "room", "zone": changed.insert("")
            case HueScene.type:
                let scene = scenes.values.joined().first { $0.id == id }
                if let name = json["metadata"]?["name"]?.shortText, name != scene?.name { changed.insert("") }
            default: break
            }
        }
        return changed
    }

    // MARK: Time

    package var deadline: Duration? {
        var times = [followAt, readAt]
        if case .pairing(_, let again) = state { times.append(again) }
        switch state {
        case .reading, .ready: times.append(queue.deadline(isGroup: isGroup))
        case .identifying, .loading, .pairing: break
        }
        return times.compactMap { $0 }.min()
    }

    package mutating func timePassed(now: Duration) -> [SessionEvent<Output>] {
        var events: [SessionEvent<Output>] = []
        if case .pairing(let identity, let again?) = state, again <= now {
            state = .pairing(identity, again: nil)
            events.append(.output(.pair(certificate: identity.certificate)))
        }
        if let at = followAt, at <= now {
            followAt = nil
            events.append(.output(.follow(after: lastEvent)))
        }
        if let at = readAt, at <= now, let identity {
            readAt = nil
            events += read(identity, now: now)
        }
        events += queue.takeAccepted(now: now).map { .finished(command: $0, nil) }
        return events + transmit(now: now)
    }

    // MARK: Commands

    package mutating func apply(
        _ command: LightCommand, to id: LightID, number: Int, now: Duration
    ) throws(LightError) -> [SessionEvent<Output>] {
        try require(id)
        queue.add(.command(command, to: id, number: number), now: now)
        return transmit(now: now)
    }

    package mutating func identify(
        _ id: LightID, number: Int, now: Duration
    ) throws(LightError) -> [SessionEvent<Output>] {
        try require(id)
        queue.add(.identify(id, number: number), now: now)
        return transmit(now: now)
    }

    private func require(_ id: LightID) throws(LightError) {
        let light = light(id)
        guard light != nil || scenes(of: id) != nil else { throw .unknownLight }
        switch state {
        case .reading, .ready: break
        case .identifying, .loading, .pairing: throw .unreachable
        }
        guard light.map(isReachable) != false else { throw .unreachable }
    }

    package mutating func cancelled(command: Int) { queue.cancel(command: command) }
}
