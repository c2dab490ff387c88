import BridgeControl
import DaemonKit
import DatabaseKit
import DeviceKit
import HAPTransport
import LineRPC
import SystemKit
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
    func run(_ report: @escaping (StartReport) -> Void) throws {
        let steps = StartSteps(splitting: { ($0 as? ConfigurationError).map { ($0.finding, $0.remedy) } }, report)
        let wanted = try steps.check(.configuration) {
            let wanted = try BridgeConfiguration.load(
                from: configuration, drivers: drivers, instance: places.stateDirectory)
            _ = try wanted.bridge.ownership?.requirement()
            return (wanted, "\(configuration) is valid")
        }
        try steps.check(.state) {
            try DatabaseFile.inspect(
                places.database, migrator: BridgeDatabase.migrator, applicationID: BridgeDaemon.applicationID)
            return ((), "\(places.stateDirectory) is usable")
        }
        try steps.check(.port) {
            guard case .fixed(let port) = wanted.bridge.port else { return ((), "a free port will be used") }
            guard !PortHolder.exists(on: Int(port)) else { throw ListenerError.portTaken(Int(port)) }
            return ((), "\(port) is free")
        }
        try steps.check(.metrics) {
            guard let listen = wanted.metrics?.listen else { return ((), "no address is configured") }
            guard !PortHolder.exists(on: Int(listen.port)) else {
                throw MetricsListenerError(address: listen, cause: .portTaken(Int(listen.port)))
            }
            return ((), "\(listen) is free")
        }
        try steps.check(.socket) {
            try LineRPCServer.inspect(places.controlSocket)
            return ((), "\(places.controlSocket) can be created")
        }
    }
}
