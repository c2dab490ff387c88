import HAPAccessory
import HAPTransport
import ServiceLifecycle

/// The accessory server and the port that leads to it.
struct ServerService: Service {
    let server: AccessoryServer
    let listener: AccessoryListener

    func run() async throws {
        try? await gracefulShutdown()
        await listener.close()
        await server.stop()
    }
}
