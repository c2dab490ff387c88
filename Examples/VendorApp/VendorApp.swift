// A manufacturer's app. It provides the proof that the manufacturer's accessories require before they can be added to a
// home.
//
//     vendor-app VENDOR TOKEN-FILE [SOCKET]
//
// VENDOR is the name that the accessories advertise. A real app would request the token from the manufacturer's
// service; this example reads it from a file. Run it, and add an accessory of that vendor with another app.

import FoundationEssentials
import Glibc
import HomeClient

@main
struct VendorApp {
    static func main() async throws {
        let arguments = Array(CommandLine.arguments.dropFirst())
        guard arguments.count >= 2 else {
            print("usage: vendor-app VENDOR TOKEN-FILE [SOCKET]")
            return
        }
        let app = AppDeclaration(
            id: "org.example.vendor-app", usageDescription: "To add the accessories of \(arguments[0]) to your home.",
            capabilities: [.home, .setupPayload, .vendor], vendor: arguments[0])
        try await withHomeManager(app, socket: arguments.dropFirst(2).first) { manager in
            let events = manager.events()
            do throws(HomeError) {
                try await manager.waitUntilLoaded()
            } catch {
                guard error.code == .homeAccessNotAuthorized else { throw error }
                return say("This app has no access to your home. To allow it: homehub privacy allow \(app.id)")
            }
            for await event in events {
                switch event {
                case .addAccessoryRequest(let request): await answer(request, tokenFile: arguments[1], manager)
                case .homesUpdated: await list(manager)
                case .authorizationStatusUpdated(let status) where !status.contains(.authorized):
                    say("This app no longer has access to your home.")
                default: break
                }
            }
        }
    }

    /// Adds the requested accessory if there is a token for it.
    static func answer(_ request: AddAccessoryRequest, tokenFile: String, _ manager: HomeManager) async {
        do {
            // A real app would request a challenge from the accessory, and the response from the manufacturer's
            // service.
            guard let bytes = try? Data(contentsOf: URL(filePath: tokenFile)),
                let token = AccessoryOwnershipToken(data: Array(bytes)),
                let payload = request.makePayload(ownershipToken: token)
            else {
                try await manager.decline(request)
                return say("Declined \(request.accessoryName): there is no token for it, or no setup code yet.")
            }
            switch try await manager.addAndSetupAccessories(with: payload, to: request.home) {
            case .added(let accessories):
                say("Added \(accessories.map(\.name).joined(separator: ", ")).")
            case .handedOver(let appName):
                say("Continue in \(appName).")
            }
        } catch {
            say("Couldn't add \(request.accessoryName): \(error)")
        }
    }

    /// Prints a line immediately, even to a pipe.
    static func say(_ line: String) {
        print(line)
        fflush(nil)
    }

    /// Lists all accessories by home and room.
    static func list(_ manager: HomeManager) async {
        for home in await manager.homes {
            for group in home.grouped(by: .room) {
                say("\(group.name): \(group.accessories.map(\.name).joined(separator: ", "))")
            }
        }
    }
}
