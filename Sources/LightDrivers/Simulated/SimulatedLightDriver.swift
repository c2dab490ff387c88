import AsyncKit
package import DeviceKit
package import Logging
import Synchronization

/// Lights that exist only in memory: for trying things out, for tests and for benchmarks.
///
/// A command to a light without latency changes its state under a lock, is reported on the caller's executor, and wakes
/// no other thread. Reports that come of themselves leave through ``run(host:)``, one after the other and outside of the
/// lock; what has not left yet is merged per light, so at most one report a light is waiting. While any of them is on its
/// way, a command's report takes its place behind it.
package final class SimulatedLightDriver: LightDriver {
    fileprivate struct Home {
        /// In the configuration's order.
        var lights: [SimulatedLightState]
        var outbox = ReportOutbox()
        /// Where reports go, while the driver runs.
        var host: (any LightHost)?
        /// Reports have left the outbox and have not all arrived.
        var isReporting = false
        var waiters: [(ticket: Int, continuation: CheckedContinuation<Bool, Never>)] = []
    }

    private let lights: [SimulatedLight]
    /// How long each light takes to answer; `nil` for one that never does.
    private let delays: [Duration?]
    /// Where each light stands among the others.
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

    // MARK: Life

    package func run(host: any LightHost) async throws {
        // What stands in the configuration no more has been removed by whoever wrote it.
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
        // Whoever has changed a light during the last round waits for this one.
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

    /// Waits for an answer that does not come, until the task is cancelled.
    ///
    /// Not by sleeping: a sleep that is cancelled keeps its memory until its time would have come.
    private func never() async throws(LightError) {
        await AsyncSignal().wait()
        throw .unreachable
    }

    // MARK: Simulation

    /// Why a simulated light cannot change as asked.
    package enum SimulationError: Error, Equatable, Sendable, CustomStringConvertible {
        case unknownLight
        /// The light cannot do that; the text says what.
        case impossible(String)
        case notRunning

        package var description: String {
            switch self {
            case .unknownLight: "no simulated light has that id"
            case .impossible(let reason): reason
            case .notRunning: "the simulated lights are not running"
            }
        }
    }

    /// Changes a light by itself, as if someone turned its knob.
    ///
    /// - Throws: ``SimulationError`` if the light is unknown or cannot do that.
    package func simulate(_ change: LightReport, of light: LightID) async throws(SimulationError) {
        guard let place = places[light] else { throw .unknownLight }
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
    /// What has to happen after a command, outside of the lock.
    fileprivate enum Outcome {
        case refused(LightError)
        case done
        /// A report waits in the outbox.
        case queued
        case report(LightReport, any LightHost)
    }

    fileprivate mutating func apply(_ command: LightCommand, to place: Int) -> Outcome {
        do throws(LightError) {
            guard let report = try lights[place].apply(command, now: .now) else { return .done }
            if let host, outbox.isEmpty, !isReporting, !lights[place].isFading { return .report(report, host) }
            outbox.add(report, from: lights[place].light.description.id)
            return .queued
        } catch {
            return .refused(error)
        }
    }
}
