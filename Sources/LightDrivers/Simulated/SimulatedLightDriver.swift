import AsyncKit
package import DeviceKit
package import Logging
import Synchronization

/// A driver whose lights exist only in memory, for experiments, tests and benchmarks.
///
/// A command to a light without latency changes the light's state under a lock and reports the result on the caller's
/// executor, so it doesn't wake another thread. Spontaneous reports are sent sequentially by ``run(host:)``, without
/// holding the lock. Pending reports of a light are merged, so at most one report per light is waiting. While other
/// reports are pending or in flight, the report of a command is queued after them.
package final class SimulatedLightDriver: LightDriver {
    fileprivate struct Home {
        /// The states of the lights, in the order of the configuration.
        var lights: [SimulatedLightState]
        var outbox = ReportOutbox()
        /// The receiver of reports; `nil` unless the driver is running.
        var host: (any LightHost)?
        /// A Boolean value that indicates whether reports that were removed from the outbox are still being delivered.
        var isReporting = false
        var waiters: [(ticket: Int, continuation: CheckedContinuation<Bool, Never>)] = []
    }

    private let lights: [SimulatedLight]
    /// The delay of each light's answers; `nil` for a light that never answers.
    private let delays: [Duration?]
    /// The index of each light.
    private let places: [LightID: Int]
    private let home: Mutex<Home>
    private let logger: Logger
    private let signal = AsyncSignal()

    package init(configuration: SimulatedDriverConfiguration, logger: Logger) {
        lights = configuration.lights
        delays = lights.map { light in
            switch light.failure {
            case .silent: nil
            case .unreachable: .zero
            case .never, .every: light.latency
            }
        }
        places = Dictionary(
            lights.enumerated().map { ($0.element.description.id, $0.offset) }, uniquingKeysWith: { first, _ in first })
        home = Mutex(Home(lights: lights.map { SimulatedLightState($0) }))
        self.logger = logger
    }

    // MARK: Lifecycle

    package func run(host: any LightHost) async throws {
        // Remove known lights that the operator has removed from the configuration.
        for id in await host.knownLights() where places[id] == nil { await host.removed(id) }
        for (place, light) in lights.enumerated() {
            let id = light.description.id
            await host.added(light.description)
            let known = await host.lastKnown(id)
            let state = home.withLock { home in
                if let known { home.lights[place].restore(known) }
                return home.lights[place].report
            }
            await host.report(state, from: id)
        }
        await host.report(.running)
        home.withLock { $0.host = host }
        defer { stop() }
        while !Task.isCancelled {
            await sendReports(host, now: .now)
            await signal.wait(until: home.withLock { $0.lights.compactMap(\.nextStep).min() })
        }
        // Deliver the last reports, because callers that have changed a light may be waiting for their delivery.
        await sendReports(host, now: .now)
    }

    private func sendReports(_ host: any LightHost, now: ContinuousClock.Instant) async {
        let steps = home.withLock { home in
            for (place, light) in lights.enumerated() {
                if let report = home.lights[place].step(now: now) {
                    home.outbox.add(report, from: light.description.id)
                }
            }
            home.isReporting = true
            return home.outbox.takeAll()
        }
        for (id, report) in steps.reports { await host.report(report, from: id) }
        let resumed = home.withLock { home in
            home.isReporting = false
            let resumed = home.waiters.filter { $0.ticket <= steps.ticket }
            home.waiters.removeAll { $0.ticket <= steps.ticket }
            return resumed
        }
        for waiter in resumed { waiter.continuation.resume(returning: true) }
    }

    private func stop() {
        let left = home.withLock { home in
            home.host = nil
            defer { home.waiters = [] }
            return home.waiters
        }
        for waiter in left { waiter.continuation.resume(returning: false) }
    }

    // MARK: Commands

    package func apply(_ command: LightCommand, to light: LightID) async throws(LightError) {
        guard let place = places[light] else { throw .unknownLight }
        guard let delay = delays[place] else { return try await never() }
        if delay > .zero { guard (try? await Task.sleep(for: delay)) != nil else { throw .unreachable } }
        switch home.withLock({ $0.apply(command, to: place) }) {
        case .refused(let error): throw error
        case .done: break
        case .queued: signal.send()
        case .report(let report, let host): await host.report(report, from: light)
        }
    }

    package func identify(_ light: LightID) async throws(LightError) {
        guard let place = places[light] else { throw .unknownLight }
        guard delays[place] != nil else { return try await never() }
        guard home.withLock({ $0.lights[place].reachable }) else { throw .unreachable }
        logger.info("simulated light blinked", metadata: ["name": "\(lights[place].description.name)"])
    }

    /// Waits until the task is canceled, instead of answering.
    ///
    /// It doesn't use a long sleep, because a canceled sleep isn't freed before its time has passed.
    private func never() async throws(LightError) {
        await AsyncSignal().wait()
        throw .unreachable
    }

    // MARK: Simulation

    /// The reason why a simulated light can't change as requested.
    package enum SimulationError: Error, Equatable, Sendable, CustomStringConvertible {
        case unknownLight
        /// The light doesn't support the change; the text is the reason.
        case impossible(String)
        case notRunning

        package var description: String {
            switch self {
            case .unknownLight: "no simulated light has this id"
            case .impossible(let reason): reason
            case .notRunning: "the simulated lights aren't running"
            }
        }
    }

    /// Changes a light spontaneously, as if someone had operated it, and waits until the change is reported.
    ///
    /// - Throws: ``SimulationError`` if the light is unknown or doesn't support the change, or if the driver isn't
    ///   running.
    package func simulate(_ change: LightReport, of light: LightID) async throws(SimulationError) {
        guard let place = places[light] else { throw .unknownLight }
        var change = change
        let (events, unknown) = home.withLock { $0.lights[place].takeEvents(of: &change) }
        if let unknown { throw .impossible(unknown) }
        if !change.isEmpty || events.isEmpty { try await simulate(state: change, of: light, place) }
        guard !events.isEmpty else { return }
        guard let host = home.withLock({ $0.host }) else { throw .notRunning }
        await host.occurred(events, on: light)
    }

    private func simulate(
        state change: LightReport, of light: LightID, _ place: Int
    ) async throws(SimulationError) {
        let (change, problem) = home.withLock { home in
            let change = home.lights[place].completed(change)
            return (change, home.lights[place].problem(with: change))
        }
        if let problem { throw .impossible(problem) }
        let resumed = await withCheckedContinuation { continuation in
            let isRunning = home.withLock { home in
                guard home.host != nil else { return false }
                home.lights[place].change(change)
                var report = change
                report.isSpontaneous = true
                home.outbox.add(report, from: light)
                home.waiters.append((home.outbox.ticket, continuation))
                return true
            }
            if isRunning { signal.send() } else { continuation.resume(returning: false) }
        }
        guard resumed else { throw .notRunning }
    }
}

extension SimulatedLightDriver.Home {
    /// The outcome of a command, which is processed without holding the lock.
    fileprivate enum Outcome {
        case refused(LightError)
        case done
        /// A report is waiting in the outbox.
        case queued
        case report(LightReport, any LightHost)
    }

    fileprivate mutating func apply(_ command: LightCommand, to place: Int) -> Outcome {
        do throws(LightError) {
            guard let report = try lights[place].apply(command, now: .now) else { return .done }
            if let host, outbox.isEmpty, !isReporting, !lights[place].isChanging { return .report(report, host) }
            outbox.add(report, from: lights[place].light.description.id)
            return .queued
        } catch {
            return .refused(error)
        }
    }
}
