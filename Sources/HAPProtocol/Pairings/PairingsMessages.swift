internal import HAPCrypto

/// A request to `/pairings` (HAP 6.4).
package enum PairingsRequest: Equatable, Sendable {
    case add(Pairing)
    case remove(ControllerID)
    case list

    /// Parses a request's body.
    ///
    /// - Throws: ``ProtocolViolation``; reject the request with status 400.
    package init(parsing body: [UInt8]) throws(ProtocolViolation) {
        let message = try PairingTLV(parsing: body)
        guard try message.state() == 1 else { throw .unexpectedState }
        switch PairingMethod(rawValue: try message.byte(.method) ?? 0xFF) {
        case .addPairing:
            guard let permissions = try message.byte(.permissions), permissions <= 1 else {
                throw .badItem(.permissions)
            }
            let length = Ed25519.publicKeyLength
            self = .add(
                Pairing(
                    controller: try message.controller(),
                    publicKey: try message.required(.publicKey, length: length...length), isAdmin: permissions == 1))
        case .removePairing: self = .remove(try message.controller())
        case .listPairings: self = .list
        case .pairSetup, .pairSetupWithAuth, .pairVerify, .pairResume, nil: throw .badItem(.method)
        }
    }

    /// The request as a TLV8 body.
    package var encoded: [UInt8] {
        switch self {
        case .add(let pairing):
            PairingTLV.message(
                1, (.method, [PairingMethod.addPairing.rawValue]), (.identifier, pairing.controller.bytes),
                (.publicKey, pairing.publicKey), (.permissions, [pairing.isAdmin ? 1 : 0])
            ).encoded
        case .remove(let controller):
            PairingTLV.message(
                1, (.method, [PairingMethod.removePairing.rawValue]), (.identifier, controller.bytes)
            ).encoded
        case .list: PairingTLV.message(1, (.method, [PairingMethod.listPairings.rawValue])).encoded
        }
    }
}

/// A response from `/pairings`.
package enum PairingsResponse: Equatable, Sendable {
    case done
    case list([Pairing])
    case failed(PairingError)

    /// Parses a response's body.
    ///
    /// `list` indicates whether the request asked for the list of pairings.
    ///
    /// - Throws: ``ProtocolViolation`` if the body is invalid.
    package init(parsing body: [UInt8], list: Bool) throws(ProtocolViolation) {
        let message = try PairingTLV(parsing: body)
        guard try message.state() == 2 else { throw .unexpectedState }
        if let error = try message.byte(.error) {
            self = .failed(PairingError(rawValue: error) ?? .unknown)
        } else if list {
            var pairings: [Pairing] = []
            for record in message.list where record[.identifier] != nil {
                let length = Ed25519.publicKeyLength
                pairings.append(
                    Pairing(
                        controller: try record.controller(),
                        publicKey: try record.required(.publicKey, length: length...length),
                        isAdmin: try record.byte(.permissions) == 1))
            }
            self = .list(pairings)
        } else {
            self = .done
        }
    }

    /// The response as a TLV8 body.
    package var encoded: [UInt8] {
        switch self {
        case .done: return PairingTLV.message(2).encoded
        case .failed(let error): return PairingTLV.failure(2, error).encoded
        case .list(let pairings):
            var message = PairingTLV.message(2)
            for (index, pairing) in pairings.enumerated() {
                var record = PairingTLV()
                record[.identifier] = pairing.controller.bytes
                record[.publicKey] = pairing.publicKey
                record[.permissions] = [pairing.isAdmin ? 1 : 0]
                message.append(record, joining: index == 0)
            }
            return message.encoded
        }
    }
}

extension PairingTLV {
    /// Returns the controller's identifier.
    ///
    /// - Throws: `badItem` if the identifier is missing, empty or too long.
    package func controller() throws(ProtocolViolation) -> ControllerID {
        guard let controller = ControllerID(self[.identifier] ?? []) else { throw .badItem(.identifier) }
        return controller
    }
}
