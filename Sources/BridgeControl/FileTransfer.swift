import BoundedJSON
import FoundationEssentials
import LineRPC
import Synchronization

/// The bridge's part in carrying a file over the socket: it asks the operator's side for each step, so that neither
/// side ever has more than one part to hold for the other.
enum FileTransfer {
    static func send(_ bytes: [UInt8], to peer: LineRPCPeer) async throws {
        var rest = bytes[...]
        while !rest.isEmpty {
            let part = Array(rest.prefix(BridgeControlMethod.partSize))
            rest = rest.dropFirst(part.count)
            _ = try await peer.call(BridgeControlMethod.writePart, ["data": .string(Data(part).base64EncodedString())])
        }
    }

    static func receive(size: Int, from peer: LineRPCPeer) async throws -> [UInt8] {
        guard (0...BridgeControlMethod.maximumFileSize).contains(size) else {
            throw BridgeControlError(code: 65, message: "this is no backup of a bridge: it is too large")
        }
        var bytes: [UInt8] = []
        while bytes.count < size {
            let answer = try await peer.call(BridgeControlMethod.readPart, ["offset": .integer(bytes.count)])
            let part = try answer.value("data") { $0.string.flatMap { Data(base64Encoded: $0) } }
            guard !part.isEmpty, part.count <= size - bytes.count else {
                throw BridgeControlError.protocolViolation("the file does not have the size that was told")
            }
            bytes += part
        }
        return bytes
    }
}

/// The operator's part: the file that is being carried.
final class TransferredFile: LineRPCHandler {
    private let contents = Mutex<[UInt8]>([])

    var bytes: [UInt8] { contents.withLock { $0 } }

    /// Begins anew, with what is to be sent, or with nothing.
    func begin(with bytes: [UInt8]) -> TransferredFile {
        contents.withLock { $0 = bytes }
        return self
    }

    func call(_ method: String, _ params: JSONValue, from peer: LineRPCPeer) async throws -> JSONValue {
        switch method {
        case BridgeControlMethod.writePart:
            let part = try params.value("data") { $0.string.flatMap { Data(base64Encoded: $0) } }
            try contents.withLock { contents in
                guard contents.count + part.count <= BridgeControlMethod.maximumFileSize else {
                    throw RPCFailure(code: 65, message: "the file is too large")
                }
                contents += part
            }
            return [:]
        case BridgeControlMethod.readPart:
            let offset = try params.value("offset", \.int)
            let part = contents.withLock { contents in
                Array(contents.dropFirst(max(0, offset)).prefix(BridgeControlMethod.partSize))
            }
            return ["data": .string(Data(part).base64EncodedString())]
        default: throw RPCFailure.methodNotFound(method)
        }
    }
}
