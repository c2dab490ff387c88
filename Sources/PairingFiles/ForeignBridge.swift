package import HAPModel
package import TerminalKit

/// A bridge of another program.
package struct ForeignBridge: Sendable {
    /// The name of the bridge; it isn't part of the identity.
    package let name: String
    /// The device ID; `nil` if it's unknown.
    package let deviceID: DeviceID?
    /// The number of accessories that the bridge has shown, without itself.
    package let accessories: Int
    /// The identity, or the reason why the bridge can't be imported.
    package let identity: Result<BridgeIdentity, TerminalError>

    /// The name and, if known, the device ID.
    package var label: String { deviceID.map { "\"\(name)\" (\($0))" } ?? "\"\(name)\"" }

    /// Returns the bridge with a name or a device ID, or the only bridge if `wanted` is `nil`.
    ///
    /// - Throws: `TerminalError` if none or several match.
    package static func choose(_ wanted: String?, from bridges: [ForeignBridge]) throws(TerminalError) -> ForeignBridge
    {
        let matches = bridges.filter { bridge in
            guard let wanted else { return true }
            return bridge.name == wanted || (bridge.deviceID != nil && bridge.deviceID == DeviceID(wanted))
        }
        guard matches.count != 1 else { return matches[0] }
        let labels = bridges.map(\.label).joined(separator: ", ")
        guard !bridges.isEmpty else { throw TerminalError(code: 66, message: "the directory contains no bridge") }
        if let wanted, matches.isEmpty {
            throw .usage("no bridge is called \"\(wanted)\"; choose one of these with --bridge: \(labels)")
        }
        throw .usage("there are several bridges; choose one by its device ID with --bridge: \(labels)")
    }
}

/// The identity of a bridge and its paired controllers, as `lamplighterd` imports them.
package struct BridgeIdentity: Codable, Equatable, Sendable {
    package struct Controller: Codable, Equatable, Sendable {
        /// The identifier, 1 to 36 bytes.
        package let id: [UInt8]
        /// The long-term public key, 32 bytes.
        package let publicKey: [UInt8]
        package let isAdmin: Bool
    }

    /// The device ID, as text.
    package let deviceID: String
    /// The seed of the long-term key, 32 bytes.
    package let seed: [UInt8]
    /// The long-term public key, 32 bytes, as a check of the seed.
    package let publicKey: [UInt8]
    /// The setup code and the setup ID, if they are stored.
    package let setupCode: String?
    package let setupID: String?
    /// The last `c#`.
    package let configurationNumber: Int
    package let controllers: [Controller]
    /// The highest aid of the bridge's accessories.
    ///
    /// It doesn't include aids above ``highestKnownAID``, which Lamplighter never reaches.
    package let highestAID: UInt64

    /// The aid above which aids don't matter.
    package static let highestKnownAID: UInt64 = 1 << 52

    /// Returns the highest aid that matters for new accessories, at least 1.
    static func highest(of aids: [UInt64]) -> UInt64 { aids.filter { $0 <= highestKnownAID }.max() ?? 1 }

    /// The maximum number of pairings, which is also the maximum of `lamplighterd`.
    static let maximumPairings = 64

    /// Checks the pairings of a bridge.
    ///
    /// - Throws: `TerminalError` if the number of pairings is 0 or too high, if no controller is an admin, or if an
    ///   identifier is invalid.
    static func checked(_ controllers: [Controller], _ file: JSONFile) throws(TerminalError) -> [Controller] {
        guard !controllers.isEmpty else {
            throw .badData(file.path, "contains no pairing; pair this bridge with its own setup code instead")
        }
        guard controllers.count <= maximumPairings else {
            throw .badData(file.path, "contains more than \(maximumPairings) pairings")
        }
        guard controllers.contains(where: \.isAdmin) else {
            throw .badData(file.path, "contains no pairing of an admin")
        }
        guard controllers.allSatisfy({ (1...36).contains($0.id.count) }),
            Set(controllers.map(\.id)).count == controllers.count
        else { throw .badData(file.path, "contains an invalid pairing") }
        return controllers
    }
}

// Prevent printing the seed by accident.
extension BridgeIdentity: CustomStringConvertible, CustomReflectable {
    package var description: String { "(identity of \(deviceID))" }
    package var customMirror: Mirror { Mirror(self, children: []) }
}

/// An import, which `lamplighter` sends to `lamplighterd --import-identity`.
package struct BridgeImport: Codable, Sendable {
    package let identity: BridgeIdentity
    /// A Boolean value that indicates whether the pairings of the present bridge may be lost.
    package let replacesPairings: Bool
    /// A Boolean value that indicates whether the import is only checked.
    package let isTrial: Bool

    package init(identity: BridgeIdentity, replacesPairings: Bool, isTrial: Bool) {
        self.identity = identity
        self.replacesPairings = replacesPairings
        self.isTrial = isTrial
    }
}
