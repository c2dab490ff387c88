import AsyncKit
package import DeviceKit
import Dialing
package import Discovery

/// An action for the driver to perform.
package enum DeviceAction<Output: Equatable & Sendable>: Equatable, Sendable {
    /// Connect to the device, using the first endpoint that answers.
    ///
    /// ``ConnectedDeviceRegistry/nextEndpoint(of:number:)`` returns the endpoints one by one. The number distinguishes
    /// this connection from earlier connections to the same device.
    case connect(DeviceTarget, number: Int)
    case output(DeviceTarget, Output)
    /// Close the connection to the device.
    case close(DeviceTarget)
    case added(LightDescription)
    case removed(LightID)
    case report(LightID, LightReport)
    /// Momentary events of a light.
    case occurred(LightID, PropertyValues)
    case warn(String?, about: String)
    case finished(command: Int, LightError?)
}

/// A state machine for all devices of a driver that connects to its devices.
///
/// It manages the devices, their connections and their lights, and has no sockets or clocks.
///
/// Rules:
/// - A device is tried at all of its addresses. If none works, they are all tried again with backoff, or at once when
///   the device's announcement changes.
/// - If a different device answers at an address, the next address is tried.
/// - Two targets may turn out to be the same device, because it has the same id. Then only the target that connected
///   first is used. The other target is tried again every ``duplicateInterval``, and when the first target is lost.
///   With ``DeviceTraits/prefersConfigured``, a configured target takes over from a discovered target instead, and the
///   unused target is tried again only when the used target is lost.
/// - When a connection ends, the device's lights become unreachable and pending commands fail. A light is removed only
///   when its device no longer includes it in its list of lights.
/// - The number of announced devices is limited, and so is the number of device ids.
package struct ConnectedDeviceRegistry<Session: DeviceSession>: Sendable {
    package typealias Action = DeviceAction<Session.Output>

    package static var duplicateInterval: Duration { .seconds(60) }
    /// The time after the start by which a light that the configuration names should be known.
    package static var searchTime: Duration { .seconds(60) }

    private struct Device: Sendable {
        var candidates: Candidates<DeviceEndpoint>
        var announcedID: String?
        var unusableReason: String?
        /// A Boolean value that indicates whether mDNS still lists the device.
        var isPresent = true
        var session: Session?
        var number = 0
        /// A Boolean value that indicates whether the device at the other end of the current session has reported the
        /// expected id.
        var isIdentified = false
        /// The most informative fault so far at the addresses of this round.
        var fault: SessionFault?
        var backoff = Backoff()
        /// The backoff for a device that rejects the password or the key; otherwise `nil`.
        var refusedLogin: Backoff?
        var retryAt: Duration?
        var id: String?
        /// A Boolean value that indicates whether another target is used for the same device.
        var isDuplicate = false
        var hasWarned = false
    }

    /// A device's lights, which remain known when the connection ends.
    private struct Board: Sendable {
        var owner: DeviceTarget?
        var lights: [LightID: Lamp] = [:]
        /// The sensors that the readings among the lights belong to, by the reading's id.
        var readings: [LightID: LightDescription] = [:]
    }

    private struct Lamp: Sendable {
        var description: LightDescription
        var reported: LightReport?
    }

    private let selection: DeviceSelection
    private let options: Session.Options
    private var devices: [DeviceTarget: Device] = [:]
    private var boards: [String: Board] = [:]
    /// The ids of the lights that the bridge knew before the start.
    private var known: Set<LightID> = []
    private var kinds: Set<LightKind> = []
    private var sensors = SensorDevices()
    /// The devices to which unfinished commands were sent, by command number.
    private var commands: [Int: DeviceTarget] = [:]
    private var lastCommand = 0
    private var dropped: [DropReason: Int] = [:]
    /// The end of the search for the lights that the configuration names; `nil` afterwards.
    private var searchEndsAt: Duration?
    /// The lights that the configuration names and that the operator was warned about.
    private var missing: Set<LightID> = []

    package init(_ selection: DeviceSelection, options: Session.Options) {
        self.selection = selection
        self.options = options
    }

    // MARK: Discovery

    package mutating func started(
        known: [LightID], kinds: Set<LightKind> = Set(LightKind.allCases), now: Duration
    ) -> [Action] {
        self.known = Set(known)
        self.kinds = kinds
        sensors = SensorDevices(kinds: kinds, known: known)
        if Session.namedLights(in: options) != nil { searchEndsAt = now + Self.searchTime }
        var actions: [Action] = []
        for host in selection.hosts {
            let target = DeviceTarget.configured(host)
            let endpoint = DeviceEndpoint.host(host.host, port: host.port ?? Session.traits.port)
            devices[target] = Device(candidates: Candidates([endpoint]))
            actions += beginRound(target, now: now)
        }
        return actions
    }

    /// Updates the devices after the services that mDNS lists have changed.
    package mutating func found(_ services: [DiscoveredService], now: Duration) -> [Action] {
        var actions: [Action] = []
        let present = Set(services.map { DeviceTarget.discovered($0.id) })
        for (target, device) in devices where !target.isConfigured && device.isPresent && !present.contains(target) {
            devices[target]?.isPresent = false
            // Keep a device that was connected before, because it may return to the same address without an
            // announcement.
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
        let unusableReason = Session.unusableReason(of: service, options: options)
        guard var device = devices[target] else {
            guard devices.count < Session.traits.maximumDevices else { return [] }
            devices[target] = Device(candidates: Candidates(endpoints), announcedID: id, unusableReason: unusableReason)
            return beginRound(target, now: now)
        }
        let hasMoved = device.candidates.update(endpoints)
        let isChanged = hasMoved || !device.isPresent || device.unusableReason != unusableReason
        device.announcedID = id
        device.unusableReason = unusableReason
        device.isPresent = true
        if isChanged { device.backoff.succeeded() }
        devices[target] = device
        guard isChanged, !device.isDuplicate else { return [] }
        guard var session = device.session else { return beginRound(target, now: now) }
        let events = session.announcedAgain(now: now)
        devices[target]?.session = session
        return carryOut(events, target, now: now, share: 1)
    }

    /// Tries all addresses of a device, beginning with the address that worked last.
    private mutating func beginRound(_ target: DeviceTarget, now: Duration) -> [Action] {
        devices[target]?.candidates.begin()
        devices[target]?.fault = nil
        return connect(target, now: now)
    }

    /// Tries the remaining addresses of this round.
    private mutating func connect(_ target: DeviceTarget, now: Duration) -> [Action] {
        devices[target]?.retryAt = nil
        devices[target]?.isDuplicate = false
        guard var device = devices[target], !device.candidates.isExhausted else { return [] }
        if let reason = device.unusableReason { return warn(reason, target) }
        device.number += 1
        device.isIdentified = false
        device.candidates.proceed()
        var session = Session(target: target, kinds: kinds, options: options, now: now)
        let events = session.started(now: now)
        device.session = session
        devices[target] = device
        return [.connect(target, number: device.number)] + carryOut(events, target, now: now, share: 1)
    }

    /// Returns the address to try next, or `nil` if no untried address is known.
    package mutating func nextEndpoint(of target: DeviceTarget, number: Int) -> DeviceEndpoint? {
        guard devices[target]?.number == number else { return nil }
        return devices[target]?.candidates.next()
    }

    /// Stores the address at which the connection was accepted.
    package mutating func answered(_ target: DeviceTarget, number: Int, at endpoint: DeviceEndpoint) {
        guard devices[target]?.number == number else { return }
        devices[target]?.candidates.answered(endpoint)
    }

    package func triedEndpoints(of target: DeviceTarget) -> [DeviceEndpoint] { devices[target]?.candidates.tried ?? [] }

    // MARK: Connections

    package mutating func received(
        _ input: Session.Input, from target: DeviceTarget, number: Int, now: Duration, share: Double
    ) -> [Action] {
        guard let device = devices[target], device.number == number, var session = device.session else { return [] }
        devices[target]?.session = nil
        let events = session.received(input, now: now)
        devices[target]?.session = session
        return carryOut(events, target, now: now, share: share)
    }

    /// Returns the number of messages and values that were dropped since the last call, by reason.
    package mutating func takeDropped() -> [DropReason: Int] {
        defer { dropped = [:] }
        return dropped
    }

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
                let (rest, owner) = identified(target, id, now: now)
                actions += rest
                if let owner { return actions + park(target, behind: owner, now: now) }
            case .readings(let readings): if let id = devices[target]?.id { boards[id]?.readings = readings }
            case .lights(let lights): actions += listed(lights, target)
            case .report(let light, let report): actions += reported(report, from: light, target)
            case .occurred(let light, let events):
                if let id = devices[target]?.id, let board = boards[id], board.owner == target, !events.isEmpty {
                    actions.append(.occurred(sensors.sensor(of: light) ?? light, events))
                }
            case .finished(let command, let error):
                if commands.removeValue(forKey: command) != nil { actions.append(.finished(command: command, error)) }
            case .warning(let text): actions += warn(text, target)
            case .unreadable: dropped[.unreadable, default: 0] += 1
            case .invalid: dropped[.invalid, default: 0] += 1
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
        // Change the number, so that later input from this connection is ignored.
        device.number += 1
        // Keep a fault that a device caused, because it is more informative than the lack of an answer at other
        // addresses.
        if device.fault?.isOfDevice != true { device.fault = fault }
        let fault = device.isIdentified ? fault : device.fault ?? fault
        guard device.isIdentified || device.candidates.current == nil || device.candidates.isExhausted else {
            devices[target] = device
            return [.close(target)] + release(target, now: now) + connect(target, now: now)
        }
        if case .unauthorized = fault {
            var refused = device.refusedLogin ?? .refusedLogin
            device.retryAt = now + refused.failed()
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
            if isFirst { actions += warn("\(target.name) can't be reached (\(reason)); trying again", target) }
        case .silent: if isFirst { actions += warn("\(target.name) doesn't answer; trying again", target) }
        }
        return actions
    }

    /// Returns the fault if the device that answers isn't the announced device.
    ///
    /// If no id was announced, the device must be the previous device as long as there are other addresses to try.
    private func otherDevice(_ id: String, _ target: DeviceTarget) -> SessionFault? {
        guard let device = devices[target], !device.isIdentified, let endpoint = device.candidates.current,
            let expected = device.announcedID ?? (device.candidates.isExhausted ? nil : device.id), expected != id
        else { return nil }
        return .unusable("\(target.name) doesn't answer; another device answers at \(endpoint)")
    }

    /// Returns the fault for too many device ids.
    ///
    /// Without this limit, a device that keeps changing its id could fill the memory with lights.
    private func tooMany(_ target: DeviceTarget) -> SessionFault {
        let (driver, count) = (Session.traits.driverName, Session.traits.maximumDevices)
        return .unusable("\(target.name) isn't used; the \(driver) driver can't connect to more than \(count) devices")
    }

    /// Ends a connection to a device that is already used through another target.
    private mutating func park(_ target: DeviceTarget, behind owner: DeviceTarget, now: Duration) -> [Action] {
        let actions = release(target, now: now)
        devices[target]?.session = nil
        devices[target]?.number += 1
        devices[target]?.isDuplicate = true
        devices[target]?.retryAt = Session.traits.prefersConfigured ? nil : now + Self.duplicateInterval
        let isTwiceConfigured = Session.traits.prefersConfigured && target.isConfigured
        let text = isTwiceConfigured ? "\(target.name) is the same device as \(owner.name); remove one of them" : nil
        return [.close(target)] + actions + warn(text, target)
    }

    /// Stops using a target for its device: its commands fail and its lights become unreachable.
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
        return joined(actions)
    }

    /// Processes the id that the device at a target reports.
    ///
    /// - Returns: The actions, and the other target that is already used for the device; `nil` if no other target is.
    private mutating func identified(
        _ target: DeviceTarget, _ id: String, now: Duration
    ) -> (actions: [Action], owner: DeviceTarget?) {
        var actions: [Action] = []
        if let former = devices[target]?.id, former != id { actions += release(target, now: now) }
        devices[target]?.id = id
        devices[target]?.isIdentified = true
        devices[target]?.candidates.confirm()
        devices[target]?.backoff.succeeded()
        devices[target]?.refusedLogin = nil
        let owner = boards[id]?.owner ?? target
        let takesOver = Session.traits.prefersConfigured && target.isConfigured && !owner.isConfigured
        guard owner == target || takesOver else { return (actions, owner) }
        boards[id, default: Board()].owner = target
        if takesOver { actions += park(owner, behind: target, now: now) }
        return (actions + warn(nil, target), nil)
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
        actions = joined(actions)
        let before = known.filter { $0.rawValue == id || $0.rawValue.hasPrefix("\(id)/") }
        let removed = before.union(former.keys).subtracting(board.lights.keys).subtracting(sensors.ids)
        known.subtract(removed)
        return actions + joined(removed.sorted { $0.rawValue < $1.rawValue }.map { .removed($0) }) + missingLights()
    }

    /// Warns about lights that the configuration names but no device has, and withdraws former warnings.
    private mutating func missingLights() -> [Action] {
        guard searchEndsAt == nil, let named = Session.namedLights(in: options) else { return [] }
        let found = boards.values.flatMap(\.lights).filter { $0.value.description.kind == named.kind }.map(\.key)
        let former = missing
        missing = named.ids.subtracting(found)
        return missing.symmetricDifference(former).sorted { $0.rawValue < $1.rawValue }.map { id in
            let text =
                "\(named.key): no known device has the \(named.noun) \(id.rawValue); "
                + "connect the device or correct the id"
            return .warn(missing.contains(id) ? text : nil, about: id.rawValue)
        }
    }

    /// Combines the readings of each device into one sensor.
    private mutating func joined(_ actions: [Action]) -> [Action] {
        sensors.joined(actions) { [boards] light in boards.values.lazy.compactMap { $0.readings[light.id] }.first }
    }

    private mutating func reported(
        _ report: LightReport, from light: LightID, _ target: DeviceTarget
    ) -> [Action] {
        guard let id = devices[target]?.id, let board = boards[id], board.owner == target,
            let lamp = board.lights[light], lamp.reported != report || Session.traits.reportsRepeatedStates
        else { return [] }
        boards[id]?.lights[light]?.reported = report
        return joined([.report(light, report)])
    }

    // MARK: Time

    /// The time at which ``timePassed(now:share:)`` must be called next.
    package var deadline: Duration? {
        (devices.values.map { $0.session.map(\.deadline) ?? $0.retryAt } + [searchEndsAt]).compactMap(\.self).min()
    }

    package mutating func timePassed(now: Duration, share: Double) -> [Action] {
        var actions: [Action] = []
        if let end = searchEndsAt, end <= now {
            searchEndsAt = nil
            actions += missingLights()
        }
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

    /// The files with the passwords or keys that devices reject.
    package var refusedSecretFiles: Set<String> {
        Set(devices.compactMap { $1.refusedLogin == nil ? nil : Session.secretFile(of: $0, options: options) })
    }

    /// Schedules immediate attempts with the devices that rejected the previous contents of these files.
    package mutating func secretsChanged(in files: Set<String>, now: Duration) {
        for (target, device) in devices where device.refusedLogin != nil && device.session == nil {
            guard let file = Session.secretFile(of: target, options: options), files.contains(file) else { continue }
            devices[target]?.refusedLogin = nil
            devices[target]?.retryAt = now
        }
    }

    /// Returns the last outputs to the connected devices before the driver ends.
    package mutating func goodbyes() -> [(target: DeviceTarget, outputs: [Session.Output])] {
        devices.keys.compactMap { target in
            guard let outputs = devices[target]?.session?.goodbye(), !outputs.isEmpty else { return nil }
            return (target, outputs)
        }
    }

    // MARK: Commands

    /// Begins a command, which ends with ``DeviceAction/finished(command:_:)``.
    ///
    /// - Throws: ``LightError`` if the light is unknown or unreachable, or if the session rejects the command at once.
    package mutating func apply(
        _ command: LightCommand, to light: LightID, now: Duration
    ) throws(LightError) -> (command: Int, actions: [Action]) {
        try begin(light, now: now) { session, number throws(LightError) in
            try session.apply(command, to: light, number: number, now: now)
        }
    }

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
        // Report the next state even if it is unchanged, because the host may have assumed that the command succeeded.
        boards[id]?.lights[light]?.reported = nil
        return (lastCommand, carryOut(events, target, now: now, share: 1))
    }

    /// Cancels a command that the host no longer waits for.
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
