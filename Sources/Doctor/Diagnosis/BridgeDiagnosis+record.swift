internal import BridgeControl

/// The checks of the bridge's record in multicast DNS.
extension BridgeDiagnosis {
    private var queryResults: [QueryResult] { facts.queryResults.filter { $0.isMulticast && $0.failure == nil } }

    private func own(in look: QueryResult) -> ServiceInstance? {
        look.instances.first { $0.name.lowercased() == status.advertisement.name.lowercased() && !$0.places.isEmpty }
    }

    /// Checks for another bridge with the same device ID, which controllers would confuse with this one.
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
                "the device id \(status.deviceID) is used twice: also by \"\(instance.name)\" at "
                    + (places.isEmpty ? "an unknown place" : places.joined(separator: " and ")),
                "stop one of the two; a copy of a bridge becomes one of its own by lamplighter reset")
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
                    "see who has that name: avahi-browse -rt _hap._tcp")
            }
            return .ok(.advertisement, "published as \"\(name)\"")
        case .registering:
            return .wrong(
                .advertisement, "Avahi is still registering the name \"\(name)\"",
                "look again in a minute; if it stays so: systemctl restart avahi-daemon")
        default:
            return .wrong(
                .advertisement, "the bridge is not advertised: \(diagnostics.discoveryError ?? state.rawValue)",
                "see journalctl -u avahi-daemon; D-Bus and AppArmor may forbid it, too")
        }
    }

    /// Checks for other programs that listen on the mDNS port.
    var responders: CheckResult {
        let others = facts.listeners.filter { $0 != "avahi" }
        guard !others.isEmpty else { return .ok(.responders, "Avahi is the only one on port 5353") }
        return .warning(
            .responders, "other programs also use UDP port 5353: \(others.joined(separator: ", "))",
            "if records come and go, let Avahi be the only one; ss -ulpn sport = :5353 shows them")
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
            return .ok(.visible, "\(name) is seen on \(interfaces.joined(separator: ", ")); \(neighbours)")
        }
        let here = queryResults.filter { $0.route.isMulticast(on: interface) }
        let direct = facts.queryResults.filter { !$0.isMulticast }
        if here.contains(where: { !$0.responders.isEmpty }) {
            return .wrong(
                .visible, "the Avahi daemon answers on \(interface), but does not know \(name)",
                "restart lamplighterd to publish it again")
        }
        if direct.contains(where: { !$0.responders.isEmpty }) {
            return .wrong(
                .visible,
                "multicast does not come through on \(interface): the Avahi daemon answers when it is asked directly, "
                    + "not when all are asked",
                "let a firewall pass UDP port 5353 to 224.0.0.251 and ff02::fb, in and out (nft list ruleset)")
        }
        return .wrong(
            .visible, "the Avahi daemon runs, but nothing on port 5353 answers on \(interface)",
            "let a firewall pass UDP port 5353 (nft list ruleset), and see that avahi-daemon.conf does not leave out "
                + interface)
    }

    /// A description of the other hosts that have answered.
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
                    "restart lamplighterd; if it stays so, another program publishes under this name")
            }
        }
        return .ok(.record, "port and all \(diagnostics.txt.count) TXT keys are as the bridge says")
    }

    private func differences(of instance: ServiceInstance) -> [String] {
        var differences: [String] = []
        for place in instance.places where Int(place.port) != status.port {
            differences.append("the port is \(place.port) and should be \(status.port)")
        }
        guard let seen = instance.txt else { return differences + ["there is no TXT record"] }
        let wanted = Dictionary(diagnostics.txt.map { ($0.key.lowercased(), $0.value) }) { $1 }
        for key in Set(wanted.keys).union(seen.keys).sorted() where wanted[key] != seen[key] {
            switch (wanted[key], seen[key]) {
            case (let wanted?, let seen?): differences.append("\(key) is \(seen) and should be \(wanted)")
            case (let wanted?, nil): differences.append("\(key) is missing and should be \(wanted)")
            case (nil, let seen?): differences.append("\(key) is \(seen) and should not be there")
            case (nil, nil): break
            }
        }
        return differences
    }

    var addresses: CheckResult {
        guard !facts.connections.isEmpty else {
            return .wrong(
                .addresses, "the record names no address", "see the publish- keys in avahi-daemon.conf")
        }
        for connection in facts.connections {
            guard let (message, remedy) = Self.problem(connection.outcome) else { continue }
            return .wrong(.addresses, "\(connection.address), which the record names, \(message)", remedy)
        }
        return .ok(
            .addresses,
            "\(facts.connections.map(\.address).unique.joined(separator: ", ")) answer on port \(status.port)")
    }

    private static func problem(_ outcome: TCPProbe.Outcome) -> (message: String, remedy: String)? {
        let firewall = "let a firewall pass TCP to the bridge's port (nft list ruleset)"
        switch outcome {
        case .answers: return nil
        case .timedOut: return ("takes no connection: nothing comes back", firewall)
        case .refused: return ("refuses connections", "\(firewall), or restart lamplighterd")
        case .failed(let reason): return ("cannot be reached: \(reason)", "see to the network: ip addr, ip route")
        case .closed:
            return ("takes connections and hangs up", "see whether bridge.interfaces leaves out its interface")
        case .silent: return ("takes connections and does not answer", "restart lamplighterd")
        case .foreign:
            return ("is answered by a program that is not the bridge", "see who has the port: ss -tlnp")
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

    /// Returns the addresses in the bridge's own record, each once per interface on which it was received.
    package func addresses(of instance: String) -> [TCPProbe.Target] {
        queryResults.flatMap { look -> [TCPProbe.Target] in
            guard case .multicast(let interface, _) = look.route else { return [] }
            return look.instances.filter { $0.name.lowercased() == instance.lowercased() }.flatMap(\.addresses)
                .map { TCPProbe.Target(address: $0, interface: interface) }
        }.unique
    }
}
