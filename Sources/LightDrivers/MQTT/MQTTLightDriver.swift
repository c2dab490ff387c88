import AsyncKit
package import DeviceKit
package import Logging
import SystemKit

/// The `mqtt` driver, which connects the client, the registry of lights and the host.
///
/// The driver parses long messages concurrently, so that neither the executor of all HAP sessions nor a command for
/// another light has to wait. It delivers reports to the host in batches, so that a flood of messages rarely wakes the
/// host's thread.
package actor MQTTLightDriver: LightDriver {
    /// The number of events to process before reports are delivered and pending commands get a turn.
    private static let eventsInTurn = 64

    private let configuration: MQTTDriverConfiguration
    private let logger: Logger
    private let start = ContinuousClock.now
    /// Returns the fraction of the longest delay to wait before the next connection attempt.
    ///
    /// It is random, so that not all bridges reconnect at the same time.
    private let share: @Sendable () -> Double
    private let signal = AsyncSignal()

    private var registry: MQTTDeviceRegistry
    private var session: MQTTSession
    private var pacing = GatewayPacing()
    /// The pending queries to lights.
    ///
    /// They are paced, because some of them would be lost if hundreds were sent at once.
    private var questions: [MQTTMessage] = []
    private var questionAt: Duration = .zero
    private var client: MosquittoClient?
    private var passwordWatch: SecretFileWatch
    /// The reports that will be delivered to the host in the next batch.
    private var outbox = ReportOutbox()

    /// Creates a driver that does nothing until ``run(host:)`` is called.
    ///
    /// - Parameters:
    ///   - configuration: The driver's configuration keys.
    ///   - logger: The logger for events of the connection.
    ///   - share: Returns the fraction, 0 to 1, of the longest delay to wait before the next connection attempt.
    package init(
        configuration: MQTTDriverConfiguration, logger: Logger,
        share: @escaping @Sendable () -> Double = { .random(in: 0...1) }
    ) {
        self.configuration = configuration
        self.logger = logger
        self.share = share
        passwordWatch = SecretFileWatch([configuration.connection.passwordFile].compactMap(\.self))
        registry = MQTTDeviceRegistry(
            prefix: configuration.discoveryPrefix, tasmota: configuration.tasmotaPrefix,
            zigbee2MQTT: configuration.zigbee2MQTTBase, lights: configuration.lights)
        session = MQTTSession(statusTopic: "lamplighter/\(configuration.connection.clientID)/status")
        if configuration.announce { session.birthTopic = configuration.discoveryPrefix.map { "\($0)/status" } }
    }

    private var now: Duration { start.duration(to: .now) }

    // MARK: Lifecycle

    package func run(host: any LightHost) async throws {
        await host.report(.starting)
        let started = registry.started(
            kinds: await host.includedKinds(), known: await host.knownLights(), knownKinds: await host.knownKinds())
        await carryOut(started, host)
        connect()
        while !Task.isCancelled {
            await turn(host)
            await signal.wait(until: deadline.map { start + $0 })
        }
        await carryOut(registry.stopped(), host)
        await sayGoodbye()
    }

    /// The time of the next turn if no event arrives earlier; `nil` if nothing is due.
    private var deadline: Duration? {
        let askAt = questions.isEmpty ? nil : questionAt
        let lookAt = refusedPasswordFile == nil ? nil : now + SecretFileWatch.interval
        return [registry.deadline, session.reconnectAt, session.slowAt, askAt, lookAt].compactMap(\.self).min()
    }

    /// The file with the password that the broker rejected, or `nil` if the broker hasn't rejected it.
    private var refusedPasswordFile: String? {
        session.isLoginRefused ? configuration.connection.passwordFile : nil
    }

    /// Processes the events of the connection, and then timeouts, due queries and due connection attempts.
    private func turn(_ host: any LightHost) async {
        for (index, event) in (client?.takeEvents() ?? []).enumerated() {
            // After a cancellation, don't process the remaining events, of which there may be many.
            guard !Task.isCancelled else { return }
            await received(event, host)
            if index % Self.eventsInTurn == Self.eventsInTurn - 1 {
                await report(to: host)
                await Task.yield()
            }
        }
        await carryOut(registry.timePassed(now: now), host)
        ask()
        await report(to: host)
        if session.takeSlow(now: now) {
            await host.report(.degraded("broker \(configuration.connection.address): no answer yet; still trying"))
        }
        if let file = refusedPasswordFile, !passwordWatch.changed([file]).isEmpty { session.passwordChanged(now: now) }
        if let at = session.reconnectAt, at <= now { connect() }
    }

    private func ask() {
        guard questionAt <= now, !questions.isEmpty else { return }
        // Ignore a failed query, because the light reports its state later anyway.
        try? client?.send(questions.removeFirst())
        questionAt = now + GatewayPacing.interval
    }

    private func connect() {
        questions = []
        session.connecting(now: now)
        var settings = configuration.connection
        settings.will = MQTTMessage(topic: session.statusTopic, text: "offline", qos: 1, retain: true)
        let client = MosquittoClient(settings: settings) { [signal] in signal.send() }
        self.client = client
        client.start()
    }

    private func received(_ event: MQTTEvent, _ host: any LightHost) async {
        switch event {
        case .connected:
            logger.info("broker connected", metadata: ["broker": "\(configuration.connection.address)"])
            session.connected(now: now)
            await carryOut(registry.connected(), host)
            if session.takeReady() { await ready(host) }
        case .subscribed(let topic, let granted):
            if let isRefused = session.subscribed(topic, granted: granted) {
                let name = MQTTProblem.quoted(topic)
                await host.warn(
                    isRefused ? "the broker doesn't allow reading \(name); allow it for this user" : nil,
                    about: "subscription \(name)")
            }
            if session.takeReady() { await ready(host) }
        case .message(let topic, let payload, let isRetained):
            let content = await MQTTPayload.read(payload, isRetained: isRetained)
            await carryOut(registry.received(topic: topic, payload: content, now: now), host)
        case .tooLong(let topic):
            await carryOut(registry.tooLong(topic: topic), host)
            await host.dropped(1, .overflow)
        case .dropped(let count):
            await host.dropped(count, .overflow)
            logger.warning("messages dropped", metadata: ["dropped": "\(count)"])
        case .loginRefused: session.loginRefused()
        case .closed(let reason):
            client = nil
            registry.disconnected(now: now)
            let delay = session.closed(now: now, share: share())
            let text = "broker \(configuration.connection.address): \(reason)"
            if session.isNew(reason) {
                logger.warning("broker disconnected", metadata: ["error": "\(text)"])
            } else {
                logger.debug("broker disconnected", metadata: ["error": "\(text)", "retry": "\(delay)"])
            }
            await host.report(.degraded("\(text); trying again"))
        }
    }

    private func ready(_ host: any LightHost) async {
        guard let client else { return }
        try? client.send(MQTTMessage(topic: session.statusTopic, text: "online", qos: 1, retain: true))
        if let birthTopic = session.birthTopic { try? client.send(MQTTMessage(topic: birthTopic, text: "online")) }
        await host.report(.running)
    }

    private func carryOut(_ actions: [MQTTAction], _ host: any LightHost) async {
        for action in actions {
            switch action {
            case .subscribe(let topic, let qos):
                if (try? client?.subscribe(to: topic, qos: qos)) != nil { session.subscribing(topic) }
            case .unsubscribe(let topic): client?.unsubscribe(from: topic)
            case .added(let description):
                await report(to: host)
                await host.added(description)
                if let known = await host.lastKnown(description.id) { registry.restore(known, of: description.id) }
            case .removed(let id):
                await report(to: host)
                await host.removed(id)
            case .report(let id, let report): outbox.add(report, from: id)
            case .occurred(let id, let events):
                await report(to: host)
                await host.occurred(events, on: id)
            case .warn(let text, let subject): await host.warn(text, about: subject)
            case .idMissing(let topic): logger.info("unique_id missing", metadata: ["topic": "\(topic)"])
            case .publish(let message): questions.append(message)
            }
        }
    }

    /// Delivers all pending reports.
    private func report(to host: any LightHost) async {
        let unreadable = registry.takeUnreadable()
        if unreadable > 0 { await host.dropped(unreadable, .unreadable) }
        guard !outbox.isEmpty else { return }
        await host.report(outbox.takeAll().reports)
    }

    /// Publishes the status "offline" and disconnects properly.
    ///
    /// The broker then doesn't publish the will, and retains no outdated status.
    private func sayGoodbye() async {
        guard let client else { return }
        try? client.send(MQTTMessage(topic: session.statusTopic, text: "offline", qos: 1, retain: true))
        await client.close()
        self.client = nil
        registry.disconnected(now: now)
    }

    // MARK: Commands

    package func apply(_ command: LightCommand, to light: LightID) async throws(LightError) {
        let wait = pacing.wait(for: registry.gateway(of: light), now: now)
        if wait > .zero, (try? await Task.sleep(for: wait)) == nil { throw .busy }
        defer { if registry.mustWarn { signal.send() } }
        var code: String?
        do throws(SecretFile.Problem) { code = try registry.codeFile(of: light)?.read() } catch {
            throw .refused(error.text)
        }
        try await publish(registry.messages(for: command, to: light, code: code, now: now))
        guard let report = registry.handedOver(command, to: light) else { return }
        outbox.add(report, from: light)
        signal.send()
    }

    /// The duration of each on or off state of an identification.
    ///
    /// All three states together take less than 2 s, the host's time limit.
    private static let blinkPause: Duration = .milliseconds(500)

    package func identify(_ light: LightID) async throws(LightError) {
        let (number, blinks) = try registry.beginIdentification(of: light)
        var failure: LightError?
        for isLit in blinks {
            do throws(LightError) {
                guard let messages = try registry.blink(isLit, light, number) else { return }
                try await publish(messages)
            } catch {
                failure = error
                break
            }
            guard (try? await Task.sleep(for: Self.blinkPause)) != nil else { break }
        }
        // Restore the light's power even if the identification was canceled or has failed, but don't wait for the
        // result.
        for message in registry.endIdentification(of: light, number, now: now) { try? client?.send(message) }
        signal.send()
        if let failure { throw failure }
    }

    private func publish(_ messages: [MQTTMessage]) async throws(LightError) {
        guard let client else { throw .unreachable }
        for message in messages {
            do throws(MosquittoClient.Failure) {
                try await client.publish(message)
            } catch {
                switch error {
                case .notConnected, .cancelled: throw .unreachable
                case .busy: throw .busy
                case .refused: throw .refused("the message for the light can't be sent")
                }
            }
        }
    }
}
