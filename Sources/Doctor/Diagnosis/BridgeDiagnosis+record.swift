internal import BridgeControl
internal import SystemKit

/// The checks of the bridge's record in multicast DNS.
extension BridgeDiagnosis {
    private var queryResults: [QueryResult] { facts.queryResults.filter { $0.isMulticast && $0.failure == nil } }

    private func own(in look: QueryResult) -> ServiceInstance? {
        look.instances.first { $0.name.lowercased() == status.advertisement.name.lowercased() && !$0.places.isEmpty }
    }

    /// Checks whether another bridge has the same device ID.
    ///
    /// Controllers would confuse the two bridges.
    var clone: CheckResult {
        let names = [status.advertisement.name, diagnostics.wantedName].map { $0.lowercased() }
        let ownHosts = queryResults.compactMap { own(in: $0) }.flatMap(\.places).map(\.host)
        for instance in queryResults.flatMap(\.instances) {
            let isOwn = names.contains(instance.name.lowercased()) && instance.places.count < 2
            guard !isOwn, instance.txt?["id"]?.lowercased() == status.deviceID.lowercased() else { continue }
            let places = instance.places.map { place in
                ownHosts.contains(place.host) && instance.places.count < 2
                    ? "this host, port \(place.port)" : "host \(place.host), port \(place.port)"
            }
            return .wrong(
                .clone,
                "another bridge has the device id \(status.deviceID): \"\(instance.name)\" at "
                    + (places.isEmpty ? "an unknown address" : places.joined(separator: " and ")),
                "stop one of them; to keep a copy of a bridge, run \(ShellCommand.lamplighter) reset on the copy")
        }
        return .ok(.clone, "no other bridge uses the device id \(status.deviceID)")
    }

    var advertisement: CheckResult {
        let (state, name) = (status.advertisement.state, status.advertisement.name)
        switch state {
        case .published:
            guard name == diagnostics.wantedName else {
                return .warning(
                    .advertisement, "published as \"\(name)\", because \"\(diagnostics.wantedName)\" is taken",
                    "find the other device: avahi-browse -rt _hap._tcp")
            }
            return .ok(.advertisement, "published as \"\(name)\"")
        case .registering:
            return .wrong(
                .advertisement, "Avahi is still registering the name \"\(name)\"",
                "wait a minute; if the state doesn't change: systemctl restart avahi-daemon")
        default:
            return .wrong(
                .advertisement, "the bridge isn't advertised: \(diagnostics.discoveryError ?? state.rawValue)",
                "check journalctl -u avahi-daemon; D-Bus or AppArmor may also block the publication")
        }
    }

    /// Checks whether other programs listen on the mDNS port.
    var responders: CheckResult {
        let others = facts.listeners.filter { $0 != "avahi" }
        guard !others.isEmpty else { return .ok(.responders, "Avahi is the only program on port 5353") }
        return .warning(
            .responders, "other programs also use UDP port 5353: \(others.joined(separator: ", "))",
            "if records come and go, stop the other programs; ss -ulpn sport = :5353 lists them")
    }

    var visible: CheckResult {
        let interfaces = queryResults.compactMap { look -> String? in
            if case .multicast(let interface, _) = look.route { interface } else { nil }
        }.unique
        let blind = interfaces.filter { interface in
            !queryResults.contains { $0.route.isMulticast(on: interface) && own(in: $0) != nil }
        }
        let name = "\"\(status.advertisement.name)\""
        guard let interface = blind.first else {
            return .ok(.visible, "\(name) is visible on \(interfaces.joined(separator: ", ")); \(neighbours)")
        }
        let here = queryResults.filter { $0.route.isMulticast(on: interface) }
        let direct = facts.queryResults.filter { !$0.isMulticast }
        if here.contains(where: { !$0.responders.isEmpty }) {
            return .wrong(
                .visible, "the Avahi daemon answers on \(interface), but doesn't know \(name)",
                "restart lamplighterd to publish it again")
        }
        if direct.contains(where: { !$0.responders.isEmpty }) {
            return .wrong(
                .visible,
                "multicast is blocked on \(interface): the Avahi daemon answers unicast queries but not multicast queries",
                "allow UDP port 5353 to 224.0.0.251 and ff02::fb in the firewall, in and out (nft list ruleset)")
        }
        return .wrong(
            .visible, "the Avahi daemon is running, but nothing answers on port 5353 on \(interface)",
            "allow UDP port 5353 in the firewall (nft list ruleset), and check that avahi-daemon.conf doesn't exclude "
                + interface)
    }

