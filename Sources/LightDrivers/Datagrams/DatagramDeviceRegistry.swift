import AsyncKit
package import DeviceKit

/// An action that the registry of a system's devices requests.
package enum DatagramAction: Equatable, Sendable {
    /// Send a datagram. For a multicast group, `over` is the local address of the interface to use.
    case send([UInt8], to: IPv4Endpoint, over: UInt32?)
    case added(LightDescription)
    case report(LightID, LightReport)
    case warn(String?, about: String)
    /// The device isn't a light and receives no more queries.
    case ignored(LightID)
    /// A command is complete, or has failed with the given error.
    case finished(command: Int, LightError?)
}

/// A state machine for all devices of one system on the local network: their addresses, reachability and lights.
///
/// Rules:
/// - Devices are identified by their ids, not by their addresses. A datagram that contains a device's id also reveals
///   its address.
/// - A device's lights are added after the device has described itself. A device that leaves a request unanswered
///   before that is removed.
/// - If a device leaves a request unanswered, it counts as unreachable and its commands fail. It is queried every
///   ``retryInterval`` and searched for until it answers. A device with lights is never removed.
/// - An answer is ignored if no matching request is pending, because a late answer may be older than a command. An
///   answer from an address other than the device's is ignored, too. While a device answers at its known address, its
///   id in a datagram from another address is ignored, because any host can send that id.
package struct DatagramDeviceRegistry<Device: DatagramDevice>: Sendable {
    private struct Member {
        var device: Device
        var endpoint: IPv4Endpoint
        var queue: RequestQueue<Device.Request>
        /// The descriptions of the device's lights, in the order in which they were added.
        var lights: [LightDescription] = []
        var reported: [LightID: LightReport] = [:]
        var isReachable = false
        var pollAt: Duration = .zero
        /// The time at which the device is asked again for missing properties, after an answer without the requested
        /// value.
        var questionsAt: Duration = .zero
        /// The requests that end the running identifications, by light.
        ///
        /// The device's states aren't reported during an identification.
        var identificationEnds: [LightID: [Device.Request]] = [:]
        /// A message that isn't the answer, but shows that the device has received the request with the given number.
        var reaction: (message: Device.Message, number: UInt8)?
        var isForeign = false
    }

    package static var maximumDevices: Int { 256 }
    package static var maximumLights: Int { 16 }
    private static var numberOfDevices: String { "number of devices" }
    /// The interval between queries to an unreachable device.
    package static var retryInterval: Duration { .seconds(5) }
    /// The delay between a command and the query for its result.
    package static var confirmationDelay: Duration { .milliseconds(300) }
    /// The longest interval between searches: normally, and while a light is unreachable.
    package static var searchIntervals: (calm: Duration, missing: Duration) { (.seconds(60), .seconds(10)) }

    private let sought: LANDevices
    private let session: UInt32
    private var networks: [IPv4Network] = []
    private var members: [LightID: Member] = [:]
    private var owners: [LightID: LightID] = [:]
    /// The devices that answer searches but not requests.
    ///
    /// The operator was warned about them.
    private var silent: Set<LightID> = []
    private static var maximumSilent: Int { 16 }
    private var unusable: Set<LightID> = []
    /// The devices by address, which identifies the sender of a datagram without an id.
    private var devicesAt: [IPv4Endpoint: LightID] = [:]
    private var searchAt: Duration = .zero
    private var searchBackoff = Backoff()
    private var commands = 0
    private var isFull = false
    private var unreadable = 0
    private var actions: [DatagramAction] = []

    /// Creates a registry without devices.
    ///
    /// `session` is a number that distinguishes this run of the driver from other runs.
    package init(looksFor sought: LANDevices, session: UInt32) {
        self.sought = sought
        self.session = session
    }

    package mutating func takeActions() -> [DatagramAction] {
        defer { actions.removeAll() }
        return actions
    }

    /// The lights, in any order, with their addresses.
    package var lights: [(LightDescription, IPv4Endpoint)] {
        members.values.flatMap { member in member.lights.map { ($0, member.endpoint) } }
    }

    /// The time at which ``timePassed(now:)`` or ``search(on:now:)`` must be called next.
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
            // Datagrams from other senders and our own broadcasts also arrive here. Count only datagrams from known
            // devices.
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
            // Devices send pushes from their own address, but from another port.
            guard let id = reading.device, let member = members[id] else { return }
            if member.endpoint.address != source.address {
                met(id, at: IPv4Endpoint(address: source.address, port: member.endpoint.port), now: now)
            } else if !member.isReachable {
                members[id]?.pollAt = now
            } else if member.identificationEnds.isEmpty, !member.queue.hasCommand {
                // While a command is in flight, this state may be older than the command.
                members[id]?.device.told(message)
                tell(id)
            }
        }
        if let id = sender ?? reading.device { advance(id, now: now) }
    }

    /// Returns the number of unreadable datagrams from known devices since the last call.
    package mutating func takeUnreadable() -> Int {
        defer { unreadable = 0 }
        return unreadable
    }

    /// Returns the address under which a device is stored in `devicesAt`.
    ///
    /// The port is omitted if the system has a fixed port for answers.
    private func place(_ endpoint: IPv4Endpoint) -> IPv4Endpoint {
        Device.traits.answerPort == nil ? endpoint : IPv4Endpoint(address: endpoint.address, port: 0)
    }

    private func isSource(_ source: IPv4Endpoint, of id: LightID) -> Bool {
        members[id]?.endpoint.address == source.address
    }

    private mutating func met(_ id: LightID, at endpoint: IPv4Endpoint, now: Duration) {
        guard var member = members[id] else { return add(id, at: endpoint, now: now) }
        if member.endpoint == endpoint {
            // Another device may have used this address in the meantime.
            devicesAt[place(endpoint)] = id
            if !member.isReachable { members[id]?.pollAt = now }
            return
        }
        member.pollAt = now
        // Keep using the previous address while the device answers there. If it has moved, queries to that address soon
        // fail.
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
                        "more than \(Self.maximumDevices) devices were found; the others are ignored",
                        about: Self.numberOfDevices
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

    /// Reports changes of a device to the host, unless a command or an identification is pending.
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

    /// Queues the queries that are due for a device, sends its next request if that is due, and gives up a request that
    /// has timed out.
    private mutating func advance(_ id: LightID, now: Duration) {
        if let member = members[id], member.queue.isGivenUp(now: now), let awaited = member.queue.awaited,
            let reaction = member.reaction, reaction.number == awaited.number
        {
            answered(awaited, with: reaction.message, by: id, now: now)
        }
        guard var member = members[id], !member.isForeign else { return }
        if member.queue.isGivenUp(now: now) {
            for command in member.queue.clear() { actions.append(.finished(command: command, .unreachable)) }
            // Forget the reaction, because request numbers repeat.
            member.reaction = nil
            if member.lights.isEmpty {
                if silent.count < Self.maximumSilent, silent.insert(id).inserted {
                    let (driver, address) = (Device.traits.driverName, member.endpoint.addressText)
                    actions.append(
                        .warn(
                            "a \(driver) device at \(address) answers searches but not requests, so it isn't shown; "
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
            // Send a single query to an unreachable device. The rest follow after it answers.
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

    /// Begins a command, which ends with ``DatagramAction/finished(command:_:)``.
    ///
    /// - Returns: The command's number.
    /// - Throws: ``LightError`` if the light is unknown or unreachable.
    package mutating func apply(_ command: LightCommand, to light: LightID, now: Duration) throws(LightError) -> Int {
        let (id, member) = try member(light)
        let end = members[id]?.identificationEnds.removeValue(forKey: light) ?? []
        let requests = end + member.device.requests(for: command, to: light)
        return begin(requests, of: id, confirmAfter: command.transition ?? .zero, now: now)
    }

    /// Begins the identification of a light.
    ///
    /// The caller must end it with ``endIdentification(of:now:)``.
    package mutating func identify(_ light: LightID, now: Duration) throws(LightError) -> Int {
        let (id, member) = try member(light)
        let identification = member.device.identification(of: light)
        // If an identification is already running, keep its final requests: they restore the original state.
        members[id]?.identificationEnds[light] = member.identificationEnds[light] ?? identification.end
        return begin(identification.begin, of: id, confirmAfter: .zero, now: now)
    }

    /// Ends the identification of a light and restores its previous state, unless the light has received another
    /// command since.
    package mutating func endIdentification(of light: LightID, now: Duration) {
        guard let id = owners[light], let member = members[id],
            let requests = members[id]?.identificationEnds.removeValue(forKey: light)
        else { return }
        members[id]?.pollAt = now + Self.confirmationDelay
        if !requests.isEmpty, member.isReachable { _ = begin(requests, of: id, confirmAfter: .zero, now: now) }
    }

    /// Cancels a command and drops its unanswered requests.
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
            // Report the next state even if it is unchanged, because the host may have assumed that the command
            // succeeded.
            members[id]?.reported = [:]
            members[id]?.pollAt = now + pause + Self.confirmationDelay
        }
        advance(id, now: now)
        return commands
    }
}
