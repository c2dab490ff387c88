import AccessoryRole
import BoundedJSON
import DeviceBridge
import DeviceKit
import HAPCrypto
import HAPModel
import HAPProtocol
import HAPTesting

/// Measures encryption, parsing and serialization.
enum Parts {
    static func sealing() async throws {
        let frame = [UInt8](repeating: 0x5A, count: SecureFramer.maximumContent)
        let key = SecretBytes.random(count: ChaCha20Poly1305.keyLength)
        let nonce = ChaCha20Poly1305.Nonce(bytes: [UInt8](repeating: 7, count: 12))
        let cipher = ChaCha20Poly1305(key: key)
        await Timing { count in
            for _ in 0..<count { blackHole(cipher.seal(frame, nonce: nonce)) }
        }.report("reference: libsodium seals 1 KiB", bytes: frame.count)

        let body = [UInt8](repeating: 0x5A, count: 64 * 1024)
        var framer = SecureFramer(sealingKey: key, openingKey: key)
        try await Timing { count in
            for _ in 0..<count {
                var frames: [UInt8] = []
                try framer.seal(body, to: &frames)
                blackHole(frames)
            }
        }.report("seal 64 KiB", bytes: body.count)

        let keys = SessionKeys(read: .random(count: key.count), write: .random(count: key.count))
        var accessory = MessageStream(role: .accessory)
        var controller = MessageStream(role: .controller)
        accessory.secure(with: keys)
        controller.secure(with: keys)
        let response = HTTPMessage.response(HTTPResponse(200, .hapJSON, body: body))
        try await Timing { count in
            for _ in 0..<count {
                controller.received(try accessory.encode(response))
                guard let message = try controller.next() else { throw Wrong() }
                blackHole(message)
            }
        }.report("encrypt and decrypt a response of 64 KiB", bytes: body.count)
    }

    static func messages() async throws {
        let entry = WriteRequest.Entry(id: CharacteristicID(AccessoryID(2), InstanceID(10)), value: .bool(true))
        let write = HTTPMessage.request(
            HTTPRequest(.put, "/characteristics", body: WriteRequest(entries: [entry]).encoded))
        let bytes = HTTPSerializer.bytes(of: write)
        var parser = HTTPParser(requests: true)
        try await Timing { count in
            for _ in 0..<count {
                parser.append(bytes)
                guard let message = try parser.next() else { throw Wrong() }
                blackHole(message)
            }
        }.report("parse the HTTP of a write")

        guard case .request(let request) = write else { throw Wrong() }
        try await Timing { count in
            for _ in 0..<count {
                guard let parsed = WriteRequest(parsing: request.body) else { throw Wrong() }
                blackHole(parsed)
            }
        }.report("parse the JSON of a write")

        let response = HTTPMessage.response(HTTPResponse(200, .hapJSON, body: request.body))
        await Timing { count in
            for _ in 0..<count { blackHole(HTTPSerializer.bytes(of: response)) }
        }.report("write the HTTP of a response")

        await Timing { count in
            for _ in 0..<count {
                var body = CharacteristicsBody()
                body.append(entry.id, value: .bool(true))
                blackHole(body.finished())
            }
        }.report("write the JSON of an event")
    }

    static func pairingTLV() async throws {
        // Use M3 of pair setup. It is the longest message, and its key is split into two fragments.
        let message = PairingTLV.message(
            3, (.publicKey, RandomBytes.make(count: SRP.length)), (.proof, RandomBytes.make(count: SRP.proofLength)))
        await Timing { count in
            for _ in 0..<count { blackHole(message.encoded) }
        }.report("write the TLV of M3")
        let bytes = message.encoded
        try await Timing { count in
            for _ in 0..<count { blackHole(try PairingTLV(parsing: bytes)) }
        }.report("parse the TLV of M3")
    }

    /// Measures the attribute database of the largest bridge: its serialization by the accessory and its parsing by a
    /// controller.
    static func databases() async throws {
        let capabilities = LightCapabilities(brightness: true, color: true, temperature: 153...500)
        let lights = (1..<AccessoryDatabase.maximumAccessories).map {
            LightDescription(id: LightID("light\($0)"), name: "Light \($0)", capabilities: capabilities)
        }
        let bridge = try await BridgeUnderTest(InMemoryAccessoryServerStore(), lights: lights)
        let accessories = await bridge.server.accessories
        func body() -> [UInt8] {
            var json = JSONWriter(reserving: 256 * 1024)
            json.raw("{\"accessories\":[")
            for (index, accessory) in accessories.enumerated() {
                if index > 0 { json.raw(",") }
                json.accessory(accessory)
            }
            json.raw("]}")
            return json.bytes
        }
        let bytes = body()
        guard try AccessoryDatabase(parsing: bytes).accessories.count == AccessoryDatabase.maximumAccessories else {
            throw Wrong()
        }
        await Timing { count in
            for _ in 0..<count { blackHole(body()) }
        }.report("write the JSON of 150 accessories", bytes: bytes.count)
        try await Timing { count in
            for _ in 0..<count { blackHole(try AccessoryDatabase(parsing: bytes)) }
        }.report("parse the JSON of 150 accessories", bytes: bytes.count)
    }
}
