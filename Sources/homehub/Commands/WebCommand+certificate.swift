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
    /// - Throws: `OperatorError` or `TerminalError`. Unless the restart failed, the former certificate is unchanged.
    func encrypt(_ isOn: Bool, _ file: PeopleFile, address: String?) throws {
        let certificate = PageCertificate(directory: file.directory)
        if isOn {
            try certificate.create(address: address)
            Terminal.current.writeError(
                """
                homehub: the certificate is valid for \(PageCertificate.validity) days; then run this command again
                homehub: browsers warn once, because the certificate is self-signed; its fingerprint in SHA-256:
                \(try certificate.fingerprint)

                """)
        } else {
            try certificate.remove()
        }
        guard file.isInstalled, geteuid() == 0, access("/run/systemd/system", F_OK) == 0 else {
            return Terminal.current.writeError("homehub: restart homeweb to apply the change\n")
        }
        try InstalledProgram(named: "systemctl").run(["try-restart", Self.unit])
    }
}

extension PageCertificate {
    private static let openssl = InstalledProgram(named: "openssl")

    /// The SHA-256 fingerprint of the certificate, as browsers show it.
    fileprivate var fingerprint: String {
        get throws {
            var ends: [CInt] = [-1, -1]
            guard pipe(&ends) == 0 else { throw OperatorError(code: 70, message: SystemError.last.reason) }
            defer { close(ends[0]) }
            do {
                defer { close(ends[1]) }
                try Self.openssl.run(
                    ["x509", "-in", path, "-noout", "-fingerprint", "-sha256"], standardOutput: ends[1])
            }
            let text = String(decoding: try OpenFile(ends[0]).read(limit: 1 << 10), as: UTF8.self)
            return String(text.drop { $0 != "=" }.dropFirst().prefix { !$0.isWhitespace })
        }
    }

    /// Creates the certificate with a new key, for the names of this computer and for the host of the page's address.
    ///
    /// - Throws: `OperatorError` if openssl isn't installed or fails, or `TerminalError` if the file can't be written.
    fileprivate func create(address: String?) throws {
        guard Self.openssl.path != nil else {
            throw OperatorError.unavailable("openssl isn't installed", remedy: "use sudo apt install openssl")
        }
        var hosts = Set(Self.computerNames + ["127.0.0.1", "::1"])
        if let host = address.flatMap(Self.host) { hosts.insert(host) }
        let names = hosts.sorted().map { (Self.isAddress($0) ? "IP:" : "DNS:") + $0 }
        try replace { file in
            try Self.openssl.run(
                ["genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256"], standardOutput: file)
            let key = open("/proc/self/fd/\(file)", O_RDONLY | O_CLOEXEC)
            guard key >= 0 else { throw OperatorError(code: 74, message: SystemError.last.reason) }
            defer { close(key) }
            try Self.openssl.run(
                [
                    "req", "-x509", "-new", "-key", "/dev/stdin", "-days", "\(Self.validity)",
                    "-subj", "/CN=\(Self.computerNames.last ?? "")",
                    "-addext", "subjectAltName=\(names.joined(separator: ","))",
                    "-addext", "basicConstraints=critical,CA:FALSE", "-addext", "extendedKeyUsage=serverAuth",
                ], standardInput: key, standardOutput: file)
        }
    }

    /// Returns the host of an address such as `http://10.0.0.5:8480/` or `https://[2001:db8::5]:8480/`.
    private static func host(of address: String) -> String? {
        guard let authority = address.split(separator: "/", omittingEmptySubsequences: true).dropFirst().first else {
            return nil
        }
        let host =
            authority.hasPrefix("[") ? authority.dropFirst().prefix { $0 != "]" } : authority.prefix { $0 != ":" }
        return host.isEmpty ? nil : String(host)
    }

    private static func isAddress(_ host: String) -> Bool {
        var bytes = in6_addr()
        return inet_pton(AF_INET, host, &bytes) == 1 || inet_pton(AF_INET6, host, &bytes) == 1
    }
}
