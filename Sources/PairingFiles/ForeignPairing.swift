internal import BoundedJSON
package import HAPModel
package import TerminalKit

/// The pairing of another controller with an accessory.
package struct ForeignPairing: Equatable, Sendable {
    package let deviceID: DeviceID
    /// The accessory's long-term public key, 32 bytes.
    package let accessoryKey: [UInt8]
    /// The controller's identifier, 1 to 36 bytes.
    package let controller: String
    /// The seed of the controller's long-term key, 32 bytes.
    package let seed: [UInt8]
}

// Prevent printing the seed by accident.
extension ForeignPairing: CustomStringConvertible, CustomReflectable {
    package var description: String { "(pairing with \(deviceID))" }
    package var customMirror: Mirror { Mirror(self, children: []) }
}

/// An entry of a file with pairings.
package struct ForeignPairingEntry: Sendable {
    /// The other program's name for the accessory.
    package let name: String
    /// The pairing, or the reason why it can't be imported.
    package let pairing: Result<ForeignPairing, TerminalError>

    /// Parses the data of a pairing.
    init(_ file: JSONFile, _ data: JSONValue, name: String) {
        self.name = name
        pairing = Result { () throws(TerminalError) in try ForeignPairing(file, data, name: name) }
    }
}

/// A file of aiohomekit, with a pairing for each alias.
package enum AiohomekitFile {
    /// Returns the entries of a file.
    ///
    /// - Throws: `TerminalError` if the file can't be read.
    package static func entries(_ path: String) throws(TerminalError) -> [ForeignPairingEntry] {
        let file = try JSONFile(path)
        guard let members = file.content.object?.members, members.allSatisfy({ $0.value.object != nil }) else {
            throw .badData(path, "isn't a pairing file of aiohomekit")
        }
        return members.map { ForeignPairingEntry(file, $0.value, name: $0.name) }
    }
}

extension ForeignPairing {
    /// Parses a pairing in the form of aiohomekit, which is also Home Assistant's.
    init(_ file: JSONFile, _ data: JSONValue, name: String) throws(TerminalError) {
        func value<Value>(_ key: String, _ read: (JSONValue) -> Value?) throws(TerminalError) -> Value {
            guard let value = data[key].flatMap(read) else {
                throw .badData(file.path, "has no valid value for \"\(key)\" of \"\(name)\"")
            }
            return value
        }
        let connection = data["Connection"]?.string ?? "IP"
        guard connection == "IP" else {
            let way = connection == "BLE" ? "Bluetooth" : connection == "CoAP" ? "Thread" : "\"\(connection)\""
            throw TerminalError(
                code: 65, message: "it's connected by \(way), but the home hub supports only IP networks")
        }
        deviceID = try value("AccessoryPairingID") { $0.string.flatMap { DeviceID($0) } }
        accessoryKey = try value("AccessoryLTPK", \.key)
        controller = try value("iOSPairingId") { $0.string.flatMap { (1...36).contains($0.utf8.count) ? $0 : nil } }
        seed = try value("iOSDeviceLTSK", \.key)
    }
}
