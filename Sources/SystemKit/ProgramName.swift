/// The name of the running program.
package enum ProgramName {
    /// The name with which the program was run, without folders, or an empty string if the caller passed none.
    package static let current = name(in: CommandLine.arguments.first)

    static func name(in path: String?) -> String { String(path?.split(separator: "/").last ?? "") }
}
