/// The limits of a plugin's messages and resources.
enum PluginLimits {
    /// The longest line in either direction, in bytes.
    static let line = 256 << 10
    /// The longest logged line of standard error, in bytes.
    static let logLine = 4 << 10
    /// The number of pending events above which only the newest description and state of each light are kept.
    static let inbox = 256
    /// The maximum number of lines that are read within the time of one ``slot``.
    ///
    /// A plugin that writes more blocks as soon as the pipe is full.
    static let linesInSlot = 256
    static let slot = Duration.milliseconds(100)
    /// The maximum number of bytes that are waiting for the plugin to read them.
    static let outbox = 1 << 20
    /// The maximum number of concurrent commands to a plugin.
    static let setsInFlight = 4
    /// The maximum number of lights of a plugin.
    static let lights = 256
    /// The maximum number of functions of a device.
    static let functions = 16
    /// The maximum number of values in a message.
    static let values = 256
    /// The maximum number of subjects of warnings during one run of a plugin.
    static let warnings = 20
    /// The longest text in a light's description, in bytes.
    static let text = 1024

    // The resource limits of the process. The number of processes isn't limited, because such a limit would count all
    // processes of the user, including the bridge's.
    static let memory: UInt64 = 512 << 20
    static let files: UInt64 = 256
}

/// The time limits for a plugin.
package struct PluginTiming: Sendable {
    /// The timeout for the answer to `hello`.
    ///
    /// It is long, because an interpreter takes seconds to start on a slow board.
    package var hello = Duration.seconds(15)
    /// The timeout for the answers to all methods except `hello` and `set`.
    package var answer = Duration.seconds(5)
    /// The timeout for the answer to `lights/set` or `devices/set`.
    ///
    /// It is longer than the bridge's own timeout for commands.
    package var set = Duration.seconds(3)
    /// The interval between an answered `ping` and the next `ping`.
    package var pingInterval = Duration.seconds(30)
    /// The time that a plugin has to exit after `shutdown`.
    ///
    /// A bridge that is shutting down doesn't wait longer for its drivers.
    package var shutdown = Duration.seconds(1)
    /// The first pause before a restart.
    ///
    /// It doubles with each consecutive failure, up to ``longestPause``.
    package var firstPause = Duration.seconds(1)
    package var longestPause = Duration.seconds(60)
    /// The number of failures within ``window`` after which the plugin isn't started again.
    package var failures = 5
    package var window = Duration.seconds(600)

    package init() {}
}
