import HAPController

@main
struct Remote {
    static func main() async throws {
        let arguments = CommandLine.arguments
        guard arguments.count == 4, let port = Int(arguments[2]),
            let endpoint = AccessoryEndpoint(host: arguments[1], port: port), let code = SetupCode(arguments[3])
        else { return print("usage: Remote ADDRESS PORT SETUP-CODE") }

        let controller = Controller(store: FilePairingStore(path: "remote.pairings"))
        do throws(ControllerError) {
            let id = try await controller.pair(at: endpoint, code: code)
            print("paired with \(id)")
        } catch {
            print("not paired: \(error.message)")
        }
    }
}
