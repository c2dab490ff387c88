import Dialing
package import Discovery
package import LightKit

/// What the outside is to do for the devices.
package enum DeviceAction<Output: Equatable & Sendable>: Equatable, Sendable {
    /// Connect to the device at the first endpoint that answers, see ``DeviceHome/nextEndpoint(of:number:)``; the number
    /// tells this connection from earlier ones to the same device.
    case connect(DeviceTarget, number: Int)
    case output(DeviceTarget, Output)
    /// End the connection at once.
    case close(DeviceTarget)
    case added(LightDescription)
    case removed(LightID)
    case report(LightID, LightReport)
    case warn(String?, about: String)
    case finished(command: Int, LightError?)
}

/// All devices of one system that are connected to: which are there, which connection serves which, and their lights.
///
/// A machine without sockets and clocks. Rules it keeps:
/// - A device is tried at all of its addresses, then again with backoff, and at once when mDNS has something new of it.
/// - An address where something else answers than the announced device is passed over for the next one.
/// - Two targets may be one device, known by the id that it says: the first one connected serves, and the other is
///   asked again every ``duplicateInterval`` and as soon as the first is lost.
/// - When a connection ends, its lights are out of reach and its commands fail. Lights are removed only when their device
///   lists its lights without them.
/// - No more devices are known than a driver takes, by what they announce and by what they say they are.
package struct DeviceHome<Session: DeviceSession>: Sendable {
    package typealias Action = DeviceAction<Session.Output>

    package static var duplicateInterval: Duration { .seconds(60) }

    private struct Device: Sendable {
        var candidates: Candidates<DeviceEndpoint>
        /// The id that it announces.
        var announcedID: String?
        /// mDNS still has it.
        var isPresent = true
        var session: Session?
        var number = 0
        /// A Boolean value that indicates whether the device of the current session has proven to be the right one.
        var isIdentified = false
        /// The worst fault at the addresses of this round.
        var fault: SessionFault?
        var backoff = ReconnectBackoff()
        /// Set while the device refuses the password.
        var refusedLogin: RefusedLogin?
        var retryAt: Duration?
        var id: String?
        /// It serves another target.
        var isDuplicate = false
        var hasWarned = false
    }

    /// A device's lights; they outlive its connection.
    private struct Board: Sendable {
        var owner: DeviceTarget?
        var lights: [LightID: Lamp] = [:]
    }

    private struct Lamp: Sendable {
        var description: LightDescription
        var reported: LightReport?
    }

    private let selection: DeviceSelection
    private let options: Session.Options
    private var devices: [DeviceTarget: Device] = [:]
    private var boards: [String: Board] = [:]
    /// The lights that the bridge knows from before.
    private var known: Set<LightID> = []
    /// Who carries out the commands that are not finished.
    private var commands: [Int: DeviceTarget] = [:]
    private var lastCommand = 0
    private var unreadable = 0

    package init(_ selection: DeviceSelection, options: Session.Options) {
        self.selection = selection
        self.options = options
    }

    // MARK: Finding

    /// The driver starts; the bridge knows these lights from before.
    package mutating func started(known: [LightID], now: Duration) -> [Action] {
        self.known = Set(known)
        var actions: [Action] = []
        for host in selection.hosts {
            let target = DeviceTarget.configured(host)
            let endpoint = DeviceEndpoint.host(host.host, port: host.port ?? Session.traits.port)
            devices[target] = Device(candidates: Candidates([endpoint]))
            actions += beginRound(target, now: now)
        }
        return actions
    }

    /// What mDNS knows now.
    package mutating func found(_ services: [DiscoveredService], now: Duration) -> [Action] {
        var actions: [Action] = []
        let present = Set(services.map { DeviceTarget.discovered($0.id) })
        for (target, device) in devices where !target.isConfigured && device.isPresent && !present.contains(target) {
            devices[target]?.isPresent = false
            // A device that was connected once may be back at the same address without an announcement.
            guard device.id == nil else { continue }
            if device.session != nil { actions.append(.close(target)) }
            if device.hasWarned { actions.append(.warn(nil, about: target.name)) }
            devices[target] = nil
        }
        for service in services { actions += found(service, now: now) }
        return actions
    }

    private mutating func found(_ service: DiscoveredService, now: Duration) -> [Action] {
        let target = DeviceTarget.discovered(service.id)
        let endpoints = DeviceEndpoint.all(of: service, port: Session.port(of: service))
        let id = Session.id(of: service)
        guard var device = devices[target] else {
            guard devices.count < Session.traits.maximumDevices else { return [] }
            devices[target] = Device(candidates: Candidates(endpoints), announcedID: id)
            return beginRound(target, now: now)
        }
        let isChanged = device.candidates.update(endpoints) || !device.isPresent
        device.announcedID = id
        device.isPresent = true
        if isChanged { device.backoff.succeeded() }
        devices[target] = device
        return isChanged && device.session == nil && !device.isDuplicate ? beginRound(target, now: now) : []
    }

    /// Tries all addresses of a device, the one that was right last before all others.
    private mutating func beginRound(_ target: DeviceTarget, now: Duration) -> [Action] {
        devices[target]?.candidates.begin()
        devices[target]?.fault = nil
        return connect(target, now: now)
    }

    /// Goes on with the addresses that this round has not tried.
    private mutating func connect(_ target: DeviceTarget, now: Duration) -> [Action] {
        devices[target]?.retryAt = nil
        devices[target]?.isDuplicate = false
        guard var device = devices[target], !device.candidates.isExhausted else { return [] }
        device.number += 1
        device.isIdentified = false
        device.candidates.proceed()
        var session = Session(name: target.name, options: options, now: now)
        let events = session.started(now: now)
        device.session = session
        devices[target] = device
        return [.connect(target, number: device.number)] + carryOut(events, target, now: now, share: 1)
    }

    /// The address to try next, or `nil` without one for now.
    package mutating func nextEndpoint(of target: DeviceTarget, number: Int) -> DeviceEndpoint? {
        guard devices[target]?.number == number else { return nil }
        return devices[target]?.candidates.next()
    }

    /// Something has accepted the connection at an address.
    package mutating func answered(_ target: DeviceTarget, number: Int, at endpoint: DeviceEndpoint) {
        guard devices[target]?.number == number else { return }
        devices[target]?.candidates.answered(endpoint)
    }

    /// The addresses that were tried last.
    package func triedEndpoints(of target: DeviceTarget) -> [DeviceEndpoint] { devices[target]?.candidates.tried ?? [] }

    // MARK: Connections

    /// A connection has brought something.
    package mutating func received(
        _ input: Session.Input, from target: DeviceTarget, number: Int, now: Duration, share: Double
    ) -> [Action] {
        guard let device = devices[target], device.number == number, var session = device.session else { return [] }
        devices[target]?.session = nil
        let events = session.received(input, now: now)
        devices[target]?.session = session
        return carryOut(events, target, now: now, share: share)
    }

    /// How many messages could not be read since the last time.
    package mutating func takeUnreadable() -> Int {
        defer { unreadable = 0 }
        return unreadable
    }

    /// A connection is over, or did not come about.
    package mutating func closed(
        _ target: DeviceTarget, number: Int, _ fault: SessionFault, now: Duration, share: Double
    ) -> [Action] {
        guard let device = devices[target], device.number == number, device.session != nil else { return [] }
        return end(target, fault, now: now, share: share)
    }

    private mutating func carryOut(
        _ events: [SessionEvent<Session.Output>], _ target: DeviceTarget, now: Duration, share: Double
    ) -> [Action] {
        var actions: [Action] = []
        for event in events {
            switch event {
            case .output(let output): actions.append(.output(target, output))
            case .identified(let id):
                if let fault = otherDevice(id, target) { return actions + end(target, fault, now: now, share: share) }
                guard boards[id] != nil || boards.count < Session.traits.maximumDevices else {
                    return actions + end(target, tooMany(target), now: now, share: share)
                }
                guard let rest = identified(target, id, now: now) else {
                    return actions + park(target, now: now)
                }
                actions += rest
            case .lights(let lights): actions += listed(lights, target)
            case .report(let light, let report): actions += reported(report, from: light, target)
            case .finished(let command, let error):
                if commands.removeValue(forKey: command) != nil { actions.append(.finished(command: command, error)) }
            case .warning(let text): actions += warn(text, target)
            case .unreadable: unreadable += 1
            case .failed(let fault): return actions + end(target, fault, now: now, share: share)
            }
        }
        return actions
    }

    private mutating func end(
        _ target: DeviceTarget, _ fault: SessionFault, now: Duration, share: Double
    ) -> [Action] {
        guard var device = devices[target] else { return [] }
        device.session = nil
        // What comes of this connection from now on does not count.
        device.number += 1
        // A device that can't be used says more than addresses without an answer.
        switch device.fault {
        case .unusable, .unauthorized: break
        case .unreachable, nil: device.fault = fault
        }
        let fault = device.isIdentified ? fault : device.fault ?? fault
        guard device.isIdentified || device.candidates.current == nil || device.candidates.isExhausted else {
            devices[target] = device
            return [.close(target)] + release(target, now: now) + connect(target, now: now)
        }
        if case .unauthorized = fault {
            var refused = device.refusedLogin ?? RefusedLogin()
            device.retryAt = now + refused.pause()
            device.refusedLogin = refused
        } else {
            device.retryAt = now + device.backoff.failed(share: share)
        }
        let isFirst = device.id == nil
        devices[target] = device
        var actions: [Action] = [.close(target)] + release(target, now: now)
        switch fault {
        case .unusable(let text), .unauthorized(let text): actions += warn(text, target)
        case .unreachable(let reason):
            guard isFirst else { break }
            actions += warn("\(target.name) cannot be reached (\(reason)); trying again", target)
        }
        return actions
    }

    /// The fault of an address where another device answers than the announced one, or, as long as there are other
    /// addresses, than the one that was here before.
    private func otherDevice(_ id: String, _ target: DeviceTarget) -> SessionFault? {
        guard let device = devices[target], !device.isIdentified, let endpoint = device.candidates.current,
            let expected = device.announcedID ?? (device.candidates.isExhausted ? nil : device.id), expected != id
        else { return nil }
        return .unusable("\(target.name) does not answer; another device answers at \(endpoint)")
    }

    /// Whoever says it is ever another device would have us keep the lights of all of them.
    private func tooMany(_ target: DeviceTarget) -> SessionFault {
        let (driver, count) = (Session.traits.driverName, Session.traits.maximumDevices)
        return .unusable("\(target.name) is one device more than the driver \(driver) takes (\(count))")
    }

    private mutating func park(_ target: DeviceTarget, now: Duration) -> [Action] {
        let actions = [.close(target)] + release(target, now: now)
        devices[target]?.session = nil
        devices[target]?.number += 1
        devices[target]?.isDuplicate = true
        devices[target]?.retryAt = now + Self.duplicateInterval
        return actions + warn(nil, target)
    }

    /// The target serves its device no more.
    private mutating func release(_ target: DeviceTarget, now: Duration) -> [Action] {
        var actions: [Action] = []
        for (command, carrier) in commands.sorted(by: { $0.key < $1.key }) where carrier == target {
            commands[command] = nil
            actions.append(.finished(command: command, .unreachable))
        }
        guard let id = devices[target]?.id, var board = boards[id], board.owner == target else { return actions }
        board.owner = nil
        for light in board.lights.keys.sorted(by: { $0.rawValue < $1.rawValue }) {
            board.lights[light]?.reported = nil
            actions.append(.report(light, LightReport(reachable: false)))
        }
        boards[id] = board
        for (other, device) in devices where device.isDuplicate && device.id == id && other != target {
            devices[other]?.retryAt = now
        }
        return actions
    }

    /// - Returns: `nil` if another target serves the device.
    private mutating func identified(_ target: DeviceTarget, _ id: String, now: Duration) -> [Action]? {
        var actions: [Action] = []
        if let former = devices[target]?.id, former != id { actions += release(target, now: now) }
        devices[target]?.id = id
        devices[target]?.isIdentified = true
        devices[target]?.candidates.confirm()
        devices[target]?.backoff.succeeded()
        devices[target]?.refusedLogin = nil
        if let owner = boards[id]?.owner, owner != target { return nil }
        boards[id, default: Board()].owner = target
        return actions + warn(nil, target)
    }

    // MARK: Lights

    private mutating func listed(_ lights: [LightDescription], _ target: DeviceTarget) -> [Action] {
        guard let id = devices[target]?.id, var board = boards[id], board.owner == target else { return [] }
        var actions: [Action] = []
        let former = board.lights
        board.lights = [:]
        for light in lights where light.id.rawValue.utf8.count <= 255 && board.lights[light.id] == nil {
            board.lights[light.id] = Lamp(description: light, reported: former[light.id]?.reported)
            if former[light.id]?.description != light { actions.append(.added(light)) }
        }
        boards[id] = board
        let before = known.filter { $0.rawValue == id || $0.rawValue.hasPrefix("\(id)/") }
        let removed = before.union(former.keys).subtracting(board.lights.keys)
        known.subtract(removed)
        return actions + removed.sorted { $0.rawValue < $1.rawValue }.map { .removed($0) }
    }

    private mutating func reported(
        _ report: LightReport, from light: LightID, _ target: DeviceTarget
    ) -> [Action] {
        guard let id = devices[target]?.id, let board = boards[id], board.owner == target,
            let lamp = board.lights[light], lamp.reported != report
        else { return [] }
        boards[id]?.lights[light]?.reported = report
        return [.report(light, report)]
    }

    // MARK: Time

    /// When ``timePassed(now:share:)`` has something to do.
    package var deadline: Duration? {
        devices.values.compactMap { $0.session.map(\.deadline) ?? $0.retryAt }.min()
    }

    package mutating func timePassed(now: Duration, share: Double) -> [Action] {
        var actions: [Action] = []
        for target in devices.keys {
            guard let device = devices[target] else { continue }
            if var session = device.session {
                guard let deadline = session.deadline, deadline <= now else { continue }
                devices[target]?.session = nil
                let events = session.timePassed(now: now)
                devices[target]?.session = session
                actions += carryOut(events, target, now: now, share: share)
            } else if let at = device.retryAt, at <= now {
                actions += beginRound(target, now: now)
            }
        }
        return actions
    }

    /// Whether a device refuses the password.
    package var isLoginRefused: Bool { devices.values.contains { $0.refusedLogin != nil } }

    /// The file with the password has changed: devices that refused the former one are tried at once.
    package mutating func passwordChanged(now: Duration) {
        for (target, device) in devices where device.refusedLogin != nil && device.session == nil {
            devices[target]?.refusedLogin = nil
            devices[target]?.retryAt = now
        }
    }

    // MARK: Commands

    /// Begins a command; ``DeviceAction/finished(command:_:)`` says how it ended.
    ///
    /// - Throws: ``LightError`` if the light is not known or out of reach, or refuses at once.
    package mutating func apply(
        _ command: LightCommand, to light: LightID, now: Duration
    ) throws(LightError) -> (command: Int, actions: [Action]) {
        try begin(light, now: now) { session, number throws(LightError) in
            try session.apply(command, to: light, number: number, now: now)
        }
    }

    /// Makes a light show which one it is, as a command.
    package mutating func identify(
        _ light: LightID, now: Duration
    ) throws(LightError) -> (command: Int, actions: [Action]) {
        try begin(light, now: now) { session, number throws(LightError) in
            try session.identify(light, number: number, now: now)
        }
    }

    private mutating func begin(
        _ light: LightID, now: Duration,
        _ body: (inout Session, Int) throws(LightError) -> [SessionEvent<Session.Output>]
    ) throws(LightError) -> (command: Int, actions: [Action]) {
        guard let (id, board) = boards.first(where: { $0.value.lights[light] != nil }) else {
            throw known.contains(light) ? .unreachable : .unknownLight
        }
        guard let target = board.owner, var session = devices[target]?.session else { throw .unreachable }
        lastCommand += 1
        let events = try body(&session, lastCommand)
        devices[target]?.session = session
        commands[lastCommand] = target
        // What it says next is reported, also if it is what it said before: the host may take the command for the state.
        boards[id]?.lights[light]?.reported = nil
        return (lastCommand, carryOut(events, target, now: now, share: 1))
    }

    /// A command is given up.
    package mutating func cancelled(command: Int) {
        guard let target = commands.removeValue(forKey: command) else { return }
        devices[target]?.session?.cancelled(command: command)
    }

    // MARK: Warnings

    private mutating func warn(_ text: String?, _ target: DeviceTarget) -> [Action] {
        guard text != nil || devices[target]?.hasWarned == true else { return [] }
        devices[target]?.hasWarned = text != nil
        return [.warn(text, about: target.name)]
    }
}
