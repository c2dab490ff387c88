import DaemonKit
import FoundationEssentials
import HAPTransport
import LightKit
import LineRPC

/// What `--check-start` does: everything that could keep the daemon from starting, in the order of a start.
///
/// Nothing is listened on, changed or left behind, so that it may run beside the daemon and as another user.
struct StartCheck {
    /// The configuration file.
    let configuration: String
    let places: BridgeDaemon.Places
    let drivers: [any LightDriverConfiguration.Type]

    /// Goes through the steps.
    ///
    /// - Parameter report: gets one line for each step that is well; it begins with the step's name.
    /// - Throws: what a start would end with.
    func run(_ report: (String) -> Void) throws {
        let wanted = try BridgeConfiguration.load(
            from: configuration, drivers: drivers, instance: places.stateDirectory)
        _ = try wanted.bridge.ownership?.requirement()
        report("configuration: \(configuration) is valid")

        try DatabaseFile.inspect(
            places.database, migrator: BridgeDatabase.migrator, applicationID: BridgeDaemon.applicationID)
        report("state: \(places.stateDirectory) can be used")

        if case .fixed(let port) = wanted.bridge.port {
            guard !PortHolder.exists(on: Int(port)) else { throw ListenerError.portTaken(Int(port)) }
            report("port: \(port) is free")
        } else {
            report("port: a free one is taken")
        }

        if let listen = wanted.metrics?.listen {
            guard !PortHolder.exists(on: Int(listen.port)) else {
                throw MetricsListenerError(address: listen, cause: .portTaken(Int(listen.port)))
            }
            report("metrics: \(listen) is free")
        } else {
            report("metrics: nobody is to see them")
        }

        try checkSocket()
        report("socket: \(places.controlSocket) can be made")
    }

    private func checkSocket() throws {
        let files = FileManager.default
        if let attributes = try? files.attributesOfItem(atPath: places.controlSocket),
            attributes[.type] as? FileAttributeType != .typeSocket
        {
            throw LineRPCError.notASocket(path: places.controlSocket)
        }
        // What is missing is made, by systemd or by the daemon.
        let folder = places.runtimeDirectory
        guard !files.fileExists(atPath: folder) || files.isWritableFile(atPath: folder) else {
            throw LineRPCError.noPermission(path: places.controlSocket)
        }
    }
}
