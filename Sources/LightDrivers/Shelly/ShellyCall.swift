package import BoundedJSON
import SodiumKit

/// A remote procedure call to a Shelly device, which is one message on its WebSocket.
package struct ShellyCall: Equatable, Sendable {
    package var number: Int
    package var method: String
    package var params: JSONValue?
    /// The authentication challenge that the call must answer; `nil` if the device requires no password.
    package var challenge: ShellyChallenge?

    /// Returns the message as JSON.
    ///
    /// `clientNonce` must be random and different for each call.
    package func encoded(password: String?, clientNonce: String) -> [UInt8] {
        // Devices report changes only to clients that send a source name.
        var message: JSONObject = ["id": .integer(Int64(number)), "src": "lamplighter", "method": .string(method)]
        message["params"] = params
        if let challenge, let password {
            message["auth"] = challenge.answer(password: password, clientNonce: clientNonce)
        }
        return JSONValue.object(message).encoded
    }
}

/// A device's authentication challenge.
///
/// It is answered as in HTTP digest authentication with SHA-256 (RFC 7616), but with fixed words instead of the method
/// and the URI.
package struct ShellyChallenge: Equatable, Sendable {
    private static let user = "admin"

    private let realm: String
    /// The nonce, which is a number or a string.
    ///
    /// The answer must repeat it unchanged.
    private let nonce: JSONValue
    /// The nonce count of the next call.
    private var count: Int
    /// A Boolean value that indicates whether this challenge replaces an expired challenge.
    ///
    /// If so, the device didn't reject the password in the previous answer.
    let isStale: Bool

    /// Parses the message of a 401 error.
    ///
    /// Returns `nil` if it isn't a valid challenge for SHA-256.
    package init?(_ message: String) {
        guard let json = try? JSONValue(parsing: Array(message.utf8), maximumLength: 1024),
            json["algorithm"]?.string == "SHA-256", let realm = json["realm"]?.string, let nonce = json["nonce"],
            nonce.string != nil || nonce.int != nil
        else { return nil }
        self.realm = realm
        self.nonce = nonce
        isStale = json["stale"]?.bool ?? (json["stale"]?.string?.lowercased() == "true")
        count = max(json["nc"]?.int ?? json["nc"]?.string.flatMap { Int($0) } ?? 1, 0)
    }

    /// Returns the challenge for the next call and increments the nonce count.
    mutating func next() -> ShellyChallenge {
        defer { count &+= 1 }
        return self
    }

    func answer(password: String, clientNonce: String) -> JSONValue {
        let nonceText = nonce.string ?? nonce.text
        let owner = Self.hash("\(Self.user):\(realm):\(password)")
        let place = Self.hash("dummy_method:dummy_uri")
        return [
            "realm": .string(realm), "username": .string(Self.user), "nonce": nonce, "nc": .integer(Int64(count)),
            "cnonce": .string(clientNonce), "algorithm": "SHA-256",
            "response": .string(Self.hash("\(owner):\(nonceText):\(count):\(clientNonce):auth:\(place)")),
        ]
    }

    private static func hash(_ text: String) -> String { SHA256.hash(Array(text.utf8)).hexDigits }
}
