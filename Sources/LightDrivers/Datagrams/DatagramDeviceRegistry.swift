import AsyncKit
package import DeviceKit

/// What the machine of all devices of one system wants done.
package enum DatagramAction: Equatable, Sendable {
    /// To a multicast group it goes over the interface of that address.
    case send([UInt8], to: IPv4Endpoint, over: UInt32?)
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
/// - Its lights are added once it has said what it is. One that never says is forgotten.
/// - A request that stays without an answer puts it out of reach, and its commands fail; from then on it is asked once
///   every ``retryInterval`` and searched for, until it answers. It is never removed.
/// - What answers no question is ignored: an answer that comes too late may be older than a command. Nor is an
///   answer from another address, nor an id that appears elsewhere while its device still answers: anybody can send it.
package struct DatagramDeviceRegistry<Device: DatagramDevice>: Sendable {
    private struct Member {
        var device: Device
        var endpoint: IPv4Endpoint
        var queue: RequestQueue<Device.Request>
        /// What was said of its lights, in their order.
        var lights: [LightDescription] = []
        var reported: [LightID: LightReport] = [:]
        var isReachable = false
        var pollAt: Duration = .zero
        /// When the questions to the device go on, after one that it didn't answer to the point.
        var questionsAt: Duration = .zero
        /// While lights show which ones they are, and their states are not their own: what to send when that is over.
        var identificationEnds: [LightID: [Device.Request]] = [:]
        /// What shows that it has got a request, and that request's number.
        var reaction: (message: Device.Message, number: UInt8)?
        var isForeign = false
    }

    package static var maximumDevices: Int { 256 }
    package static var maximumLights: Int { 16 }
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
    private var owners: [LightID: LightID] = [:]
    /// Devices that answer searches and no question, of which the operator was warned.
    private var silent: Set<LightID> = []
    private static var maximumSilent: Int { 16 }
    private var unusable: Set<LightID> = []
    /// Who answers from where; devices that do not say who they are have an address each.
    private var devicesAt: [IPv4Endpoint: LightID] = [:]
    private var searchAt: Duration = .zero
    private var searchBackoff = Backoff()
    private var commands = 0
    private var isFull = false
    private var unreadable = 0
    private var actions: [DatagramAction] = []

    /// Creates the machine; the session's number distinguishes this run of the driver from others.
    package init(looksFor sought: LANDevices, session: UInt32) {
        self.sought = sought
        self.session = session
    }

    package mutating func takeActions() -> [DatagramAction] {
        defer { actions.removeAll() }
        return actions
    }

    /// The lights, in any order, and where they are.
    package var lights: [(LightDescription, IPv4Endpoint)] {
        members.values.flatMap { member in member.lights.map { ($0, member.endpoint) } }
    }

    /// When ``timePassed(now:)`` or ``search(on:now:)`` has something to do.
    package var deadline: Duration {
        members.values.filter { !$0.isForeign }.reduce(searchAt) { earliest, member in
            min(earliest, member.queue.deadline ?? (member.identificationEnds.isEmpty ? member.pollAt : earliest))
        }
    }

    // MARK: Search

    package func isSearchDue(now: Duration) -> Bool { searchAt <= now }

    package mutating func search(on networks: [IPv4Network], now: Duration) {
        self.networks = networks
        if sought.discover { for network in networks { search(network) } }
        for host in sought.hosts { search(host, localAddress: localAddress(host), over: nil) }
        let isMissing = members.values.contains { !$0.lights.isEmpty && !$0.isReachable }
        searchBackoff.longest = isMissing ? Self.searchIntervals.missing : Self.searchIntervals.calm
        searchAt = now + searchBackoff.failed()
    }

    private mutating func search(_ network: IPv4Network) {
        let everybody = IPv4Endpoint(address: network.broadcast, port: Device.traits.port)
        guard let group = Device.traits.searchGroup else {
            return search(everybody, localAddress: network.address, over: nil)
        }
        search(group, localAddress: network.address, over: network.address)
    }

    private mutating func search(_ endpoint: IPv4Endpoint, localAddress: UInt32, over interface: UInt32?) {
        var bytes = Device.search(session: session, localAddress: localAddress)
        actions.append(.send(bytes, to: endpoint, over: interface))
        guard let second = Device.secondSearch else { return }
        bytes = second.bytes
        actions.append(.send(bytes, to: IPv4Endpoint(address: endpoint.address, port: second.port), over: interface))
    }

    // MARK: Devices

    package mutating func received(_ bytes: [UInt8], from source: IPv4Endpoint, now: Duration) {
        guard let reading = Device.read(bytes, session: session) else {
            // What others send, and what we ask everybody, comes here, too.
            if devicesAt[place(source)] != nil { unreadable += 1 }
            return
        }
        let sender = reading.device ?? devicesAt[place(source)]
        switch reading.content {
        case .unusable(let reason):
            guard let id = reading.device, members[id] == nil, unusable.count < Self.maximumDevices,
                unusable.insert(id).inserted
            else { return }
            actions.append(.warn(reason, about: id.rawValue))
        case .presence(let port, let message):
            guard let id = reading.device else { return }
            met(id, at: IPv4Endpoint(address: source.address, port: port ?? source.port), now: now)
            if let message, isSource(source, of: id) {
                members[id]?.device.told(message)
                answered(message, by: id, now: now)
            }
        case .answer(let message):
            guard let id = sender, isSource(source, of: id) else { return }
            answered(message, by: id, now: now)
        case .push(let message):
            // It comes from a port of its own, but from the address.
            guard let id = reading.device, let member = members[id] else { return }
            if member.endpoint.address != source.address {
                met(id, at: IPv4Endpoint(address: source.address, port: member.endpoint.port), now: now)
            } else if !member.isReachable {
                members[id]?.pollAt = now
            } else if member.identificationEnds.isEmpty, !member.queue.hasCommand {
                // While a command is on its way this may be older than that.
                members[id]?.device.told(message)
                tell(id)
            }
        }
        if let id = sender ?? reading.device { advance(id, now: now) }
    }

    /// How many datagrams of devices could not be read since the last time.
    package mutating func takeUnreadable() -> Int {
        defer { unreadable = 0 }
        return unreadable
    }

    /// Where a device answers from, as a key: of one that answers to a port of its own choice the address is enough.
    private func place(_ endpoint: IPv4Endpoint) -> IPv4Endpoint {
        Device.traits.answerPort == nil ? endpoint : IPv4Endpoint(address: endpoint.address, port: 0)
    }

    private func isSource(_ source: IPv4Endpoint, of id: LightID) -> Bool {
        members[id]?.endpoint.address == source.address
    }

    private mutating func met(_ id: LightID, at endpoint: IPv4Endpoint, now: Duration) {
        guard var member = members[id] else { return add(id, at: endpoint, now: now) }
        if member.endpoint == endpoint {
            // Another one may have had this address meanwhile.
            devicesAt[place(endpoint)] = id
            if !member.isReachable { members[id]?.pollAt = now }
            return
        }
        member.pollAt = now
        // While it answers where it was, it is asked there: if it has moved, it is found as soon as that fails.
        if !member.isReachable {
            leave(member.endpoint, id)
            member.endpoint = endpoint
            devicesAt[place(endpoint)] = id
        }
        members[id] = member
    }

    private mutating func leave(_ endpoint: IPv4Endpoint, _ id: LightID) {
        if devicesAt[place(endpoint)] == id { devicesAt[place(endpoint)] = nil }
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
        devicesAt[place(endpoint)] = id
        if unusable.remove(id) != nil { actions.append(.warn(nil, about: id.rawValue)) }
    }

    private mutating func answered(_ message: Device.Message, by id: LightID, now: Duration) {
        guard let awaited = members[id]?.queue.awaited else { return }
        if Device.isAnswer(message, to: awaited.request, number: awaited.number) {
            answered(awaited, with: message, by: id, now: now)
        } else if Device.isReaction(message, to: awaited.request) {
            members[id]?.reaction = (message, awaited.number)
        }
    }

    private mutating func answered(
        _ awaited: RequestQueue<Device.Request>.Entry, with message: Device.Message, by id: LightID, now: Duration
    ) {
        guard var member = members[id] else { return }
        member.reaction = nil
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
        if awaited.command == nil, member.device.questions.contains(awaited.request) {
            member.questionsAt = now + Self.retryInterval
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
        guard var member = members[id], member.identificationEnds.isEmpty, !member.queue.hasCommand else { return }
        if member.device.questions.isEmpty {
            for light in member.device.lights { describe(light, of: id, &member) }
        }
        for light in member.lights.map(\.id) {
            guard var report = member.device.state(of: light) else { continue }
            report.reachable = true
            guard member.reported[light] != report else { continue }
            member.reported[light] = report
            actions.append(.report(light, report))
        }
        members[id] = member
    }

    private mutating func describe(_ light: LightDescription, of id: LightID, _ member: inout Member) {
        if let index = member.lights.firstIndex(where: { $0.id == light.id }) {
            guard member.lights[index] != light else { return }
            member.lights[index] = light
        } else {
            guard member.lights.count < Self.maximumLights, owners[light.id] == nil else { return }
            owners[light.id] = id
            member.lights.append(light)
            if silent.remove(id) != nil { actions.append(.warn(nil, about: id.rawValue)) }
        }
        actions.append(.added(light))
    }

    package mutating func timePassed(now: Duration) {
        for id in members.keys.sorted(by: { $0.rawValue < $1.rawValue }) { advance(id, now: now) }
    }

    /// Sends what may be sent to a device now, and asks what is to be asked.
    private mutating func advance(_ id: LightID, now: Duration) {
        if let member = members[id], member.queue.isGivenUp(now: now), let awaited = member.queue.awaited,
            let reaction = member.reaction, reaction.number == awaited.number
        {
            answered(awaited, with: reaction.message, by: id, now: now)
        }
        guard var member = members[id], !member.isForeign else { return }
        if member.queue.isGivenUp(now: now) {
            for command in member.queue.clear() { actions.append(.finished(command: command, .unreachable)) }
            // Numbers of requests come again.
            member.reaction = nil
            if member.lights.isEmpty {
                if silent.count < Self.maximumSilent, silent.insert(id).inserted {
                    let (driver, address) = (Device.traits.driverName, member.endpoint.addressText)
                    actions.append(
                        .warn(
                            "a \(driver) device at \(address) answers searches but no questions, so it is not shown; "
                                + "update its firmware, or allow it to be controlled from the local network",
                            about: id.rawValue))
                }
                members[id] = nil
                leave(member.endpoint, id)
                if isFull {
                    isFull = false
                    actions.append(.warn(nil, about: Self.numberOfDevices))
                }
                return
            }
            member.pollAt = now + Self.retryInterval
            if member.isReachable {
                member.isReachable = false
                member.reported = [:]
                member.device.returned()
                for light in member.lights { actions.append(.report(light.id, LightReport(reachable: false))) }
                searchBackoff.succeeded()
                searchAt = min(searchAt, now + .seconds(1))
            }
        }
        if member.queue.isEmpty, member.identificationEnds.isEmpty {
            let isProbe = !member.lights.isEmpty && !member.isReachable
            let isDue = member.pollAt <= now
            // A device out of reach is asked one thing; when it answers, the rest follows.
            let questions = isProbe || member.questionsAt > now ? [] : member.device.questions
            for question in questions { member.queue.ask(question) }
            if isDue {
                for poll in member.device.polls { member.queue.ask(poll, isProbe: isProbe) }
                member.pollAt = now + (isProbe ? Self.retryInterval : Device.traits.pollInterval)
            }
        }
        if let entry = member.queue.transmit(now: now) {
            let datagrams = member.device.datagrams(
                of: entry.request, number: entry.number, session: session, localAddress: localAddress(member.endpoint))
            for bytes in datagrams { actions.append(.send(bytes, to: member.endpoint, over: nil)) }
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
    package mutating func apply(_ command: LightCommand, to light: LightID, now: Duration) throws(LightError) -> Int {
        let (id, member) = try member(light)
        let end = members[id]?.identificationEnds.removeValue(forKey: light) ?? []
        let requests = end + member.device.requests(for: command, to: light)
        return begin(requests, of: id, confirmAfter: command.transition ?? .zero, now: now)
    }

    /// Makes a light show which one it is; ``endIdentification(of:now:)`` is to follow.
    package mutating func identify(_ light: LightID, now: Duration) throws(LightError) -> Int {
        let (id, member) = try member(light)
        let identification = member.device.identification(of: light)
        // A second one while the first lasts ends as the first does.
        members[id]?.identificationEnds[light] = member.identificationEnds[light] ?? identification.end
        return begin(identification.begin, of: id, confirmAfter: .zero, now: now)
    }

    /// Leaves a light as it was before it showed which one it is, unless it has got another command since.
    package mutating func endIdentification(of light: LightID, now: Duration) {
        guard let id = owners[light], let member = members[id],
            let requests = members[id]?.identificationEnds.removeValue(forKey: light)
        else { return }
        members[id]?.pollAt = now + Self.confirmationDelay
        if !requests.isEmpty, member.isReachable { _ = begin(requests, of: id, confirmAfter: .zero, now: now) }
    }

    /// A command is given up; what was not sent yet is not sent.
    package mutating func cancel(_ command: Int) {
        for id in members.keys { members[id]?.queue.cancel(command) }
    }

    private func member(_ light: LightID) throws(LightError) -> (LightID, Member) {
        guard let id = owners[light], let member = members[id] else { throw .unknownLight }
        guard member.isReachable else { throw .unreachable }
        return (id, member)
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
            members[id]?.reported = [:]
            members[id]?.pollAt = now + pause + Self.confirmationDelay
        }
        advance(id, now: now)
        return commands
    }
}
