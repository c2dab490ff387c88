import Glibc

/// Where the daemon's socket is.
enum SocketLocation {
    static let variable = "HOMEHUB_SOCKET"
    /// Where `homehubd` puts it that was started in a clone.
    static let inClone = "./.lamplighter/run/home.sock"
    static let installed = "/run/homehub/home.sock"

    /// Looks where the app, the environment, a clone and an installation have it, in this order.
    ///
    /// - Parameters:
    ///   - given: what the app says.
    ///   - variable: the environment's word.
    ///   - isThere: whether there is a file of that path.
    /// - Returns: the path.
    static func find(
        given: String?, variable: String? = getenv(Self.variable).map { String(cString: $0) },
        isThere: (String) -> Bool = { access($0, F_OK) == 0 }
    ) -> String {
        if let given { return given }
        if let variable, !variable.isEmpty { return variable }
        return isThere(inClone) ? inClone : installed
    }
}
