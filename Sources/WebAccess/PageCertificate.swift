import Glibc
import SystemKit
package import TerminalKit

/// The self-signed certificate of the page with its key, in a PEM file in the state directory of `homeweb`.
///
/// `homehub web --https` creates it. `homeweb` uses it from the next start, unless its options name a certificate.
package struct PageCertificate: Sendable {
    /// The validity in days.
    ///
    /// Apple's systems reject certificates that are valid for more than 825 days.
    package static let validity = 820

    private let directory: String
    package var path: String { directory + "/https.pem" }

    /// Creates the certificate of the page with the given state directory.
    package init(directory: String) { self.directory = directory }

    /// A Boolean value that indicates whether there is a certificate.
    package var exists: Bool { access(path, F_OK) == 0 }

    /// The names of this computer, under which browsers may request the page.
    package static var computerNames: [String] {
        var buffer = [CChar](repeating: 0, count: 256)
        guard gethostname(&buffer, buffer.count - 1) == 0 else { return ["localhost"] }
        let name = String(decoding: buffer.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
        return ["localhost", name, "\(name).local"]
    }

    /// Replaces the certificate atomically.
    ///
    /// `body` receives the descriptor of the new file.
    ///
    /// - Throws: `TerminalError` if the file can't be written, or the errors of `body`. The former file is then unchanged.
    package func replace(_ body: (CInt) throws -> Void) throws { try OutputFile.make(path, in: directory, body) }

    /// Removes the certificate, if there is one.
    ///
    /// - Throws: `TerminalError` with code 74 if it can't be removed.
    package func remove() throws(TerminalError) {
        guard unlink(path) == 0 || errno == ENOENT else {
            throw TerminalError(code: 74, message: "can't remove \(path): \(SystemError.last.reason)")
        }
    }
}
