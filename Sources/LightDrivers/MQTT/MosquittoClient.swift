import CMosquitto
import Glibc
import Synchronization
import SystemKit
import TerminalKit

/// One connection to a broker through libmosquitto, from the attempt to connect until its end.
///
/// Each attempt needs a new instance.
///
/// A dedicated thread connects and reads, because libmosquitto blocks while it resolves names and connects. Received
/// events are queued in a bounded inbox. The package functions may be called from any thread and never block a thread:
/// in threaded mode, libmosquitto only queues the data to send and wakes the dedicated thread.
///
/// Unsafe pointers to libmosquitto are used only in this file. Its handle lives as long as the thread. Other threads
/// use the handle only through `state`; the thread removes the handle from `state` before freeing it. libmosquitto
/// calls back on the thread, with an unretained pointer to this object, which the thread retains until it ends.
///
/// The callbacks take the lock of `state`. No call under that lock waits for a lock that libmosquitto holds during a
/// callback, with one exception: libmosquitto locks its log during the log callback, and each of its functions writes
/// to that log, including the functions that are called under the lock of `state`. Therefore the log callback takes
/// only the lock of `lastError`.
package final class MosquittoClient: Sendable {
    /// The reason why a message wasn't sent or acknowledged.
    package enum Failure: Error, Equatable, Sendable {
        /// There is no connection, or it ended before the broker answered.
        case notConnected
        /// Too many messages are waiting to be sent to the broker.
        case busy
        /// The topic or the message is invalid.
        case refused
        /// The task was canceled before the broker answered.
        case cancelled
    }

    private typealias Waiter = CheckedContinuation<Failure?, Never>

    /// The handle of libmosquitto.
    ///
    /// Any thread may use it, because libmosquitto locks its shared state in threaded mode, and the handle is removed
    /// from `State.handle` before it is freed.
    private struct Handle: @unchecked Sendable {
        let pointer: OpaquePointer
    }

    private struct State {
        var handle: Handle?
        var isConnected = false
        var isStopped = false
        var hasEnded = false
        var inbox = MQTTInbox()
        /// The messages that are unsent (QoS 0) or unacknowledged (other QoS).
        ///
        /// The value is the ticket of the task that waits for the acknowledgment, if any.
        var outstanding: [Int32: Int?] = [:]
        var waiters: [Int: Waiter] = [:]
        var cancelled: Set<Int> = []
        var lastTicket = 0
        var subscriptions: [Int32: String] = [:]
        var refusal: String?
        var endWaiters: [CheckedContinuation<Void, Never>] = []
    }

    private let settings: MQTTConnectionSettings
    private let signal: @Sendable () -> Void
    private let state = Mutex(State())
    /// The last error that libmosquitto logged.
    ///
    /// It has a separate lock, because the log callback must not take the lock of `state`.
    private let lastError = Mutex<String?>(nil)

    /// The maximum time for a connection attempt.
    private static let connectSeconds = 10
    /// The maximum time to flush a connection that is being closed.
    private static let flushMilliseconds = 1000

    /// The directory of CA certificates on Debian and most other distributions.
    private static let systemCertificates = "/etc/ssl/certs"

    private static let initialised: Void = { _ = mosquitto_lib_init() }()

    /// Creates a connection that is idle until ``start()`` is called.
    ///
    /// It calls `signal` when there are new events.
    package init(settings: MQTTConnectionSettings, signal: @escaping @Sendable () -> Void) {
        self.settings = settings
        self.signal = signal
    }

    // MARK: Lifecycle

    /// Starts the thread, which connects to the broker.
    package func start() {
        _ = Self.initialised
        do throws(SystemError) { try DetachedThread.start { [self] in runThread() } } catch {
            end("can't start a thread for the connection (\(error.reason))")
        }
    }

    /// Begins to close the connection.
    ///
    /// Messages that are already queued are still sent, within one second. This function returns at once.
    package func stop() {
        state.withLock { state in
            guard !state.isStopped else { return }
            state.isStopped = true
            if state.isConnected, let handle = state.handle?.pointer { mosquitto_disconnect(handle) }
        }
    }

    /// Closes the connection and waits until all queued messages are sent, but at most about one second.
    ///
    /// It doesn't wait for a connection attempt, whose thread ends by itself.
    package func close() async {
        stop()
        await withCheckedContinuation { continuation in
            let hasEnded = state.withLock { state in
                guard state.isConnected, !state.hasEnded else { return true }
                state.endWaiters.append(continuation)
                return false
            }
            if hasEnded { continuation.resume() }
        }
    }

    package func takeEvents() -> [MQTTEvent] { state.withLock { $0.inbox.takeAll() } }

    // MARK: Requests

    /// Subscribes to a topic.
    ///
    /// The broker's answer arrives as an event.
    package func subscribe(to topic: String, qos: Int) throws(Failure) {
        let failure: Failure? = state.withLock { state in
            guard state.isConnected, !state.isStopped, let handle = state.handle?.pointer else { return .notConnected }
            var id: Int32 = 0
            let result = mosquitto_subscribe(handle, &id, topic, Int32(qos))
            if result == MOSQ_ERR_SUCCESS.code { state.subscriptions[id] = topic }
            return Self.failure(result)
        }
        if let failure { throw failure }
    }

    package func unsubscribe(from topic: String) {
        state.withLock { state in
            guard state.isConnected, !state.isStopped, let handle = state.handle?.pointer else { return }
            mosquitto_unsubscribe(handle, nil, topic)
        }
    }

    /// Queues a message without waiting for an acknowledgment.
    package func send(_ message: MQTTMessage) throws(Failure) {
        if let failure = state.withLock({ Self.queue(message, ticket: nil, in: &$0) }) { throw failure }
    }

    /// Queues a message.
    ///
    /// If its QoS is above 0, waits until the broker acknowledges it.
    package func publish(_ message: MQTTMessage) async throws(Failure) {
        guard message.qos > 0 else { return try send(message) }
        let ticket = state.withLock { state in
            state.lastTicket += 1
            return state.lastTicket
        }
        let failure = await withTaskCancellationHandler {
            await withCheckedContinuation { (waiter: Waiter) in
                let failure = state.withLock { state -> Failure? in
                    guard !state.cancelled.contains(ticket) else { return .cancelled }
                    if let failure = Self.queue(message, ticket: ticket, in: &state) { return failure }
                    state.waiters[ticket] = waiter
                    return nil
                }
                if let failure { waiter.resume(returning: failure) }
            }
        } onCancel: {
            let waiter = state.withLock { state in
                state.cancelled.insert(ticket)
                return state.waiters.removeValue(forKey: ticket)
            }
            waiter?.resume(returning: .cancelled)
        }
        state.withLock { _ = $0.cancelled.remove(ticket) }
        if let failure { throw failure }
    }

    private static func queue(_ message: MQTTMessage, ticket: Int?, in state: inout State) -> Failure? {
        guard state.isConnected, !state.isStopped, let handle = state.handle?.pointer else { return .notConnected }
        guard state.outstanding.count < MQTTLimits.outstanding else { return .busy }
        guard let count = Int32(exactly: message.payload.count) else { return .refused }
        var id: Int32 = 0
        let result = message.payload.withUnsafeBytes { bytes in
            mosquitto_publish(handle, &id, message.topic, count, bytes.baseAddress, Int32(message.qos), message.retain)
        }
        if let failure = failure(result) { return failure }
        state.outstanding[id] = .some(ticket)
        return nil
    }

    private static func failure(_ result: Int32) -> Failure? {
        switch result {
        case MOSQ_ERR_SUCCESS.code: nil
        case MOSQ_ERR_NO_CONN.code, MOSQ_ERR_CONN_LOST.code: .notConnected
        case MOSQ_ERR_NOMEM.code: .busy
        default: .refused
        }
    }
}

