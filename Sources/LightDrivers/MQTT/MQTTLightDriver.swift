package import LightKit
package import Logging
import Synchronization

/// The driver `mqtt`: wires the connection to a broker, the machine of its lights and the host together.
///
/// One task in ``run(host:)`` takes what the connection tells, asks the machine, and does what it says; so everything
/// the host is told from messages comes in the order of the messages. Commands go past it straight to the connection.
package final class MQTTLightDriver: LightDriver {
    private struct State {
        var home: MQTTHome
        var client: MosquittoClient?
        /// What is reported as commanded of lights that give no answers.
        var outbox = ReportOutbox()
    }

    private let configuration: MQTTDriverConfiguration
    private let logger: Logger
    private let state: Mutex<State>
    private let start = ContinuousClock.now
    /// How much of the longest pause passes before the next try; random, so that not all bridges come back at once.
    private let share: @Sendable () -> Double
    private let wake: AsyncStream<Void>
    private let waker: AsyncStream<Void>.Continuation

    /// Makes a driver that does nothing before it runs.
    ///
    /// - Parameters:
    ///   - configuration: its keys.
    ///   - logger: where it tells of the broker.
    ///   - share: how much of the longest pause passes before the next try, 0 to 1.
    package init(
        configuration: MQTTDriverConfiguration, logger: Logger,
        share: @escaping @Sendable () -> Double = { .random(in: 0...1) }
    ) {
        self.configuration = configuration
        self.logger = logger
        self.share = share
        state = Mutex(
            State(home: MQTTHome(prefix: configuration.discoveryPrefix, lights: configuration.lights)))
        (wake, waker) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    private var now: Duration { start.duration(to: .now) }

    // MARK: Life

    package func run(host: any LightHost) async throws {
        var session = MQTTSession(statusTopic: "lamplighter/\(configuration.connection.clientID)/status")
        if configuration.announce { session.birthTopic = configuration.discoveryPrefix.map { "\($0)/status" } }
        await host.report(.starting)
        await carryOut(state.withLock { $0.home.started() }, &session, host)
        connect(&session)
        waker.yield()
        await withDiscardingTaskGroup { timers in
            var timerAt: Duration?
            for await _ in wake {
                if let at = timerAt, at <= now { timerAt = nil }
                await turn(&session, host)
                let deadlines = [state.withLock { $0.home.deadline }, session.reconnectAt, session.slowAt]
                guard let next = deadlines.compactMap({ $0 }).min()
                else { continue }
                if timerAt.map({ next < $0 }) ?? true {
                    timerAt = next
                    timers.addTask { [waker, instant = start + next] in
                        try? await Task.sleep(until: instant, clock: .continuous)
                        waker.yield()
                    }
                }
            }
            timers.cancelAll()
        }
        await sayGoodbye(session)
    }

    /// One round: what the connection told, then what time brought.
    private func turn(_ session: inout MQTTSession, _ host: any LightHost) async {
        for event in state.withLock({ $0.client })?.takeEvents() ?? [] {
            await heard(event, &session, host)
        }
        for (light, report) in state.withLock({ $0.outbox.takeAll().reports }) {
            await host.report(report, from: light)
        }
        let now = now
        await carryOut(state.withLock { $0.home.timePassed(now: now) }, &session, host)
        if session.takeSlow(now: now) {
            await host.report(.degraded("broker \(configuration.connection.address): no answer yet; still trying"))
        }
        if let at = session.reconnectAt, at <= now { connect(&session) }
    }

    private func connect(_ session: inout MQTTSession) {
        session.connecting(now: now)
        var settings = configuration.connection
        settings.will = MQTTMessage(topic: session.statusTopic, text: "offline", qos: 1, retain: true)
        let client = MosquittoClient(settings: settings) { [waker] in waker.yield() }
        state.withLock { $0.client = client }
        client.start()
    }

    private func heard(_ event: MQTTEvent, _ session: inout MQTTSession, _ host: any LightHost) async {
        switch event {
        case .connected:
            logger.info("connected to the broker", metadata: ["broker": "\(configuration.connection.address)"])
            session.connected(now: now)
            await carryOut(state.withLock { $0.home.connected() }, &session, host)
            if session.takeReady() { await ready(session, host) }
        case .subscribed(let topic, let granted):
            if let isRefused = session.subscribed(topic, granted: granted) {
                let name = MQTTProblem.quoted(topic)
                await host.warn(
                    isRefused ? "the broker does not let us read \(name); allow it for this user" : nil,
                    about: "subscription \(name)")
            }
            if session.takeReady() { await ready(session, host) }
        case .message(let topic, let payload):
            let now = now
            await carryOut(
                state.withLock { $0.home.received(topic: topic, payload: payload, now: now) }, &session, host)
        case .tooLong(let topic):
            await carryOut(state.withLock { $0.home.tooLong(topic: topic) }, &session, host)
        case .dropped(let count):
            logger.warning(
                "messages were dropped: they came faster than they were read, or their topics are too long",
                metadata: ["dropped": "\(count)"])
        case .closed(let reason):
            state.withLock { state in
                state.client = nil
                state.home.disconnected(now: now)
            }
            let delay = session.closed(now: now, share: share())
            let text = "broker \(configuration.connection.address): \(reason)"
            if session.isNews(reason) {
                logger.warning("no connection to the broker", metadata: ["error": "\(text)"])
            } else {
                logger.debug("no connection to the broker", metadata: ["error": "\(text)", "retry": "\(delay)"])
            }
            await host.report(.degraded("\(text); trying again"))
        }
    }

    private func ready(_ session: MQTTSession, _ host: any LightHost) async {
        guard let client = state.withLock({ $0.client }) else { return }
        try? client.send(MQTTMessage(topic: session.statusTopic, text: "online", qos: 1, retain: true))
        if let birthTopic = session.birthTopic { try? client.send(MQTTMessage(topic: birthTopic, text: "online")) }
        await host.report(.running)
    }

    private func carryOut(_ actions: [MQTTAction], _ session: inout MQTTSession, _ host: any LightHost) async {
        guard !actions.isEmpty else { return }
        let client = state.withLock { $0.client }
        for action in actions {
            switch action {
            case .subscribe(let topic, let qos):
                if (try? client?.subscribe(to: topic, qos: qos)) != nil { session.subscribing(topic) }
            case .unsubscribe(let topic): client?.unsubscribe(from: topic)
            case .added(let description):
                await host.added(description)
                if let known = await host.lastKnown(description.id) {
                    state.withLock { $0.home.restore(known, of: description.id) }
                }
            case .removed(let id): await host.removed(id)
            case .report(let id, let report): await host.report(report, from: id)
            case .warn(let text, let subject): await host.warn(text, about: subject)
            case .note(let text): logger.info("\(text)")
            }
        }
    }

    /// Leaves the broker so that it keeps no will and no stale word of us.
    private func sayGoodbye(_ session: MQTTSession) async {
        guard let client = state.withLock({ $0.client }) else { return }
        try? client.send(MQTTMessage(topic: session.statusTopic, text: "offline", qos: 1, retain: true))
        await client.close()
        state.withLock { state in
            state.client = nil
            state.home.disconnected(now: now)
        }
    }

    // MARK: Commands

    package func apply(_ command: LightCommand, to light: LightID) async throws(LightError) {
        let (client, messages) = try prepare(command, light)
        for message in messages {
            do throws(MosquittoClient.Failure) {
                try await client.publish(message)
            } catch {
                switch error {
                case .notConnected, .cancelled: throw .unreachable
                case .busy: throw .busy
                case .refused: throw .refused("the message for the light cannot be sent")
                }
            }
        }
        let isTold = state.withLock { state in
            guard let report = state.home.handedOver(command, to: light) else { return false }
            state.outbox.add(report, from: light)
            return true
        }
        if isTold { waker.yield() }
    }

    private func prepare(
        _ command: LightCommand, _ light: LightID
    ) throws(LightError) -> (MosquittoClient, [MQTTMessage]) {
        let result = state.withLock { state -> Result<(MosquittoClient, [MQTTMessage]), LightError> in
            do throws(LightError) {
                let messages = try state.home.messages(for: command, to: light)
                guard let client = state.client else { throw .unreachable }
                return .success((client, messages))
            } catch {
                return .failure(error)
            }
        }
        return try result.get()
    }

    /// How a light shows which one it is: it goes off and on twice, in less than 5 seconds.
    private static let blinkPause: Duration = .milliseconds(600)

    package func identify(_ light: LightID) async throws(LightError) {
        guard let wasOn = state.withLock({ $0.home.knows(light) ? $0.home.isOn(light) : nil }) else {
            throw .unknownLight
        }
        for on in [!wasOn, wasOn, !wasOn] {
            try await apply(LightCommand(on: on), to: light)
            // Also when the task is cancelled, the light is left as it was.
            guard (try? await Task.sleep(for: Self.blinkPause)) != nil else { break }
        }
        try send(LightCommand(on: wasOn), to: light)
    }

    /// Hands a command over without waiting for an answer.
    private func send(_ command: LightCommand, to light: LightID) throws(LightError) {
        let (client, messages) = try prepare(command, light)
        for message in messages {
            do throws(MosquittoClient.Failure) {
                try client.send(message)
            } catch {
                throw .unreachable
            }
        }
    }
}
