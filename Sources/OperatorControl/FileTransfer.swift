package import BoundedJSON
import Glibc
package import LineRPC
import Synchronization
import SystemKit

/// A request from the daemon to the operator's side during a file transfer.
enum FileRequest: OperatorCall {
    /// Requests that the operator's side store these bytes.
    case writePart(FilePart)
    /// Requests the ``FilePart`` at the given offset, with at most ``FileTransfer/partSize`` bytes.
    case readPart(offset: Int)

    package enum CodingKeys: String, MethodKey {
        case writePart = "part.write"
        case readPart = "part.read"
    }
}

struct FilePart: OperatorMessage {
    /// The bytes in Base64.
    package var data: String

    init(_ bytes: [UInt8]) { data = Base64.encode(bytes) }

    /// Decodes the bytes.
    ///
    /// - Throws: ``OperatorError`` with code 76 if the data isn't valid Base64.
    func bytes() throws(OperatorError) -> [UInt8] {
        guard let bytes = Base64.decode(data) else {
            throw .protocolViolation("the key \"data\" has a value of the wrong type")
        }
        return bytes
    }
}

/// The daemon's side of a file transfer over the control socket.
///
/// The daemon requests or sends one part at a time, so that no more than one part is in transit.
package enum FileTransfer {
    /// The number of bytes per part.
    ///
    /// Encoded in Base64, a part fits into one line of the protocol.
    static let partSize = 256 << 10
    /// The size of the largest file to transfer, in bytes.
    package static let maximumFileSize = 64 << 20

    package static func send(_ bytes: [UInt8], to peer: LineRPCPeer) async throws {
        var rest = bytes[...]
        while !rest.isEmpty {
            let part = Array(rest.prefix(partSize))
            rest = rest.dropFirst(part.count)
            _ = try await peer.call(FileRequest.writePart(FilePart(part)))
        }
    }

    /// Sends the rest of an open file without loading all of it into memory; returns the number of bytes.
    package static func send(file: CInt, to peer: LineRPCPeer) async throws -> Int {
        var size = 0
        while true {
            let part = try OpenFile(file).readPart(atMost: partSize)
            guard !part.isEmpty else { return size }
            _ = try await peer.call(FileRequest.writePart(FilePart(part)))
            size += part.count
        }
    }

    package static func receive(size: Int, from peer: LineRPCPeer) async throws -> [UInt8] {
        guard (0...maximumFileSize).contains(size) else {
            throw OperatorError(code: 65, message: "not a backup: the file is too large")
        }
        var bytes: [UInt8] = []
        while bytes.count < size {
            let part = try FilePart(json: await peer.call(FileRequest.readPart(offset: bytes.count))).bytes()
            guard !part.isEmpty, part.count <= size - bytes.count else {
                throw OperatorError.protocolViolation("the file size doesn't match")
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

/// The operator's side of the transfer of a file in memory.
package final class TransferredFile: LineRPCHandler {
    private let contents = Mutex<[UInt8]>([])

    package init() {}

    package var bytes: [UInt8] { contents.withLock { $0 } }

    /// Prepares a transfer.
    ///
    /// `bytes` is the file to send, or empty to receive a file.
    package func begin(with bytes: [UInt8]) -> TransferredFile {
        contents.withLock { $0 = bytes }
        return self
    }

    package func call(_ method: String, _ params: JSONValue, from peer: LineRPCPeer) async throws -> JSONValue {
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

/// The operator's side of a transfer into an open file.
///
/// A failed write ends the transfer.
package struct ReceivedFile: LineRPCHandler {
    private let file: CInt

    package init(_ file: CInt) { self.file = file }

    package func call(_ method: String, _ params: JSONValue, from peer: LineRPCPeer) async throws -> JSONValue {
        guard case .writePart(let part)? = try FileRequest(method: method, params: params) else {
            throw RPCFailure.methodNotFound(method)
        }
        let bytes = try part.bytes()
        do { try OpenFile(file).write(bytes) } catch {
            throw RPCFailure(code: 74, message: "can't write the file: \(error.reason)")
        }
        return [:]
    }
}