// MARK: - Thread

extension MosquittoClient {
    private func runThread() {
        // Block SIGPIPE on this thread, because OpenSSL uses write(2), which raises that signal if the connection is
        // closed.
        var signals = sigset_t()
        sigemptyset(&signals)
        sigaddset(&signals, SIGPIPE)
        pthread_sigmask(SIG_BLOCK, &signals, nil)

        let context = Unmanaged.passUnretained(self).toOpaque()
        guard let handle = mosquitto_new(settings.clientID, true, context) else {
            return end("not enough memory for the connection")
        }
        if let problem = prepare(handle) {
            mosquitto_destroy(handle)
            return end(problem)
        }
        let shared = Handle(pointer: handle)
        let isStopped = state.withLock { state in
            state.handle = shared
            return state.isStopped
        }
        var result = MOSQ_ERR_NO_CONN.code
        var failedAt: Int32 = 0
        if !isStopped {
            result = mosquitto_connect(handle, settings.address.host, Int32(settings.address.port), 60)
            failedAt = errno
        }
        if result == MOSQ_ERR_SUCCESS.code {
            (result, failedAt) = serve(handle)
        }
        let reason = reason(result, failedAt)
        state.withLock {
            $0.isConnected = false
            $0.handle = nil
        }
        mosquitto_destroy(handle)
        end(reason)
    }

