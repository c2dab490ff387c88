/// What is taken from a plugin, and kept for it.
enum PluginLimits {
    /// The longest line in either direction, in bytes.
    static let line = 256 << 10
    /// The longest line of standard error that is logged.
    static let logLine = 4 << 10
    /// Messages that wait to be dealt with; beyond them only the newest state of each light is kept.
    static let inbox = 256
    /// Lines that are read in one ``slot``; a plugin that writes more is made to wait by its pipe.
    static let linesInSlot = 256
    static let slot = Duration.milliseconds(100)
    /// Bytes that wait until the plugin reads them.
    static let outbox = 1 << 20
    /// Commands that a plugin works on at once.
    static let setsInFlight = 4
    /// Lights of one plugin; a bridge shows fewer.
    static let lights = 256
    /// Functions of one device.
    static let functions = 16
    /// Values of one message.
    static let values = 256
    /// Subjects that the operator is warned of.
    static let warnings = 20
    /// The longest text of a light's description.
    static let text = 1024

    // Of the process itself. Processes are not limited here: that limit counts all of the user's, the bridge's included.
    static let memory: UInt64 = 512 << 20
    static let files: UInt64 = 256
}

/// How long a plugin is waited for.
package struct PluginTiming: Sendable {
    /// For the answer to `hello`: an interpreter on a slow board takes seconds to start.
    package var hello = Duration.seconds(15)
    /// For the answer to `ping` and all others but `lights/set`.
    package var answer = Duration.seconds(5)
    /// For the answer to `lights/set`; the bridge itself gives up before.
    package var set = Duration.seconds(3)
    /// From one answered `ping` to the next.
    package var pingInterval = Duration.seconds(30)
    /// For the end after `shutdown`; a bridge that ends does not wait longer for its drivers.
    package var shutdown = Duration.seconds(1)
    /// The first pause before a restart, doubled with each failure in a row.
    package var firstPause = Duration.seconds(1)
    package var longestPause = Duration.seconds(60)
    /// So many failures within the window, and it is not started again.
    package var failures = 5
    package var window = Duration.seconds(600)

    package init() {}
}
