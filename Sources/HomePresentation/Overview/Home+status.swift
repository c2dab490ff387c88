import HAPModel
public import HomeModel
import Texts

extension Home {
    /// The state of the home by aspect.
    ///
    /// Aspects without accessories are omitted, and so is ``HomeStatus/Topic/attention`` if everything works.
    public var status: [HomeStatus] {
        let rows = namedRows
        return HomeStatus.Topic.allCases.compactMap { status($0, rows) }
    }

    /// Returns one aspect of the home's state; `nil` if there is nothing to report.
    public func status(_ topic: HomeStatus.Topic) -> HomeStatus? { status(topic, namedRows) }

    private var namedRows: [ServiceRow] { accessories.flatMap(\.namedRows).sortedForProduct }

    private func status(_ topic: HomeStatus.Topic, _ rows: [ServiceRow]) -> HomeStatus? {
        switch topic {
        case .attention: attention
        case .lights: lights(rows)
        case .climate: climate(rows)
        case .security: security(rows)
        }
    }

    // MARK: Lights

    /// The lights that are on.
    private func lights(_ rows: [ServiceRow]) -> HomeStatus? {
        let lights = rows.filter { $0.kind == .lightbulb }
        guard !lights.isEmpty else { return nil }
        let lit = lights.filter { $0.problem == nil && $0.state.isActive }
        return HomeStatus(
            topic: .lights, words: lit.isEmpty ? localized("all off") : localized("\(lit.count) on"),
            isActive: !lit.isEmpty, rows: lit)
    }

    // MARK: Climate

    /// Devices that heat, cool or change the air, and sensors of the climate.
    ///
    /// The range covers the rooms. It omits sensors whose temperature is outside a thermostat's default limits, such as
    /// those of a fridge or a winter garden, unless there are no others. Devices that heat or cool always count.
    private func climate(_ rows: [ServiceRow]) -> HomeStatus? {
        let rows = rows.filter { HomeStatus.climateKinds.contains($0.kind) && $0.problem == nil }
        let values = { (rows: [ServiceRow], type: CharacteristicType) in
            rows.compactMap { self.service($0.id)?.characteristic(type) }
        }
        let inRooms = rows.filter { row in
            row.kind.category != .sensor || row.temperature.map(HomeStatus.roomTemperatures.contains) ?? true
        }
        guard
            let words = values(inRooms, .currentTemperature).rangeWords ?? values(rows, .currentTemperature).rangeWords
                ?? values(rows, .currentRelativeHumidity).rangeWords
        else { return nil }
        let devices = rows.filter { $0.kind.category != .sensor }
        return HomeStatus(
            topic: .climate, words: words, isActive: devices.contains(where: \.state.isActive),
            rows: devices + rows.filter { $0.kind.category == .sensor })
    }

    // MARK: Security

    /// Locks, doors, windows and alarm systems; alarms and open ones first.
    private func security(_ rows: [ServiceRow]) -> HomeStatus? {
        let rows = rows.filter { HomeStatus.securityKinds.contains($0.kind) }
        guard !rows.isEmpty else { return nil }
        let present = rows.filter { $0.problem == nil }
        let (alarms, ways) = (
            present.filter { $0.kind == .securitySystem }, present.filter { $0.kind != .securitySystem }
        )
        let locks = ways.filter { $0.kind == .lockMechanism }
        let unlocked = locks.count(where: \.state.isActive)
        let open = ways.count { $0.kind != .lockMechanism && $0.state.isActive }
        var words: [String] = []
        if alarms.contains(where: \.state.isAlert) { words.append(localized("alarm")) }
        if unlocked > 0 { words.append(localized("\(unlocked) unlocked")) }
        if open > 0 { words.append(localized("\(open) open")) }
        if words.isEmpty, ways.contains(where: { $0.state != .unknown }) {
            words.append(
                locks.count == ways.count
                    ? localized("locked") : locks.isEmpty ? localized("closed") : localized("closed and locked"))
        }
        if alarms.contains(where: { $0.state.isActive && !$0.state.isAlert }) { words.append(localized("alarm armed")) }
        if words.isEmpty { words.append(alarms.isEmpty ? localized("unknown") : localized("alarm off")) }
        func rank(_ row: ServiceRow) -> Int {
            row.state.isAlert ? 0 : row.kind == .securitySystem ? 1 : row.state.isActive ? 2 : 3
        }
        return HomeStatus(
            topic: .security, words: words.joined(separator: ", "), isActive: unlocked + open > 0,
            isAlert: present.contains(where: \.state.isAlert),
            rows: (0...3).flatMap { wanted in rows.filter { rank($0) == wanted } })
    }

    // MARK: Attention

    /// The accessories that don't respond, or that report a fault, a low battery or an alarm.
    private var attention: HomeStatus? {
        let issues = accessories.sortedForDisplay.compactMap(issue)
        guard !issues.isEmpty else { return nil }
        return HomeStatus(topic: .attention, words: "\(issues.count)", isActive: true, isAlert: true, issues: issues)
    }

    private func issue(of accessory: Accessory) -> HomeStatus.Issue? {
        if let problem = accessory.problem {
            // If a bridge doesn't respond, its accessories don't either. The bridge is the cause.
            if let bridge = accessory.bridge.flatMap(self.accessory), bridge.problem != nil { return nil }
            let behind = accessory.bridgedAccessories?.count ?? 0
            let words =
                behind == 0
                ? problem.words
                : localized(
                    "\(problem.words), with \(behind) accessory",
                    plural: "\(problem.words), with \(behind) accessories",
                    count: behind)
            return HomeStatus.Issue(
                id: accessory.id, name: accessory.name, words: words, remedy: problem.localizedDescription)
        }
        var words: [String] = []
        for service in accessory.services where service.isUserInteractive || service.type == .battery {
            let state = accessory.state(of: service)
            guard state.isAlert else { continue }
            guard service.type == .battery else {
                words.append(state.words)
                continue
            }
            let level = service.characteristic(.batteryLevel)?.valueWords
            words.append(level.map { localized("battery low, \($0)") } ?? localized("battery low"))
        }
        let unique = words.enumerated().filter { words.firstIndex(of: $0.element) == $0.offset }.map(\.element)
        guard !unique.isEmpty else { return nil }
        return HomeStatus.Issue(id: accessory.id, name: accessory.name, words: unique.joined(separator: "; "))
    }
}

extension HomeStatus {
    fileprivate static let climateKinds: Set<ServiceType> = [
        .airPurifier, .airQualitySensor, .carbonDioxideSensor, .heaterCooler, .humidifierDehumidifier, .humiditySensor,
        .temperatureSensor, .thermostat,
    ]

    /// The default limits of a thermostat's target temperature in HAP.
    static let roomTemperatures = 10.0...38.0

    fileprivate static let securityKinds: Set<ServiceType> = [
        .contactSensor, .door, .garageDoorOpener, .lockMechanism, .securitySystem, .window,
    ]
}
