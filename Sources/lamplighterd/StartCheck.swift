import BridgeControl
import DaemonKit
import DatabaseKit
import DeviceKit
import FoundationEssentials
import HAPTransport
import LineRPC
import SystemKit
import TerminalKit
import YAMLKit

/// Implements `--check-start`, which checks everything that could prevent a start, in the order of a real start.
///
/// The check doesn't listen for connections, change state or create files. Therefore, it can run while the daemon is
/// running, and as a different user.
struct StartCheck {
    let configuration: String
    let places: BridgeDaemon.Places
    let drivers: [any LightDriverConfiguration.Type]

    /// Performs the steps in order, and reports the result of each.
    ///
    /// After a failed step, no further steps are performed.
    ///
    /// - Throws: The error that a start would exit with.
    func run(_ report: (StartReport) -> Void) throws {
        let wanted = try checked(.configuration, report) {
            let wanted = try BridgeConfiguration.load(
                from: configuration, drivers: drivers, instance: places.stateDirectory)
            _ = try wanted.bridge.ownership?.requirement()
            return (wanted, "\(configuration) is valid")
        }
        try checked(.state, report) {
            try DatabaseFile.inspect(
                places.database, migrator: BridgeDatabase.migrator, applicationID: BridgeDaemon.applicationID)
            return ((), "\(places.stateDirectory) is usable")
        }
        try checked(.port, report) {
            guard case .fixed(let port) = wanted.bridge.port else { return ((), "a free port will be used") }
            guard !PortHolder.exists(on: Int(port)) else { throw ListenerError.portTaken(Int(port)) }
            return ((), "\(port) is free")
        }
        try checked(.metrics, report) {
            guard let listen = wanted.metrics?.listen else { return ((), "no address is configured") }
            guard !PortHolder.exists(on: Int(listen.port)) else {
                throw MetricsListenerError(address: listen, cause: .portTaken(Int(listen.port)))
            }
            return ((), "\(listen) is free")
        }
        try checked(.socket, report) {
            try checkSocket()
            return ((), "\(places.controlSocket) can be created")
        }
    }

    private func checked<Result>(
        _ step: StartReport.Step, _ report: (StartReport) -> Void, _ body: () throws -> (Result, String)
    ) throws -> Result {
        do {
            let (result, message) = try body()
            report(StartReport(step, message))
            return result
        } catch {
            let mistake = error as? ConfigurationError
            report(
                StartReport(
                    step, "\(error)".sanitized, code: ExitCode(error).rawValue, problem: mistake?.finding,
                    remedy: mistake?.remedy.sanitized))
            throw error
        }
    }

    private func checkSocket() throws {
        let files = FileManager.default
        if let attributes = try? files.attributesOfItem(atPath: places.controlSocket),
            attributes[.type] as? FileAttributeType != .typeSocket
        {
            throw LineRPCError.notASocket(path: places.controlSocket)
        }
        // The directory may be missing, because systemd or the daemon creates it at startup.
        let folder = places.runtimeDirectory
        guard !files.fileExists(atPath: folder) || files.isWritableFile(atPath: folder) else {
            throw LineRPCError.noPermission(path: places.controlSocket)
        }
    }
}