    /// Runs libmosquitto until the connection ends.
    private func serve(_ handle: OpaquePointer) -> (result: Int32, errno: Int32) {
        let start = ContinuousClock.now
        var stopAt: ContinuousClock.Instant?
        while true {
            let (isConnected, isStopped) = state.withLock { ($0.isConnected, $0.isStopped) }
            let now = ContinuousClock.now
            if !isConnected, isStopped || start.duration(to: now) > .seconds(Self.connectSeconds) {
                return (isStopped ? MOSQ_ERR_SUCCESS.code : MOSQ_ERR_TIMEOUT.code, 0)
            }
            if isStopped {
                let limit = stopAt ?? now + .milliseconds(Self.flushMilliseconds)
                stopAt = limit
                if now >= limit { return (MOSQ_ERR_SUCCESS.code, 0) }
            }
            // This call waits for the given time at most. Data from other threads wakes it, and libmosquitto shortens
            // the wait for its keep-alive.
            let result = mosquitto_loop(handle, isConnected && !isStopped ? 10_000 : 100, 1)
            let failedAt = errno
            if result != MOSQ_ERR_SUCCESS.code { return (result, failedAt) }
        }
    }

    /// Configures libmosquitto before it connects.
    ///
    /// Returns an error message, or `nil` if everything is set.
    private func prepare(_ handle: OpaquePointer) -> String? {
        mosquitto_threaded_set(handle, true)
        mosquitto_int_option(handle, MOSQ_OPT_PROTOCOL_VERSION, MQTT_PROTOCOL_V311)
        mosquitto_int_option(handle, MOSQ_OPT_TCP_NODELAY, 1)
        setCallbacks(handle)
        if let user = settings.user {
            var password: String?
            if let path = settings.passwordFile {
                do throws(SecretFile.Problem) {
                    // Read the file for each connection, so that the password can change without a restart.
                    password = try SecretFile(path, key: "password-file", of: "password").read()
                } catch {
                    return error.text
                }
            }
            guard mosquitto_username_pw_set(handle, user, password) == MOSQ_ERR_SUCCESS.code else {
                return "the user name or the password can't be sent"
            }
        }
        if let will = settings.will {
            let result = will.payload.withUnsafeBytes { bytes in
                mosquitto_will_set(
                    handle, will.topic, Int32(bytes.count), bytes.baseAddress, Int32(will.qos), will.retain)
            }
            guard result == MOSQ_ERR_SUCCESS.code else { return "the topic \(will.topic) can't be used" }
        }
        guard settings.address.tls else { return nil }
        for file in [settings.caFile, settings.clientCertificate, settings.clientKey] {
            if let file, access(file, R_OK) != 0 { return "\(file) can't be read (\(FileAccess.reason(file, .last)))" }
        }
        // Use OpenSSL's defaults, which respect SSL_CERT_FILE and SSL_CERT_DIR. libmosquitto requires a directory
        // nevertheless.
        if settings.caFile == nil { mosquitto_int_option(handle, MOSQ_OPT_TLS_USE_OS_CERTS, 1) }
        // A key with a passphrase would cause a prompt on the terminal. A callback that returns no passphrase makes it
        // fail instead.
        let result = mosquitto_tls_set(
            handle, settings.caFile, settings.caFile == nil ? Self.systemCertificates : nil,
            settings.clientCertificate, settings.clientKey, { _, _, _, _ in 0 })
        guard result == MOSQ_ERR_SUCCESS.code,
            mosquitto_tls_opts_set(handle, 1, nil, nil) == MOSQ_ERR_SUCCESS.code
        else { return "TLS can't be set up; check ca-file, client-certificate and client-key" }
        return nil
    }

    private func setCallbacks(_ handle: OpaquePointer) {
        mosquitto_connect_callback_set(handle) { _, context, code in
            MosquittoClient.at(context)?.connectAnswered(code)
        }
        mosquitto_subscribe_callback_set(handle) { _, context, id, count, granted in
            let isGranted = count > 0 && granted.map { $0.pointee < 0x80 } ?? false
            MosquittoClient.at(context)?.subscribeAnswered(id, isGranted)
        }
        mosquitto_publish_callback_set(handle) { _, context, id in
            MosquittoClient.at(context)?.publishAnswered(id)
        }
        mosquitto_message_callback_set(handle) { _, context, message in
            guard let message = message?.pointee, let topic = message.topic else { return }
            MosquittoClient.at(context)?.received(message, topic)
        }
        mosquitto_log_callback_set(handle) { _, context, level, text in
            guard level == Int32(MOSQ_LOG_ERR), let text else { return }
            let line = String(cString: text)
            MosquittoClient.at(context)?.lastError.withLock { $0 = line }
        }
    }

