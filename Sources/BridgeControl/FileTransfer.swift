import BoundedJSON
import LineRPC
import Synchronization

/// What the bridge asks of the operator's side while a file travels.
enum FileRequest: BridgeCall {
    /// Keep these bytes.
    case writePart(FilePart)
    /// Answer with the ``FilePart`` from an offset on, at most ``FileTransfer/partSize``.
    case readPart(offset: Int)

    package enum CodingKeys: String, MethodKey {
        case writePart = "part.write"
        case readPart = "part.read"
    }
}

struct FilePart: BridgeMessage {
    /// In base64.
    package var data: String

    init(_ bytes: [UInt8]) { data = Base64.encode(bytes) }

    /// - Throws: ``BridgeControlError`` with code 76 if they are no base64.
    func bytes() throws(BridgeControlError) -> [UInt8] {
        guard let bytes = Base64.decode(data) else {
            throw .protocolViolation("the key \"data\" has a value of the wrong type")
        }
        return bytes
    }
}

/// The bridge's part in carrying a file over the socket.
///
/// It asks the operator's side for each step, so that neither side ever has more than one part to hold for the other.
package enum FileTransfer {
    /// How many bytes of a file travel at once; in base64 they fit into a line.
    static let partSize = 256 << 10
    /// The largest file that travels, in bytes.
    package static let maximumFileSize = 64 << 20

    static func send(_ bytes: [UInt8], to peer: LineRPCPeer) async throws {
        var rest = bytes[...]
        while !rest.isEmpty {
            let part = Array(rest.prefix(partSize))
            rest = rest.dropFirst(part.count)
            _ = try await peer.call(FileRequest.writePart(FilePart(part)))
        }
    }

    static func receive(size: Int, from peer: LineRPCPeer) async throws -> [UInt8] {
        guard (0...maximumFileSize).contains(size) else {
            throw BridgeControlError(code: 65, message: "this is no backup of a bridge: it is too large")
        }
        var bytes: [UInt8] = []
        while bytes.count < size {
            let part = try FilePart(json: await peer.call(FileRequest.readPart(offset: bytes.count))).bytes()
            guard !part.isEmpty, part.count <= size - bytes.count else {
                throw BridgeControlError.protocolViolation("the file does not have the size that was told")
            }
            bytes += part
        }
        return bytes
    }
}

extension LineRPCPeer {
    fileprivate func call(_ request: FileRequest) async throws -> JSONValue {
        try await call(request.method, request.params)
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
        switch try FileRequest(method: method, params: params) {
        case .writePart(let part)?:
            let bytes = try part.bytes()
            try contents.withLock { contents in
                guard contents.count + bytes.count <= FileTransfer.maximumFileSize else {
                    throw RPCFailure(code: 65, message: "the file is too large")
                }
                contents += bytes
            }
            return [:]
        case .readPart(let offset)?:
            let part = contents.withLock { contents in
                Array(contents.dropFirst(max(0, offset)).prefix(FileTransfer.partSize))
            }
            return FilePart(part).json
        case nil: throw RPCFailure.methodNotFound(method)
        }
    }
}
