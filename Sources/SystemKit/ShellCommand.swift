/// The commands of Lamplighter as people type them on this computer.
package enum ShellCommand {
    /// The programs that name commands of Lamplighter in their messages.
    private static let programs: Set = ["lamplighter", "lamplighterd", "homehub", "homehubd", "homeweb"]

    /// The command of the bridge: `lamplighter`, or its path in a clone.
    package static let lamplighter = named("lamplighter")
    /// The command of the home hub: `homehub`, or its path in a clone.
    package static let homehub = named("homehub")

    /// A command of the bridge that may need root's permissions.
    package static let lamplighterAsRoot = withSudo(lamplighter)
    /// A command of the home hub that may need root's permissions.
    package static let homehubAsRoot = withSudo(homehub)

    /// Returns the words that start a command.
    package static func named(_ name: String) -> String { command(name, of: CommandLine.arguments.first) }

    /// Returns the words that start a command: its name if it's installed, or its path if the running program, which was
    /// started as `caller`, is in a build folder.
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
