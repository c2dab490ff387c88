import Logging

/// Creates a ``LogRecord`` from each event of a logger.
struct RecordLogHandler: LogHandler {
    let label: String
    var logLevel: Logger.Level
    var metadata: Logger.Metadata = [:]
    var metadataProvider: Logger.MetadataProvider?
    let write: @Sendable (LogRecord) -> Void

    init(label: String, level: Logger.Level, write: @escaping @Sendable (LogRecord) -> Void) {
        self.label = label
        logLevel = level
        self.write = write
    }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        var values = metadata
        if let provided = metadataProvider?.get() { values.merge(provided) { $1 } }
        if let own = event.metadata { values.merge(own) { $1 } }
        if let error = event.error { values["error"] = "\(error)" }
        let fields = values.sorted { $0.key < $1.key }.map {
            LogRecord.Field(name: $0.key, value: LogRecord.cut("\($0.value)"))
        }
        write(
            LogRecord(label: label, level: event.level, message: LogRecord.cut("\(event.message)"), fields: fields))
    }
}