    private static func at(_ context: UnsafeMutableRawPointer?) -> MosquittoClient? {
        context.map { Unmanaged<MosquittoClient>.fromOpaque($0).takeUnretainedValue() }
    }

    // MARK: Callbacks

    private func connectAnswered(_ code: Int32) {
        state.withLock { state in
            guard code == 0 else {
                state.refusal = Self.refusal(code)
                if code == 4 || code == 5 { state.inbox.add(.loginRefused) }
                return
            }
            state.isConnected = true
            state.inbox.add(.connected)
            if state.isStopped, let handle = state.handle?.pointer { mosquitto_disconnect(handle) }
        }
        signal()
    }

    private func subscribeAnswered(_ id: Int32, _ granted: Bool) {
        state.withLock { state in
            guard let topic = state.subscriptions.removeValue(forKey: id) else { return }
            state.inbox.add(.subscribed(topic: topic, granted: granted))
        }
        signal()
    }

    private func publishAnswered(_ id: Int32) {
        let waiter = state.withLock { state -> Waiter? in
            guard let ticket = state.outstanding.removeValue(forKey: id) ?? nil else { return nil }
            return state.waiters.removeValue(forKey: ticket)
        }
        waiter?.resume(returning: nil)
    }

    private func received(_ message: mosquitto_message, _ topic: UnsafeMutablePointer<CChar>) {
        let length = strnlen(topic, MQTTLimits.topic + 1)
        guard length <= MQTTLimits.topic else {
            state.withLock { $0.inbox.drop() }
            return signal()
        }
        let topic = String(cString: topic)
        let count = max(0, Int(message.payloadlen))
        if count > (topic.hasSuffix("/bridge/devices") ? MQTTLimits.listing : MQTTLimits.payload) {
            state.withLock { $0.inbox.add(.tooLong(topic: topic)) }
        } else {
            let payload = [UInt8](
                UnsafeRawBufferPointer(start: message.payload, count: message.payload == nil ? 0 : count))
            state.withLock { $0.inbox.add(.message(topic: topic, payload: payload, isRetained: message.retain)) }
        }
        signal()
    }

    // MARK: End

    private func end(_ reason: String) {
        let (waiters, endWaiters) = state.withLock { state in
            state.hasEnded = true
            state.isConnected = false
            state.inbox.add(.closed(reason))
            defer {
                state.outstanding = [:]
                state.waiters = [:]
                state.subscriptions = [:]
                state.endWaiters = []
            }
            return (state.waiters.values, state.endWaiters)
        }
        for waiter in waiters { waiter.resume(returning: .notConnected) }
        for waiter in endWaiters { waiter.resume() }
        signal()
    }

    private func reason(_ result: Int32, _ failedAt: Int32) -> String {
        if let refusal = state.withLock({ $0.refusal }) { return refusal }
        switch result {
        case MOSQ_ERR_SUCCESS.code, MOSQ_ERR_NO_CONN.code: return "the connection was closed"
        case MOSQ_ERR_CONN_LOST.code: return "the broker closed the connection"
        case MOSQ_ERR_TIMEOUT.code: return "the broker doesn't answer"
        case MOSQ_ERR_KEEPALIVE.code: return "the broker stopped responding"
        case MOSQ_ERR_EAI.code: return "the host name can't be resolved"
        case MOSQ_ERR_ERRNO.code: return SystemError(code: failedAt).reason
        case MOSQ_ERR_TLS.code, MOSQ_ERR_TLS_HANDSHAKE.code:
            guard let error = lastError.withLock({ $0 }) else { return "TLS failed (no reason given)" }
            // These errors occur if the broker doesn't use TLS, and therefore closes the connection or sends something
            // else.
            if error.contains("unexpected eof") || error.contains("wrong version number") {
                return
                    "the broker doesn't seem to use TLS on this port; use mqtt://, or its port for TLS (often 8883)"
            }
            return "TLS failed (\(MQTTProblem.quoted(error, maximum: 200)))"
        default: return MQTTProblem.quoted(String(cString: mosquitto_strerror(result)).clause, maximum: 200)
        }
    }

    private static func refusal(_ code: Int32) -> String {
        switch code {
        case 1: "the broker doesn't support MQTT 3.1.1"
        case 2: "the broker rejected the client id"
        case 3: "the broker isn't available"
        case 4: "the broker rejected the user name or password; check user and password-file"
        case 5: "the broker rejected the login; check user and password-file"
        default: "the broker rejected the connection (code \(code))"
        }
    }
}

extension mosq_err_t {
    /// The value as `Int32`, the result type of libmosquitto's functions.
    fileprivate var code: Int32 { Int32(rawValue) }
}
