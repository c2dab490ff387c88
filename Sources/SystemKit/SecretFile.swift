import Glibc

/// A file that contains a secret on its first line, and that only its owner and its group may read.
package struct SecretFile: Equatable, Sendable {
    /// The reason why no secret can be read from the file.
    ///
    /// It names the file, but never includes the file's content.
    package struct Problem: Error, Equatable {
        package let text: String

        package init(text: String) { self.text = text }
    }

    private static let longest = 4096

    private let key: String
    private let secret: String
    private let path: String

    /// Creates a reference to a file, which is read each time the secret is needed.
    ///
    /// `key` is the configuration key that names the file, and `secret` describes its content, such as "password". Both
    /// appear in error messages.
    package init(_ path: String, key: String, of secret: String) {
        self.path = path
        self.key = key
        self.secret = secret
    }

    /// Reads the secret, which is the file's first line.
    ///
    /// - Throws: ``Problem`` if the file can't be read, is readable by all users, or contains no valid secret.
    package func read() throws(Problem) -> String {
        let file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard file >= 0 else { throw problem("can't be read (\(FileAccess.reason(path, .last)))") }
        defer { close(file) }
        var status = stat()
        guard fstat(file, &status) == 0 else { throw problem("can't be read (\(SystemError.last.reason))") }
        guard status.st_mode & S_IFMT == S_IFREG else { throw problem("isn't a file") }
        guard status.st_mode & 0o007 == 0 else {
            throw problem("can be read by all users of this computer; run chmod o= on the file")
        }
        guard status.st_size <= Self.longest else { throw problem("is too long for a \(secret)") }
        let bytes: [UInt8]
        do throws(SystemError) { bytes = try OpenFile(file).read(limit: Self.longest) } catch {
            throw problem("can't be read (\(error.reason))")
        }
        guard bytes.count <= Self.longest else { throw problem("is too long for a \(secret)") }
        let line = bytes.prefix { $0 != 0x0A && $0 != 0x0D }
        guard !line.isEmpty else { throw problem("is empty; put the \(secret) on its first line") }
        guard !line.contains(0), let text = String(validating: line, as: UTF8.self) else {
            throw problem("isn't text; put the \(secret) on its first line as UTF-8")
        }
        return text
    }

    private func problem(_ text: String) -> Problem { Problem(text: "\(key) \(path) \(text)") }
}
