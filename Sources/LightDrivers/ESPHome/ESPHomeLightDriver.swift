import AsyncKit
import BoundedJSON
import Dialing
package import Discovery
package import LightKit
package import Logging
import NIOCore
import NIOPosix
import SodiumKit
import SystemKit

/// The driver `esphome`: wires the devices' connections, mDNS, the machine of their lights and the host together.
///
/// It is an actor on an event loop, which its connections share: what a device sends is read within the call that brings
/// it. What the host is told waits in a queue; a device that has sent something is not read further before that queue is
/// empty, so neither a flood nor a slow host makes it grow.
package actor ESPHomeLightDriver: LightDriver {
    /// What devices announce in mDNS.
    package static let serviceType = "_esphomelib._tcp"

    private struct Connection {
        let number: Int
        var task: Task<Void, Never>?
        var channel: (any Channel)?
    }

    private let configuration: ESPHomeDriverConfiguration
    private let logger: Logger
    private let makeBrowser: @Sendable () throws(DiscoveryError) -> any ServiceBrowser
    private let share: @Sendable () -> Double
    private let loop: any EventLoop
    private let start = ContinuousClock.now
    private let signal = AsyncSignal()

    private var home: ESPHomeHome
    private var connections: [ESPHomeTarget: Connection] = [:]
    private var notices = HostNotices()
    private var keyWatch: SecretFileWatch
    /// Channels that wait to be read further.
    private var unread: [any Channel] = []

    package nonisolated var unownedExecutor: UnownedSerialExecutor { loop.executor.asUnownedSerialExecutor() }

    /// Makes a driver that does nothing before it runs.
    ///
    /// - Parameters:
    ///   - configuration: its keys.
    ///   - logger: where it tells of devices.
    ///   - share: how much of the longest pause passes before the next try, 0 to 1.
    ///   - makeBrowser: makes what finds devices, if they are to be found.
    package init(
        configuration: ESPHomeDriverConfiguration, logger: Logger,
        share: @escaping @Sendable () -> Double = { .random(in: 0...1) },
        makeBrowser: @escaping @Sendable () throws(DiscoveryError) -> any ServiceBrowser
    ) {
        self.configuration = configuration
        self.logger = logger
        self.share = share
        self.makeBrowser = makeBrowser
        home = ESPHomeHome(configuration)
        keyWatch = SecretFileWatch(
            (configuration.hosts.map(\.keyFile) + configuration.devices.values.map(\.keyFile)).compactMap(\.self))
        loop = MultiThreadedEventLoopGroup.singleton.next()
    }

    private var now: Duration { start.duration(to: .now) }

    // MARK: Life

    package func run(host: any LightHost) async throws {
        await host.report(.starting)
        let browser = configuration.discover ? try makeBrowser() : nil
        try browser?.start()
        carryOut(home.started(known: await host.knownLights(), kinds: await host.includedKinds(), now: now))
        if browser == nil { await host.report(.running) }
        await withDiscardingTaskGroup { tasks in
            if let browser { tasks.addTask { await self.follow(browser, host) } }
            while !Task.isCancelled {
                let keyFiles = home.refusedKeyFiles
                let changed = keyWatch.changed(keyFiles)
                if !changed.isEmpty { home.keysChanged(in: changed, now: now) }
                perform(home.timePassed(now: now, share: share()))
                await notify(host)
                let look = keyFiles.isEmpty ? nil : now + SecretFileWatch.interval
                await signal.wait(until: [home.deadline, look].compactMap(\.self).min().map { start + $0 })
            }
        }
        carryOut(home.goodbyes())
        for target in Array(connections.keys) { close(target) }
        await browser?.stop()
    }

    /// Tells the machine what mDNS finds, and the host whether mDNS works.
    private func follow(_ browser: any ServiceBrowser, _ host: any LightHost) async {
        for await snapshot in browser.snapshots() {
            let problem = snapshot.discoveryError.map { "devices cannot be found: \($0)" }
            await host.report(problem.map { .degraded($0) } ?? .running)
            carryOut(home.found(snapshot.services, now: now))
        }
    }

    /// Hands the host everything that waits, and lets devices be read again.
    private func notify(_ host: any LightHost) async {
        let channels = unread
        unread = []
        let invalid = home.takeInvalid()
        if invalid > 0 { await host.dropped(invalid, .invalid) }
        repeat {
            for notice in notices.takeAll() { await notice.tell(host) }
        } while !notices.waiting.isEmpty
        for channel in channels { channel.read() }
    }

    /// Does what came of something, and lets the loop of ``run(host:)`` look: what waits for the host and the deadlines may
    /// have changed.
    private func carryOut(_ actions: [ESPHomeAction]) {
        perform(actions)
        signal.send()
    }

    /// Does what came of a look of that loop, which would never rest if it woke itself.
    private func perform(_ actions: [ESPHomeAction]) {
        for action in actions {
            switch action {
            case .connect(let target, let keyFile, let number): connect(target, keyFile, number)
            case .send(let target, let bytes): send(bytes, to: target)
            case .close(let target): close(target)
            case .report(let light, let report): notices.add(report, from: light)
            case .added(let light): notices.add(.added(light))
            case .removed(let light): notices.add(.removed(light))
            case .warn(let text, let subject): notices.add(.warning(text, about: subject))
            }
        }
    }

    // MARK: Connections

    private func connect(_ target: ESPHomeTarget, _ keyFile: String?, _ number: Int) {
        connections[target] = Connection(number: number)
        var key: [UInt8]?
        if let keyFile {
            do throws(SecretFile.Problem) {
                key = try Self.key(in: keyFile)
            } catch {
                return carryOut(home.keyUnusable(target, error.text, now: now, share: share()))
            }
        }
        connections[target]?.task = Task { [key] in await open(target, number, key) }
    }

    private func open(_ target: ESPHomeTarget, _ number: Int, _ key: [UInt8]?) async {
        do {
            let (channel, endpoint) = try await firstToAnswer(headStart: Candidates<DeviceEndpoint>.headStart) {
                home.nextEndpoint(of: target, number: number)
            } connect: { [loop] endpoint in
                try await endpoint.connect(on: loop) { channel in
                    try channel.syncOptions?.setOption(.autoRead, value: false)
                }
            } close: { channel in
                channel.close(promise: nil)
            }
            guard connections[target]?.number == number else { return channel.close(promise: nil) }
            guard channel.isActive else { throw ChannelError.ioOnClosedChannel }
            try channel.pipeline.syncOperations.addHandler(ESPHomeChannelHandler(driver: self, target, number))
            connections[target]?.channel = channel
            let ephemeral = RandomBytes.make(count: NoiseHandshake.keyLength)
            carryOut(home.opened(target, number: number, at: endpoint, key: key, ephemeral: ephemeral, now: now))
            channel.read()
        } catch {
            let reason = HTTPFault(error).text
            logger.info(
                "device not connected",
                metadata: [
                    "device": "\(target.name)", "error": "\(reason)",
                    "addresses": .array(home.triedEndpoints(of: target).map { "\($0)" }),
                ])
            closed(target, number, reason)
        }
    }

    fileprivate func received(_ bytes: [UInt8], _ target: ESPHomeTarget, _ number: Int, _ channel: any Channel) {
        carryOut(home.received(bytes, from: target, number: number, now: now, share: share()))
        unread.append(channel)
    }

    fileprivate func closed(_ target: ESPHomeTarget, _ number: Int, _ reason: String) {
        if connections[target]?.number == number { connections[target] = nil }
        carryOut(home.closed(target, number: number, .closed(reason), now: now, share: share()))
    }

    private func send(_ bytes: [UInt8], to target: ESPHomeTarget) {
        guard !bytes.isEmpty, let channel = connections[target]?.channel else { return }
        // It has not even taken what it was sent before.
        guard channel.isWritable else { return channel.close(promise: nil) }
        channel.writeAndFlush(ByteBuffer(bytes: bytes), promise: nil)
    }

    private func close(_ target: ESPHomeTarget) {
        // What was written before is sent first.
        let connection = connections.removeValue(forKey: target)
        connection?.task?.cancel()
        connection?.channel?.close(promise: nil)
    }

    private static func key(in path: String) throws(SecretFile.Problem) -> [UInt8] {
        let text = try SecretFile(path, key: "key-file", of: "key").read()
        guard let key = Base64.decode(text), key.count == NoiseHandshake.keyLength else {
            throw SecretFile.Problem(
                text: "key-file \(path) holds no key; write what stands at api: encryption: key: in its first line")
        }
        return key
    }

    // MARK: Commands

    package func apply(_ command: LightCommand, to light: LightID) async throws(LightError) {
        let (target, bytes) = try home.command(command, to: light, now: now)
        try handOver(bytes, to: target)
    }

    /// How long a light stays on or off while it blinks; four of them are done within the host's 2 s.
    private static let blinkPause: Duration = .milliseconds(400)

    package func identify(_ light: LightID) async throws(LightError) {
        let (number, blinks) = try home.beginIdentification(of: light)
        defer {
            home.endIdentification(of: light, number: number)
            signal.send()
        }
        for (index, isOn) in blinks.enumerated() {
            guard let (target, bytes) = try home.blink(isOn, light, number: number, now: now) else { return }
            try handOver(bytes, to: target)
            guard index < blinks.count - 1 else { return }
            guard (try? await Task.sleep(for: Self.blinkPause)) != nil else {
                // Cancelled: the light is left as it was.
                if index % 2 == 0, let (target, bytes) = try home.blink(!isOn, light, number: number, now: now) {
                    try handOver(bytes, to: target)
                }
                return
            }
        }
    }

    private func handOver(_ bytes: [UInt8], to target: ESPHomeTarget) throws(LightError) {
        guard let channel = connections[target]?.channel, channel.isActive else { throw .unreachable }
        guard channel.isWritable else { throw .busy }
        channel.writeAndFlush(ByteBuffer(bytes: bytes), promise: nil)
        signal.send()
    }
}

/// Hands the driver what a device sends; the driver itself decides when more is read.
private final class ESPHomeChannelHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private let driver: ESPHomeLightDriver
    private let target: ESPHomeTarget
    private let number: Int
    private var reason = "it has closed the connection"

    init(driver: ESPHomeLightDriver, _ target: ESPHomeTarget, _ number: Int) {
        self.driver = driver
        self.target = target
        self.number = number
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let bytes = Array(unwrapInboundIn(data).readableBytesView)
        let (target, number, channel) = (target, number, context.channel)
        driver.assumeIsolated { $0.received(bytes, target, number, channel) }
    }

    func channelInactive(context: ChannelHandlerContext) {
        let (target, number, reason) = (target, number, reason)
        driver.assumeIsolated { $0.closed(target, number, reason) }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        if let error = error as? IOError { reason = SystemError(code: error.errnoCode).reason }
        context.close(promise: nil)
    }
}
