package import Logging
internal import Synchronization

/// A recorder of log messages, in the form `level: message key=value ...`.
package final class RecordedLog: Sendable {
    private struct Handler: LogHandler {
        let log: RecordedLog
        var logLevel = Logger.Level.trace
        var metadata: Logger.Metadata = [:]

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            let values = metadata.merging(event.metadata ?? [:]) { $1 }.sorted { $0.key < $1.key }
            let line = values.reduce("\(event.level): \(event.message)") { "\($0) \($1.key)=\($1.value)" }
            log.state.withLock { $0.append(line) }
        }
    }

    private let state = Mutex<[String]>([])
    package init() {}

    /// All lines recorded so far.
    package var all: [String] { state.withLock { $0 } }
    package var logger: Logger { Logger(label: "test") { _ in Handler(log: self) } }
}
