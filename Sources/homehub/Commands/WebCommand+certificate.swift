import Glibc
import OperatorControl
import SystemKit
import TerminalKit
import WebAccess

extension WebCommand {
    /// The service of the page.
    private static let unit = "homeweb.service"

    /// Creates or removes the page's self-signed certificate, and restarts the page.
    ///
    /// - Returns: Whether the page was restarted, so that its address is up to date.
    /// - Throws: `OperatorError` or `TerminalError`. Unless the restart failed, the former certificate is unchanged.
    func encrypt(_ isOn: Bool, _ file: PeopleFile, address: String?) throws -> Bool {
        let certificate = PageCertificate(directory: file.directory)
        guard certificate.exists || address?.hasPrefix("https:") != true else {
            throw OperatorError.usage(
                "homeweb uses HTTPS with a proxy or with another certificate",
                remedy: "see the options of homeweb.service with systemctl cat homeweb")
        }
        if isOn {
            let fingerprint = try certificate.create(address: address)
            Terminal.current.writeError(
                """
                homehub: the certificate expires in \(PageCertificate.validity) days; to renew it, run this command again
                homehub: browsers warn once, because the certificate is self-signed. SHA-256 fingerprint:
                \(fingerprint)

                """)
        } else {
            try certificate.remove()
        }
        let systemctl = InstalledProgram(named: "systemctl")
        if file.isInstalled, geteuid() == 0, access("/run/systemd/system", F_OK) == 0 {
            try systemctl.run(["try-restart", Self.unit])
            do {
                try systemctl.run(["--quiet", "is-active", Self.unit])
                return true
            } catch {}
        }
        Terminal.current.writeError("homehub: start or restart homeweb to apply the change\n")
        return false
    }
}

extension PageCertificate {
    private static let openssl = InstalledProgram(named: "openssl")

    /// Creates the certificate with a new key, for the names of this computer and for the host of the page's address.
    ///
    /// - Returns: The SHA-256 fingerprint, as browsers show it.
    /// - Throws: `OperatorError` if openssl isn't installed or fails, or `TerminalError` if the file can't be written.
    fileprivate func create(address: String?) throws -> String {
        guard Self.openssl.path != nil else {
            throw OperatorError.unavailable("openssl isn't installed", remedy: "use sudo apt install openssl")
        }
        var hosts = Set(Self.computerNames + ["127.0.0.1", "::1"])
        if let host = address.flatMap(Self.host) { hosts.insert(host) }
        // The file of the address belongs to homeweb, and openssl expands variables.
        let names = hosts.sorted().compactMap { host in
            Self.isAddress(host) ? "IP:\(host)" : Self.isName(host) ? "DNS:\(host)" : nil
        }
        var fingerprint = ""
        try replace { file in
            try Self.openssl.run(
                ["genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256"], standardOutput: file)
            try reading(file) { key in
                try Self.openssl.run(
                    [
                        "req", "-x509", "-new", "-key", "/dev/stdin", "-days", "\(Self.validity)",
                        "-subj", "/CN=Lamplighter", "-addext", "subjectAltName=\(names.joined(separator: ","))",
                        "-addext", "basicConstraints=critical,CA:FALSE", "-addext", "extendedKeyUsage=serverAuth",
                    ], standardInput: key, standardOutput: file)
            }
            fingerprint = try reading(file) { try Self.fingerprint(of: $0) }
        }
        return fingerprint
    }

    /// Returns the fingerprint of the certificate in a PEM file.
    private static func fingerprint(of file: CInt) throws -> String {
        var ends: [CInt] = [-1, -1]
        guard pipe(&ends) == 0 else { throw OperatorError(code: 70, message: SystemError.last.reason) }
        defer { for end in ends { close(end) } }
        try openssl.run(
            ["x509", "-in", "/dev/stdin", "-noout", "-fingerprint", "-sha256"], standardInput: file,
            standardOutput: ends[1])
        var bytes = [UInt8](repeating: 0, count: 256)
        let count = read(ends[0], &bytes, bytes.count)
        let text = String(decoding: bytes.prefix(max(count, 0)), as: UTF8.self)
        return String(text.drop { $0 != "=" }.dropFirst().prefix { !$0.isWhitespace })
    }

    /// Calls a function with another descriptor of a file, at its beginning.
    private func reading<Value>(_ file: CInt, _ body: (CInt) throws -> Value) throws -> Value {
        let copy = open("/proc/self/fd/\(file)", O_RDONLY | O_CLOEXEC)
        guard copy >= 0 else {
            throw OperatorError(code: 74, message: "can't read \(path): \(SystemError.last.reason)")
        }
        defer { close(copy) }
        return try body(copy)
    }

    /// Returns the host of an address such as `http://10.0.0.5:8480/` or `https://[2001:db8::5]:8480/`.
    private static func host(of address: String) -> String? {
        guard let authority = address.split(separator: "/", omittingEmptySubsequences: true).dropFirst().first else {
            return nil
        }
        let host =
            authority.hasPrefix("[") ? authority.dropFirst().prefix { $0 != "]" } : authority.prefix { $0 != ":" }
        return String(host)
    }

    private static func isAddress(_ host: String) -> Bool {
        var bytes = in6_addr()
        return inet_pton(AF_INET, host, &bytes) == 1 || inet_pton(AF_INET6, host, &bytes) == 1
    }

    private static func isName(_ host: String) -> Bool {
        (1...253).contains(host.count)
            && host.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-" || $0 == ".") }
    }
}
