import HAPController

@main
struct Remote {
    static func main() async throws {
        let arguments = CommandLine.arguments
        guard arguments.count == 4, let port = Int(arguments[2]),
            let endpoint = AccessoryEndpoint(host: arguments[1], port: port), let code = SetupCode(arguments[3])
        else { return print("usage: Remote ADDRESS PORT SETUP-CODE") }

        let controller = Controller(store: FilePairingStore(path: "remote.pairings"))
        let id = try await controller.pair(at: endpoint, code: code)
        print("paired with \(id)")

        try await controller.withAccessory(id) { accessory in
            for found in try await accessory.accessories() {
                print("accessory \(found.aid): \(found.services.map(\.type))")
            }
            guard let power = accessory.characteristics(.on, in: .lightbulb).first,
                let brightness = accessory.characteristics(.brightness).first,
                let temperature = accessory.characteristics(.currentTemperature).first
            else { return print("this isn't a lamp with a thermometer") }

            print("on: \(try await accessory.read(power))")
            try await accessory.write(.bool(true), to: power)
            let results = try await accessory.write([brightness: .integer(40), power: .bool(true)], timed: true)
            for case (let id, .failure(let status)) in results { print("\(id) refused: \(status)") }
            print("on: \(try await accessory.read(power))")

            var seen: Set<CharacteristicValue> = []
            for await event in try await accessory.events(of: [temperature]) {
                guard case .value(temperature, let value) = event else { continue }
                print("temperature: \(value)")
                seen.insert(value)
                if seen.count == 2 { break }
            }

            try await accessory.identify()
            try await accessory.unpair()
            print("unpaired")
        }
    }
}
