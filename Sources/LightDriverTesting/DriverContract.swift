public import DeviceKit

/// Checks that a driver meets the requirements in the documentation of `LightDriver`.
///
/// ```swift
/// let contract = DriverContract(goodLight: "lamp") { MyDriver() }
/// for violation in try await contract.violations() { print(violation) }
/// ```
///
/// It needs a light that executes commands. If the driver can have such lights, it also needs an unreachable light and
/// a light that never answers.
public struct DriverContract: Sendable {
    /// Creates a driver that is ready to run.
    public var makeDriver: @Sendable () async throws -> any LightDriver
    /// A light that executes commands.
    ///
    /// If the light can't report its state, the driver must report the commanded state.
    public var goodLight: LightID
    /// A light that is known to be unreachable.
    public var lostLight: LightID?
    /// A light that never answers.
    public var silentLight: LightID?
    /// The longest time to wait for a required result.
    public var timeout: Duration

    /// Creates checks for a driver and its lights.
    ///
    /// - Parameters:
    ///   - goodLight: A light that executes commands.
    ///   - lostLight: A light that is known to be unreachable, if the driver can have such lights.
    ///   - silentLight: A light that never answers, if the driver can have such lights.
    ///   - timeout: The longest time to wait for a required result.
    ///   - makeDriver: Creates a driver that is ready to run.
    public init(
        goodLight: LightID, lostLight: LightID? = nil, silentLight: LightID? = nil, timeout: Duration = .seconds(30),
        makeDriver: @escaping @Sendable () async throws -> any LightDriver
    ) {
        self.makeDriver = makeDriver
        self.goodLight = goodLight
        self.lostLight = lostLight
        self.silentLight = silentLight
        self.timeout = timeout
    }

    /// Runs all checks.
    ///
    /// - Returns: A sentence for each violated requirement, or an empty array if the driver meets them all.
    /// - Throws: The error that `makeDriver` throws.
    public func violations() async throws -> [String] {
        let driver = try await makeDriver()
        let host = RecordingLightHost()
        var found: [String] = []
        let run = Task { try await driver.run(host: host) }
        if await host.wait(for: goodLight, limit: timeout, until: { $0.reachable == true }) {
            found += await commands(driver, host)
            found += await deadLights(driver, host)
        } else {
            found.append("the light \(goodLight) isn't reported as reachable within \(timeout)")
        }
        run.cancel()
        if await !ends(within: .seconds(3), { _ = await run.result }) {
            found.append("run(host:) doesn't return soon after it is canceled")
        }
        return found + order(host.calls)
    }

    private func commands(_ driver: any LightDriver, _ host: RecordingLightHost) async -> [String] {
        var found: [String] = []
        for on in [true, false, true] {
            do throws(LightError) {
                try await driver.apply(LightCommand(on: on), to: goodLight)
            } catch {
                found.append("a command to \(goodLight) fails (\(error))")
            }
            if await !host.wait(for: goodLight, limit: timeout, until: { $0.on == on }) {
                found.append("the commanded state of \(goodLight) isn't reported (on: \(on))")
            }
        }
        do throws(LightError) {
            try await driver.apply(LightCommand(on: true), to: "there is no such light")
            found.append("a command to an unknown light isn't refused")
        } catch {
            if error != .unknownLight {
                found.append("a command to an unknown light throws \(error) instead of .unknownLight")
            }
        }
        do throws(LightError) {
            try await driver.identify("there is no such light")
            found.append("identification of an unknown light isn't refused")
        } catch {
            if error != .unknownLight {
                found.append("identification of an unknown light throws \(error) instead of .unknownLight")
            }
        }
        return found
    }

    private func deadLights(_ driver: any LightDriver, _ host: RecordingLightHost) async -> [String] {
        var found: [String] = []
        if let lostLight {
            // The driver may discover this light later than the good light, and take longer to notice that it's
            // unreachable.
            if await !host.wait(for: lostLight, limit: timeout, until: { $0.reachable == false }) {
                found.append("the light \(lostLight) isn't reported as unreachable")
            }
            do throws(LightError) {
                try await driver.apply(LightCommand(on: true), to: lostLight)
                found.append("a command to an unreachable light isn't refused")
            } catch {
                if error != .unreachable {
                    found.append("a command to an unreachable light throws \(error) instead of .unreachable")
                }
            }
        }
        for light in [goodLight] + (silentLight.map { [$0] } ?? []) {
            let returned = await ends(within: .seconds(2)) {
                let command = Task { try await driver.apply(LightCommand(on: true), to: light) }
                command.cancel()
                _ = await command.result
            }
            if !returned { found.append("a command to \(light) doesn't return soon after it is canceled") }
            let identified = await ends(within: .seconds(2)) {
                let identify = Task { try await driver.identify(light) }
                identify.cancel()
                _ = await identify.result
            }
            if !identified { found.append("identification of \(light) doesn't return soon after it is canceled") }
        }
        return found
    }

    private func order(_ calls: [RecordingLightHost.Call]) -> [String] {
        var found: [String] = []
        var known: [LightID: LightDescription] = [:]
        for call in calls {
            switch call {
            case .added(let light): known[light.id] = light
            case .removed(let light):
                if known.removeValue(forKey: light) == nil { found.append("a light that wasn't added is removed") }
            case .report(let light, let report):
                guard let description = known[light] else {
                    found.append("a light is reported before it is added (\(light))")
                    continue
                }
                found += values(report, description.capabilities)
            case .occurred(let light, let events):
                for (property, _) in events where known[light]?.isMomentary(property) != true {
                    found.append("an event isn't declared in the device's description (\(light))")
                }
            case .state, .warn: break
            }
        }
        return found
    }

    private func values(_ report: LightReport, _ capabilities: LightCapabilities) -> [String] {
        var found: [String] = []
        if let brightness = report.brightness, !capabilities.brightness || !(1...100).contains(brightness) {
            found.append("an unsupported brightness is reported (\(brightness))")
        }
        switch report.color {
        case nil: break
        case .hueSaturation(let hue, let saturation):
            let inRange = hue >= 0 && hue < 360 && saturation >= 0 && saturation <= 100
            if !capabilities.color || !inRange { found.append("an invalid color is reported (\(hue), \(saturation))") }
        case .temperature(let mired):
            if capabilities.temperature?.contains(mired) != true {
                found.append("an unsupported color temperature is reported (\(mired))")
            }
        }
        return found
    }

    private func ends(within limit: Duration, _ work: @escaping @Sendable () async -> Void) async -> Bool {
        let (ends, end) = AsyncStream.makeStream(of: Bool.self)
        // Don't use a child task: a task group would wait forever for work that never ends, and this check must detect
        // such work.
        let worker = Task {
            await work()
            end.yield(true)
        }
        let timer = Task {
            try? await Task.sleep(for: limit)
            end.yield(false)
        }
        var first = ends.makeAsyncIterator()
        let ended = await first.next() ?? false
        worker.cancel()
        timer.cancel()
        return ended
    }
}
