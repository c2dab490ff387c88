import ConfigurationKit
import NIOCore

/// The `metrics` section: the address of the Prometheus endpoint.
struct MetricsSection: Decodable, Equatable, Sendable {
    var listen: ListenAddress
    /// The additional DNS names of this computer that Prometheus may use in requests.
    ///
    /// IP addresses, names without dots and names in `.local` are always allowed.
    var names: [String]?

    private enum CodingKeys: String, CodingKey, CaseIterable {
        case listen, names
    }
}

/// An IP address and a TCP port to listen on: `127.0.0.1:9251`, or an IPv6 address in brackets.
struct ListenAddress: Equatable, Sendable, CustomStringConvertible {
    /// The address without brackets.
    let address: String
    let port: UInt16

    /// The reason why a string isn't a valid address with a port, and the remedy.
    struct Problem: Error, Equatable {
        let problem: String
        let remedy: String
    }

    init(_ text: String) throws(Problem) {
        let example = "use an address such as 127.0.0.1:9251"
        guard let colon = text.lastIndex(of: ":") else {
            throw text.isNumber
                ? Problem(problem: "the address is missing", remedy: "use an address such as 127.0.0.1:\(text)")
                : Problem(problem: "the port is missing", remedy: example)
        }
        let host = text[..<colon]
        let number = text[text.index(after: colon)...]
        let isBracketed = host.hasPrefix("[") && host.hasSuffix("]") && host.count > 2
        guard isBracketed || !host.contains(":") else {
            throw Problem(problem: "an IPv6 address needs brackets", remedy: "use a form such as \"[::1]:9251\"")
        }
        address = String(isBracketed ? host.dropFirst().dropLast() : host)
        guard let parsed = try? SocketAddress(ipAddress: address, port: 0),
            isBracketed == (parsed.protocol == .inet6)
        else {
            throw Problem(
                problem: "not a valid IP address",
                remedy: "use 127.0.0.1 for only this machine, 0.0.0.0 for all networks, or one of its addresses")
        }
        guard number.isNumber, let port = UInt16(number), port > 0 else {
            throw Problem(problem: "not a valid port", remedy: "use a number from 1 to 65535 after the colon")
        }
        self.port = port
    }

    var description: String { address.contains(":") ? "[\(address)]:\(port)" : "\(address):\(port)" }
}

extension ListenAddress: Decodable {
    init(from decoder: any Decoder) throws {
        do throws(Problem) {
            guard let text = try? decoder.singleValueContainer().decode(String.self) else {
                throw Problem(
                    problem: "not an address with a port",
                    remedy: "use an address such as 127.0.0.1:9251, or \"[::1]:9251\" with the quotes")
            }
            try self.init(text)
        } catch {
            throw ConfigurationProblem(error.problem, remedy: error.remedy, at: decoder.codingPath)
        }
    }
}

extension StringProtocol {
    fileprivate var isNumber: Bool {
        !isEmpty && utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    }
}