    /// A phrase with the number of other hosts that have answered.
    private var neighbours: String {
        let others = facts.neighbours.count
        return others == 0
            ? "no other host answers, so the network can't be checked"
            : "\(others) other \(others == 1 ? "host answers" : "hosts answer")"
    }

    var record: CheckResult {
        for look in queryResults {
            guard let instance = own(in: look) else { continue }
            let differences = differences(of: instance)
            guard differences.isEmpty else {
                return .wrong(
                    .record,
                    "the record on \(look.route) differs from the bridge's: " + differences.joined(separator: "; "),
                    "restart lamplighterd; if that doesn't help, another program uses this name")
            }
        }
        return .ok(.record, "the port and all \(diagnostics.txt.count) TXT keys are correct")
    }

    private func differences(of instance: ServiceInstance) -> [String] {
        var differences: [String] = []
        for place in instance.places where Int(place.port) != status.port {
            differences.append("the port is \(place.port) and should be \(status.port)")
        }
        guard let seen = instance.txt else { return differences + ["the TXT record is missing"] }
        let wanted = Dictionary(diagnostics.txt.map { ($0.key.lowercased(), $0.value) }) { $1 }
        for key in Set(wanted.keys).union(seen.keys).sorted() where wanted[key] != seen[key] {
            switch (wanted[key], seen[key]) {
            case (let wanted?, let seen?): differences.append("\(key) is \(seen) and should be \(wanted)")
            case (let wanted?, nil): differences.append("\(key) is missing and should be \(wanted)")
            case (nil, let seen?): differences.append("\(key) is \(seen) and shouldn't be there")
            case (nil, nil): break
            }
        }
        return differences
    }

    var addresses: CheckResult {
        guard !facts.connections.isEmpty else {
            return .wrong(
                .addresses, "the record has no addresses", "check the publish- keys in avahi-daemon.conf")
        }
        for connection in facts.connections {
            guard let (message, remedy) = Self.problem(connection.outcome) else { continue }
            return .wrong(.addresses, "the advertised address \(connection.address) \(message)", remedy)
        }
        return .ok(
            .addresses,
            "the bridge answers on port \(status.port) at "
                + facts.connections.map(\.address).unique.joined(separator: ", "))
    }

    private static func problem(_ outcome: TCPProbe.Outcome) -> (message: String, remedy: String)? {
        let firewall = "allow TCP to the bridge's port in the firewall (nft list ruleset)"
        switch outcome {
        case .answers: return nil
        case .timedOut: return ("doesn't respond to connection attempts", firewall)
        case .refused: return ("refuses connections", "\(firewall), or restart lamplighterd")
        case .failed(let reason): return ("can't be reached: \(reason)", "check the network: ip addr, ip route")
        case .closed:
            return (
                "accepts connections but closes them",
                "check that bridge.interfaces includes the interface with this address"
            )
        case .silent: return ("accepts connections but doesn't answer", "restart lamplighterd")
        case .foreign:
            return ("is used by a program other than the bridge", "find the program on that port: ss -tlnp")
        }
    }
}

extension Facts {
    /// The addresses of other hosts that answered a multicast query.
    var neighbours: Set<String> {
        let own = queryResults.compactMap { look -> String? in
            if case .unicast(let address) = look.route { address } else { nil }
        }
        return queryResults.filter(\.isMulticast).reduce(into: Set<String>()) { $0.formUnion($1.responders) }
            .subtracting(own)
    }

    /// Returns the instance's distinct pairs of address and receiving interface.
    package func addresses(of instance: String) -> [TCPProbe.Target] {
        queryResults.flatMap { look -> [TCPProbe.Target] in
            guard case .multicast(let interface, _) = look.route else { return [] }
            return look.instances.filter { $0.name.lowercased() == instance.lowercased() }.flatMap(\.addresses)
                .map { TCPProbe.Target(address: $0, interface: interface) }
        }.unique
    }
}
