/// Lamplighter's commands, as users must type them on this computer.
package enum ShellCommand {
    /// The programs whose folder also contains Lamplighter's commands.
    private static let programs: Set = ["lamplighter", "lamplighterd", "homehub", "homehubd", "homeweb"]

    /// The bridge's command: `lamplighter`, or its path in a clone.
    package static let lamplighter = named("lamplighter")
    /// The home hub's command: `homehub`, or its path in a clone.
    package static let homehub = named("homehub")

    /// The bridge's command, with `sudo` if the operation needs root's permissions on an installed system.
    package static let lamplighterAsRoot = withSudo(lamplighter)
    /// The home hub's command, with `sudo` if the operation needs root's permissions on an installed system.
    package static let homehubAsRoot = withSudo(homehub)

    /// Returns a command's name, or its path in a clone.
    package static func named(_ name: String) -> String { command(name, of: CommandLine.arguments.first) }

    /// Returns a command's name if it's installed, or its path if the running program is in a build folder.
    ///
    /// `caller` is the path with which the running program was started.
    static func command(_ name: String, of caller: String?) -> String {
        guard let caller, let slash = caller.lastIndex(of: "/"), programs.contains(String(caller[slash...].dropFirst()))
        else { return name }
        let folder = caller[..<slash]
        return folder.hasSuffix("/bin") || folder.hasSuffix("/sbin") ? name : "\(folder)/\(name)"
    }

    /// Adds `sudo` to an installed command.
    ///
    /// In a clone, the daemons run as the user who started them.
    static func withSudo(_ command: String) -> String { command.contains("/") ? command : "sudo \(command)" }
}
