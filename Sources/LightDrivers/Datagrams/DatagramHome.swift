package import LightKit

/// What the machine of all devices of one system wants done.
package enum DatagramAction: Equatable, Sendable {
    case send([UInt8], to: IPv4Endpoint)
    case added(LightDescription)
    case report(LightID, LightReport)
    case warn(String?, about: String)
    /// A device that is no light is not asked any more.
    case ignored(LightID)
    /// A command has arrived, or has not.
    case finished(command: Int, LightError?)
}

/// All devices of one system on the local network as a machine: who is there, at which address, in reach or not.
///
/// Rules it keeps:
/// - A device is known by its id, whatever its address; a datagram that carries its id tells the address.
/// - It is added as a light once it has said what it is. One that never says is forgotten.
/// - A request that stays without an answer puts it out of reach, and its commands fail; from then on it is asked once
///   every ``retryInterval`` and searched for, until it answers. It is never removed.
/// - What answers no question is not believed: an answer that comes too late may be older than a command. Nor is an
///   answer from another address, nor an id that appears elsewhere while its device still answers: anybody can send it.
package struct DatagramHome<Device: DatagramDevice>: Sendable {
    private struct Member {
        var device: Device
        var endpoint: IPv4Endpoint
        var queue: RequestQueue<Device.Request>
        var description: LightDescription?
        var reported: LightReport?
        var isReachable = false
        var pollAt: Duration = .zero
        /// While it shows which one it is, and its state is not its own: what to send when that is over.
        var identificationEnd: [Device.Request]?
        var isForeign = false
    }

    package static var maximumDevices: Int { 256 }
    private static var numberOfDevices: String { "number of devices" }
    /// How often a device that is out of reach is asked.
    package static var retryInterval: Duration { .seconds(5) }
    /// How long after a command a device is asked what became of it.
    package static var confirmationDelay: Duration { .milliseconds(300) }
    /// The longest pause between two searches, and the longest while a light is out of reach.
    package static var searchIntervals: (calm: Duration, missing: Duration) { (.seconds(60), .seconds(10)) }

    private let sought: LANDevices
    private let session: UInt32
    private var networks: [IPv4Network] = []
    private var members: [LightID: Member] = [:]
    /// Who answers from where; devices that do not say who they are have an address each.
    private var devicesAt: [IPv4Endpoint: LightID] = [:]
    private var searchAt: Duration = .zero
    private var searchPause: Duration = .seconds(1)
    private var commands = 0
    private var isFull = false
    private var actions: [DatagramAction] = []

    /// Makes the machine.
    ///
    /// - Parameters:
    ///   - sought: which devices to look for.
    ///   - session: a number that tells this run of the driver from others.
    package init(looksFor sought: LANDevices, session: UInt32) {
        self.sought = sought
        self.session = session
    }

    /// Takes what is to be done, in order.
    package mutating func takeActions() -> [DatagramAction] {
        defer { actions.removeAll() }
        return actions
    }

    /// The lights, in any order, and where they are.
    package var lights: [(LightDescription, IPv4Endpoint)] {
        members.values.compactMap { member in member.description.map { ($0, member.endpoint) } }
    }

    /// When ``timePassed(now:)`` or ``search(on:now:)`` has something to do.
    package var deadline: Duration {
        members.values.filter { !$0.isForeign }.reduce(searchAt) { earliest, member in
            min(earliest, member.queue.deadline ?? (member.identificationEnd != nil ? earliest : member.pollAt))
        }
    }

    // MARK: Search

    package func isSearchDue(now: Duration) -> Bool { searchAt <= now }

    /// Asks everybody who is there.
    ///
    /// - Parameters:
    ///   - networks: this computer's networks.
    ///   - now: the time.
    package mutating func search(on networks: [IPv4Network], now: Duration) {
        self.networks = networks
        let everybody = networks.map { IPv4Endpoint(address: $0.broadcast, port: Device.traits.port) }
        for endpoint in (sought.discover ? everybody : []) + sought.hosts {
            let bytes = Device.search(session: session, localAddress: localAddress(endpoint))
            actions.append(.send(bytes, to: endpoint))
        }
        let isMissing = members.values.contains { $0.description != nil && !$0.isReachable }
        let longest = isMissing ? Self.searchIntervals.missing : Self.searchIntervals.calm
        searchAt = now + min(searchPause, longest)
        searchPause = min(searchPause * 2, longest)
    }

    // MARK: Devices

    /// A datagram has come.
    package mutating func received(_ bytes: [UInt8], from source: IPv4Endpoint, now: Duration) {
        guard let reading = Device.read(bytes, session: session) else { return }
        switch reading.content {
        case .presence(let port, let message):
            guard let id = reading.device else { return }
            met(id, at: IPv4Endpoint(address: source.address, port: port ?? source.port), now: now)
            if let message, isSource(source, of: id) { answered(message, by: id, now: now) }
        case .answer(let message):
            guard let id = reading.device ?? devicesAt[source], isSource(source, of: id) else { return }
            answered(message, by: id, now: now)
        case .push(let message):
            // It comes from a port of its own, but from the address.
            guard let id = reading.device, let member = members[id] else { return }
            if member.endpoint.address != source.address {
                met(id, at: IPv4Endpoint(address: source.address, port: member.endpoint.port), now: now)
            } else if !member.isReachable {
                members[id]?.pollAt = now
            } else if member.identificationEnd == nil, !member.queue.hasCommand {
                // While a command is on its way this may be older than that.
                members[id]?.device.told(message)
                tell(id)
            }
        }
        if let id = reading.device ?? devicesAt[source] { advance(id, now: now) }
    }

    private func isSource(_ source: IPv4Endpoint, of id: LightID) -> Bool {
        members[id]?.endpoint.address == source.address
    }

    private mutating func met(_ id: LightID, at endpoint: IPv4Endpoint, now: Duration) {
        guard var member = members[id] else { return add(id, at: endpoint, now: now) }
        if member.endpoint == endpoint {
            // Another one may have had this address meanwhile.
            devicesAt[endpoint] = id
            if !member.isReachable { members[id]?.pollAt = now }
            return
        }
        member.pollAt = now
        // While it answers where it was, it is asked there: if it has moved, it is found as soon as that fails.
        if !member.isReachable {
            if devicesAt[member.endpoint] == id { devicesAt[member.endpoint] = nil }
            member.endpoint = endpoint
            devicesAt[endpoint] = id
        }
        members[id] = member
    }

    private mutating func add(_ id: LightID, at endpoint: IPv4Endpoint, now: Duration) {
        guard members.count < Self.maximumDevices else {
            if !isFull {
                isFull = true
                actions.append(
                    .warn(
                        "more than \(Self.maximumDevices) devices; the others are left out", about: Self.numberOfDevices
                    )
                )
            }
            return
        }
        let traits = Device.traits
        members[id] = Member(
            device: Device(id: id), endpoint: endpoint,
            queue: RequestQueue(burst: traits.burst, perSecond: traits.perSecond), pollAt: now)
        devicesAt[endpoint] = id
    }

    private mutating func answered(_ message: Device.Message, by id: LightID, now: Duration) {
        guard var member = members[id], let awaited = member.queue.awaited,
            Device.isAnswer(message, to: awaited.request, number: awaited.number)
        else { return }
        do throws(LightError) {
            try member.device.answered(awaited.request, with: message)
            if let command = member.queue.answered() { actions.append(.finished(command: command, nil)) }
        } catch {
            _ = member.queue.answered()
            if let command = awaited.command {
                member.queue.cancel(command)
                actions.append(.finished(command: command, error))
            }
        }
        member.isReachable = true
        if member.device.isForeign, !member.isForeign {
            member.isForeign = true
            actions.append(.ignored(id))
        }
        members[id] = member
        tell(id)
    }

    /// Tells the host what is new about a device, unless half of a command has arrived.
    private mutating func tell(_ id: LightID) {
        guard var member = members[id], member.identificationEnd == nil, !member.queue.hasCommand else { return }
        if let description = member.device.description, member.device.questions.isEmpty,
            description != member.description
        {
            member.description = description
            actions.append(.added(description))
        }
        if member.description != nil, var report = member.device.state {
            report.reachable = true
            if member.reported != report {
                member.reported = report
                actions.append(.report(id, report))
            }
        }
        members[id] = member
    }

    /// A deadline may have passed.
    package mutating func timePassed(now: Duration) {
        for id in members.keys.sorted(by: { $0.rawValue < $1.rawValue }) { advance(id, now: now) }
    }

    /// Sends what may be sent to a device now, and asks what is to be asked.
    private mutating func advance(_ id: LightID, now: Duration) {
        guard var member = members[id], !member.isForeign else { return }
        if member.queue.isGivenUp(now: now) {
            for command in member.queue.clear() { actions.append(.finished(command: command, .unreachable)) }
            if member.description == nil {
                members[id] = nil
                if devicesAt[member.endpoint] == id { devicesAt[member.endpoint] = nil }
                if isFull {
                    isFull = false
                    actions.append(.warn(nil, about: Self.numberOfDevices))
                }
                return
            }
            member.pollAt = now + Self.retryInterval
            if member.isReachable {
                member.isReachable = false
                member.reported = nil
                member.device.returned()
                actions.append(.report(id, LightReport(reachable: false)))
                searchPause = .seconds(1)
                searchAt = min(searchAt, now + searchPause)
            }
        }
        if member.queue.isEmpty, member.identificationEnd == nil {
            let isProbe = member.description != nil && !member.isReachable
            let isDue = member.pollAt <= now
            // A device out of reach is asked one thing; when it answers, the rest follows.
            let questions = isProbe ? [] : member.device.questions
            for question in questions { member.queue.ask(question) }
            if isDue {
                for poll in member.device.polls { member.queue.ask(poll, isProbe: isProbe) }
                member.pollAt = now + (isProbe ? Self.retryInterval : Device.traits.pollInterval)
            }
        }
        if let entry = member.queue.transmit(now: now) {
            let bytes = member.device.bytes(
                of: entry.request, number: entry.number, session: session, localAddress: localAddress(member.endpoint))
            actions.append(.send(bytes, to: member.endpoint))
        }
        members[id] = member
    }

    private func localAddress(_ endpoint: IPv4Endpoint) -> UInt32 {
        if endpoint.address >> 24 == 127 { return 0x7F00_0001 }
        return (networks.first { $0.contains(endpoint.address) } ?? networks.first)?.address ?? 0
    }

    // MARK: Commands

    /// Begins a command; ``DatagramAction/finished(command:_:)`` tells how it ended.
    ///
    /// - Returns: the command's number.
    /// - Throws: ``LightError`` if the light is not known or out of reach.
    package mutating func apply(_ command: LightCommand, to id: LightID, now: Duration) throws(LightError) -> Int {
        let member = try member(id)
        members[id]?.identificationEnd = nil
        let requests = (member.identificationEnd ?? []) + member.device.requests(for: command)
        return begin(requests, of: id, confirmAfter: command.transition ?? .zero, now: now)
    }

    /// Makes a light show which one it is; ``endIdentification(of:now:)`` is to follow.
    package mutating func identify(_ id: LightID, now: Duration) throws(LightError) -> Int {
        let member = try member(id)
        let identification = member.device.identification
        // A second one while the first lasts ends as the first does.
        members[id]?.identificationEnd = member.identificationEnd ?? identification.end
        return begin(identification.begin, of: id, confirmAfter: .zero, now: now)
    }

    /// Leaves a light as it was before it showed which one it is, unless it has got another command since.
    package mutating func endIdentification(of id: LightID, now: Duration) {
        guard let member = members[id], let requests = member.identificationEnd else { return }
        members[id]?.identificationEnd = nil
        members[id]?.pollAt = now + Self.confirmationDelay
        if !requests.isEmpty, member.isReachable { _ = begin(requests, of: id, confirmAfter: .zero, now: now) }
    }

    /// A command is given up; what was not sent yet is not sent.
    package mutating func cancel(_ command: Int) {
        for id in members.keys { members[id]?.queue.cancel(command) }
    }

    private func member(_ id: LightID) throws(LightError) -> Member {
        guard let member = members[id], member.description != nil else { throw .unknownLight }
        guard member.isReachable else { throw .unreachable }
        return member
    }

    private mutating func begin(
        _ requests: [Device.Request], of id: LightID, confirmAfter pause: Duration, now: Duration
    ) -> Int {
        commands += 1
        if requests.isEmpty {
            actions.append(.finished(command: commands, nil))
        } else {
            members[id]?.queue.add(requests, command: commands)
            // What it says next is told, also if it is what it said before: the host may believe the command.
            members[id]?.reported = nil
            members[id]?.pollAt = now + pause + Self.confirmationDelay
        }
        advance(id, now: now)
        return commands
    }
}
