import AsyncKit
import BoundedJSON
import DeviceKit
import LineRPC
import Logging

/// The connection of the contract checks to a plugin. It sends one request at a time and records all messages.
actor PluginPeer {
    private let process: PluginProcess
    private let signal: AsyncSignal
    private var lastID: Int64 = 0
    private(set) var messages: [PluginMessage] = []
    /// The plugin's violation of the protocol, if any.
    private(set) var violation: String?
    private(set) var end: String?

    init(_ program: PluginProcess.Program, logger: Logger) {
        let signal = AsyncSignal()
        self.signal = signal
        process = PluginProcess(program, logger: logger) { signal.send() }
        process.start()
    }

    /// Waits until the messages or the end of the process meet a condition, and returns whether they did so in time.
    func wait(_ limit: Duration, until isMet: @Sendable (_ messages: [PluginMessage], _ end: String?) -> Bool) async
        -> Bool
    {
        let deadline = ContinuousClock.now + limit
        while true {
            take()
            if isMet(messages, end) { return true }
            if end != nil || violation != nil || ContinuousClock.now >= deadline { return false }
            await signal.wait(until: deadline)
        }
    }

    private func take() {
        for event in process.takeEvents() {
            switch event {
            case .message(let message): messages.append(message)
            case .violation(let text): violation = text
            case .ended(let how): end = how
            }
        }
    }

    /// Sends a request and returns the answer, or `nil` if it doesn't arrive in time.
    func ask(_ method: String, _ params: JSONValue = [:], within limit: Duration) async -> Result<
        JSONValue, RPCFailure
    >? {
        let id = send(method, params)
        _ = await wait(limit) { messages, _ in messages.contains { if case .answer(id, _) = $0 { true } else { false } }
        }
        return answer(to: id)
    }

    /// Sends a request without waiting.
    @discardableResult
    func send(_ method: String, _ params: JSONValue = [:]) -> Int64 {
        lastID += 1
        process.send(RPCMessage.request(id: .integer(lastID), method: method, params: params).line)
        return lastID
    }

    func write(_ line: String) { process.send(Array("\(line)\n".utf8)) }

    func closeInput() { process.closeInput() }

    /// Kills the process.
    func kill() { process.end() }

    private func answer(to id: Int64) -> Result<JSONValue, RPCFailure>? {
        for case .answer(id, let result) in messages { return result }
        return nil
    }
}
