import Dialing
package import Discovery
package import LightKit

/// What the outside is to do for the lights.
package enum ESPHomeAction: Equatable, Sendable {
    /// Connect to the device at the first endpoint that answers, see ``ESPHomeHome/nextEndpoint(of:number:)``; the number
    /// tells this connection from earlier ones.
    case connect(ESPHomeTarget, keyFile: String?, number: Int)
    case send(ESPHomeTarget, [UInt8])
    /// Hang up, once everything is sent.
    case close(ESPHomeTarget)
    case added(LightDescription)
    case removed(LightID)
    case report(LightID, LightReport)
    case warn(String?, about: String)
}

/// A device as it was named to us: in the configuration, or by itself on the network.
package enum ESPHomeTarget: Hashable, Sendable {
    case configured(ESPHomeHost)
    case discovered(DiscoveredService.ID)

    /// What people call it.
    var name: String {
        switch self {
        case .configured(let host): host.host
        case .discovered(let service): service.name
        }
    }

    fileprivate var isConfigured: Bool {
        guard case .configured = self else { return false }
        return true
    }
}

/// All devices and their lights: which are there, which are connected, and what they say.
///
/// A machine without sockets and clocks: it is told what happened and when, and returns what to do.
///
/// A device is tried at all of its addresses, then again with backoff, and at once when mDNS has something new of it. An
/// address where something else answers than the announced device is passed over for the next one. Two
/// targets may be one device, told by its MAC address: then the configured one serves, and the other waits behind it.
package struct ESPHomeHome: Sendable {
    /// More devices are not looked at.
    static let maximumDevices = 128
    /// How long a state after a command is taken for its answer.
    static let answerWindow = Duration.seconds(2)

    private struct Device: Sendable {
        enum Link: Sendable {
            case none
            case connecting
            case open(ESPHomeSession)
        }

        var candidates: Candidates<DeviceEndpoint>
        /// The MAC address that it announces.
        var announcedMAC: String?
        let keyFile: String?
        /// It is known to encrypt, and there is no key for it.
        var lacksKey = false
        /// mDNS still has it.
        var isPresent = true
        var link = Link.none
        var number = 0
        /// A Boolean value that indicates whether the device of the current connection has proven to be the right one.
        var isIdentified = false
        /// The worst fault at the addresses of this round.
        var fault: ESPHomeFault?
        var backoff = ReconnectBackoff()
        /// Set while the device refuses the key, or wants one.
        var refusedLogin: RefusedLogin?
        var retryAt: Duration?
        /// The target that serves the same device, for as long as it does.
        var standsBehind: ESPHomeTarget?
        var mac: String?
        var hasWarned = false
    }

    /// A device's lights; they outlive its connection.
    private struct Board: Sendable {
        var owner: ESPHomeTarget?
        var lights: [LightID: Lamp] = [:]
        var ids: [ESPHomeEntity.Key: LightID] = [:]
    }

    private struct Lamp: Sendable {
        var light: ESPHomeLight
        /// Commands whose answer is awaited, and until when.
        var unanswered = 0
        var answersUntil = Duration.zero
        /// The number of the identification under way; its blinking is not reported.
        var identification: Int?
    }

    private let configuration: ESPHomeDriverConfiguration
    private var devices: [ESPHomeTarget: Device] = [:]
    private var boards: [String: Board] = [:]
    /// The lights that the bridge knows from before.
    private var known: Set<LightID> = []
    /// What is shown.
    private var kinds: Set<LightKind> = [.light, .switch, .outlet]
    private var sensors = SensorDevices()
    private var invalid = 0
    private var lastIdentification = 0

    package init(_ configuration: ESPHomeDriverConfiguration) { self.configuration = configuration }

    // MARK: Finding

    /// The driver starts.
    ///
    /// - Parameters:
    ///   - known: the lights that the bridge knows from before.
    ///   - kinds: what is shown.
    ///   - now: the time.
    /// - Returns: what is to be done.
    package mutating func started(
        known: [LightID], kinds: Set<LightKind> = [.light, .switch, .outlet], now: Duration
    ) -> [ESPHomeAction] {
        self.known = Set(known)
        self.kinds = kinds
        sensors = SensorDevices(known: known)
        var actions: [ESPHomeAction] = []
        for host in configuration.hosts {
            let target = ESPHomeTarget.configured(host)
            let endpoint = DeviceEndpoint.host(host.host, port: host.port)
            devices[target] = Device(candidates: Candidates([endpoint]), keyFile: host.keyFile)
            actions += beginRound(target)
        }
        return actions
    }

    /// What mDNS knows now.
    package mutating func found(_ services: [DiscoveredService], now: Duration) -> [ESPHomeAction] {
        var actions: [ESPHomeAction] = []
        let present = Set(services.map { ESPHomeTarget.discovered($0.id) })
        for (target, device) in devices where !target.isConfigured && device.isPresent && !present.contains(target) {
            devices[target]?.isPresent = false
            // Whoever was connected once may be back at the same address without a word.
            guard device.mac == nil else { continue }
            if case .none = device.link {} else { actions.append(.close(target)) }
            if device.hasWarned { actions.append(.warn(nil, about: target.name)) }
            devices[target] = nil
        }
        for service in services { actions += found(service, now: now) }
        return actions
    }

    private mutating func found(_ service: DiscoveredService, now: Duration) -> [ESPHomeAction] {
        let target = ESPHomeTarget.discovered(service.id)
        let endpoints = DeviceEndpoint.all(of: service, port: Int(service.port))
        let mac = service.txt["mac"].map { $0.uppercased().filter(\.isHexDigit) }.flatMap { $0.isMAC ? $0 : nil }
        let keyFile = configuration.devices[service.name]?.keyFile
        let lacksKey = keyFile == nil && service.txt["api_encryption"] != nil
        guard var device = devices[target] else {
            guard devices.count < Self.maximumDevices else { return [] }
            devices[target] = Device(
                candidates: Candidates(endpoints), announcedMAC: mac, keyFile: keyFile, lacksKey: lacksKey)
            return beginRound(target)
        }
        let hasMoved = device.candidates.update(endpoints)
        let hasChanged = !device.isPresent || hasMoved || device.lacksKey != lacksKey
        device.announcedMAC = mac
        device.isPresent = true
        device.lacksKey = lacksKey
        if hasChanged { device.backoff.succeeded() }
        devices[target] = device
        guard hasChanged, device.standsBehind == nil else { return [] }
        switch device.link {
        case .none: return beginRound(target)
        case .connecting: return []
        case .open(var session):
            // It has started anew, or lives on at the new address: the old connection answers or is over.
            guard session.isReady else { return [] }
            let bytes = session.ping(now: now)
            devices[target]?.link = .open(session)
            return [.send(target, bytes)]
        }
    }

    /// Tries all addresses of a device, the one that was right last before all others.
    private mutating func beginRound(_ target: ESPHomeTarget) -> [ESPHomeAction] {
        devices[target]?.candidates.begin()
        devices[target]?.fault = nil
        return connect(target)
    }

    /// Goes on with the addresses that this round has not tried.
    private mutating func connect(_ target: ESPHomeTarget) -> [ESPHomeAction] {
        devices[target]?.retryAt = nil
        guard var device = devices[target], !device.candidates.isExhausted else { return [] }
        guard !device.lacksKey else {
            devices[target] = device
            return warn(Self.text(of: .keyWanted, target, device.keyFile), target)
        }
        device.number += 1
        device.link = .connecting
        device.isIdentified = false
        device.candidates.proceed()
        devices[target] = device
        return [.connect(target, keyFile: device.keyFile, number: device.number)]
    }

    /// The address to try next, or `nil` without one for now.
    package mutating func nextEndpoint(of target: ESPHomeTarget, number: Int) -> DeviceEndpoint? {
        guard devices[target]?.number == number else { return nil }
        return devices[target]?.candidates.next()
    }

    /// The addresses that were tried last.
    package func triedEndpoints(of target: ESPHomeTarget) -> [DeviceEndpoint] {
        devices[target]?.candidates.tried ?? []
    }

    // MARK: Connections

    /// A connection stands.
    ///
    /// - Parameters:
    ///   - target: the device.
    ///   - number: that of the connection.
    ///   - endpoint: where it leads.
    ///   - key: what stands in the key file, if there is one.
    ///   - ephemeral: 32 random bytes.
    ///   - now: the time.
    /// - Returns: what to do.
    package mutating func opened(
        _ target: ESPHomeTarget, number: Int, at endpoint: DeviceEndpoint, key: [UInt8]?, ephemeral: [UInt8],
        now: Duration
    ) -> [ESPHomeAction] {
        guard let device = devices[target], device.number == number else { return [.close(target)] }
        let framing = key.map { ESPHomeFraming(key: $0, ephemeral: ephemeral) } ?? ESPHomeFraming()
        var session = ESPHomeSession(framing, now: now)
        let bytes = session.opened()
        devices[target]?.link = .open(session)
        devices[target]?.candidates.answered(endpoint)
        return [.send(target, bytes)]
    }

    /// Bytes have come.
    package mutating func received(
        _ bytes: [UInt8], from target: ESPHomeTarget, number: Int, now: Duration, share: Double
    ) -> [ESPHomeAction] {
        guard let device = devices[target], device.number == number, case .open(var session) = device.link else {
            return []
        }
        var actions: [ESPHomeAction] = []
        do throws(ESPHomeFault) {
            let events = try session.received(bytes, now: now)
            devices[target]?.link = .open(session)
            for event in events {
                switch event {
                case .send(let bytes): actions.append(.send(target, bytes))
                case .ready(let info, let entities):
                    if let fault = otherDevice(info, target) {
                        return actions + end(target, fault, now: now, share: share)
                    }
                    // Whoever says it is ever another device would have us keep the lights of all of them.
                    guard boards[info.mac] != nil || boards.count < Self.maximumDevices else {
                        actions += end(target, .closed(""), now: now, share: share)
                        let count = Self.maximumDevices
                        return actions
                            + warn("\(target.name) is one device more than the driver esphome takes (\(count))", target)
                    }
                    actions += ready(target, info, entities, now: now)
                case .state(let state):
                    if state.isInvalid { invalid += 1 }
                    actions += joined(received(state, from: target, now: now))
                case .goodbye(let bytes):
                    actions.append(.send(target, bytes))
                    return actions + end(target, .closed("it has hung up"), now: now, share: share)
                }
            }
            return actions
        } catch {
            return actions + end(target, error, now: now, share: share)
        }
    }

    /// How many states had a value that no light has since the last time.
    package mutating func takeInvalid() -> Int {
        defer { invalid = 0 }
        return invalid
    }

    /// A connection is over, or did not come about.
    mutating func closed(
        _ target: ESPHomeTarget, number: Int, _ fault: ESPHomeFault, now: Duration, share: Double
    ) -> [ESPHomeAction] {
        guard let device = devices[target], device.number == number else { return [] }
        if case .none = device.link { return [] }
        return end(target, fault, now: now, share: share)
    }

    /// A key file that gives no key.
    mutating func keyUnusable(
        _ target: ESPHomeTarget, _ reason: String, now: Duration, share: Double
    ) -> [ESPHomeAction] {
        _ = end(target, .closed(""), now: now, share: share)
        return warn("\(target.name): \(reason)", target)
    }

    private mutating func end(
        _ target: ESPHomeTarget, _ fault: ESPHomeFault, now: Duration, share: Double
    ) -> [ESPHomeAction] {
        guard var device = devices[target] else { return [] }
        device.link = .none
        // What comes of this connection from now on is another's no more.
        device.number += 1
        // A device that can't be used says more than addresses without an answer.
        if device.fault?.isOfDevice != true { device.fault = fault }
        let fault = device.isIdentified ? fault : device.fault ?? fault
        var actions = [.close(target)] + release(target, now: now)
        guard device.isIdentified || device.candidates.current == nil || device.candidates.isExhausted else {
            devices[target]?.link = .none
            devices[target]?.number = device.number
            devices[target]?.fault = device.fault
            return actions + connect(target)
        }
        switch fault {
        case .keyWanted, .notEncrypted, .wrongKey, .passwordWanted:
            var refused = device.refusedLogin ?? RefusedLogin()
            device.retryAt = now + refused.pause()
            device.refusedLogin = refused
        case .malformed, .otherDevice, .silent, .closed: device.retryAt = now + device.backoff.failed(share: share)
        }
        devices[target] = device
        if let text = Self.text(of: fault, target, device.keyFile, isFirst: device.mac == nil) {
            actions += warn(text, target)
        }
        return actions
    }

    /// The fault of an address where another device answers than the announced one, or, as long as there are other
    /// addresses, than the one that was here before.
    private func otherDevice(_ info: ESPHomeDeviceInfo, _ target: ESPHomeTarget) -> ESPHomeFault? {
        guard let device = devices[target], !device.isIdentified, let endpoint = device.candidates.current,
            let expected = device.announcedMAC ?? (device.candidates.isExhausted ? nil : device.mac),
            expected != info.mac
        else { return nil }
        return .otherDevice("\(endpoint)")
    }

    /// The target serves its device no more.
    private mutating func release(_ target: ESPHomeTarget, now: Duration) -> [ESPHomeAction] {
        for (other, device) in devices where device.standsBehind == target {
            devices[other]?.standsBehind = nil
            devices[other]?.retryAt = now
        }
        guard let mac = devices[target]?.mac, boards[mac]?.owner == target, var board = boards[mac] else { return [] }
        board.owner = nil
        for id in board.lights.keys {
            board.lights[id]?.light.state = nil
            board.lights[id]?.unanswered = 0
            board.lights[id]?.identification = nil
        }
        boards[mac] = board
        return joined(
            board.lights.keys.sorted { $0.rawValue < $1.rawValue }.map { .report($0, LightReport(reachable: false)) })
    }

    /// The actions with the readings of a device as one sensor.
    private mutating func joined(_ actions: [ESPHomeAction]) -> [ESPHomeAction] {
        guard kinds.contains(.sensor) else { return actions }
        var joined: [ESPHomeAction] = []
        for action in actions {
            switch action {
            case .added(let description) where description.kind == .sensor:
                let device = boards.values.lazy.compactMap { $0.lights[description.id]?.light.sensor }.first
                joined += sensors.added(description, of: device).map(ESPHomeAction.init)
            case .removed(let id) where sensors.isReading(id): joined += sensors.removed(id).map(ESPHomeAction.init)
            case .report(let id, let report) where sensors.isReading(id):
                joined += sensors.reported(report, from: id).map(ESPHomeAction.init)
            default: joined.append(action)
            }
        }
        return joined
    }

    private mutating func ready(
        _ target: ESPHomeTarget, _ info: ESPHomeDeviceInfo, _ entities: [ESPHomeEntity], now: Duration
    ) -> [ESPHomeAction] {
        var actions: [ESPHomeAction] = []
        if let former = devices[target]?.mac, former != info.mac { actions += release(target, now: now) }
        devices[target]?.mac = info.mac
        devices[target]?.isIdentified = true
        devices[target]?.candidates.confirm()
        devices[target]?.backoff.succeeded()
        devices[target]?.refusedLogin = nil
        var board = boards[info.mac] ?? Board()
        if let owner = board.owner, owner != target {
            guard target.isConfigured, !owner.isConfigured else {
                actions += warn(
                    target.isConfigured ? "\(target.name) is the same device as \(owner.name); remove one" : nil, target
                )
                return actions + standBehind(owner, target)
            }
            actions += standBehind(target, owner)
        }
        let shown = entities.filter { !$0.isHidden && isWanted($0) }
        let problems = shown.compactMap(\.problem)
        actions += warn(problems.isEmpty ? nil : "\(target.name): \(problems.joined(separator: "; "))", target)
        board.owner = target
        let former = board.lights
        var learnt: [ESPHomeAction] = []
        board.lights = [:]
        board.ids = [:]
        for entity in shown where entity.problem == nil {
            var light = ESPHomeLight(entity, of: info)
            if board.lights[light.description.id] != nil { light = ESPHomeLight(entity, of: info, isNamesake: true) }
            let id = light.description.id
            guard id.rawValue.utf8.count <= 255, board.lights[id] == nil else { continue }
            board.lights[id] = Lamp(light: light)
            board.ids[entity.key] = id
            if former[id]?.light.description != light.description { learnt.append(.added(light.description)) }
            learnt.append(.report(id, LightReport(reachable: true)))
        }
        boards[info.mac] = board
        actions += joined(learnt)
        // The device's own list is its word on what it no longer has.
        let gone = Set(former.keys).union(known.filter { $0.rawValue.hasPrefix("\(info.mac)/") })
            .subtracting(board.lights.keys).subtracting(sensors.ids)
        known.subtract(gone)
        return actions + joined(gone.sorted { $0.rawValue < $1.rawValue }.map { .removed($0) })
    }

    private mutating func standBehind(_ owner: ESPHomeTarget, _ target: ESPHomeTarget) -> [ESPHomeAction] {
        devices[target]?.standsBehind = owner
        devices[target]?.link = .none
        devices[target]?.retryAt = nil
        devices[target]?.number += 1
        return [.close(target)]
    }

    private func isWanted(_ entity: ESPHomeEntity) -> Bool {
        switch entity.kind {
        case .light: true
        case .switch: configuration.switches
        case .fan: kinds.contains(.fan)
        case .sensor: kinds.contains(.sensor)
        }
    }

    private mutating func received(
        _ state: ESPHomeState, from target: ESPHomeTarget, now: Duration
    ) -> [ESPHomeAction] {
        guard let mac = devices[target]?.mac, let board = boards[mac], board.owner == target,
            let id = board.ids[state.key], var lamp = board.lights[id]
        else { return [] }
        let isFirst = lamp.light.state == nil
        lamp.light.state = state
        let isAnswer = lamp.unanswered > 0 && now <= lamp.answersUntil
        lamp.unanswered = isAnswer ? lamp.unanswered - 1 : 0
        boards[mac]?.lights[id] = lamp
        guard lamp.identification == nil, var report = lamp.light.report else { return [] }
        report.isSpontaneous = !isFirst && !isAnswer
        return [.report(id, report)]
    }

    // MARK: Time

    /// When ``timePassed(now:share:)`` has something to do.
    package var deadline: Duration? {
        devices.values.compactMap { device in
            switch device.link {
            case .none: device.retryAt
            case .connecting: nil
            case .open(let session): session.deadline
            }
        }.min()
    }

    package mutating func timePassed(now: Duration, share: Double) -> [ESPHomeAction] {
        var actions: [ESPHomeAction] = []
        for (target, device) in devices {
            switch device.link {
            case .none: if let at = device.retryAt, at <= now { actions += beginRound(target) }
            case .connecting: break
            case .open(var session):
                do throws(ESPHomeFault) {
                    let bytes = try session.timePassed(now: now)
                    devices[target]?.link = .open(session)
                    if !bytes.isEmpty { actions.append(.send(target, bytes)) }
                } catch {
                    actions += end(target, error, now: now, share: share)
                }
            }
        }
        return actions
    }

    /// The key files of devices that refuse their keys.
    var refusedKeyFiles: Set<String> {
        Set(devices.values.compactMap { $0.refusedLogin == nil ? nil : $0.keyFile })
    }

    /// Key files have changed: devices that refused the former keys are tried at once.
    mutating func keysChanged(in files: Set<String>, now: Duration) {
        for (target, device) in devices where device.refusedLogin != nil {
            guard case .none = device.link, let file = device.keyFile, files.contains(file) else { continue }
            devices[target]?.refusedLogin = nil
            devices[target]?.retryAt = now
        }
    }

    // MARK: Commands

    /// What a command to a light is on the wire.
    package mutating func command(
        _ command: LightCommand, to id: LightID, now: Duration
    ) throws(LightError) -> (target: ESPHomeTarget, bytes: [UInt8]) {
        let (mac, _, lamp) = try find(id)
        boards[mac]?.lights[id]?.identification = nil
        if let speed = command.speed { boards[mac]?.lights[id]?.light.askedSpeed = speed }
        return try send(lamp.light.message(for: command), to: id, now: now)
    }

    /// Begins to show a light.
    ///
    /// - Returns: a number for this time, and what to switch it to in turn.
    mutating func beginIdentification(of id: LightID) throws(LightError) -> (number: Int, blinks: [Bool]) {
        let (mac, _, lamp) = try find(id)
        lastIdentification += 1
        boards[mac]?.lights[id]?.identification = lastIdentification
        let isOn = lamp.light.state?.on ?? false
        // A motor is not switched on and off to be found.
        guard lamp.light.description.kind != .fan else { return (lastIdentification, []) }
        return (lastIdentification, [!isOn, isOn, !isOn, isOn])
    }

    /// One step of showing a light; `nil` if a command has come in between.
    mutating func blink(
        _ isOn: Bool, _ id: LightID, number: Int, now: Duration
    ) throws(LightError) -> (target: ESPHomeTarget, bytes: [UInt8])? {
        let (_, _, lamp) = try find(id)
        guard lamp.identification == number else { return nil }
        return try send(lamp.light.message(for: LightCommand(on: isOn, transition: .zero)), to: id, now: now)
    }

    /// Ends showing a light: its state is reported again.
    mutating func endIdentification(of id: LightID, number: Int) {
        guard let mac = mac(of: id), boards[mac]?.lights[id]?.identification == number else { return }
        boards[mac]?.lights[id]?.identification = nil
    }

    private mutating func send(
        _ message: ESPHomeFraming.Message?, to id: LightID, now: Duration
    ) throws(LightError) -> (target: ESPHomeTarget, bytes: [UInt8]) {
        let (mac, target, _) = try find(id)
        guard let message else { throw .refused("the light cannot do that") }
        guard case .open(var session)? = devices[target]?.link, session.isReady else { throw .unreachable }
        let bytes = session.command(message, now: now)
        devices[target]?.link = .open(session)
        boards[mac]?.lights[id]?.unanswered += 1
        boards[mac]?.lights[id]?.answersUntil = now + Self.answerWindow
        return (target, bytes)
    }

    private func find(_ id: LightID) throws(LightError) -> (mac: String, target: ESPHomeTarget, lamp: Lamp) {
        guard let mac = mac(of: id), let board = boards[mac], let lamp = board.lights[id] else {
            throw known.contains(id) ? .unreachable : .unknownLight
        }
        guard let owner = board.owner else { throw .unreachable }
        return (mac, owner, lamp)
    }

    private func mac(of id: LightID) -> String? { id.rawValue.split(separator: "/").first.map(String.init) }

    /// What is sent to each device before we hang up for good.
    mutating func goodbyes() -> [ESPHomeAction] {
        devices.keys.compactMap { target in
            guard case .open(var session)? = devices[target]?.link else { return nil }
            return .send(target, session.goodbye())
        }
    }

    // MARK: Warnings

    private mutating func warn(_ text: String?, _ target: ESPHomeTarget) -> [ESPHomeAction] {
        guard text != nil || devices[target]?.hasWarned == true else { return [] }
        devices[target]?.hasWarned = text != nil
        return [.warn(text, about: target.name)]
    }

    /// What the operator can do about a fault; `nil` if it passes or shows by itself.
    private static func text(
        of fault: ESPHomeFault, _ target: ESPHomeTarget, _ keyFile: String?, isFirst: Bool = true
    ) -> String? {
        let name = target.name
        switch fault {
        case .keyWanted:
            let entry =
                target.isConfigured
                ? "key-file: /etc/lamplighter/\(name).key beside its host"
                : "devices: {\(name): {key-file: /etc/lamplighter/\(name).key}}"
            return "\(name) wants an encryption key; write it into a file, and \(entry)"
        case .notEncrypted:
            return "\(name) does not encrypt, but has a key here; remove its key-file, or encrypt its api"
        case .wrongKey:
            return "the key in \(keyFile ?? "its file") is not that of \(name); "
                + "take the one under api: encryption: of its ESPHome configuration"
        case .passwordWanted:
            return "\(name) wants a password, which is not known here; give it an encryption key instead"
        case .malformed(let reason): return "\(name) cannot be used: \(reason)"
        case .otherDevice(let place): return "\(name) does not answer; another device answers at \(place)"
        case .silent: return isFirst ? "\(name) does not answer; trying again" : nil
        case .closed(let reason):
            return isFirst ? "\(name) cannot be reached (\(reason)); trying again" : nil
        }
    }
}

extension ESPHomeAction {
    fileprivate init(_ change: SensorDevices.Change) {
        switch change {
        case .added(let description): self = .added(description)
        case .removed(let id): self = .removed(id)
        case .report(let id, let report): self = .report(id, report)
        }
    }
}
