import FoundationEssentials
import SystemKit

/// Finds the process that listens on a port, so that messages can name it.
enum PortHolder {
    /// Returns whether a process listens on a TCP port.
    static func exists(on port: Int) -> Bool { !inodes(listeningOn: port).isEmpty }

    /// Returns a description of the process that listens on a TCP port, or `a process of another user` if this user
    /// can't identify it.
    static func description(of port: Int) -> String {
        let inodes = inodes(listeningOn: port)
        guard !inodes.isEmpty, let processes = try? FileManager.default.contentsOfDirectory(atPath: "/proc") else {
            return "another process"
        }
        let targets = Set(inodes.map { "socket:[\($0)]" })
        for process in processes where Int(process) != nil {
            let files = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/\(process)/fd")) ?? []
            for file in files {
                let target = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/\(process)/fd/\(file)")
                guard let target, targets.contains(target) else { continue }
                let name =
                    ProcFile.text(of: "/proc/\(process)/comm").split(separator: "\n").first.map(String.init) ?? "?"
                return "\(name) (process \(process))"
            }
        }
        return "a process of another user"
    }

    private static func inodes(listeningOn port: Int) -> [String] {
        let wanted = String(port, radix: 16, uppercase: true)
        let suffix = ":" + String(repeating: "0", count: max(0, 4 - wanted.utf8.count)) + wanted
        var inodes: [String] = []
        for table in ["/proc/self/net/tcp", "/proc/self/net/tcp6"] {
            for line in ProcFile.text(of: table).split(separator: "\n").dropFirst() {
                let fields = line.split(separator: " ")
                // State 0A means that the socket is listening. Field 9 is the socket's inode (proc(5)).
                if fields.count > 9, fields[1].hasSuffix(suffix), fields[3] == "0A" { inodes.append(String(fields[9])) }
            }
        }
        return inodes
    }
}
